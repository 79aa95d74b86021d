"""The moving average of the weights, which is validated and kept in place of the last weights.

An exponential moving average needs no choice of checkpoints, works with any number of validations
and costs one more copy of the weights. It does as well as averages of the last checkpoints (LAWA),
and best together with a decaying learning rate (Ajroldi et al., 2025, "When, Where and Why to
Average Weights?"; Morales-Brotons et al., 2024, "Exponential Moving Average of Weights in Deep
Learning").
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor
from torch.optim import Optimizer

# Key of the average of a weight in the state of its optimizer, with which it is saved.
AVERAGE = "average"


@torch.no_grad()
def update_average(optimizer: Optimizer, step: int, steps: int) -> None:
    """Include the weights after `step`, from 1, in their average over about the last `steps`.

    It is the mean of all weights so far until then, and so needs no correction for its start.
    """
    weights, averages = [], []
    for weight, state in optimizer.state.items():
        if AVERAGE in state:
            weights.append(weight)
            averages.append(state[AVERAGE])
        else:
            state[AVERAGE] = weight.detach().clone()
    if weights:
        torch._foreach_lerp_(averages, weights, 1 / min(step, steps))


@contextmanager
def averaged_weights(optimizer: Optimizer) -> Iterator[None]:
    """Use the averages, as far as there are any, as weights inside the block."""
    pairs = _pairs(optimizer)
    kept = [weight.detach().clone() for weight, _ in pairs]
    adopt_average(optimizer)
    try:
        yield
    finally:
        with torch.no_grad():
            for (weight, _), own in zip(pairs, kept, strict=True):
                weight.copy_(own)


@torch.no_grad()
def adopt_average(optimizer: Optimizer) -> None:
    """Replace the weights by their averages, as far as there are any."""
    for weight, average in _pairs(optimizer):
        weight.copy_(average)


def _pairs(optimizer: Optimizer) -> list[tuple[Tensor, Tensor]]:
    return [
        (weight, state[AVERAGE]) for weight, state in optimizer.state.items() if AVERAGE in state
    ]
