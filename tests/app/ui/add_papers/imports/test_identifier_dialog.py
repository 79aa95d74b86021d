"""The dialog that adds papers by identifier, and the offer to do so for a pasted one."""

from __future__ import annotations

import re

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QPushButton

from sciread_app.domain.paper import PaperId
from sciread_app.errors import SourceError
from sciread_app.services.ingest.lookup.identifier_import import Entry, EntryState
from sciread_app.ui.add_papers.imports.identifier_dialog import IdentifierDialog
from sciread_app.ui.add_papers.page import FIRST_SOURCE
from tests.support.generate.papers import paper
from tests.support.ui.controls import menu_action
from tests.support.ui.fakes.gateway import FakeGateway

CHECK = Qt.ItemDataRole.CheckStateRole
KNOWN = Entry("known", EntryState.in_library, paper("Known", id=PaperId(3)))
UNKNOWN = Entry("10.1000/none", EntryState.not_found, reason="Nobody lists it.")
OFFERED = Entry(
    "A title of two papers",
    EntryState.offered,
    candidates=(paper("One of two", doi="10.1000/1"), paper("Two of two", doi="10.1000/2")),
)


@pytest.fixture
def gateway():
    gateway = FakeGateway(30)
    gateway.intake.entries = {one.text: one for one in (KNOWN, UNKNOWN, OFFERED)}
    return gateway


def open_dialog(window) -> IdentifierDialog:
    menu_action(window, "Add by identifier…").trigger()
    return next(one for one in window.findChildren(IdentifierDialog) if one.isVisible())


def look_up(qtbot, dialog, *texts):
    dialog.form.text.setPlainText("\n".join(texts))
    qtbot.mouseClick(dialog.form.look_up_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dialog.form.list.isVisible() and dialog.form.look_up_button.isEnabled())


def states(dialog):
    model = dialog.form.model
    return [model.index(n, 0).data(CHECK) for n in range(model.rowCount())]


def test_nothing_is_sent_before_the_button_is_pressed(show_window, qtbot, gateway):
    dialog = open_dialog(show_window(gateway))
    dialog.form.text.setPlainText("10.1000/7")
    assert not gateway.intake.looked_up
    assert any("Crossref" in label.text() for label in dialog.findChildren(QLabel))


def test_texts_are_looked_up_together_and_the_new_papers_are_checked(show_window, qtbot, gateway):
    dialog = open_dialog(show_window(gateway))
    look_up(qtbot, dialog, "10.1000/7", "known", UNKNOWN.text, OFFERED.text)
    assert len(gateway.intake.looked_up) == 1 and not gateway.intake.added
    checked, unchecked = Qt.CheckState.Checked, Qt.CheckState.Unchecked
    assert states(dialog) == [checked, None, None, unchecked]
    counts = re.findall(r"\d+", dialog.form.status.text())
    assert sum(map(int, counts)) == 4  # each text is counted once


def test_failed_lookups_are_not_counted_as_not_found(show_window, qtbot, gateway):
    failed = Entry("10.1000/late", EntryState.failed, reason="Crossref cannot be reached.")
    gateway.intake.entries[failed.text] = failed
    dialog = open_dialog(show_window(gateway))
    look_up(qtbot, dialog, UNKNOWN.text, failed.text)
    assert "1 not found, 1 failed" in dialog.form.status.text()


def test_checked_papers_are_added_and_shown(show_window, qtbot, jobs, gateway):
    window = show_window(gateway)
    window.go_to("settings")
    dialog = open_dialog(window)
    look_up(qtbot, dialog, "10.1000/7", OFFERED.text)
    model = dialog.form.model
    model.setData(model.index(1, 0, model.index(1, 0)), Qt.CheckState.Checked.value, CHECK)
    qtbot.mouseClick(dialog.form.add_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not dialog.isVisible() and window.shows("search"))
    assert [one.title for one in gateway.intake.added] == ["Paper 10.1000/7", "Two of two"]
    assert len(window.page.view.listing.ids) == 2
    qtbot.waitUntil(lambda: not jobs.running())


def test_texts_that_were_not_added_stay(show_window, qtbot, jobs, gateway):
    window = show_window(gateway)
    dialog = open_dialog(window)
    look_up(qtbot, dialog, "10.1000/7", "known", UNKNOWN.text, OFFERED.text)
    dialog.form.text.appendPlainText("10.1000/later")
    with qtbot.waitSignal(dialog.added):
        qtbot.mouseClick(dialog.form.add_button, Qt.MouseButton.LeftButton)
    left = [UNKNOWN.text, OFFERED.text, "10.1000/later"]
    assert dialog.isVisible() and dialog.form.text.toPlainText().splitlines() == left
    assert "1 paper added" in dialog.form.status.text()
    model = dialog.form.model  # one of the candidates can still be selected
    model.setData(model.index(0, 0, model.index(1, 0)), Qt.CheckState.Checked.value, CHECK)
    with qtbot.waitSignal(dialog.added):
        qtbot.mouseClick(dialog.form.add_button, Qt.MouseButton.LeftButton)
    assert dialog.form.text.toPlainText().splitlines() == [UNKNOWN.text, "10.1000/later"]
    assert [one.title for one in gateway.intake.added] == ["Paper 10.1000/7", "One of two"]
    qtbot.waitUntil(lambda: not jobs.running())


