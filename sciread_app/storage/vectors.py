"""The vectors of one space: rows of a memory-mapped file, half precision, addressed by number.

A row carries the hash of the text it was made from, so that a file that was lost, cut short or
swapped for another can never serve a wrong vector: a row that does not hold the text asked for
counts as missing. Which paper owns which row is the library's business.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_HEADER = struct.Struct("<16sII40s")  # magic, format, dim, space
_MAGIC = b"SciRead vectors\n"
_FORMAT = 1

# Numbers that one block of a scan holds. Blocks stay in the processor's cache, and under the
# size at which OpenBLAS starts threads (460,800), which cost more than they save here.
_BLOCK = 98_304

# What is left of a sign-extended half once it was moved to the place of a float's bits.
_HALF_BITS = np.int32(-0x70000001)
# Moving it leaves the exponent too small by 127 - 15.
_EXPONENT = np.float32(2.0**112)


class _Mapped(NamedTuple):
    """What is mapped, and what the file was like then."""

    inode: int
    size: int
    rows: NDArray[Any]


class VectorFile:
    """Rows of `dim` float16 numbers and the hash of their text.

    Any number of threads and processes may read while one writes; writers must take turns (the
    library's write lock does that). Rows that another process added are seen at once.
    """

    def __init__(self, path: Path, space: str, dim: int) -> None:
        self.path = path
        self.dim = dim
        self._header = _HEADER.pack(_MAGIC, _FORMAT, dim, space.encode())
        # The hash comes last: a row that was cut short while it was written then has none.
        self._row = np.dtype([("vector", "<f2", (dim,)), ("hash", "<i8")])
        self._mapped = _Mapped(0, 0, np.empty(0, self._row))

    def __len__(self) -> int:
        """Whole rows in the file; 0 where there is no file, or one of another space."""
        return len(self._rows())

    def write(self, first_row: int, vectors: NDArray[Any], hashes: NDArray[np.int64]) -> None:
        """Put vectors into rows from `first_row` on; they are on the disk when this returns."""
        rows = self._packed(vectors, hashes)
        if not self._is_ours():
            self._begin(np.empty(0, self._row))
        with self.path.open("r+b") as file:
            file.seek(_HEADER.size + first_row * self._row.itemsize)
            file.write(rows.tobytes())
            file.flush()
            os.fsync(file.fileno())

    def read(
        self, rows: NDArray[np.int64], hashes: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """The vectors in these rows, and which of them hold the text asked for.

        The others are zeros.
        """
        found = self._take(self._rows(), rows)
        held = found["hash"] == hashes
        vectors = found["vector"].astype(np.float32)
        vectors[~held] = 0
        return vectors, held

    def scores(
        self,
        query: NDArray[np.float32],
        rows: NDArray[np.int64],
        hashes: NDArray[np.int64],
    ) -> NDArray[np.float32]:
        """Inner products with these rows; minus infinity where one does not hold its text."""
        mapped = self._rows()
        scores = np.empty(len(rows), np.float32)
        step = max(1, _BLOCK // self.dim)
        wide = np.empty((step, self.dim), np.int32)
        query = query.astype(np.float32) * _EXPONENT
        for start in range(0, len(rows), step):
            block = slice(start, start + step)
            found = self._take(mapped, rows[block])
            np.dot(self._widened(found, wide), query, out=scores[block])
            scores[block][found["hash"] != hashes[block]] = -np.inf
        return scores

    def hashes(self) -> NDArray[np.int64]:
        """The text hash of every row; 0 where nothing was ever written."""
        return np.array(self._rows()["hash"])

    def rewrite(self, rows: NDArray[np.int64]) -> None:
        """Keep these rows only, in this order, numbered from 0: whole or not at all.

        Whoever has the old file mapped goes on reading it until told of the new numbers.
        """
        self._begin(self._take(self._rows(), rows))

    def _packed(self, vectors: NDArray[Any], hashes: NDArray[np.int64]) -> NDArray[Any]:
        if vectors.shape != (len(hashes), self.dim):
            raise ValueError(f"expected {len(hashes)} vectors of {self.dim}, got {vectors.shape}")
        rows = np.empty(len(hashes), self._row)
        rows["vector"] = vectors
        rows["hash"] = hashes
        return rows

    def _take(self, mapped: NDArray[Any], rows: NDArray[np.int64]) -> NDArray[Any]:
        """Copies of these rows; zeros for those beyond the end of the file."""
        if len(rows) and int(rows.max()) >= len(mapped):
            taken = np.zeros(len(rows), self._row)
            inside = rows < len(mapped)
            taken[inside] = mapped[rows[inside]]
            return taken
        return np.take(mapped, rows)

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

    def _rows(self) -> NDArray[Any]:
        """The file as it is now, mapped anew if it has grown or was replaced."""
        try:
            status = self.path.stat()
        except FileNotFoundError:
            return np.empty(0, self._row)
        mapped = self._mapped
        if (mapped.inode, mapped.size) != (status.st_ino, status.st_size):
            mapped = self._mapped = _Mapped(status.st_ino, status.st_size, self._map())
        return mapped.rows

    def _map(self) -> NDArray[Any]:
        if not self._is_ours():
            return np.empty(0, self._row)
        count = (self.path.stat().st_size - _HEADER.size) // self._row.itemsize
        if count == 0:
            return np.empty(0, self._row)
        return np.memmap(self.path, self._row, "r", offset=_HEADER.size, shape=(count,))

    def _is_ours(self) -> bool:
        try:
            with self.path.open("rb") as file:
                return file.read(_HEADER.size) == self._header
        except FileNotFoundError:
            return False

    def _begin(self, rows: NDArray[Any]) -> None:
        """Put a new file with these rows in the place of whatever is there."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        new = self.path.with_name(self.path.name + ".new")
        with new.open("wb") as file:
            file.write(self._header)
            file.write(rows.tobytes())
            file.flush()
            os.fsync(file.fileno())
        new.replace(self.path)
