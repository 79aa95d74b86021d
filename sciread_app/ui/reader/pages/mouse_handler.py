"""The mouse over the pages: selects text, and clicks links and highlights."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QPoint, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QAbstractScrollArea, QApplication

from sciread_app.domain.annotations.annotations import Link
from sciread_app.domain.annotations.page_text import PageText
from sciread_app.ui.reader.pages.image_cache import PageImageCache
from sciread_app.ui.reader.pages.painter import PageMarks
from sciread_app.ui.reader.pages.text_selection import EMPTY, TextPosition, TextSelection

AUTOSCROLL_MS = 30  # between two steps of scrolling while the mouse is held beyond the edge
TEXT_DISTANCE = 6.0  # points from a letter, within which the mouse is over text

Cursor = Qt.CursorShape
PagePoint = tuple[int, float, float]  # a page, x and y in points of the page


class MouseHandler(QObject):
    """Selects text in `marks` and reports clicks on links and highlights.

    `area` scrolls the pages; `to_page` converts a position in its viewport.
    """

    selection_changed = Signal()
    link_clicked = Signal(object)  # Link
    link_hovered = Signal(int, object)  # the page; Link, or None
    highlight_clicked = Signal(object)  # Highlight, or None: a click outside the current one

    def __init__(
        self,
        area: QAbstractScrollArea,
        images: PageImageCache,
        marks: PageMarks,
        to_page: Callable[[QPointF], PagePoint],
    ) -> None:
        super().__init__(area)
        self._area, self._images, self._marks, self._to_page = area, images, marks, to_page
        self._pressed: QPoint | None = None
        self._dragged = False
        self._hovered: Link | None = None
        self._cursor: Cursor | None = None
        self._unit = 1  # of selection: 1 letters, 2 words, 3 lines
        self._first = (EMPTY.anchor, EMPTY.head)  # the word or line in which the drag began
        self._position = QPointF()
        self._triple_click = QTimer(self, singleShot=True)
        self._autoscroll = QTimer(self, interval=AUTOSCROLL_MS)
        self._autoscroll.timeout.connect(self._scroll)
        images.loaded.connect(lambda _: self._look_again())

    @property
    def cursor(self) -> Cursor | None:
        """The shape of the mouse pointer; None: it depends on what is under it."""
        return self._cursor

    @cursor.setter
    def cursor(self, cursor: Cursor | None) -> None:
        self._cursor = cursor
        self._update_cursor(self._position)

    @property
    def is_selecting(self) -> bool:
        """Whether text is being selected: the button is held."""
        return self._pressed is not None

    def press(self, event: QMouseEvent) -> None:
        """Begin a selection at the left button; with Shift, extend the present one. A third click
        selects a line."""
        if event.button() is not Qt.MouseButton.LeftButton:
            event.ignore()  # the document view handles the other buttons
            return
        at = event.position()
        if self._marks.area:
            self._marks.area = None
            self.selection_changed.emit()
        if self._triple_click.isActive():
            self._begin(at, 3)
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier and self._marks.selection:
            self._unit, anchor = 1, self._marks.selection.anchor
            self._first = (anchor, anchor)
            self._extend(at)
        else:
            self._begin(at, 1)
        self._pressed, self._dragged = at.toPoint(), False

    def double_click(self, event: QMouseEvent) -> None:
        self._begin(event.position(), 2)
        self._pressed, self._dragged = event.position().toPoint(), True
        self._triple_click.start(QApplication.doubleClickInterval())

    def move(self, event: QMouseEvent) -> None:
        """Extend the selection while the button is held, scrolling beyond the edge; else set the
        shape of the mouse pointer."""
        self._position = event.position()
        if self._pressed is None:
            self._update_cursor(self._position)
            return
        far = (self._position.toPoint() - self._pressed).manhattanLength()
        if self._dragged or far >= QApplication.startDragDistance():
            self._dragged = True
            self._extend(self._position)
            beyond = not self._area.viewport().rect().contains(self._position.toPoint())
            (self._autoscroll.start if beyond else self._autoscroll.stop)()

    def release(self, event: QMouseEvent) -> None:
        """End the selection; a click without one follows the link or selects the highlight under
        the mouse."""
        self._autoscroll.stop()
        clicked, self._pressed = self._pressed is not None and not self._dragged, None
        if not clicked or self._marks.selection:
            self.selection_changed.emit()  # it is complete
            return
        page, x, y = self._to_page(event.position())
        if link := self._link(page, x, y):
            self.link_clicked.emit(link)
        elif mark := self._marks.highlight_at(page, x, y):
            self.highlight_clicked.emit(mark)
        elif self._marks.selected_highlight:
            self.highlight_clicked.emit(None)

    def _begin(self, at: QPointF, unit: int) -> None:
        self._unit = unit
        self._first = self._around(at)
        self._select(TextSelection(*self._first) if unit > 1 else EMPTY)

    def _extend(self, at: QPointF) -> None:
        start, end = self._around(at)
        first, last = self._first
        self._select(TextSelection(last, start) if start < first else TextSelection(first, end))

    def _select(self, selection: TextSelection) -> None:
        if selection != self._marks.selection:
            self._marks.selection = selection
            self.selection_changed.emit()

    def _around(self, at: QPointF) -> tuple[TextPosition, TextPosition]:
        """Start and end of the letter, word or line at a position, by the unit of selection."""
        page, x, y = self._to_page(at)
        letters = self._letters(page)
        if letters is None:
            return TextPosition(page, 0), TextPosition(page, 0)
        if self._unit == 1:
            place = TextPosition(page, letters.boundary(x, y))
            return place, place
        letter = letters.nearest(x, y)
        if letter is None:
            return TextPosition(page, 0), TextPosition(page, 0)
        start, end = letters.word(letter) if self._unit == 2 else letters.line(letter)
        return TextPosition(page, start), TextPosition(page, end)

    def _scroll(self) -> None:
        rect = self._area.viewport().rect()
        above, below = self._position.y() - rect.top(), self._position.y() - rect.bottom()
        step = min(above, 0) + max(below, 0)
        bar = self._area.verticalScrollBar()
        bar.setValue(bar.value() + round(step / 2))
        self._extend(self._position)

    def _look_again(self) -> None:
        """A text was loaded, maybe of the page under the resting mouse."""
        if self._pressed is None and self._area.viewport().underMouse():
            self._update_cursor(self._position)

    def leave(self) -> None:
        """The mouse has left the pages."""
        self._hover(0, None)

    def _hover(self, page: int, link: Link | None) -> None:
        if link != self._hovered:
            self._hovered = link
            self.link_hovered.emit(page, link)

    def _update_cursor(self, at: QPointF) -> None:
        page, x, y = self._to_page(at)
        viewport, tip, shape = self._area.viewport(), "", Cursor.ArrowCursor
        link = self._link(page, x, y)
        self._hover(page, link)
        if link:
            # The text of a link may differ from its target.
            shape, tip = Cursor.PointingHandCursor, link.address
        elif mark := self._marks.highlight_at(page, x, y):
            shape, tip = Cursor.PointingHandCursor, mark.note
        elif (letters := self._letters(page)) and letters.nearest(x, y, TEXT_DISTANCE) is not None:
            shape = Cursor.IBeamCursor
        shape = self._cursor or shape
        if viewport.cursor().shape() is not shape:
            viewport.setCursor(shape)
        if viewport.toolTip() != tip:
            viewport.setToolTip(tip)

    def _letters(self, page: int) -> PageText | None:
        text = self._images.text(page)
        return text.letters if text else None

    def _link(self, page: int, x: float, y: float) -> Link | None:
        text = self._images.text(page)
        links = text.links if text else ()
        return next((link for link in links if link.box.holds(x, y)), None)
