"""The nearest papers to a vector, found by walking an HNSW graph (Malkov and Yashunin, 2016).

The only place that knows hnswlib. Both files of an index are a cache: the vectors are elsewhere.
"""

from __future__ import annotations

import os
import struct
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import hnswlib
import numpy as np
from numpy.typing import NDArray

from sciread_app.errors import IndexUnusable

# Links a paper has, and how widely its neighbours are looked for when it is added.
_LINKS = 16
_CARE = 200
# How widely a search looks. Typed queries lie farther from papers than papers from each other,
# and need much more of it: see tests/benchmarks/bench_index.py.
_BREADTH = 800
# Papers added under the lock at a time: a search waits for no more than these. hnswlib uses one
# core only when it gets less than four for each.
_SLICE = 16 * (os.cpu_count() or 1)
_HEADER = struct.Struct("<16sII40sII")  # magic, format, dim, space, sum of the graph, of the rest
_MAGIC = b"SciRead index\n\n\n"
_FORMAT = 1
_HELD = np.dtype([("id", "<i8"), ("stamp", "<i8"), ("label", "<i8")])

_REBUILD = "It is rebuilt from the vectors; nothing is lost."


class VectorIndex:
    """Papers by inner product of unit vectors, safe to use from any thread.

    Each paper has a stamp, the hash of the text its vector was made from, so that it can be told
    which papers have changed since (`contents`).

    In the graph a paper goes by a label that is never used twice: giving a label a new vector
    takes hnswlib ten times as long as adding one, and finds less afterwards.
    """

    def __init__(self, space: str, dim: int) -> None:
        self.space = space
        self.dim = dim
        self._held = np.empty(0, _HELD)  # by id, ascending
        self._papers = np.empty(0, np.int64)  # by label, also of those removed
        self._graph = hnswlib.Index("ip", dim)
        self._graph.init_index(1024, M=_LINKS, ef_construction=_CARE, random_seed=1)
        # hnswlib crashes or answers nonsense when it is searched while it grows.
        self._lock = threading.Lock()
        # Whoever holds this is next: an adding thread would else take the lock again at once.
        self._queue = threading.Lock()

    def __len__(self) -> int:
        return len(self._held)

    @property
    def worn(self) -> bool:
        """More than a tenth of the graph are papers that were removed: time to build it anew."""
        return len(self._papers) - len(self._held) > len(self._papers) / 10

    def contents(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Ids of the papers in it, ascending, and their stamps."""
        held = self._held
        return held["id"], held["stamp"]

    def add(
        self, ids: NDArray[np.int64], vectors: NDArray[np.float32], stamps: NDArray[np.int64]
    ) -> None:
        """Add papers, each once; those already in it get the new vector."""
        self._check(vectors.shape, (len(ids), self.dim))
        self.remove(ids)
        for start in range(0, len(ids), _SLICE):
            part = slice(start, start + _SLICE)
            with self._turn():
                self._add(ids[part], vectors[part], stamps[part])

    def remove(self, ids: NDArray[np.int64]) -> None:
        """Take papers out; ids that are not in it are ignored."""
        with self._turn():
            gone = np.isin(self._held["id"], ids)
            for label in self._held["label"][gone]:
                self._graph.mark_deleted(int(label))
            self._held = self._held[~gone]

    def nearest(
        self, vector: NDArray[np.float32], k: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Ids and similarities of the k nearest papers, or of all if there are fewer, best first.

        Raises IndexUnusable if the graph does not give that many.
        """
        self._check(vector.shape, (self.dim,))
        with self._turn():
            k = min(k, len(self._held))
            if k < 1:  # hnswlib crashes when an index without papers is searched
                return np.empty(0, np.int64), np.empty(0, np.float32)
            self._graph.set_ef(max(_BREADTH, 2 * k))
            try:
                labels, distances = self._graph.knn_query(vector, k, num_threads=1)
            except RuntimeError as error:
                raise IndexUnusable("The index has lost papers.", _REBUILD) from error
            return self._papers[labels[0].astype(np.int64)], 1 - distances[0]

    def save(self, path: Path) -> None:
        """Write the graph to `path` and what it holds beside it; killed meanwhile, the old stay."""
        path.parent.mkdir(parents=True, exist_ok=True)
        graph, keys = _new(path), _new(_keys(path))
        with self._turn():
            self._graph.save_index(str(graph))
            held = self._held.tobytes()
        about = (_MAGIC, _FORMAT, self.dim, self.space.encode(), _checksum(graph))
        keys.write_bytes(_HEADER.pack(*about, zlib.crc32(held)) + held)
        graph.replace(path)
        keys.replace(_keys(path))

    @classmethod
    def load(cls, path: Path, space: str, dim: int) -> VectorIndex:
        """Read what `save` wrote. Raises IndexUnusable if it is not there, not whole, not this."""
        index = cls(space, dim)
        try:
            checksum, index._held = _read_keys(path, space, dim)
            # hnswlib believes whatever it reads, and crashes later. The sum also tells a graph
            # from one of another moment, when the writer was killed between the two files.
            if _checksum(path) != checksum:
                raise IndexUnusable(f"The index {path.name} is damaged.", _REBUILD)
            index._graph = hnswlib.Index("ip", dim)
            index._graph.load_index(str(path))
        except (OSError, RuntimeError) as error:
            raise IndexUnusable(f"The index {path.name} cannot be read.", _REBUILD) from error
        index._papers = np.zeros(index._graph.get_current_count(), np.int64)
        index._papers[index._held["label"]] = index._held["id"]
        return index

    @contextmanager
    def _turn(self) -> Iterator[None]:
        with self._queue:
            self._lock.acquire()
        try:
            yield
        finally:
            self._lock.release()

    def _check(self, shape: tuple[int, ...], expected: tuple[int, ...]) -> None:
        if shape != expected:
            raise IndexUnusable(
                f"A vector of shape {shape} came where the index holds {expected}.",
                "The model in use is not the one the index was made with. Build the index again.",
            )

    def _add(
        self, ids: NDArray[np.int64], vectors: NDArray[np.float32], stamps: NDArray[np.int64]
    ) -> None:
        needed = len(self._papers) + len(ids)
        if needed > self._graph.get_max_elements():
            self._graph.resize_index(needed + needed // 4)
        added = np.empty(len(ids), _HELD)
        added["id"], added["stamp"] = ids, stamps
        added["label"] = np.arange(len(self._papers), needed)
        self._graph.add_items(vectors, added["label"])
        self._papers = np.concatenate([self._papers, ids])
        held = np.concatenate([self._held, added])
        self._held = held[np.argsort(held["id"])]


def _read_keys(path: Path, space: str, dim: int) -> tuple[int, NDArray[Any]]:
    """The sum of the graph, and what is in it."""
    whole = _keys(path).read_bytes()
    if len(whole) < _HEADER.size:
        raise IndexUnusable(f"The index {path.name} is damaged.", _REBUILD)
    *about, graph, rest = _HEADER.unpack_from(whole)
    if about != [_MAGIC, _FORMAT, dim, space.encode().ljust(40, b"\0")]:
        raise IndexUnusable(f"The index {path.name} belongs to another model.", _REBUILD)
    if zlib.crc32(whole[_HEADER.size :]) != rest:
        raise IndexUnusable(f"The index {path.name} is damaged.", _REBUILD)
    return graph, np.frombuffer(whole, _HELD, offset=_HEADER.size)


def _keys(path: Path) -> Path:
    return path.with_name(path.name + ".keys")


def _new(path: Path) -> Path:
    return path.with_name(path.name + ".new")


def _checksum(path: Path) -> int:
    total = 0
    with path.open("rb") as file:
        while part := file.read(1 << 20):
            total = zlib.crc32(part, total)
    return total
