"""The training page on a real library, with trainer processes that need no torch."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from sciread_app.domain.paper import Identifier
from sciread_app.services.subprocess import trainer
from sciread_app.services.training.runs import RunStatus
from sciread_app.ui.training.gateway import TrainingGateway
from sciread_app.ui.training.page import TrainingPage
from sciread_app.workspace import open_workspace
from tests.support.generate.papers import paper
from tests.support.models import fake_trainer


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    monkeypatch.setattr(trainer, "trainer_command", fake_trainer.command)
    workspace = open_workspace(tmp_path)
    workspace.library.put([
        paper("A", abstract="On A.", arxiv="2101.00001"),
        paper("B", abstract="On B.", arxiv="2101.00002"),
    ])  # fmt: skip
    names = [Identifier("arxiv", f"2101.0000{n}") for n in (1, 2)]
    workspace.library.citations.put([(names[0], names[1])], "test")
    workspace.editor.collect([1], "thesis")
    yield workspace
    runs = workspace.training.runs
    for training in runs.all():
        runs.stop(training.name)
    workspace.close()


@pytest.fixture
def open_page(qtbot, jobs, context, workspace):
    def open_page():
        page = TrainingPage(TrainingGateway(workspace), context)
        qtbot.addWidget(page)
        page.show()
        page.refresh()
        qtbot.waitUntil(lambda: page._loaded and not jobs.running())
        return page

    return open_page


def click(qtbot, button):
    qtbot.waitUntil(lambda: button.isEnabled() and not button.isHidden())
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_training_is_started_stopped_elsewhere_and_its_model_added(
    qtbot, open_page, workspace, tmp_path
):
    first = open_page()
    first.begin()
    qtbot.waitUntil(lambda: len(first.form.check.lines) == 2)
    assert [line.text for line in first.form.check.lines] == [
        "Only 2 papers have an abstract – probably too few to train on.",
        "Only 1 citation connects these papers – probably too few to train on.",
    ]
    assert first.form.check.buttons[1].text() == "Fetch citations for 2 papers"
    assert [box.itemText(0) for box in (first.form.data.collection, first.form.data.corpus)] == [
        "thesis  (1 paper)", "",
    ]  # fmt: skip
    first.form.name.setText("mine")
    click(qtbot, first.form.start)
    qtbot.waitUntil(lambda: first.view.pill.text() == "Running")
    qtbot.waitUntil(lambda: bool(first.view.curves.loss.lines))
    first.hide()

    second = open_page()
    assert second.list.current == "mine"
    qtbot.waitUntil(lambda: second.view.pill.text() == "Running")
    click(qtbot, second.view.buttons["stop"])
    qtbot.waitUntil(lambda: second.view.pill.text() == "Stopped")
    assert workspace.training.runs.find("mine").status is RunStatus.stopped
    assert "requested by the file" in second.view.notes.rows[0][1]

    second.begin()
    second.form.seed.setText("2")
    click(qtbot, second.form.start)
    qtbot.waitUntil(lambda: second.view.pill.text() == "Finished")
    assert second.view.title.text() == "MiniLM tuned by SPECTER’s method on My library"
    assert second.view.scores.rowCount() == 2
    click(qtbot, second.view.buttons["add_model"])
    qtbot.waitUntil(lambda: second.view.buttons["add_model"].isHidden())
    names = [model.name for model in workspace.models.all()]
    assert "made-by-MiniLM-tuned-by-SPECTER-s-method-on-My-library" in names
