"""How the learning rate goes from the first step to the last."""

from __future__ import annotations

from collections.abc import Callable

# Howard and Ruder (2018): the slanted triangle starts and ends at this part of its peak, not at 0.
_STLR_RATIO = 32


def multiplier(schedule: str, step: int, total: int, warmup: float) -> float:
    """What the peak learning rate is multiplied with in this step, of which 0 is the first.

    `warmup` is a share of the `total` steps if below 1, else a number of steps.
    """
    steps = int(warmup * total) if warmup < 1 else int(warmup)
    return SCHEDULES[schedule](step, total, steps)


def linear(step: int, total: int, warmup: int) -> float:
    """Up from 0, then down to 0 (get_linear_schedule_with_warmup of transformers)."""
    if step < warmup:
        return step / warmup
    return max(0.0, (total - step) / max(1, total - warmup))


def stlr(step: int, total: int, warmup: int) -> float:
    """The slanted triangle of AllenNLP: up from a 32nd, down to a 32nd."""
    return (1 + (_STLR_RATIO - 1) * linear(step, total, warmup)) / _STLR_RATIO


def constant(step: int, total: int, warmup: int) -> float:
    """Up from 0, then level."""
    return step / warmup if step < warmup else 1.0


SCHEDULES: dict[str, Callable[[int, int, int], float]] = {
    "linear": linear,
    "stlr": stlr,
    "constant": constant,
}
