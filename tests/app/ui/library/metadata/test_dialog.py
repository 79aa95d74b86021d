"""The dialog that looks up metadata, and its places in the window."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QLabel, QMenu, QPushButton

from sciread_app.domain.metadata.changes import Candidate
from sciread_app.domain.metadata.looked_up import LookedUpField
from sciread_app.domain.paper import PaperId
from sciread_app.errors import SourceError
from sciread_app.ui.jobs.runner import JobQueue
from sciread_app.ui.library.edit_dialog import EditDialog
from sciread_app.ui.library.metadata.dialog import MetadataDialog
from sciread_app.ui.library.metadata.look_up_bar import LookUpBar
from tests.support.generate.papers import paper
from tests.support.ui.controls import menu_action
from tests.support.ui.fakes import metadata
from tests.support.ui.fakes.gateway import FakeGateway
from tests.support.ui.fakes.metadata import ABSTRACT, VENUE, YEAR

CHECK = Qt.ItemDataRole.CheckStateRole


@pytest.fixture
def gateway():
    return FakeGateway(30)


@pytest.fixture
def window(show_window, gateway, qtbot, jobs):
    window = show_window(gateway)
    qtbot.waitUntil(lambda: bool(window.page.view.listing.ids) and not jobs.running())
    return window


def opened(window, kind=MetadataDialog):
    return next(one for one in window.findChildren(kind) if one.isVisible())


def of_selected(window, count=1):
    ids = window.page.view.listing.ids[:count]
    window.page.result_list.choose(ids)
    menu_action(window, "Look up metadata…").trigger()
    return opened(window), [PaperId(id) for id in ids]


def look_up(qtbot, dialog):
    qtbot.mouseClick(dialog.look_up_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(dialog.apply_button.isVisible)


def check(dialog, row, child, state=Qt.CheckState.Checked):
    model = dialog.model
    model.setData(model.index(child, 0, model.index(row, 0)), state.value, CHECK)


def test_nothing_is_sent_before_the_button_is_pressed(window, gateway):
    dialog, _ = of_selected(window)
    assert not gateway.metadata.looked_up
    assert any("Crossref" in label.text() for label in dialog.findChildren(QLabel))


def test_values_that_replace_nothing_are_checked(window, qtbot, gateway):
    dialog, ids = of_selected(window, 2)
    look_up(qtbot, dialog)
    assert gateway.metadata.looked_up == [ids]
    model = dialog.model
    paper = model.index(0, 0)
    states = [model.index(n, 0, paper).data(CHECK) for n in range(3)]
    unchecked = Qt.CheckState.Unchecked
    assert states == [Qt.CheckState.Checked, unchecked, unchecked]
    assert paper.data(CHECK) == Qt.CheckState.PartiallyChecked
    assert model.index(0, 3, paper).data() == "Crossref"
    assert not gateway.metadata.applied


def test_checked_changes_are_applied_as_one_edit(window, qtbot, jobs, gateway):
    dialog, ids = of_selected(window, 2)
    look_up(qtbot, dialog)
    check(dialog, 0, 1)  # the venue of the first paper
    check(dialog, 1, 2)  # the other record of the second
    qtbot.mouseClick(dialog.apply_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(gateway.metadata.applied) and not jobs.running())
    assert gateway.metadata.applied == [{ids[0]: [ABSTRACT, VENUE], ids[1]: [ABSTRACT, YEAR]}]


def test_record_that_fills_nothing_cannot_be_selected(window, qtbot, gateway, monkeypatch):
    monkeypatch.setattr(metadata, "OTHER", Candidate(paper("Another record"), (VENUE,)))
    dialog, _ = of_selected(window)
    look_up(qtbot, dialog)
    model = dialog.model
    assert model.index(2, 0, model.index(0, 0)).data(CHECK) is None


def test_applied_changes_are_listed_and_undone_one_by_one(window, qtbot, jobs, gateway):
    dialog, ids = of_selected(window, 2)
    look_up(qtbot, dialog)
    check(dialog, 0, 1)
    qtbot.mouseClick(dialog.apply_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(dialog.undo_button.isVisible)
    assert [len(row.children) for row in dialog.model.rows] == [2, 1]
    assert not list(dialog.model.checked()) and not dialog.undo_button.isEnabled()
    check(dialog, 0, 0)
    qtbot.mouseClick(dialog.undo_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(gateway.editor.unlooked) and not jobs.running())
    assert gateway.editor.unlooked == [{ids[0]: ["abstract"]}]
    assert [len(row.children) for row in dialog.model.rows] == [1, 1]
    for row in range(2):
        check(dialog, row, 0)
    qtbot.mouseClick(dialog.undo_button, Qt.MouseButton.LeftButton)
    assert not dialog.isVisible()


def test_changes_to_fields_edited_since_the_lookup_are_not_listed(window, qtbot, jobs, gateway):
    gateway.metadata.edited = {"venue"}
    dialog, _ = of_selected(window)
    look_up(qtbot, dialog)
    check(dialog, 0, 1)  # the venue
    qtbot.mouseClick(dialog.apply_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(dialog.undo_button.isVisible)
    assert [[child.value for child in row.children] for row in dialog.model.rows] == [[ABSTRACT]]
    assert "1 field was changed" in dialog.status.text()


def test_edit_form_restores_the_value_before_a_lookup(window, qtbot, jobs, gateway):
    gateway.editor.looked_up = [
        LookedUpField("venue", "Old Journal", "", "crossref", 0.0),
        LookedUpField("abstract", "", "", "openalex", 0.0),
    ]
    window.page.result_list.choose(window.page.view.listing.ids[:1])
    menu_action(window, "Edit…").trigger()
    qtbot.waitUntil(lambda: any(one.isVisible() for one in window.findChildren(EditDialog)))
    form = opened(window, EditDialog)
    assert set(form.restores) == {"venue", "abstract"}
    assert "Old Journal" in form.restores["venue"].text()
    for button in form.restores.values():
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert form.fields["venue"].text() == "Old Journal"
    assert form.fields["abstract"].text() == ""


def test_check_box_of_a_paper_sets_those_of_its_fields(window, qtbot):
    dialog, _ = of_selected(window)
    look_up(qtbot, dialog)
    model = dialog.model
    model.setData(model.index(0, 0), Qt.CheckState.Unchecked.value, CHECK)
    assert not list(model.checked()) and not dialog.apply_button.isEnabled()


def test_running_lookup_is_stopped_when_the_dialog_closes(window, qtbot, jobs, gateway):
    gateway.metadata.go_on.clear()
    dialog, _ = of_selected(window)
    qtbot.mouseClick(dialog.look_up_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(dialog.stop_button.isVisible)
    dialog.reject()
    qtbot.waitUntil(lambda: not jobs.running())
    assert not gateway.metadata.go_on.is_set()


def running_lookup(qtbot, jobs, dialog):
    """Start the look-up of a dialog, and return its job."""
    qtbot.mouseClick(dialog.look_up_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: any(job.has_started for job in jobs.running(JobQueue.network)))
    return jobs.running(JobQueue.network)[0]


@pytest.mark.parametrize("closed", [True, False])
def test_lookup_stopped_in_activity_is_started_again_there(window, qtbot, jobs, gateway, closed):
    gateway.metadata.go_on.clear()
    dialog, ids = of_selected(window)
    job = running_lookup(qtbot, jobs, dialog)
    job.cancel()
    qtbot.waitUntil(dialog.look_up_button.isEnabled)
    assert dialog.stop_button.isHidden()
    if closed:
        dialog.reject()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gateway.metadata.go_on.set()
    job.retry()
    qtbot.waitUntil(lambda: opened(window).apply_button.isVisible())
    assert gateway.metadata.looked_up == [ids, ids]
    assert sum(one.isVisible() for one in window.findChildren(MetadataDialog)) == 1


def test_failure_is_shown_and_can_be_retried(window, qtbot, jobs, gateway):
    gateway.metadata.trouble = SourceError("Crossref is not available.")
    dialog, _ = of_selected(window)
    qtbot.mouseClick(dialog.look_up_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "Crossref is not available" in dialog.status.text())
    gateway.metadata.trouble = None
    look_up(qtbot, dialog)


def test_papers_of_the_library_that_lack_a_field_are_counted(window, qtbot, jobs, gateway):
    menu_action(window, "Look up missing metadata…").trigger()
    dialog = opened(window)
    qtbot.waitUntil(lambda: bool(dialog.groups))
    assert "312" in dialog.groups["abstract"].box.text()
    assert not dialog.groups["doi"].box.isEnabled()
    look_up(qtbot, dialog)
    assert len(gateway.metadata.looked_up[0]) == 312


@pytest.mark.parametrize(
    ("scope", "field", "count"),
    [("-has:abstract", "abstract", "312"), ("has:problems", "doi", "7")],
)
def test_one_click_leads_from_a_list_to_the_lookup_of_its_papers(
    window, qtbot, jobs, scope, field, count
):
    bar = window.findChild(LookUpBar)
    assert not bar.isVisible()
    window.page.set_scope(scope)
    qtbot.waitUntil(bar.isVisible)
    assert count in bar.buttons[field].text()
    qtbot.mouseClick(bar.buttons[field], Qt.MouseButton.LeftButton)
    dialog = opened(window)
    qtbot.waitUntil(lambda: bool(dialog.groups))
    assert {name for name, group in dialog.groups.items() if group.box.isChecked()} <= {field}


def test_list_of_papers_without_abstract_loses_its_bar_when_there_are_none(
    window, qtbot, jobs, gateway
):
    bar = window.findChild(LookUpBar)
    window.page.set_scope("-has:abstract")
    qtbot.waitUntil(bar.isVisible)
    gateway.editor.without_abstract = 0
    window.library_controller.work.load()
    qtbot.waitUntil(lambda: not bar.isVisible())


@pytest.mark.parametrize(("scope", "offered"), [("has:problems", True), ("is:unread", False)])
def test_uncertain_values_are_accepted_from_the_menu_of_needs_attention(
    window, qtbot, jobs, gateway, scope, offered
):
    window.page.set_scope(scope)
    qtbot.waitUntil(lambda: scope in window.page.view.request.query and not jobs.running())
    menu = QMenu(window)
    window.page.menu_opened.emit(menu)
    assert ("Accept uncertain values" in [one.text() for one in menu.actions()]) == offered
    ids = window.page.view.listing.ids[:2]
    window.page.result_list.choose(ids)
    menu_action(window, "Accept uncertain values").trigger()
    qtbot.waitUntil(lambda: gateway.editor.accepted == [list(ids)])


def test_uncertain_values_are_accepted_by_the_button_above_needs_attention(
    window, qtbot, jobs, gateway
):
    window.page.set_scope("has:problems")
    bar = window.findChild(LookUpBar)
    qtbot.waitUntil(lambda: bar.accept.isVisible() and not jobs.running())
    ids = window.page.view.listing.ids[:2]
    window.page.result_list.choose(ids)
    qtbot.mouseClick(bar.accept, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: gateway.editor.accepted == [list(ids)])


def test_edit_form_leads_to_the_lookup_of_its_paper(window, qtbot, jobs, gateway):
    window.page.result_list.choose(window.page.view.listing.ids[:1])
    menu_action(window, "Edit…").trigger()
    qtbot.waitUntil(lambda: any(one.isVisible() for one in window.findChildren(EditDialog)))
    form = opened(window, EditDialog)
    button = next(one for one in form.findChildren(QPushButton) if "Look up" in one.text())
    form.fields["venue"].setText("Typed")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert form.isVisible() and form.wrong.isVisible()
    form.fields["venue"].setText(form._paper.venue)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert opened(window).isVisible() and not form.isVisible()


def test_look_up_of_abstracts_opens_beside_that_of_all_missing_fields(window):
    def dialogs():
        return [one for one in window.findChildren(MetadataDialog) if one.isVisible()]

    menu_action(window, "Look up missing metadata…").trigger()
    abstracts = window.findChild(LookUpBar).look_up_requested
    abstracts.emit("abstract")
    assert len(dialogs()) == 2
    abstracts.emit("abstract")
    assert len(dialogs()) == 2
