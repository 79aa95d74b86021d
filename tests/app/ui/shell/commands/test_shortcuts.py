"""The dialog of keyboard shortcuts, and the shortcuts that the user sets."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence

from sciread_app.ui.shell.commands.custom_shortcuts import SETTING, CustomShortcuts
from sciread_app.ui.shell.commands.shortcuts_dialog import ShortcutsDialog
from tests.support.ui.controls import menu_action
from tests.support.ui.fakes.gateway import FakeGateway

Key = Qt.Key
CTRL = Qt.KeyboardModifier.ControlModifier
ALT_SHIFT = Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def window(qtbot, show_window, jobs):
    window = show_window(FakeGateway(5))
    window.activateWindow()
    qtbot.waitUntil(lambda: not jobs.running())
    return window


@pytest.fixture
def open_dialog(qtbot, window):
    def open_dialog(key=Key.Key_F1) -> ShortcutsDialog:
        window.page.result_list.setFocus()
        qtbot.keyClick(window.page.result_list, key)
        qtbot.waitUntil(lambda: bool(dialogs(window)))
        return dialogs(window)[0]

    return open_dialog


def dialogs(window):
    return [dialog for dialog in window.findChildren(ShortcutsDialog) if dialog.isVisible()]


def names(dialog):
    return [name for name, _ in dialog.listed()]


def choose(qtbot, dialog, text):
    dialog.filter.clear()
    qtbot.keyClicks(dialog.filter, text)


def press(qtbot, dialog, key, modifiers):
    dialog.editor.setFocus()
    qtbot.keyClick(dialog.editor, key, modifiers)
    dialog.editor.editingFinished.emit()


def test_f1_lists_all_actions_and_filters_them_by_name(qtbot, window, open_dialog):
    dialog = open_dialog()
    assert {"Import files", "Find", "Quit", "Scroll by a screen", "About SciRead"} <= {
        *names(dialog)
    }
    choose(qtbot, dialog, "zotero import")
    assert names(dialog) == ["Import from Zotero"]
    choose(qtbot, dialog, "zzzz")
    assert names(dialog) == [] and dialog.nothing.isVisible()


def test_actions_are_found_by_their_keys(qtbot, window, open_dialog):
    dialog = open_dialog()
    choose(qtbot, dialog, "ctrl k")
    assert ("Command palette", "Ctrl+K") in dialog.listed()
    assert all("K" in keys for _, keys in dialog.listed())


def test_question_mark_lists_the_keys_of_the_page(qtbot, window, open_dialog):
    dialog = open_dialog(Key.Key_Question)
    listed = names(dialog)
    assert {"Next or previous paper", "Find", "Quit"} <= {*listed}
    assert not {"Scroll by a screen", "Find next", "About SciRead"} & {*listed}
    qtbot.mouseClick(dialog.scope.tab_stops()[1], Qt.MouseButton.LeftButton)
    assert {"Scroll by a screen", "Find next", "About SciRead"} <= {*names(dialog)}


def test_enter_runs_the_selected_action_if_it_is_available(qtbot, window, open_dialog):
    dialog = open_dialog()
    choose(qtbot, dialog, "find next")
    qtbot.keyClick(dialog.filter, Key.Key_Return)
    assert dialog.isVisible() and "reader" in dialog.label.text().lower()
    choose(qtbot, dialog, "focus sidebar")
    ran = []
    dialog.current().triggered.connect(lambda: ran.append(True))
    qtbot.keyClick(dialog.filter, Key.Key_Return)
    assert ran and not dialogs(window)


def test_new_shortcut_works_at_once_and_after_a_restart(qtbot, window, open_dialog):
    dialog = open_dialog()
    choose(qtbot, dialog, "activity")
    action = dialog.current()
    press(qtbot, dialog, Key.Key_Y, CTRL)
    assert action.shortcut().toString() == "Ctrl+Y" and ("Activity", "Ctrl+Y") in dialog.listed()
    dialog.reject()
    qtbot.keyClick(window.page.result_list, Key.Key_Y, CTRL)
    assert window.job_panel.isVisible()
    action.setShortcut(QKeySequence("Ctrl+J"))
    reopened(window)
    assert action.shortcut().toString() == "Ctrl+Y"


def reopened(window):
    """Apply the stored shortcuts, as the next start does."""
    named = [
        *window.menus.entries(),
        ("Command palette", window.actions_by_name["command palette"]),
    ]
    return CustomShortcuts(named, window._actions, window.memory(), window)


def test_shortcut_of_another_action_is_taken_only_on_request(qtbot, window, open_dialog):
    dialog = open_dialog()
    choose(qtbot, dialog, "activity")
    activity = dialog.current()
    press(qtbot, dialog, Key.Key_K, CTRL)
    assert "Command palette" in dialog.label.text() and dialog.reassign.isVisible()
    assert activity.shortcut().toString() == "Ctrl+J"
    qtbot.mouseClick(dialog.reassign, Qt.MouseButton.LeftButton)
    assert activity.shortcut().toString() == "Ctrl+K"
    assert window.actions_by_name["command palette"].shortcut().isEmpty()
    qtbot.mouseClick(dialog.reset_all, Qt.MouseButton.LeftButton)
    assert activity.shortcut().toString() == "Ctrl+J"
    assert window.actions_by_name["command palette"].shortcut().toString() == "Ctrl+K"


def test_escape_in_the_shortcut_field_closes_the_dialog(qtbot, window, open_dialog):
    dialog = open_dialog()
    choose(qtbot, dialog, "activity")
    press(qtbot, dialog, Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
    assert not dialogs(window)


def test_same_keys_on_different_pages_are_no_conflict(qtbot, window, open_dialog):
    dialog = open_dialog()
    choose(qtbot, dialog, "rotate")
    press(qtbot, dialog, Key.Key_L, CTRL)  # similar papers on the Library page
    assert not dialog.reassign.isVisible()
    assert menu_action(window, "Rotate").shortcut().toString() == "Ctrl+L"
    assert menu_action(window, "Similar papers").shortcut().toString() == "Ctrl+L"


@pytest.mark.parametrize(
    ("key", "modifiers"),
    [
        (Key.Key_X, Qt.KeyboardModifier.NoModifier),
        (Key.Key_X, Qt.KeyboardModifier.ShiftModifier),
        (Key.Key_C, CTRL),
    ],
)
def test_keys_needed_for_typing_are_refused(qtbot, window, open_dialog, key, modifiers):
    dialog = open_dialog()
    choose(qtbot, dialog, "activity")
    press(qtbot, dialog, key, modifiers)
    assert menu_action(window, "Activity").shortcut().toString() == "Ctrl+J"
    assert "X" in dialog.label.text() or "C" in dialog.label.text()


def test_reset_restores_all_default_keys_of_an_action(qtbot, window, open_dialog):
    dialog = open_dialog()
    choose(qtbot, dialog, "zoom in")
    action, default = dialog.current(), dialog.current().shortcuts()
    press(qtbot, dialog, Key.Key_Y, ALT_SHIFT)
    assert [keys.toString() for keys in action.shortcuts()] == ["Alt+Shift+Y"]
    qtbot.mouseClick(dialog.reset, Qt.MouseButton.LeftButton)
    assert action.shortcuts() == default and not dialog.reset.isEnabled()


@pytest.mark.parametrize(
    "stored", ["", "no json", "[]", '{"Activity": 7}', '{"Gone": "Ctrl+Y", "Activity": "Foo+Bar"}']
)
def test_damaged_settings_leave_the_default_shortcuts(window, stored):
    window.memory().setValue(SETTING, stored)
    reopened(window)
    assert menu_action(window, "Activity").shortcut().toString() == "Ctrl+J"


def test_stored_shortcut_wins_over_a_default_of_a_later_version(window):
    window.memory().setValue(SETTING, '{"Activity": "Ctrl+K"}')
    reopened(window)
    assert menu_action(window, "Activity").shortcut().toString() == "Ctrl+K"
    assert window.actions_by_name["command palette"].shortcut().isEmpty()
