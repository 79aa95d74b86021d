"""Vectors of the library's papers in one model's space, and nearest-neighbor search in them."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from sciread_app.domain.matching.record_keys import text_hash
from sciread_app.domain.paper import Paper
from sciread_app.encoder import EncoderProcess
from sciread_app.errors import EncoderFailed, IndexUnusable
from sciread_app.language import tr, trn
from sciread_app.storage.id_sets import Ids, distinct
from sciread_app.storage.library import Library
from sciread_app.storage.search.vector_file import VectorFile
from sciread_app.storage.search.vector_index import VectorIndex
from sciread_app.storage.search.vector_snapshot import Snapshot, are_unit
from sciread_app.tasks import Task

log = logging.getLogger(__name__)

T = TypeVar("T")
Vector = NDArray[np.float32]
Ranking = tuple[Ids, NDArray[np.float32]]  # papers and similarities, best first

# For more results than this share of all papers, a graph is no faster than exhaustive search.
_FEW = 0.1
# Saving the index stops every thread (hnswlib does not release the GIL): 20,000 papers take some
# 40 ms. So it is saved at the end, and before that only when so much is new: papers, and share of
# the index. An index that was never saved is rebuilt from the vectors, 2,000 papers a second.
_WORTH = 20_000
_GROWN = 0.5
# Unused rows of the vector file are reclaimed when they are this share of it.
_UNUSED = 0.25
_PAIRS = 20_000
# Papers encoded at a time: few at first and with slow models, so that little is lost by a kill.
FIRST_BATCH, LARGEST_BATCH = 32, 512
_BATCH_SECONDS = 4.0  # that a batch may take; larger ones are a little faster on the whole


class _MovedMeanwhile(Exception):
    """Another process reclaimed the rows first: nothing is left to do."""


class Sampled(Generic[T]):
    """A value computed from the vectors of the library, and recomputed when their number has
    changed by a quarter."""

    def __init__(self) -> None:
        self._known: tuple[int, T] | None = None

    def get(self, count: int, compute: Callable[[], T]) -> T:
        """Return the value for `count` vectors."""
        if self._known is None or abs(count - self._known[0]) > self._known[0] / 4:
            self._known = count, compute()
        return self._known[1]


class EmbeddingIndex:
    """The vectors of the library in one model's space, and the index over them.

    Queries may come from any thread at any time, also before the model's process has started and
    while `encode_missing` runs in another thread. Papers without a vector are not found. Changes
    made by other processes are visible after `sync`. Without a graph index, which `sync` loads or
    builds, results are exact, but slower.
    """

    def __init__(self, library: Library, encoder: EncoderProcess, folder: Path) -> None:
        self.key = encoder.space
        self.dim = encoder.dim
        self._library = library
        self._encoder = encoder
        self._file = VectorFile(folder / f"{self.key}.vectors", self.key, self.dim)
        self._snapshot: Snapshot | None = None
        self._index: VectorIndex | None = None
        self._index_path = folder / f"{self.key}.hnsw"
        self._unsaved = 0  # papers put into the index or taken out since it was written
        self._pairs: Sampled[NDArray[np.float32]] = Sampled()
        # Serializes encode_missing, sync and rebuild; queries never wait for them.
        self._upkeep = threading.Lock()
        self._snapshot_lock = threading.Lock()  # held while the snapshot is replaced

    def count(self) -> int:
        """Return the number of papers that have a vector."""
        return len(self._known())

    def count_missing(self) -> int:
        """Return the number of papers that `encode_missing` would encode."""
        lost = int((~self._known().held()).sum())
        return lost + len(self._library.missing_vectors(self.key)[0])

    def count_without_vector(self, ids: Ids) -> int:
        """Return the number of these papers that have no vector."""
        _, known = self._known().positions(np.asarray(ids, np.int64))
        return int(len(known) - known.sum())

    def encode_query(self, text: str) -> Vector:
        """Encode the text of a query: float32 [dim]. Raises EncoderFailed."""
        vector: Vector = self.encode_queries([text])[0]
        return vector

    def encode_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Encode typed queries: float32 [texts, dim]. Raises EncoderFailed."""
        return self._encoder.encode([(text, "") for text in texts], queries=True)

    def encode_sentences(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Encode parts of papers: float32 [texts, dim]. Raises EncoderFailed."""
        return self._encoder.encode([(text, "") for text in texts])

    def knows_any(self, words: Iterable[str]) -> bool:
        """Whether one of these words is a whole token of the model, not only word pieces."""
        return self._encoder.knows_any(words)

    def nearest(self, vector: Vector, k: int) -> Ranking:
        """The k papers nearest to a vector, or all if there are fewer, by cosine similarity."""
        index = self._index
        if index is not None and k <= len(index) * _FEW:
            try:
                return index.nearest(vector, k)
            except IndexUnusable as error:
                log.warning("%s", error)
                self._drop_index()
        return self._known().best(vector, k)

    def nearest_among(self, vector: Vector, ids: Ids, k: int) -> Ranking:
        """The k of these papers nearest to a vector, by exact search."""
        snapshot = self._known()
        positions, known = snapshot.positions(distinct(ids))
        return snapshot[positions[known]].best(vector, k)

    def vectors(self, ids: Sequence[int] | Ids) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """The vectors of these papers, float32 [papers, dim], and a mask of those that have one.

        The rows of the others are zeros.
        """
        snapshot = self._known()
        positions, known = snapshot.positions(np.asarray(ids, np.int64))
        vectors = np.zeros((len(known), self.dim), np.float32)
        vectors[known], known[known] = snapshot[positions[known]].read()
        return vectors, known

    def percentile(self, similarity: float) -> float:
        """The share (0 to 1) of random pairs of papers that are less similar than this."""
        pairs = self._pairs.get(len(self._known()), self._random_pairs)
        return float(np.searchsorted(pairs, similarity) / len(pairs)) if len(pairs) else 0.0

    def encode_missing(self, task: Task | None = None, *, most: int | None = None) -> int:
        """Encode the papers without a vector of their present text, or the oldest `most` of them.
        Returns how many.

        Canceled or killed at any moment, it loses at most the current batch, which is some seconds
        of work. Raises EncoderFailed and Cancelled; finished batches stay.
        """
        task = task or Task()
        with self._upkeep:
            index = self._sync(task)
            missing, done = self._missing()[:most], 0
            for batch in _batches(len(missing)):
                part = task.part(batch.start, len(missing))
                done += self._encode_batch(missing[batch], index, part)
                self._save_if_worth(index)
            self._reclaim_rows()
            task.step(len(missing), len(missing))
        return done

    def sync(self, task: Task | None = None) -> None:
        """Bring vectors and index in line with the library, also after changes by other processes.

        The index is loaded, corrected, or rebuilt if it is missing, damaged or worn.
        """
        with self._upkeep:
            self._sync(task or Task())

    def problems(self) -> list[str]:
        """Problems of vectors and index, one sentence each. `rebuild` repairs them."""
        snapshot = self._read()
        sound = _sound(snapshot)
        problems = []
        if lost := int((~sound).sum()):
            problems.append(
                trn(
                    "{n} entry of {file} is missing or damaged.",
                    "{n} entries of {file} are missing or damaged.",
                    lost,
                    file=self._file.path.name,
                )
            )
        try:
            index = self._index or VectorIndex.load(self._index_path, self.key, self.dim)
        except IndexUnusable as error:
            return problems + ([str(error)] if len(snapshot) else [])
        gone, lacking = _differences(index, snapshot)
        return problems + self._misfits(len(gone), int(sound[lacking].sum()))

    def _misfits(self, gone: int, lacks: int) -> list[str]:
        too_many = trn(
            "The index {file} contains {n} outdated paper.",
            "The index {file} contains {n} outdated papers.",
            gone,
            file=self._index_path.name,
        )
        too_few = trn(
            "The index {file} is missing {n} paper.",
            "The index {file} is missing {n} papers.",
            lacks,
            file=self._index_path.name,
        )
        return [text for text, count in ((too_many, gone), (too_few, lacks)) if count]

    def rebuild(self, task: Task | None = None) -> None:
        """Drop damaged vectors, which `encode_missing` recomputes, and rebuild the index."""
        with self._upkeep:
            snapshot = self._refresh()
            if len(damaged := snapshot.ids[~_sound(snapshot)]):
                self._library.drop_vectors(self.key, damaged.tolist())
            self._drop_index()
            self._sync(task or Task())

    def save(self) -> None:
        """Save changes of the index, unless another thread is updating it, which will save it."""
        if self._upkeep.acquire(blocking=False):
            try:
                self._save_if_changed()
            finally:
                self._upkeep.release()

    def close(self) -> None:
        """Stop the model, which ends a running `encode_missing`, and save the index."""
        self._encoder.close()
        with self._upkeep:
            self._save_if_changed()

    def _known(self) -> Snapshot:
        if before := self._snapshot:
            return before
        found = self._read()
        with self._snapshot_lock:
            if self._snapshot is before:  # else a thread that wrote papers has set a newer one
                self._snapshot = found
        return found

    def _refresh(self) -> Snapshot:
        return self._set_snapshot(self._read())

    def _read(self) -> Snapshot:
        """The current record in the library of which papers have a vector."""
        # In this order: rows that are only in a newer file would count as lost, whereas a newer
        # file than the keys know only holds more.
        return Snapshot(*self._library.vector_rows(self.key), self._file.rows())

    def _set_snapshot(self, snapshot: Snapshot) -> Snapshot:
        """Replace the snapshot; only for the thread that holds the upkeep lock."""
        with self._snapshot_lock:
            self._snapshot = snapshot
        return snapshot

    def _missing(self) -> Snapshot:
        """Papers that need a vector: without one for their text, or with one that is lost.

        Includes the row where the file already holds a vector of the same text, from a run that
        was killed before it recorded the paper, or from an earlier version of the paper.
        """
        ids, hashes = self._library.missing_vectors(self.key)
        known = self._known()
        lost = known[~known.held()]
        ids, hashes = np.append(ids, lost.ids), np.append(hashes, lost.hashes)
        order = np.argsort(ids)
        places = known.rows.find(hashes)
        return Snapshot(ids[order], places[order], hashes[order], known.rows)

    def _encode_batch(self, batch: Snapshot, index: VectorIndex, task: Task) -> int:
        task.step(0)
        vectors, found = batch.read()
        lacking = np.flatnonzero(~found)
        texts = self._library.texts(batch.ids[lacking].tolist())
        hashes = [text_hash(Paper(title=title, abstract=abstract)) for title, abstract in texts]
        # Papers changed since they were listed are left to the next run.
        as_listed = np.flatnonzero(batch.hashes[lacking] == np.array(hashes, np.int64))
        if len(as_listed):
            made = lacking[as_listed]
            vectors[made] = self._encode([texts[n] for n in as_listed], task)
            found[made] = True
        if found.any():
            self._store(batch.ids[found], batch.hashes[found], vectors[found], index)
        return int(found.sum())

    def _encode(self, texts: Sequence[tuple[str, str]], task: Task) -> NDArray[np.float32]:
        vectors = self._encoder.encode(texts, task)
        if not are_unit(vectors).all():
            raise EncoderFailed(
                tr("The model returned invalid numbers."),
                tr("Select another model."),
            )
        return vectors

    def _store(
        self, ids: Ids, hashes: Ids, vectors: NDArray[np.float32], index: VectorIndex
    ) -> None:
        """Store in file, library and index, in this order: after a kill in between, the later ones
        are corrected from the earlier."""
        first = 0

        def write(free: int) -> None:
            nonlocal first
            first = free
            self._file.write(first, vectors, hashes)

        self._library.put_vectors(self.key, ids.tolist(), hashes.tolist(), write)
        self._set_snapshot(self._known().with_papers(ids, first, hashes, self._file.rows()))
        # Rounded as they are in the file, so that the index and an exact search agree.
        index.add(ids, vectors.astype(np.float16).astype(np.float32), hashes)
        self._unsaved += len(ids)

    def _reclaim_rows(self) -> None:
        snapshot = self._refresh()
        unused = len(snapshot.rows) - len(snapshot)
        if unused < max(LARGEST_BATCH, len(snapshot.rows) * _UNUSED):
            return
        kept = snapshot[snapshot.held()]

        def move(first: int) -> None:
            if not self._file.rows().hold(kept.places, kept.hashes).all():
                raise _MovedMeanwhile
            self._file.rewrite(kept.places, first)

        # One transaction moves all keys to numbers never used before: killed before its end, they
        # point at nothing, and the vectors are found again by their hashes.
        with suppress(_MovedMeanwhile):
            self._library.put_vectors(self.key, kept.ids.tolist(), kept.hashes.tolist(), move)
        self._refresh()

    def _sync(self, task: Task) -> VectorIndex:
        snapshot = self._refresh()
        index = self._index or self._loaded()
        self._correct(index, snapshot, task)
        if index.needs_rebuild:
            self._index = None
            del index  # two would not fit into memory
            index = VectorIndex(self.key, self.dim)
            self._correct(index, snapshot, task)
        self._index = index
        self._save_if_worth(index)
        return index

    def _loaded(self) -> VectorIndex:
        try:
            return VectorIndex.load(self._index_path, self.key, self.dim)
        except IndexUnusable as error:
            log.info("%s %s", error, error.hint)
            return VectorIndex(self.key, self.dim)

    def _correct(self, index: VectorIndex, snapshot: Snapshot, task: Task) -> None:
        """Remove deleted and changed papers from the index, and add new ones."""
        gone, lacking = _differences(index, snapshot)
        index.remove(gone)
        self._unsaved += len(gone)
        done, new = 0, snapshot[lacking]
        for part in new.parts():
            task.step(done, len(new), tr("Building the index"))
            vectors, held = part.read()
            index.add(part.ids[held], vectors[held], part.hashes[held])
            self._unsaved += int(held.sum())
            done += len(part)

    def _save_if_worth(self, index: VectorIndex) -> None:
        if self._unsaved > max(_WORTH, len(index) * _GROWN):
            self._save(index)

    def _save_if_changed(self) -> None:
        if self._index is not None and self._unsaved:
            self._save(self._index)

    def _save(self, index: VectorIndex) -> None:
        index.save(self._index_path)
        self._unsaved = 0

    def _drop_index(self) -> None:
        """Drop the index; the next `sync` rebuilds it."""
        self._index = None
        self._index_path.unlink(missing_ok=True)

    def _random_pairs(self) -> NDArray[np.float32]:
        """Return the similarities of random pairs, ascending."""
        snapshot = self._known()
        if len(snapshot) < 2:
            return np.empty(0, np.float32)
        draw = np.random.default_rng(0)
        a = draw.integers(len(snapshot), size=_PAIRS)
        b = (a + draw.integers(1, len(snapshot), size=_PAIRS)) % len(snapshot)
        similarities = []
        for one, other in zip(snapshot[a].parts(), snapshot[b].parts(), strict=True):
            (vectors, held), (others, too) = one.read(), other.read()
            similarities.append(np.einsum("ij,ij->i", vectors, others)[held & too])
        return np.sort(np.concatenate(similarities))


def _batches(count: int) -> Iterator[slice]:
    """Parts of a list of so many, each as large as the time that the last one took allows."""
    start, size = 0, min(FIRST_BATCH, LARGEST_BATCH)
    while start < count:
        begun = time.monotonic()
        yield slice(start, start + size)
        took = time.monotonic() - begun
        start += size
        if took < _BATCH_SECONDS / 2:
            size = min(2 * size, LARGEST_BATCH)
        elif took > _BATCH_SECONDS:
            size = max(size // 2, 1)


def _sound(snapshot: Snapshot) -> NDArray[np.bool_]:
    return np.concatenate([np.empty(0, bool), *(part.read()[1] for part in snapshot.parts())])


def _differences(index: VectorIndex, snapshot: Snapshot) -> tuple[Ids, Ids]:
    """Ids that the index should not hold, and positions in the snapshot that it lacks."""
    ids, stamps = index.contents()
    gone = ids[~snapshot.has(ids, stamps)]
    indexed = Snapshot(ids, ids, stamps, snapshot.rows)
    return gone, np.flatnonzero(~indexed.has(snapshot.ids, snapshot.hashes))
