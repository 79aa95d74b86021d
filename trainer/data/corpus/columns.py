"""Columns on disk: numbers, texts and lists, an entry per row, memory-mapped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, overload

import numpy as np
from numpy.typing import NDArray

_BUFFER = 1 << 20


def numbers(path: Path) -> NDArray[Any]:
    """Memory-map a file of numbers; the extension gives their type: "years.int16"."""
    dtype = np.dtype(path.suffix[1:]).newbyteorder("<")
    if path.stat().st_size == 0:
        return np.empty(0, dtype)
    # A plain view: each slice of np.memmap itself costs microseconds.
    return np.memmap(path, dtype, mode="r").view(np.ndarray)


def write_numbers(path: Path, values: NDArray[Any]) -> None:
    """Write `values` in the type given by the file extension."""
    dtype = np.dtype(path.suffix[1:]).newbyteorder("<")
    # Not `tofile`, which does not notice when a disk is too full for the last few kilobytes.
    path.write_bytes(np.ascontiguousarray(values, dtype).data)


class TextColumn(Sequence[str]):
    """One text per row: concatenated UTF-8, and the offset of each."""

    def __init__(self, folder: Path, name: str) -> None:
        self.starts: NDArray[np.int64] = numbers(folder / f"{name}.starts.int64")
        self.utf8: NDArray[np.uint8] = numbers(folder / f"{name}.utf8.uint8")

    @classmethod
    def empty(cls) -> TextColumn:
        """Return a column without rows."""
        column = cls.__new__(cls)
        column.starts, column.utf8 = np.zeros(1, np.int64), np.empty(0, np.uint8)
        return column

    def __len__(self) -> int:
        return len(self.starts) - 1

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> list[str]: ...
    def __getitem__(self, row: int | slice) -> str | list[str]:
        if isinstance(row, slice):
            return [self[at] for at in range(*row.indices(len(self)))]
        return self.bytes(row).decode("utf-8", "replace")

    def __iter__(self) -> Iterator[str]:
        return (self[row] for row in range(len(self)))

    def bytes(self, row: int) -> bytes:
        """Return the text of a row as stored. Raises IndexError."""
        if not 0 <= row < len(self):
            raise IndexError(row)
        return self.utf8[self.starts[row] : self.starts[row + 1]].tobytes()

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Return the number of bytes of each text."""
        return np.diff(self.starts)


@dataclass(frozen=True, eq=False)
class Csr:
    """A list of numbers per row (compressed sparse rows): row r has indices[indptr[r] : indptr[r +
    1]]."""

    indptr: NDArray[np.int64]
    indices: NDArray[Any]

    @classmethod
    def open(cls, folder: Path, name: str, dtype: str = "int32") -> Csr:
        return cls(numbers(folder / f"{name}.starts.int64"), numbers(folder / f"{name}.{dtype}"))

    @classmethod
    def empty(cls, dtype: str = "int32") -> Csr:
        """Return lists of no rows."""
        return cls(np.zeros(1, np.int64), np.empty(0, dtype))

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def __getitem__(self, row: int) -> NDArray[Any]:
        return self.indices[self.indptr[row] : self.indptr[row + 1]]

    def gather(self, rows: NDArray[np.integer[Any]]) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """Return the concatenated lists of these rows: each entry's index in `rows`, and the
        entry."""
        starts = self.indptr[rows]
        counts = self.indptr[rows + 1] - starts
        places = np.repeat(np.arange(len(rows)), counts)
        before = np.cumsum(counts) - counts
        return places, self.indices[np.arange(len(places)) + (starts - before)[places]]

    @property
    def counts(self) -> NDArray[np.int64]:
        """Return the length of each row's list."""
        return np.diff(self.indptr)


def chunks(ends: NDArray[np.int64], most: int) -> Iterator[tuple[int, int]]:
    """Divide entries into ranges of at most `most` in weight (or one entry); `ends` [n] are the
    cumulated weights."""
    start = 0
    while start < len(ends):
        before = int(ends[start - 1]) if start else 0
        stop = max(int(np.searchsorted(ends, before + most, side="right")), start + 1)
        yield start, stop
        start = stop


class ListWriter:
    """Writes a column of lists row by row: concatenated bytes, and the offset of each row.

    `suffix` is the type of the lists' elements, as in `numbers`.
    """

    def __init__(self, folder: Path, name: str, suffix: str) -> None:
        self._values = (folder / f"{name}.{suffix}").open("wb", _BUFFER)
        self._starts = (folder / f"{name}.starts.int64").open("wb", _BUFFER)
        self._type = np.dtype(suffix.rpartition(".")[2])
        self._end = 0
        self._starts.write(bytes(8))

    def add(self, values: bytes) -> None:
        """Write the next row, given as bytes in the column's type."""
        self._values.write(values)
        self._end += len(values) // self._type.itemsize
        self._starts.write(self._end.to_bytes(8, "little"))

    def extend(self, values: NDArray[Any], lengths: NDArray[np.integer[Any]]) -> None:
        """Write many rows at once: their concatenated values, and the length of each."""
        self._values.write(np.ascontiguousarray(values, self._type).data)
        ends = self._end + np.cumsum(lengths, dtype=np.int64)
        self._starts.write(ends.data)
        self._end = int(ends[-1]) if len(ends) else self._end

    def close(self) -> None:
        self._values.close()
        self._starts.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class TextWriter(ListWriter):
    """Writes a TextColumn row by row."""

    def __init__(self, folder: Path, name: str) -> None:
        super().__init__(folder, name, "utf8.uint8")

    def write(self, text: str) -> None:
        # Lone surrogates, as in broken files, cannot be encoded.
        self.add(text.encode("utf-8", "replace"))


def write_texts(folder: Path, name: str, texts: Sequence[str]) -> None:
    """Write a TextColumn of these texts."""
    with TextWriter(folder, name) as writer:
        for text in texts:
            writer.write(text)
