"""How well a paper's vector ranks judged candidates, to the digit of SciDocs and trec_eval."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trainer.contract.errors import TrainerError
from trainer.contract.report import NO_CANDIDATES, QUERY_WITHOUT_VECTOR
from trainer.evaluations.base import Outcome, Vectors
from trainer.evaluations.intervals import Items
from trainer.evaluations.matrices import dense, distances

# A candidate's id and how relevant it is to the query; 0: not at all.
Judged = Mapping[str, Sequence[tuple[str, int]]]

# These still count: relevant ones as missed.
UNSEEN = "candidates without a vector, which are ranked last or not at all"


class Ranked(NamedTuple):
    """Average precision and nDCG of one query over its whole list, 0 to 1."""

    average_precision: float
    ndcg: float


@dataclass(frozen=True)
class Ranking:
    """Queries with their scores; `dropped` ones, with the reason, count for nothing.

    `unseen` counts candidates that have no vector.
    """

    queries: Mapping[str, Ranked]
    dropped: Mapping[str, str]
    unseen: int = 0

    @property
    def mean(self) -> Ranked:
        """The mean over queries, as MAP and nDCG. NaN where there are none."""
        found = list(self.queries.values()) or [Ranked(math.nan, math.nan)]
        return Ranked(*map(float, np.mean(found, axis=0)))


@dataclass(frozen=True)
class RankedLists:
    """SciDocs' cite, co-cite, co-view and co-read, and Multi-SciDocs'."""

    judged: Judged

    def __call__(self, vectors: Vectors, queries: Vectors | None, seed: int) -> Outcome:
        found = rank_by_distance(vectors, self.judged)
        if not found.queries:
            raise TrainerError(
                f"None of the {len(self.judged):,} queries can be ranked.",
                "Check that queries and candidates have vectors under these ids.",
            )
        ids, scores = list(found.queries), np.array(list(found.queries.values()))
        return Outcome.of(
            {"map": Items(ids, scores[:, 0]), "ndcg": Items(ids, scores[:, 1])},
            seed=seed,
            excluded=Counter(found.dropped.values()) | {UNSEEN: found.unseen},
        )


def rank_by_distance(vectors: Vectors, judged: Judged) -> Ranking:
    """Rank each query's candidates by Euclidean distance, as SciDocs does.

    A candidate whose vector is empty is ranked last; one that is missing is not ranked, but
    missed if it is relevant. A query without a vector, or whose candidates are all missing, is
    dropped. Give vectors as the model makes them: scaled to unit length, many tie at the 5
    decimals that SciDocs keeps of a distance.
    """
    queries: dict[str, Ranked] = {}
    dropped: dict[str, str] = {}
    unseen = 0
    for query, candidates in judged.items():
        relevance = dict(candidates)
        if vectors.rows([query])[0] < 0:
            dropped[query] = QUERY_WITHOUT_VECTOR
            continue
        scores = _closeness(vectors, query, list(relevance))
        unseen += len(relevance) - sum(map(math.isfinite, scores.values()))
        if scores:
            queries[query] = rank_by_score(scores, relevance)
        else:
            dropped[query] = NO_CANDIDATES
    return Ranking(queries, dropped, unseen)


def rank_by_score(scores: Mapping[str, float], relevance: Mapping[str, int]) -> Ranked:
    """The scores of one query's list: of equal scores, the higher id comes first."""
    gains = [relevance.get(paper, 0) for paper in trec_order(scores)]
    wanted = [gain for gain in relevance.values() if gain > 0]
    return Ranked(average_precision(gains, len(wanted)), ndcg(gains, wanted))


def trec_order(scores: Mapping[str, float]) -> list[str]:
    """Ids by score, best first; of equals, the higher id first.

    As trec_eval has it, which keeps scores in single precision.
    """
    single = np.array(list(scores.values()), np.float32).tolist()
    return [paper for _, paper in sorted(zip(single, scores, strict=True), reverse=True)]


def average_precision(gains: Sequence[int], relevant: int) -> float:
    """The mean precision at the places of `relevant` items, of which some may not be listed."""
    hits = np.asarray(gains) > 0
    precision = np.cumsum(hits) / np.arange(1, len(hits) + 1)
    return float(precision[hits].sum() / relevant) if relevant else 0.0


def ndcg(gains: ArrayLike, wanted: ArrayLike, depth: int | None = None) -> float:
    """Gains over log2(rank + 1), as a share of the best that the `wanted` gains allow.

    Both lists count down to `depth`, if given.
    """
    ideal = _discounted(np.sort(np.asarray(wanted, np.float64))[::-1][:depth])
    return _discounted(np.asarray(gains, np.float64)[:depth]) / ideal if ideal else 0.0


def _discounted(gains: NDArray[np.float64]) -> float:
    return float((gains / np.log2(np.arange(2, len(gains) + 2))).sum())


def _closeness(vectors: Vectors, query: str, candidates: Sequence[str]) -> dict[str, float]:
    """The negative distance of each that is not missing, as SciDocs rounds it."""
    centre = dense(vectors.matrix[vectors.rows([query])])[0].astype(np.float64)
    rows = vectors.rows(candidates)
    far = distances(centre, vectors.matrix[rows[rows >= 0]])
    scores = dict.fromkeys((paper for paper in candidates if paper in vectors.empty), -math.inf)
    known = (paper for paper, row in zip(candidates, rows, strict=True) if row >= 0)
    return scores | dict(zip(known, np.round(-far, 5).tolist(), strict=True))
