"""MIReAD's retrieval task: Pearson correlation of all pairs of a field, by shared category."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trainer.contract.errors import TrainerError
from trainer.contract.report import NO_VECTOR
from trainer.evaluations.base import Matrix, TaskResult, Vectors
from trainer.evaluations.metrics.matrices import products, row_products
from trainer.evaluations.metrics.pairs import separation_of_sorted
from trainer.evaluations.metrics.significance import Items
from trainer.evaluations.plots import curves_from_counts, distributions

CONSTANT = "papers with a constant vector, for which correlations are undefined"
NO_CATEGORY = "papers without a category"

# Pairs per block: 16 MB of float32, and temporarily a few times that.
_AT_ONCE = 4_000_000
# Bins of the histogram of correlations (range 2), used for intervals and plots only.
_BINS = 1 << 16
_DRAWN = 20_000

Floats = NDArray[np.float32]


def inside_field(
    categories: Mapping[str, Collection[str]], field: str
) -> dict[str, Collection[str]]:
    """Papers whose categories all belong to `field`, such as "cs" for cs.LG and cs.CV."""
    return {
        paper: all_of_it
        for paper, all_of_it in categories.items()
        if {category.split(".")[0] for category in all_of_it} == {field}
    }


class CorrelationRows(NamedTuple):
    """Rows whose dot products, minus those of `shifts`, are their Pearson correlations."""

    scaled: Matrix
    shifts: NDArray[np.float64]
    constant: NDArray[np.bool_]

    @classmethod
    def of(cls, vectors: Matrix) -> CorrelationRows:
        """Center dense vectors; keep sparse ones sparse and correct by a shift instead."""
        means = np.asarray(vectors.mean(axis=1), np.float64).ravel()
        if isinstance(vectors, np.ndarray):
            centred = vectors - means[:, None].astype(np.result_type(vectors.dtype, np.float32))
            spread = np.sqrt(row_products(centred, centred))
            # A constant vector leaves only rounding error after centering.
            constant = spread <= 1e-6 * np.abs(means) * np.sqrt(vectors.shape[1])
            scaled = centred / np.where(constant, 1, spread)[:, None]
            return cls(scaled, np.zeros(len(means)), constant)
        dim = vectors.shape[1]
        squares = row_products(vectors, vectors) - dim * means**2
        constant = squares <= 1e-12 * dim * means**2
        spread = np.sqrt(np.where(constant, 1, squares))
        shifts = np.sqrt(dim) * means / spread
        return cls(vectors.multiply(1 / spread[:, None]).tocsr(), shifts, constant)

    def correlations(self, start: int, stop: int) -> Floats:
        """Correlations of these rows with themselves and all later rows."""
        found = products(self.scaled[start:stop], self.scaled[start:])
        if self.shifts.any():
            found = found - np.outer(self.shifts[start:stop], self.shifts[start:])
        return found.astype(np.float32, copy=False)


class CorrelationBlock(NamedTuple):
    """Correlations of the rows from `start` with all rows from `start`.

    `kind` is 0 for pairs without a common category, 1 for pairs with one, and 2 for pairs to skip
    (the diagonal and the lower triangle).
    """

    start: int
    scores: Floats
    kind: NDArray[np.uint8]


@dataclass(frozen=True)
class AllPairs:
    """Every pair of papers; `member` [papers, categories] is 1 where a paper is in a category."""

    rows: CorrelationRows
    member: Floats

    @classmethod
    def of(cls, vectors: Matrix, categories: Sequence[Collection[str]]) -> AllPairs:
        names = {name: place for place, name in enumerate(sorted(set().union(*categories)))}
        member = np.zeros((len(categories), len(names)), np.float32)
        for row, some in enumerate(categories):
            member[row, [names[name] for name in some]] = 1
        return cls(CorrelationRows.of(vectors), member)

    def blocks(self) -> Iterator[CorrelationBlock]:
        papers, start = len(self.member), 0
        while start < papers - 1:
            stop = min(papers, start + max(1, _AT_ONCE // (papers - start)))
            shared = self.member[start:stop] @ self.member[start:].T
            kind = (shared > 0).astype(np.uint8)
            kind[np.tril_indices(stop - start)] = 2
            yield CorrelationBlock(start, self.rows.correlations(start, stop), kind)
            start = stop

    def sorted_scores(self) -> tuple[Floats, Floats]:
        """Ascending correlations of the pairs that share a category, and of the others.

        Takes 4 bytes per pair, without further allocations of that size.
        """
        papers = len(self.member)
        scores = np.empty(papers * (papers - 1) // 2, np.float32)
        first, last = 0, len(scores)
        for block in self.blocks():
            found, rest = (block.scores[block.kind == kind] for kind in (1, 0))
            scores[first : first + len(found)] = found
            scores[last - len(rest) : last] = rest
            first, last = first + len(found), last - len(rest)
        belonging, others = scores[:first], scores[first:]
        belonging.sort()
        others.sort()
        return belonging, others

    def influences(self, belonging: Floats, others: Floats) -> NDArray[np.float64]:
        """Influence of each paper on average precision and AUC, over all its pairs: [papers, 2]."""
        tables = _derivatives(_histogram(belonging), _histogram(others)).astype(np.float32)
        added = np.zeros((len(self.member), 2))
        for start, scores, kind in self.blocks():
            places = _bins(scores) + kind.astype(np.int64) * _BINS
            for metric, table in enumerate(tables):
                found = table.take(places)
                added[start : start + len(found), metric] += found.sum(1, dtype=np.float64)
                added[start:, metric] += found.sum(0, dtype=np.float64)
        centred: NDArray[np.float64] = (added - added.mean(0)) * len(self.member)
        return centred


@dataclass(frozen=True)
class PearsonPairs:
    """Average precision and AUC over all pairs of the papers of one field."""

    categories: Mapping[str, Collection[str]]

    def __call__(self, vectors: Vectors, queries: Vectors | None, seed: int) -> TaskResult:
        named = {paper: some for paper, some in self.categories.items() if some}
        seen = {paper: some for paper, some in named.items() if vectors.rows([paper])[0] >= 0}
        rows = vectors.rows(list(seen))
        varied = ~CorrelationRows.of(vectors.matrix[rows]).constant
        ids = [paper for paper, kept in zip(seen, varied, strict=True) if kept]
        pairs = AllPairs.of(vectors.matrix[rows[varied]], [seen[paper] for paper in ids])
        belonging, others = pairs.sorted_scores()
        _check(len(ids), belonging, others)
        found = separation_of_sorted(belonging, others)
        added = pairs.influences(belonging, others) + found
        return TaskResult.of(
            {"ap": Items(ids, added[:, 0]), "auc": Items(ids, added[:, 1])},
            seed=seed,
            excluded={
                NO_CATEGORY: len(self.categories) - len(named),
                NO_VECTOR: len(named) - len(seen),
                CONSTANT: len(seen) - len(ids),
            },
            pictures=_pictures(belonging, others),
        )


def _check(papers: int, belonging: Floats, others: Floats) -> None:
    if not len(belonging) or not len(others):
        which = "all pairs share" if len(belonging) else "no pair shares"
        raise TrainerError(
            f"Of {papers:,} papers with vectors and categories, {which} a category.",
            "Add papers of several categories, with several papers in some of them.",
        )


def _bins(scores: Floats) -> NDArray[np.int64]:
    places: NDArray[np.int64] = ((scores + 1) * (_BINS / 2)).astype(np.int64)
    return np.clip(places, 0, _BINS - 1, out=places)


def _histogram(rising: Floats) -> NDArray[np.float64]:
    edges = np.arange(1, _BINS, dtype=np.float64) * (2 / _BINS) - 1
    below = np.searchsorted(rising, edges.astype(np.float32))
    return np.diff(below, prepend=0, append=len(rising)).astype(np.float64)


def _derivatives(
    belonging: NDArray[np.float64], others: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Derivative of average precision and of AUC by the number of pairs in each bin.

    Returns [2, 3 * bins]: negative pairs, positive pairs, skipped pairs.
    """
    hits, wrong = (np.cumsum(counts[::-1])[::-1] for counts in (belonging, others))
    taken = np.maximum(hits + wrong, 1)
    precision = (belonging * hits / taken).sum() / hits[0]
    better = np.cumsum(belonging * wrong / taken**2)
    worse = np.cumsum(belonging * hits / taken**2)
    outscored = (wrong[0] - wrong + others / 2) / wrong[0]
    outscoring = (hits - belonging / 2) / hits[0]
    area = (belonging * outscored).sum() / hits[0]
    nothing = np.zeros_like(belonging)
    return np.stack(
        [
            np.concatenate([-worse, hits / taken - precision + better, nothing]) / hits[0],
            np.concatenate([(outscoring - area) / wrong[0], (outscored - area) / hits[0], nothing]),
        ]
    )


def _pictures(belonging: Floats, others: Floats) -> dict[str, object]:
    hits, wrong = (np.cumsum(_histogram(some)[::-1]).astype(int) for some in (belonging, others))
    some, rest = (each[:: max(1, len(each) // _DRAWN)] for each in (belonging, others))
    return {
        "curves": curves_from_counts(
            hits, hits + wrong, len(others), "Pairs with a shared category"
        ),
        "distributions": distributions(
            {"shared category": some, "no shared category": rest}, axis="Pearson correlation"
        ),
    }
