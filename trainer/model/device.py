"""Which device a name is."""

from __future__ import annotations

import torch

from trainer.contract.errors import TrainerError


def device_named(name: str, number: int = 0) -> torch.device:
    """As torch names it; empty: a GPU, or else the CPU. `number`: the GPU, if the name says none.

    Raises TrainerError where there is none of that name.
    """
    try:
        device = torch.device(name or ("cuda" if torch.cuda.is_available() else "cpu"))
    except RuntimeError as error:
        raise TrainerError(
            f"There is no device {name!r}.", "Name one as torch does: cpu, cuda or cuda:1."
        ) from error
    if device.type != "cuda":
        return device
    number = number if device.index is None else device.index
    there = torch.cuda.device_count()
    if number >= there:
        raise TrainerError(
            f"There is no GPU of number {number}: this machine shows {there}.",
            f"Start at most {there} processes a machine (torchrun --nproc-per-node={there})."
            if there
            else "Without --device it runs on the CPU.",
        )
    return torch.device("cuda", number)
