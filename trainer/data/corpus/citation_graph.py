"""Citation graphs that are too large for memory: built from files, and scanned in chunks.

Lines "citing <TAB> cited" of ids become lists of rows. Lines are resolved as they are read, sorted
in parts on disk, and only one part is in memory at a time.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trainer.data.corpus.columns import Csr, ListWriter, chunks
from trainer.data.corpus.ids import IdTable, hashes, padded

LONGEST_ID = 200
# Bytes processed at once.
PIECE = 4 << 20
_TAB, _NEWLINE, _RETURN = b"\t\n\r"
# Citations per part, if they are spread evenly.
_PART = 2 << 20
_MOST_PARTS = 256
_LOW = np.uint64(0xFFFFFFFF)


class TooLongError(Exception):
    """The line with this number is too long for a citation."""


class Lines(NamedTuple):
    """The offsets in `utf8` (padded) of the two ids of each line, on both sides of a tab.

    `wrong` are the numbers, from 1, of lines that are not two ids.
    """

    utf8: NDArray[np.uint8]
    starts: NDArray[np.int64]
    tabs: NDArray[np.int64]
    ends: NDArray[np.int64]
    wrong: NDArray[np.int64]


def lines(pieces: Iterable[bytes]) -> Iterator[Lines]:
    """Iterate over the lines of a file read in pieces, without the header "citing <TAB> cited".

    Raises TooLongError for a line longer than PIECE, as only a file of another kind has.
    """
    rest = b""
    number = 1
    for piece in pieces:
        whole, newline, rest = (rest + piece).rpartition(b"\n")
        if len(rest) >= PIECE:
            raise TooLongError(number + whole.count(b"\n") + bool(newline))
        if newline:
            found = _split(whole + newline, number)
            number += whole.count(b"\n") + 1
            yield found
    if rest:
        yield _split(rest + b"\n", number)


def _split(chunk: bytes, number: int) -> Lines:
    utf8 = padded(np.frombuffer(chunk, np.uint8))
    ends = np.flatnonzero(utf8 == _NEWLINE)
    starts = np.concatenate([[0], ends[:-1] + 1])
    ends = ends - (utf8[np.maximum(ends - 1, 0)] == _RETURN)
    all_tabs = np.append(np.flatnonzero(utf8 == _TAB), [len(utf8), len(utf8)])
    tab = np.searchsorted(all_tabs, starts)
    tabs, next_tabs = all_tabs[tab], all_tabs[tab + 1]
    good = (tabs > starts) & (tabs + 1 < ends)
    wrong = np.flatnonzero(~good & (ends > starts)) + number
    if number == 1 and len(starts) and chunk[: int(ends[0])].lower().startswith(b"citing\tcited"):
        good[0] = False
        wrong = wrong[wrong != 1]
    ends = np.minimum(ends, next_tabs)  # further columns are ignored
    return Lines(utf8, starts[good], tabs[good], ends[good], wrong)


class Graph:
    """Collects citations and writes them as one column of lists, in little memory.

    `counts` are the numbers of lines by outcome.
    """

    def __init__(self, table: IdTable, folder: Path, size: int) -> None:
        """`size` is the approximate number of bytes of all lines; `folder` is created for the
        parts."""
        self.counts: Counter[str] = Counter()
        self._table = table
        papers = len(table)
        self._folder = folder
        parts = min(max(1, size // (20 * _PART)), _MOST_PARTS, max(1, papers))
        self._bounds = np.linspace(0, papers, parts + 1).astype(np.int64)
        folder.mkdir()
        self._parts = [(folder / f"{part}").open("wb", 1 << 16) for part in range(parts)]

    def add(self, found: Lines) -> None:
        """Add lines."""
        citing = self._rows(found.utf8, found.starts, found.tabs)
        cited = self._rows(found.utf8, found.tabs + 1, found.ends)
        self.counts["read"] += len(citing) + len(found.wrong)
        self.counts["lines without two IDs"] += len(found.wrong)
        known = citing >= 0
        self.counts["citing paper not in the corpus"] += int(np.count_nonzero(~known))
        unknown = known & (cited < 0)
        self.counts["cited paper not in the corpus"] += int(np.count_nonzero(unknown))
        itself = known & (citing == cited)
        self.counts["paper citing itself"] += int(np.count_nonzero(itself))
        good = known & ~unknown & ~itself
        self._put(citing[good].astype(np.uint64) << np.uint64(32) | cited[good].astype(np.uint64))

    def write(self, folder: Path, name: str) -> dict[str, Any]:
        """Write the column, delete the parts, and return the numbers read, kept and dropped."""
        with ListWriter(folder, name, "int32") as writer:
            for part, file in enumerate(self._parts):
                file.close()
                edges = np.fromfile(file.name, np.uint64)
                Path(file.name).unlink()
                edges = self._unique(edges)
                low, high = self._bounds[part], self._bounds[part + 1]
                citing = (edges >> np.uint64(32)).astype(np.int64) - low
                lengths = np.bincount(citing, minlength=int(high - low))
                writer.extend((edges & _LOW).astype(np.int32), lengths)
                self.counts["kept"] += len(edges)
        self.close()
        read, kept = self.counts.pop("read", 0), self.counts.pop("kept", 0)
        dropped = {why: n for why, n in sorted(self.counts.items()) if n}
        return {"read": read, "kept": kept, "dropped": dropped}

    def close(self) -> None:
        for file in self._parts:
            file.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _rows(
        self, utf8: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> NDArray[np.int32]:
        lengths = ends - starts
        rows = self._table.rows(hashes(utf8, starts, np.minimum(lengths, LONGEST_ID)))
        rows[lengths > LONGEST_ID] = -1
        return rows

    def _put(self, edges: NDArray[np.uint64]) -> None:
        edges = self._unique(edges)
        places = np.searchsorted(edges, self._bounds.astype(np.uint64) << np.uint64(32))
        for file, start, end in zip(self._parts, places[:-1], places[1:], strict=True):
            file.write(edges[start:end].data)

    def _unique(self, edges: NDArray[np.uint64]) -> NDArray[np.uint64]:
        edges.sort()
        new = np.ones(len(edges), bool)
        np.not_equal(edges[1:], edges[:-1], out=new[1:])
        self.counts["duplicate citation"] += int(len(edges) - np.count_nonzero(new))
        return edges[new]


# Citations processed at once.
CHUNK = 4_000_000


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
    places, cited = graph.gather(citing)
    order = np.argsort(others, kind="stable")
    first, last = (np.searchsorted(others[order], cited, side) for side in ("left", "right"))
    found: NDArray[np.bool_] = others == citing[:, None]
    for place, begin, end in zip(places, first, last, strict=True):
        found[place, order[begin:end]] = True
    return found
