"""Device selection and CPU capabilities."""

from __future__ import annotations

from functools import cache

import torch

from trainer.contract.errors import TrainerError


def device_named(name: str, number: int = 0) -> torch.device:
    """Return the torch device with this name; empty: a GPU, or else the CPU.

    `number` is the GPU index if the name has none. Raises TrainerError if there is no such device.
    """
    try:
        device = torch.device(name or ("cuda" if torch.cuda.is_available() else "cpu"))
    except RuntimeError as error:
        raise TrainerError(
            f"The device {name!r} does not exist.",
            "Use a PyTorch device name: cpu, cuda or cuda:1.",
        ) from error
    if device.type != "cuda":
        return device
    number = number if device.index is None else device.index
    there = torch.cuda.device_count()
    if number >= there:
        raise TrainerError(
            f"GPU {number} does not exist: this machine has {there}.",
            f"Start at most {there} processes per machine (torchrun --nproc-per-node={there})."
            if there
            else "Omit --device to use the CPU.",
        )
    return torch.device("cuda", number)


@cache
def cpu_has_tiles() -> bool:
    """Whether the CPU has tile instructions for bf16 (AMX)."""
    return _cpu_says("_is_amx_tile_supported")


@cache
def cpu_multiplies_bf16() -> bool:
    return cpu_has_tiles() or _cpu_says("_is_avx512_bf16_supported")


def _cpu_says(question: str) -> bool:
    # torch has no public API for this; False is a safe answer if the private name is gone.
    return bool(getattr(torch.cpu, question, bool)())
