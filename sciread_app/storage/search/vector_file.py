"""Vector file of one space: rows in a memory-mapped file, half precision, addressed by number.

A row carries the hash of the text it was made from, so that a file that was lost, truncated or
replaced can never return a wrong vector: a row that does not match the requested text counts as
missing. The library records which paper owns which row.
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]

_PREAMBLE = struct.Struct("<16sII40s")  # magic, format, dim, space
_HEADER = _PREAMBLE.size + 8  # followed by the number of the first row in the file
_MAGIC = b"SciRead vectors\n"
_FORMAT = 1

# Numbers in one block of a scan. Blocks fit the processor's cache and stay below the size at which
# OpenBLAS starts threads (460,800), which cost more than they save here.
_BLOCK = 98_304
# Rows in memory at a time when many are read or the file is rewritten.
_ROWS = 4096
# Bytes of the file to read before its pages are released. A scan of all rows, even of the hashes
# alone, would otherwise keep the whole file in memory.
_HELD = 16 * 2**20

# Mask for the bits of a sign-extended half, once shifted to the place of a float's bits.
_HALF_BITS = np.int32(-0x70000001)
# Shifting leaves the exponent too small by 127 - 15.
_EXPONENT = np.float32(2.0**112)


class VectorRows:
    """A snapshot of the rows of a vector file, numbered from `first` on."""

    def __init__(self, table: NDArray[Any], first: int, file: mmap.mmap | None = None) -> None:
        """`file`: the file that backs `table`; None if it is in memory."""
        self.first = first
        self.dim: int = table.dtype["vector"].shape[0]
        self._table = table
        self._file = file

    def __len__(self) -> int:
        return len(self._table)

    def read(self, rows: Numbers, hashes: Numbers) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """The vectors in these rows, and a mask of those that match the given text hashes.

        The others are zeros.
        """
        vectors = np.empty((len(rows), self.dim), np.float32)
        held = np.empty(len(rows), bool)
        for start in range(0, len(rows), _ROWS):
            part = slice(start, start + _ROWS)
            found = self.take(rows[part])
            vectors[part], held[part] = found["vector"], found["hash"] == hashes[part]
            self._let_go()
        vectors[~held] = 0
        return vectors, held

    def scores(
        self, query: NDArray[np.float32], rows: Numbers, hashes: Numbers
    ) -> NDArray[np.float32]:
        """Inner products with these rows; minus infinity where a text hash differs."""
        scores = np.empty(len(rows), np.float32)
        step = max(1, _BLOCK // self.dim)
        wide = np.empty((step, self.dim), np.int32)
        query = query.astype(np.float32) * _EXPONENT
        let_go = max(1, self._step // step)
        for number, start in enumerate(range(0, len(rows), step)):
            if number % let_go == 0:
                self._let_go()
            block = slice(start, start + step)
            found = self.take(rows[block])
            np.dot(self._widened(found, wide), query, out=scores[block])
            scores[block][found["hash"] != hashes[block]] = -np.inf
        self._let_go()
        return scores

    def hold(self, rows: Numbers, hashes: Numbers) -> NDArray[np.bool_]:
        """Mask of the rows that match these text hashes."""
        held, inside, step = np.zeros(len(rows), bool), self._inside(rows), self._step
        for start in range(0, len(rows), step):
            part = np.arange(start, min(start + step, len(rows)))
            part = part[inside[part]]
            held[part] = self._table["hash"][rows[part] - self.first] == hashes[part]
            self._let_go()
        return held

    def find(self, hashes: Numbers) -> Numbers:
        """A row for each of these texts, of whatever paper; -1 if there is none."""
        there = np.empty(len(self), np.int64)
        for start in range(0, len(self), self._step):
            there[start : start + self._step] = self._table["hash"][start : start + self._step]
            self._let_go()
        found = np.full(len(hashes), -1)
        if len(there):
            order = np.argsort(there, kind="stable")
            nearest = order[np.searchsorted(there, hashes, sorter=order).clip(max=len(there) - 1)]
            same = there[nearest] == hashes
            found[same] = nearest[same] + self.first
        return found

    def take(self, rows: Numbers) -> NDArray[Any]:
        """These rows; zeros, which are no valid text hash, for missing ones."""
        inside = self._inside(rows)
        if inside.all():
            if len(rows) and (np.diff(rows) == 1).all():
                return self._table[rows[0] - self.first :][: len(rows)]  # no copy
            return np.take(self._table, rows - self.first)
        taken = np.zeros(len(rows), self._table.dtype)
        taken[inside] = self._table[rows[inside] - self.first]
        return taken

    def _inside(self, rows: Numbers) -> NDArray[np.bool_]:
        return (rows >= self.first) & (rows < self.first + len(self._table))

    @property
    def _step(self) -> int:
        """Number of rows to scan before their pages are released."""
        return max(1, _HELD // self._table.itemsize)

    def _let_go(self) -> None:
        """Release the pages that were read; the system may keep them cached."""
        if self._file and hasattr(mmap, "MADV_DONTNEED"):  # not on Windows
            self._file.madvise(mmap.MADV_DONTNEED)

    def _widened(self, rows: NDArray[Any], wide: NDArray[np.int32]) -> NDArray[np.float32]:
        """The vectors as float32, 2**112 times too small, in the memory of `wide`.

        Twice as fast as astype(float32), which numpy does number by number. Exact, since it only
        moves bits: sign to sign, exponent and mantissa to the low end of theirs.
        """
        wide = wide[: len(rows)]
        halves = rows.view("<i2").reshape(len(rows), -1)[:, : self.dim]
        np.left_shift(halves, 13, out=wide, dtype=np.int32)
        np.bitwise_and(wide, _HALF_BITS, out=wide)
        return wide.view(np.float32)


class VectorFile:
    """Rows of `dim` float16 numbers and the hash of their text.

    Any number of threads and processes may read while one writes; writers must be serialized by the
    caller, who holds the library's write lock.
    """

    def __init__(self, path: Path, space: str, dim: int) -> None:
        self.path = path
        self._preamble = _PREAMBLE.pack(_MAGIC, _FORMAT, dim, space.encode())
        # The hash comes last: a row truncated while it was written has none.
        self._row = np.dtype([("vector", "<f2", (dim,)), ("hash", "<i8")])

    def rows(self) -> VectorRows:
        """The present rows: none if the file is missing or belongs to another space.

        They stay readable when the file is rewritten.
        """
        table, first, mapped = np.empty(0, self._row), None, None
        with suppress(FileNotFoundError), self.path.open("rb") as file:
            first = self._first(file.read(_HEADER))
            count = (os.fstat(file.fileno()).st_size - _HEADER) // self._row.itemsize
            if first is not None and count > 0:
                mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
                table = np.frombuffer(mapped, self._row, count, _HEADER)
        return VectorRows(table, first or 0, mapped)

    def write(self, first: int, vectors: NDArray[Any], hashes: Numbers) -> None:
        """Write vectors to rows from `first` on and flush them to disk."""
        rows = np.empty(len(hashes), self._row)
        rows["vector"], rows["hash"] = vectors, hashes
        begins = self._begins()
        if begins is None or first < begins:
            self._replace(first, [rows])
            return
        with self.path.open("r+b") as file:
            file.seek(_HEADER + (first - begins) * self._row.itemsize)
            file.write(rows.tobytes())
            file.flush()
            os.fsync(file.fileno())

    def rewrite(self, numbers: Numbers, first: int) -> None:
        """Rewrite the file with these rows only, in this order, numbered from `first` on.

        The file is replaced completely or not at all.
        """
        old = self.rows()
        parts = (numbers[start : start + _ROWS] for start in range(0, len(numbers), _ROWS))
        self._replace(first, (old.take(part) for part in parts))

    def _begins(self) -> int | None:
        """The number of the first row; None if there is no file of this space."""
        with suppress(FileNotFoundError), self.path.open("rb") as file:
            return self._first(file.read(_HEADER))
        return None

    def _first(self, header: bytes) -> int | None:
        if len(header) < _HEADER or not header.startswith(self._preamble):
            return None
        return int.from_bytes(header[-8:], "little")

    def _replace(self, first: int, parts: Iterable[NDArray[Any]]) -> None:
        """Replace the file with one that has these rows."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        new = self.path.with_name(self.path.name + ".new")
        with new.open("wb") as file:
            file.write(self._preamble + first.to_bytes(8, "little"))
            for part in parts:
                file.write(part.tobytes())
            file.flush()
            os.fsync(file.fileno())
        new.replace(self.path)
