"""The machine that trains: precision, memory and description."""

from __future__ import annotations

import platform
import sys
from typing import Any

import torch

from trainer.contract.errors import TrainerError
from trainer.distributed import Ranks
from trainer.model.backbone import precision
from trainer.model.text_model import Backbone
from trainer.version import NAME, version_of

# Tokens per pass: on a CPU about 2 GB for a small model.
_CPU_BUDGET = 16_384
# Larger passes are no faster.
_MOST_ON_GPU = 262_144
# Bytes that training keeps per token, layer and hidden unit: for BERT in bf16 36, with a head for
# masked words 40, and half as much again in float32. The rest of the memory holds weights, moments
# and gradients.
_BYTES_A_UNIT = 44
_SHARE_FOR_TOKENS = 0.55
_LIBRARIES = ("torch", "numpy", "transformers", "tokenizers", "safetensors")


def precision_of(requested: str, device: torch.device) -> torch.dtype:
    """Return the type of the forward pass. `auto`: bf16 if the device multiplies it, else
    float32."""
    if requested == "fp32":
        return torch.float32
    half = precision(device) == torch.bfloat16
    if requested == "bf16" and device.type == "cuda" and not half:
        raise TrainerError(
            "This GPU does not support bf16.", "Set precision=auto, which uses fp32 on this GPU."
        )
    return torch.bfloat16 if half or requested == "bf16" else torch.float32


def budget_for(device: torch.device, backbone: Backbone) -> int:
    """Return how many tokens probably fit into one pass; it is halved when memory runs out."""
    if device.type != "cuda":
        return _CPU_BUDGET
    memory = torch.cuda.get_device_properties(device).total_memory
    a_token = backbone.layers * backbone.hidden * _BYTES_A_UNIT
    return max(512, min(_MOST_ON_GPU, int(memory * _SHARE_FOR_TOKENS / a_token)))


def reset_peak_memory(device: torch.device) -> None:
    """Reset the peak of `peak_memory` on a GPU. The peak of a process cannot be reset."""
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)


def peak_memory(device: torch.device) -> int:
    """Return the peak memory in bytes: of the GPU, else of this process; 0 if unknown."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device)
    if sys.platform == "win32":
        return 0
    import resource  # not available on Windows

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def describe_machine(ranks: Ranks) -> dict[str, Any]:
    """Return other properties of the machine that affect a training, for its records."""
    gpu = ranks.device.type == "cuda"
    return {
        "device": torch.cuda.get_device_name(ranks.device) if gpu else str(ranks.device),
        "ranks": ranks.world,
        "threads": torch.get_num_threads(),
        "system": platform.platform(),
        "versions": {NAME: version_of(NAME), "python": platform.python_version()}
        | {name: version_of(name) for name in _LIBRARIES},
    }
