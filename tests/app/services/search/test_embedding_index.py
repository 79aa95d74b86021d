"""The embedding index agrees with brute force after any change of the library."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from sciread_app.encoder import EncoderProcess
from sciread_app.errors import Cancelled, EncoderFailed, IndexUnusable
from sciread_app.services.search.embedding_index import EmbeddingIndex
from sciread_app.storage.library import Library
from sciread_app.storage.search.vector_index import VectorIndex
from sciread_app.tasks import Task
from tests.support.generate.papers import paper
from tests.support.models.fake_encoder import FakeEncoder
from tests.support.models.small_spaces import brute_force, papers
from tests.support.models.tiny_model import tiny_package
from trainer.contract.package import starter_package


def test_nearest_finds_papers_once_all_are_encoded(library, space, encoder):
    library.put(papers(1_300))
    query = space.encode_query("something")
    assert space.nearest(query, 10)[0].tolist() == []

    assert space.encode_missing() == 1_300
    assert space.encode_missing() == 0

    for k in (1, 10, 200, 5_000):  # from the index, and by brute force
        ids, similarities = space.nearest(query, k)
        assert np.allclose(similarities, brute_force(library, encoder, query, k), atol=1e-3)
        assert len(set(ids.tolist())) == min(k, 1_300)
    assert len(encoder.calls) == 1_301


def test_embedding_index_of_empty_library_returns_nothing(space):
    assert space.encode_missing() == 0
    space.sync()
    query = space.encode_query("something")
    assert space.nearest(query, 10)[0].tolist() == []
    assert space.nearest_among(query, np.array([1, 2]), 10)[0].tolist() == []
    assert space.vectors([1])[1].tolist() == [False]
    assert space.percentile(0.5) == 0
    assert space.problems() == []
    space.close()


def test_nearest_among_papers_is_exact_and_complete(library, space, encoder):
    library.put(papers(900))
    space.encode_missing()
    query = space.encode_query("something")
    some = np.random.default_rng(0).choice(library.ids(), 300, replace=False)

    ids, similarities = space.nearest_among(query, np.append(some, [10**6, *some[:5]]), 50)

    everything = {i: float(encoder.vector(*library.texts([i])[0]) @ query) for i in some.tolist()}
    assert np.allclose(similarities, sorted(everything.values(), reverse=True)[:50], atol=1e-3)
    assert len(set(ids.tolist()) & set(some.tolist())) == 50
    assert len(space.nearest_among(query, some, 1_000)[0]) == 300


def test_query_is_encoded_with_the_query_template_of_the_model(library, tmp_path):
    model = tiny_package(
        tmp_path / "tiny",
        template="{title} {abstract}",
        query_template="we study neural papers of {title}",
    )
    encoder = EncoderProcess(model.folder)
    space = EmbeddingIndex(library, encoder, tmp_path / "indexes")
    plain, with_prompt = encoder.encode(
        [("deep study", ""), ("we study neural papers of deep study", "")]
    )
    assert not np.allclose(plain, with_prompt, atol=5e-3)
    assert np.allclose(space.encode_query("deep study"), with_prompt, atol=1e-3)
    assert np.allclose(space.encode_sentences(["deep study"]), [plain], atol=1e-3)
    encoder.close()
    space.close()


def test_vectors_reports_papers_without_vector(library, space, encoder):
    library.put(papers(3))
    space.encode_missing()
    library.put(papers(1, start=3))
    vectors, known = space.vectors([3, 99, 4, 1])
    assert known.tolist() == [True, False, False, True]
    assert np.allclose(vectors[0], encoder.vector("Paper number 2", "About 2"), atol=1e-3)
    assert not vectors[1:3].any()


def test_percentile_is_share_of_random_pairs_below(library, space, encoder):
    library.put(papers(400))
    space.encode_missing()
    vectors, _ = space.vectors(library.ids())
    pairs = (vectors @ vectors.T)[~np.eye(400, dtype=bool)]
    for similarity in (-2, -0.3, 0.0, 0.1, 2):
        assert space.percentile(similarity) == pytest.approx((pairs < similarity).mean(), abs=0.02)
    assert space.percentile(0.1) == space.percentile(0.1)


def test_other_model_has_separate_vectors(library, space, tmp_path):
    library.put(papers(50))
    space.encode_missing()
    other = EmbeddingIndex(library, FakeEncoder("other", dim=8), tmp_path / "indexes")
    assert other.encode_missing() == 50
    assert other.vectors([1])[0].shape == (1, 8)
    assert space.vectors([1])[0].shape == (1, 32)
    assert space.problems() == other.problems() == []


def test_sync_sees_changes_of_another_process(library, space, another, encoder):
    library.put(papers(600))
    space.encode_missing()
    another.sync()
    query = another.encode_query("something")

    library.trash(another.nearest(query, 20)[0].tolist())
    library.edit(50, abstract="another text altogether")
    library.put(papers(30, start=600))
    space.encode_missing()
    another.sync()

    best = brute_force(library, encoder, query, 30)
    for one in (space, another):
        assert np.allclose(one.nearest(query, 30)[1], best, atol=1e-3)
        assert np.allclose(one.nearest_among(query, library.ids(), 30)[1], best, atol=1e-3)


def test_untrashed_papers_are_found_without_encoding(library, space, encoder):
    library.put(papers(300))
    space.encode_missing()
    library.trash(range(1, 100))
    space.sync()
    library.untrash(range(1, 100))
    assert space.encode_missing() == 0
    query = space.encode_query("something")
    assert np.allclose(
        space.nearest(query, 20)[1], brute_force(library, encoder, query, 20), atol=1e-3
    )


def test_restored_text_is_not_encoded_again(library, space, encoder):
    library.put(papers(20))
    space.encode_missing()
    library.edit(3, abstract="for a while")
    space.encode_missing()
    library.edit(3, abstract="About 2")
    assert space.encode_missing() == 1
    assert len(encoder.calls) == 21
    assert np.allclose(
        space.vectors([3])[0][0], encoder.vector("Paper number 2", "About 2"), atol=1e-3
    )


def test_cancelled_encoding_keeps_finished_batches(library, encoder, tmp_path):
    task = Task()
    encoder = FakeEncoder(on_text=lambda text: task.cancel() if "800" in text[0] else None)
    space = EmbeddingIndex(library, encoder, tmp_path / "indexes")
    library.put(papers(1_500))
    with pytest.raises(Cancelled):
        space.encode_missing(task)
    kept = space.count()  # in batches whose size depends on the time they take
    assert 0 < kept < 1_500
    assert space.encode_missing() == 1_500 - kept
    assert len(set(encoder.calls)) == 1_500


def test_recovery_of_known_vectors_is_canceled_between_batches(library, space):
    library.put(papers(1_100))
    space.encode_missing()
    library.drop_vectors(space.key, library.ids().tolist())
    task = Task(lambda *progress: task.cancel())
    with pytest.raises(Cancelled):
        space.encode_missing(task)
    assert space.count() < 1_100


def test_encoding_progress_counts_all_papers(library, space):
    library.put(papers(1_100))
    steps = []
    space.encode_missing(Task(lambda done, total, note: steps.append((done, total))))
    assert steps == sorted(steps)
    assert {total for _, total in steps} == {1_100}
    assert steps[-1] == (1_100, 1_100)


def test_encoding_rejects_nan_vectors(library, space, encoder, monkeypatch):
    library.put(papers(5))
    monkeypatch.setattr(encoder, "vector", lambda *text: np.full(32, np.nan))
    with pytest.raises(EncoderFailed):
        space.encode_missing()
    assert space.count() == 0


def test_paper_edited_while_encoded_is_encoded_next_time(library, tmp_path):
    def change(text):
        if text == ("Paper number 4", "About 4"):
            library.edit(5, abstract="changed in between")

    encoder = FakeEncoder(on_text=change)
    space = EmbeddingIndex(library, encoder, tmp_path / "indexes")
    library.put(papers(10))
    space.encode_missing()
    assert space.encode_missing() == 1
    assert np.allclose(
        space.vectors([5])[0][0], encoder.vector("Paper number 4", "changed in between"), atol=1e-3
    )


def test_text_edited_during_encoding_gets_no_stale_vector(library, tmp_path):
    def change(text):
        if text[0] == "Paper number 4":
            library.edit(600, abstract="for a moment")

    encoder = FakeEncoder(on_text=change)
    space = EmbeddingIndex(library, encoder, tmp_path / "indexes")
    library.put(papers(600))
    assert space.encode_missing() == 599

    library.edit(600, abstract="About 599")
    space.encode_missing()
    expected = encoder.vector("Paper number 599", "About 599")
    assert np.allclose(space.vectors([600])[0][0], expected, atol=1e-3)


def test_index_is_rebuilt_after_many_removals(library, space, tmp_path):
    library.put(papers(1_000))
    space.encode_missing()
    space.close()
    graph = tmp_path / "indexes" / "fake.hnsw.0"
    before = graph.stat().st_size
    library.trash(range(1, 301))
    space.sync()
    space.close()
    assert graph.stat().st_size == pytest.approx(before * 0.7, rel=0.05)


def test_failing_index_falls_back_to_brute_force_and_is_rebuilt(
    library, space, encoder, tmp_path, monkeypatch
):
    library.put(papers(500))
    space.encode_missing()
    query = space.encode_query("something")
    best = brute_force(library, encoder, query, 10)

    def fail(index, vector, k):
        raise IndexUnusable("Papers are missing from the index.")

    monkeypatch.setattr(VectorIndex, "nearest", fail)
    assert np.allclose(space.nearest(query, 10)[1], best, atol=1e-3)
    monkeypatch.undo()
    space.sync()
    space.close()
    assert len(VectorIndex.load(tmp_path / "indexes" / "fake.hnsw", "fake", 32)) == 500


@pytest.mark.parametrize("damage", ["lost", "graph lost", "garbled", "of another day"])
def test_damaged_index_is_rebuilt(library, space, another, tmp_path, damage):
    library.put(papers(700))
    space.encode_missing()
    space.close()
    path = tmp_path / "indexes" / "fake.hnsw"
    graph = path.with_name("fake.hnsw.0")
    if damage == "lost":
        path.unlink()
    elif damage == "graph lost":
        graph.unlink()
    elif damage == "garbled":
        graph.write_bytes(graph.read_bytes()[:-2_000] + os.urandom(2_000))
    else:
        VectorIndex("fake", 32).save(path)
    assert len(another.problems()) == 1

    another.sync()

    assert another.problems() == []
    another.close()
    assert len(VectorIndex.load(path, "fake", 32)) == 700
    query = space.encode_query("something")
    assert another.nearest(query, 20)[0].tolist() == space.nearest(query, 20)[0].tolist()


def test_missing_vectors_are_reported_and_encoded_again(library, space, another, tmp_path):
    library.put(papers(700))
    space.encode_missing()
    space.close()
    path = tmp_path / "indexes" / "fake.vectors"
    shorter = path.read_bytes()[:-10_000]
    path.unlink()  # truncating it in place would kill a process that has it mapped
    path.write_bytes(shorter)

    (problem,) = another.problems()
    assert "are missing or damaged" in problem
    query = another.encode_query("something")
    found = len(another.nearest(query, 700)[0])
    assert 0 < found < 700
    assert another.encode_missing() == 700 - found
    assert another.problems() == []
    assert len(another.nearest(query, 700)[0]) == 700


def test_damaged_vector_is_found_and_encoded_again(library, space, tmp_path, encoder):
    library.put(papers(100))
    space.encode_missing()
    path = tmp_path / "indexes" / "fake.vectors"
    whole = bytearray(path.read_bytes())
    whole[72 + 10 * 72 : 72 + 10 * 72 + 40] = b"\x3c" * 40  # of the eleventh row
    path.write_bytes(whole)

    doctor = EmbeddingIndex(library, encoder, tmp_path / "indexes")
    assert "fake.vectors" in doctor.problems()[0]
    doctor.rebuild()
    assert doctor.problems() == []
    assert doctor.encode_missing() == 1
    assert np.allclose(
        doctor.vectors([11])[0][0], encoder.vector("Paper number 10", "About 10"), atol=1e-3
    )


def test_unused_rows_are_freed(library, space, another, tmp_path, encoder):
    library.put(papers(1_600))
    space.encode_missing()
    another.sync()
    path = tmp_path / "indexes" / "fake.vectors"
    before = path.stat().st_size
    library.trash(range(1, 1_001))
    space.encode_missing()

    assert path.stat().st_size < before / 2
    query = space.encode_query("something")
    best = brute_force(library, encoder, query, 600)
    # The other index still returns its old papers, and the present ones after sync.
    assert len(another.nearest_among(query, library.ids(), 600)[0]) == 600
    another.sync()
    for one in (space, another):
        assert np.allclose(one.nearest(query, 600)[1], best, atol=1e-3)
        assert one.problems() == []

    library.untrash(range(1, 11))
    assert space.encode_missing() == 10
    assert len(encoder.calls) == 1_600 + 1 + 10


def test_concurrent_query_does_not_hide_papers_encoded_meanwhile(
    library, space, another, monkeypatch
):
    library.put(papers(100))
    another.encode_missing(most=40)
    look, has_looked, has_read = library.vector_rows, threading.Event(), threading.Event()

    def look_slowly(key):
        rows = look(key)
        if threading.current_thread() is asking:
            has_looked.set()
            assert has_read.wait(60)
        return rows

    monkeypatch.setattr(library, "vector_rows", look_slowly)
    asking = threading.Thread(target=space.count)
    asking.start()
    assert has_looked.wait(60)
    assert space.encode_missing() == 60
    has_read.set()
    asking.join(60)
    assert space.count_without_vector(library.ids()) == 0


def test_queries_are_answered_during_encoding(library, space, encoder):
    library.put(papers(3_000))
    query, failures = encoder.vector("something"), []
    done = threading.Event()

    def ask() -> None:
        while not done.is_set():
            before = space.count()
            few, many = space.nearest(query, 5)[0], space.nearest_among(query, library.ids(), 50)[0]
            if len(few) < min(5, before) or len(many) < min(50, before):
                failures.append((before, len(few), len(many)))

    asking = threading.Thread(target=ask)
    asking.start()
    space.encode_missing()
    done.set()
    asking.join()
    assert failures == []


class ChangingLibrary(RuleBasedStateMachine):
    """A library that changes: after sync, both indexes on it agree with brute force."""

    folder: Path
    number = 0

    @initialize()
    def open(self):
        ChangingLibrary.number += 1
        home = self.folder / str(ChangingLibrary.number)
        home.mkdir()
        self.library = Library(home / "library.sqlite3")
        self.encoder = FakeEncoder()
        self.spaces = [
            EmbeddingIndex(self.library, self.encoder, home / "indexes") for _ in range(2)
        ]
        self.titles = 0

    @rule(count=st.integers(1, 60))
    def add(self, count):
        self.library.put(papers(count, start=self.titles))
        self.titles += count

    @rule(id=st.integers(1, 60), text=st.sampled_from(["x", "y", "z"]))
    def change(self, id, text):
        if id in self.library.ids():
            self.library.edit(id, abstract=text)

    @rule(ids=st.lists(st.integers(1, 120), max_size=20))
    def trash(self, ids):
        self.library.trash(ids)

    @rule(ids=st.lists(st.integers(1, 120), max_size=20))
    def untrash(self, ids):
        self.library.untrash(ids)

    @rule(which=st.integers(0, 1))
    def close(self, which):
        self.spaces[which].close()

    @rule(which=st.integers(0, 1))
    def lose_the_index(self, which):
        self.spaces[which]._drop_index()

    @invariant()
    def nearest_agrees_with_brute_force(self):
        query = self.encoder.vector("something")
        self.spaces[0].encode_missing()
        self.spaces[1].sync()
        ids = self.library.ids()
        for space in self.spaces:
            for k in (5, 300):
                found = space.nearest(query, k)
                best = brute_force(self.library, self.encoder, query, k)
                assert np.allclose(found[1], best, atol=1e-3)
                among = space.nearest_among(query, ids[::2], k)[0]
                assert len(among) == min(k, len(ids[::2]))


def test_random_library_changes_keep_nearest_equal_to_brute_force(tmp_path):
    ChangingLibrary.folder = tmp_path
    run_state_machine_as_test(
        ChangingLibrary, settings=settings(max_examples=12, stateful_step_count=12, deadline=None)
    )


@pytest.mark.slow
def test_real_model_finds_paper_by_meaning(library, tmp_path):
    library.put(
        [
            paper("Attention is all you need", abstract="A network built on attention alone."),
            paper("Observation of gravitational waves from a binary black hole merger"),
            paper("The structure of DNA", abstract="Two helical chains of nucleotides."),
        ]
    )
    space = EmbeddingIndex(library, EncoderProcess(starter_package()), tmp_path / "indexes")
    assert space.encode_missing() == 3
    for query, expected in (
        ("transformer language models", 1),
        ("ripples in spacetime from colliding stars", 2),
        ("genetic molecule double helix", 3),
    ):
        ids, similarities = space.nearest(space.encode_query(query), 3)
        assert ids[0] == expected
        assert similarities[0] > similarities[1]
    space.close()


def test_trashed_papers_are_not_counted_among_those_without_vector(library, space):
    library.put(papers(4))
    assert space.count_without_vector(library.ids()) == 4
    space.encode_missing()
    library.trash([1, 2])
    library.put(papers(1, start=9))
    assert space.count_without_vector(library.ids()) == 1
