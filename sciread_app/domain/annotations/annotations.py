"""Pages of a file, their text positions, links and highlights.

Coordinates are in points from the top left of the unrotated page. Pages count from 0.
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


class PagePosition(NamedTuple):
    """A position in a file: a page and the distances from its top and its left edge, in points."""

    page: int
    top: float = 0.0
    left: float = 0.0


class OutlineEntry(NamedTuple):
    """An entry of a file's outline. `level` counts from 0; `spot` is None if it has no target."""

    title: str
    level: int
    spot: PagePosition | None


class Link(NamedTuple):
    """A link on a page: to a position in the file, or to an address."""

    box: Box
    spot: PagePosition | None = None
    address: str = ""


class TextMatch(NamedTuple):
    """A place where the searched text occurs, with the text around it."""

    page: int
    start: int  # index into the page's characters
    end: int
    boxes: tuple[Box, ...]
    around: str = ""


@dataclass(frozen=True, slots=True)
class FileShape:
    """The properties of a file known before any page is drawn."""

    sha256: str
    sizes: tuple[PageSize, ...]
    outline: tuple[OutlineEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class PageRegion:
    """A rectangle of a page to draw, in pixels of the whole page drawn at `scale`.

    `scale` is in pixels per point; `turn` counts clockwise quarter turns.
    """

    page: int
    scale: float
    turn: int
    left: int
    top: int
    width: int
    height: int
    dark: bool = False  # light text on a dark page, hues kept


class Colour(enum.Enum):
    """The color of a highlight. The values are stored."""

    yellow = "yellow"
    green = "green"
    blue = "blue"
    pink = "pink"
    purple = "purple"


# Highlights are multiplied with the page, so that letters stay black.
COLOURS = {
    Colour.yellow: "#ffe066",
    Colour.green: "#a8e6a1",
    Colour.blue: "#a5d0ff",
    Colour.pink: "#ffb3c7",
    Colour.purple: "#d9bfff",
}


@dataclass(frozen=True, slots=True)
class Highlight:
    """A highlighted passage, or without text an area of a page. `id` is 0 until it is stored.

    `sha256` is the hash of the file it belongs to, `path` where that file was. `added` and
    `changed` are seconds since 1970.
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
    changed: float = 0.0

    @property
    def is_area(self) -> bool:
        """Whether it marks a rectangle of the page, not text."""
        return not self.text

    @property
    def spot(self) -> PagePosition:
        return PagePosition(self.page, min((box.top for box in self.boxes), default=0.0))


@dataclass(frozen=True, slots=True)
class ReadingPosition:
    """The position at which reading stopped.

    The integer part of `page` counts from 0; the fraction is the position on the page. `zoom` is
    "width", "page", or a factor as text.
    """

    page: float = 0.0
    zoom: str = "width"
    turn: int = 0


def in_order(highlights: Sequence[Highlight]) -> list[Highlight]:
    """The highlights in reading order."""
    return sorted(highlights, key=lambda one: (one.page, one.spot.top, one.added, one.id))
