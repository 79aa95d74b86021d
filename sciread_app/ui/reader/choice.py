"""What is chosen of a file's text, from one letter to another, over any number of pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class At(NamedTuple):
    """Between two letters: a page, and the number of its letters before."""

    page: int
    letter: int


@dataclass(frozen=True)
class Choice:
    """`anchor` is where it was begun, `head` where it ends now: before or after."""

    anchor: At
    head: At

    @property
    def start(self) -> At:
        return min(self.anchor, self.head)

    @property
    def end(self) -> At:
        return max(self.anchor, self.head)

    def __bool__(self) -> bool:
        return self.anchor != self.head

    @property
    def pages(self) -> range:
        return range(self.start.page, self.end.page + 1) if self else range(0)

    def on_page(self, page: int, letters: int) -> tuple[int, int]:
        """From which letter of this page, which has so many, to before which."""
        if page not in self.pages:
            return 0, 0
        first = self.start.letter if page == self.start.page else 0
        last = self.end.letter if page == self.end.page else letters
        return first, min(last, letters)


NOTHING = Choice(At(0, 0), At(0, 0))
