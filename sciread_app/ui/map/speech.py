"""What a screen reader says of the map, and in what order groups are gone through."""

from __future__ import annotations

from collections.abc import Sequence

from sciread_app.language import tr, trn
from sciread_app.services.atlas import Cluster

LINES = 8  # in which the map is read, from the top


def spoken(papers: int, group: Cluster | None) -> str:
    whole = trn("Map of {n:,} paper", "Map of {n:,} papers", papers)
    if group is None:
        return whole
    if group.name:
        said = trn(
            "Group “{name}”, {n:,} paper",
            "Group “{name}”, {n:,} papers",
            group.papers,
            name=group.name,
        )
    else:
        said = trn(
            "Group without a name, {n:,} paper",
            "Group without a name, {n:,} papers",
            group.papers,
        )
    return tr("{map}. {group}. Enter lists them", map=whole, group=said)


def reading_order(groups: Sequence[Cluster]) -> list[int]:
    """Those with papers, as one reads a page."""
    there = [n for n, group in enumerate(groups) if group.papers]
    return sorted(there, key=lambda n: (round(groups[n].heart[1] * LINES), groups[n].heart[0]))
