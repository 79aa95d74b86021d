"""The map's text for screen readers, and the order in which Tab visits its groups."""

from __future__ import annotations

from collections.abc import Sequence

from sciread_app.language import tr, trn
from sciread_app.services.map.map_service import Cluster

LINES = 8  # rows of the map that are read from the top


def description(papers: int, group: Cluster | None) -> str:
    whole = trn("Map of {n:,} paper", "Map of {n:,} papers", papers)
    if group is None:
        return whole
    if group.name:
        text = trn(
            "Group “{name}”, {n:,} paper",
            "Group “{name}”, {n:,} papers",
            group.papers,
            name=group.name,
        )
    else:
        text = trn(
            "Group without a name, {n:,} paper",
            "Group without a name, {n:,} papers",
            group.papers,
        )
    return tr("{map}. {group}. Enter lists them", map=whole, group=text)


def reading_order(groups: Sequence[Cluster]) -> list[int]:
    """Groups that have papers, in reading order: row by row, from left to right."""
    there = [n for n, group in enumerate(groups) if group.papers]
    return sorted(there, key=lambda n: (round(groups[n].heart[1] * LINES), groups[n].heart[0]))
