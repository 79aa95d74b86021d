"""The mouse over the pages: choosing letters, words and lines, following links, picking marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from sciread_app.domain.letters import Letters
from sciread_app.domain.reading import Link
from sciread_app.language import tr
from sciread_app.ui.reader.choice import NOTHING, At, Choice

if TYPE_CHECKING:
    from sciread_app.ui.reader.canvas import PagesView

CREEP_MS = 30  # between two steps of scrolling while the mouse is held beyond the edge
NEAR = 6.0  # points from a letter, within which the mouse is over text

Cursor = Qt.CursorShape


class Hand:
    def __init__(self, view: PagesView) -> None:
        self._view = view
        self._pressed: QPoint | None = None
        self._dragged = False
        self._unit = 1  # what a drag chooses by: 1 letters, 2 words, 3 lines
        self._begun = (At(0, 0), At(0, 0))  # the word or line in which the drag began
        self._at = QPointF()
        self._clicks = QTimer(view, singleShot=True)
        self._creeping = QTimer(view, interval=CREEP_MS)
        self._creeping.timeout.connect(self._creep)

    def press(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            event.ignore()  # others know what to do with it
            return
        at = event.position()
        if self._clicks.isActive():  # the third within the time of two
            self._begin(at, 3)
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier and self._view.marks.choice:
            self._unit, anchor = 1, self._view.marks.choice.anchor
            self._begun = (anchor, anchor)
            self._extend(at)
        else:
            self._begin(at, 1)
        self._pressed, self._dragged = at.toPoint(), False

    def press_again(self, event: QMouseEvent) -> None:
        self._begin(event.position(), 2)
        self._pressed, self._dragged = event.position().toPoint(), True
        self._clicks.start(QApplication.doubleClickInterval())

    def move(self, event: QMouseEvent) -> None:
        self._at = event.position()
        if self._pressed is None:
            self._show_what_is_there(self._at)
            return
        far = (self._at.toPoint() - self._pressed).manhattanLength()
        if self._dragged or far >= QApplication.startDragDistance():
            self._dragged = True
            self._extend(self._at)
            beyond = not self._view.viewport().rect().contains(self._at.toPoint())
            (self._creeping.start if beyond else self._creeping.stop)()

    def release(self, event: QMouseEvent) -> None:
        self._creeping.stop()
        clicked, self._pressed = self._pressed is not None and not self._dragged, None
        if not clicked or self._view.marks.choice:
            return
        page, x, y = self._on_page(event.position())
        if link := self._link(page, x, y):
            self._view.followed.emit(link)
        elif mark := self._view.marks.highlight_at(page, x, y):
            self._view.picked.emit(mark)
        elif self._view.marks.picked:
            self._view.picked.emit(None)

    def _begin(self, at: QPointF, unit: int) -> None:
        self._unit = unit
        self._begun = self._around(at)
        self._choose(Choice(*self._begun) if unit > 1 else NOTHING)

    def _extend(self, at: QPointF) -> None:
        start, end = self._around(at)
        first, last = self._begun
        self._choose(Choice(last, start) if start < first else Choice(first, end))

    def _choose(self, choice: Choice) -> None:
        if choice != self._view.marks.choice:
            self._view.marks.choice = choice
            self._view.refresh()
            self._view.choice_changed.emit()

    def _around(self, at: QPointF) -> tuple[At, At]:
        """The letter, word or line at a point, from where to where."""
        page, x, y = self._on_page(at)
        letters = self._letters(page)
        if letters is None:
            return At(page, 0), At(page, 0)
        if self._unit == 1:
            place = At(page, letters.boundary(x, y))
            return place, place
        letter = letters.nearest(x, y)
        if letter is None:
            return At(page, 0), At(page, 0)
        start, end = letters.word(letter) if self._unit == 2 else letters.line(letter)
        return At(page, start), At(page, end)

    def _creep(self) -> None:
        rect = self._view.viewport().rect()
        above, below = self._at.y() - rect.top(), self._at.y() - rect.bottom()
        step = min(above, 0) + max(below, 0)
        bar = self._view.verticalScrollBar()
        bar.setValue(bar.value() + round(step / 2))
        self._extend(self._at)

    def _show_what_is_there(self, at: QPointF) -> None:
        page, x, y = self._on_page(at)
        viewport, tip, shape = self._view.viewport(), "", Cursor.ArrowCursor
        if link := self._link(page, x, y):
            # What a link says may be other than where it leads.
            shape = Cursor.PointingHandCursor
            tip = link.address or (tr("Page {page}", page=link.spot.page + 1) if link.spot else "")
        elif mark := self._view.marks.highlight_at(page, x, y):
            shape, tip = Cursor.PointingHandCursor, mark.note
        elif (letters := self._letters(page)) and letters.nearest(x, y, NEAR) is not None:
            shape = Cursor.IBeamCursor
        if viewport.cursor().shape() is not shape:
            viewport.setCursor(shape)
        if viewport.toolTip() != tip:
            viewport.setToolTip(tip)

    def _on_page(self, at: QPointF) -> tuple[int, float, float]:
        layout = self._view.layout_
        there = at - QPointF(self._view.origin())
        page = layout.page_at(there.y())
        return page, *layout.on_page(page, there)

    def _letters(self, page: int) -> Letters | None:
        text = self._view.pictures.text(page)
        return text.letters if text else None

    def _link(self, page: int, x: float, y: float) -> Link | None:
        text = self._view.pictures.text(page)
        links = text.links if text else ()
        return next((link for link in links if link.box.holds(x, y)), None)
