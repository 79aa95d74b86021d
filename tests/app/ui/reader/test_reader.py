"""The reader: pages, places, links, search, highlights and notes, by mouse and keys."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QRect, Qt, QUrl
from PySide6.QtGui import QAction, QContextMenuEvent, QDesktopServices, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QToolButton

from sciread_app.domain.annotations.annotations import (
    Box,
    Colour,
    Highlight,
    Link,
    OutlineEntry,
    PagePosition,
    ReadingPosition,
)
from sciread_app.domain.paper import LibraryChanges, PaperFile, PaperId
from sciread_app.services.library.reader import CannotShow, FailureReason
from sciread_app.ui.reader.page import ReaderPage
from sciread_app.ui.reader.side.highlights_panel import HIGHLIGHT
from tests.support.ui.fakes.reader import LEFT, LETTER, LINE, TOP, WORDS, FakeFile
from tests.support.ui.reader import page_of, settle

BEES, WASPS = Path("/papers/bees.pdf"), Path("/papers/wasps.pdf")
Key, Left = Qt.Key, Qt.MouseButton.LeftButton
Shift, Control = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier


def place(book, word: str, page: int = 0, end: bool = False) -> QPoint:
    """Return the position of the first or last letter of a word, in pixels of the viewport."""
    at = WORDS.index(word) + (len(word) - 1 if end else 0)
    row = WORDS[:at].count("\n")
    column = at - (WORDS[:at].rfind("\n") + 1)
    x = LEFT + (column + (0.9 if end else 0.1)) * LETTER
    there = book.view.layout_.shown(page, Box(x, TOP + (row + 0.5) * LINE, x, 0))
    return there.bottomLeft().toPoint() + book.view.origin()


def drag(qtbot, book, start: str, end: str) -> None:
    viewport = book.view.viewport()
    qtbot.mousePress(viewport, Left, pos=place(book, start))
    qtbot.mouseMove(viewport, place(book, end, end=True) - QPoint(1, 0))
    qtbot.mouseMove(viewport, place(book, end, end=True))
    qtbot.mouseRelease(viewport, Left, pos=place(book, end, end=True))


def selected_text(book) -> str:
    choice = book.view.marks.selection
    return WORDS[choice.start.letter : choice.end.letter]


def test_file_is_shown_at_window_width_with_its_outline(open_book, reading):
    book = open_book()
    rect = book.view.layout_.rect(0)
    assert rect.width() == pytest.approx(book.view.viewport().width() - 24, abs=2)
    assert book.side.outline.tree.topLevelItem(0).child(0).text(0) == "Wax"
    assert book.toolbar.pages.text() == "of 5"
    assert any(part.width > 300 for part in reading.opened[0].drawn)


def test_reopened_file_is_at_the_last_place_and_zoom(open_book, qtbot, jobs, reading, make_page):
    book = open_book()
    book.view.set_zoom("1.5")
    book.view.go_to(PagePosition(3, 200.0))
    place = book.view.position
    book.close_file()
    qtbot.waitUntil(lambda: not jobs.running())
    page = make_page()
    page.close_tab(0)
    page.read(PaperId(1), BEES)
    qtbot.waitUntil(lambda: page.book is not None)
    assert page.book.view.position.page == pytest.approx(place.page, abs=0.02)
    assert page.book.view.zoom == "1.5"
    assert page.book.toolbar.page.text() == "4"


def test_formulas_in_the_title_of_a_tab_are_unicode(qtbot, make_page, reading):
    reading.titles[1] = "On $x^2$"
    page = make_page()
    page.read(PaperId(1), BEES)
    qtbot.waitUntil(lambda: page.book is not None)
    assert page.bar.tabText(0) == "On x²" and page.bar.tabToolTip(0).startswith("On x²\n")


def test_open_tabs_are_restored_and_loaded_when_shown(qtbot, jobs, make_page, reading):
    page = make_page()
    for number, path in enumerate((BEES, WASPS, BEES), start=1):
        page.read(PaperId(min(number, 2) if path == WASPS else 1), path)
        qtbot.waitUntil(lambda: page.book is not None)
    assert [tab.path for tab in page.tabs] == [BEES, WASPS] and page.tab.path == BEES
    qtbot.waitUntil(lambda: not jobs.running())
    before = len(reading.opened)
    page.bar.setCurrentIndex(1)
    again = make_page()
    qtbot.waitUntil(lambda: again.book is not None)
    assert [tab.title for tab in again.tabs] == ["Paper 1", "Paper 2"]
    assert len(reading.opened) == before + 1
    again.close_tab()
    again.close_tab()
    assert again.stack.currentWidget() is again.empty
    again.take_focus()
    assert again.window().focusWidget() is again.empty.buttons()[0]
    assert make_page().tabs == []


def test_middle_button_closes_a_tab(qtbot, jobs, make_page):
    page = make_page()
    for number, path in enumerate((BEES, WASPS), start=1):
        page.read(PaperId(number), path)
        qtbot.waitUntil(lambda: page.book is not None)
    middle = Qt.MouseButton.MiddleButton
    qtbot.mouseClick(page.bar, middle, pos=page.bar.tabRect(0).center())
    assert [tab.path for tab in page.tabs] == [WASPS]
    qtbot.mouseClick(page.bar, middle, pos=QPoint(page.bar.width() - 1, 2))
    assert len(page.tabs) == 1
    qtbot.waitUntil(lambda: not jobs.running())


def detailed_paper(page: ReaderPage) -> int:
    details = page.details.details if page.details else None
    return details.paper.id if details else 0


def test_details_are_shown_beside_the_pages_and_remembered(qtbot, jobs, make_page):
    page = make_page()
    page.resize(1200, 700)
    page.read(PaperId(1), BEES)
    qtbot.waitUntil(lambda: page.book is not None)
    assert page.details is None
    button(page.book.toolbar, "Details and highlights").click()
    qtbot.waitUntil(lambda: detailed_paper(page) == 1)
    assert page.details.isVisible()
    page.resize(900, 700)
    assert not page.details.isVisible() and page.book.isVisible()
    page.resize(1200, 700)
    assert page.details.isVisible()
    page.read(PaperId(2), WASPS)
    qtbot.waitUntil(lambda: detailed_paper(page) == 2)
    qtbot.waitUntil(lambda: page.book is not None and not jobs.running())
    again = make_page()
    again.resize(1200, 700)
    qtbot.waitUntil(lambda: again.details is not None and again.details.isVisible())
    page.toggle_pane()
    assert not page.details.isVisible()
    qtbot.waitUntil(lambda: not jobs.running())


def test_details_offer_to_read_only_papers_that_are_not_open(qtbot, jobs, make_page, gateway):
    gateway.about.files = [PaperFile(BEES, 2_400_000, 12)]
    page = make_page()
    page.resize(1200, 700)
    page.read(PaperId(1), BEES)
    qtbot.waitUntil(lambda: page.book is not None)
    page.toggle_pane()
    qtbot.waitUntil(lambda: detailed_paper(page) == 1 and bool(page.details.parts.files.rows))
    assert not page.details.parts.read_file.isVisible()
    page.details.paper_requested.emit(PaperId(2))
    qtbot.waitUntil(lambda: detailed_paper(page) == 2 and page.details.parts.read_file.isVisible())
    qtbot.waitUntil(lambda: not jobs.running())


def test_pane_lists_the_highlights_of_the_current_tab(qtbot, jobs, make_page, reading):
    reading.kept = {1: highlight(0)}
    page = make_page()
    page.resize(1200, 700)
    page.read(PaperId(1), BEES)
    qtbot.waitUntil(lambda: page.book is not None)
    bees = page.book
    button(bees.toolbar, "Details and highlights").click()
    page.pane.switch.tab_stops()[1].click()
    qtbot.waitUntil(lambda: bees.highlights.list.count() == 1)
    assert bees.highlights.isVisible() and bees.isVisible()
    page.read(PaperId(2), WASPS)
    qtbot.waitUntil(lambda: page.book is not None and page.book is not bees)
    assert page.book.highlights.isVisible() and not bees.highlights.isVisible()
    page.close_tab()
    assert bees.highlights.isVisible()
    button(page.pane, "Close pane").click()
    assert not page.pane.isVisible()
    qtbot.waitUntil(lambda: not jobs.running())


def test_pane_in_a_narrow_page_covers_the_pages_until_a_highlight_is_opened(
    qtbot, jobs, make_page, reading
):
    reading.kept = {1: highlight(2)}
    page = make_page()
    page.resize(620, 700)
    page.activateWindow()
    page.read(PaperId(1), BEES)
    qtbot.waitUntil(lambda: page.book is not None)
    page.show_highlights()
    assert page.book.highlights.isVisible() and not page.book.isVisible()
    qtbot.waitUntil(lambda: page.book.highlights.list.count() == 1)
    list = page.book.highlights.list
    list.itemClicked.emit(list.item(0))
    assert page.book.isVisible()
    qtbot.waitUntil(lambda: page.book.view.page == 2)
    page.show_highlights()
    assert page.pane.isAncestorOf(page.focusWidget())
    qtbot.keyClick(page.focusWidget(), Key.Key_Escape)
    assert page.book.isVisible() and not page.pane.isVisible()
    assert page.focusWidget() is page.book.view
    page.show_highlights()
    page.read(PaperId(1), BEES)
    assert page.book.isVisible()
    page.show_highlights()
    assert page.find_here() and page.book.isVisible()
    qtbot.waitUntil(lambda: not jobs.running())


def test_reading_position_remains_after_the_pane_has_covered_the_pages(qtbot, make_page):
    page = make_page()
    page.resize(620, 700)
    page.read(PaperId(1), BEES)
    qtbot.waitUntil(lambda: page.book is not None)
    view = page.book.view
    qtbot.waitUntil(lambda: view.viewport().width() > 200)
    view.go_to(PagePosition(2, 200.0))
    before = view.position
    page.toggle_pane()
    qtbot.waitUntil(lambda: page.stack.width() == 0)
    assert view.page == 2 and view.position == before
    page.toggle_pane()
    qtbot.waitUntil(lambda: view.viewport().width() > 200)
    assert view.page == 2 and view.position == before


def test_reading_position_remains_after_all_pages_have_fit_into_the_window(open_book, qtbot):
    book = open_book()
    view = book.view
    view.go_to(PagePosition(3, 200.0))
    before, height = view.verticalScrollBar().value(), view.height()
    page = page_of(book)
    page.resize(page.width(), 6000)
    qtbot.waitUntil(lambda: not view.verticalScrollBar().maximum())
    page.resize(page.width(), 600)
    qtbot.waitUntil(lambda: view.height() == height)
    assert view.verticalScrollBar().value() == pytest.approx(before, abs=2)


def test_page_history_goes_back_and_forward(open_book, qtbot):
    book = open_book()
    book.toolbar.page.setText("4")
    qtbot.keyClick(book.toolbar.page, Key.Key_Return)
    assert book.view.page == 3 and book.view.hasFocus()
    book.side.outline.tree.itemClicked.emit(book.side.outline.tree.topLevelItem(0), 0)
    assert book.view.page == 0
    book.back()
    assert book.view.page == 3
    book.back()
    assert book.view.page == 0
    book.forward()
    assert book.view.page == 3


def test_escape_in_the_page_field_returns_to_the_pages(open_book, qtbot):
    book = open_book()
    book.go_to_page_line()
    QTest.keyClicks(book.toolbar.page, "4")
    qtbot.keyClick(book.toolbar.page, Key.Key_Escape)
    assert book.view.hasFocus() and book.toolbar.page.text() == "1" and book.view.page == 0


def heading(book) -> str:
    item = book.side.outline.tree.currentItem()
    return item.text(0) if item else ""


def test_outline_shows_the_section_in_sight(open_book):
    book = open_book()
    assert heading(book) == "Hives"
    book.jump(PagePosition(3))
    assert heading(book) == "Wax"
    book.view.verticalScrollBar().setValue(book.view.layout_.rect(2).top())
    assert heading(book) == "Hives"
    book.side.outline.tree.collapseAll()
    book.jump(PagePosition(3))
    assert heading(book) == "Hives"


def test_clicked_heading_remains_current_although_the_file_ends_above_it(open_book, reading):
    spots = [PagePosition(4, top) for top in (20.0, 300.0, 330.0)]
    entries = [OutlineEntry(name, 0, spot) for name, spot in zip("ABC", spots, strict=True)]
    reading.make = lambda paper, path: FakeFile(paper, path, outline=entries)
    book = open_book()
    tree = book.side.outline.tree
    for number, name in enumerate("ABC"):
        tree.itemClicked.emit(tree.topLevelItem(number), 0)
        assert heading(book) == name
    book.view.go_to_page(0)
    assert heading(book) == "" and not tree.selectedItems()


def test_keys_move_between_pages(open_book, qtbot):
    book = open_book()
    qtbot.keyClick(book.view, Key.Key_N)
    assert book.view.page == 1
    qtbot.keyClick(book.view, Key.Key_Space)
    assert book.view.verticalScrollBar().value() > book.view.layout_.rect(1).top()
    qtbot.keyClick(book.view, Key.Key_End)
    assert book.view.page == 4
    qtbot.keyClick(book.view, Key.Key_Home)
    assert book.view.verticalScrollBar().value() == 0


def test_wheel_zoom_keeps_the_point_under_the_mouse(open_book):
    book = open_book()
    at = place(book, "flowers")
    before = book.view.layout_.on_page(0, at - book.view.origin())
    book.view.zoom_by(1.8, at.toPointF())
    after = book.view.layout_.on_page(0, at - book.view.origin())
    assert after == pytest.approx(before, abs=1.0)
    book.view.set_zoom("page")
    assert book.view.layout_.rect(0).height() <= book.view.viewport().height()
    book.view.rotate()
    assert book.view.layout_.rect(0).width() > book.view.layout_.rect(0).height()


def test_dark_pages_are_remembered(open_book, qtbot, reading, make_page):
    book = open_book()
    book.toolbar._buttons["dark"].click()
    qtbot.waitUntil(lambda: any(part.dark for part in reading.opened[0].drawn))
    again = make_page()
    qtbot.waitUntil(lambda: again.book is not None)
    assert again.book.view.display.dark


def test_two_pages_are_side_by_side_and_remembered(open_book, qtbot, jobs, reading, make_page):
    book = open_book()
    view = book.view
    qtbot.mouseClick(book.toolbar._buttons["two_pages"], Qt.MouseButton.LeftButton)
    left, right = view.layout_.rect(0), view.layout_.rect(1)
    assert left.top() == right.top() and left.right() < right.left()
    assert view.layout_.width <= view.viewport().width()
    settle(qtbot, jobs, book)
    qtbot.keyClick(view, Qt.Key.Key_N)
    assert view.page == 2 and book.toolbar.page.text() == "3"
    qtbot.keyClick(view, Qt.Key.Key_P)
    assert view.page == 0
    book.jump(PagePosition(3))
    assert view.page == 2
    again = make_page()
    qtbot.waitUntil(lambda: again.book is not None)
    assert again.book.view.display.two_pages


def test_two_pages_with_cover_show_the_first_page_alone(open_book, qtbot, jobs):
    book = open_book()
    view = book.view
    book.toggle_cover()
    settle(qtbot, jobs, book)
    cover, left, right = (view.layout_.rect(page) for page in range(3))
    assert cover.bottom() < left.top() == right.top()
    assert cover.left() == right.left() > left.right()
    qtbot.keyClick(view, Qt.Key.Key_N)
    assert view.page == 1 and book.toolbar.page.text() == "2"
    qtbot.keyClick(view, Qt.Key.Key_P)
    assert view.page == 0
    book.toggle_cover()
    assert view.layout_.rect(0).top() == view.layout_.rect(1).top()


def test_text_is_selected_from_the_left_to_the_right_page(open_book, qtbot, jobs):
    book = open_book()
    book.toggle_two_pages()
    settle(qtbot, jobs, book)
    view = book.view
    ends = [view.layout_.rect(page).center() + view.origin() for page in (0, 1)]
    qtbot.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=ends[0])
    qtbot.mouseMove(view.viewport(), ends[1])
    qtbot.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=ends[1])
    assert view.marks.selection.pages == range(0, 2)


def test_links_go_to_a_page_or_open_in_the_browser(open_book, qtbot, jobs, reading, monkeypatch):
    asked: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: asked.append(url))
    inside = Link(Box(20, 200, 120, 220), PagePosition(4, 50.0))
    reading.make = lambda paper, path: FakeFile(paper, path, links={0: inside})
    book = open_book()
    view = book.view
    there = view.layout_.shown(0, inside.box).center().toPoint() + view.origin()
    qtbot.mouseClick(view.viewport(), Left, pos=there)
    assert view.page == 4
    view.mouse.link_clicked.emit(Link(inside.box, None, "https://example.org"))
    view.mouse.link_clicked.emit(Link(inside.box, None, "file:///etc/passwd"))
    assert [url.toString() for url in asked] == ["https://example.org"]


def test_text_is_selected_by_mouse_and_keys_and_copied(open_book, qtbot, jobs):
    book = open_book()
    drag(qtbot, book, "fly", "flowers")
    assert selected_text(book) == "fly to\nflowers"
    qtbot.keyClick(book.view, Key.Key_C, Control)
    qtbot.waitUntil(lambda: QGuiApplication.clipboard().text() == "fly to\nflowers")
    viewport = book.view.viewport()
    qtbot.mouseDClick(viewport, Left, pos=place(book, "lowers"))
    assert selected_text(book) == "flowers"
    qtbot.mousePress(viewport, Left, pos=place(book, "lowers"))
    assert selected_text(book) == "flowers and"
    qtbot.keyClick(book.view, Key.Key_Left, Shift)
    assert selected_text(book) == "flowers an"
    qtbot.keyClick(book.view, Key.Key_Escape)
    assert not book.view.marks.selection


def test_find_counts_matches_and_goes_through_them(open_book, qtbot, jobs):
    book = open_book()
    book.start_find()
    QTest.keyClicks(book.finding.bar.line, "home")
    qtbot.keyClick(book.finding.bar.line, Key.Key_Return)
    qtbot.waitUntil(lambda: book.finding.bar.count.text() == "1 of 5")
    qtbot.keyClick(book.finding.bar.line, Key.Key_Return)
    assert book.finding.bar.count.text() == "2 of 5" and book.view.page == 1
    qtbot.keyClick(book.finding.bar.line, Key.Key_Return, Shift)
    qtbot.keyClick(book.finding.bar.line, Key.Key_Return, Shift)
    assert book.finding.bar.count.text() == "5 of 5"
    qtbot.keyClick(book.finding.bar.line, Key.Key_Escape)
    assert selected_text(book) == "home" and book.view.hasFocus()
    book.finding.start("wolves")
    qtbot.waitUntil(lambda: book.finding.bar.count.text() == "No results")


def test_key_highlights_the_selected_text(open_book, qtbot, context, jobs, reading):
    book = open_book()
    drag(qtbot, book, "fly", "flowers")
    with qtbot.waitSignal(context.events.edited):
        qtbot.keyClick(book.view, Key.Key_3)
    qtbot.waitUntil(lambda: book.highlights.list.count() == 1)
    (kept,) = reading.kept.values()
    assert (kept.text, kept.colour, kept.page, len(kept.boxes)) == (
        "fly to\nflowers",
        Colour.blue,
        0,
        2,
    )
    assert not book.view.marks.selection and book.view.marks.selected_highlight == kept.id
    qtbot.keyClick(book.view, Key.Key_4)
    assert reading.kept[kept.id].colour is Colour.blue  # the keys act on a text selection only
    book.highlight(Colour.pink)
    qtbot.waitUntil(lambda: reading.kept[kept.id].colour is Colour.pink)


def test_highlight_is_extended_to_whole_words(open_book, qtbot, context, reading):
    book = open_book()
    drag(qtbot, book, "ly", "flow")
    with qtbot.waitSignal(context.events.edited):
        qtbot.keyClick(book.view, Key.Key_1)
    (kept,) = reading.kept.values()
    assert kept.text == "fly to\nflowers"


def highlight(page: int, text: str = "dance", id: int = 1) -> Highlight:
    return Highlight(
        PaperId(1), "ab", str(BEES), page, (Box(20, 30, 90, 42),), text, Colour.green, id=id
    )


def click_highlight(qtbot, book) -> None:
    there = book.view.layout_.shown(0, Box(30, 35, 31, 36)).center().toPoint()
    qtbot.mouseClick(book.view.viewport(), Left, pos=there + book.view.origin())


def frame_of(book, overlay) -> QRect:
    """Return the rectangle of an overlay in the viewport."""
    corner = book.view.viewport().mapFrom(book, overlay.pos())
    return QRect(corner, overlay.size())


def test_bar_at_selected_text_highlights_it_and_does_not_cover_it(
    open_book, qtbot, context, reading
):
    book = open_book()
    bar = book.selection_bar
    viewport = book.view.viewport()
    qtbot.mousePress(viewport, Left, pos=place(book, "fly"))
    qtbot.mouseMove(viewport, place(book, "flowers"))
    qtbot.mouseMove(viewport, place(book, "flowers", end=True))
    assert not bar.isVisible()
    qtbot.mouseRelease(viewport, Left, pos=place(book, "flowers", end=True))
    assert bar.isVisible()
    assert not frame_of(book, bar).intersects(book.view.selection_rect())
    assert viewport.rect().contains(frame_of(book, bar))
    with qtbot.waitSignal(context.events.edited):
        button(bar, "Highlight in pink (4)").click()
    assert [one.colour for one in reading.kept.values()] == [Colour.pink]
    assert not bar.isVisible()


def button(overlay, name: str) -> QToolButton:
    buttons = overlay.findChildren(QToolButton)
    return next(one for one in buttons if one.accessibleName() == name)


def test_bar_follows_its_text_and_hides_when_it_is_out_of_sight(open_book, qtbot):
    book = open_book()
    drag(qtbot, book, "fly", "flowers")
    before = book.selection_bar.y()
    book.view.verticalScrollBar().setValue(20)
    assert book.selection_bar.y() < before or not frame_of(book, book.selection_bar).intersects(
        book.view.selection_rect()
    )
    book.view.go_to_page(3)
    assert not book.selection_bar.isVisible()
    book.view.go_to_page(0)
    assert book.selection_bar.isVisible()
    qtbot.keyClick(book.view, Key.Key_Escape)
    assert not book.selection_bar.isVisible()


def test_escape_in_the_bar_closes_it_and_clears_the_selection(open_book, qtbot):
    book = open_book()
    drag(qtbot, book, "fly", "flowers")
    first = button(book.selection_bar, "Highlight in yellow (1)")
    first.setFocus()
    qtbot.keyClick(first, Key.Key_Escape)
    assert not book.selection_bar.isVisible() and not book.view.marks.selection
    assert book.view.hasFocus()


def test_selected_text_is_copied_with_citation_and_page(open_book, qtbot):
    book = open_book()
    drag(qtbot, book, "fly", "fly")
    qtbot.mouseClick(button(book.selection_bar, "Copy with citation (Ctrl+Shift+C)"), Left)
    qtbot.waitUntil(lambda: QGuiApplication.clipboard().text() == "“fly” (apa of 1, 1)")


def test_library_is_searched_for_the_selected_text(open_book, qtbot, context):
    book = open_book()
    drag(qtbot, book, "fly", "flowers")
    qtbot.mouseClick(button(book.selection_bar, "Search the library for the selected text"), Left)
    qtbot.waitUntil(lambda: ("search_for", "fly to flowers") in context.navigate.calls)


def test_note_button_highlights_and_opens_the_note(open_book, qtbot, reading):
    book = open_book()
    drag(qtbot, book, "fly", "flowers")
    book.window().activateWindow()
    qtbot.mouseClick(button(book.selection_bar, "Highlight and add note (Ctrl+M)"), Left)
    qtbot.waitUntil(book.editor.isVisible)
    assert book.window().focusWidget() is book.editor.note
    QTest.keyClicks(book.editor.note, "How far?")
    qtbot.keyClick(book.editor.note, Key.Key_Escape)
    qtbot.waitUntil(lambda: [one.note for one in reading.kept.values()] == ["How far?"])
    assert not book.editor.isVisible()


def test_clicked_highlight_opens_its_note_and_saves_it(open_book, qtbot, context, reading):
    reading.kept = {1: highlight(0), 2: highlight(3, "later", 2)}
    book = open_book()
    editor, list = book.editor, book.highlights.list
    qtbot.waitUntil(lambda: list.count() == 2)
    click_highlight(qtbot, book)
    assert editor.isVisible() and list.currentRow() == 0
    box = book.view.highlight_rect(reading.kept[1])
    assert not frame_of(book, editor).intersects(box)
    editor.note.setFocus()
    QTest.keyClicks(editor.note, "Why?")
    page_of(book).show_highlights()
    list.setCurrentRow(1)
    qtbot.waitUntil(lambda: reading.kept[1].note == "Why?")
    assert not editor.isVisible()
    list.itemClicked.emit(list.item(1))
    assert book.view.page == 3
    assert editor.isVisible() and editor.highlight.text == "later"
    with qtbot.waitSignal(book.removal_requested) as asked:
        editor.remove.click()
    assert asked.args[0].id == 2


def right_click(book, at: QPoint) -> dict[str, QAction]:
    """Right-click the pages; return the actions offered, by name."""
    viewport = book.view.viewport()
    reason = QContextMenuEvent.Reason.Mouse
    event = QContextMenuEvent(reason, at, viewport.mapToGlobal(at))
    QGuiApplication.sendEvent(viewport, event)
    menu = QApplication.activePopupWidget()
    actions = {one.text().partition("\t")[0]: one for one in menu.actions() if one.text()}
    menu.close()
    return actions


def test_context_menu_of_a_highlight_recolors_copies_and_deletes_it(open_book, qtbot, reading):
    reading.kept = {1: highlight(0)}
    book = open_book()
    qtbot.waitUntil(lambda: book.highlights.list.count() == 1)
    at = book.view.highlight_rect(reading.kept[1]).center()
    for _ in range(2):
        assert all(action.isVisible() for action in right_click(book, at).values())
    assert not right_click(book, at)["Green"].isEnabled()
    right_click(book, at)["Yellow"].trigger()
    qtbot.waitUntil(lambda: reading.kept[1].colour is Colour.yellow)
    with qtbot.waitSignal(book.copied):
        right_click(book, at)["Copy text"].trigger()
    assert QGuiApplication.clipboard().text() == reading.kept[1].text
    right_click(book, at)["Edit note"].trigger()
    assert book.editor.isVisible()
    with qtbot.waitSignal(book.removal_requested) as asked:
        right_click(book, at)["Delete highlight"].trigger()
    assert asked.args[0].id == 1


def test_context_menu_beside_highlights_offers_what_needs_no_selection(open_book, qtbot, reading):
    reading.kept = {1: highlight(0)}
    book = open_book()
    qtbot.waitUntil(lambda: book.highlights.list.count() == 1)
    click_highlight(qtbot, book)
    actions = right_click(book, QPoint(4, 4))
    assert "Select area" in actions and "Delete highlight" not in actions
    assert all(action.isEnabled() for action in actions.values())
    assert book.view.marks.selected_highlight == 0


def test_context_menu_of_selected_text_highlights_it(open_book, qtbot, reading):
    book = open_book()
    drag(qtbot, book, "fly", "fly")
    right_click(book, place(book, "fly"))["Highlight in blue"].trigger()
    qtbot.waitUntil(lambda: [one.colour for one in reading.kept.values()] == [Colour.blue])


def test_pages_have_the_focus_after_a_highlight_was_deleted(open_book, qtbot, reading):
    reading.kept = {1: highlight(0)}
    book = open_book()
    page = page_of(book)
    page.resize(1200, 600)
    page.show_highlights()
    qtbot.waitUntil(lambda: book.highlights.list.count() == 1)
    click_highlight(qtbot, book)
    book.editor.remove.setFocus()
    reading.kept = {}
    page.library_changed(LibraryChanges(papers=True))
    qtbot.waitUntil(lambda: not book.editor.isVisible())
    assert book.view.hasFocus()


def test_sign_of_a_note_leaves_the_letters_before_the_highlight_visible(
    open_book, qtbot, context, reading
):
    reading.kept = {1: highlight(0)}
    book = open_book()
    qtbot.waitUntil(lambda: book.highlights.list.count() == 1)
    rect = book.view.highlight_rect(reading.kept[1])
    before = book.view.viewport().grab().toImage()
    with qtbot.waitSignal(context.events.edited):
        book.annotate(reading.kept[1], "Why?")
    corner = QRect(rect.topLeft() - QPoint(10, 10), rect.topLeft() + QPoint(5, 0))
    qtbot.waitUntil(
        lambda: book.view.viewport().grab().toImage().copy(corner) != before.copy(corner)
    )
    letters = QRect(rect.left() - 12, rect.top() + 2, 10, rect.height() - 2)
    assert book.view.viewport().grab().toImage().copy(letters) == before.copy(letters)


def test_editor_closes_with_escape_or_a_click_beside_it(open_book, qtbot, context, reading):
    reading.kept = {1: highlight(0)}
    book = open_book()
    qtbot.waitUntil(lambda: book.highlights.list.count() == 1)
    click_highlight(qtbot, book)
    book.editor.note.setFocus()
    qtbot.keyClick(book.editor.note, Key.Key_Escape)
    assert not book.editor.isVisible() and book.view.hasFocus()
    click_highlight(qtbot, book)
    qtbot.keyClick(book.view, Key.Key_Escape)
    assert not book.editor.isVisible()
    click_highlight(qtbot, book)
    assert book.editor.isVisible()
    qtbot.mouseClick(book.view.viewport(), Left, pos=place(book, "home"))
    assert not book.editor.isVisible()
    click_highlight(qtbot, book)
    with qtbot.waitSignal(context.events.edited):
        button(book.editor, "Purple").click()
    assert reading.kept[1].colour is Colour.purple


def test_highlight_missing_in_this_version_is_edited_in_the_list(open_book, qtbot, reading):
    reading.lost = [highlight(2, "gone", 7)]
    book = open_book()
    page_of(book).show_highlights()
    list = book.highlights.list
    qtbot.waitUntil(lambda: list.count() == 2)
    list.itemClicked.emit(list.item(1))
    qtbot.waitUntil(book.editor.isVisible)
    assert book.editor.highlight.text == "gone" and book.view.page == 0


def test_highlights_missing_in_this_version_are_listed_as_such(open_book, qtbot, reading):
    reading.lost = [highlight(2, "gone")]
    book = open_book()
    rows = [book.highlights.list.item(n).text() for n in range(2)]
    assert rows[0] == "Not found in this version of the file" and "gone" in rows[1]


def test_highlights_are_filtered_by_words_and_colours(open_book, qtbot, reading):
    reading.kept = {
        1: highlight(0),
        2: replace(highlight(1, "later", 2), note="Überall"),
        3: replace(highlight(2, "late", 3), colour=Colour.pink),
    }
    book = open_book()
    page_of(book).show_highlights()
    panel = book.highlights
    qtbot.waitUntil(lambda: panel.list.count() == 3)

    def shown() -> list[int]:
        items = map(panel.list.item, range(panel.list.count()))
        return [item.data(HIGHLIGHT).id for item in items if not item.isHidden()]

    panel.filter.setText("late")
    assert shown() == [2, 3]
    panel.filter.setText("uberall")
    assert shown() == [2]
    panel.filter.setText("nowhere")
    assert shown() == [] and panel.nothing_found.isVisible()
    panel.filter.clear()
    assert not panel.colours[Colour.blue].isEnabled()
    qtbot.mouseClick(panel.colours[Colour.pink], Left)
    assert shown() == [3]
    click_highlight(qtbot, book)  # one that the filter hides
    assert shown() == [1, 2, 3] and panel.list.currentRow() == 0


def test_highlight_removed_elsewhere_disappears(open_book, qtbot, jobs, reading):
    reading.kept = {1: highlight(0)}
    book = open_book()
    reading.kept = {}
    page_of(book).library_changed(LibraryChanges(papers=True))
    qtbot.waitUntil(lambda: book.highlights.list.count() == 0)
    assert not book.view.marks.highlights(0)


def test_locked_file_asks_for_its_password(qtbot, make_page, reading):
    reading.passwords = {BEES: "hive"}
    page = make_page()
    page.read(PaperId(1), BEES)
    password = page.tab.password
    qtbot.waitUntil(lambda: page.tab.currentWidget() is password)
    assert password.line.hasFocus() and not password.wrong.isVisible()
    for typed in ("honey", "hive"):
        QTest.keyClicks(password.line, typed)
        qtbot.keyClick(password.line, Key.Key_Return)
        if typed == "honey":
            qtbot.waitUntil(password.wrong.isVisible)
    qtbot.waitUntil(lambda: page.book is not None)


def test_locked_file_that_changes_asks_again_without_blame(qtbot, make_page, reading):
    reading.passwords = {BEES: "hive"}
    page = make_page()
    page.read(PaperId(1), BEES)
    password = page.tab.password
    qtbot.waitUntil(lambda: page.tab.currentWidget() is password)
    QTest.keyClicks(password.line, "hive")
    qtbot.keyClick(password.line, Key.Key_Return)
    qtbot.waitUntil(lambda: page.book is not None)
    page.book.file_lost.emit(CannotShow(FailureReason.changed, "The file has changed."))
    qtbot.waitUntil(lambda: page.tab.currentWidget() is password)
    assert not password.wrong.isVisible()


@pytest.mark.parametrize("why", [FailureReason.missing, FailureReason.damaged])
def test_unreadable_file_is_explained_and_can_be_retried(qtbot, make_page, reading, why):
    reading.unavailable_reason = {BEES: why}
    page = make_page()
    page.read(PaperId(1), BEES)
    message = page.tab.message
    qtbot.waitUntil(lambda: message.title.text() == f"The file is {why.value}.")
    assert "Do something" in message.text.text() and str(BEES) in message.text.text()
    reading.unavailable_reason = {}
    page.tab._again()
    qtbot.waitUntil(lambda: page.book is not None)


def test_tab_of_a_removed_paper_can_be_closed(qtbot, make_page, reading):
    make_page().read(PaperId(1), BEES)
    reading.unavailable_reason = {BEES: FailureReason.removed}  # as after restoring a backup
    page = make_page()
    message = page.tab.message
    qtbot.waitUntil(lambda: message.title.text() == "The file is removed.")
    assert [button.text() for button in message.buttons()] == ["Close tab", "Show in folder"]
    message.buttons()[0].click()
    assert page.tabs == [] and page.empty.isVisible()


def test_failed_page_is_reported_in_its_place(make_page, qtbot, jobs, reading):
    def broken(paper, path):
        file = FakeFile(paper, path)
        file.broken = {0}
        return file

    reading.make = broken
    page = make_page()
    page.read(PaperId(1), BEES)
    qtbot.waitUntil(lambda: page.book is not None)
    book = page.book
    qtbot.waitUntil(lambda: bool(book.pictures.failure(0)))
    qtbot.waitUntil(lambda: book.pictures.picture(book.view._quick(1)) is not None)
    assert "Page 1 broke" in book.pictures.failure(0)
    assert any(part.page == 1 for part in reading.opened[0].drawn)


def test_notes_of_the_open_paper_are_saved(qtbot, context, make_page, reading, tmp_path):
    page = make_page()
    page.save_notes([PaperId(1)], tmp_path / "notes.md")
    saved = "Highlights and notes were exported to notes.md."
    qtbot.waitUntil(lambda: ("show_notice", saved) in context.messages.calls)
    assert reading.saved == [([1], tmp_path / "notes.md")]


def test_annotated_copy_of_the_open_paper_is_saved(qtbot, context, open_book, reading, tmp_path):
    target = tmp_path / "copy.pdf"
    reading.lost = [highlight(0)]
    page = page_of(open_book())
    page.write_copy(PaperId(1), BEES, target)
    qtbot.waitUntil(lambda: bool(context.messages.calls))
    [(name, message, hint, *_)] = context.messages.calls
    assert name == "show_notice" and "copy.pdf" in message and "1 highlight" in hint
    assert reading.copies == [(1, BEES, target)]


def test_dialog_for_an_annotated_copy_starts_in_the_folder_of_the_file(
    context, make_page, monkeypatch
):
    started = []

    def cancel(parent, title, start, kinds):
        started.append(Path(start))
        return "", ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", cancel)
    make_page().save_copy(PaperId(1), Path("/papers/2017/bees.pdf"))
    assert started == [Path("/papers/2017/bees (annotated).pdf")]


def test_closed_file_is_released_and_its_place_stored(open_book, qtbot, jobs, reading):
    book = open_book()
    book.view.go_to_page(2)
    page = page_of(book)
    page.close_tab()
    qtbot.waitUntil(lambda: not jobs.running())
    place = reading.places[reading.opened[0].shape.sha256]
    assert isinstance(place, ReadingPosition) and int(place.page + 0.1) == 2
    assert reading.opened[0].closed


def test_note_saved_after_its_tab_was_closed_can_be_undone(
    open_book, qtbot, jobs, context, reading, hold
):
    go_on = hold(reading, "annotate")
    reading.kept = {1: highlight(0)}
    book = open_book()
    page = page_of(book)
    qtbot.waitUntil(lambda: book.highlights.list.count() == 1)
    click_highlight(qtbot, book)
    QTest.keyClicks(book.editor.note, "Why?")
    page.close_tab()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    with qtbot.waitSignal(context.events.edited):
        go_on.set()
    qtbot.waitUntil(lambda: not jobs.running())
    assert reading.kept[1].note == "Why?" and page.book is None


@pytest.mark.parametrize("refused", [True, False])
def test_tab_closed_while_its_file_is_opened_shows_nothing(
    qtbot, jobs, make_page, reading, hold, refused
):
    go_on = hold(reading, "open")
    if refused:
        reading.unavailable_reason[BEES] = FailureReason.damaged
    page = make_page()
    page.read(PaperId(1), BEES)
    page.close_tab()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    go_on.set()
    qtbot.waitUntil(lambda: not jobs.running())
    assert not page.tabs and all(file.closed for file in reading.opened)


def test_search_that_ends_after_its_tab_was_closed_is_dropped(
    open_book, qtbot, jobs, reading, hold
):
    book = open_book()
    go_on = hold(book.file, "search")
    with qtbot.waitSignal(jobs.started):
        book.finding.start("flowers")
    page_of(book).close_tab()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    go_on.set()
    qtbot.waitUntil(lambda: not jobs.running())
    assert reading.opened[0].closed


def test_files_of_old_tabs_release_their_memory(qtbot, jobs, make_page, reading):
    page = make_page()
    for number in range(5):
        page.read(PaperId(1), Path(f"/papers/{number}.pdf"))
        qtbot.waitUntil(lambda: page.book is not None)
        settle(qtbot, jobs, page.book)
    qtbot.waitUntil(lambda: not jobs.running())
    assert [file.resting for file in reading.opened] == [True, True, False, False, False]
    first = page.tabs[0].book
    assert first.pictures.text(0) is None
    page.bar.setCurrentIndex(0)
    settle(qtbot, jobs, first)
    assert page.book is first and len(reading.opened) == 5


def test_changed_file_is_reloaded_at_the_same_page(qtbot, jobs, open_book, reading):
    book = open_book()
    page = page_of(book)
    book.view.go_to_page(3)
    reading.opened[0].changed = True
    page.refresh()
    qtbot.waitUntil(lambda: page.book is not None and page.book is not book)
    settle(qtbot, jobs, page.book)
    assert len(reading.opened) == 2 and reading.opened[0].closed
    assert page.book.view.page == 3
