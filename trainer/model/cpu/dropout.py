"""Dropout on a CPU with fifteen random bits per number."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

_CHANCES = 1 << 15
_BITS = {2: torch.int16, 4: torch.int32, 8: torch.int64}


def draw(like: Tensor, rate: float, key: tuple[int, ...]) -> Tensor | None:
    """Return a mask like `like`: all bits set or, with probability `rate`, all bits clear.

    Determined by `key`. None if nothing is dropped. torch's own dropout takes ten times as long on
    a CPU, as long as the rest of a layer.
    """
    if not _dropped(rate):
        return None
    draws = np.random.SFC64(key).random_raw(-(-like.numel() // 4))
    bits = torch.from_numpy(draws.view(np.int16)[: like.numel()])
    # Uniform from -2^15 up: after the addition a fraction `rate` of them is positive.
    bits.bitwise_or_(-_CHANCES).add_(_dropped(rate)).bitwise_right_shift_(15)
    return bits.to(_BITS[like.element_size()]).view(like.shape)


def drop(values: Tensor, bits: Tensor | None, out: Tensor | None = None) -> Tensor:
    """Return the values, zero where they are dropped."""
    if bits is None:
        return values
    into = None if out is None else out.view(bits.dtype)
    return torch.bitwise_and(values.view(bits.dtype), bits, out=into).view(values.dtype)


def drop_(values: Tensor, bits: Tensor | None) -> Tensor:
    """In-place version of `drop`."""
    if bits is not None:
        values.view(bits.dtype).bitwise_and_(bits)
    return values


def boost(rate: float) -> float:
    """Return the factor of the remaining values that compensates for the dropped ones."""
    return _CHANCES / (_CHANCES - _dropped(rate))


def _dropped(rate: float) -> int:
    return round(rate * _CHANCES)


def dropout(states: Tensor, rate: float, seed: int) -> Tensor:
    """Apply dropout to states on a CPU, as an autograd function."""
    found: Tensor = _Dropout.apply(states, rate, seed)  # type: ignore[no-untyped-call]
    return found


class _Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx: object, states: Tensor, rate: float, seed: int) -> Tensor:
        ctx.bits, ctx.rate = draw(states, rate, (seed,)), rate  # type: ignore[attr-defined]
        return drop_(states * boost(rate), ctx.bits)  # type: ignore[attr-defined]

    @staticmethod
    def backward(ctx: object, gradient: Tensor) -> tuple[Tensor, None, None]:
        bits, rate = ctx.bits, ctx.rate  # type: ignore[attr-defined]
        return drop_(gradient * boost(rate), bits), None, None
