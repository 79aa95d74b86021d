"""Citations from files: lines "citing <TAB> cited" of ids become lists of rows.

Files may be far larger than memory: lines are looked up as they pass, sorted in parts on disk, and
only one part is in memory at a time.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trainer.data.columns import ListWriter
from trainer.data.ids import IdTable, hashes, padded

LONGEST_ID = 200
# Bytes to look at together.
PIECE = 4 << 20
_TAB, _NEWLINE, _RETURN = b"\t\n\r"
# Citations in one part, when they are spread evenly.
_PART = 2 << 20
_MOST_PARTS = 256
_LOW = np.uint64(0xFFFFFFFF)


class TooLongError(Exception):
    """A line of this number is so long that it is none of citations."""


class Lines(NamedTuple):
    """Where in `utf8` (padded) the two ids of some lines lie, on both sides of a tab.

    `wrong` are the numbers, from 1, of lines that hold no two ids.
    """

    utf8: NDArray[np.uint8]
    starts: NDArray[np.int64]
    tabs: NDArray[np.int64]
    ends: NDArray[np.int64]
    wrong: NDArray[np.int64]


def lines(pieces: Iterable[bytes]) -> Iterator[Lines]:
    """All lines of a file that comes in pieces. A header "citing <TAB> cited" is left out.

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
    ends = np.minimum(ends, next_tabs)  # further columns say nothing to us
    return Lines(utf8, starts[good], tabs[good], ends[good], wrong)


class Graph:
    """Gathers citations and writes them as one column of lists, in as little memory as may be.

    `counts` says what became of each line.
    """

    def __init__(self, table: IdTable, folder: Path, size: int) -> None:
        """`size` is roughly how many bytes of lines will come; `folder` is made for the parts."""
        self.counts: Counter[str] = Counter()
        self._table = table
        papers = len(table)
        self._folder = folder
        parts = min(max(1, size // (20 * _PART)), _MOST_PARTS, max(1, papers))
        self._bounds = np.linspace(0, papers, parts + 1).astype(np.int64)
        folder.mkdir()
        self._parts = [(folder / f"{part}").open("wb", 1 << 16) for part in range(parts)]

    def add(self, found: Lines) -> None:
        """Take in lines."""
        citing = self._rows(found.utf8, found.starts, found.tabs)
        cited = self._rows(found.utf8, found.tabs + 1, found.ends)
        self.counts["read"] += len(citing) + len(found.wrong)
        self.counts["lines without two ids"] += len(found.wrong)
        known = citing >= 0
        self.counts["the citing paper is not in the corpus"] += int(np.count_nonzero(~known))
        unknown = known & (cited < 0)
        self.counts["the cited paper is not in the corpus"] += int(np.count_nonzero(unknown))
        itself = known & (citing == cited)
        self.counts["a paper cites itself"] += int(np.count_nonzero(itself))
        good = known & ~unknown & ~itself
        self._put(citing[good].astype(np.uint64) << np.uint64(32) | cited[good].astype(np.uint64))

    def write(self, folder: Path, name: str) -> dict[str, Any]:
        """Write the column and say what was read, kept and dropped. The parts are deleted."""
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
        self.counts["the same citation again"] += int(len(edges) - np.count_nonzero(new))
        return edges[new]
