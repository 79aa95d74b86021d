"""What is read in a file and marked there: pages, letters and their places, links, highlights.

Places are in points, counted from the top left of a page as it is seen when nobody has turned it.
Pages count from 0.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sciread_app.domain.paper import PaperId


class Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def holds(self, x: float, y: float) -> bool:
        return self.left <= x <= self.right and self.top <= y <= self.bottom

    def joined(self, other: Box) -> Box:
        return Box(
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
        )


class PageSize(NamedTuple):
    width: float
    height: float


class Spot(NamedTuple):
    """Somewhere in a file: a page, and how far down it."""

    page: int
    top: float = 0.0


class Heading(NamedTuple):
    """A line of a file's outline; `level` counts from 0, and `spot` is None if it leads nowhere."""

    title: str
    level: int
    spot: Spot | None


class Link(NamedTuple):
    """A place of a page that leads on: to a spot in the file, or to an address."""

    box: Box
    spot: Spot | None = None
    address: str = ""


class Found(NamedTuple):
    """A place where words stand that were looked for, with the text around them."""

    page: int
    start: int  # of the page's letters
    end: int
    boxes: tuple[Box, ...]
    around: str = ""


@dataclass(frozen=True, slots=True)
class FileShape:
    """What is known of a file before any page of it was drawn."""

    sha256: str
    sizes: tuple[PageSize, ...]
    outline: tuple[Heading, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """A rectangle of a page to be drawn, in pixels of the whole page drawn at `scale`.

    `scale` is pixels a point, `turn` how often the page is turned by a quarter clockwise.
    """

    page: int
    scale: float
    turn: int
    left: int
    top: int
    width: int
    height: int
    dark: bool = False  # light letters on dark paper, hues kept


class Colour(enum.Enum):
    """What a highlight looks like. The value is what is stored."""

    yellow = "yellow"
    green = "green"
    blue = "blue"
    pink = "pink"
    purple = "purple"


@dataclass(frozen=True, slots=True)
class Highlight:
    """A passage that somebody marked. `id` is 0 until it is kept.

    `sha256` is the content in which it stands, `path` where that lay.
    """

    paper: PaperId
    sha256: str
    path: str
    page: int
    boxes: tuple[Box, ...]
    text: str
    colour: Colour = Colour.yellow
    note: str = ""
    id: int = 0
    added: float = 0.0

    @property
    def spot(self) -> Spot:
        return Spot(self.page, min((box.top for box in self.boxes), default=0.0))


@dataclass(frozen=True, slots=True)
class ReadingPlace:
    """Where somebody stopped: `page` counts from 0, its fraction is how far down.

    `zoom` is "width", "page", or a factor as text.
    """

    page: float = 0.0
    zoom: str = "width"
    turn: int = 0


def in_order(highlights: Sequence[Highlight]) -> list[Highlight]:
    """As they are met by who reads the file."""
    return sorted(highlights, key=lambda one: (one.page, one.spot.top, one.added, one.id))
