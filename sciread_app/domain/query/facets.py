"""Counts of the papers in a list by year, field, venue and so on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

# Fields of the query language, besides years, by which papers are counted.
COUNTED = ("cat", "venue", "author", "in", "tag")


class FacetCount(NamedTuple):
    name: str
    papers: int


@dataclass(frozen=True)
class FacetCounts:
    """Counts among `papers` papers. `years` ascend; `values` are by field of the query language,
    the most frequent first, truncated where there are very many."""

    papers: int = 0
    years: tuple[tuple[int, int], ...] = ()
    pdf: int = 0
    unread: int = 0
    values: Mapping[str, tuple[FacetCount, ...]] = field(default_factory=dict)
