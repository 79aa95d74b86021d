"""Adapters of a published model: LoRA of PEFT, and bottlenecks of the library Adapters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from trainer.contract.errors import PackageRefused
from trainer.contract.package import ADAPTER_CONFIG
from trainer.model.lora import merge_lora
from trainer.packages.published_config import read_json
from trainer.packages.weights import read_weights

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
        merge_lora(config, found, weights, prefix, title)
        return {}
    return _add_bottleneck(config, found, weights, title)


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
