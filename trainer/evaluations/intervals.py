"""How sure a score is, and a difference of two: the bootstrap over its items (Efron, 1979)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

DRAWS = 2_000
# Fewer items cannot tell a difference from chance: five agree by chance in one of 16 cases.
ENOUGH = 6
# Of so few, every way to swap the two models in some items can be looked at.
_FEW = 14
# The mean of more items is as good as normally distributed, and need not be drawn.
_MANY = 2_000
# Numbers drawn at once: 8 MB each for rows, values and weights.
_AT_ONCE = 1_000_000
_TAIL = 0.025

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Items:
    """What a score is made of, one value a query, paper, fold or seed; the score is their mean.

    Raises ValueError for lengths that differ and for what is no number.
    """

    ids: Sequence[str] | NDArray[np.str_]
    values: NDArray[np.floating] | NDArray[np.integer]
    weights: NDArray[np.floating] | None = None

    def __post_init__(self) -> None:
        for column in (self.values, self.weights):
            if column is not None and np.shape(column) != (len(self.ids),):
                raise ValueError(f"{len(self.ids)} items, but values of shape {np.shape(column)}")
            if column is not None and not np.isfinite(column).all():
                raise ValueError("a value of an item is no finite number")

    @classmethod
    def of_macro_f1(
        cls, ids: Sequence[str], truth: NDArray[np.integer], told: NDArray[np.integer]
    ) -> Items:
        """Items whose mean is macro F1: that, and what each paper adds to it.

        What it adds is the derivative by the paper's weight (the infinitesimal jackknife), since
        macro F1 is no mean of papers.
        """
        labels, codes = np.unique(np.concatenate([truth, told]), return_inverse=True)
        true, said = codes[: len(truth)], codes[len(truth) :]
        size, right = len(labels), true == said
        named = np.bincount(true, minlength=size) + np.bincount(said, minlength=size)
        f1 = 2 * np.bincount(true[right], minlength=size) / named
        adds = 2 * right / named[true] - f1[true] / named[true] - f1[said] / named[said]
        return cls(ids, f1.mean() + adds * len(truth) / size)

    def at(self, rows: NDArray[np.integer]) -> Items:
        """These of the items."""
        weights = None if self.weights is None else np.asarray(self.weights)[rows]
        return Items(np.asarray(self.ids)[rows], np.asarray(self.values)[rows], weights)


class Difference(NamedTuple):
    """`second` minus `first` over the same `n` items, and where 95 % of draws lie.

    `chance` is how probable so great a difference is where there is none: the bootstrap's
    two-sided p, or of few items, the share of all swaps of the two that make it as great. Where
    items are too few to tell, it is 1 and there is no interval.
    """

    first: float
    second: float
    low: float | None
    high: float | None
    chance: float
    n: int

    @property
    def value(self) -> float:
        return self.second - self.first


def value(items: Items) -> float:
    """The score that the items make. Raises ValueError where there are none."""
    if not len(items.ids):
        raise ValueError("a score needs items")
    return float(np.average(np.asarray(items.values, np.float64), weights=items.weights))


def interval(
    items: Items, seed: int, draws: int = DRAWS
) -> tuple[float, float] | tuple[None, None]:
    """Where 95 % of the scores of redrawn items lie; none of less than two items."""
    if len(items.ids) < 2:
        return None, None
    return _middle(_redrawn(items, seed, draws), len(items.ids))


def difference(
    first: Items, second: Items, seed: int, draws: int = 5_000, noise: float = 0.0
) -> Difference:
    """How far the score of the second is above that of the first, item by item.

    Both hold the same ids in the same order. `noise` is the standard error that repetitions with
    other seeds leave in the difference, beside that of the items. Raises ValueError where ids or
    weights differ: then they are not of the same data.
    """
    if not np.array_equal(np.asarray(first.ids), np.asarray(second.ids)):
        raise ValueError("the items differ")
    if not np.array_equal(_weights(first), _weights(second)):
        raise ValueError("the weights of the items differ")
    scores, n = (value(first), value(second)), len(first.ids)
    if n < ENOUGH:
        return Difference(*scores, None, None, 1.0, n)
    gained = np.asarray(second.values, np.float64) - np.asarray(first.values, np.float64)
    found = _redrawn(Items(first.ids, gained, first.weights), seed, draws)
    if noise:
        found = found + np.random.default_rng((seed, 1)).normal(0, noise, draws)
    low, high = _middle(found, n)
    agree = min(np.count_nonzero(found <= 0), np.count_nonzero(found >= 0))
    chance = min(1.0, 2 * (int(agree) + 1) / (draws + 1))
    if n <= _FEW:
        swapped = _swapped(gained, _weights(first))
        chance = max(swapped, chance) if noise else swapped
    return Difference(*scores, low, high, chance, n)


def _middle(drawn: Floats, n: int) -> tuple[float, float]:
    """Where 95 % of the draws lie; more of them where items are few, as of Student's t: redrawn
    items spread too little by then (Hesterberg's expanded percentiles, 2015)."""
    from scipy import stats  # so late: who trains imports this module, and this takes half a second

    tail = stats.norm.cdf(stats.t.ppf(_TAIL, n - 1) * np.sqrt(n / (n - 1)))
    low, high = np.quantile(drawn, (tail, 1 - tail))
    return float(low), float(high)


def _swapped(gained: Floats, weights: Floats) -> float:
    """The share of all swaps of the two in some items that make the difference as great."""
    signs = 1 - 2 * (np.arange(1 << len(gained))[:, None] >> np.arange(len(gained)) & 1)
    found = np.abs(signs @ (weights * gained))
    return float(np.mean(found >= found[0] * (1 - 1e-9)))


def _redrawn(items: Items, seed: int, draws: int) -> Floats:
    """The score of each of so many redrawings of the items, with replacement."""
    chance = np.random.default_rng(seed)
    values, weights = np.asarray(items.values, np.float64), _weights(items)
    score = value(items)
    if len(values) > _MANY:
        error = np.sqrt(np.sum((weights * (values - score)) ** 2)) / weights.sum()
        return chance.normal(score, error, draws)
    found = []
    for size in _blocks(draws, len(values)):
        rows = chance.integers(0, len(values), (size, len(values)), np.int32)
        if items.weights is None:
            found.append(values[rows].mean(1))
        else:
            drawn = weights[rows]
            found.append((drawn * values[rows]).sum(1) / drawn.sum(1))
    return np.concatenate(found)


def _weights(items: Items) -> Floats:
    return np.ones(len(items.ids)) if items.weights is None else np.asarray(items.weights, float)


def _blocks(draws: int, numbers: int) -> Iterator[int]:
    """Draws a block, of so many numbers each, that memory holds at once."""
    size = max(1, _AT_ONCE // numbers)
    for start in range(0, draws, size):
        yield min(size, draws - start)
