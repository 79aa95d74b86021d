"""A snapshot of the papers that have a vector in one space, with these vectors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sciread_app.storage.id_sets import Ids
from sciread_app.storage.search.vector_file import VectorRows

Mask = NDArray[np.bool_]

# Vectors in memory at a time when they are streamed.
_READ = 4096


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """Papers, ids ascending, with the row of each vector and the hash of each text.

    Stays valid when others write: the file is never changed where it is read.
    """

    ids: Ids
    places: Ids
    hashes: Ids
    rows: VectorRows

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, which: Any) -> Snapshot:
        """A part of it: by slice, mask, or positions (not ids)."""
        return Snapshot(self.ids[which], self.places[which], self.hashes[which], self.rows)

    def parts(self) -> Iterator[Snapshot]:
        """All of it, in parts that fit in memory."""
        return (self[start : start + _READ] for start in range(0, len(self), _READ))

    def positions(self, ids: Ids) -> tuple[Ids, Mask]:
        """The positions of these papers, and a mask of those that are present."""
        if not len(self):
            return np.zeros(len(ids), np.int64), np.zeros(len(ids), bool)
        found = np.searchsorted(self.ids, ids).clip(max=len(self) - 1)
        return found, self.ids[found] == ids

    def has(self, ids: Ids, hashes: Ids) -> Mask:
        """Mask of the papers that are present with this text hash."""
        found, known = self.positions(ids)
        known[known] = self.hashes[found[known]] == hashes[known]
        return known

    def read(self) -> tuple[NDArray[np.float32], Mask]:
        """The vectors, and a mask of those that are in the file and valid; the others are zeros."""
        vectors, held = self.rows.read(self.places, self.hashes)
        held &= are_unit(vectors)
        vectors[~held] = 0
        return vectors, held

    def held(self) -> Mask:
        """Mask of the vectors that are in the file. Does not check the vectors themselves."""
        return self.rows.hold(self.places, self.hashes)

    def best(self, vector: NDArray[np.float32], k: int) -> tuple[Ids, NDArray[np.float32]]:
        """The k papers nearest to a vector and their similarities, best first, by exhaustive
        search."""
        scores = self.rows.scores(vector, self.places, self.hashes)
        there = np.flatnonzero(scores > -np.inf)
        k = min(k, len(there))
        if k < len(there):
            there = there[np.argpartition(-scores[there], k)[:k]]
        order = there[np.lexsort((self.ids[there], -scores[there]))]
        return self.ids[order], scores[order]

    def with_papers(self, ids: Ids, first: int, hashes: Ids, rows: VectorRows) -> Snapshot:
        """A new snapshot with papers written since, from row `first` on."""
        old = ~np.isin(self.ids, ids)
        every = np.append(self.ids[old], ids)
        order = np.argsort(every)
        places = np.append(self.places[old], np.arange(first, first + len(ids)))[order]
        return Snapshot(every[order], places, np.append(self.hashes[old], hashes)[order], rows)


def are_unit(vectors: NDArray[np.float32]) -> Mask:
    """Mask of the vectors that have length 1, within half precision."""
    squares = np.einsum("ij,ij->i", vectors, vectors)
    units: Mask = np.abs(squares - 1) < 0.02
    return units
