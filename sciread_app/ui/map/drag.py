"""A drag on the map: what it does, and the line that was drawn."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPen, QPolygonF

from sciread_app.ui.map.choices import Tool
from sciread_app.ui.theme import Theme

LEAST = 4  # pixels from which on a click is a drag
CORNER = 4.0  # pixels between two corners of a lasso


class Drag:
    """From the press of a button on. `does` is None for as long as it may be a click."""

    def __init__(self, start: QPointF, tool: Tool) -> None:
        self._tool = tool
        self._path = [start]
        self.does: Tool | None = None

    def go_on(self, event: QMouseEvent) -> QPointF:
        """To where the mouse is now. Returns by how much it has moved, if it moves the map."""
        at, last = event.position(), self._path[-1]
        if self.does is None and (at - self._path[0]).manhattanLength() >= LEAST:
            self.does = self._meant(event)
        if self.does is Tool.move:
            self._path = [at]
            return at - last
        if self.does is Tool.box:
            self._path = [self._path[0], at]
        elif self.does is Tool.lasso and (at - last).manhattanLength() >= CORNER:
            self._path.append(at)
        return QPointF()

    def outline(self) -> list[QPointF]:
        """The corners of what was drawn; none where nothing is within them."""
        if self.does is Tool.box and len(self._path) > 1:
            a, b = self._path
            return [a, QPointF(b.x(), a.y()), b, QPointF(a.x(), b.y())]
        return self._path if self.does is Tool.lasso and len(self._path) > 2 else []

    def paint(self, painter: QPainter, theme: Theme) -> None:
        if corners := self.outline():
            fill = QColor(theme.accent)
            painter.setPen(QPen(fill, 1.5, Qt.PenStyle.DashLine))
            fill.setAlphaF(0.12)
            painter.setBrush(fill)
            painter.drawPolygon(QPolygonF(corners))

    def _meant(self, event: QMouseEvent) -> Tool:
        if event.buttons() & Qt.MouseButton.MiddleButton:
            return Tool.move
        if self._tool is Tool.move and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            return Tool.lasso
        return self._tool
