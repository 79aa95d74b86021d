"""Modules of sentence-transformers between the pooled vector and the final one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional as F

from trainer.contract.errors import PackageRefused
from trainer.contract.package import WEIGHTS, activation_of


def load_head(folder: Path, names: Iterable[str], title: str) -> nn.Sequential:
    """Load the modules in these folders of the model `title`, in order. Raises PackageRefused."""
    return nn.Sequential(*(_load(folder / name, title) for name in names)).eval()


class _Dense(nn.Module):
    """A linear layer with an activation, and optionally with its input added."""

    def __init__(self, config: Mapping[str, Any], title: str) -> None:
        super().__init__()
        narrow, wide = int(config["in_features"]), int(config["out_features"])
        self.linear = nn.Linear(narrow, wide, bool(config.get("bias", True)))
        self.activation = getattr(nn, activation_of(config, title))()
        self.adds = bool(config.get("use_residual"))
        if self.adds and narrow != wide:
            self.residual = nn.Linear(narrow, wide, bias=False)

    def forward(self, vectors: Tensor) -> Tensor:
        found: Tensor = self.activation(self.linear(vectors))
        if not self.adds:
            return found
        return found + (self.residual(vectors) if hasattr(self, "residual") else vectors)


class _LayerNorm(nn.Module):
    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(int(config["dimension"]))

    def forward(self, vectors: Tensor) -> Tensor:
        found: Tensor = self.norm(vectors)
        return found


class _Normalize(nn.Module):
    def forward(self, vectors: Tensor) -> Tensor:
        return F.normalize(vectors, dim=1)


def _load(folder: Path, title: str) -> nn.Module:
    kind = folder.name.partition("_")[2]
    if kind == "Normalize":
        return _Normalize()
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        module: nn.Module = _Dense(config, title) if kind == "Dense" else _LayerNorm(config)
        module.load_state_dict(
            {name: value.to(torch.float32) for name, value in load_file(folder / WEIGHTS).items()}
        )
    except (OSError, ValueError, TypeError, KeyError, RuntimeError, SafetensorError) as error:
        raise PackageRefused(
            f"The module {folder.name} of the model {title} could not be read: "
            f"{(str(error).splitlines() or [''])[0]}",
            "Copy the model again.",
        ) from error
    return module.requires_grad_(False)
