"""Hash table of paper ids that looks up many ids at once, directly from UTF-8 bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trainer.data.corpus.columns import TextColumn

_AT_ONCE = 1 << 18
# Masks of the first n of eight bytes.
_FIRST = np.array([(1 << 8 * n) - 1 for n in range(9)], np.uint64)
_MULTIPLIERS = np.array([0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93], np.uint64)


class IdTable:
    """Rows by id, for millions of ids at once: 12 to 20 bytes per id, without Python objects.

    Ids are stored as 64-bit hashes. With 10 million papers, one in 10^12 unknown ids is mistaken
    for a known one.
    """

    def __init__(self, ids: TextColumn) -> None:
        hashed = np.empty(len(ids), np.uint64)
        for start in range(0, len(ids), _AT_ONCE):
            ends = ids.starts[start : start + _AT_ONCE + 1]
            chunk = padded(ids.utf8[ends[0] : ends[-1]])
            hashed[start : start + _AT_ONCE] = hashes(chunk, ends[:-1] - ends[0], np.diff(ends))
        order = np.argsort(hashed)
        self._hashes = hashed[order]
        self._rows = order.astype(np.int32)
        # The first bits of a hash are an index into the sorted hashes: about one entry per value.
        bits = max(1, len(ids).bit_length())
        self._shift = np.uint64(64 - bits)
        firsts = np.arange(1 << bits, dtype=np.uint64) << self._shift
        self._places = np.append(np.searchsorted(self._hashes, firsts), len(ids)).astype(np.int32)

    def __len__(self) -> int:
        return len(self._rows)

    def rows(self, hashed: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Return the row of each hash, -1 for unknown ones."""
        found = np.full(len(hashed), -1, np.int32)
        place = (hashed >> self._shift).astype(np.int64)
        at, end = self._places[place], self._places[place + 1]
        open_ = np.flatnonzero(at < end)
        at, end, wanted = at[open_], end[open_], hashed[open_]
        while len(open_):
            hit = self._hashes[at] == wanted
            found[open_[hit]] = self._rows[at[hit]]
            at += 1
            left = ~hit & (at < end)
            open_, at, end, wanted = open_[left], at[left], end[left], wanted[left]
        return found


def padded(utf8: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Append seven bytes, so that eight can be read at each offset."""
    return np.concatenate([utf8, np.zeros(8, np.uint8)])


def hashes(
    utf8: NDArray[np.uint8], starts: NDArray[Any], lengths: NDArray[Any]
) -> NDArray[np.uint64]:
    """Return 64-bit hashes of the texts in `utf8` (padded) at `starts`."""
    # A word of eight bytes begins at every offset.
    words = np.ndarray((len(utf8) - 7,), "<u8", utf8, strides=(1,))
    hashed: NDArray[np.uint64] = lengths.astype(np.uint64) * _MULTIPLIERS[1]
    for begun in range(0, int(lengths.max(initial=0)), 8):
        live = np.flatnonzero(lengths > begun) if begun else slice(None)
        first = _FIRST[np.minimum(lengths[live] - begun, 8).clip(0)]
        mixed = (hashed[live] ^ (words[starts[live] + begun] & first)) * _MULTIPLIERS[0]
        mixed ^= mixed >> np.uint64(32)
        mixed *= _MULTIPLIERS[1]
        hashed[live] = mixed ^ (mixed >> np.uint64(29))
    return hashed
