"""Approximate nearest neighbors in HNSW graphs (Malkov and Yashunin, 2016).

The only module that uses hnswlib. All files of an index are a cache: the vectors are stored
elsewhere.
"""

from __future__ import annotations

import os
import struct
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import hnswlib
import numpy as np
from filelock import FileLock
from numpy.typing import NDArray

from sciread_app.errors import IndexUnusable
from sciread_app.language import tr

# HNSW parameters: links of a paper (M), and breadth of the search when it is added
# (ef_construction).
_LINKS = 16
_CARE = 200
# Papers in one graph. hnswlib holds the interpreter lock while it loads or saves a graph, and the
# window must not stall for 50 ms; with graphs of this size it takes 30.
_PART = 25_000
# Seconds between two graphs, in which the window's thread can finish what it does: it would wait
# for several graphs otherwise, since each of its steps gives up the lock again.
_PAUSE = 0.05
# Breadth of a search (ef) in all graphs together, and the minimum in each. Typed queries lie
# farther from papers than papers from each other, and need much more of it: see
# benchmarks/bench_index.py.
_BREADTH = 800
_LEAST_BREADTH = 250
# Papers added under the lock at a time: a search waits for no more than these. hnswlib uses a
# single core when it gets fewer than four for each.
_SLICE = 16 * (os.cpu_count() or 1)
_HEADER = struct.Struct(
    "<16sII40sII"
)  # magic, format, dim, space, number of graphs, checksum of the rest
_MAGIC = b"SciRead index\n\n\n"
_FORMAT = 2
_HELD = np.dtype([("id", "<i8"), ("stamp", "<i8"), ("label", "<i8")])

_REBUILD = tr("The index is rebuilt automatically; no data is lost.")


