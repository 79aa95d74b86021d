"""Activation of a model on a real library: lists, counts and maps are of one model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from sciread_app import workspace as workspace_module
from sciread_app.domain.query.parser import parse
from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.paths import Home
from sciread_app.tasks import Task
from sciread_app.ui.shell.gateway import WindowGateway
from sciread_app.ui.shell.main_window import MainWindow
from sciread_app.workspace import Workspace
from tests.support.distributed.directions import DIM
from tests.support.generate.papers import paper
from tests.support.models.fake_models import FakeModel, vector_of
from tests.support.models.tiny_model import tiny_package
from trainer.contract import package as package_module

PAPERS = 40


def model_of(package) -> FakeModel:
    model = FakeModel(package.id, lambda text: None)
    model.space, model.title = package.space, package.title
    return model


@pytest.fixture
def home(tmp_path, monkeypatch) -> Home:
    monkeypatch.setattr(workspace_module, "EncoderProcess", model_of)
    home = Home(tmp_path / "home")
    for number, name in enumerate(("ours", "theirs")):
        tiny_package(home.models / name, title=name.title(), dim=DIM, max_tokens=40 + number)
    home.settings.write_text('model = "ours"')
    return home


@pytest.fixture
def workspace(home) -> Workspace:
    workspace = Workspace(home)
    workspace.library.put([paper(f"Paper {n}", published=str(1980 + n)) for n in range(PAPERS)])
    return workspace


@pytest.fixture
def window(show_window, jobs, workspace) -> Iterator[MainWindow]:
    yield show_window(WindowGateway(workspace))
    jobs.shut_down()
    workspace.close()


def nearest(workspace, query: str) -> int:
    """Return the paper that the active model should rank first, computed independently."""
    with workspace.active_model.use() as now:
        space = now.index.key
    scores = [vector_of(space, f"Paper {n}") @ vector_of(space, query) for n in range(PAPERS)]
    return int(np.argmax(scores)) + 1


def look_for(qtbot, jobs, window, query):
    window.page.search_box.set_mode(SearchMode.meaning)
    window.page.search_box.set_text(query)
    window.page.search()
    qtbot.waitUntil(lambda: window.page.view.query == query and not jobs.running())


def test_result_list_follows_the_active_model(qtbot, jobs, window, workspace):
    look_for(qtbot, jobs, window, "bees")
    first = window.page.view.listing.ids[0]
    assert first == nearest(workspace, "bees")
    window.activation.activate("theirs", "Theirs")
    qtbot.waitUntil(lambda: window.messages.message.text() == "Now searching with Theirs.")
    qtbot.waitUntil(lambda: not jobs.running())
    assert window.page.view.listing.ids[0] == nearest(workspace, "bees") != first
    assert "all indexed" in window._status_bar.status.text()

    window.activation.activate("ours", "Ours")
    qtbot.waitUntil(lambda: window.messages.message.text() == "Now searching with Ours.")
    qtbot.waitUntil(lambda: not jobs.running())
    assert window.page.view.listing.ids[0] == first


def test_facet_counts_are_kept_per_model(window, workspace):
    """Each model finds 100 of all papers by meaning, which determine the counts."""
    gateway = window.gateway
    workspace.library.put([paper(f"More {n}", published=str(1700 + n)) for n in range(300)])
    years = {}
    for name in ("ours", "theirs", "ours"):
        workspace.active_model.activate(name, Task())
        workspace.active_model.encode_missing(Task())
        gateway.search.find(parse("bees"), SearchMode.meaning, Task())
        now = gateway.search.facets(parse("bees"), SearchMode.meaning, Task()).years
        assert years.setdefault(name, now) == now
    assert years["ours"] != years["theirs"]


def test_each_model_has_its_own_map(window, workspace):
    gateway = window.gateway
    drawn = gateway.map.draw(Task(), from_scratch=False)
    workspace.active_model.activate("theirs", Task())
    assert gateway.map.status().drawing is None
    workspace.active_model.activate("ours", Task())
    assert np.allclose(gateway.map.status().drawing.places, drawn.places)


@pytest.fixture
def hashed(monkeypatch, home) -> Counter[str]:
    """Count how often each file of the model `theirs` is hashed."""
    counts, compute = Counter(), package_module.file_hash

    def count(path):
        if path.parent.name == "theirs":
            counts[path.name] += 1
        return compute(path)

    monkeypatch.setattr(package_module, "file_hash", count)
    return counts


@pytest.mark.parametrize("ready", [True, False])
def test_activation_hashes_each_file_once(qtbot, jobs, window, workspace, hashed, ready):
    if not ready:
        workspace.library.put([paper(f"More {n}") for n in range(100)])
    assert workspace.active_model.is_ready("theirs") == ready
    assert not hashed
    window.activation.activate("theirs", "Theirs")
    qtbot.waitUntil(lambda: window.messages.message.text() == "Now searching with Theirs.")
    qtbot.waitUntil(lambda: not jobs.running())
    files = workspace.models.package("theirs", hashes=False).files
    assert hashed == dict.fromkeys(files, 1)


def test_window_adopts_a_model_activated_elsewhere(qtbot, jobs, window, workspace, home):
    look_for(qtbot, jobs, window, "bees")
    other = Workspace(home)
    other.active_model.activate("theirs", Task())
    other.close()
    qtbot.waitUntil(lambda: window.messages.message.text() == "Now searching with Theirs.")
    qtbot.waitUntil(lambda: not jobs.running())
    assert window.page.view.listing.ids[0] == nearest(workspace, "bees")


def test_interrupted_activation_is_resumed_in_a_new_window(qtbot, jobs, show_window, workspace):
    with workspace.active_model.use() as now:
        workspace.library.active_model.begin("theirs", now.ref)
    window = show_window(WindowGateway(workspace))
    qtbot.waitUntil(lambda: window.messages.message.text() == "Now searching with Theirs.")
    assert workspace.active_model.model == "theirs"
    jobs.shut_down()
    workspace.close()
