"""The nearest papers to a vector, found by walking an HNSW graph (Malkov and Yashunin, 2016).

The only place that knows hnswlib. Both files of an index are a cache: the vectors are elsewhere.
"""

from __future__ import annotations

import threading
import zipfile
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
_LINKS = 24
_CARE = 200
# How widely a search looks. Typed queries lie farther from papers than papers from each other,
# and need much more of it: see tests/benchmarks/bench_index.py.
_BREADTH = 500
# Papers added under the lock at a time: a search waits for no more than these.
_SLICE = 64
_FORMAT = 1

_REBUILD = "It is rebuilt from the vectors; nothing is lost."


class VectorIndex:
    """Papers by inner product of unit vectors, safe to use from any thread.

    Each paper has a stamp, the hash of the text its vector was made from, so that it can be told
    which papers have changed since (`contents`).
    """

    def __init__(self, space: str, dim: int) -> None:
        self.space = space
        self.dim = dim
        self._ids: NDArray[np.int64] = np.empty(0, np.int64)  # ascending
        self._stamps: NDArray[np.int64] = np.empty(0, np.int64)
        self._graph = hnswlib.Index("ip", dim)
        self._graph.init_index(1024, M=_LINKS, ef_construction=_CARE, random_seed=1)
        # hnswlib crashes or answers nonsense when it is searched while it grows.
        self._lock = threading.Lock()
        # Whoever holds this is next: an adding thread would else take the lock again at once.
        self._queue = threading.Lock()

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def worn(self) -> bool:
        """More than a tenth of the graph are papers that were removed: time to build it anew."""
        with self._turn():
            everything = self._graph.get_current_count()
            return bool(everything - len(self._ids) > everything / 10)

    def contents(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Ids of the papers in it, ascending, and their stamps."""
        with self._turn():
            return self._ids, self._stamps

    def add(
        self, ids: NDArray[np.int64], vectors: NDArray[np.float32], stamps: NDArray[np.int64]
    ) -> None:
        """Add papers, each once; those already in it get the new vector."""
        self._check(vectors.shape, (len(ids), self.dim))
        for start in range(0, len(ids), _SLICE):
            part = slice(start, start + _SLICE)
            with self._turn():
                self._make_room(len(ids[part]))
                self._graph.add_items(vectors[part], ids[part])
                self._forget(ids[part])
                self._remember(ids[part], stamps[part])

    def remove(self, ids: NDArray[np.int64]) -> None:
        """Take papers out; ids that are not in it are ignored."""
        with self._turn():
            for paper in self._ids[np.isin(self._ids, ids)]:
                self._graph.mark_deleted(int(paper))
            self._forget(ids)

    def nearest(
        self, vector: NDArray[np.float32], k: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Ids and similarities of the k nearest papers, or of all if there are fewer, best first.

        Raises IndexUnusable if the graph does not give that many.
        """
        self._check(vector.shape, (self.dim,))
        with self._turn():
            k = min(k, len(self._ids))
            if k < 1:  # hnswlib crashes when an index without papers is searched
                return np.empty(0, np.int64), np.empty(0, np.float32)
            labels, distances = self._search(vector, k)
        return labels[0].astype(np.int64), 1 - distances[0]

    def save(self, path: Path) -> None:
        """Write the graph to `path` and what it holds beside it; killed meanwhile, the old stay."""
        path.parent.mkdir(parents=True, exist_ok=True)
        graph, keys = _new(path), _new(_keys(path))
        with self._turn():
            self._graph.save_index(str(graph))
            ids, stamps = self._ids, self._stamps
        with keys.open("wb") as file:
            np.savez(
                file,
                about=np.array([_FORMAT, self.dim, _checksum(graph)]),
                space=np.array(self.space),
                ids=ids,
                stamps=stamps,
            )
        graph.replace(path)
        keys.replace(_keys(path))

    @classmethod
    def load(cls, path: Path, space: str, dim: int) -> VectorIndex:
        """Read what `save` wrote. Raises IndexUnusable if it is not there, not whole, or not this."""
        about, ids, stamps = _read_keys(path, space)
        if about[:2] != [_FORMAT, dim]:
            raise IndexUnusable(f"{path.name} is an index of another kind.", _REBUILD)
        try:
            # hnswlib believes whatever it reads, and crashes later. The sum also tells a graph
            # from one of another moment, when the writer was killed between the two files.
            if _checksum(path) != about[2]:
                raise IndexUnusable(f"{path.name} is damaged.", _REBUILD)
            index = cls(space, dim)
            index._graph = hnswlib.Index("ip", dim)
            index._graph.load_index(str(path))
        except (OSError, RuntimeError) as error:
            raise IndexUnusable(f"{path.name} cannot be read: {error}.", _REBUILD) from error
        index._ids, index._stamps = ids, stamps
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

    def _make_room(self, count: int) -> None:
        needed = self._graph.get_current_count() + count
        if needed > self._graph.get_max_elements():
            self._graph.resize_index(needed + needed // 4)

    def _search(self, vector: NDArray[np.float32], k: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Look more widely until there are k: removed papers are walked over, but not found."""
        everything = self._graph.get_current_count()
        breadth = max(_BREADTH, 2 * k)
        while True:
            self._graph.set_ef(breadth)
            try:
                found: tuple[Any, Any] = self._graph.knn_query(vector, k, num_threads=1)
                return found
            except RuntimeError as error:
                if breadth >= everything:
                    raise IndexUnusable("The index has lost papers.", _REBUILD) from error
                breadth *= 4

    def _forget(self, ids: NDArray[np.int64]) -> None:
        kept = ~np.isin(self._ids, ids)
        self._ids, self._stamps = self._ids[kept], self._stamps[kept]

    def _remember(self, ids: NDArray[np.int64], stamps: NDArray[np.int64]) -> None:
        ids = np.concatenate([self._ids, ids])
        order = np.argsort(ids, kind="stable")
        self._ids, self._stamps = ids[order], np.concatenate([self._stamps, stamps])[order]


def _read_keys(path: Path, space: str) -> tuple[list[int], NDArray[np.int64], NDArray[np.int64]]:
    try:
        with np.load(_keys(path), allow_pickle=False) as keys:
            if str(keys["space"]) != space:
                raise IndexUnusable(f"{path.name} belongs to another model.", _REBUILD)
            return keys["about"].tolist(), keys["ids"], keys["stamps"]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise IndexUnusable(f"{path.name} is missing or damaged.", _REBUILD) from error


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
