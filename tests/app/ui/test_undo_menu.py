"""The menu's Undo and Redo say what they would do, and cannot be chosen when there is nothing."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from tests.app.ui.fakes import FakeDesk


@pytest.fixture
def window(show_window):
    return show_window(FakeDesk(20))


@pytest.fixture
def undo(window):
    return window.menus.on_shelf["undo"]


@pytest.fixture
def redo(window):
    return window.menus.on_shelf["redo"]


def test_with_nothing_done_there_is_nothing_to_undo(window, undo, redo):
    assert not undo.isEnabled() and not redo.isEnabled()
    assert window.menus.why_not(undo) == "There is nothing to undo"


def test_both_name_what_they_take_back_or_make_again(qtbot, window, undo, redo):
    window.shelving.work.do("Tagged", lambda organise: organise.tag([1, 2], "cats & dogs"))
    qtbot.waitUntil(undo.isEnabled)
    assert undo.text() == "&Undo: tagged 2 papers “cats && dogs”"
    qtbot.keyClick(window.page.hits, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(redo.isEnabled)
    assert redo.text() == "Re&do: tagged 2 papers “cats && dogs”"
    qtbot.waitUntil(lambda: undo.text() == "&Undo" and not undo.isEnabled())
    again = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(window.page.hits, Qt.Key.Key_Z, again)
    qtbot.waitUntil(undo.isEnabled)
    assert window.shelving.notice.isVisible()


def test_a_long_edit_is_cut_short(qtbot, window, undo):
    window.shelving.work.do("Tagged", lambda organise: organise.tag([1], "long " * 30))
    qtbot.waitUntil(undo.isEnabled)
    assert undo.text().endswith("…") and len(undo.text()) < 75
