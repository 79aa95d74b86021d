"""A delegate that paints papers as cards."""

from __future__ import annotations

import math
import re
from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from PySide6.QtCore import (
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QPainter,
    QPixmap,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from sciread_app.domain.search_hit import SearchHit
from sciread_app.domain.text.term_matching import spans
from sciread_app.domain.text.tex import readable
from sciread_app.language import tr
from sciread_app.ui.formatting import authors_within
from sciread_app.ui.paper_list.card_text import (
    CardChip,
    best_excerpt,
    card_marks,
    match_text,
    rank_change_mark,
    widest_match,
)
from sciread_app.ui.style.theme import Appearance, Theme, scaled
from sciread_app.ui.view_models import Card, Moved, ResultList
from sciread_app.ui.widgets.painting import paint_bar, paint_box, paint_text
from sciread_app.ui.widgets.row_table import LEFT, RIGHT, Index
from sciread_app.ui.widgets.text.text_direction import is_right_to_left

PADDING = 14
GAP = 8  # pixels between two cards
COMPACT_PADDING, COMPACT_GAP = 7, 3
GUTTER = 14  # left of the text, for the dot of an unread paper
SIDE = 74  # right of the title, for the bar and the match, in text of normal size
ROOMY = 300  # pixels of text from which on the bar fits; the details show the value too
TEXT_SHOWN = 700  # characters of an abstract, enough for two lines of any width
LONGEST_CHIP = 25  # average characters
BUTTON = 24  # pixels of the + and − buttons, shown under the mouse

_EAST_ASIAN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
DRAWN_KEPT = 32  # card pixmaps kept: a third of a megabyte each

State = tuple[bool, bool, bool]  # selected, under the mouse, focused
Look = tuple[QSize, float, State]  # size, device pixel ratio, state


class Cards(Protocol):
    """The data to paint. Used directly: QModelIndex.data would go through C++, and each call back
    into Python waits for the GIL while another thread computes."""

    listing: ResultList

    def card(self, row: int) -> Card | None: ...


class CardLayout(NamedTuple):
    card: Card | None
    listing: ResultList
    theme: Theme
    picture: QPixmap


class CardDelegate(QStyledItemDelegate):
    """Cards of five lines: one or two for the title, one each for authors and venue, the rest for
    the abstract; a sixth for the remark of a recommendation. Compact cards have two lines: the
    title, and authors, venue and year.

    Cards have the same height, so that lists of any length scroll at once; only the cards of papers
    without an abstract are lower, once they are loaded.
    """

    def __init__(self, cards: Cards, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._cards = cards
        self._appearance = appearance
        self.compact = False
        self._with_citations = False
        self._drawn: OrderedDict[tuple[int, Look], CardLayout] = OrderedDict()
        self._base = parent.font()
        self.resize_text(1)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(240, self.height(remarks=False))

    def height(self, *, remarks: bool) -> int:
        """The height of a card, with or without a line for a remark."""
        if self.compact:
            return _line(self._title) + _line(self._small) + 2 * COMPACT_PADDING + COMPACT_GAP
        lines = [_line(self._title), _line(self._small) * 2, _line(self._small) * 2]
        return sum(lines) + 2 * PADDING + 8 + GAP + (_line(self._tiny) + 2 if remarks else 0)

    def height_without_abstract(self, card: Card, listing: ResultList, width: int) -> int:
        """The height of the card of a paper without an abstract, in a list of this width."""
        hit = listing.evidence.get(card.paper.id or 0)
        box = self._inside(self._frame(QSize(width, 0)))
        beside = self._beside(box, hit, listing.moves.get(card.paper.id or 0))
        title = readable(card.paper.title or tr("Untitled"))
        lines = min(2, _lay_out(title, self._title, beside.width(), 2).lineCount())
        text = lines * _line(self._title) + 2 * _line(self._small)
        remark = _line(self._tiny) - 4 if listing.remarks else 0
        return text + remark + 2 * PADDING + 4 + GAP

    def forget(self) -> None:
        """Drop the cached pixmaps, after the density or the font has changed."""
        self._drawn.clear()

    def show_citations(self, shown: bool) -> None:
        """Show or hide the number of citations in the library."""
        if shown is not self._with_citations:
            self._with_citations = shown
            self.forget()

    def resize_text(self, factor: float) -> None:
        """Scale the text by `factor`, relative to the font of the list."""
        self._title = scaled(self._base, 1.08 * factor, QFont.Weight.DemiBold)
        self._small = scaled(self._base, 0.95 * factor)
        self._tiny = scaled(self._base, 0.84 * factor)
        match = widest_match(QFontMetrics(self._tiny))
        self._side = max(round(SIDE * max(1, factor)), match + 2)
        self.forget()

    def button_at(self, card: QRect, place: QPoint) -> str:
        """The button at a position within a card: "+", "-", or an empty string."""
        more, less = self._buttons(self._frame(card.size()).translated(card.topLeft()))
        return "+" if more.contains(place) else "-" if less.contains(place) else ""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.row()
        look = (option.rect.size(), painter.device().devicePixelRatioF(), _state(option))
        painter.drawPixmap(option.rect.topLeft(), self._picture(row, look))

    def _picture(self, row: int, look: Look) -> QPixmap:
        """The cached pixmap of a card, or a new one if anything about it has changed, so that
        scrolling and selecting cost next to nothing."""
        known = (self._cards.card(row), self._cards.listing, self._appearance.theme)
        drawn = self._drawn.get((row, look))
        # Compared by identity: comparing abstracts takes longer than painting them.
        if drawn is None or any(a is not b for a, b in zip(drawn, known, strict=False)):
            drawn = CardLayout(*known, self._draw(*known, look))
        self._drawn[row, look] = drawn
        self._drawn.move_to_end((row, look))
        if len(self._drawn) > DRAWN_KEPT:
            self._drawn.popitem(last=False)
        return drawn.picture

    def _draw(self, card: Card | None, listing: ResultList, theme: Theme, look: Look) -> QPixmap:
        size, scale, state = look
        picture = QPixmap(size * scale)
        picture.setDevicePixelRatio(scale)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = self._frame(size)
        self._paint_frame(painter, box, state, theme)
        inside = self._inside(box)
        if card is None:
            self._paint_placeholder(painter, inside, theme)
        else:
            paint = self._paint_compact if self.compact else self._paint_card
            paint(painter, inside, card, listing, theme.on_selected() if state[0] else theme)
            if state[1]:
                self._paint_buttons(painter, box, theme)
        painter.end()
        return picture

    def _paint_frame(self, painter: QPainter, box: QRect, state: State, theme: Theme) -> None:
        chosen, hovered, focused = state
        fill = theme.selected if chosen else theme.hover if hovered else theme.surface
        edge = theme.accent if chosen and focused else theme.border
        paint_box(painter, QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), 9, fill, edge)

    def _paint_placeholder(self, painter: QPainter, box: QRect, theme: Theme) -> None:
        parts = (0.62, 0.34) if self.compact else (0.62, 0.34, 0.22, 0.95, 0.88)
        step = box.height() / len(parts)
        for line, part in enumerate(parts):
            bar = QRectF(box.x(), box.y() + line * step + 3, box.width() * part, step * 0.5)
            paint_box(painter, bar, 4, theme.track)

    def _paint_card(
        self, painter: QPainter, box: QRect, card: Card, listing: ResultList, theme: Theme
    ) -> None:
        paper, words = card.paper, listing.words
        beside = self._paint_status(painter, box, card, listing, theme)
        title = paper.title or tr("Untitled")
        top = box.y() + self._text(painter, beside, title, self._title, theme.text, 2, words)
        # The bar may reach down to the authors.
        small = QFontMetrics(self._small)
        who = authors_within(paper, lambda text: small.horizontalAdvance(text) <= beside.width())
        top = self._paint_line(painter, beside, top + 3, who, self._small, theme.quiet)
        top = self._paint_facts(painter, box, top + 1, card, theme)
        bottom = box.bottom() + 8
        if listing.remarks:
            bottom -= _line(self._tiny) + 2
            free = box.adjusted(0, 0, -2 * BUTTON - 12, 0)
            remark = listing.remarks.get(paper.id or 0, "")
            self._paint_line(painter, free, bottom + 2, remark, self._tiny, theme.faint)
        if not paper.abstract:
            return
        room = bottom - top
        lines = max(1, room // _line(self._small))
        below = QRect(box.x(), top + 2, box.width(), room)
        abstract = best_excerpt(paper.abstract, words)[:TEXT_SHOWN]
        self._text(painter, below, abstract, self._small, theme.quiet, lines, words)

    def _paint_compact(
        self, painter: QPainter, box: QRect, card: Card, listing: ResultList, theme: Theme
    ) -> None:
        paper = card.paper
        beside = self._paint_status(painter, box, card, listing, theme)
        title = paper.title or tr("Untitled")
        height = self._text(painter, beside, title, self._title, theme.text, 1, listing.words)
        self._paint_facts(painter, beside, box.y() + height, card, theme, with_authors=True)

    def _paint_status(
        self, painter: QPainter, box: QRect, card: Card, listing: ResultList, theme: Theme
    ) -> QRect:
        """Paint the dot of an unread paper, and the match. Returns the rectangle left of it."""
        paper = card.paper.id or 0
        hit, moved = listing.evidence.get(paper), listing.moves.get(paper)
        if not card.read:
            _paint_dot(painter, box.x() - GUTTER, box.y() + _line(self._title) / 2, theme)
        beside = self._beside(box, hit, moved)
        if hit and beside != box:
            self._paint_beside(painter, box, hit, moved, theme)
        return beside

    def _beside(self, box: QRect, hit: SearchHit | None, moved: Moved | None) -> QRect:
        """The rectangle left of the match; the whole box if none is shown."""
        close = hit and (hit.percentile is not None or match_text(hit)) and box.width() >= ROOMY
        return box.adjusted(0, 0, -self._side, 0) if hit and (close or moved) else box

    def _paint_buttons(self, painter: QPainter, box: QRect, theme: Theme) -> None:
        painter.setFont(self._title)
        for button, sign in zip(self._buttons(box), "+−", strict=True):
            frame = QRectF(button).adjusted(0.5, 0.5, -0.5, -0.5)
            paint_box(painter, frame, 6, theme.raised, theme.border)
            painter.setPen(QColor(theme.accent))
            painter.drawText(button, int(Qt.AlignmentFlag.AlignCenter), sign)

    def _frame(self, size: QSize) -> QRect:
        """The rectangle of a card within its row."""
        gap = COMPACT_GAP if self.compact else GAP
        return QRect(QPoint(0, 0), size).adjusted(1, 1, -3, -gap)

    def _inside(self, box: QRect) -> QRect:
        """The rectangle of the texts within the frame of a card."""
        padding = COMPACT_PADDING if self.compact else PADDING
        return box.adjusted(PADDING + GUTTER, padding - 2, -PADDING, -padding)

    def _buttons(self, box: QRect) -> tuple[QRect, QRect]:
        """The rectangles of the + and − buttons on a card."""
        above = (box.height() - BUTTON) // 2 if self.compact else box.height() - BUTTON - 8
        less = QRect(box.right() - BUTTON - 8, box.top() + above, BUTTON, BUTTON)
        return less.translated(-BUTTON - 4, 0), less

    def _paint_line(
        self, painter: QPainter, box: QRect, top: int, text: str, font: QFont, colour: str
    ) -> int:
        height = _line(font)
        side = RIGHT if is_right_to_left(text) else LEFT
        paint_text(painter, QRect(box.x(), top, box.width(), height), text, font, colour, side)
        return top + height

    def _paint_facts(
        self,
        painter: QPainter,
        box: QRect,
        top: int,
        card: Card,
        theme: Theme,
        *,
        with_authors: bool = False,
    ) -> int:
        """Paint venue and year as text, then the chips. Returns the top of the next line.

        The venue is elided rather than the year; authors get at most half of the room.
        """
        marks = card_marks(card, theme, with_citations=self._with_citations)
        height = _line(self._small)
        metrics, small = QFontMetrics(self._tiny), QFontMetrics(self._small)
        widths = [_width(mark, metrics) for mark in marks]
        room = max(box.width() - sum(width + 5 for width in widths) - 8, box.width() // 2)
        who = ""
        if with_authors:
            who = authors_within(
                card.paper, lambda text: small.horizontalAdvance(text) <= room // 2
            )
        text = " · ".join(filter(None, (who, card.paper.venue)))
        year = card.paper.published[:4]
        end = f" · {year}" if text and year else year
        right = Qt.TextElideMode.ElideRight
        shown = small.elidedText(text, right, room - small.horizontalAdvance(end)) + end
        painter.setFont(self._small)
        painter.setPen(QColor(theme.faint))
        painter.drawText(QRect(box.x(), top, room, height), LEFT, shown)
        left = box.x() + small.horizontalAdvance(shown) + (8 if shown else 0)
        painter.setFont(self._tiny)
        for mark, width in zip(marks, widths, strict=True):
            if left + width > box.right():
                break
            _paint_chip(painter, QRectF(left, top + 2, width, height - 3), mark)
            left += width + 5
        return top + height

    def _paint_beside(
        self, painter: QPainter, box: QRect, hit: SearchHit, moved: Moved | None, theme: Theme
    ) -> None:
        """Paint the similarity of the paper, or its rank change against another list."""
        painter.setFont(self._tiny)
        side = self._side
        place = QRect(box.right() - side, box.y(), side, _line(self._tiny))
        if moved:
            mark = rank_change_mark(moved, theme)
            width = _width(mark, painter.fontMetrics())
            _paint_chip(painter, QRectF(place.adjusted(max(0, side - width), -2, 0, 1)), mark)
        elif text := match_text(hit):
            painter.setPen(QColor(theme.quiet))
            painter.drawText(place, RIGHT, text)
        if hit.percentile is not None:
            below = place.bottom() + (6 if moved else 3)  # a chip is taller than a word
            _paint_bar(painter, place.right(), below, hit.percentile, theme)

    def _text(
        self,
        painter: QPainter,
        box: QRect,
        text: str,
        font: QFont,
        colour: str,
        most_lines: int,
        words: Sequence[str],
    ) -> int:
        """Paint `text` in at most `most_lines` lines with `words` highlighted. Returns the
        height."""
        text = readable(text)
        font = for_script(font, text)
        text, layout = elided_layout(text, font, box.width(), most_lines)
        painter.setPen(QColor(colour))
        marked = _marked(text, words, self._appearance.theme)
        layout.draw(painter, QPointF(box.topLeft()), marked)
        return layout.lineCount() * _line(font)


def closeness(percentile: float) -> float:
    """The fill of the similarity bar, 0 to 1. Each further nine (90, 99, 99.9%) adds a quarter,
    since nearly all results of a search lie above 90%."""
    apart = max(1e-4, 1 - percentile / 100)
    return min(1.0, -math.log10(apart) / 4)


def _state(option: QStyleOptionViewItem) -> State:
    flag = QStyle.StateFlag
    return (
        bool(option.state & flag.State_Selected),
        bool(option.state & flag.State_MouseOver),
        bool(option.state & flag.State_HasFocus),
    )


def _line(font: QFont) -> int:
    return QFontMetrics(font).height() + 1


def for_script(font: QFont, text: str) -> QFont:
    """`font`, but bold instead of semibold for a text with Chinese, Japanese or Korean letters,
    whose fonts mostly have no semibold face."""
    if font.weight() != QFont.Weight.DemiBold or not _EAST_ASIAN.search(text):
        return font
    return scaled(font, 1.0, QFont.Weight.Bold)


def _lay_out(text: str, font: QFont, width: int, most_lines: int) -> QTextLayout:
    """Lay out at most one line more than `most_lines`, which shows whether the text must be
    elided."""
    option = QTextOption()
    if is_right_to_left(text):
        option.setTextDirection(Qt.LayoutDirection.RightToLeft)
        option.setAlignment(Qt.AlignmentFlag.AlignRight)
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout = QTextLayout(text, font)
    layout.setTextOption(option)
    layout.beginLayout()
    for number in range(most_lines + 1):
        line = layout.createLine()
        if not line.isValid():
            break
        line.setLineWidth(width)
        line.setPosition(QPointF(0, number * _line(font)))
    layout.endLayout()
    return layout


def elided_layout(text: str, font: QFont, width: int, most_lines: int) -> tuple[str, QTextLayout]:
    """Lay out a text in at most `most_lines` lines of `width` pixels, the last one elided if the
    text is longer. Returns the text that is left and its layout."""
    layout = _lay_out(text, font, width, most_lines)
    if layout.lineCount() <= most_lines:
        return text, layout
    last = layout.lineAt(most_lines - 1).textStart()  # in UTF-16, where 𝑝 counts as two
    head = text.encode("utf-16-le", "surrogatepass")[: 2 * last].decode("utf-16-le", "replace")
    rest, room = text[len(head) : len(head) + 400], width
    while layout.lineCount() > most_lines and room > 0:
        # A text may be wider in a layout than its metrics say, and "…" then gets its own line.
        room -= 2
        text = head + QFontMetrics(font).elidedText(rest, Qt.TextElideMode.ElideRight, room)
        layout = _lay_out(text, font, width, most_lines)
    return text, layout


def _marked(text: str, words: Sequence[str], theme: Theme) -> list[QTextLayout.FormatRange]:
    look = QTextCharFormat()
    look.setBackground(QColor(theme.mark))
    look.setForeground(QColor(theme.text))
    ranges = []
    for start, end in spans(text, words):
        marked = QTextLayout.FormatRange()
        marked.start, marked.length = _utf16(text[:start]), _utf16(text[start:end])
        marked.format = look
        ranges.append(marked)
    return ranges


def _utf16(text: str) -> int:
    """The length of a text as Qt counts it."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def paint_marked_line(
    painter: QPainter, box: QRect, text: str, words: Sequence[str], theme: Theme
) -> None:
    """Paint a text that fits into one line, with `words` highlighted, in the middle of `box`."""
    layout = _lay_out(text, painter.font(), box.width() + 1, 1)
    top = box.top() + (box.height() - layout.boundingRect().height()) / 2
    layout.draw(painter, QPointF(box.left(), top), _marked(text, words, theme))


def _paint_dot(painter: QPainter, x: float, y: float, theme: Theme) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.accent))
    painter.drawEllipse(QPointF(x + 3, y), 3, 3)


def _paint_bar(painter: QPainter, right: int, top: int, percentile: float, theme: Theme) -> None:
    bar = QRectF(right - 54, top, 54, 5)
    paint_bar(painter, bar, closeness(percentile), theme)


def _width(mark: CardChip, metrics: QFontMetrics) -> int:
    longest = LONGEST_CHIP * metrics.averageCharWidth()
    return min(metrics.horizontalAdvance(mark.text), longest) + (12 if mark.fill else 2)


def _paint_chip(painter: QPainter, box: QRectF, mark: CardChip) -> None:
    if mark.fill:
        paint_box(painter, box, 5, mark.fill)
    painter.setPen(QColor(mark.letters))
    room = round(box.width()) - (10 if mark.fill else 0)
    shown = painter.fontMetrics().elidedText(mark.text, Qt.TextElideMode.ElideRight, room)
    painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), shown)
