"""What answers is exchanged under those who ask, and each of them gets an answer of one model."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from sciread_app.errors import Cancelled, EncoderFailed
from sciread_app.services.answering import Answering
from sciread_app.services.search import Mode
from sciread_app.services.space import Space
from sciread_app.storage.active import Known
from sciread_app.tasks import Task
from tests.fake_models import FakeModel, FakeModels, vector_of
from tests.make import paper

PAPERS = 60


@pytest.fixture
def models() -> FakeModels:
    return FakeModels("a", "b", "c")


@pytest.fixture
def answering(library, tmp_path, models) -> Answering:
    library.put([paper(f"Paper {n}") for n in range(PAPERS)])
    for name in ("a", "b", "c"):
        space = Space(library, models(name), tmp_path)
        space.catch_up()
        space.close()
    models.opened.clear()
    return Answering(library, tmp_path, "a", models)


def swap(library, answering, name):
    library.active.begin(name, Known("a", "space-a"))
    assert library.active.switch(Known(name, f"space-{name}"))
    return answering.swap(answering.open(name))


def nearest(space: str, query: str, count: int = 3) -> list[int]:
    """The papers that a model finds, worked out elsewhere; ids count from 1."""
    papers = np.array([vector_of(space, f"Paper {n}") for n in range(PAPERS)])
    return (np.argsort(-(papers @ vector_of(space, query)))[:count] + 1).tolist()


def is_nearest(space: str, query: str, ids: list[int]) -> bool:
    """Two papers may lie as far from a query, as far as an index can tell."""
    scores = [
        [vector_of(space, f"Paper {id - 1}") @ vector_of(space, query) for id in some]
        for some in (ids, nearest(space, query))
    ]
    return bool(np.allclose(*scores, atol=0.01))


def found(answerer, query, count=3):
    results = answerer.search.find(query, mode=Mode.meaning, limit=count)
    return [hit.paper for hit in results.hits]


def test_who_took_what_answers_keeps_it_and_the_next_gets_the_new_one(library, answering, models):
    with answering.use() as old:
        assert found(old, "bees") == nearest("space-a", "bees")
        assert swap(library, answering, "b")
        with answering.use() as new:
            assert found(new, "bees") == nearest("space-b", "bees")
        assert found(old, "ants") == nearest("space-a", "ants")
        assert models.running() == ["Model a", "Model b"]
    assert models.running() == ["Model b"]
    assert answering.model == "b"


def test_what_nobody_uses_is_closed_at_once(library, answering, models):
    with answering.use():
        pass
    for name in "bcbc":
        assert swap(library, answering, name)
        assert models.running() == [f"Model {name}"]


def test_a_model_that_the_library_does_not_say_never_answers(library, answering, models):
    with answering.use() as now:
        late = answering.open("b")
        assert swap(library, answering, "c")
        assert not answering.swap(late)
        assert found(now, "bees") == nearest("space-a", "bees")
    assert answering.model == "c"
    assert models.running() == ["Model c"]


def test_what_the_index_has_learnt_is_written_when_a_model_makes_room(library, answering, tmp_path):
    library.put([paper("One more")])
    answering.catch_up(Task())
    with answering.use() as old:
        swap(library, answering, "b")
        old_space = old.space
    again = Space(library, FakeModel("a", lambda text: None), tmp_path)
    assert again.problems() == [] and old_space.count() == PAPERS + 1


def test_from_many_threads_and_through_many_swaps_every_answer_is_of_one_model(
    library, answering, models
):
    stop, wrong, asked = threading.Event(), [], []

    def ask(number: int) -> None:
        n = 0
        while not stop.is_set():
            n += 1
            query = f"query {number} {n}"
            with answering.use() as now:
                ids = found(now, query)
                if not is_nearest(f"space-{now.name}", query, ids):
                    wrong.append((now.name, query, ids))
            asked.append(now.name)

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for name in "bcabcab":
        before = len(asked)
        assert swap(library, answering, name)
        while len(asked) < before + 10:
            time.sleep(0.001)
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong
    assert set(asked) == {"a", "b", "c"}
    assert models.running() == ["Model b"]


def test_a_model_that_cannot_be_used_leaves_the_search_by_words(library, models, tmp_path):
    library.put([paper("On bees")])
    answering = Answering(library, tmp_path, "gone", models)
    with answering.use() as now:
        assert (now.space, now.known) == (None, Known("gone", ""))
        assert [hit.paper for hit in now.search.find("bees").hits] == [1]
        now.wake()
    assert answering.trouble == "There is no model gone. Choose another."
    assert not answering.awake
    assert answering.catch_up(Task()) == 0


def test_a_model_that_did_not_start_when_it_was_woken_answers_once_it_has_read(
    library, answering, models
):
    def die(text: str) -> None:
        raise EncoderFailed("The model could not be started.")

    models.on_text = die
    with answering.use() as now, pytest.raises(EncoderFailed):
        now.wake()
    assert answering.trouble == "The model could not be started." and not answering.awake
    models.on_text = lambda text: None
    assert answering.catch_up(Task()) == 0
    assert not answering.awake
    library.put([paper("One more")])
    assert answering.catch_up(Task()) == 1
    assert answering.awake and not answering.trouble


def test_what_another_process_has_switched_to_is_known(library, answering):
    assert answering.left_behind() == ""
    with answering.use():
        library.active.begin("b", Known("a", "space-a"))
        assert answering.left_behind() == ""
        library.active.switch(Known("b", "space-b"))
        assert (answering.model, answering.left_behind()) == ("a", "b")
        assert answering.swap(answering.open("b"))
    assert answering.left_behind() == ""


def test_reading_goes_on_with_the_model_that_takes_over(library, answering, models):
    library.put([paper(f"New {n}") for n in range(40)])
    texts = []

    def read(text: str) -> None:
        texts.append(text)
        if len(texts) == 10:
            swap(library, answering, "b")

    models.on_text = read
    assert answering.catch_up(Task()) == 40
    assert len(library.missing_vectors("space-b")[0]) == 0
    assert models.running() == ["Model b"]


def test_reading_can_be_stopped(library, answering, models):
    library.put([paper(f"New {n}") for n in range(40)])
    task = Task()
    models.on_text = lambda text: task.cancel()
    with pytest.raises(Cancelled):
        answering.catch_up(task)
    assert answering.model == "a"


def test_closing_stops_also_what_is_being_asked(library, answering, models):
    with answering.use():
        swap(library, answering, "b")
        answering.close()
        assert models.running() == []


def test_what_is_built_upon_a_space_lives_as_long_as_its_model(library, answering):
    with answering.use() as old:
        assert old.part(list, lambda: [old.name]) is old.part(list, lambda: ["another"])
        swap(library, answering, "b")
        with answering.use() as new:
            assert new.part(list, lambda: [new.name]) == ["b"]
        assert old.part(list, list) == ["a"]
