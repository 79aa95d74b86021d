"""Adapters of a published model: LoRA of PEFT, and bottlenecks of the library Adapters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from trainer.contract.errors import PackageRefused
from trainer.packages.published_config import ADAPTER_CONFIG, read_json
from trainer.packages.weights import read_weights

_LORA = re.compile(r"(.+)\.lora_(embedding_)?([AB])(?:\.weight)?")
_BOTTLENECK = re.compile(
    r"(.*encoder\.layer\.\d+\.output)\.(?:\w+\.)*adapters\.[^.]+\.adapter_(down|up)(?:\.0)?\."
    r"(weight|bias)"
)
# Configuration of the supported bottleneck adapter: after the feed-forward layer, around the last
# layer norm, as in SPECTER2 (Pfeiffer et al., 2021).
_SUPPORTED: Mapping[str, Any] = {
    "output_adapter": True,
    "mh_adapter": False,
    "ln_before": False,
    "ln_after": False,
    "original_ln_before": True,
    "original_ln_after": True,
    "residual_before_ln": True,
    "is_parallel": False,
    "use_gating": False,
    "phm_layer": False,
    "scaling": 1.0,
}
_MISSING = object()


def apply_adapter(
    folder: Path, weights: dict[str, Tensor], prefix: str, title: str
) -> dict[str, Any]:
    """Merge the adapter in `folder` into the weights of its base model, in place.

    `prefix` is the name of the base model within a model with a head, such as "bert". Returns
    entries for config.json: a bottleneck cannot be merged, its weights are added. Raises
    PackageRefused.
    """
    config = read_json(folder / ADAPTER_CONFIG)
    found = read_weights(folder, title)
    if "peft_type" in config:
        _merge_lora(config, found, weights, prefix, title)
        return {}
    return _add_bottleneck(config, found, weights, title)


def _merge_lora(
    config: Mapping[str, Any],
    adapter: Mapping[str, Tensor],
    weights: dict[str, Tensor],
    prefix: str,
    title: str,
) -> None:
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
        change = pair["B"] @ pair["A"] * _scale(config, module, len(pair["A"]))
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
    plain = name.removeprefix("base_model.model.")
    for own in (plain, plain.removeprefix(f"{prefix}.")):
        if own in weights:
            return own
    raise PackageRefused(
        f"The adapter {title} changes {plain}, which its base model does not have.",
        "The adapter may belong to another base model.",
    )


def _add_bottleneck(
    config: Mapping[str, Any],
    adapter: Mapping[str, Tensor],
    weights: dict[str, Tensor],
    title: str,
) -> dict[str, Any]:
    described = config.get("config")
    described = described if isinstance(described, dict) else {}
    strange = sorted(
        name
        for name, value in _SUPPORTED.items()
        if described.get(name, _MISSING) not in (value, _MISSING)
    )
    matches = {name: _BOTTLENECK.fullmatch(name) for name in adapter}
    others = [name for name, match in matches.items() if not match and "adapter" in name]
    if strange or others or config.get("model_type") != "bert" or not any(matches.values()):
        raise PackageRefused(
            f"SciRead does not support the adapter {title}"
            f" ({', '.join(strange) or (others or ['no bottleneck of a BERT'])[0]}).",
            "Supported are PEFT LoRA, and bottlenecks after the feed-forward layers of a BERT.",
        )
    for name, match in matches.items():
        if match:
            own = match[1].removeprefix("bert.")
            weights[f"{own}.adapter.{match[2]}.{match[3]}"] = adapter[name].to(torch.float32)
    activation = str(described.get("non_linearity", "relu"))
    return {"bottleneck_adapter": {"activation": activation}}
