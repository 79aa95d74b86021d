"""How well similarity tells pairs that belong together from pairs that do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse

from trainer.contract.errors import TrainerError
from trainer.evaluations.base import Matrix, Outcome, Vectors
from trainer.evaluations.intervals import Items
from trainer.evaluations.matrices import row_products, unit_length
from trainer.evaluations.pictures import curves, distributions

_AT_ONCE = 16_384
_MANY = 1_000_000


class BestThreshold(NamedTuple):
    """The share of pairs told right when those belong together that score `threshold` or more."""

    accuracy: float
    threshold: float


class Separation(NamedTuple):
    """Average precision, and the chance that a pair that belongs outscores one that does not."""

    average_precision: float
    auc: float


def cosine(one: ArrayLike | Matrix, other: ArrayLike | Matrix) -> NDArray[np.floating]:
    """The cosine similarity of each row of `one` [pairs, dim] with the same row of `other`."""
    sides = [side if issparse(side) else np.asarray(side) for side in (one, other)]
    return row_products(*map(unit_length, sides))


def best_threshold(scores: ArrayLike, belongs: ArrayLike) -> BestThreshold:
    """The best accuracy that any threshold gives, all or none of the pairs among them.

    Pairs of equal score fall on one side. Thresholds lie midway between scores; of equally good
    ones it is the lowest: at -inf all pairs count as belonging, at inf none.
    """
    taken, belonging_taken, lowest = _cuts(scores, belongs)
    pairs, belonging = taken[-1], belonging_taken[-1]
    # Those that belong and are taken, and those that do neither.
    right = belonging_taken + (pairs - belonging) - (taken - belonging_taken)
    thresholds = (lowest + np.append(lowest[1:], -np.inf)) / 2
    best = len(right) - 1 - int(right[::-1].argmax())
    return BestThreshold(float(right[best] / pairs), float(thresholds[best]))


def separation_of_sorted(
    belonging: NDArray[np.floating], others: NDArray[np.floating]
) -> Separation:
    """Both, from the rising scores of pairs that belong and of those that do not.

    Pairs of equal score are met together. NaN where all or none belong. There may be very many:
    only places of the former among the latter are looked up, by parts.
    """
    pairs, rest = len(belonging), len(others)
    if not pairs or not rest:
        return Separation(float("nan"), float("nan"))
    precision = outscored = 0.0
    for start in range(0, pairs, _MANY):
        part = belonging[start : start + _MANY]
        as_good = pairs - _places(belonging, part, "left")
        below, not_above = (_places(others, part, side) for side in ("left", "right"))
        precision += float((as_good / (as_good + rest - below)).sum())
        outscored += float((below + not_above).sum()) / 2
    return Separation(precision / pairs, outscored / pairs / rest)


def _places(
    rising: NDArray[np.floating], part: NDArray[np.floating], side: Literal["left", "right"]
) -> NDArray[np.int64]:
    """Where a rising part belongs; only what lies between its ends is searched for each."""
    low, high = np.searchsorted(rising, part[[0, -1]], side)
    found: NDArray[np.int64] = low + np.searchsorted(rising[low:high], part, side)
    return found


def _cuts(
    scores: ArrayLike, belongs: ArrayLike
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """How many pairs are taken, from none to all by falling score, equals together; how many of
    them belong; and the lowest score taken (inf of none). Raises ValueError without any pair."""
    scores, belongs = np.asarray(scores), np.asarray(belongs, bool)
    if not len(scores):
        raise ValueError("There are no pairs.")
    order = np.argsort(-scores, kind="stable")
    falling = scores[order]
    last = np.append(np.flatnonzero(np.diff(falling)), len(falling) - 1)
    belonging = np.cumsum(belongs[order])[last]
    lowest = np.append(np.inf, falling[last]).astype(np.float64)
    return np.append(0, last + 1), np.append(0, belonging), lowest


class Pair(NamedTuple):
    """Ids of two papers, and whether they belong together."""

    one: str
    other: str
    belongs: bool


@dataclass(frozen=True)
class CosineAccuracy:
    """PhysBERT's citation task: the share of pairs told right at the threshold that tells most.

    The paper's pairs are balanced; where most pairs are of one kind, to name it always is right
    mostly, too.
    """

    pairs: Sequence[Pair]

    def __call__(self, vectors: Vectors, queries: Vectors | None, seed: int) -> Outcome:
        one, other = ([pair.one for pair in self.pairs], [pair.other for pair in self.pairs])
        places = np.stack([vectors.rows(one), vectors.rows(other)])
        known = np.flatnonzero((places >= 0).all(0))
        belongs = np.array([self.pairs[row].belongs for row in known.tolist()], bool)
        if len(np.unique(belongs)) < 2:
            raise TrainerError(
                f"Of {len(self.pairs):,} pairs, {len(known):,} have vectors, and all are alike.",
                "Give pairs that belong together and pairs that do not, with vectors of both.",
            )
        scores = _cosines(vectors.matrix, *places[:, known])
        best = best_threshold(scores, belongs)
        # Numbered, since a pair may be given twice.
        ids = [f"{row} {one[row]} {other[row]}" for row in known.tolist()]
        return Outcome.of(
            {"cosine_accuracy": Items(ids, (scores >= best.threshold) == belongs)},
            seed=seed,
            excluded={"pairs without vectors of both": len(self.pairs) - len(known)},
            pictures={
                "curves": curves(scores, belongs),
                "distributions": distributions(
                    {"belong together": scores[belongs], "do not": scores[~belongs]}
                ),
            },
        )


def _cosines(
    matrix: Matrix, one: NDArray[np.int64], other: NDArray[np.int64]
) -> NDArray[np.floating]:
    """Of many pairs of rows, without all rows of all pairs in memory."""
    parts = range(0, len(one), _AT_ONCE)
    rows = [(one[start : start + _AT_ONCE], other[start : start + _AT_ONCE]) for start in parts]
    return np.concatenate([cosine(matrix[here], matrix[there]) for here, there in rows])
