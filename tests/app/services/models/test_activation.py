"""Activation of a model: the old one answers until the new one is ready, whatever fails."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from sciread_app.domain.query.parser import parse
from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.errors import Cancelled, EncoderFailed, LibraryError
from sciread_app.paths import Home
from sciread_app.services.models.active_model import ActiveModel
from sciread_app.services.search.embedding_index import EmbeddingIndex
from sciread_app.storage.library import Library
from sciread_app.storage.organisation.active_model import ActiveModelStore, ModelRef
from sciread_app.storage.search.vector_file import VectorFile
from sciread_app.storage.search.vector_index import VectorIndex
from sciread_app.tasks import Task
from tests.support.generate.papers import paper
from tests.support.models.fake_models import FakeModels, vector_of
from trainer.contract.errors import PackageRefused

PAPERS = 150


@dataclass
class Program:
    """One of the processes that have the library open."""

    library: Library
    active_model: ActiveModel
    models: FakeModels

    def found(self, query: str) -> int:
        """Return the paper ranked first."""
        with self.active_model.use() as now:
            found = now.search.find(parse(query), mode=SearchMode.meaning, limit=1)
        # These models give every text an unrelated vector.
        return (found.hits + found.weaker)[0].paper

    def activate(self, model: str, task: Task | None = None):
        return self.active_model.activate(model, task or Task())


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture
def start(home: Home) -> Iterator[Callable[[], Program]]:
    started: list[Program] = []

    def start() -> Program:
        started.append(open_program(home))
        return started[-1]

    yield start
    for program in started:
        program.active_model.close()
        program.library.close()


def open_program(home: Home) -> Program:
    library, models = Library(home.library), FakeModels("a", "b", "c")
    return Program(library, ActiveModel(library, home, "a", models, models.package), models)


@pytest.fixture
def program(start) -> Program:
    program = start()
    program.library.put([paper(f"Paper {n}") for n in range(PAPERS)])
    program.active_model.encode_missing(Task())
    return program


def best(model: str, query: str) -> int:
    """The paper ranked first by a model, computed without the index."""
    scores = [vector_of(f"space-{model}", f"Paper {n}") for n in range(PAPERS)]
    return max(range(PAPERS), key=lambda n: scores[n] @ vector_of(f"space-{model}", query)) + 1


def test_activation_encodes_all_papers_while_old_model_answers(program):
    answers = []
    program.models.on_text = lambda text: (
        answers.append(program.found("bees")) if text == "Paper 7" else None
    )
    done = program.activate("b")
    assert done == ("b", "Model b", PAPERS, "a", "Model a")
    assert answers == [best("a", "bees")]
    assert program.found("bees") == best("b", "bees") != best("a", "bees")
    assert program.models.running() == ["Model b"]
    assert program.library.active_model.state().active == ModelRef("b", "space-b")
    assert program.active_model.pending() == ""


def test_activated_model_is_loaded_and_saved_at_once(program, home):
    """The model has started, and its vectors are on disk."""
    program.activate("b")
    with program.active_model.use() as now:
        assert now.is_loaded and now.index.problems() == []
    again = EmbeddingIndex(program.library, program.models("b"), home.indexes)
    assert again.problems() == []


def test_first_search_after_activation_needs_no_sampling(program, monkeypatch):
    program.activate("b")
    monkeypatch.setattr("numpy.random.default_rng", None)
    with program.active_model.use() as now:
        found = now.search.find(parse("bees in the sun and rain"), mode=SearchMode.meaning, limit=1)
    assert (found.hits + found.weaker)[0].percentile > 50


def test_activating_previous_model_encodes_nothing(program):
    program.activate("b")
    assert program.active_model.is_ready("a") and not program.active_model.is_ready("c")
    assert program.activate("a").read == 0
    assert set(program.models.opened[-1].calls) == {"paper", "a paper on some subject"}
    assert program.found("bees") == best("a", "bees")


def test_activating_active_model_cancels_pending_activation(program):
    program.library.active_model.begin("b", ModelRef("a", "space-a"))
    assert program.activate("a") == ("a", "Model a", 0, "", "")
    assert program.active_model.pending() == ""
    assert len(program.models.opened) == 1


def test_papers_added_during_activation_are_encoded(program):
    def add_papers(text: str) -> None:
        if text == "Paper 100":
            program.library.put([paper(f"New {n}") for n in range(100)])

    program.models.on_text = add_papers
    assert program.activate("b").read == PAPERS + 100
    assert len(program.library.missing_vectors("space-b")[0]) == 0


def test_paused_activation_leaves_old_model_answering_and_resumes(program):
    task, held = Task(), threading.Event()

    def hold(text: str) -> None:
        if text == "Paper 20":
            task.pause()
            held.set()

    program.models.on_text = hold
    thread = threading.Thread(target=program.activate, args=("b", task))
    thread.start()
    held.wait()
    assert program.found("bees") == best("a", "bees")
    assert program.active_model.pending() == "b"
    task.resume()
    thread.join()
    assert program.found("bees") == best("b", "bees")


def test_cancelled_activation_keeps_vectors_and_resumes(program, monkeypatch):
    monkeypatch.setattr("sciread_app.services.search.embedding_index.LARGEST_BATCH", 50)
    task = Task()
    program.models.on_text = lambda text: task.cancel() if text == "Paper 120" else None
    with pytest.raises(Cancelled):
        program.activate("b", task)
    assert program.found("bees") == best("a", "bees")
    assert program.models.running() == ["Model a"]
    assert program.active_model.pending() == "b"  # the caller decides whether it is still wanted
    program.models.on_text = lambda text: None
    assert 0 < program.activate("b").read < PAPERS


def test_activation_given_up_meanwhile_is_cancelled(program):
    program.models.on_text = lambda text: (
        program.active_model.cancel("b") if text == "Paper 7" else None
    )
    with pytest.raises(Cancelled):
        program.activate("b")
    assert program.found("bees") == best("a", "bees")
    assert program.models.running() == ["Model a"]


def test_last_requested_model_is_activated(program):
    """A second request arrives while papers are encoded for the first, and finishes earlier."""

    second = threading.Thread(target=program.activate, args=("c",))

    def other(text: str) -> None:
        if text == "Paper 7" and second.ident is None:
            second.start()
            while program.active_model.pending() == "b":
                time.sleep(0.001)

    program.models.on_text = other
    with pytest.raises(Cancelled):
        program.activate("b")
    second.join()
    assert program.found("bees") == best("c", "bees")
    assert program.models.running() == ["Model c"]
    assert program.active_model.pending() == ""


@pytest.mark.parametrize(
    ("where", "what", "error"),
    [
        (FakeModels, "__call__", PackageRefused("It is damaged.")),
        (ActiveModelStore, "begin", LibraryError("The disk is full.")),
        (VectorFile, "write", OSError("The disk is full.")),
        (Library, "put_vectors", LibraryError("The disk is full.")),
        (VectorIndex, "add", RuntimeError("Too little memory.")),
        (VectorIndex, "save", OSError("The disk is full.")),
        (EmbeddingIndex, "encode_query", EncoderFailed("It does not start.")),
        (ActiveModelStore, "switch", LibraryError("The disk is full.")),
    ],
    ids=lambda part: getattr(part, "__name__", part if isinstance(part, str) else ""),
)
def test_failed_activation_keeps_old_model_and_stops_new_process(
    program, monkeypatch, where, what, error
):
    def fail(*_: object, **__: object) -> None:
        raise error

    assert program.found("bees") == best("a", "bees")
    with monkeypatch.context() as patch:
        patch.setattr(where, what, fail)
        with pytest.raises(type(error)):
            program.activate("b")
    assert program.models.running() == ["Model a"]
    assert program.found("bees") == best("a", "bees")
    assert program.active_model.pending() == ""
    assert program.activate("b").model == "b"
    assert program.found("bees") == best("b", "bees")


def test_two_programs_activating_one_model_encode_once(program, start):
    """The second one waits for the first and finds everything encoded."""
    other, texts, begun = start(), [], threading.Event()

    def read(text: str) -> None:
        texts.append(text)
        begun.set()

    program.models.on_text = other.models.on_text = read
    first = threading.Thread(target=program.activate, args=("b",))
    first.start()
    begun.wait()
    assert other.activate("b").model == "b"
    first.join()
    assert sum(text.startswith("Paper") for text in texts) == PAPERS
    assert program.active_model.model == other.active_model.model == "b"
    assert program.found("bees") == other.found("bees") == best("b", "bees")


def test_waiting_for_another_program_can_be_cancelled(program, start):
    other, paused, reading = start(), Task(), threading.Event()
    program.models.on_text = lambda text: (paused.pause(), reading.set())
    first = threading.Thread(target=program.activate, args=("b", paused))
    first.start()
    reading.wait()

    def stop(done: int, total: int, note: str) -> None:
        if note.startswith("Waiting for another program"):
            waiting.cancel()

    waiting = Task(stop)
    with pytest.raises(Cancelled):
        other.activate("b", waiting)
    program.models.on_text = lambda text: None
    paused.resume()
    first.join()
    assert other.active_model.externally_activated_model() == "b"


def test_another_program_follows_activation(program, start):
    other = start()
    assert other.active_model.follow(Task()) is None
    assert other.found("bees") == best("a", "bees")
    program.activate("b")
    assert other.found("bees") == best("a", "bees")
    assert other.active_model.follow(Task()) == ("b", "Model b", 0, "a", "Model a")
    assert other.found("bees") == best("b", "bees")
    assert other.models.running() == ["Model b"]
    assert other.active_model.follow(Task()) is None


def test_program_that_cannot_follow_keeps_its_model(program, start):
    other = start()
    other.found("bees")
    program.activate("b")
    other.models.names.remove("b")
    with pytest.raises(PackageRefused):
        other.active_model.follow(Task())
    assert other.found("bees") == best("a", "bees")
