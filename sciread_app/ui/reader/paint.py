"""Painting a page: its picture as sharp as there is one, and over it all that is marked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeVar

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from sciread_app.domain.reading import Box, Found, Highlight
from sciread_app.ui.reader.choice import NOTHING, Choice
from sciread_app.ui.reader.layout import Layout, quick
from sciread_app.ui.reader.pictures import Pictures
from sciread_app.ui.reader.values import COLOURS
from sciread_app.ui.theme import Theme

PAPER, DARK_PAPER = "#ffffff", "#1e1e1e"  # as drawing.py makes it
M = TypeVar("M", Found, Highlight)
Mode = QPainter.CompositionMode


class Marks:
    """What is painted over the pages."""

    def __init__(self) -> None:
        self.choice: Choice = NOTHING
        self.current: Found | None = None  # of what was searched for
        self.picked = 0  # the highlight that is looked at
        self._found: dict[int, list[Found]] = {}
        self._highlights: dict[int, list[Highlight]] = {}

    def show_found(self, found: Iterable[Found]) -> None:
        self._found = _by_page(found)

    def add_found(self, found: Iterable[Found]) -> None:
        for page, more in _by_page(found).items():
            self._found.setdefault(page, []).extend(more)

    def show_highlights(self, highlights: Iterable[Highlight]) -> None:
        self._highlights = _by_page(highlights)

    def found(self, page: int) -> Sequence[Found]:
        return self._found.get(page, ())

    def highlights(self, page: int) -> Sequence[Highlight]:
        return self._highlights.get(page, ())

    def highlight_at(self, page: int, x: float, y: float) -> Highlight | None:
        """The one under a point; of several the last, which lies on top."""
        under = (one for one in self.highlights(page) if any(box.holds(x, y) for box in one.boxes))
        return max(under, key=lambda one: one.added, default=None)


class PagePainter:
    """Paints pages of one file."""

    def __init__(self, pictures: Pictures, marks: Marks) -> None:
        self._pictures, self._marks = pictures, marks
        self.sharp: Layout | None = None  # the last layout of which there was a sharp picture

    def paint(
        self, painter: QPainter, layout: Layout, page: int, within: QRectF, theme: Theme, dark: bool
    ) -> None:
        """`painter` stands at the layout's own zero."""
        rect = layout.rect(page)
        painter.fillRect(rect, QColor(DARK_PAPER if dark else PAPER))
        if why := self._pictures.failure(page):
            _say(painter, rect, why, dark)
        else:
            self._paint_picture(painter, layout, page, within, dark)
            self._paint_marks(painter, layout, page, theme, dark)
        painter.setPen(QColor(theme.border))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(rect.adjusted(0, 0, -1, -1))

    def _paint_picture(
        self, painter: QPainter, layout: Layout, page: int, within: QRectF, dark: bool
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

    def _paint_blurred(self, painter: QPainter, layout: Layout, page: int, dark: bool) -> None:
        """What there is, however small: it is better than nothing while the rest is drawn."""
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
        self, painter: QPainter, layout: Layout, page: int, theme: Theme, dark: bool
    ) -> None:
        marks = self._marks

        def fill(boxes: Iterable[Box], colour: QColor) -> None:
            for box in boxes:
                painter.fillRect(layout.shown(page, box), colour)

        # Letters stay as dark as they are, as under a felt pen; on dark paper as light.
        painter.setCompositionMode(Mode.CompositionMode_SourceOver if dark else _PEN)
        for one in marks.highlights(page):
            fill(one.boxes, _tone(COLOURS[one.colour], dark))
        for found in marks.found(page):
            fill(found.boxes, _tone("#ffd43b", dark))
        painter.setCompositionMode(Mode.CompositionMode_SourceOver)
        self._paint_choice(painter, layout, page, theme)
        for one in marks.highlights(page):
            if one.note:
                _note_sign(painter, layout.shown(page, one.boxes[0]), COLOURS[one.colour])
        for boxes in self._framed(page):
            painter.setPen(QPen(QColor(theme.accent), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for box in boxes:
                painter.drawRect(layout.shown(page, box).adjusted(-1, -1, 1, 1))

    def _framed(self, page: int) -> list[tuple[Box, ...]]:
        current = self._marks.current
        framed = [current.boxes] if current and current.page == page else []
        picked = self._marks.picked
        return framed + [one.boxes for one in self._marks.highlights(page) if one.id == picked]

    def _paint_choice(self, painter: QPainter, layout: Layout, page: int, theme: Theme) -> None:
        text = self._pictures.text(page)
        if text is None or page not in self._marks.choice.pages:
            return
        letters = text.letters
        colour = QColor(theme.accent)
        colour.setAlpha(90)
        for box in letters.boxes(*self._marks.choice.on_page(page, len(letters.text))):
            painter.fillRect(layout.shown(page, box), colour)


_PEN = Mode.CompositionMode_Multiply


def _tone(colour: str, dark: bool) -> QColor:
    tone = QColor(colour)
    if dark:
        tone.setAlpha(110)
    return tone


def _note_sign(painter: QPainter, box: QRectF, colour: str) -> None:
    """A small knob at the left of a highlight that has a note."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor("#5c5c5c"), 1))
    painter.setBrush(QColor(colour).darker(115))
    painter.drawEllipse(QRectF(box.left() - 11, box.top() - 1, 9, 9))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _say(painter: QPainter, rect: QRect, why: str, dark: bool) -> None:
    painter.setPen(QColor("#c9cdd4" if dark else "#505866"))
    flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
    painter.drawText(rect.adjusted(40, 40, -40, -40), int(flags), why)


def _by_page(things: Iterable[M]) -> dict[int, list[M]]:
    pages: dict[int, list[M]] = defaultdict(list)
    for thing in things:
        pages[thing.page].append(thing)
    return dict(pages)
