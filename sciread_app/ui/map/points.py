"""The points of a map as they are to be shown: which, in what order, in which colour."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from sciread_app.services.atlas import Drawing
from sciread_app.ui.map.camera import Places
from sciread_app.ui.map.shades import Shades, by_group

Numbers = NDArray[np.int64]


class Points:
    """A point goes by its number, its place in `ids`. `version` counts up with each change.

    `order` has the numbers of those that are shown as they are painted, the last `on_top` of them
    upon the others.
    """

    def __init__(self, drawing: Drawing) -> None:
        self.drawing = drawing
        self.ids = drawing.ids
        self.places = drawing.places
        self.extent = extent(drawing.places)
        self.groups = self.shades = by_group(drawing)
        self.hidden: frozenset[int] = frozenset()
        self.lit: NDArray[np.bool_] | None = None  # these stand out; None: none does
        self._only = False
        self.version = 0
        self._change()

    def shade(self, shades: Shades) -> None:
        if shades is self.shades and not self.hidden:
            return  # as they are made
        self.shades, self.hidden = shades, frozenset()
        self._change()

    def hide(self, kinds: Iterable[int]) -> None:
        self.hidden = frozenset(kinds)
        self._change()

    def light(self, ids: Sequence[int] | None, *, only: bool = False) -> None:
        """Let these papers stand out from all others, or hide all others."""
        self._only = only
        self.lit = None if ids is None else np.isin(self.ids, np.asarray(ids, np.int64))
        self._change()

    def numbers(self, ids: Sequence[int]) -> Numbers:
        """Of these papers, in this order; those that are not on the map are left out."""
        if not len(self.ids):
            return np.empty(0, np.int64)
        wanted = np.asarray(ids, np.int64)
        found = np.searchsorted(self.ids, wanted).clip(max=len(self.ids) - 1)
        known: Numbers = found[self.ids[found] == wanted]
        return known

    def nearest(self, x: float, y: float, reach: float) -> int | None:
        """The point next to a place on the map, if there is one so near."""
        around = np.abs(self.shown_places - [x, y])
        near = np.flatnonzero((around[:, 0] <= reach) & (around[:, 1] <= reach))
        if not len(near):
            return None
        squares = (around[near] ** 2).sum(axis=1)
        if self.lit is not None:  # what stands out is meant rather than what is dimmed
            squares = squares + np.where(self.lit[self.order[near]], 0, reach**2 / 2)
        best = int(squares.argmin())
        return int(self.order[near[best]]) if squares[best] <= reach**2 else None

    def within(self, outline: NDArray[np.float64]) -> Numbers:
        """The points inside a polygon on the map, those that are hidden left out."""
        low, high = outline.min(axis=0), outline.max(axis=0)
        boxed = ((self.shown_places >= low) & (self.shown_places <= high)).all(axis=1)
        numbers = self.order[boxed]
        numbers = numbers[np.argsort(self.places[numbers, 1])]
        x, y = self.places[numbers].T.astype(np.float64)
        inside = np.zeros(len(numbers), bool)
        for (ax, ay), (bx, by) in zip(outline, np.roll(outline, -1, axis=0), strict=True):
            if ay == by:
                continue
            # Only points as high as this edge can be left of it.
            first, last = np.searchsorted(y, sorted((ay, by)))
            level = slice(first, last)
            inside[level] ^= x[level] < (bx - ax) * (y[level] - ay) / (by - ay) + ax
        return np.sort(numbers[inside])

    def _change(self) -> None:
        shown = ~np.isin(self.shades.of, list(self.hidden))
        if self._only and self.lit is not None:
            shown &= self.lit
        colours = self.shades.of
        if self.lit is None:
            self.order = np.flatnonzero(shown)
        else:
            # What stands out is painted last, and so lies on top.
            self.order = np.concatenate(
                [np.flatnonzero(shown & ~self.lit), np.flatnonzero(shown & self.lit)]
            )
            colours = np.where(self.lit, colours, len(self.shades.names)).astype(np.uint8)
        self.on_top = 0 if self.lit is None else int((shown & self.lit).sum())
        self.shown_places = self.places[self.order]
        self.colours = colours[self.order]
        self.version += 1


def extent(places: Places) -> Places:
    """The two corners between which all of these lie, by which a camera sees as much as by all."""
    if not len(places):
        return places
    # Column by column: numpy takes ten times as long to go down both at once.
    low, high = zip(*((column.min(), column.max()) for column in places.T), strict=True)
    return np.array([low, high], places.dtype)
