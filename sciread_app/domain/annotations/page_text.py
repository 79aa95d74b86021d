"""The text of a page with glyph positions: hit tests, words, lines and selections."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import NamedTuple

from sciread_app.domain.annotations.annotations import Box

_ENDS = "\r\n"
_JOINS = "'’-\u00ad\ufffe"  # between letters of one word


# Scripts without spaces between words: Thai to Myanmar, Khmer, Chinese and Japanese.
_NO_SPACES = re.compile("[\u0e00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


class TextLine(NamedTuple):
    """Adjacent characters on a line, from `start` up to but not including `end`."""

    box: Box
    start: int
    end: int


@dataclass(frozen=True)
class PageText:
    """The text of a page, character by character in reading order.

    `edges` holds four numbers per character: left, top, right, bottom, in points. Characters that
    are not drawn, such as line ends, have no size.
    """

    text: str
    edges: Sequence[float]

    def box(self, letter: int) -> Box:
        return Box(*self.edges[4 * letter : 4 * letter + 4])

    def nearest(self, x: float, y: float, reach: float = 1e9) -> int | None:
        """The character under a point, or the nearest one; None if all are further than `reach`."""
        best, least = None, reach
        near = sorted((_away(run.box, x, y), run) for run in self.lines)
        for bound, run in near:
            if bound > least:
                break
            for letter in range(run.start, run.end):
                box = self.box(letter)
                away = _away(box, x, y) if box.right > box.left else reach
                if away < least:
                    best, least = letter, away
        return best

    def boundary(self, x: float, y: float) -> int:
        """The text position nearest to a point, as a number of characters before it."""
        letter = self.nearest(x, y)
        if letter is None:
            return 0
        box = self.box(letter)
        return letter + (x > (box.left + box.right) / 2)

    def word(self, letter: int) -> tuple[int, int]:
        if not _in_word(self.text[letter]):
            return letter, letter + 1
        return self._around(letter, _in_word)

    def whole_words(self, start: int, end: int) -> tuple[int, int]:
        """The range from `start` to `end`, extended to the boundaries of the words it cuts."""
        if start < end and _in_spaced_word(self.text[start]):
            start = self._around(start, _in_spaced_word)[0]
        if start < end and _in_spaced_word(self.text[end - 1]):
            end = self._around(end - 1, _in_spaced_word)[1]
        return start, end

    def line(self, letter: int) -> tuple[int, int]:
        return self._around(letter, lambda other: other not in _ENDS)

    def boxes(self, start: int, end: int) -> tuple[Box, ...]:
        """The boxes that cover these characters, one per line."""
        covers = []
        for run in self.lines:
            if start <= run.start and run.end <= end:
                covers.append(run.box)
            elif run.start < end and start < run.end:
                letters = range(max(start, run.start), min(end, run.end))
                sized = [box for box in map(self.box, letters) if box.right > box.left]
                if sized:
                    covers.append(reduce(Box.joined, sized))
        return tuple(covers)

    def prepare(self) -> None:
        """Compute the runs now, in milliseconds, rather than on first use."""
        _ = self.lines

    @cached_property
    def lines(self) -> list[TextLine]:
        """Runs of adjacent characters. A page has thousands of characters, but far fewer runs."""
        runs: list[TextLine] = []
        begun = end = 0
        left = top = right = bottom = 0.0
        on_line = False
        edges = zip(*[iter(self.edges)] * 4, strict=True)
        for letter, (sign, (x1, y1, x2, y2)) in enumerate(zip(self.text, edges, strict=True)):
            if sign in _ENDS:
                on_line = False
            elif x2 > x1:
                if on_line and top <= (y1 + y2) / 2 <= bottom and x1 >= left - 1:
                    left, top = min(left, x1), min(top, y1)
                    right, bottom = max(right, x2), max(bottom, y2)
                else:
                    runs.append(TextLine(Box(left, top, right, bottom), begun, end))
                    begun, left, top, right, bottom = letter, x1, y1, x2, y2
                on_line, end = True, letter + 1
        runs.append(TextLine(Box(left, top, right, bottom), begun, end))
        return [run for run in runs if run.end]

    def _around(self, letter: int, belongs: Callable[[str], bool]) -> tuple[int, int]:
        start, end = letter, letter
        while start > 0 and belongs(self.text[start - 1]):
            start -= 1
        while end < len(self.text) and belongs(self.text[end]):
            end += 1
        return start, max(end, letter + 1)


def _away(box: Box, x: float, y: float) -> float:
    # Vertical distance counts more: a point to the right of a line belongs to that line.
    dy = max(box.top - y, 0.0, y - box.bottom)
    return 4 * dy + max(box.left - x, 0.0, x - box.right)


def _in_word(letter: str) -> bool:
    return letter.isalnum() or letter in _JOINS


def _in_spaced_word(letter: str) -> bool:
    return _in_word(letter) and not _NO_SPACES.match(letter)
