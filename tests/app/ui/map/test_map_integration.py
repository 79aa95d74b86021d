"""The map of a real library with a fake encoder."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from sciread_app import workspace as workspace_module
from sciread_app.domain.paper import Identifier
from sciread_app.paths import Home
from sciread_app.tasks import Task
from sciread_app.ui.map.options import ColorBy
from sciread_app.ui.map.panel import MapPanel
from sciread_app.ui.shell.gateway import WindowGateway
from sciread_app.workspace import Workspace
from tests.support.generate.papers import paper
from tests.support.models.fake_encoder import FakeEncoder


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    workspace = Workspace(Home(tmp_path))
    workspace.library.put(
        [
            paper(
                f"Glacier melt {n}",
                published=str(1990 + n),
                fields=("physics.geo-ph",),
                doi=f"10.1234/{n}",
            )
            for n in range(24)
        ]
    )
    monkeypatch.setattr(workspace_module, "EncoderProcess", lambda package: FakeEncoder())
    workspace.active_model.encode_missing(Task())
    yield workspace
    workspace.close()


def test_groups_and_colours_of_a_real_library_are_shown(workspace, qtbot, jobs, context):
    gateway = WindowGateway(workspace)
    panel = MapPanel(gateway.map, gateway.card_loader, context)
    panel.view.animated = False
    panel.resize(1100, 700)
    qtbot.addWidget(panel)
    panel.show()
    qtbot.waitUntil(lambda: panel.view.points is not None and not jobs.running())
    assert len(panel.view.points.ids) == 24

    panel.colour_by(ColorBy.field)
    qtbot.waitUntil(lambda: panel.view.points.scheme.names == ("Physics",))
    panel.view.setFocus()
    QTest.keyClick(panel.view, Qt.Key.Key_Tab)
    with qtbot.waitSignal(panel.papers_selected) as selected:
        QTest.keyClick(panel.view, Qt.Key.Key_Return)
    assert set(selected.args[0]) <= set(range(1, 25)) and selected.args[0]


def test_similar_returns_the_most_similar_papers_with_their_citations(workspace):
    gateway = WindowGateway(workspace)
    (best, *_) = gateway.map.similar(1)
    names = [Identifier("doi", f"10.5678/{n}") for n in (1, 2)]
    workspace.library.put([paper("Another", doi=name.value) for name in names])
    (cited,) = workspace.library.get([best.paper])
    workspace.library.citations.put([(name, cited.identifiers[0]) for name in names], "test")
    found = gateway.map.similar(1)
    assert 10 <= len(found) <= 15 and 1 not in [one.paper for one in found]
    similarities = [one.similarity for one in found]
    assert similarities == sorted(similarities, reverse=True)
    assert found[0] == best._replace(citations=2) and not found[1].citations
