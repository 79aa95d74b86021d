"""Recall, precision and confusions of a model for each class."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from trainer.contract.plots import Confusion

_Z = 1.959964  # of the normal distribution, for 95 %


class ClassScore(NamedTuple):
    """The metrics of a class with `n` papers.

    `recall` has the 95 % confidence interval `low` to `high` (Wilson).
    `precision` is None if no paper was predicted to be of the class.
    """

    label: str
    n: int
    recall: float
    low: float
    high: float
    precision: float | None


class Mistake(NamedTuple):
    """A confusion: the number of papers of class `truth` for which `predicted` was predicted."""

    truth: str
    predicted: str
    papers: int


def per_class(confusion: Confusion) -> list[ClassScore]:
    """Return the metrics of each class that has papers, in the order of the confusion matrix."""
    predicted = [sum(row[at] for row in confusion.counts) for at in range(len(confusion.labels))]
    found = []
    for at, (label, row) in enumerate(zip(confusion.labels, confusion.counts, strict=True)):
        if n := sum(row):
            low, high = wilson(row[at], n)
            precision = row[at] / predicted[at] if predicted[at] else None
            found.append(ClassScore(label, n, row[at] / n, low, high, precision))
    return found


def mistakes(confusion: Confusion, most: int = 5) -> list[Mistake]:
    """Return the most frequent confusions of two classes, at most `most`."""
    found = [
        Mistake(confusion.labels[true], confusion.labels[predicted], count)
        for true, row in enumerate(confusion.counts)
        for predicted, count in enumerate(row)
        if true != predicted and count
    ]
    return sorted(found, key=lambda each: -each.papers)[:most]


def comparable(one: Confusion, other: Confusion) -> bool:
    """Whether both have the same number of papers in each class."""
    return _sizes(one) == _sizes(other)


def wilson(hits: int, n: int) -> tuple[float, float]:
    """Return the 95 % Wilson score interval of the share hits / n."""
    share, z2 = hits / n, _Z * _Z
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = _Z * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    return max(0.0, middle - half), min(1.0, middle + half)


def _sizes(confusion: Confusion) -> Sequence[tuple[str, int]]:
    rows = zip(confusion.labels, confusion.counts, strict=True)
    return sorted((label, sum(row)) for label, row in rows if sum(row))
