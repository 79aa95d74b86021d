"""Facet counts of a list of papers, for its filters."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sciread_app.domain.query.facets import COUNTED, FacetCount, FacetCounts
from sciread_app.storage.id_sets import Ids
from sciread_app.storage.library import Library
from sciread_app.storage.search.facet_groups import Grouping, Groups
from sciread_app.tasks import Task

# Values listed per field.
_MOST = 300
# Numbers of lists whose counts are cached, and of searches whose papers are cached.
_KEPT = 16
_FOUND_KEPT = 8


@dataclass(frozen=True)
class _Columns:
    """The facet columns of the whole library at one revision."""

    stamp: tuple[int, ...]
    years: Groups
    fields: Mapping[str, Groups]
    pdf: Ids
    read: Ids

    @property
    def places(self) -> int:
        """More than the highest id."""
        grouped = [groups.papers for groups in (self.years, *self.fields.values())]
        each = [int(papers.max(initial=0)) for papers in grouped]
        return 1 + max(*each, int(self.pdf.max(initial=0)), int(self.read.max(initial=0)))


class FacetService:
    """Counts facets; safe to use from any thread.

    Reads the columns again after a change of the library, which takes half a second with 150,000
    papers; after that counting a list takes milliseconds.
    """

    def __init__(self, library: Library) -> None:
        self._grouping: Grouping = library.facets
        self._loading = threading.Lock()
        self._keeping = threading.Lock()
        self._columns: _Columns | None = None
        self._known: OrderedDict[tuple[object, ...], FacetCounts] = OrderedDict()
        self._found: OrderedDict[Hashable, tuple[tuple[int, ...], Ids]] = OrderedDict()

    def of(self, ids: Ids, task: Task | None = None) -> FacetCounts:
        """The facet counts among these papers."""
        task = task or Task()
        columns = self._current(task)
        key = (columns.stamp, len(ids), hash(ids.tobytes()))
        if (known := self._known.get(key)) is None:
            known = self._count(columns, ids, task)
            with self._keeping:
                self._known[key] = known
                while len(self._known) > _KEPT:
                    self._known.popitem(last=False)
        return known

    def remember(self, search: Hashable, ids: Ids) -> None:
        """Remember the papers found by a search, which are likely to be counted next."""
        with self._keeping:
            self._found[search] = self._grouping.stamp(), ids
            self._found.move_to_end(search)
            while len(self._found) > _FOUND_KEPT:
                self._found.popitem(last=False)

    def remembered(self, search: Hashable) -> Ids | None:
        """The remembered papers of a search, or None if the library has changed since."""
        with self._keeping:
            known = self._found.get(search)
        return known[1] if known and known[0] == self._grouping.stamp() else None

    def _current(self, task: Task) -> _Columns:
        with self._loading:
            stamp = self._grouping.stamp()
            if self._columns is None or self._columns.stamp != stamp:
                self._columns = self._load(stamp, task)
            return self._columns

    def _load(self, stamp: tuple[int, ...], task: Task) -> _Columns:
        grouping = self._grouping
        fields = {}
        for field in COUNTED:
            task.raise_if_cancelled()
            fields[field] = grouping.by_field(field)
        return _Columns(stamp, grouping.years(), fields, grouping.with_pdf(), grouping.read())

    def _count(self, columns: _Columns, ids: Ids, task: Task) -> FacetCounts:
        listed = np.zeros(max(columns.places, 1 + int(ids.max(initial=0))), bool)
        listed[ids] = True
        values = {}
        for field, groups in columns.fields.items():
            task.raise_if_cancelled()
            values[field] = tuple(one for one in _named(groups, listed, _MOST) if one.name)
        return FacetCounts(
            len(ids),
            tuple(sorted((int(name), n) for name, n in _named(columns.years, listed))),
            int(listed[columns.pdf].sum()),
            len(ids) - int(listed[columns.read].sum()),
            values,
        )


def _named(
    groups: Groups, listed: NDArray[np.bool_], most: int | None = None
) -> tuple[FacetCount, ...]:
    """The groups of listed papers, the largest first."""
    counts = groups.count(listed)
    largest = np.argsort(-counts, kind="stable")[:most]
    largest = largest[counts[largest] > 0]
    names = groups.names(largest)
    return tuple(
        FacetCount(name, n) for name, n in zip(names, counts[largest].tolist(), strict=True)
    )
