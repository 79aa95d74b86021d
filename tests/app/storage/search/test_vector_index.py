"""The vector index agrees with exact search, or nearly so, after any additions and removals."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    rule,
    run_state_machine_as_test,
)

from sciread_app.errors import IndexUnusable
from sciread_app.storage.search import vector_index
from sciread_app.storage.search.vector_index import VectorIndex

DIM = 16


def units(count: int, seed: int = 0) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(count, DIM))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def filled(count: int, seed: int = 0) -> VectorIndex:
    index = VectorIndex("a", DIM)
    index.add(np.arange(count), units(count, seed), np.arange(count) + 100)
    return index


def test_nearest_is_sorted_with_similarities():
    vectors = units(2_000)
    index = filled(2_000)

    ids, similarities = index.nearest(vectors[5], 10)

    exact = vectors @ vectors[5]
    assert ids.tolist() == np.argsort(-exact)[:10].tolist()
    assert np.allclose(similarities, exact[ids], atol=1e-6)


def test_recall_among_many_vectors_is_high():
    draw = np.random.default_rng(7)
    centres = draw.normal(size=(60, 48))
    vectors = centres[draw.integers(60, size=12_000)] + draw.normal(size=(12_000, 48)) * 0.7
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    index = VectorIndex("a", 48)
    index.add(np.arange(12_000), vectors, np.zeros(12_000, np.int64))

    queries = vectors[draw.choice(12_000, 100, replace=False)]
    exact = np.argpartition(-(queries @ vectors.T), 20, axis=1)[:, :20]
    found = [index.nearest(query, 20)[0] for query in queries]

    recall = np.mean([len(set(a) & set(b)) / 20 for a, b in zip(found, exact, strict=True)])
    assert recall >= 0.98


def test_empty_index_returns_nothing():
    index = VectorIndex("a", DIM)
    assert index.nearest(units(1)[0], 10)[0].tolist() == []
    index.remove(np.array([3]))
    index.add(np.array([3]), units(1), np.array([1]))
    index.remove(np.array([3]))
    assert index.nearest(units(1)[0], 10)[0].tolist() == []


def test_nearest_with_large_k_returns_all():
    assert sorted(filled(7).nearest(units(1)[0], 100)[0]) == list(range(7))
    assert filled(7).nearest(units(1)[0], 0)[0].tolist() == []


def test_vectors_of_other_dimension_are_refused():
    index = filled(5)
    with pytest.raises(IndexUnusable):
        index.nearest(np.ones(DIM + 1, np.float32), 3)
    with pytest.raises(IndexUnusable):
        index.add(np.array([9]), np.ones((1, DIM - 1), np.float32), np.array([1]))
    assert len(index) == 5


def test_removals_do_not_shorten_results():
    vectors = units(5_000)
    index = filled(5_000)
    nearest = np.argsort(-(vectors @ vectors[0]))
    index.remove(nearest[:4_900])
    ids, _ = index.nearest(vectors[0], 50)
    assert ids.tolist() == nearest[4_900:4_950].tolist()


def test_index_needs_rebuild_after_many_removals():
    index = filled(100)
    index.remove(np.arange(10))
    assert not index.needs_rebuild
    index.remove(np.arange(11))
    assert index.needs_rebuild


class IndexMachine(RuleBasedStateMachine):
    """After adding, changing, removing and reloading, results equal those of brute force."""

    def __init__(self):
        super().__init__()
        self.index = VectorIndex("a", DIM)
        self.known: dict[int, tuple[np.ndarray, int]] = {}
        self.stamp = 0

    @rule(ids=st.lists(st.integers(0, 40), min_size=1, max_size=30, unique=True))
    def add(self, ids):
        self.stamp += 1
        vectors = units(len(ids), seed=self.stamp)
        self.index.add(np.array(ids), vectors, np.full(len(ids), self.stamp))
        self.known |= {id: (v, self.stamp) for id, v in zip(ids, vectors, strict=True)}

    @rule(ids=st.lists(st.integers(0, 45), max_size=10))
    def remove(self, ids):
        self.index.remove(np.array(ids, np.int64))
        for id in ids:
            self.known.pop(id, None)

    @rule()
    def save_and_load(self):
        self.index.save(self.path)
        self.index = VectorIndex.load(self.path, "a", DIM)

    @invariant()
    def agrees_with_brute_force(self):
        ids = np.array(sorted(self.known), np.int64)
        held, stamps = self.index.contents()
        assert held.tolist() == ids.tolist()
        assert stamps.tolist() == [self.known[id][1] for id in ids.tolist()]
        query = units(1, seed=999)[0]
        found, similarities = self.index.nearest(query, 8)
        exact = sorted((float(v @ query) for v, _ in self.known.values()), reverse=True)[:8]
        assert np.allclose(similarities, exact, atol=1e-5)
        assert all(
            np.isclose(self.known[id][0] @ query, s, atol=1e-5)
            for id, s in zip(found.tolist(), similarities, strict=True)
        )


def test_index_agrees_with_brute_force_after_any_operations(tmp_path, monkeypatch):
    monkeypatch.setattr(vector_index, "_PART", 12)
    IndexMachine.path = tmp_path / "a.hnsw"
    run_state_machine_as_test(
        IndexMachine, settings=settings(max_examples=40, stateful_step_count=15, deadline=None)
    )


class RecordingGraph:
    """A graph that starts a search at every addition and records the order of events."""

    def __init__(self, index: VectorIndex) -> None:
        self._index, self._graph = index, index._parts[0]._graph
        self.events: list[str] = []
        self.searches: list[threading.Thread] = []

    def __getattr__(self, name):
        return getattr(self._graph, name)

    def add_items(self, *arguments):
        self.events.append("added")
        self._graph.add_items(*arguments)
        search = threading.Thread(target=self._index.nearest, args=(units(1)[0], 3))
        search.start()
        self.searches.append(search)
        while not self._index._queue.locked():  # until the search waits for the lock
            time.sleep(0.001)

    def knn_query(self, *arguments, **more):
        self.events.append("searched")
        return self._graph.knn_query(*arguments, **more)


def test_search_does_not_wait_until_all_vectors_are_added():
    index = filled(10)
    watched = index._parts[0]._graph = RecordingGraph(index)
    count = 30 * vector_index._SLICE
    index.add(np.arange(10, 10 + count), units(count), np.zeros(count, np.int64))
    for search in watched.searches:
        search.join()
    assert watched.events == ["added", "searched"] * 30


def test_saved_index_is_loaded_unchanged(tmp_path):
    index = filled(300)
    index.remove(np.arange(20))
    index.save(tmp_path / "new folder" / "a.hnsw")

    loaded = VectorIndex.load(tmp_path / "new folder" / "a.hnsw", "a", DIM)

    query = units(1, seed=9)[0]
    assert loaded.nearest(query, 50)[0].tolist() == index.nearest(query, 50)[0].tolist()
    assert [c.tolist() for c in loaded.contents()] == [c.tolist() for c in index.contents()]
    loaded.add(np.arange(1_000, 3_000), units(2_000, seed=4), np.zeros(2_000, np.int64))
    assert len(loaded) == 2_280


def test_only_changed_graphs_are_written_again(tmp_path, monkeypatch):
    monkeypatch.setattr(vector_index, "_PART", 100)
    filled(250).save(tmp_path / "a.hnsw")
    graphs = [tmp_path / f"a.hnsw.{number}" for number in range(3)]
    before = [graph.stat().st_ino for graph in graphs]
    index = VectorIndex.load(tmp_path / "a.hnsw", "a", DIM)
    index.remove(np.array([120]))
    index.save(tmp_path / "a.hnsw")
    after = [graph.stat().st_ino for graph in graphs]
    assert [a != b for a, b in zip(after, before, strict=True)] == [False, True, False]
    assert len(VectorIndex.load(tmp_path / "a.hnsw", "a", DIM)) == 249


def test_smaller_index_removes_files_of_larger_one(tmp_path, monkeypatch):
    monkeypatch.setattr(vector_index, "_PART", 100)
    filled(250).save(tmp_path / "a.hnsw")
    filled(90).save(tmp_path / "a.hnsw")
    left = {file.name for file in tmp_path.iterdir() if file.suffix != ".lock"}
    assert left == {"a.hnsw", "a.hnsw.0"}


def test_empty_index_can_be_saved_and_loaded(tmp_path):
    VectorIndex("a", DIM).save(tmp_path / "a.hnsw")
    loaded = VectorIndex.load(tmp_path / "a.hnsw", "a", DIM)
    loaded.add(np.array([4]), units(1), np.array([1]))
    assert loaded.nearest(units(1)[0], 3)[0].tolist() == [4]


@pytest.mark.parametrize(("space", "dim"), [("b", DIM), ("a", DIM + 1)])
def test_index_of_another_model_is_refused(tmp_path, space, dim):
    filled(10).save(tmp_path / "a.hnsw")
    with pytest.raises(IndexUnusable, match="another model"):
        VectorIndex.load(tmp_path / "a.hnsw", space, dim)


@pytest.mark.parametrize("name", ["a.hnsw", "a.hnsw.0", "a.hnsw.2"])
def test_index_damaged_at_any_byte_is_refused(tmp_path, name, monkeypatch):
    monkeypatch.setattr(vector_index, "_PART", 15)
    filled(40).save(tmp_path / "a.hnsw")
    file = tmp_path / name
    whole = file.read_bytes()
    for place in range(0, len(whole), max(1, len(whole) // 97)):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        with pytest.raises(IndexUnusable):
            VectorIndex.load(tmp_path / "a.hnsw", "a", DIM)
        file.write_bytes(whole[:place])
        with pytest.raises(IndexUnusable):
            VectorIndex.load(tmp_path / "a.hnsw", "a", DIM)
    file.unlink()
    with pytest.raises(IndexUnusable):
        VectorIndex.load(tmp_path / "a.hnsw", "a", DIM)


def test_graph_of_another_index_is_refused(tmp_path):
    """As after a kill between the writes of two files."""
    filled(40, seed=1).save(tmp_path / "old.hnsw")
    filled(40, seed=2).save(tmp_path / "a.hnsw")
    (tmp_path / "old.hnsw.0").replace(tmp_path / "a.hnsw.0")
    with pytest.raises(IndexUnusable):
        VectorIndex.load(tmp_path / "a.hnsw", "a", DIM)


def test_killed_save_leaves_old_index(tmp_path, monkeypatch):
    filled(40).save(tmp_path / "a.hnsw")
    monkeypatch.setattr("pathlib.Path.replace", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        filled(10).save(tmp_path / "a.hnsw")
    assert len(VectorIndex.load(tmp_path / "a.hnsw", "a", DIM)) == 40
