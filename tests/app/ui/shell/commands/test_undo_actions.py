"""Undo and Redo: their texts, their state, their messages."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt

from sciread_app.ui.library import edit_queue
from sciread_app.ui.library.edit_queue import EditQueue
from tests.support.ui.fakes.gateway import FakeGateway


@pytest.fixture
def window(show_window):
    return show_window(FakeGateway(20))


@pytest.fixture
def undo(window):
    return window.actions_by_name["undo"]


@pytest.fixture
def redo(window):
    return window.actions_by_name["redo"]


def test_undo_and_redo_are_disabled_without_edits(window, undo, redo):
    assert not undo.isEnabled() and not redo.isEnabled()
    assert undo.property("unavailable_reason") == "Nothing to undo"


def test_undo_and_redo_name_the_edit(qtbot, window, undo, redo):
    window.library_controller.work.submit(
        "Tagged papers", lambda editor: editor.tag([1, 2], "cats & dogs")
    )
    qtbot.waitUntil(undo.isEnabled)
    assert undo.text() == "&Undo: added tag “cats && dogs” to 2 papers"
    qtbot.keyClick(window.page.result_list, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(redo.isEnabled)
    assert redo.text() == "Re&do: added tag “cats && dogs” to 2 papers"
    qtbot.waitUntil(lambda: undo.text() == "&Undo" and not undo.isEnabled())
    again = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(window.page.result_list, Qt.Key.Key_Z, again)
    qtbot.waitUntil(undo.isEnabled)
    assert window.library_controller.notice.isVisible()


def test_shortcut_list_has_undo_and_redo_without_the_edit(qtbot, window, undo):
    window.library_controller.work.submit(
        "Tagged papers", lambda editor: editor.tag([1, 2], "cats & dogs")
    )
    qtbot.waitUntil(undo.isEnabled)
    by_menu = window.menus.groups()
    assert {"Undo", "Redo"} <= {name for _, rows in by_menu for name, _ in rows}


def undo_key(qtbot, window):
    qtbot.keyClick(window.page.result_list, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)


def test_undo_message_names_the_paper_and_offers_redo(qtbot, window, undo):
    editor, notice = window.gateway.editor, window.library_controller.notice
    editor.titles["Rated 1 paper 3"] = "The theory of variational methods"
    window.library_controller.work.submit("Rated papers", lambda editor: editor.rate([1], 3))
    qtbot.waitUntil(undo.isEnabled)
    assert "The theory of variational" in undo.text()
    undo_key(qtbot, window)
    qtbot.waitUntil(lambda: "The theory of variational methods" in notice.text.text())
    assert editor.calls == [] and not notice.undo_button.isVisible()
    notice.redo_button.click()
    qtbot.waitUntil(lambda: editor.calls == ["Rated 1 paper 3"])
    qtbot.waitUntil(lambda: notice.isVisible() and notice.undo_button.isVisible())


def test_edit_of_an_earlier_session_is_named_before_it_is_undone(qtbot, window, undo):
    editor, notice = window.gateway.editor, window.library_controller.notice
    editor.calls.append("Added a note")
    editor.at["Added a note"] = 0.0
    editor.titles["Added a note"] = "On bees"
    undo_key(qtbot, window)  # the menu may not know the edit yet
    window.events.edited.emit()
    qtbot.waitUntil(undo.isEnabled)
    undo_key(qtbot, window)
    qtbot.waitUntil(lambda: "On bees" in notice.text.text())
    assert editor.calls == ["Added a note"]
    assert notice.undo_button.isVisible() and not notice.redo_button.isVisible()
    undo_key(qtbot, window)
    qtbot.waitUntil(lambda: editor.calls == [] and notice.redo_button.isVisible())


def test_steps_of_one_edit_are_undone_and_redone_together(qtbot, window):
    editor, notice = window.gateway.editor, window.library_controller.notice
    steps = [lambda editor, n=n: editor.create_collection(n) for n in ("one", "two")]
    window.library_controller.work.submit("Making collections", *steps, done="Made 2 collections")
    qtbot.waitUntil(notice.undo_button.isVisible)
    notice.undo_button.click()
    qtbot.waitUntil(notice.redo_button.isVisible)
    assert editor.calls == []
    notice.redo_button.click()
    qtbot.waitUntil(lambda: editor.calls == ["Made “one”", "Made “two”"])


def test_long_edit_text_is_elided(qtbot, window, undo):
    window.library_controller.work.submit(
        "Tagged papers", lambda editor: editor.tag([1], "long " * 30)
    )
    qtbot.waitUntil(undo.isEnabled)
    assert undo.text().endswith("…") and len(undo.text()) < 75


def test_edit_of_an_earlier_day_of_the_same_session_is_named_first(qtbot, jobs, monkeypatch):
    editor = FakeGateway(20).editor
    with monkeypatch.context() as then:
        then.setattr(edit_queue, "time", SimpleNamespace(time=lambda: 0.0))
        queue = EditQueue(editor, jobs)
    editor.calls.append("Added a note")
    editor.at["Added a note"] = time.time() - 86_400
    for is_question in (True, False):
        with qtbot.waitSignal(queue.done) as done:
            queue.undo()
        assert done.args[0].question is is_question
    assert editor.calls == []
