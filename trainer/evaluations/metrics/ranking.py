"""Ranking of judged candidates by distance, equal to SciDocs and trec_eval to the digit."""

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
from trainer.evaluations.base import TaskResult, Vectors
from trainer.evaluations.metrics.matrices import dense, euclidean_distances
from trainer.evaluations.metrics.significance import Items

# By query: ids of the candidates and their relevance, 0 for irrelevant.
Qrels = Mapping[str, Sequence[tuple[str, int]]]

# Relevant ones count as not retrieved.
UNSEEN = "candidates without a vector, ranked last or not at all"


class RankingScores(NamedTuple):
    """Average precision and nDCG of one query over its full list, 0 to 1."""

    average_precision: float
    ndcg: float


@dataclass(frozen=True)
class Ranking:
    """Scores by query, and the reason for each of the `dropped` queries, which have no score.

    `unseen` counts candidates without a vector.
    """

    queries: Mapping[str, RankingScores]
    dropped: Mapping[str, str]
    unseen: int = 0

    @property
    def mean(self) -> RankingScores:
        """MAP and mean nDCG over queries; NaN if there are none."""
        found = list(self.queries.values()) or [RankingScores(math.nan, math.nan)]
        return RankingScores(*map(float, np.mean(found, axis=0)))


@dataclass(frozen=True)
class RankedLists:
    """Ranking task of SciDocs (cite, co-cite, co-view, co-read) and Multi-SciDocs."""

    judged: Qrels

    def __call__(self, vectors: Vectors, queries: Vectors | None, seed: int) -> TaskResult:
        found = rank_by_distance(vectors, self.judged)
        if not found.queries:
            raise TrainerError(
                f"None of the {len(self.judged):,} queries can be ranked.",
                "Check that the queries and candidates have vectors with these IDs.",
            )
        ids, scores = list(found.queries), np.array(list(found.queries.values()))
        return TaskResult.of(
            {"map": Items(ids, scores[:, 0]), "ndcg": Items(ids, scores[:, 1])},
            seed=seed,
            excluded=Counter(found.dropped.values()) | {UNSEEN: found.unseen},
        )


def rank_by_distance(vectors: Vectors, judged: Qrels) -> Ranking:
    """Rank each query's candidates by Euclidean distance, as SciDocs does.

    A candidate with an empty vector is ranked last; a missing one is not ranked, and counts as not
    retrieved if relevant. A query without a vector, or with all candidates missing, is dropped.
    Pass vectors as the model returns them: at unit length, many distances tie at the 5 decimals
    that SciDocs keeps.
    """
    queries: dict[str, RankingScores] = {}
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


def rank_by_score(scores: Mapping[str, float], relevance: Mapping[str, int]) -> RankingScores:
    """Average precision and nDCG of one query; among equal scores the higher id comes first."""
    gains = [relevance.get(paper, 0) for paper in trec_order(scores)]
    relevant = [gain for gain in relevance.values() if gain > 0]
    return RankingScores(average_precision(gains, len(relevant)), ndcg(gains, relevant))


def trec_order(scores: Mapping[str, float]) -> list[str]:
    """Ids by descending score; among equals the higher id comes first.

    Like trec_eval, which stores scores in single precision.
    """
    single = np.array(list(scores.values()), np.float32).tolist()
    return [paper for _, paper in sorted(zip(single, scores, strict=True), reverse=True)]


def average_precision(gains: Sequence[int], relevant: int) -> float:
    """Average precision; `relevant` counts all relevant items, listed or not."""
    hits = np.asarray(gains) > 0
    precision = np.cumsum(hits) / np.arange(1, len(hits) + 1)
    return float(precision[hits].sum() / relevant) if relevant else 0.0


def ndcg(gains: ArrayLike, relevant: ArrayLike, depth: int | None = None) -> float:
    """nDCG: discounted `gains` divided by those of the ideal order of all `relevant` gains.

    Both are cut at `depth`, if given.
    """
    ideal = _discounted(np.sort(np.asarray(relevant, np.float64))[::-1][:depth])
    return _discounted(np.asarray(gains, np.float64)[:depth]) / ideal if ideal else 0.0


def _discounted(gains: NDArray[np.float64]) -> float:
    return float((gains / np.log2(np.arange(2, len(gains) + 2))).sum())


def _closeness(vectors: Vectors, query: str, candidates: Sequence[str]) -> dict[str, float]:
    """Negative distance of each candidate that is not missing, rounded as in SciDocs."""
    centre = dense(vectors.matrix[vectors.rows([query])])[0].astype(np.float64)
    rows = vectors.rows(candidates)
    far = euclidean_distances(centre, vectors.matrix[rows[rows >= 0]])
    scores = dict.fromkeys((paper for paper in candidates if paper in vectors.empty), -math.inf)
    known = (paper for paper, row in zip(candidates, rows, strict=True) if row >= 0)
    return scores | dict(zip(known, np.round(-far, 5).tolist(), strict=True))
