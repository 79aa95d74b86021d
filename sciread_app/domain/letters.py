"""The letters of a page: which lies where, which make a word or a line, what a choice covers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sciread_app.domain.reading import Box

_ENDS = "\r\n"
_JOINS = "'’-\u00ad\ufffe"  # between the letters of one word


@dataclass(frozen=True)
class Letters:
    """The text of a page, letter by letter in reading order; `edges` holds four numbers of each:
    left, top, right, bottom in points. Letters that are only thought, as line ends, have no size.
    """

    text: str
    edges: Sequence[float]

    def box(self, letter: int) -> Box:
        return Box(*self.edges[4 * letter : 4 * letter + 4])

    def nearest(self, x: float, y: float, reach: float = 1e9) -> int | None:
        """The letter under a point, or else the nearest; None if all are further than `reach`."""
        best, least = None, reach
        edges = self.edges
        for letter in range(len(self.text)):
            left, top, right, bottom = edges[4 * letter : 4 * letter + 4]
            if right <= left:
                continue
            # Lines are what the eye follows: a point right of a line belongs to that line.
            dy = max(top - y, 0.0, y - bottom)
            dx = max(left - x, 0.0, x - right)
            away = 4 * dy + dx
            if away < least:
                best, least = letter, away
                if away == 0:
                    break
        return best

    def boundary(self, x: float, y: float) -> int:
        """Between which letters a point lies, as a number of letters before it."""
        letter = self.nearest(x, y)
        if letter is None:
            return 0
        box = self.box(letter)
        return letter + (x > (box.left + box.right) / 2)

    def word(self, letter: int) -> tuple[int, int]:
        if not _in_word(self.text[letter]):
            return letter, letter + 1
        return self._around(letter, _in_word)

    def line(self, letter: int) -> tuple[int, int]:
        return self._around(letter, lambda other: other not in _ENDS)

    def boxes(self, start: int, end: int) -> tuple[Box, ...]:
        """What covers these letters, a box a line."""
        covers: list[Box] = []
        new_line = True
        for letter in range(max(start, 0), min(end, len(self.text))):
            box = self.box(letter)
            if self.text[letter] in _ENDS:
                new_line = True
            elif box.right > box.left:
                if covers and not new_line and _on_one_line(covers[-1], box):
                    covers[-1] = covers[-1].joined(box)
                else:
                    covers.append(box)
                new_line = False
        return tuple(covers)

    def _around(self, letter: int, belongs: Callable[[str], bool]) -> tuple[int, int]:
        start, end = letter, letter
        while start > 0 and belongs(self.text[start - 1]):
            start -= 1
        while end < len(self.text) and belongs(self.text[end]):
            end += 1
        return start, max(end, letter + 1)


def _in_word(letter: str) -> bool:
    return letter.isalnum() or letter in _JOINS


def _on_one_line(before: Box, after: Box) -> bool:
    middle = (after.top + after.bottom) / 2
    return before.top <= middle <= before.bottom and after.left >= before.left - 1
