"""Color schemes of the map: the category of each paper, and the names of the categories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from sciread_app.language import tr, trc
from sciread_app.services.map.map_service import NO_GROUP, MapLayout
from sciread_app.ui.style import data_colours
from sciread_app.ui.style.theme import Theme

Ids = NDArray[np.int64]

MAX_CATEGORIES = 10  # categories with a color of their own
BINS = 7  # of years


@dataclass(frozen=True, eq=False)
class ColorScheme:
    """`of` has the category number of each paper, an index of `names`.

    `rest` is the category of all others; `ordered` categories form a sequence; `hollow` ones are
    drawn as rings. `phrased` names consist of phrases, of which the first is enough.
    """

    names: tuple[str, ...]
    of: NDArray[np.uint8]
    rest: int | None = None
    ordered: bool = False
    hollow: frozenset[int] = frozenset()
    phrased: bool = False

    @property
    def counts(self) -> list[int]:
        return [int(n) for n in np.bincount(self.of, minlength=len(self.names))]

    def colours(self, theme: Theme) -> list[QColor]:
        """One for each kind."""
        return data_colours.colours(len(self.names), theme, rest=self.rest, ordered=self.ordered)


def by_group(drawing: MapLayout) -> ColorScheme:
    """The coarse groups of the map; papers added later that fit none are a category of their
    own."""
    names = tuple(cluster.name or tr("Unnamed") for cluster in drawing.coarse_clusters)
    if not drawing.ungrouped:
        return ColorScheme(names, drawing.coarse.astype(np.uint8), phrased=True)
    rest = len(names)
    of = np.where(drawing.coarse == NO_GROUP, rest, drawing.coarse).astype(np.uint8)
    # Translators: papers that were added after the map was drawn and resemble none on it
    return ColorScheme(
        (*names, tr("New, not yet grouped")),
        of,
        rest=rest,
        hollow=frozenset({rest}),
        phrased=True,
    )


def by_sets(ids: Ids, sets: Mapping[str, Ids], rest: str) -> ColorScheme:
    """The largest sets are the categories. A paper in several sets belongs to the smallest."""
    inside = {name: np.isin(ids, members) for name, members in sets.items()}
    sizes = {name: int(which.sum()) for name, which in inside.items()}
    names = sorted((name for name in sizes if sizes[name]), key=lambda name: -sizes[name])[
        :MAX_CATEGORIES
    ]
    of = np.full(len(ids), len(names), np.uint8)
    for number, name in enumerate(names):
        of[inside[name]] = number
    if not (of == len(names)).any():
        return ColorScheme(tuple(names), of)
    return ColorScheme((*names, rest), of, rest=len(names))


def by_year(ids: Ids, years: Mapping[int, Ids]) -> ColorScheme:
    """Ranges of years with about the same number of papers, the oldest first."""
    of_paper = year_of_each(ids, years)
    known = np.sort(of_paper[of_paper > 0])
    if not len(known):
        return ColorScheme((tr("No year"),), np.zeros(len(ids), np.uint8), rest=0)
    starts = np.unique(known[(np.arange(BINS) * len(known)) // BINS])
    ends = [*(starts[1:] - 1), known[-1]]
    spans = zip(starts.tolist(), map(int, ends), strict=True)
    names = [str(first) if first == last else f"{first}–{last}" for first, last in spans]
    of = (np.searchsorted(starts, of_paper, side="right") - 1).clip(min=0).astype(np.uint8)
    if (of_paper > 0).all():
        return ColorScheme(tuple(names), of, ordered=True)
    of[of_paper == 0] = len(names)
    return ColorScheme((*names, tr("No year")), of, rest=len(names), ordered=True)


def year_of_each(ids: Ids, years: Mapping[int, Ids]) -> NDArray[np.int64]:
    """Return the year of each paper; 0: not known. `ids` are ascending."""
    of_paper = np.zeros(len(ids), np.int64)
    for year, members in years.items() if len(ids) else ():
        at = np.searchsorted(ids, members).clip(max=len(ids) - 1)
        of_paper[at[ids[at] == members]] = year
    return of_paper


def by_read(ids: Ids, read: Ids) -> ColorScheme:
    names = (trc("papers", "Read"), tr("Unread"))
    return ColorScheme(names, (~np.isin(ids, read)).astype(np.uint8), hollow=frozenset({1}))
