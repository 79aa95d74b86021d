"""Precision at 10 of nearest neighbors: same venue or field, or cited by the paper."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from trainer.contract.errors import TrainerError
from trainer.contract.report import NO_VECTOR
from trainer.evaluations.base import Matrix, TaskResult, Vectors
from trainer.evaluations.metrics.matrices import l2_normalize, product_blocks
from trainer.evaluations.metrics.significance import Items


@dataclass(frozen=True)
class NeighbourPrecision:
    """Share of a paper's ten nearest neighbors that are related to it.

    With relation "group", `related` holds the groups of each paper; papers that share a group are
    related, and papers without a group are left out. With "links" it holds the ids that each paper
    cites; all papers are candidates, and papers that cite none of them are no queries.
    """

    related: Mapping[str, Collection[str]]
    relation: Literal["group", "links"] = "group"
    depth: int = 10

    def __call__(self, vectors: Vectors, queries: Vectors | None, seed: int) -> TaskResult:
        seen = [paper for paper in self.related if vectors.rows([paper])[0] >= 0]
        related = {paper: self._related(paper, vectors) for paper in seen}
        ids = seen if self.relation == "links" else [paper for paper in seen if related[paper]]
        asked = np.array([bool(related[paper]) for paper in ids], bool)
        if len(ids) < 2 or not asked.any():
            raise TrainerError(
                f"Too few of the {len(seen):,} papers with vectors share a journal, field or "
                "citation.",
                "Add papers with journals, fields or citations among them.",
            )
        near = nearest(vectors.matrix[vectors.rows(ids)], self.depth)[asked]
        queried = [paper for paper, ask in zip(ids, asked, strict=True) if ask]
        precision = [
            np.mean([self._is_akin(related, paper, ids[row]) for row in rows])
            for paper, rows in zip(queried, near, strict=True)
        ]
        return TaskResult.of(
            {f"precision@{self.depth}": Items(queried, np.array(precision))},
            seed=seed,
            excluded={
                NO_VECTOR: len(self.related) - len(seen),
                "papers without a journal, field or citation": len(seen) - len(queried),
            },
        )

    def _related(self, paper: str, vectors: Vectors) -> frozenset[str]:
        names = frozenset(self.related[paper])
        if self.relation == "group":
            return names
        there = (name for name in names if name in self.related and vectors.rows([name])[0] >= 0)
        return frozenset(there) - {paper}

    def _is_akin(self, related: Mapping[str, frozenset[str]], paper: str, other: str) -> bool:
        if self.relation == "links":
            return other in related[paper]
        return not related[paper].isdisjoint(related[other])


def nearest(vectors: Matrix, count: int) -> NDArray[np.int64]:
    """Nearest other rows of each row by cosine similarity, best first: [rows, count].

    Among equals the later row comes first. `count` is capped at the number of other rows.
    """
    rows = l2_normalize(vectors.astype(np.float32, copy=False))
    size = rows.shape[0]
    count = min(count, size - 1)
    found = np.empty((size, count), np.int64)
    for start, scores in product_blocks(rows, rows):
        own = np.arange(len(scores))
        scores[own, start + own] = -np.inf
        best = np.sort(np.argpartition(scores, size - count, axis=1)[:, size - count :])
        order = np.argsort(scores[own[:, None], best], axis=1, kind="stable")[:, ::-1]
        found[start : start + len(best)] = np.take_along_axis(best, order, axis=1)
    return found
