"""A drag on the map: its tool and its outline."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPen, QPolygonF

from sciread_app.ui.map.options import Tool
from sciread_app.ui.style.theme import Theme

DRAG_DISTANCE = 4  # pixels of movement that make a click a drag
VERTEX_DISTANCE = 4.0  # pixels between two vertices of a lasso


class Drag:
    """A drag since the mouse button was pressed. `active_tool` is None until it is no click."""

    def __init__(self, start: QPointF, tool: Tool) -> None:
        self._tool = tool
        self._path = [start]
        self.active_tool: Tool | None = None

    def move_to(self, event: QMouseEvent) -> QPointF:
        """Update to the mouse position. Returns the movement in pixels if the drag pans the map."""
        at, last = event.position(), self._path[-1]
        if self.active_tool is None and (at - self._path[0]).manhattanLength() >= DRAG_DISTANCE:
            self.active_tool = self._tool_of(event)
        if self.active_tool is Tool.move:
            self._path = [at]
            return at - last
        if self.active_tool is Tool.box:
            self._path = [self._path[0], at]
        elif self.active_tool is Tool.lasso and (at - last).manhattanLength() >= VERTEX_DISTANCE:
            self._path.append(at)
        return QPointF()

    def outline(self) -> list[QPointF]:
        """The vertices of the selection; empty where it encloses nothing."""
        if self.active_tool is Tool.box and len(self._path) > 1:
            a, b = self._path
            return [a, QPointF(b.x(), a.y()), b, QPointF(a.x(), b.y())]
        return self._path if self.active_tool is Tool.lasso and len(self._path) > 2 else []

    def paint(self, painter: QPainter, theme: Theme) -> None:
        if corners := self.outline():
            fill = QColor(theme.accent)
            painter.setPen(QPen(fill, 1.5, Qt.PenStyle.DashLine))
            fill.setAlphaF(0.12)
            painter.setBrush(fill)
            painter.drawPolygon(QPolygonF(corners))

    def _tool_of(self, event: QMouseEvent) -> Tool:
        if event.buttons() & Qt.MouseButton.MiddleButton:
            return Tool.move
        if self._tool is Tool.move and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            return Tool.lasso
        return self._tool