class VectorIndex:
    """Index of papers by inner product of unit vectors, safe to use from any thread.

    Each paper has a stamp, the hash of the text its vector was made from, which shows which papers
    have changed since (`contents`).

    In its graph a paper has a label that is never reused: giving a label a new vector takes hnswlib
    ten times as long as adding one, and lowers recall afterwards.
    """

    def __init__(self, space: str, dim: int) -> None:
        self.space = space
        self.dim = dim
        self._held = np.empty(0, _HELD)  # by id, ascending
        self._papers = np.empty(0, np.int64)  # by label, including removed ones
        self._parts: list[_Graph] = []
        # Serializes add, remove and save: a saved state must be consistent.
        self._changing = threading.RLock()
        # hnswlib crashes or returns wrong results when it is searched while it grows.
        self._lock = threading.Lock()
        # Taken before the lock above, so that waiting searches get their turn: an adding thread
        # would otherwise reacquire the lock at once.
        self._queue = threading.Lock()

    def __len__(self) -> int:
        return len(self._held)

    @property
    def needs_rebuild(self) -> bool:
        """Return whether over a tenth of the entries were removed, so that a rebuild is due."""
        return len(self._papers) - len(self._held) > len(self._papers) / 10

    def contents(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Ids of the indexed papers, ascending, and their stamps."""
        held = self._held
        return held["id"], held["stamp"]

    def add(
        self, ids: NDArray[np.int64], vectors: NDArray[np.float32], stamps: NDArray[np.int64]
    ) -> None:
        """Add papers, each given once; those already indexed get the new vector."""
        self._check(vectors.shape, (len(ids), self.dim))
        with self._changing:
            self.remove(ids)
            start = 0
            while start < len(ids):
                room = _PART - len(self._papers) % _PART
                part = slice(start, start + min(_SLICE, room))
                with self._turn():
                    self._add(ids[part], vectors[part], stamps[part])
                start = part.stop

    def remove(self, ids: NDArray[np.int64]) -> None:
        """Remove papers; ids that are not indexed are ignored."""
        with self._changing, self._turn():
            gone = np.isin(self._held["id"], ids)
            for label in self._held["label"][gone].tolist():
                self._parts[label // _PART].remove(label)
            self._held = self._held[~gone]

    def nearest(
        self, vector: NDArray[np.float32], k: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Ids and similarities of the k nearest papers, or of all if there are fewer, best first.

        Raises IndexUnusable if a graph does not return that many.
        """
        self._check(vector.shape, (self.dim,))
        with self._turn():
            if k < 1 or not len(self._held):
                return np.empty(0, np.int64), np.empty(0, np.float32)
            breadth = max(_BREADTH // len(self._parts), _LEAST_BREADTH)
            found = [part.nearest(vector, k, breadth) for part in self._parts]
            labels, distances = map(np.concatenate, zip(*found, strict=True))
            best = np.argsort(distances, kind="stable")[:k]
            return self._papers[labels[best]], 1 - distances[best]

    def save(self, path: Path) -> None:
        """Write the index to `path` and its graphs beside it; the old files survive a kill.

        Graphs that have not changed since they were loaded or saved are not written again.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        # Another process may be writing the same index at this moment.
        with self._changing, FileLock(path.with_name(path.name + ".lock")):
            written = [
                (part, _graph(path, number))
                for number, part in enumerate(self._parts)
                if part.saved_at != _graph(path, number)
            ]
            for part, target in written:
                _let_others_run()
                with self._turn():
                    part.save(_new(target))
            sums = np.array([part.checksum for part in self._parts], "<u4").tobytes()
            rest = sums + self._held.tobytes()
            about = (_MAGIC, _FORMAT, self.dim, self.space.encode(), len(self._parts))
            _new(path).write_bytes(_HEADER.pack(*about, zlib.crc32(rest)) + rest)
            for part, target in written:
                _new(target).replace(target)
                part.saved_at = target
            _new(path).replace(path)
            _drop_graphs(path, len(self._parts))

    @classmethod
    def load(cls, path: Path, space: str, dim: int) -> VectorIndex:
        """Read a saved index. Raises IndexUnusable if missing, damaged or of another space."""
        index = cls(space, dim)
        try:
            sums, index._held = _read_table(path, space, dim)
            for number, checksum in enumerate(sums.tolist()):
                _let_others_run()
                part = _Graph.load(_graph(path, number), dim, number * _PART, checksum)
                index._parts.append(part)
        except FileNotFoundError as error:
            message = tr("The index {file} is missing.", file=path.name)
            raise IndexUnusable(message, _REBUILD) from error
        except (OSError, RuntimeError) as error:
            message = tr("Could not read the index {file}.", file=path.name)
            raise IndexUnusable(message, _REBUILD) from error
        labels = index._held["label"]
        index._papers = np.zeros(sum(map(len, index._parts)), np.int64)
        if len(labels) and labels.max() >= len(index._papers):
            raise _damaged(path)
        index._papers[labels] = index._held["id"]
        for number, part in enumerate(index._parts):
            part.live = int((labels // _PART == number).sum())
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
                tr(
                    "The model's output has the shape {shape}, but the index expects {expected}.",
                    shape=shape,
                    expected=expected,
                ),
                tr("The index was built with another model. Rebuild the index."),
            )

    def _add(
        self, ids: NDArray[np.int64], vectors: NDArray[np.float32], stamps: NDArray[np.int64]
    ) -> None:
        first = len(self._papers)
        if first == len(self._parts) * _PART:
            self._parts.append(_Graph(self.dim, first))
        added = np.empty(len(ids), _HELD)
        added["id"], added["stamp"] = ids, stamps
        added["label"] = np.arange(first, first + len(ids))
        self._parts[-1].add(vectors, added["label"])
        self._papers = np.concatenate([self._papers, ids])
        held = np.concatenate([self._held, added])
        self._held = held[np.argsort(held["id"])]


class _Graph:
    """One graph, whose labels begin with `first`; `live` of them belong to indexed papers."""

    def __init__(self, dim: int, first: int) -> None:
        self._first = first
        self._graph = hnswlib.Index("ip", dim)
        self._graph.init_index(1024, M=_LINKS, ef_construction=_CARE, random_seed=1)
        self.live = 0
        self.saved_at: Path | None = None  # the file that holds its present state
        self.checksum = 0  # of that file

    def __len__(self) -> int:
        return int(self._graph.get_current_count())

    def add(self, vectors: NDArray[np.float32], labels: NDArray[np.int64]) -> None:
        needed = len(self) + len(labels)
        if needed > self._graph.get_max_elements():
            self._graph.resize_index(min(needed + needed // 4, _PART))
        self._graph.add_items(vectors, labels - self._first)
        self.live += len(labels)
        self.saved_at = None

    def remove(self, label: int) -> None:
        self._graph.mark_deleted(label - self._first)
        self.live -= 1
        self.saved_at = None

    def nearest(
        self, vector: NDArray[np.float32], k: int, breadth: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Labels of the nearest, and distances. Raises IndexUnusable if papers are missing."""
        k = min(k, self.live)
        if k < 1:  # hnswlib crashes when an index without papers is searched
            return np.empty(0, np.int64), np.empty(0, np.float32)
        self._graph.set_ef(max(breadth, 2 * k))
        try:
            labels, distances = self._graph.knn_query(vector, k, num_threads=1)
        except RuntimeError as error:
            raise IndexUnusable(tr("Papers are missing from the index."), _REBUILD) from error
        return labels[0].astype(np.int64) + self._first, distances[0]

    def save(self, path: Path) -> None:
        self._graph.save_index(str(path))
        self.checksum = _checksum(path)

    @classmethod
    def load(cls, path: Path, dim: int, first: int, checksum: int) -> _Graph:
        """Read a graph as it was saved, whose file must have this checksum. Raises
        IndexUnusable."""
        # hnswlib does not validate its files, and crashes later. The checksum also detects a graph
        # from another save, if the writer was killed between the files.
        if _checksum(path) != checksum:
            raise _damaged(path)
        part = cls(dim, first)
        part._graph = hnswlib.Index("ip", dim)
        part._graph.load_index(str(path))
        part.saved_at, part.checksum = path, checksum
        return part


def _read_table(path: Path, space: str, dim: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """The checksums of the graphs, and the table of contents."""
    whole = path.read_bytes()
    if len(whole) < _HEADER.size:
        raise _damaged(path)
    *about, graphs, rest = _HEADER.unpack_from(whole)
    if about != [_MAGIC, _FORMAT, dim, space.encode().ljust(40, b"\0")]:
        raise IndexUnusable(
            tr("The index {file} was built with another model.", file=path.name), _REBUILD
        )
    if zlib.crc32(whole[_HEADER.size :]) != rest:
        raise _damaged(path)
    sums = np.frombuffer(whole, "<u4", graphs, _HEADER.size)
    return sums, np.frombuffer(whole, _HELD, offset=_HEADER.size + sums.nbytes)


def _let_others_run() -> None:
    if threading.active_count() > 1:
        time.sleep(_PAUSE)


def _damaged(path: Path) -> IndexUnusable:
    return IndexUnusable(tr("The index {file} is damaged.", file=path.name), _REBUILD)


def _graph(path: Path, number: int) -> Path:
    return path.with_name(f"{path.name}.{number}")


def _drop_graphs(path: Path, first: int) -> None:
    """Delete the graphs of a larger, earlier index."""
    for number in count(first):
        if not _graph(path, number).exists():
            return
        _graph(path, number).unlink()


def _new(path: Path) -> Path:
    return path.with_name(path.name + ".new")


def _checksum(path: Path) -> int:
    total = 0
    with path.open("rb") as file:
        while part := file.read(1 << 20):
            total = zlib.crc32(part, total)
    return total
