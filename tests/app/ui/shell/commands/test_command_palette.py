"""The command palette: finding and running commands by a few letters."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication

from sciread_app.domain.paper import PaperId
from sciread_app.ui.page import PaletteEntry
from tests.support.ui.fakes.gateway import FakeGateway

Role = Qt.ItemDataRole


@pytest.fixture
def window(show_window):
    window = show_window(FakeGateway(3))
    window.activateWindow()
    return window


def open_palette(qtbot, window):
    qtbot.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    palette = window._palette
    assert palette.isVisible() and palette.box.hasFocus()
    qtbot.waitUntil(lambda: not window._jobs.running())
    return palette


def type_text(qtbot, window, palette, text):
    qtbot.keyClicks(palette.box, text)
    qtbot.waitUntil(lambda: not window._jobs.running())
    return [entry.title for entry in palette.shown()]


def test_palette_lists_all_menu_actions_with_shortcuts(qtbot, window):
    palette = open_palette(qtbot, window)
    offered = {entry.title: entry.keys for entry in palette.shown()}
    for title, action in window.menus.entries():
        if action.isEnabled():
            assert offered[title] == action.shortcut().toString()
    assert offered["Import files"] == "Ctrl+O"
    assert {"Theme: Dark", "Go to Add papers", "Search mode: Meaning"} <= set(offered)


def test_enter_runs_a_command_and_restores_the_focus(qtbot, window):
    window.page.result_list.setFocus()
    shown = window.page.details.isVisible()
    palette = open_palette(qtbot, window)
    assert type_text(qtbot, window, palette, "deta")[0] == "Details"
    qtbot.keyClick(palette.box, Qt.Key.Key_Return)
    assert window.page.details.isVisible() is not shown
    assert not palette.isVisible() and window.page.result_list.hasFocus()


def test_palette_covers_the_search_box(qtbot, window):
    palette, search_box = open_palette(qtbot, window), window.page.search_box.edit
    assert search_box.isVisible()
    assert palette.box.mapTo(window, QPoint()) == search_box.mapTo(window, QPoint())
    assert palette.box.width() >= search_box.width()


def test_escape_closes_the_palette_and_restores_the_focus(qtbot, window):
    window.page.result_list.setFocus()
    palette = open_palette(qtbot, window)
    qtbot.keyClick(palette.box, Qt.Key.Key_Escape)
    assert not palette.isVisible() and window.page.result_list.hasFocus()
    open_palette(qtbot, window)
    window.page.search_box.take_focus()
    assert not palette.isVisible() and not window.page.result_list.hasFocus()


def test_enter_searches_for_the_typed_text(qtbot, window):
    palette = open_palette(qtbot, window)
    assert type_text(qtbot, window, palette, "paper 2")[0] == "Search for “paper 2”"
    qtbot.keyClick(palette.box, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.page.view.query == "paper 2")
    again = type_text(qtbot, window, open_palette(qtbot, window), "paper")
    assert "Search again: paper 2" in again


def test_enter_goes_to_a_tag(qtbot, window):
    palette = open_palette(qtbot, window)
    titles = type_text(qtbot, window, palette, "to read")
    assert "Go to tag: to read" in titles
    while palette.list.currentIndex().data() != "Go to tag: to read":
        qtbot.keyClick(palette.box, Qt.Key.Key_Down)
    qtbot.keyClick(palette.box, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.page.view.query == 'tag:"to read"')


def test_recent_commands_are_listed_first(qtbot, window, tmp_path):
    for title in ("Details", "Next pane"):
        palette = open_palette(qtbot, window)
        type_text(qtbot, window, palette, title)
        qtbot.keyClick(palette.box, Qt.Key.Key_Return)
    shown = open_palette(qtbot, window).shown()
    assert [entry.title for entry in shown[:2]] == ["Next pane", "Details"]


def test_actions_of_the_page_come_first_and_unavailable_ones_only_when_typed(qtbot, window):
    palette = open_palette(qtbot, window)
    shown = [entry.title for entry in palette.shown()]
    assert shown.index("Filters") < shown.index("Import files")
    assert "Redo" not in shown and not any(entry.unavailable_reason for entry in palette.shown())
    assert "Redo" in type_text(qtbot, window, palette, "redo")


def test_disabled_command_has_a_reason_and_is_not_run(qtbot, window, jobs):
    window.go_to("intake")
    qtbot.waitUntil(lambda: not jobs.running())
    palette = open_palette(qtbot, window)
    assert type_text(qtbot, window, palette, "similar")[0] == "Similar papers"
    index = palette.list.currentIndex()
    assert (
        index.data(Role.AccessibleTextRole)
        == "Similar papers, Available on the Library page, Ctrl+L"
    )
    qtbot.keyClick(palette.box, Qt.Key.Key_Return)
    assert palette.isVisible()


def test_misspelt_command_is_found(qtbot, window):
    palette = open_palette(qtbot, window)
    assert "Keyboard shortcuts" in type_text(qtbot, window, palette, "keybord")


def test_selection_wraps_around_and_click_runs_a_command(qtbot, window):
    palette = open_palette(qtbot, window)
    qtbot.keyClick(palette.box, Qt.Key.Key_Up)
    last = palette.list.entries.rowCount() - 1
    assert palette.list.currentIndex().row() == last
    type_text(qtbot, window, palette, "go to add papers")
    place = palette.list.visualRect(palette.list.entries.index(0, 0)).center()
    qtbot.mouseClick(palette.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.waitUntil(lambda: window.shows("intake"))
    qtbot.waitUntil(lambda: not window._jobs.running())


def test_additional_entries_are_found_and_run(qtbot, window):
    opened = []
    window.palette_source.more.append(
        lambda: [PaletteEntry("x", "Reader: Bees", "Open", lambda: opened.append(1))]
    )
    palette = open_palette(qtbot, window)
    assert type_text(qtbot, window, palette, "bees")[0] == "Reader: Bees"
    qtbot.keyClick(palette.box, Qt.Key.Key_Return)
    assert opened == [1]


def test_palette_fits_into_a_small_window(qtbot, window):
    window.resize(420, 320)
    palette = open_palette(qtbot, window)
    assert window.rect().contains(palette.geometry())
    assert QApplication.focusWidget() is palette.box


def test_open_papers_are_listed_and_shown(qtbot, window, jobs):
    reader = window.other_page("reader")
    for name in ("bees", "wasps"):
        reader.read(PaperId(1), Path(f"/papers/{name}.pdf"))
    qtbot.waitUntil(lambda: not jobs.running())
    palette = open_palette(qtbot, window)
    type_text(qtbot, window, palette, "open paper")
    wanted = next(entry for entry in palette.shown() if entry.key == "open:/papers/bees.pdf")
    wanted.do()
    assert window.shows("reader") and reader.tab.path == Path("/papers/bees.pdf")
    qtbot.waitUntil(lambda: not jobs.running())
