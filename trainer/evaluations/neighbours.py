"""Are the nearest papers of a library of the same venue or field, or cited? Precision at ten."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from trainer.contract.errors import TrainerError
from trainer.contract.report import NO_VECTOR
from trainer.evaluations.base import Matrix, Outcome, Vectors
from trainer.evaluations.intervals import Items
from trainer.evaluations.matrices import product_blocks, unit_length


@dataclass(frozen=True)
class Neighbours:
    """How many of a paper's ten nearest are akin to it.

    Among a "group", `akin` names what a paper belongs to, and who shares a name is akin; papers
    without any are left out. Among "links" it names ids that the paper cites, which are sought
    among all papers; a paper that cites none of them is not asked for, but may be found.
    """

    akin: Mapping[str, Collection[str]]
    among: Literal["group", "links"] = "group"
    depth: int = 10

    def __call__(self, vectors: Vectors, queries: Vectors | None, seed: int) -> Outcome:
        seen = [paper for paper in self.akin if vectors.rows([paper])[0] >= 0]
        related = {paper: self._related(paper, vectors) for paper in seen}
        ids = seen if self.among == "links" else [paper for paper in seen if related[paper]]
        asked = np.array([bool(related[paper]) for paper in ids], bool)
        if len(ids) < 2 or not asked.any():
            raise TrainerError(
                f"Too few of the {len(seen):,} papers with vectors share a venue, a field or a "
                "citation.",
                "Give more papers with venues, fields or citations among them.",
            )
        near = nearest(vectors.matrix[vectors.rows(ids)], self.depth)[asked]
        queried = [paper for paper, ask in zip(ids, asked, strict=True) if ask]
        precision = [
            np.mean([self._is_akin(related, paper, ids[row]) for row in rows])
            for paper, rows in zip(queried, near, strict=True)
        ]
        return Outcome.of(
            {f"precision@{self.depth}": Items(queried, np.array(precision))},
            seed=seed,
            excluded={
                NO_VECTOR: len(self.akin) - len(seen),
                "papers without venue, field or citation": len(seen) - len(queried),
            },
        )

    def _related(self, paper: str, vectors: Vectors) -> frozenset[str]:
        names = frozenset(self.akin[paper])
        if self.among == "group":
            return names
        there = (name for name in names if name in self.akin and vectors.rows([name])[0] >= 0)
        return frozenset(there) - {paper}

    def _is_akin(self, related: Mapping[str, frozenset[str]], paper: str, other: str) -> bool:
        if self.among == "links":
            return other in related[paper]
        return not related[paper].isdisjoint(related[other])


def nearest(vectors: Matrix, count: int) -> NDArray[np.int64]:
    """Rows of the most similar others of each row by cosine, best first: [rows, count].

    Of equals the later row comes first. There are fewer where there are fewer others.
    """
    rows = unit_length(vectors.astype(np.float32, copy=False))
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
