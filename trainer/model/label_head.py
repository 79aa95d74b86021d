"""Linear discriminant analysis as a layer after the pooling: it emphasizes what tells labels
apart."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save_file
from scipy.linalg import eigh
from sklearn.covariance import ledoit_wolf

from trainer.contract.package import WEIGHTS


@dataclass(frozen=True)
class Discriminants:
    """The directions in which labels differ most, compared with papers of one label.

    A paper's `directions` [dim, n] of its vector minus the `mean` [dim] have a root mean square
    length of 1 over the training papers.
    """

    mean: NDArray[np.float64]
    directions: NDArray[np.float64]

    @classmethod
    def of(cls, vectors: NDArray[np.float32], labels: NDArray[np.integer]) -> Discriminants:
        """Fit them to vectors [papers, dim] of unit length and at least two different labels."""
        codes = np.unique(labels, return_inverse=True)[1]
        shares = np.bincount(codes) / len(codes)
        exact = vectors.astype(np.float64)
        mean = exact.mean(0)
        means = np.zeros((len(shares), exact.shape[1]))
        np.add.at(means, codes, exact)
        means /= (shares * len(codes))[:, None]
        # With few papers, the covariance must be shrunk to be inverted.
        within, _ = ledoit_wolf(exact - means[codes], assume_centered=True)
        between = (means - mean) * np.sqrt(shares)[:, None]
        ratios, directions = eigh(between.T @ between, within)
        # In the others, labels do not differ.
        count = min(len(shares) - 1, len(ratios))
        ratios, directions = ratios[-count:], directions[:, -count:]
        # Directions in which labels hardly differ would only add noise.
        directions = directions * np.sqrt(ratios.clip(min=0) / (1 + ratios.clip(min=0)))
        length = np.sqrt(np.square((exact - mean) @ directions).sum(1).mean())
        return cls(mean, directions / max(length, 1e-12))


@dataclass(frozen=True)
class LabelHead:
    """A linear layer from vectors of unit length to vectors of the same dimension.

    With discriminants and a `strength`, inner products of vectors minus the mean are as if their
    discriminants, multiplied by the strength, were added to them as further dimensions.
    """

    weight: NDArray[np.float64]
    bias: NDArray[np.float64]
    # As the head of a package: the layer reads vectors of unit length.
    modules: ClassVar = ("2_Normalize", "3_Dense")

    @classmethod
    def of(cls, found: Discriminants, strength: float) -> LabelHead:
        size = len(found.mean)
        product = np.eye(size) + strength**2 * found.directions @ found.directions.T
        values, rotation = np.linalg.eigh(product)
        weight = (rotation * np.sqrt(values)) @ rotation.T
        return cls(weight, found.mean - weight @ found.mean)

    def __call__(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the vectors of the finished model, of unit length."""
        found = vectors @ self.weight.T + self.bias
        found /= np.linalg.norm(found, axis=1, keepdims=True).clip(min=1e-12)
        return found.astype(np.float32)

    def save(self, folder: Path) -> Path:
        """Write the layer to the folder of a model, whose head are then the `modules`. Return the
        file with its weights."""
        place = folder / self.modules[-1]
        place.mkdir(parents=True)
        rows, columns = self.weight.shape
        described = {
            "in_features": columns,
            "out_features": rows,
            "bias": True,
            "activation_function": "torch.nn.modules.linear.Identity",
        }
        (place / "config.json").write_text(json.dumps(described, indent=2) + "\n", "utf-8")
        tensors = {
            "linear.weight": torch.from_numpy(self.weight).float().contiguous(),
            "linear.bias": torch.from_numpy(self.bias).float(),
        }
        save_file(tensors, place / WEIGHTS, metadata={"format": "pt"})
        return place / WEIGHTS
