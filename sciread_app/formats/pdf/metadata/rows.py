"""Rows and cells of a page: lines at one height, joined where they touch."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rapidfuzz import fuzz

from sciread_app.formats.pdf.metadata.layout import APART, LOWERED, RAISED, LayoutLine, PageLayout
from sciread_app.formats.pdf.metadata.text_cleanup import VERSION, letters_of

_NEAR = 40  # pieces of a row that a line is compared with
_TOUCHING = 1.1  # a smaller gap, relative to the font size, is a space
_SPACE, _APART = 0.05, 0.6  # gaps of two words and of two columns, relative to the font size
_SAME_HEIGHT, _RAISED_HEIGHT = 0.3, 0.75  # difference of height relative to the font size
_ABOVE = 0.12  # of a mark, relative to the font size
_MARK = re.compile(r"[\d,*∗†‡§¶]{1,4}|[a-z](?:,[a-z∗*])*")
_OTHER_SIZE = 0.08  # relative difference of the sizes of two texts
_LONGEST_MARK = 8  # characters of the marks of a name
_SMALLER = 0.86  # relative size of a mark
_MOST_TITLE_ROWS = 7
_LIKE_TITLE, _LIKE_START = 92, 80


@dataclass(frozen=True, slots=True)
class Row:
    """Cells at one height, from left to right."""

    cells: tuple[LayoutLine, ...]

    @property
    def top(self) -> float:
        return self.cells[0].top

    @property
    def text(self) -> str:
        return " ".join(cell.text for cell in self.cells)


def rows_of(page: PageLayout) -> list[Row]:
    """The page's rows from top to bottom."""
    rows: list[list[LayoutLine]] = []
    # A mark after the line that it may belong to.
    lower = {id(line): line.size * 1.1 for line in page.lines if _MARK.fullmatch(line.text)}
    for line in sorted(page.lines, key=lambda line: (line.top + lower.get(id(line), 0), line.left)):
        place = next(
            (i for i in range(len(rows) - 1, max(-1, len(rows) - 4), -1) if _beside(rows[i], line)),
            None,
        )
        if place is None:
            rows.append([line])
        else:
            rows[place].append(line)
    return [Row(tuple(_cells(row))) for row in rows]


def _beside(row: Sequence[LayoutLine], line: LayoutLine) -> bool:
    for other in row[-_NEAR:]:
        larger, smaller = max(other.size, line.size), min(other.size, line.size)
        gap = max(line.left - other.right, other.left - line.right)
        if smaller <= _SMALLER * larger:
            small, large = sorted((other, line), key=lambda piece: piece.size)
            above = large.top - small.top
            # The mark of a name within the line, which PDFium returns apart from it.
            is_raised = _ABOVE * large.size < above < _RAISED_HEIGHT * large.size
            if is_raised and _MARK.fullmatch(small.text):
                gap = max(gap, 0)
            is_beside = gap <= larger and -0.3 * larger <= above <= _RAISED_HEIGHT * larger
        else:
            is_beside = abs(other.top - line.top) <= _SAME_HEIGHT * larger
        if is_beside and gap > -0.5 * larger:
            return True
    return False


def _cells(row: Sequence[LayoutLine]) -> list[LayoutLine]:
    cells: list[LayoutLine] = []
    for line in sorted(row, key=lambda line: line.left):
        if cells and _touches(cells[-1], line):
            cells[-1] = _joined(cells[-1], line)
        else:
            cells.append(line)
    return cells


def _touches(line: LayoutLine, following: LayoutLine) -> bool:
    """Whether a line goes on in another one, and is not a line of text beside a heading."""
    size = max(line.size, following.size)
    differs = abs(line.size - following.size) > _OTHER_SIZE * size
    are_texts = min(len(line.text), len(following.text)) > _LONGEST_MARK
    return following.left - line.right <= (_APART if differs and are_texts else _TOUCHING) * size


def _joined(first: LayoutLine, second: LayoutLine) -> LayoutLine:
    main = max(first, second, key=lambda piece: (piece.size, len(piece.text)))
    gap = (second.left - first.right) / main.size
    space = " " if gap > _SPACE else ""
    marked = [
        piece.marked if piece.size > _SMALLER * main.size else f"{RAISED}{piece.text}{LOWERED}"
        for piece in (first, second)
    ]
    return replace(
        main,
        text=f"{first.text}{space}{second.text}",
        left=min(first.left, second.left),
        right=max(first.right, second.right),
        marked=(f" {APART}" if gap > _APART else space).join(marked),
    )


def title_rows(rows: Sequence[Row], title: str) -> tuple[int, int] | None:
    """The indices of the first and the last row that print the title; None if none do.

    The topmost cells as large as any that print it: a running head repeats it in small letters.
    """
    wanted = letters_of(title)
    best: tuple[float, int, int] | None = None
    for start in range(len(rows)):
        for left in range(len(rows[start].cells)):
            printed, end = "", start
            first = rows[start].cells[left]
            for end in range(start, min(len(rows), start + _MOST_TITLE_ROWS)):
                cell = _nearest(rows[end], first, left if end == start else None)
                printed += letters_of(VERSION.sub("", cell.text)) if cell else ""
                if len(printed) >= len(wanted) - 2:
                    break
                if not fuzz.ratio(printed, wanted[: len(printed)], score_cutoff=_LIKE_START):
                    break
            is_title = fuzz.ratio(printed, wanted, score_cutoff=_LIKE_TITLE)
            if is_title and (best is None or first.size > 1.05 * best[0]):
                best = (first.size, start, end)
    return best[1:] if best else None


def _nearest(row: Row, above: LayoutLine, place: int | None) -> LayoutLine | None:
    if place is not None:
        return row.cells[place]
    overlapping = [c for c in row.cells if c.left < above.right and c.right > above.left]
    return max(overlapping, key=lambda cell: cell.size, default=None)