def test_unchecked_paper_stays_unchecked_when_the_others_are_added(show_window, qtbot, gateway):
    dialog = open_dialog(show_window(gateway))
    look_up(qtbot, dialog, "10.1000/7", "10.1000/8")
    model = dialog.form.model
    model.setData(model.index(1, 0), Qt.CheckState.Unchecked.value, CHECK)
    with qtbot.waitSignal(dialog.added):
        qtbot.mouseClick(dialog.form.add_button, Qt.MouseButton.LeftButton)
    assert states(dialog) == [Qt.CheckState.Unchecked]
    assert not dialog.form.add_button.isEnabled()


def test_failed_lookup_keeps_the_text(show_window, qtbot, jobs, gateway):
    gateway.intake.trouble = SourceError("Crossref is not available.")
    window = show_window(gateway)
    dialog = open_dialog(window)
    dialog.form.text.setPlainText("10.1000/7")
    qtbot.mouseClick(dialog.form.look_up_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "Crossref is not available" in dialog.form.status.text())
    assert dialog.form.text.toPlainText() == "10.1000/7"
    dialog.reject()
    assert not [one for one in window.findChildren(QDialog) if one.isVisible()]


def test_running_lookup_can_be_stopped(show_window, qtbot, jobs, gateway):
    gateway.intake.go_on.clear()
    dialog = open_dialog(show_window(gateway))
    dialog.form.text.setPlainText("10.1000/7")
    qtbot.mouseClick(dialog.form.look_up_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(dialog.form.stop_button.isVisible)
    qtbot.mouseClick(dialog.form.stop_button, Qt.MouseButton.LeftButton)
    assert dialog.form.look_up_button.isEnabled() and not dialog.form.stop_button.isVisible()
    gateway.intake.go_on.set()
    qtbot.waitUntil(lambda: not jobs.running())
    assert not dialog.form.model.rows


def test_lookup_stopped_elsewhere_can_be_repeated(show_window, qtbot, jobs, gateway):
    gateway.intake.go_on.clear()
    dialog = open_dialog(show_window(gateway))
    dialog.form.text.setPlainText("10.1000/7")
    qtbot.mouseClick(dialog.form.look_up_button, Qt.MouseButton.LeftButton)
    looking = dialog.form.status.text()
    [job] = jobs.running()
    job.cancel()
    qtbot.waitUntil(lambda: not jobs.running())
    assert dialog.form.look_up_button.isEnabled() and not dialog.form.stop_button.isVisible()
    assert dialog.form.status.text() != looking


def test_papers_added_in_spite_of_a_stop_are_shown(show_window, qtbot, jobs, gateway, hold):
    go_on = hold(gateway.intake, "add_found")
    window = show_window(gateway)
    window.go_to("settings")
    dialog = open_dialog(window)
    look_up(qtbot, dialog, "10.1000/7")
    with qtbot.waitSignal(jobs.started):
        qtbot.mouseClick(dialog.form.add_button, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(dialog.form.stop_button, Qt.MouseButton.LeftButton)
    assert not dialog.form.add_button.isEnabled()  # or they could be added twice
    go_on.set()
    qtbot.waitUntil(lambda: not dialog.isVisible() and window.shows("search"))
    qtbot.waitUntil(lambda: not jobs.running())
    assert len(gateway.intake.added) == 1


@pytest.mark.parametrize("later", ["", "10.1000/8"])
def test_papers_of_a_repeated_addition_are_shown(
    show_window, qtbot, jobs, gateway, monkeypatch, later
):
    def fail(*arguments):
        raise SourceError("The library is locked.")

    window = show_window(gateway)
    window.go_to("settings")
    dialog = open_dialog(window)
    look_up(qtbot, dialog, "10.1000/7")
    with monkeypatch.context() as patch:
        patch.setattr(gateway.intake, "add_found", fail)
        qtbot.mouseClick(dialog.form.add_button, Qt.MouseButton.LeftButton)
        job = jobs.running()[-1]
        qtbot.waitUntil(lambda: "locked" in dialog.form.status.text())
    if later:
        dialog.form.text.setPlainText(later)
    job.retry()  # as in Activity
    qtbot.waitUntil(lambda: window.shows("search"))
    assert len(window.page.view.listing.ids) == 1
    assert dialog.form.text.toPlainText() == later and dialog.isVisible() is bool(later)
    qtbot.waitUntil(lambda: not jobs.running())


def test_menu_leads_to_a_new_query(show_window, qtbot, jobs):
    window = show_window(FakeGateway(3))
    menu_action(window, "New query…").trigger()
    page = window.other_page("intake")
    qtbot.waitUntil(lambda: page.form.isVisible() and not jobs.running())
    assert window.shows("intake") and page.switch.current == FIRST_SOURCE


def test_identifier_pasted_outside_a_field_is_offered(show_window, qtbot, jobs):
    gateway = FakeGateway(30)
    window = show_window(gateway)
    window.page.result_list.setFocus()
    clipboard = QApplication.clipboard()
    for text, offered in (("Not an identifier", False), ("https://doi.org/10.1000/XYZ", True)):
        clipboard.setText(text)
        qtbot.keyClick(window.page.result_list, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
        add = [b for b in window.messages.findChildren(QPushButton) if "10.1000/xyz" in b.text()]
        assert bool(add) is offered
    add[0].click()
    qtbot.waitUntil(lambda: bool(gateway.intake.added))
    assert gateway.intake.looked_up == ["doi:10.1000/xyz"]
    qtbot.waitUntil(lambda: not jobs.running())


def test_text_pasted_into_a_field_is_not_offered(show_window, qtbot):
    window = show_window(FakeGateway(30))
    window.page.search_box.take_focus()
    QApplication.clipboard().setText("10.1000/xyz")
    box = window.focusWidget()
    qtbot.keyClick(box, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert not window.messages.isVisible()
