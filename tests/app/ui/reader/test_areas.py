"""Areas of a page: selected by mouse and keys, highlighted, copied as images, and listed."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QToolButton

from sciread_app.domain.annotations.annotations import Box, Colour, Highlight
from sciread_app.domain.paper import PaperId
from sciread_app.ui.reader.document_view import DocumentView

BEES = Path("/papers/bees.pdf")
Key, Left = Qt.Key, Qt.MouseButton.LeftButton
Shift, Control = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def book(open_book) -> DocumentView:
    return open_book()


def at(book: DocumentView, x: float, y: float, page: int = 0) -> QPoint:
    corner = book.view.layout_.shown(page, Box(x, y, x, y)).topLeft().toPoint()
    return corner + book.view.origin()


def drag(qtbot, book: DocumentView, start: QPoint, end: QPoint, modifier=None) -> None:
    viewport, keys = book.view.viewport(), modifier or Qt.KeyboardModifier.NoModifier
    qtbot.mousePress(viewport, Left, keys, start)
    qtbot.mouseMove(viewport, end - QPoint(1, 1))
    qtbot.mouseMove(viewport, end)
    qtbot.mouseRelease(viewport, Left, keys, end)


def button(owner, name: str) -> QToolButton:
    return next(b for b in owner.findChildren(QToolButton) if b.accessibleName().startswith(name))


def test_control_and_drag_selects_an_area_that_a_color_keeps(qtbot, book, reading):
    drag(qtbot, book, at(book, 40, 50), at(book, 140, 110), Control)
    assert book.selection_bar.isVisible() and not book.view.marks.selection
    qtbot.mouseClick(button(book.selection_bar, "Highlight in green"), Left)
    qtbot.waitUntil(lambda: len(book.marked.here) == 1)
    (kept,) = reading.kept.values()
    assert kept.is_area and kept.colour is Colour.green and kept.page == 0
    assert kept.boxes[0] == pytest.approx((40, 50, 140, 110), abs=1)
    assert book.view.marks.area is None and not book.selection_bar.isVisible()


def test_toolbar_button_selects_one_area_with_the_mouse(qtbot, book):
    tool = button(book.toolbar, "Select area")
    qtbot.mouseClick(tool, Left)
    assert tool.isChecked()
    assert book.view.viewport().cursor().shape() is Qt.CursorShape.CrossCursor
    drag(qtbot, book, at(book, 140, 110), at(book, 40, 50))
    assert book.view.marks.area.box == pytest.approx((40, 50, 140, 110), abs=1)
    assert not tool.isChecked()
    qtbot.mouseClick(tool, Left)
    qtbot.keyClick(book.view, Key.Key_Escape)
    assert not tool.isChecked()
    qtbot.keyClick(book.view, Key.Key_Escape)
    assert book.view.marks.area is None and not book.selection_bar.isVisible()


def test_area_ends_at_the_edges_of_its_page(qtbot, book):
    end = book.view.layout_.rect(0).bottomRight() + book.view.origin() + QPoint(40, 60)
    drag(qtbot, book, at(book, 200, 50), end, Control)
    page, box = book.view.marks.area
    assert page == 0 and box == pytest.approx((200, 50, 300, 400), abs=1)


def test_keys_select_move_and_resize_an_area(qtbot, book, reading):
    book.select_area()
    qtbot.keyClick(book.view, Key.Key_Return)
    before = book.view.marks.area.box
    qtbot.keyClick(book.view, Key.Key_Right)
    qtbot.keyClick(book.view, Key.Key_Down, Shift)
    after = book.view.marks.area.box
    assert (after.left - before.left, after.right - before.right) == (5, 5)
    assert (after.top - before.top, after.bottom - before.bottom) == (0, 5)
    for _ in range(200):
        qtbot.keyClick(book.view, Key.Key_Left)
    assert book.view.marks.area.box.left == 0
    qtbot.keyClick(book.view, Key.Key_4)
    qtbot.waitUntil(lambda: [one.colour for one in reading.kept.values()] == [Colour.pink])


def test_area_is_copied_as_an_image_as_sharp_as_a_print(qtbot, book):
    drag(qtbot, book, at(book, 40, 50), at(book, 112, 86), Control)
    QGuiApplication.clipboard().clear()
    qtbot.keyClick(book.view, Key.Key_C, Control)
    qtbot.waitUntil(lambda: not QGuiApplication.clipboard().image().isNull())
    image = QGuiApplication.clipboard().image()
    assert (image.width(), image.height()) == pytest.approx((300, 150), abs=6)


def test_clicked_area_opens_and_text_in_it_can_still_be_selected(qtbot, book, reading):
    path = str(BEES)
    box = Box(10, 20, 200, 90)
    reading.kept = {1: Highlight(PaperId(1), book.file.shape.sha256, path, 0, (box,), "", id=1)}
    book.load_marks()
    qtbot.waitUntil(lambda: book.highlights.list.count() == 1)
    qtbot.mouseClick(book.view.viewport(), Left, pos=at(book, 190, 85))
    assert book.editor.isVisible() and book.editor.highlight.is_area
    QGuiApplication.clipboard().clear()
    qtbot.mouseClick(book.editor.copy, Left)
    qtbot.waitUntil(lambda: not QGuiApplication.clipboard().image().isNull())
    drag(qtbot, book, at(book, 22, 36), at(book, 60, 36))
    assert book.view.marks.selection


def test_edge_of_the_current_area_is_dragged_to_resize_it(qtbot, book, reading):
    where = (PaperId(1), book.file.shape.sha256, str(BEES), 0)
    reading.kept = {1: Highlight(*where, (Box(40, 50, 140, 110),), "", id=1)}
    book.load_marks()
    qtbot.waitUntil(lambda: book.highlights.list.count() == 1)
    drag(qtbot, book, at(book, 140, 110), at(book, 160, 130))
    assert reading.kept[1].boxes[0] == (40, 50, 140, 110)  # it is not the current highlight
    qtbot.mouseClick(book.view.viewport(), Left, pos=at(book, 90, 100))
    qtbot.mouseMove(book.view.viewport(), at(book, 140, 110))
    assert book.view.viewport().cursor().shape() is Qt.CursorShape.SizeFDiagCursor
    drag(qtbot, book, at(book, 140, 110), at(book, 160, 130))
    resized = pytest.approx((40, 50, 160, 130), abs=1)
    qtbot.waitUntil(lambda: book.view.marks.current_area.boxes[0] == resized)
    drag(qtbot, book, at(book, 40, 90), at(book, 200, 90))
    qtbot.waitUntil(lambda: reading.kept[1].boxes[0].left == pytest.approx(155, abs=1))


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_area_on_a_rotated_page_is_resized_by_the_dragged_edge(qtbot, book, reading, turns):
    where = (PaperId(1), book.file.shape.sha256, str(BEES), 0)
    reading.kept = {1: Highlight(*where, (Box(40, 50, 140, 110),), "", id=1)}
    book.load_marks(1)
    qtbot.waitUntil(lambda: book.highlights.list.count() == 1)
    for _ in range(turns):
        book.view.rotate()
    qtbot.mouseClick(book.view.viewport(), Left, pos=at(book, 90, 100))
    drag(qtbot, book, at(book, 140, 80), at(book, 170, 80))
    resized = pytest.approx((40, 50, 170, 110), abs=1)
    qtbot.waitUntil(lambda: reading.kept[1].boxes[0] == resized)


def test_list_shows_a_picture_of_the_area(qtbot, book, reading):
    where = (PaperId(1), book.file.shape.sha256, str(BEES), 2)
    reading.kept = {1: Highlight(*where, (Box(10, 20, 110, 70),), "", id=1)}
    book.window().show_highlights()
    book.load_marks()
    pages = [part for part in reading.opened[0].drawn if part.page == 2]
    qtbot.waitUntil(
        lambda: any(
            part.page == 2 and part not in pages and (part.width, part.height) == (200, 100)
            for part in reading.opened[0].drawn
        )
    )
    item = book.highlights.list.item(0)
    assert book.highlights.list.visualItemRect(item).height() > 100
