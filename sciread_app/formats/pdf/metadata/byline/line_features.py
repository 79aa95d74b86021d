"""Features of the lines of a first page, from which the line tagger finds the authors' names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from sciread_app.formats.pdf.metadata.byline.lexicon import AFFILIATION, is_initials, word_score
from sciread_app.formats.pdf.metadata.byline.line_kinds import (
    AUTHOR_LABEL,
    END,
    OTHER,
    SENTENCE,
    SUPERVISORS,
)
from sciread_app.formats.pdf.metadata.byline.names import SegmentKind, has_shape_of_name
from sciread_app.formats.pdf.metadata.byline.parser import (
    MARK,
    Pieces,
    begins_with_mark,
    marked_text,
    pieces_of,
)
from sciread_app.formats.pdf.metadata.layout import LayoutLine, PageLayout
from sciread_app.formats.pdf.metadata.rows import Row

MOST_ROWS = 45  # from the top of a page; names are printed among them
_WORD = re.compile(r"[^\W\d_][\w.'’-]*")
_SLANTED = re.compile(r"ital|obl|slant|-?it\b|cmti|sfti|ti\d|cmsl", re.I)
_FAR = 30.0  # rows, or lines of text, beyond which a distance does not matter
_ALIKE = 0.09  # relative difference of the font sizes of one style
_NO_SCORE = -30.0  # stands for the score of unknown words


@dataclass(frozen=True)
class PageCell:
    """A cell of a page, its row, and its text divided as a list of names would be."""

    line: LayoutLine
    row: int
    place: int  # in its row

    @cached_property
    def text(self) -> str:
        """The text with a MARK for the marks of names, without addresses."""
        return marked_text(self.line.marked)

    @cached_property
    def pieces(self) -> Pieces:
        return pieces_of(self.text)

    @cached_property
    def is_affiliation(self) -> bool:
        return bool(AFFILIATION.search(self.line.text))

    @cached_property
    def is_slanted(self) -> bool:
        return bool(_SLANTED.search(self.line.font))


def page_cells(rows: Sequence[Row]) -> list[PageCell]:
    """The cells of the first MOST_ROWS rows, from top to bottom and from left to right."""
    return [
        PageCell(line, number, place)
        for number, row in enumerate(rows[:MOST_ROWS])
        for place, line in enumerate(row.cells)
    ]


def features_of(
    cells: Sequence[PageCell], rows: Sequence[Row], title: tuple[int, int], page: PageLayout
) -> list[list[float]]:
    """One list of numbers for each cell: its words, its look, its place, and the cells around it.

    `title` is the first and the last row of the title.
    """
    surroundings = _Surroundings(cells, rows, title, page)
    own = [_words(cell) for cell in cells]
    found = []
    for number, cell in enumerate(cells):
        numbers = [*own[number], *surroundings.look(cell), *surroundings.place(cell)]
        for other in (surroundings.above(number), surroundings.below(number)):
            numbers += surroundings.neighbor(cell, other)
        numbers += surroundings.like(cell)
        found.append([float(value) for value in numbers])
    return found


def _words(cell: PageCell) -> Iterator[float]:
    """The words of a cell and its separators."""
    text, pieces = cell.text, cell.pieces
    words = _WORD.findall(text)
    count = max(1, len(words))
    scores = [word_score(word) for word in words if not is_initials(word)]
    known = [score for score in scores if score is not None]
    kinds = pieces.kinds
    yield pieces.names
    yield pieces.doubtful
    yield pieces.others
    yield sum(kind in (SegmentKind.degree, SegmentKind.suffix) for kind in kinds)
    yield sum(kind is SegmentKind.part for kind in kinds)
    yield (pieces.names + pieces.doubtful) / max(1, len(kinds))
    yield pieces.cut_at
    yield sum(map(has_shape_of_name, pieces.texts)) / max(1, len(kinds))
    yield len(words)
    yield len(cell.line.text)
    yield sum(word[0].isupper() for word in words) / count
    yield sum(word.isupper() for word in words) / count
    yield sum(map(is_initials, words)) / count
    yield sum(known) / len(known) if known else _NO_SCORE
    yield min(known, default=_NO_SCORE)
    yield max(known, default=_NO_SCORE)
    yield len(known) / max(1, len(scores))
    yield text.count(MARK)
    yield text.count(MARK) / count
    yield begins_with_mark(cell.line.marked)
    yield text.endswith(MARK)
    yield "@" in cell.line.text
    yield sum(character.isdigit() for character in cell.line.text) / max(1, len(cell.line.text))
    yield text.count(",")
    yield text.count(";")
    yield bool(re.search(r"\band\b|&", text, re.I))
    yield bool(re.search(r"(?:[,;&]|\band)[\s\ue002]*$", text, re.I))
    yield text[-1:] in ".:"
    yield ":" in text
    yield bool(re.search(r"[()\[\]]", text))
    yield cell.is_affiliation
    yield bool(OTHER.search(cell.line.text))
    yield bool(END.match(cell.line.text))
    yield bool(AUTHOR_LABEL.match(cell.line.text))
    yield bool(SUPERVISORS.match(cell.line.text))
    yield len(SENTENCE.findall(cell.line.text))


class _Surroundings:
    """A page and its title, with which cells are compared."""

    def __init__(
        self, cells: Sequence[PageCell], rows: Sequence[Row], title: tuple[int, int],
        page: PageLayout,
    ) -> None:  # fmt: skip
        first, self._last = title
        self._first = first
        self._cells = cells
        self._body = page.body_size or 1.0
        self._height = page.height or 1.0
        self._left = min((cell.line.left for cell in cells), default=0.0)
        self._right = max((cell.line.right for cell in cells), default=1.0)
        heads = [cell for row in rows[first : self._last + 1] for cell in row.cells]
        self._title = max(heads, key=lambda line: (line.size, len(line.text)))
        self._title_end = max(line.top for line in heads)
        self._title_left = min(line.left for line in heads)
        self._ends = [
            cell.row for cell in cells if cell.row > self._last and END.match(cell.line.text)
        ]
        self._rows = rows
        self._named = [
            cell.row for cell in cells
            if cell.row > self._last and cell.pieces.names and not cell.pieces.others
        ]  # fmt: skip

    def look(self, cell: PageCell) -> Iterator[float]:
        line, title = cell.line, self._title
        yield line.size / self._body
        yield line.size / title.size
        yield line.bold
        yield cell.is_slanted
        yield line.font == title.font

    def place(self, cell: PageCell) -> Iterator[float]:
        line = cell.line
        width = max(1.0, self._right - self._left)
        yield line.top / self._height
        yield (line.left - self._left) / width
        yield (line.right - line.left) / width
        yield abs((line.left + line.right) / 2 - (self._left + self._right) / 2) / width
        yield abs(line.left - self._title_left) / width
        yield len(self._rows[cell.row].cells)
        yield cell.place
        yield max(-_FAR, min(_FAR, cell.row - self._last))
        yield max(-_FAR, min(_FAR, (line.top - self._title_end) / self._body))
        yield self._first <= cell.row <= self._last
        yield min(_FAR, sum(end <= cell.row for end in self._ends))
        yield max(-_FAR, min(_FAR, cell.row - (self._ends[0] if self._ends else 60)))
        yield max(-_FAR, min(_FAR, cell.row - (self._named[0] if self._named else 60)))
        yield min(_FAR, sum(row < cell.row for row in self._named))

    def above(self, number: int) -> PageCell | None:
        """The nearest cell above that is in the same column."""
        return self._nearest(number, range(number - 1, max(-1, number - 12), -1))

    def below(self, number: int) -> PageCell | None:
        return self._nearest(number, range(number + 1, min(len(self._cells), number + 12)))

    def _nearest(self, number: int, others: range) -> PageCell | None:
        cell = self._cells[number]
        for place in others:
            other = self._cells[place]
            is_over = other.line.left < cell.line.right and other.line.right > cell.line.left
            if other.row != cell.row and is_over:
                return other
        return None

    def neighbor(self, cell: PageCell, other: PageCell | None) -> Iterator[float]:
        """The cell above or below: its words, and whether it looks alike."""
        if other is None:
            yield from (_FAR, 0, 0, 0, -1, 0, 0, 0, 0, 0)
            return
        line = other.line
        yield min(_FAR, abs(line.top - cell.line.top) / cell.line.size)
        yield other.pieces.names
        yield other.pieces.doubtful
        yield other.pieces.others
        yield line.size / cell.line.size
        yield line.bold == cell.line.bold
        yield line.font == cell.line.font
        yield other.is_affiliation
        yield "@" in line.text
        yield self._first <= other.row <= self._last

    def like(self, cell: PageCell) -> Iterator[float]:
        """The cells that look the same, near the title: names and affiliations among them."""
        end = self._ends[0] if self._ends else MOST_ROWS
        others = [
            other for other in self._cells
            if other is not cell and other.row > self._last and other.row < end
            and other.line.bold == cell.line.bold
            and other.is_slanted == cell.is_slanted
            and abs(other.line.size - cell.line.size) <= _ALIKE * cell.line.size
        ]  # fmt: skip
        count = max(1, len(others))
        yield min(_FAR, len(others))
        yield sum(o.pieces.names > 0 and not o.is_affiliation for o in others) / count
        yield sum(o.is_affiliation for o in others) / count
        yield sum(len(SENTENCE.findall(o.line.text)) > 1 for o in others) / count
