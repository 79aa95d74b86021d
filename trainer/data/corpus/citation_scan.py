"""Scans of a citation graph that is too large for memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from trainer.data.corpus.columns import Csr

# Citations processed at once.
CHUNK = 4_000_000


def chunks(ends: NDArray[np.int64], most: int) -> Iterator[tuple[int, int]]:
    """Divide entries into ranges of at most `most` in weight (or one entry); `ends` [n] are the
    cumulated weights."""
    start = 0
    while start < len(ends):
        before = int(ends[start - 1]) if start else 0
        stop = max(int(np.searchsorted(ends, before + most, side="right")), start + 1)
        yield start, stop
        start = stop


def gathered(
    graph: Csr, papers: NDArray[np.integer]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the concatenated lists of these papers: each entry's index in `papers`, and the
    entry."""
    starts = graph.indptr[papers]
    counts = graph.indptr[papers + 1] - starts
    places = np.repeat(np.arange(len(papers)), counts)
    before = np.cumsum(counts) - counts
    return places, graph.indices[np.arange(len(places)) + (starts - before)[places]]


def within(graph: Csr, rows: NDArray[np.integer]) -> tuple[Csr, int]:
    """Return the citations among `rows` (ascending), as indices into these; and the number with one
    end among them.

    Needs memory for the citations it keeps, and a few bytes per paper.
    """
    places = np.full(len(graph), -1, dtype=np.int32)
    places[rows] = np.arange(len(rows), dtype=np.int32)
    # Larger than needed, but memory pages that are never written are not allocated.
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
    """Return whether each citing paper cites or is each of the others, [citing, others]."""
    places, cited = gathered(graph, citing)
    order = np.argsort(others, kind="stable")
    first, last = (np.searchsorted(others[order], cited, side) for side in ("left", "right"))
    found: NDArray[np.bool_] = others == citing[:, None]
    for place, begin, end in zip(places, first, last, strict=True):
        found[place, order[begin:end]] = True
    return found
