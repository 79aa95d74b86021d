"""Paints a page: the sharpest available image with highlights, matches and selection above."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from sciread_app.domain.annotations.annotations import COLOURS, Box, Highlight, TextMatch
from sciread_app.ui.reader.pages.image_cache import PageImageCache
from sciread_app.ui.reader.pages.layout import DocumentLayout, quick
from sciread_app.ui.reader.pages.text_selection import EMPTY, TextSelection
from sciread_app.ui.style.theme import Theme

PAPER, DARK_PAPER = "#ffffff", "#1e1e1e"  # as the renderer draws it
HANDLE = 7  # pixels of the squares that resize an area
M = TypeVar("M", TextMatch, Highlight)
Mode = QPainter.CompositionMode


class AreaSelection(NamedTuple):
    """A selected rectangle of a page."""

    page: int
    box: Box


class PageMarks:
    """Selection, matches and highlights to paint over the pages."""

    def __init__(self) -> None:
        self.selection: TextSelection = EMPTY
        self.area: AreaSelection | None = None
        self.resized: AreaSelection | None = None  # the current highlight, while it is resized
        self.current: TextMatch | None = None  # the current match
        self.selected_highlight = 0  # id of the current highlight; 0: none
        self._found: dict[int, list[TextMatch]] = {}
        self._highlights: dict[int, list[Highlight]] = {}

    def show_found(self, found: Iterable[TextMatch]) -> None:
        self._found = _by_page(found)

    def add_found(self, found: Iterable[TextMatch]) -> None:
        for page, more in _by_page(found).items():
            self._found.setdefault(page, []).extend(more)

    def show_highlights(self, highlights: Iterable[Highlight]) -> None:
        self._highlights = _by_page(highlights)
        self.resized = None

    @property
    def current_area(self) -> Highlight | None:
        """The current highlight if it is an area."""
        every = (one for page in self._highlights.values() for one in page if one.is_area)
        return next((one for one in every if one.id == self.selected_highlight), None)

    def found(self, page: int) -> Sequence[TextMatch]:
        return self._found.get(page, ())

    def highlights(self, page: int) -> Sequence[Highlight]:
        return self._highlights.get(page, ())

    def highlight_at(self, page: int, x: float, y: float) -> Highlight | None:
        """The highlight at a point: of several, text in an area, and else the latest, which is on
        top."""
        under = (one for one in self.highlights(page) if any(box.holds(x, y) for box in one.boxes))
        return max(under, key=lambda one: (not one.is_area, one.added), default=None)


class PagePainter:
    """Paints pages of one file."""

    def __init__(self, pictures: PageImageCache, marks: PageMarks) -> None:
        self._pictures, self._marks = pictures, marks
        self.sharp: DocumentLayout | None = None  # the last layout with a sharp image

    def paint(
        self,
        painter: QPainter,
        layout: DocumentLayout,
        page: int,
        within: QRectF,
        theme: Theme,
        dark: bool,
    ) -> None:
        """Paint a page; the origin of `painter` is the layout's."""
        rect = layout.rect(page)
        painter.fillRect(rect, QColor(DARK_PAPER if dark else PAPER))
        if why := self._pictures.failure(page):
            _paint_message(painter, rect, why, dark)
        else:
            self._paint_picture(painter, layout, page, within, dark)
            self._paint_marks(painter, layout, page, theme, dark)
        painter.setPen(QColor(theme.border))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(rect.adjusted(0, 0, -1, -1))

    def _paint_picture(
        self, painter: QPainter, layout: DocumentLayout, page: int, within: QRectF, dark: bool
    ) -> None:
        parts = layout.parts(page, within, dark)
        images = [(part, self._pictures.picture(part)) for part in parts]
        if not all(image for _, image in images):
            self._paint_blurred(painter, layout, page, dark)
        elif layout is not self.sharp:
            self.sharp = layout
        for part, image in images:
            if image:
                painter.drawImage(layout.target(part), image)

    def _paint_blurred(
        self, painter: QPainter, layout: DocumentLayout, page: int, dark: bool
    ) -> None:
        """Paint the best available image, scaled, until the sharp one is rendered."""
        pictures, before = self._pictures, self.sharp
        parts = []
        if before and before.turn == layout.turn:
            parts = before.parts(page, QRectF(before.rect(page)), dark)
        known = [(part, image) for part in parts if (image := pictures.picture(part))]
        small = quick(layout.sizes[page], page, layout.turn, dark, pictures.quick_width)
        image = pictures.picture(small)
        if image and not (known and len(known) == len(parts)):
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(QRectF(layout.rect(page)), image)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
        for part, image in known:
            painter.drawImage(layout.target(part), image)

    def _paint_marks(
        self, painter: QPainter, layout: DocumentLayout, page: int, theme: Theme, dark: bool
    ) -> None:
        marks = self._marks

        def fill(boxes: Iterable[Box], colour: QColor) -> None:
            for box in boxes:
                painter.fillRect(layout.shown(page, box), colour)

        # Multiplied on white, letters stay black, as under a marker; on dark pages they stay light.
        painter.setCompositionMode(Mode.CompositionMode_SourceOver if dark else _PEN)
        for one in marks.highlights(page):
            if not one.is_area:
                fill(one.boxes, _tone(COLOURS[one.colour], dark))
        for found in marks.found(page):
            fill(found.boxes, _tone("#ffd43b", dark))
        painter.setCompositionMode(Mode.CompositionMode_SourceOver)
        self._paint_selection(painter, layout, page, theme)
        for one in marks.highlights(page):
            rect = layout.shown(page, self._box(one))
            if one.is_area:
                _frame(painter, rect, COLOURS[one.colour])
            if one.note:
                _note_sign(painter, rect, COLOURS[one.colour])
        for boxes in self._framed(page):
            painter.setPen(QPen(QColor(theme.accent), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for box in boxes:
                painter.drawRect(layout.shown(page, box).adjusted(-1, -1, 1, 1))
        if (area := marks.current_area) and area.page == page:
            _handles(painter, layout.shown(page, self._box(area)), theme)

    def _box(self, highlight: Highlight) -> Box:
        """The first box of a highlight, or the size to which it is dragged."""
        resized = self._marks.resized
        if resized and highlight.id == self._marks.selected_highlight:
            return resized.box
        return highlight.boxes[0]

    def _framed(self, page: int) -> list[tuple[Box, ...]]:
        current = self._marks.current
        framed = [current.boxes] if current and current.page == page else []
        picked = self._marks.selected_highlight
        chosen = (one for one in self._marks.highlights(page) if one.id == picked)
        return framed + [(self._box(one), *one.boxes[1:]) for one in chosen]

    def _paint_selection(
        self, painter: QPainter, layout: DocumentLayout, page: int, theme: Theme
    ) -> None:
        colour = QColor(theme.accent)
        area = self._marks.area
        if area and area.page == page:
            painter.setPen(QPen(colour, 1, Qt.PenStyle.DashLine))
            colour.setAlpha(40)
            painter.setBrush(colour)
            painter.drawRect(layout.shown(page, area.box))
        text = self._pictures.text(page)
        if text is None or page not in self._marks.selection.pages:
            return
        letters = text.letters
        colour.setAlpha(90)
        for box in letters.boxes(*self._marks.selection.on_page(page, len(letters.text))):
            painter.fillRect(layout.shown(page, box), colour)


_PEN = Mode.CompositionMode_Multiply


def _tone(colour: str, dark: bool) -> QColor:
    tone = QColor(colour)
    if dark:
        tone.setAlpha(110)
    return tone


def _frame(painter: QPainter, box: QRectF, colour: str) -> None:
    """The frame of an area, with a dark edge, since its color is too light for white paper."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for width, tone in ((4, QColor(colour).darker(160)), (2, QColor(colour))):
        painter.setPen(QPen(tone, width, j=Qt.PenJoinStyle.MiterJoin))
        painter.drawRect(box)


def _handles(painter: QPainter, box: QRectF, theme: Theme) -> None:
    """Squares at the corners and edges of the current area, by which the mouse resizes it."""
    painter.setPen(QPen(QColor(theme.accent), 1))
    painter.setBrush(QColor(PAPER))
    middle = box.center()
    for x in (box.left(), middle.x(), box.right()):
        for y in (box.top(), middle.y(), box.bottom()):
            if (x, y) != (middle.x(), middle.y()):
                painter.drawRect(QRectF(x - HANDLE / 2, y - HANDLE / 2, HANDLE, HANDLE))


def _note_sign(painter: QPainter, box: QRectF, colour: str) -> None:
    """A small dot at the upper left corner of a highlight that has a note: at its left, it would
    cover the letters before the highlight."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor("#5c5c5c"), 1))
    painter.setBrush(QColor(colour).darker(115))
    painter.drawEllipse(QRectF(box.left() - 5, box.top() - 7, 8, 8))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _paint_message(painter: QPainter, rect: QRect, why: str, dark: bool) -> None:
    painter.setPen(QColor("#c9cdd4" if dark else "#505866"))
    flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
    painter.drawText(rect.adjusted(40, 40, -40, -40), int(flags), why)


def _by_page(things: Iterable[M]) -> dict[int, list[M]]:
    pages: dict[int, list[M]] = defaultdict(list)
    for thing in things:
        pages[thing.page].append(thing)
    return dict(pages)
