"""The layout of pages, one below the other, or in rows of two."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF

from sciread_app.domain.annotations.annotations import Box, PageRegion, PageSize

GAP = 12  # pixels between pages, and around them
TILE = 1536  # device pixels: larger pages are rendered in tiles


class DocumentLayout:
    """Coordinates in logical pixels from the top left of the layout.

    `scale` is logical pixels per point, `turn` the rotation in quarter turns clockwise, `ratio`
    device pixels per logical pixel, `columns` the number of pages in a row, `skipped` the number of
    empty places before the first page. The layout is as wide as its widest row; narrower rows are
    centered, except for an incomplete one, whose pages are where they would be in a full row.
    """

    def __init__(
        self,
        sizes: Sequence[PageSize],
        scale: float,
        turn: int,
        ratio: float = 1.0,
        columns: int = 1,
        skipped: int = 0,
    ) -> None:
        self.sizes, self.scale, self.turn, self.ratio = sizes, scale, turn % 4, ratio
        self.columns, self.skipped = columns, skipped
        self._rects: list[QRect] = []
        self._tops: list[int] = []  # of the rows
        top = GAP
        edges = [self._edges(size) for size in sizes]
        # An empty place is as wide as the page beside it.
        placed = [(edges[0][0], 0)] * skipped + edges if edges else []
        rows = [placed[first : first + columns] for first in range(0, len(placed), columns)]
        for row in rows:
            row += [(row[-1][0], 0)] * (columns - len(row))
        widths = [sum(width for width, _ in row) + GAP * (columns - 1) for row in rows]
        self.width = max(widths, default=0) + 2 * GAP
        for row, wide in zip(rows, widths, strict=True):
            left = (self.width - wide) // 2
            for width, height in row:
                self._rects.append(QRect(left, top, width, height))
                left += width + GAP
            self._tops.append(top)
            top += max(height for _, height in row) + GAP
        self._rects = self._rects[skipped : skipped + len(edges)]
        self.height = top

    def rect(self, page: int) -> QRect:
        return self._rects[page]

    def page_at(self, y: float, x: float | None = None) -> int:
        """The page at these coordinates, or the first of its row without x; in a gap, the one
        above or at the left."""
        at = self._row_at(y)
        row = self._pages_of_rows(at, at)
        if x is None:
            return row.start
        return max((page for page in row if self._rects[page].left() <= x), default=row.start)

    def pages(self, top: float, bottom: float) -> range:
        """The pages that are at least partly between these y coordinates."""
        if not self._rects or bottom <= top:
            return range(0)
        row, last = self._row_at(top), self._row_at(bottom)
        below = self._tops[row + 1] if row + 1 < len(self._tops) else self.height
        if below - GAP <= top:
            row += 1
        return self._pages_of_rows(row, last)

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
        """A y coordinate as page number plus fraction of the page; in the gap above a page, that
        page."""
        page = self.page_at(y + GAP)
        rect = self._rects[page]
        return page + min(max((y - rect.top()) / rect.height(), 0.0), 0.999)

    def y_of(self, place: float) -> float:
        """The y coordinate of a page number plus fraction of the page."""
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

    def _pages_of_rows(self, first: int, last: int) -> range:
        start, end = (row * self.columns - self.skipped for row in (first, last + 1))
        return range(max(start, 0), min(end, len(self._rects)))

    def _row_at(self, y: float) -> int:
        return max(0, bisect_right(self._tops, y) - 1)

    def _edges(self, size: PageSize) -> tuple[int, int]:
        width, height = (max(round(edge * self.scale), 1) for edge in size)
        return (height, width) if self.turn % 2 else (width, height)

    def _turned(self, page: int, x: float, y: float) -> QPointF:
        return _turned(self.sizes[page], self.turn, x, y) * self.scale


def region(
    size: PageSize, page: int, box: Box, scale: float, turn: int, dark: bool = False
) -> PageRegion:
    """The part of a page in this box, at `scale` pixels per point."""
    corners = _turned(size, turn % 4, *box[:2]), _turned(size, turn % 4, *box[2:])
    rect = QRectF(*(corner * scale for corner in corners)).normalized().toAlignedRect()
    return PageRegion(
        page, scale, turn % 4, rect.left(), rect.top(), rect.width(), rect.height(), dark
    )


def quick(size: PageSize, page: int, turn: int, dark: bool, across: int) -> PageRegion:
    """The whole page at low resolution, for the first display and as thumbnail."""
    width, height = (size.height, size.width) if turn % 2 else size
    scale = across / max(width, height * 0.7)
    return PageRegion(
        page, scale, turn % 4, 0, 0,
        max(round(width * scale), 1), max(round(height * scale), 1), dark,
    )  # fmt: skip


def _turned(size: PageSize, turn: int, x: float, y: float) -> QPointF:
    """A point of the unrotated page on the page after quarter turns."""
    width, height = size
    return (
        QPointF(x, y),
        QPointF(height - y, x),
        QPointF(width - x, height - y),
        QPointF(y, width - x),
    )[turn]
