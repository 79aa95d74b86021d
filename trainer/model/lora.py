"""Low-rank adapters of linear layers (LoRA; Hu et al., 2022), stored in the format of PEFT."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional as F

from trainer.contract.errors import PackageRefused
from trainer.contract.package import (
    ADAPTER_CONFIG,
    ADAPTER_WEIGHTS,
    WEIGHTS,
    read_package,
    transformer_folder,
)

_LORA = re.compile(r"(.+)\.lora_(embedding_)?([AB])(?:\.weight)?")
# Names of modules within numbered layers: those of attention and of the feed-forward network.
_IN_LAYER = re.compile(r"\.\d+\.")
_PREFIX = "base_model.model."
# Errors of merging an adapter that is damaged or of another model.
_UNFIT = (
    *(OSError, ValueError, LookupError, TypeError, AttributeError, RuntimeError),
    SafetensorError,
)


class LoraLinear(nn.Module):
    """A linear layer with the weight W + alpha / rank * B A, of which only A and B are trained.

    The sum is computed once per pass, so that layers that read the weight work as they are: the
    product of A and B costs little beside those with thousands of tokens.
    """

    def __init__(self, linear: nn.Linear, rank: int, alpha: float) -> None:
        super().__init__()
        self.base = linear.requires_grad_(False)
        self.alpha = alpha
        self.lora_A = nn.Parameter(torch.empty(rank, linear.in_features))
        self.lora_B = nn.Parameter(torch.zeros(linear.out_features, rank))
        nn.init.kaiming_uniform_(self.lora_A, a=math.sqrt(5))  # as PEFT

    @property
    def weight(self) -> Tensor:
        with torch.autocast(self.lora_A.device.type, enabled=False):
            return torch.addmm(
                self.base.weight, self.lora_B, self.lora_A, alpha=self.alpha / len(self.lora_A)
            )

    @property
    def bias(self) -> Tensor | None:
        return self.base.bias

    def forward(self, states: Tensor) -> Tensor:
        return F.linear(states, self.weight, self.bias)


def add_lora(model: nn.Module, rank: int, alpha: float) -> None:
    """Freeze the transformer, and give each linear layer of attention and feed-forward networks an
    adapter. Adapters start without effect."""
    model.requires_grad_(False)
    found = [
        (name, module)
        for name, module in model.named_modules()
        if type(module) is nn.Linear and _IN_LAYER.search(name)
    ]
    for name, linear in found:
        parent, _, own = name.rpartition(".")
        setattr(model.get_submodule(parent), own, LoraLinear(linear, rank, alpha))


def adapter_of(
    model: nn.Module, words: Tensor, start: Tensor
) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Return the weights of the adapter of a transformer, and its configuration without the base.

    `words` are the word embeddings of the model, and `start` those of its base: words that a
    method replaced before the training are part of the adapter.
    """
    loras = {name: m for name, m in model.named_modules() if isinstance(m, LoraLinear)}
    weights = {
        f"{name}.lora_{part}.weight": getattr(module, f"lora_{part}")
        for name, module in loras.items()
        for part in "AB"
    }
    first = next(iter(loras.values()))
    ranks: dict[str, int] = {}
    change = words.detach().cpu() - start.detach()
    changed = change.any(1).nonzero()[:, 0]
    if len(changed):
        (name,) = (
            name.removesuffix(".weight") for name, own in model.named_parameters() if own is words
        )
        ranks[name] = len(changed)
        weights[f"{name}.lora_embedding_A"] = F.one_hot(changed, len(start))
        weights[f"{name}.lora_embedding_B"] = change[changed].T
    config = {
        "peft_type": "LORA",
        "task_type": "FEATURE_EXTRACTION",
        "r": len(first.lora_A),
        "lora_alpha": first.alpha,
        "lora_dropout": 0.0,
        "bias": "none",
        "fan_in_fan_out": False,
        "inference_mode": True,
        "target_modules": [*loras, *ranks],
        "rank_pattern": ranks,
        "alpha_pattern": ranks,
    }
    stored = {
        _PREFIX + name: value.detach().float().cpu().contiguous() for name, value in weights.items()
    }
    return stored, config


def transformer_weights(folder: Path) -> dict[str, Tensor]:
    """Return the weights of the transformer in a model folder. Those of an adapter are merged into
    its base model's, in float32. Raises PackageRefused, or an error of safetensors."""
    if (folder / WEIGHTS).is_file():
        return load_file(folder / WEIGHTS)
    weights = load_file(transformer_folder(folder) / WEIGHTS)
    weights = {name.removeprefix("bert."): weight.float() for name, weight in weights.items()}
    merge_adapter(folder, weights)
    return weights


def merge_adapter(folder: Path, weights: dict[str, Tensor]) -> None:
    """Merge the adapter of the package in `folder` into the weights of its base model, in place.
    Raises PackageRefused."""
    package = read_package(folder, hashes=False)
    try:
        config = json.loads((folder / ADAPTER_CONFIG).read_text(encoding="utf-8"))
        merge_lora(config, load_file(folder / ADAPTER_WEIGHTS), weights, "", package.title)
    except _UNFIT as error:
        raise PackageRefused(
            f"The adapter {package.title} does not fit its base model {package.base}: {error}.",
            "Copy the model again.",
        ) from error


def merge_lora(
    config: Mapping[str, Any],
    adapter: Mapping[str, Tensor],
    weights: dict[str, Tensor],
    prefix: str,
    title: str,
) -> None:
    """Merge an adapter of PEFT into the weights of its base model, in place.

    `prefix` is the name of the base model within a model with a head, such as "bert". Raises
    PackageRefused for other kinds of adapters, naming the adapter `title`.
    """
    if config["peft_type"] != "LORA" or config.get("use_dora"):
        kind = "DoRA" if config.get("use_dora") else config["peft_type"]
        raise PackageRefused(
            f"The adapter {title} is of the type {kind}, which SciRead does not support.",
            "Merge it into its base model with PEFT (merge_and_unload), and add the result.",
        )
    pairs: dict[tuple[str, bool], dict[str, Tensor]] = {}
    for name, value in adapter.items():
        lora = _LORA.fullmatch(name)
        if lora:
            pairs.setdefault((lora[1], bool(lora[2])), {})[lora[3]] = value.float()
        else:
            # Modules trained as a whole, and biases.
            plain = name.replace(".modules_to_save", "").replace(".base_layer", "")
            weights[_own_name(plain, weights, prefix, title)] = value
    for (module, embedding), pair in pairs.items():
        name = _own_name(f"{module}.weight", weights, prefix, title)
        scale = _scale(config, module.removeprefix(_PREFIX), len(pair["A"]))
        change = pair["B"] @ pair["A"] * scale
        if embedding or config.get("fan_in_fan_out"):
            change = change.T
        weights[name] = (weights[name].float() + change).to(weights[name].dtype)


def _scale(config: Mapping[str, Any], module: str, rank: int) -> float:
    alpha = float(config.get("lora_alpha", 8))
    for pattern, value in (config.get("alpha_pattern") or {}).items():
        if re.fullmatch(rf"(.*\.)?({pattern})", module):
            alpha = float(value)
            break
    return float(alpha / (rank**0.5 if config.get("use_rslora") else rank))


def _own_name(name: str, weights: Mapping[str, Tensor], prefix: str, title: str) -> str:
    plain = name.removeprefix(_PREFIX)
    for own in (plain, plain.removeprefix(f"{prefix}.")):
        if own in weights:
            return own
    raise PackageRefused(
        f"The adapter {title} changes {plain}, which its base model does not have.",
        "The adapter may belong to another base model.",
    )
