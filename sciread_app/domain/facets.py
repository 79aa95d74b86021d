"""How many papers of a list there are of each year, field, venue and so on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

# By which fields of the query language papers are counted, beside years.
COUNTED = ("cat", "venue", "author", "in", "tag")


class Count(NamedTuple):
    name: str
    papers: int


@dataclass(frozen=True)
class Facets:
    """Counts among `papers` papers. `years` ascend; `values` are by fields of the query language,
    the most frequent first, and not all where there are very many."""

    papers: int = 0
    years: tuple[tuple[int, int], ...] = ()
    pdf: int = 0
    unread: int = 0
    values: Mapping[str, tuple[Count, ...]] = field(default_factory=dict)
