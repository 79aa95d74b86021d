"""Pooling of a model package: from the states of its transformer to one vector per text."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

import torch
from safetensors.torch import load_file
from torch import Tensor

from trainer.contract.errors import PackageRefused
from trainer.contract.package import POOLING_WEIGHTS, Package
from trainer.model.backbone import Transformer
from trainer.model.facets import facet_steps, read_facets
from trainer.model.packed import Packed, pool
from trainer.model.scalar_mix import ScalarMix

# A transformer and packed texts -> vectors [texts, dim] in float32
Pooling = Callable[[Transformer, Packed], Tensor]


def load_pooling(package: Package, device: torch.device) -> Pooling:
    """Return the package's pooling, with its own weights if it has any. Raises PackageRefused."""
    weights: dict[str, Tensor] = {}
    if POOLING_WEIGHTS in package.files:
        weights = load_file(package.folder / POOLING_WEIGHTS, device=str(device))
    if package.pooling == "scalar_mix":
        return _scalar_mix(package, weights).to(device).vectors
    if package.pooling == "multi_cls" and weights:
        return _facets(package, weights)

    def pooled(transformer: Transformer, texts: Packed) -> Tensor:
        states = transformer(texts, {}).float()
        return pool(states, texts, package.pooling, package.cls_tokens)

    return pooled


def _scalar_mix(package: Package, weights: Mapping[str, Tensor]) -> ScalarMix:
    names = ("scalar_mix.weights", "scalar_mix.gamma")
    if not all(name in weights for name in names):
        raise PackageRefused(f"The model {package.title} lacks its mixture of layers.")
    mix = ScalarMix(len(weights[names[0]]), weights.get("scalar_mix.begins"))
    mix.weights.data, mix.gamma.data = (weights[name] for name in names)
    return mix.requires_grad_(False)


def _facets(package: Package, weights: Mapping[str, Tensor]) -> Pooling:
    names = ("facets.weight", "facets.bias", "facets.tanh")
    shape = (3, package.cls_tokens, package.dim)
    if not all(name in weights for name in names) or weights["facets.bias"].shape != shape:
        raise PackageRefused(
            f"The model {package.title} lacks the layers of its {package.cls_tokens} [CLS] tokens."
        )
    weight, bias, tanh = (weights[name] for name in names)
    steps = facet_steps(weight, bias, _layers(package))

    def pooled(transformer: Transformer, texts: Packed) -> Tensor:
        states = transformer(texts, steps).float()
        return read_facets(states, texts, package.cls_tokens, bool(tanh)).sum(1)

    return pooled


def _layers(package: Package) -> int:
    config = json.loads((package.folder / "config.json").read_text(encoding="utf-8"))
    return int(config["num_hidden_layers"])
