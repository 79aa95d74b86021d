"""Similarity of candidates to the papers of a topic, and whether they fit it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Similarities = NDArray[Any]

# Similarity to a topic is the mean over this number of its nearest papers.
_NEAREST = 3
# Share of the topic's own papers that may be less similar to the others than a fitting candidate.
_OUTLIERS = 0.1
# With fewer papers than this there is no estimate of the spread.
_ENOUGH = 5


class TopicSimilarity(NamedTuple):
    """For each candidate: its similarity to the topic, the rows of the topic's most similar papers,
    best first, and whether it is as similar to them as they are to one another."""

    similarity: NDArray[np.float64]  # to the nearest one
    nearest: NDArray[np.int64]  # [candidates, up to 3]
    fits: NDArray[np.bool_]


def alike(
    to_members: Similarities, among_members: Similarities, floor: float = -np.inf
) -> TopicSimilarity:
    """Compute the similarity of candidates to a topic.

    `to_members` are the similarities of candidates to the topic's papers, [candidates, members],
    `among_members` those of its papers to one another. Candidates less similar than `floor` never
    fit.
    """
    nearest = _best(to_members, min(_NEAREST, to_members.shape[1]))
    best = np.take_along_axis(to_members, nearest, axis=1).astype(np.float64)
    return TopicSimilarity(best[:, 0], nearest, best.mean(1) >= max(floor, _least(among_members)))


def _least(among_members: Similarities) -> float:
    """Return the minimum similarity of a candidate that fits these papers."""
    if len(among_members) < _ENOUGH:
        return -np.inf
    others = among_members.astype(np.float64)
    np.fill_diagonal(others, -np.inf)
    own = np.take_along_axis(others, _best(others, _NEAREST), axis=1).mean(1)
    return float(np.quantile(own, _OUTLIERS))


def _best(similarities: Similarities, count: int) -> NDArray[np.int64]:
    """Return the columns of the `count` largest values of each row, the largest first."""
    best = np.argpartition(-similarities, count - 1, axis=1)[:, :count]
    order = np.argsort(-np.take_along_axis(similarities, best, axis=1), axis=1, kind="stable")
    return np.take_along_axis(best, order, axis=1)
