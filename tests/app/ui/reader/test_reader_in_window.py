"""The reader in the window: how it is opened, its commands and its shortcuts."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QPushButton, QWidget

from sciread_app.domain.annotations.annotations import Colour
from sciread_app.domain.paper import PaperId
from sciread_app.ui.jobs.runner import JobQueue
from sciread_app.ui.reader.page import ReaderPage
from sciread_app.ui.reader.pages.display import PageDisplay
from sciread_app.ui.shell.main_window import MainWindow
from sciread_app.ui.widgets.focus import takes_focus
from tests.support.generate.papers import paper
from tests.support.ui.controls import is_reached, name_of, walk
from tests.support.ui.fakes.gateway import FakeGateway

BEES = Path("/papers/bees.pdf")
Control, Shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def window(show_window) -> MainWindow:
    """Show a library of three papers; 1 and 3 have PDFs, and the list begins with 3."""
    papers = [paper(f"Paper {n}", files=() if n == 2 else (f"{n}.pdf",)) for n in (1, 2, 3)]
    gateway = FakeGateway(papers=papers)
    gateway.reader.paths = {n: [Path(f"/papers/{n}.pdf")] for n in (1, 3)}
    return show_window(gateway)


def menu_action(window: MainWindow, name: str) -> QAction:
    return next(a for a in window.menus.actions() if a.text().replace("&", "") == name)


def read(qtbot, jobs, window: MainWindow, path: Path = BEES) -> ReaderPage:
    window.read(PaperId(1), path)
    page = window.other_page("reader")
    assert isinstance(page, ReaderPage)
    qtbot.waitUntil(lambda: page.book is not None)
    qtbot.waitUntil(lambda: not jobs.running())
    return page


def context_menu(window: MainWindow) -> QMenu:
    """Open the context menu of the selected papers, and close it again."""
    window.page.result_list.customContextMenuRequested.emit(QPoint(9, 9))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    menu.hide()
    return menu


def test_shortcut_opens_the_selected_paper_in_the_reader(qtbot, jobs, window):
    chosen = window.page.result_list.selected()[0]
    qtbot.keyClick(window.page.result_list, Qt.Key.Key_Return, Control | Shift)
    page = window.other_page("reader")
    qtbot.waitUntil(lambda: page.tab is not None and page.book is not None)
    assert page.isVisible() and page.tab.path == Path(f"/papers/{chosen}.pdf")
    qtbot.waitUntil(lambda: not jobs.running())


def test_context_menu_opens_a_paper_in_the_reader(qtbot, jobs, window):
    menu = context_menu(window)
    names = {action.text().replace("&", ""): action for action in menu.actions()}
    assert "Attach file…" not in names
    names["Read PDF"].trigger()
    page = window.other_page("reader")
    qtbot.waitUntil(lambda: page.tab is not None and page.book is not None)
    qtbot.waitUntil(lambda: not jobs.running())


def test_reading_is_disabled_for_papers_without_a_pdf(qtbot, jobs, window):
    read_it = menu_action(window, "Read PDF")
    read(qtbot, jobs, window)
    window.go_to("search")
    assert read_it.isEnabled()
    window.page.result_list.go_to(1)
    qtbot.waitUntil(lambda: not read_it.isEnabled())
    assert "no PDF" in read_it.property("unavailable_reason")
    qtbot.keyClick(window.page.result_list, Qt.Key.Key_Return, Control | Shift)
    assert window.page.isVisible() and not jobs.running(JobQueue.long)
    menu = context_menu(window)
    offered = {action.text().replace("&", ""): action.isEnabled() for action in menu.actions()}
    assert not offered["Read PDF"] and offered["Attach file…"]
    assert not window.page.details.parts.read_file.isVisible()
    window.go_to("foryou")
    assert "Library" in read_it.property("unavailable_reason")
    window.go_to("search")
    window.page.result_list.go_to(2)
    assert read_it.isEnabled()
    qtbot.waitUntil(lambda: not jobs.running())


def test_missing_pdf_is_reported_with_an_offer_to_add_a_file(qtbot, jobs, window):
    window.gateway.reader.paths = {}
    menu_action(window, "Read PDF").trigger()
    qtbot.waitUntil(lambda: "no PDF" in window.messages.message.text())
    assert window.page.isVisible()
    assert any("Attach" in b.text() for b in window.messages.findChildren(QPushButton))
    qtbot.waitUntil(lambda: not jobs.running())


def test_find_searches_the_open_file_or_else_the_library(qtbot, jobs, window):
    page = read(qtbot, jobs, window)
    menu_action(window, "Find").trigger()
    assert page.book.finding.bar.isVisible()
    page.close_tab()
    menu_action(window, "Find").trigger()
    assert window.page.isVisible()
    qtbot.waitUntil(lambda: not jobs.running())


def test_reader_actions_are_enabled_while_a_file_is_open(qtbot, jobs, window):
    turn = menu_action(window, "Rotate")
    assert not turn.isEnabled() and turn.property("unavailable_reason") == "Available in the reader"
    page = read(qtbot, jobs, window)
    for name in ("Rotate", "Actual size", "Dark pages", "Two pages", "Show thumbnails"):
        menu_action(window, name).trigger()
    assert page.book.view.turn == 1 and page.book.view.zoom == "1"
    assert page.book.view.display == PageDisplay(dark=True, two_pages=True)
    assert page.book.side.switch.current == 1
    menu_action(window, "Select all text").trigger()
    assert len(page.book.view.marks.selection.pages) == 5
    menu_action(window, "Highlight in green (2)").trigger()
    qtbot.waitUntil(lambda: len(window.gateway.reader.kept) >= 1)
    qtbot.waitUntil(lambda: not jobs.running())
    menu_action(window, "Close tab").trigger()
    assert page.tabs == []
    qtbot.waitUntil(lambda: not jobs.running())


def test_shortcuts_of_the_reader_are_unique(qtbot, jobs, window):
    read(qtbot, jobs, window)
    keys = [
        key.toString()
        for action in set(window.menus.actions())
        if action.isEnabled()
        for key in action.shortcuts()
        if not key.isEmpty()
    ]
    assert sorted(keys) == sorted(set(keys))


def test_notes_of_selected_papers_are_saved_to_the_chosen_file(
    qtbot, jobs, window, monkeypatch, tmp_path
):
    target = tmp_path / "notes.md"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), "Markdown"))
    chosen = window.page.result_list.selected()
    menu_action(window, "Export notes of selected papers…").trigger()
    qtbot.waitUntil(lambda: window.gateway.reader.saved == [(list(chosen), target)])
    qtbot.waitUntil(lambda: "exported to notes.md" in window.messages.message.text())


def test_closing_the_window_saves_note_and_place(qtbot, jobs, window):
    page = read(qtbot, jobs, window)
    page.book.choose_all()
    page.book.highlight(Colour.blue)
    qtbot.waitUntil(lambda: page.book.highlights.list.count() == 5)
    page.book.write_note()
    QTest.keyClicks(page.book.editor.note, "Why?")
    page.book.view.go_to_page(3)
    window.close()
    assert "Why?" in [one.note for one in window.gateway.reader.kept.values()]
    assert int(next(iter(window.gateway.reader.places.values())).page + 0.1) == 3


def test_deleted_highlight_can_be_undone_from_the_message(qtbot, jobs, window):
    page = read(qtbot, jobs, window)
    page.book.choose_all()
    page.book.highlight(Colour.blue)
    qtbot.waitUntil(lambda: page.book.highlights.list.count() == 5)
    page.book.write_note()
    page.book.editor.remove.click()
    qtbot.waitUntil(lambda: page.book.highlights.list.count() == 4)
    assert not page.book.editor.isVisible()
    toast = window.context.toast
    assert "Deleted the highlight" in toast.text.text() and toast.undo_button.isVisible()
    qtbot.waitUntil(lambda: not jobs.running())


def test_bar_and_editor_are_reached_by_tab(qtbot, jobs, window):
    window.activateWindow()
    page = read(qtbot, jobs, window)
    book = page.book
    for overlay, show in (
        (book.selection_bar, book.choose_all),
        (book.editor, lambda: book.highlight(Colour.blue, and_edit=True)),
    ):
        show()
        qtbot.waitUntil(overlay.isVisible)
        book.view.setFocus()
        qtbot.keyClick(book.view, Qt.Key.Key_Tab)
        assert overlay.isAncestorOf(window.focusWidget())
    qtbot.waitUntil(lambda: not jobs.running())


@pytest.mark.parametrize("part", [0, 1])
def test_reader_widgets_are_reached_by_tab_and_named(qtbot, jobs, window, part):
    window.activateWindow()
    page = read(qtbot, jobs, window)
    page.book.choose_all()
    page.book.highlight(Colour.blue)
    qtbot.waitUntil(lambda: page.book.highlights.list.count() == 5)
    page.book.start_find()
    page.book.show_side(part)
    page.show_highlights()
    seen = walk(qtbot, window)
    wanted = [one for one in page.findChildren(QWidget) if takes_focus(one)]
    assert not [(one, name_of(one)) for one in wanted if not is_reached(one, seen)]
    assert page.book.view in seen
    assert not [one for one in seen if not name_of(one).strip()]
