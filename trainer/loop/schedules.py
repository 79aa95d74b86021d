"""Learning rate schedules."""

from __future__ import annotations

from collections.abc import Callable

# Howard and Ruder (2018): the slanted triangle starts and ends at this fraction of its peak.
_STLR_RATIO = 32


def multiplier(schedule: str, step: int, total: int, warmup: float) -> float:
    """Return the factor of the peak learning rate for a step, counted from 0.

    `warmup` is a fraction of the `total` steps if below 1, else a number of steps.
    """
    steps = int(warmup * total) if warmup < 1 else int(warmup)
    return SCHEDULES[schedule](step, total, steps)


def linear(step: int, total: int, warmup: int) -> float:
    """Increase from 0, then decrease to 0 (get_linear_schedule_with_warmup of transformers)."""
    if step < warmup:
        return step / warmup
    return max(0.0, (total - step) / max(1, total - warmup))


def stlr(step: int, total: int, warmup: int) -> float:
    """The slanted triangle of AllenNLP: increase from 1/32, decrease to 1/32."""
    return (1 + (_STLR_RATIO - 1) * linear(step, total, warmup)) / _STLR_RATIO


def constant(step: int, total: int, warmup: int) -> float:
    """Increase from 0, then stay constant."""
    return step / warmup if step < warmup else 1.0


SCHEDULES: dict[str, Callable[[int, int, int], float]] = {
    "linear": linear,
    "stlr": stlr,
    "constant": constant,
}
