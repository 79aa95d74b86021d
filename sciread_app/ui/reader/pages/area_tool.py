"""Selection of an area of a page, with the mouse or the keyboard, and resizing of saved areas."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QObject, QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent

from sciread_app.domain.annotations.annotations import Box
from sciread_app.ui.reader.pages.layout import DocumentLayout
from sciread_app.ui.reader.pages.mouse_handler import PagePoint
from sciread_app.ui.reader.pages.painter import AreaSelection, PageMarks
from sciread_app.ui.reader.pages.text_selection import EMPTY

SMALLEST = 5.0  # points: a smaller area is a slip of the mouse
GRIP = 6.0  # pixels from the edge of an area within which the mouse resizes it
STEP = 5.0  # points that an arrow key moves an area or its lower right corner

Key = Qt.Key
_STEPS = {
    Key.Key_Left: (-STEP, 0.0),
    Key.Key_Right: (STEP, 0.0),
    Key.Key_Up: (0.0, -STEP),
    Key.Key_Down: (0.0, STEP),
}


class Edges(NamedTuple):
    """Edges of an area: -1 the left or upper one, 1 the right or lower one, 0 none."""

    across: int
    down: int


class AreaTool(QObject):
    """Selects a rectangle of one page in `marks`, and resizes the current highlight if it is an
    area.

    While `is_on`, the mouse selects an area, and a key makes one of the size of `middle`. `to_page`
    converts a position in the viewport; `on_page` converts it to a point of the given page, which
    may be outside of it. `middle` is the middle of the visible part of the page.
    """

    changed = Signal()
    switched = Signal(bool)
    resized = Signal(object, object)  # Highlight, its new Box

    def __init__(
        self,
        marks: PageMarks,
        to_page: Callable[[QPointF], PagePoint],
        on_page: Callable[[int, QPointF], tuple[float, float]],
        layout: Callable[[], DocumentLayout],
        middle: Callable[[], AreaSelection],
    ) -> None:
        super().__init__()
        self._marks, self._to_page, self._on_page = marks, to_page, on_page
        self._layout, self._middle = layout, middle
        self._start: PagePoint | None = None
        self._edges: Edges | None = None  # that are dragged
        self.is_on = False

    @property
    def is_dragging(self) -> bool:
        return self._start is not None or self._edges is not None

    def switch(self, on: bool) -> None:
        if on != self.is_on:
            self.is_on = on
            self.switched.emit(on)

    def edges_at(self, position: QPointF) -> Edges | None:
        """The edges of the current area at a position in the viewport; None if there are none."""
        area = self._marks.current_area
        if area is None:
            return None
        left, top, right, bottom = area.boxes[0]
        x, y = self._on_page(area.page, position)
        near = GRIP / self._layout().scale
        if not (left - near <= x <= right + near and top - near <= y <= bottom + near):
            return None
        across = -1 if abs(x - left) <= near else int(abs(x - right) <= near)
        down = -1 if abs(y - top) <= near else int(abs(y - bottom) <= near)
        return Edges(across, down) if across or down else None

    def cursor_at(self, position: QPointF) -> Qt.CursorShape | None:
        """The shape of the mouse pointer at a position in the viewport; None off the edges."""
        edges = self.edges_at(position)
        if edges is None:
            return None
        across, down = edges
        if self._layout().turn % 2:
            across, down = -down, across
        if across and down:
            falling = across == down
            return Qt.CursorShape.SizeFDiagCursor if falling else Qt.CursorShape.SizeBDiagCursor
        return Qt.CursorShape.SizeHorCursor if across else Qt.CursorShape.SizeVerCursor

    def grab(self, position: QPointF) -> bool:
        """Begin to resize the current area, if its edge is at this position."""
        self._edges = self.edges_at(position)
        return self._edges is not None

    def press(self, event: QMouseEvent) -> None:
        page = self._to_page(event.position())[0]
        self._start = page, *self._on_page(page, event.position())
        self._select(None)

    def move(self, event: QMouseEvent) -> None:
        if self._edges:
            self._resize(self._edges, event.position())
            return
        assert self._start
        page, x, y = self._start
        to_x, to_y = self._on_page(page, event.position())
        box = Box(min(x, to_x), min(y, to_y), max(x, to_x), max(y, to_y))
        self._select(self._limited(page, box))

    def release(self, event: QMouseEvent) -> None:
        """End the drag: request the new size of the highlight, or keep the selected area and switch
        the tool off. A drag that is too small selects nothing and leaves it on."""
        self.move(event)
        if self._edges:
            self._edges = None
            area, resized = self._marks.current_area, self._marks.resized
            if area and resized:
                self.resized.emit(area, resized.box)
            return
        self._start = None
        if self._marks.area:
            self.switch(False)
        self.changed.emit()

    def press_key(self, event: QKeyEvent) -> bool:
        """Make an area, or move or resize the selected one. Returns whether the key does."""
        area, step = self._marks.area, _STEPS.get(Key(event.key()))
        if area is None:
            if not self.is_on or not (step or event.key() in (Key.Key_Return, Key.Key_Enter)):
                return False
            self.switch(False)
            self._select(self._middle())
            return True
        if step is None:
            return False
        left, top, right, bottom = area.box
        across, down = step
        if not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            width, height = self._layout().sizes[area.page]
            across = min(max(across, -left), width - right)
            down = min(max(down, -top), height - bottom)
            left, top = left + across, top + down
        moved = Box(left, top, right + across, bottom + down)
        self._select(self._limited(area.page, moved) or area)
        return True

    def _resize(self, edges: Edges, position: QPointF) -> None:
        area = self._marks.current_area
        if area is None:  # it has been deleted meanwhile
            return
        left, top, right, bottom = area.boxes[0]
        x, y = self._on_page(area.page, position)
        if edges.across < 0:
            left = min(x, right - SMALLEST)
        elif edges.across:
            right = max(x, left + SMALLEST)
        if edges.down < 0:
            top = min(y, bottom - SMALLEST)
        elif edges.down:
            bottom = max(y, top + SMALLEST)
        self._marks.resized = self._limited(area.page, Box(left, top, right, bottom))
        self.changed.emit()

    def _limited(self, page: int, box: Box) -> AreaSelection | None:
        """The part of the box on the page; None if it is too small."""
        width, height = self._layout().sizes[page]
        box = Box(
            max(box.left, 0.0), max(box.top, 0.0), min(box.right, width), min(box.bottom, height)
        )
        is_large = min(box.right - box.left, box.bottom - box.top) >= SMALLEST
        return AreaSelection(page, box) if is_large else None

    def _select(self, area: AreaSelection | None) -> None:
        self._marks.selection, self._marks.area = EMPTY, area
        self.changed.emit()
