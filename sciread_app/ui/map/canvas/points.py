"""The points of a map with their visibility, painting order and colors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from sciread_app.services.map.map_service import MapLayout
from sciread_app.ui.map.canvas.camera import Coordinates
from sciread_app.ui.map.canvas.label_placement import Occupancy
from sciread_app.ui.map.color_scheme import ColorScheme, by_group

Numbers = NDArray[np.int64]

MOST_ADDED = 8.0  # pixels added to the radius of a point for citations, at most
_PER_DECADE = 2.5  # pixels added for ten times the citations


class MapPoints:
    """Points of a map. The number of a point is its index in `ids`; `version` counts changes.

    `order` has the numbers of visible points in painting order, the last `on_top` of them above the
    others. While papers are highlighted or categories isolated, all others are dimmed.
    """

    def __init__(self, drawing: MapLayout) -> None:
        self.drawing = drawing
        self.ids = drawing.ids
        self.places = drawing.places
        self.extent = extent(drawing.places)
        self.occupancies = [
            Occupancy(drawing.places, labels, len(groups)) for labels, groups in drawing.levels
        ]
        self.groups = self.scheme = by_group(drawing)
        self.added_radius: NDArray[np.float32] | None = None  # pixels of each point; None: none
        self.isolated: frozenset[int] = frozenset()  # categories; empty: no isolation
        self.highlighted: NDArray[np.bool_] | None = None  # None: no highlight
        self._only = False
        self._filter: NDArray[np.bool_] | None = None  # points that are not hidden; None: all
        self._strong: NDArray[np.bool_] | None = None  # points that are not dimmed; None: all
        self.version = 0
        # By version and level, see `has_papers`.
        self._with_papers: tuple[int, dict[int, NDArray[np.bool_]]] = (0, {})
        self._change()

    def set_scheme(self, scheme: ColorScheme) -> None:
        if scheme is self.scheme and not self.isolated:
            return  # as at the beginning
        self.scheme, self.isolated = scheme, frozenset()
        self._change()

    def isolate(self, categories: Iterable[int]) -> None:
        """Dim all other categories, or none if there are no `categories`."""
        self.isolated = frozenset(categories)
        self._change()

    def highlight(self, ids: Sequence[int] | None, *, only: bool = False) -> None:
        """Highlight these papers, or hide all others."""
        self._only = only
        self.highlighted = None if ids is None else np.isin(self.ids, np.asarray(ids, np.int64))
        self._change()

    def size_by(self, citations: NDArray[np.int64] | None) -> None:
        """Enlarge points by the citations of their papers; None: all have the same size."""
        self.added_radius = None if citations is None else added_radius(citations)
        self.version += 1

    def filter(self, shown: NDArray[np.bool_] | None) -> None:
        """Hide all points but these; None hides none."""
        if shown is not self._filter:
            self._filter = shown
            self._change()

    @property
    def counts(self) -> list[int]:
        """The number of papers of each category that are not hidden, while papers are highlighted
        of those."""
        shown = self._shown if self.highlighted is None else self._shown & self.highlighted
        counts = np.bincount(self.scheme.of[shown], minlength=len(self.scheme.names))
        return [int(count) for count in counts]

    def has_papers(self, level: int) -> NDArray[np.bool_]:
        """Whether any paper of each group of a level is not hidden."""
        if self._with_papers[0] != self.version:
            self._with_papers = (self.version, {})
        if (found := self._with_papers[1].get(level)) is None:
            labels, groups = self.drawing.levels[level]
            inside = labels[self._shown]
            found = np.bincount(inside[inside >= 0], minlength=len(groups)) > 0
            self._with_papers[1][level] = found
        return found

    def numbers(self, ids: Sequence[int]) -> Numbers:
        """Numbers of these papers, in this order, without papers that are not on the map."""
        if not len(self.ids):
            return np.empty(0, np.int64)
        wanted = np.asarray(ids, np.int64)
        found = np.searchsorted(self.ids, wanted).clip(max=len(self.ids) - 1)
        known: Numbers = found[self.ids[found] == wanted]
        return known

    def nearest(self, x: float, y: float, reach: float) -> int | None:
        """The nearest point to a map position, if there is one within reach."""
        around = np.abs(self.shown_places - [x, y])
        near = np.flatnonzero((around[:, 0] <= reach) & (around[:, 1] <= reach))
        if not len(near):
            return None
        squares = (around[near] ** 2).sum(axis=1)
        if self._strong is not None:  # other points take precedence over dimmed ones
            squares = squares + np.where(self._strong[self.order[near]], 0, reach**2 / 2)
        best = int(squares.argmin())
        return int(self.order[near[best]]) if squares[best] <= reach**2 else None

    def within(self, outline: NDArray[np.float64]) -> Numbers:
        """The visible points inside a polygon on the map, of the isolated categories if any are."""
        low, high = outline.min(axis=0), outline.max(axis=0)
        boxed = ((self.shown_places >= low) & (self.shown_places <= high)).all(axis=1)
        numbers = self.order[boxed]
        numbers = numbers[np.argsort(self.places[numbers, 1])]
        x, y = self.places[numbers].T.astype(np.float64)
        inside = np.zeros(len(numbers), bool)
        for (ax, ay), (bx, by) in zip(outline, np.roll(outline, -1, axis=0), strict=True):
            if ay == by:
                continue
            # Only points within the y range of this edge can be left of it.
            first, last = np.searchsorted(y, sorted((ay, by)))
            level = slice(first, last)
            inside[level] ^= x[level] < (bx - ax) * (y[level] - ay) / (by - ay) + ax
        found = np.sort(numbers[inside])
        return found[self._is_isolated()[found]] if self.isolated else found

    def _is_isolated(self) -> NDArray[np.bool_]:
        return np.isin(self.scheme.of, list(self.isolated))

    def _change(self) -> None:
        strong = self.highlighted
        if self.isolated:
            strong = self._is_isolated() if strong is None else strong & self._is_isolated()
        self._strong = strong
        shown = np.ones(len(self.ids), bool)
        if self._only and self.highlighted is not None:
            shown = self.highlighted
        if self._filter is not None:
            shown = shown & self._filter
        self._shown = shown
        colours, self.on_top = self.scheme.of, 0
        self.order = np.flatnonzero(shown)
        if strong is not None:
            # Dimmed points are painted first, below the others.
            above = np.flatnonzero(shown & strong)
            self.order = np.concatenate([np.flatnonzero(shown & ~strong), above])
            colours = np.where(strong, colours, len(self.scheme.names)).astype(np.uint8)
            self.on_top = len(above)
        self.shown_places = self.places[self.order]
        self.colours = colours[self.order]
        self.version += 1


def added_radius(citations: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the pixels added to the radius of points: they grow with the logarithm of the
    citations."""
    added = _PER_DECADE * np.log10(1 + citations.clip(min=0))
    pixels: NDArray[np.float32] = ((added.clip(max=MOST_ADDED) * 2).round() / 2).astype(np.float32)
    return pixels


def extent(places: Coordinates) -> Coordinates:
    """Return points that are enough to fit a camera: two corners of the bounding box, and those
    that nothing lies to the left of and below."""
    if not len(places):
        return places
    # Column by column: numpy takes ten times as long for both at once.
    low, high = zip(*((column.min(), column.max()) for column in places.T), strict=True)
    order = np.argsort(places[:, 0], kind="stable")
    lowest = np.maximum.accumulate(places[order, 1])
    lower = np.concatenate([[True], lowest[1:] > lowest[:-1]])
    return np.concatenate([np.array([low, high], places.dtype), places[order[lower]]])
