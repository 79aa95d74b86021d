"""The active model is exchanged during searches, and each search uses a single model."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from sciread_app.domain.query.parser import parse
from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.errors import Cancelled, EncoderFailed
from sciread_app.paths import Home
from sciread_app.services.models.active_model import ActiveModel
from sciread_app.services.search.embedding_index import EmbeddingIndex
from sciread_app.storage.organisation.active_model import ModelRef
from sciread_app.tasks import Task
from tests.support.generate.papers import paper
from tests.support.models.fake_models import FakeModel, FakeModels, vector_of

PAPERS = 60


@pytest.fixture
def models() -> FakeModels:
    return FakeModels("a", "b", "c")


@pytest.fixture
def manager(library, tmp_path, models) -> ActiveModel:
    home = Home(tmp_path)
    library.put([paper(f"Paper {n}") for n in range(PAPERS)])
    for name in ("a", "b", "c"):
        space = EmbeddingIndex(library, models(name), home.indexes)
        space.encode_missing()
        space.close()
    models.opened.clear()
    return ActiveModel(library, home, "a", models, models.package)


def swap(library, manager, name):
    library.active_model.begin(name, ModelRef("a", "space-a"))
    assert library.active_model.switch(ModelRef(name, f"space-{name}"))
    return manager._swap(manager._open(name))


def nearest(space: str, query: str, count: int = 3) -> list[int]:
    """The papers nearest to a query by exact search; ids count from 1."""
    papers = np.array([vector_of(space, f"Paper {n}") for n in range(PAPERS)])
    return (np.argsort(-(papers @ vector_of(space, query)))[:count] + 1).tolist()


def is_nearest(space: str, query: str, ids: list[int]) -> bool:
    """Ids may differ from the exact ones at distances equal within the precision of the index."""
    scores = [
        [vector_of(space, f"Paper {id - 1}") @ vector_of(space, query) for id in some]
        for some in (ids, nearest(space, query))
    ]
    return bool(np.allclose(*scores, atol=0.01))


def found(answerer, query, count=3):
    results = answerer.search.find(parse(query), mode=SearchMode.meaning, limit=count)
    return [hit.paper for hit in results.hits]


def test_use_keeps_its_model_and_next_use_gets_new_one(library, manager, models):
    with manager.use() as old:
        assert found(old, "bees") == nearest("space-a", "bees")
        assert swap(library, manager, "b")
        with manager.use() as new:
            assert found(new, "bees") == nearest("space-b", "bees")
        assert found(old, "ants") == nearest("space-a", "ants")
        assert models.running() == ["Model a", "Model b"]
    assert models.running() == ["Model b"]
    assert manager.model == "b"


def test_unused_model_is_closed_at_once(library, manager, models):
    with manager.use():
        pass
    for name in "bcbc":
        assert swap(library, manager, name)
        assert models.running() == [f"Model {name}"]


def test_model_not_set_in_library_is_not_activated(library, manager, models):
    with manager.use() as now:
        late = manager._open("b")
        assert swap(library, manager, "c")
        assert not manager._swap(late)
        assert found(now, "bees") == nearest("space-a", "bees")
    assert manager.model == "c"
    assert models.running() == ["Model c"]


def test_index_is_saved_when_model_is_swapped_out(library, manager, tmp_path):
    library.put([paper("One more")])
    manager.encode_missing(Task())
    with manager.use() as old:
        swap(library, manager, "b")
        old_space = old.index
    again = EmbeddingIndex(library, FakeModel("a", lambda text: None), Home(tmp_path).indexes)
    assert again.problems() == [] and old_space.count() == PAPERS + 1


def test_concurrent_searches_during_swaps_use_one_model_each(library, manager, models):
    stop, wrong, asked = threading.Event(), [], []

    def ask(number: int) -> None:
        n = 0
        while not stop.is_set():
            n += 1
            query = f"query {number} {n}"
            with manager.use() as now:
                ids = found(now, query)
                if not is_nearest(f"space-{now.name}", query, ids):
                    wrong.append((now.name, query, ids))
            asked.append(now.name)

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for name in "bcabcab":
        before = len(asked)
        assert swap(library, manager, name)
        while len(asked) < before + 10:
            time.sleep(0.001)
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong
    assert set(asked) == {"a", "b", "c"}
    assert models.running() == ["Model b"]


def test_unusable_model_leaves_search_by_words(library, models, tmp_path):
    library.put([paper("On bees")])
    answering = ActiveModel(library, Home(tmp_path), "gone", models, models.package)
    with answering.use() as now:
        assert (now.index, now.ref) == (None, ModelRef("gone", ""))
        assert [hit.paper for hit in now.search.find(parse("bees")).hits] == [1]
        now.load()
    assert answering.error == "There is no model gone. Choose another."
    assert not answering.is_loaded
    assert answering.encode_missing(Task()) == 0


def test_model_that_failed_to_load_answers_after_encoding(library, manager, models):
    def die(text: str) -> None:
        raise EncoderFailed("Could not start the model.")

    models.on_text = die
    with manager.use() as now, pytest.raises(EncoderFailed):
        now.load()
    assert manager.error == "Could not start the model." and not manager.is_loaded
    models.on_text = lambda text: None
    assert manager.encode_missing(Task()) == 0
    assert not manager.is_loaded
    library.put([paper("One more")])
    assert manager.encode_missing(Task()) == 1
    assert manager.is_loaded and not manager.error


def test_model_activated_by_another_process_is_reported(library, manager):
    assert manager.externally_activated_model() == ""
    with manager.use():
        library.active_model.begin("b", ModelRef("a", "space-a"))
        assert manager.externally_activated_model() == ""
        library.active_model.switch(ModelRef("b", "space-b"))
        assert (manager.model, manager.externally_activated_model()) == ("a", "b")
        assert manager._swap(manager._open("b"))
    assert manager.externally_activated_model() == ""


def test_encoding_continues_with_swapped_in_model(library, manager, models):
    library.put([paper(f"New {n}") for n in range(40)])
    texts = []

    def read(text: str) -> None:
        texts.append(text)
        if len(texts) == 10:
            swap(library, manager, "b")

    models.on_text = read
    assert manager.encode_missing(Task()) == 40
    assert len(library.missing_vectors("space-b")[0]) == 0
    assert models.running() == ["Model b"]


def test_encoding_can_be_cancelled(library, manager, models):
    library.put([paper(f"New {n}") for n in range(40)])
    task = Task()
    models.on_text = lambda text: task.cancel()
    with pytest.raises(Cancelled):
        manager.encode_missing(task)
    assert manager.model == "a"


def test_close_stops_models_in_use(library, manager, models):
    with manager.use():
        swap(library, manager, "b")
        manager.close()
        assert models.running() == []


def test_objects_cached_per_model_live_as_long_as_it(library, manager):
    with manager.use() as old:
        assert old.get_or_create(list, lambda: [old.name]) is old.get_or_create(
            list, lambda: ["another"]
        )
        swap(library, manager, "b")
        with manager.use() as new:
            assert new.get_or_create(list, lambda: [new.name]) == ["b"]
        assert old.get_or_create(list, list) == ["a"]
