"""The layout of pages in a single continuous column."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF

from sciread_app.domain.annotations.annotations import Box, PageRegion, PageSize

GAP = 12  # pixels between pages, and around them
TILE = 1536  # device pixels: larger pages are rendered in tiles


class DocumentLayout:
    """Coordinates in logical pixels from the top left of the column.

    `scale` is logical pixels per point, `turn` the rotation in quarter turns clockwise, `ratio`
    device pixels per logical pixel. The column is as wide as its widest page; narrower pages are
    centred.
    """

    def __init__(
        self, sizes: Sequence[PageSize], scale: float, turn: int, ratio: float = 1.0
    ) -> None:
        self.sizes, self.scale, self.turn, self.ratio = sizes, scale, turn % 4, ratio
        self._rects: list[QRect] = []
        self._tops: list[int] = []
        top = GAP
        edges = [self._edges(size) for size in sizes]
        self.width = max((width for width, _ in edges), default=0) + 2 * GAP
        for width, height in edges:
            self._rects.append(QRect((self.width - width) // 2, top, width, height))
            self._tops.append(top)
            top += height + GAP
        self.height = top

    def rect(self, page: int) -> QRect:
        return self._rects[page]

    def page_at(self, y: float) -> int:
        """The page at this y coordinate; in a gap, the one above."""
        return max(0, bisect_right(self._tops, y) - 1)

    def pages(self, top: float, bottom: float) -> range:
        """The pages that are at least partly between these y coordinates."""
        if not self._rects or bottom <= top:
            return range(0)
        first = self.page_at(top)
        if self._rects[first].bottom() < top:
            first += 1
        return range(first, min(self.page_at(bottom), len(self._rects) - 1) + 1)

    def shown(self, page: int, box: Box) -> QRectF:
        """The rectangle of a box of the page."""
        corners = (self._turned(page, *box[:2]), self._turned(page, *box[2:]))
        rect = QRectF(*corners).normalized()
        return rect.translated(QPointF(self._rects[page].topLeft()))

    def on_page(self, page: int, point: QPoint | QPointF) -> tuple[float, float]:
        """A position in points of the unrotated page."""
        at = (QPointF(point) - QPointF(self._rects[page].topLeft())) / self.scale
        width, height = self.sizes[page]
        return (
            (at.x(), at.y()),
            (at.y(), height - at.x()),
            (width - at.x(), height - at.y()),
            (width - at.y(), at.x()),
        )[self.turn]

    def place_of(self, y: float) -> float:
        """A y coordinate as page number plus fraction of the page."""
        page = self.page_at(y)
        rect = self._rects[page]
        return page + min(max((y - rect.top()) / rect.height(), 0.0), 0.999)

    def height_of_rows(self, place: float) -> float:
        page = min(max(int(place), 0), len(self._rects) - 1)
        rect = self._rects[page]
        return rect.top() + (place - page) * rect.height()

    def parts(self, page: int, within: QRectF, dark: bool) -> list[PageRegion]:
        """The tiles of the page that cover this rectangle."""
        scale = self.scale * self.ratio
        across, down = (round(edge * scale) for edge in self.sizes[page])
        if self.turn % 2:
            across, down = down, across
        top_left = QPointF(self._rects[page].topLeft())
        wanted = within.translated(-top_left)
        parts = []
        for top in range(0, down, TILE):
            for left in range(0, across, TILE):
                part = PageRegion(
                    page, scale, self.turn, left, top,
                    min(TILE, across - left), min(TILE, down - top), dark,
                )  # fmt: skip
                if self.target(part).translated(-top_left).intersects(wanted):
                    parts.append(part)
        return parts

    def target(self, part: PageRegion) -> QRectF:
        """The rectangle of a tile, also of one rendered at another scale."""
        rect = QRectF(self._rects[part.page])
        shrink = self.scale / part.scale
        return QRectF(
            rect.left() + part.left * shrink,
            rect.top() + part.top * shrink,
            part.width * shrink,
            part.height * shrink,
        )

    def _edges(self, size: PageSize) -> tuple[int, int]:
        width, height = (max(round(edge * self.scale), 1) for edge in size)
        return (height, width) if self.turn % 2 else (width, height)

    def _turned(self, page: int, x: float, y: float) -> QPointF:
        width, height = self.sizes[page]
        there = (
            QPointF(x, y),
            QPointF(height - y, x),
            QPointF(width - x, height - y),
            QPointF(y, width - x),
        )[self.turn]
        return there * self.scale


def quick(size: PageSize, page: int, turn: int, dark: bool, across: int) -> PageRegion:
    """The whole page at low resolution, for the first display and as thumbnail."""
    width, height = (size.height, size.width) if turn % 2 else size
    scale = across / max(width, height * 0.7)
    return PageRegion(
        page, scale, turn % 4, 0, 0,
        max(round(width * scale), 1), max(round(height * scale), 1), dark,
    )  # fmt: skip
