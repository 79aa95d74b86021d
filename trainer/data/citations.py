"""Going through a citation graph that is larger than what memory should hold at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from trainer.data.columns import Csr

# Citations looked at together.
CHUNK = 4_000_000


def chunks(ends: NDArray[np.int64], most: int) -> Iterator[tuple[int, int]]:
    """Ranges of entries that weigh `most` at most (or are one); `ends` [n] adds up the weights."""
    start = 0
    while start < len(ends):
        before = int(ends[start - 1]) if start else 0
        stop = max(int(np.searchsorted(ends, before + most, side="right")), start + 1)
        yield start, stop
        start = stop


def gathered(
    graph: Csr, papers: NDArray[np.integer]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The lists of these papers one after the other: each entry's place in `papers`, the entry."""
    starts = graph.indptr[papers]
    counts = graph.indptr[papers + 1] - starts
    places = np.repeat(np.arange(len(papers)), counts)
    before = np.cumsum(counts) - counts
    return places, graph.indices[np.arange(len(places)) + (starts - before)[places]]


def within(graph: Csr, rows: NDArray[np.integer]) -> tuple[Csr, int]:
    """Citations among `rows` (ascending), by their places there; and how many have one end there.

    Needs the memory of the citations it keeps, and a few bytes a paper.
    """
    places = np.full(len(graph), -1, dtype=np.int32)
    places[rows] = np.arange(len(rows), dtype=np.int32)
    # Larger than what is kept, but memory that is never written is never taken.
    indices = np.empty(len(graph.indices), dtype=np.int32)
    counts = np.zeros(len(graph), dtype=np.int64)
    kept = crossing = 0
    for first, last in chunks(graph.indptr[1:], CHUNK):
        cited = places[graph.indices[graph.indptr[first] : graph.indptr[last]]]
        citing = np.repeat(np.arange(last - first), np.diff(graph.indptr[first : last + 1]))
        ours, theirs = (places[first:last] >= 0)[citing], cited >= 0
        both = ours & theirs
        crossing += int(np.count_nonzero(ours ^ theirs))
        counts[first:last] = np.bincount(citing[both], minlength=last - first)
        found = cited[both]
        indices[kept : kept + len(found)] = found
        kept += len(found)
    return Csr(np.concatenate([[0], np.cumsum(counts[rows])]), indices[:kept]), crossing


def are_cited(
    graph: Csr, citing: NDArray[np.integer], others: NDArray[np.integer]
) -> NDArray[np.bool_]:
    """Which of the others each paper cites or is, [citing, others]."""
    places, cited = gathered(graph, citing)
    order = np.argsort(others, kind="stable")
    first, last = (np.searchsorted(others[order], cited, side) for side in ("left", "right"))
    found: NDArray[np.bool_] = others == citing[:, None]
    for place, begin, end in zip(places, first, last, strict=True):
        found[place, order[begin:end]] = True
    return found
