"""The map of a real library with a fake encoder."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from sciread_app import workspace as workspace_module
from sciread_app.paths import Home
from sciread_app.tasks import Task
from sciread_app.ui.map.options import ColorBy
from sciread_app.ui.map.page import MapPage
from sciread_app.ui.shell.gateway import WindowGateway
from sciread_app.workspace import Workspace
from tests.support.generate.papers import paper
from tests.support.models.fake_encoder import FakeEncoder


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    workspace = Workspace(Home(tmp_path))
    workspace.library.put(
        [
            paper(f"Glacier melt {n}", published=str(1990 + n), fields=("physics.geo-ph",))
            for n in range(24)
        ]
    )
    monkeypatch.setattr(workspace_module, "EncoderProcess", lambda package: FakeEncoder())
    workspace.active_model.encode_missing(Task())
    yield workspace
    workspace.close()


def test_papers_selected_on_the_map_are_added_to_a_collection(workspace, qtbot, jobs, context):
    gateway = WindowGateway(workspace)
    page = MapPage(gateway, context)
    page.view.animated = False
    page.resize(1100, 700)
    qtbot.addWidget(page)
    page.show()
    page.refresh()
    qtbot.waitUntil(lambda: page.view.points is not None and not jobs.running())
    assert len(page.view.points.ids) == 24

    page.colour_by(ColorBy.field)
    qtbot.waitUntil(lambda: page.view.points.scheme.names == ("Physics",))
    page.view.setFocus()
    QTest.keyClick(page.view, Qt.Key.Key_Tab)
    QTest.keyClick(page.view, Qt.Key.Key_Return)
    chosen = set(page.selection.ids)
    assert chosen
    page.selection.collect.click()
    qtbot.waitUntil(lambda: page.chooser is not None)
    page.chooser.line.setText("ice")
    page.chooser.line.taken.emit()
    _, _, step = context.edits.calls[-1]
    step(workspace.editor)
    assert set(workspace.library.attributes.collections()["ice"].tolist()) == chosen


def test_similar_returns_the_other_papers(workspace):
    gateway = WindowGateway(workspace)
    found = gateway.map.similar([1])
    assert 1 not in found
    assert len(found) == 23
