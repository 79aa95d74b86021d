"""Classification of pairs of papers by their similarity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse

from trainer.contract.errors import TrainerError
from trainer.evaluations.base import Matrix, TaskResult, Vectors
from trainer.evaluations.metrics.matrices import l2_normalize, row_products
from trainer.evaluations.metrics.significance import Items
from trainer.evaluations.plots import distributions, threshold_curves

_AT_ONCE = 16_384
_MANY = 1_000_000


class BestThreshold(NamedTuple):
    """Accuracy of classifying pairs with a score of `threshold` or more as positive."""

    accuracy: float
    threshold: float


class Separation(NamedTuple):
    """Average precision, and AUC: the probability that a positive outscores a negative pair."""

    average_precision: float
    auc: float


def cosine(one: ArrayLike | Matrix, other: ArrayLike | Matrix) -> NDArray[np.floating]:
    """Cosine similarity of each row of `one` [pairs, dim] with the same row of `other`."""
    sides = [side if issparse(side) else np.asarray(side) for side in (one, other)]
    return row_products(*map(l2_normalize, sides))


def best_threshold(scores: ArrayLike, belongs: ArrayLike) -> BestThreshold:
    """Find the threshold of highest accuracy, the lowest of equals.

    Thresholds lie midway between scores; at -inf all pairs are positive, at inf none.
    """
    taken, belonging_taken, lowest = _cuts(scores, belongs)
    pairs, belonging = taken[-1], belonging_taken[-1]
    # True positives plus true negatives.
    right = belonging_taken + (pairs - belonging) - (taken - belonging_taken)
    thresholds = (lowest + np.append(lowest[1:], -np.inf)) / 2
    best = len(right) - 1 - int(right[::-1].argmax())
    return BestThreshold(float(right[best] / pairs), float(thresholds[best]))


def separation_of_sorted(
    belonging: NDArray[np.floating], others: NDArray[np.floating]
) -> Separation:
    """Average precision and AUC from the ascending scores of positive and of negative pairs.

    Equal scores share one threshold. NaN if there are no positives or no negatives. For very many
    pairs: the positives are located among the negatives by binary search, in blocks.
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
    """Insertion points of the sorted `part`; only the range between its ends is searched."""
    low, high = np.searchsorted(rising, part[[0, -1]], side)
    found: NDArray[np.int64] = low + np.searchsorted(rising[low:high], part, side)
    return found


def _cuts(
    scores: ArrayLike, belongs: ArrayLike
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Cumulative counts by falling threshold: all pairs, the positives, and the lowest score.

    The first entry is no pair (score inf); equal scores share an entry. Raises ValueError if there
    are no pairs.
    """
    scores, belongs = np.asarray(scores), np.asarray(belongs, bool)
    if not len(scores):
        raise ValueError("The task has no pairs.")
    order = np.argsort(-scores, kind="stable")
    falling = scores[order]
    last = np.append(np.flatnonzero(np.diff(falling)), len(falling) - 1)
    belonging = np.cumsum(belongs[order])[last]
    lowest = np.append(np.inf, falling[last]).astype(np.float64)
    return np.append(0, last + 1), np.append(0, belonging), lowest


class LabelledPair(NamedTuple):
    """Ids of two papers; `belongs` is the class of the pair."""

    one: str
    other: str
    belongs: bool


@dataclass(frozen=True)
class CosineAccuracy:
    """PhysBERT's citation task: accuracy of cosine similarity at the best threshold.

    The paper's pairs are balanced. With unbalanced pairs, predicting the majority class already
    scores high.
    """

    pairs: Sequence[LabelledPair]

    def __call__(self, vectors: Vectors, queries: Vectors | None, seed: int) -> TaskResult:
        one, other = ([pair.one for pair in self.pairs], [pair.other for pair in self.pairs])
        places = np.stack([vectors.rows(one), vectors.rows(other)])
        known = np.flatnonzero((places >= 0).all(0))
        belongs = np.array([self.pairs[row].belongs for row in known.tolist()], bool)
        if len(np.unique(belongs)) < 2:
            raise TrainerError(
                f"Of {len(self.pairs):,} pairs, {len(known):,} have vectors, and all of these "
                "belong to one class.",
                "Add both related and unrelated pairs with vectors.",
            )
        scores = _cosines(vectors.matrix, *places[:, known])
        best = best_threshold(scores, belongs)
        # Numbered, since a pair may be given twice.
        ids = [f"{row} {one[row]} {other[row]}" for row in known.tolist()]
        return TaskResult.of(
            {"cosine_accuracy": Items(ids, (scores >= best.threshold) == belongs)},
            seed=seed,
            excluded={"pairs without two vectors": len(self.pairs) - len(known)},
            pictures={
                "curves": threshold_curves(scores, belongs),
                "distributions": distributions(
                    {"related": scores[belongs], "unrelated": scores[~belongs]}
                ),
            },
        )


def _cosines(
    matrix: Matrix, one: NDArray[np.int64], other: NDArray[np.int64]
) -> NDArray[np.floating]:
    """Cosine similarity of pairs of rows, in blocks to bound memory."""
    parts = range(0, len(one), _AT_ONCE)
    rows = [(one[start : start + _AT_ONCE], other[start : start + _AT_ONCE]) for start in parts]
    return np.concatenate([cosine(matrix[here], matrix[there]) for here, there in rows])
