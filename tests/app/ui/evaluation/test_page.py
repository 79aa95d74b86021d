"""The dashboard page: evaluating, exporting, menus, switching models."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QScrollArea
from shiboken6 import isValid

from sciread_app.domain.paper import LibraryChanges
from sciread_app.domain.training import LIBRARY
from sciread_app.errors import TrainerFailed
from sciread_app.services.evaluation.evaluation_service import EvaluationOutcome, FailedTask
from sciread_app.ui.evaluation import export
from sciread_app.ui.evaluation import page as page_module
from sciread_app.ui.evaluation.evaluate_dialog import EvaluateDialog
from sciread_app.ui.evaluation.neighbours_view import NeighboursView
from sciread_app.ui.evaluation.page import LEARNING, NEIGHBOURS, VIEWS
from sciread_app.ui.evaluation.view_models import EvaluationResults
from sciread_app.ui.jobs.runner import TaskState
from tests.support.ui.controls import page_actions


@pytest.fixture
def dialog(page, settled):
    page.ask_what_to_measure()
    settled()
    found = page.findChild(EvaluateDialog)
    yield found
    if isValid(found):
        found.close()


def test_view_is_built_on_its_first_visit(page, show):
    assert not page.findChildren(NeighboursView)
    for number in (NEIGHBOURS, LEARNING, NEIGHBOURS):
        show(number)
    assert page.findChild(NeighboursView).isVisible()
    assert len(page.findChildren(NeighboursView)) == 1


def test_views_fit_a_small_window_without_scrolling_the_page(window, page, show, qtbot):
    for number in range(len(VIEWS)):
        show(number)
    window.resize(1100, 600)
    area = page.parentWidget()
    while not isinstance(area, QScrollArea):
        area = area.parentWidget()
    for number in range(len(VIEWS)):
        show(number)
        qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() == 0)
        assert page.height() <= area.viewport().height()


def test_dialog_offers_models_trainings_and_baselines(dialog):
    shown = [dialog.list.item(row).text() for row in range(dialog.list.count())]
    assert shown == [
        "Starter", "SPECTER on 900 papers   (training run)",
        "TF-IDF   (baseline)", "Random   (baseline)",
    ]  # fmt: skip
    assert dialog.selected == ["starter", "specter-1", "tf-idf"]
    assert dialog.data.currentText() == "Library, 100 papers"


def test_dialog_needs_a_model_and_data(dialog):
    dialog.tick([])
    assert not dialog.go.isEnabled()
    dialog.tick(["starter"])
    assert dialog.go.isEnabled()
    dialog.suites.setCurrentText("SciDocs")
    dialog.suites.activated.emit(dialog.suites.currentIndex())
    assert not dialog.go.isEnabled() and "cocite/" in dialog.about.text()
    dialog.folder.setText("/data/scidocs")
    assert dialog.go.isEnabled()


def test_evaluation_shows_its_progress_and_reports_its_end(dialog, page, dashboard, window, qtbot,
                                                           settled):  # fmt: skip
    dashboard.go_on.clear()
    dialog.tick(["starter"])
    page.evaluate.setFocus()
    qtbot.mouseClick(dialog.go, Qt.MouseButton.LeftButton)
    assert window.navigation_bar.button("lab").busy and window.focusWidget() is page.evaluate
    qtbot.waitUntil(lambda: page._note.text() == "30%  Starter: Citations")
    assert page.stop.isVisible() and page.evaluate.text() == "Evaluating…"
    page.evaluate.click()
    assert all(one is dialog for one in page.findChildren(EvaluateDialog))
    assert window.navigation_bar.button("lab").busy
    dashboard.go_on.set()
    settled()
    assert dashboard.calls[0] == ("evaluate", ("starter",), "local", LIBRARY)
    assert window.messages.message.text() == "1 model was evaluated."
    assert "Questions" in window.messages.hint.text()
    assert page.evaluate.text() == "Evaluate…" and not page.stop.isVisible()
    assert not window.navigation_bar.button("lab").busy


def test_failed_task_is_a_warning_rather_than_an_error(
    page, dashboard, window, settled, monkeypatch
):
    failed = [FailedTask("Starter", "Journals", "There is one journal.")]
    done = EvaluationOutcome(Path("local-mine"), {"starter": Path("starter")}, {}, {}, failed)
    monkeypatch.setattr(dashboard, "evaluate", lambda *_: done)
    page.measure(["starter"], "local", LIBRARY)
    settled()
    assert window.messages.newest.property("kind") == "warning"
    hint = window.messages.hint.text()
    assert "Journals" in hint and "There is one journal." in hint
    assert window.work_log.works[-1].state is TaskState.partial


def test_evaluation_can_be_stopped(page, dashboard, qtbot, settled):
    dashboard.go_on.clear()
    page.measure(["starter"], "local", LIBRARY)
    qtbot.waitUntil(lambda: page._note.text().startswith("30"))
    qtbot.mouseClick(page.stop, Qt.MouseButton.LeftButton)
    settled()
    assert page.evaluate.text() == "Evaluate…" and not page.stop.isVisible()


def test_retry_during_another_evaluation_starts_no_second_one(page, dashboard, jobs, settled):
    page.measure(["starter"], "local", LIBRARY)
    retry = jobs.running()[-1].retry
    settled()
    dashboard.go_on.clear()
    page.measure(["starter"], "local", LIBRARY)
    retry()
    assert len(jobs.running()) == 1
    dashboard.go_on.set()
    settled()
    assert not page.stop.isVisible()


def test_published_suite_is_evaluated_from_its_folder(dialog, page, dashboard, qtbot, settled):
    dialog.tick(["starter"])
    dialog.suites.setCurrentText("SciDocs")
    dialog.suites.activated.emit(dialog.suites.currentIndex())
    dialog.folder.setText("/data/scidocs")
    qtbot.mouseClick(dialog.go, Qt.MouseButton.LeftButton)
    settled()
    assert dashboard.calls[0] == ("evaluate", ("starter",), "scidocs", Path("/data/scidocs"))
    work = page.window().work_log.works[-1]
    titles = {one.key: one.title for one in dashboard.candidates()}
    assert titles["starter"] != "starter" and titles["starter"] in work.title
    page.window().go_to("search")
    work.job.link[1]()
    assert page.isVisible()


def test_failed_evaluation_shows_the_reason(page, dashboard, window, settled, monkeypatch):
    def fail(*_):
        raise TrainerFailed("No model could be evaluated.", "The disk is full.")

    monkeypatch.setattr(dashboard, "evaluate", fail)
    page.measure(["starter"], "local", LIBRARY)
    settled()
    assert window.messages.message.text() == "No model could be evaluated."


def test_exports_without_scores_are_disabled_except_for_pictures(
    page, dashboard, window, settled, show
):
    there = page_actions(window, "dashboard")
    here = page.export.menu().actions()
    assert all(action.isEnabled() for action in (*here, *there.values()))
    dashboard.found = EvaluationResults()
    page.refresh()
    settled()
    assert not any(action.isEnabled() for action in (*here, *there.values()))
    assert {action.toolTip() for action in here} == {"No evaluations yet"}
    assert there["picture"].property("unavailable_reason") == "No evaluations yet"
    show(LEARNING)
    assert there["picture"].isEnabled() and not there["page"].isEnabled()
    assert [action.isEnabled() for action in here] == [False, False, True]


@pytest.mark.parametrize("kind", ["html", "csv", "png"])
def test_export_writes_the_file_and_a_message(page, settled, tmp_path, window, kind, monkeypatch):
    target = tmp_path / f"scores.{kind}"
    monkeypatch.setattr(page_module, "ask_where", lambda asked, parent: target)
    {"html": page.export_page, "csv": page.export_table, "png": page.export_picture}[kind]()
    settled()
    assert target.stat().st_size
    assert window.messages.message.text() == f"Exported to scores.{kind}."


def test_picture_of_the_scores_contains_all_rows(page, appearance, tmp_path, settled):
    page.window().resize(1000, 500)
    picture = export.picture_of(page.scores, appearance)
    table = page.scores.table
    rows = table.verticalHeader().length()
    assert picture.height() > export.SHARP * rows > 0
    assert picture.width() >= export.SHARP * table.width()
    file = tmp_path / "a.png"
    export.save_picture(picture, file)
    assert not QImage(str(file)).isNull()


def test_picture_of_too_many_scores_is_scaled_down(page, appearance, monkeypatch):
    whole = export.picture_of(page.scores, appearance)
    monkeypatch.setattr(export, "HIGHEST", whole.height() // 4)
    small = export.picture_of(page.scores, appearance)
    assert small.height() == pytest.approx(whole.height() / 4, abs=2)
    assert small.width() == pytest.approx(whole.width() / 4, abs=2)  # it is not cut


def test_hidden_models_are_not_exported(page, settled, tmp_path, monkeypatch):
    monkeypatch.setattr(page_module, "ask_where", lambda *_: tmp_path / "scores.csv")
    menu = page.scores.models.menu()
    next(one for one in menu.actions() if one.text() == "Starter").setChecked(False)
    page.export_table()
    settled()
    text = (tmp_path / "scores.csv").read_text("utf-8")
    assert "TF-IDF" in text and "Starter" not in text
    for action in menu.actions():
        action.setChecked(False)
    page_action, table_action, picture_action = page.export.menu().actions()
    assert not page_action.isEnabled() and not table_action.isEnabled()
    assert picture_action.isEnabled()


@pytest.mark.parametrize("number", range(len(VIEWS)))
def test_every_view_can_be_exported_as_a_picture(show, page, appearance, number):
    show(number)
    picture = export.picture_of(page._view_widget, appearance)
    assert picture.width() > 1_000 and picture.height() > 600


def test_unwritable_picture_is_reported(page, window, settled, tmp_path):
    page.export_picture(tmp_path / "nowhere" / "a.png")
    settled()
    assert "Could not save the image" in window.messages.message.text()


def test_menu_commands_go_to_the_dashboard(window, page, settled):
    window.go_to("search")
    actions = {
        name: action for name, action in window.menus.entries() if name.startswith("Evaluation")
    }
    assert len(actions) == 10
    actions["Evaluation: Learning curves"].trigger()
    settled()
    assert window.shows("dashboard") and page.views.current == LEARNING


def test_library_change_refreshes_the_neighbours(show, gateway, window, settled):
    view = show(NEIGHBOURS)
    gateway.comparisons.read["miread-ours"] = gateway.count
    gateway.calls.clear()
    window.events.library_changed.emit(LibraryChanges(space=True))
    settled()
    assert gateway.calls and view.pair.isEnabled()


def test_switch_button_of_the_neighbours_requests_the_model(show, gateway, qtbot, settled, window):
    view = show(NEIGHBOURS)
    with qtbot.waitSignal(view.sides[1].switch_requested) as wanted:
        qtbot.mouseClick(view.sides[1].switch_button, Qt.MouseButton.LeftButton)
    assert wanted.args[0] == "specter-ours"
