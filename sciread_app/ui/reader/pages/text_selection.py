"""A text selection across pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class TextPosition(NamedTuple):
    """A position between characters: a page and the number of characters before it."""

    page: int
    letter: int


@dataclass(frozen=True)
class TextSelection:
    """`anchor` is where the selection began, `head` where it ends now: before or after."""

    anchor: TextPosition
    head: TextPosition

    @property
    def start(self) -> TextPosition:
        return min(self.anchor, self.head)

    @property
    def end(self) -> TextPosition:
        return max(self.anchor, self.head)

    def __bool__(self) -> bool:
        return self.anchor != self.head

    @property
    def pages(self) -> range:
        return range(self.start.page, self.end.page + 1) if self else range(0)

    def on_page(self, page: int, letters: int) -> tuple[int, int]:
        """The selected range of characters on a page that has `letters` characters."""
        if page not in self.pages:
            return 0, 0
        first = self.start.letter if page == self.start.page else 0
        last = self.end.letter if page == self.end.page else letters
        return first, min(last, letters)


EMPTY = TextSelection(TextPosition(0, 0), TextPosition(0, 0))
