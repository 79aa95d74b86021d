"""A layout that wraps its widgets onto as many lines as they need."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem


class FlowLayout(QLayout):
    """The widgets of a line are centered vertically."""

    def __init__(self, gap: int = 4) -> None:
        super().__init__()
        self.setContentsMargins(0, 0, 0, 0)
        self._gap = gap
        self._items: list[QLayoutItem] = []

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        edges = self.contentsMargins()
        inner = QRect(0, 0, width - edges.left() - edges.right(), 0)
        return self._place(inner, move=False) + edges.top() + edges.bottom()

    def setGeometry(self, place: QRect) -> None:
        super().setGeometry(place)
        self._place(place.marginsRemoved(self.contentsMargins()), move=True)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        sizes = [item.minimumSize() for item in self._items]
        return QSize(
            max((size.width() for size in sizes), default=0),
            max((size.height() for size in sizes), default=0),
        ).grownBy(self.contentsMargins())

    def _place(self, box: QRect, *, move: bool) -> int:
        """Lay out the widgets in `box` if `move`, and return the height they need."""
        top = box.y()
        for line in self._lines(box.width()):
            height = max(size.height() for _, size in line)
            left = box.x()
            for item, size in line if move else ():
                place = QPoint(left, top + (height - size.height()) // 2)
                item.setGeometry(QRect(place, size))
                left += size.width() + self._gap
            top += height + self._gap
        return max(0, top - self._gap - box.y())

    def _lines(self, width: int) -> list[list[tuple[QLayoutItem, QSize]]]:
        """The visible widgets by line, with their sizes."""
        lines: list[list[tuple[QLayoutItem, QSize]]] = []
        used = 0
        for item in self._items:
            if item.isEmpty():
                continue  # hidden
            size = item.sizeHint()
            if not lines or used + size.width() > width:
                lines.append([])
                used = 0
            lines[-1].append((item, size))
            used += size.width() + self._gap
        return lines
