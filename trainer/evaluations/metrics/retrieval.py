"""Retrieval of relevant documents among all documents: nDCG and recall."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trainer.contract.errors import TrainerError
from trainer.contract.report import NO_VECTOR, NOTHING_RELEVANT, QUERY_WITHOUT_VECTOR
from trainer.evaluations.base import Matrix, Similarity, TaskResult, Vectors
from trainer.evaluations.metrics.matrices import l2_normalize, product_blocks
from trainer.evaluations.metrics.ranking import ndcg
from trainer.evaluations.metrics.significance import Items

# The rank of a document without a vector.
_NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True)
class JudgedQueries:
    """Retrieval task: typed queries, all `documents`, and relevance grades (0: irrelevant).

    A relevant document without a vector counts as not retrieved.
    """

    judged: Mapping[str, Mapping[str, int]]
    documents: Sequence[str]

    def __call__(self, vectors: Vectors, queries: Vectors | None, seed: int) -> TaskResult:
        asked = queries or vectors
        wanted = {
            query: {paper: grade for paper, grade in grades.items() if grade > 0}
            for query, grades in self.judged.items()
        }
        answerable = [query for query, grades in wanted.items() if grades]
        rows = asked.rows(answerable)
        ids = [query for query, row in zip(answerable, rows, strict=True) if row >= 0]
        # Among equally similar documents the higher id comes first, as in trec_eval.
        found = [paper for paper in sorted(self.documents) if vectors.rows([paper])[0] >= 0]
        if not ids or not found:
            raise TrainerError(
                f"None of the {len(answerable):,} queries can be evaluated with the "
                f"{len(found):,} documents that have vectors.",
                "Check that the queries and documents have vectors with these IDs.",
            )
        places = {paper: place for place, paper in enumerate(found)}
        grades = [list(wanted[query].values()) for query in ids]
        ranks = _with_lost(
            asked.matrix[rows[rows >= 0]],
            vectors.matrix[vectors.rows(found)],
            [[places.get(paper, -1) for paper in wanted[query]] for query in ids],
            vectors.by,
        )
        return TaskResult.of(
            {
                "ndcg@10": Items(ids, ndcg_at(ranks, 10, grades)),
                "recall@100": Items(ids, recall_at(ranks, 100)),
            },
            seed=seed,
            excluded={
                NOTHING_RELEVANT: len(wanted) - len(answerable),
                QUERY_WITHOUT_VECTOR: len(answerable) - len(ids),
                NO_VECTOR: len(self.documents) - len(found),
            },
        )


def _with_lost(
    queries: Matrix, documents: Matrix, relevant: Sequence[Sequence[int]], by: Similarity
) -> list[NDArray[np.int64]]:
    """Like `relevant_ranks`; documents of row -1 get the rank `_NEVER`."""
    rows = [np.array(some, np.int64) for some in relevant]
    ranks = [np.full(len(some), _NEVER) for some in rows]
    known = relevant_ranks(queries, documents, [some[some >= 0] for some in rows], by=by)
    for rank, some, found in zip(ranks, rows, known, strict=True):
        rank[some >= 0] = found
    return ranks


def relevant_ranks(
    queries: Matrix,
    documents: Matrix,
    relevant: Sequence[ArrayLike],
    *,
    by: Similarity = "cosine",
) -> list[NDArray[np.int64]]:
    """Ranks, from 1, of each query's relevant documents among all documents, by similarity.

    `relevant` holds the document rows of each query. Among equal similarities the later row comes
    first, so documents sorted by id rank as in trec_eval. Memory does not grow with queries.
    """
    queries, documents = (some.astype(np.float32, copy=False) for some in (queries, documents))
    if by == "cosine":
        queries, documents = l2_normalize(queries), l2_normalize(documents)
    found: list[NDArray[np.int64]] = []
    for start, scores in product_blocks(queries, documents):
        some = relevant[start : start + len(scores)]
        found += _ranks(scores, [np.asarray(rows, np.int64) for rows in some])
    return found


def _ranks(
    scores: NDArray[np.floating], wanted: Sequence[NDArray[np.int64]]
) -> list[NDArray[np.int64]]:
    """Ranks by counting the better documents, which is far cheaper than sorting."""
    ranks = [np.zeros(len(rows), np.int64) for rows in wanted]
    for at in range(max(map(len, wanted), default=0)):
        having = [query for query, rows in enumerate(wanted) if len(rows) > at]
        row = np.array([wanted[query][at] for query in having])
        some = scores if len(having) == len(scores) else scores[having]
        own = some[np.arange(len(row)), row][:, None]
        better = _count(some > own)
        ties = _count(some == own) > 1
        for place, query in enumerate(having):
            later = int((some[place, row[place] + 1 :] == own[place]).sum()) if ties[place] else 0
            ranks[query][at] = better[place] + later + 1
    return ranks


def _count(marks: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Count True per row; several times as fast row by row as along an axis."""
    return np.array([np.count_nonzero(row) for row in marks], np.int64)


def ndcg_at(
    ranks: Sequence[NDArray[np.int64]],
    depth: int = 10,
    grades: Sequence[Sequence[int]] | None = None,
) -> NDArray[np.float64]:
    """nDCG@`depth` of each query; 0 for a query without relevant documents.

    `grades` holds the relevance of each ranked document; 1 by default.
    """
    found = np.empty(len(ranks))
    for query, places in enumerate(ranks):
        worth = np.ones(len(places)) if grades is None else np.asarray(grades[query], float)
        gains = np.zeros(depth)
        gains[places[places <= depth] - 1] = worth[places <= depth]
        found[query] = ndcg(gains, worth, depth)
    return found


def recall_at(ranks: Sequence[NDArray[np.int64]], depth: int = 100) -> NDArray[np.float64]:
    """Recall@`depth` of each query; 0 for a query without relevant documents."""
    return np.array([float(np.mean(query <= depth)) if len(query) else 0.0 for query in ranks])
