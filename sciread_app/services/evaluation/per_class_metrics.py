"""Recall, precision and confusions of a model for each class."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from trainer.contract.plots import Confusion

_Z = 1.959964  # of the normal distribution, for 95 %


class ClassScore(NamedTuple):
    """`found`: the share of its papers that were told so, `low` to `high` for 95 % (Wilson).
    `right`: the share of those told so that are; None where none was."""

    label: str
    n: int
    found: float
    low: float
    high: float
    right: float | None


class Mistake(NamedTuple):
    """So many papers of `truth` were taken for `told`."""

    truth: str
    told: str
    papers: int


def per_class(confusion: Confusion) -> list[ClassScore]:
    """Of each class that has papers, in the order of the confusion: the largest first."""
    told = [sum(row[at] for row in confusion.counts) for at in range(len(confusion.labels))]
    found = []
    for at, (label, row) in enumerate(zip(confusion.labels, confusion.counts, strict=True)):
        if n := sum(row):
            low, high = wilson(row[at], n)
            right = row[at] / told[at] if told[at] else None
            found.append(ClassScore(label, n, row[at] / n, low, high, right))
    return found


def mistakes(confusion: Confusion, most: int = 5) -> list[Mistake]:
    """The most frequent ones."""
    found = [
        Mistake(confusion.labels[truth], confusion.labels[told], count)
        for truth, row in enumerate(confusion.counts)
        for told, count in enumerate(row)
        if truth != told and count
    ]
    return sorted(found, key=lambda each: -each.papers)[:most]


def comparable(one: Confusion, other: Confusion) -> bool:
    """Whether both tell the same papers apart: as many of each class."""
    return _sizes(one) == _sizes(other)


def wilson(hits: int, n: int) -> tuple[float, float]:
    """Where 95 % of what other papers of the class would give lie."""
    share, z2 = hits / n, _Z * _Z
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = _Z * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    return max(0.0, middle - half), min(1.0, middle + half)


def _sizes(confusion: Confusion) -> Sequence[tuple[str, int]]:
    rows = zip(confusion.labels, confusion.counts, strict=True)
    return sorted((label, sum(row)) for label, row in rows if sum(row))
