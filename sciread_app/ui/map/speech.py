"""What a screen reader says of the map, and in what order groups are gone through."""

from __future__ import annotations

from collections.abc import Sequence

from sciread_app.services.atlas import Cluster

LINES = 8  # in which the map is read, from the top


def spoken(papers: int, group: Cluster | None) -> str:
    name = f"Map of {papers:,} papers"
    if group is None:
        return name
    called = f"“{group.name}”" if group.name else "without a name"
    return f"{name}. Group {called}, {group.papers:,} papers. Enter lists them"


def reading_order(groups: Sequence[Cluster]) -> list[int]:
    """Those with papers, as one reads a page."""
    there = [n for n, group in enumerate(groups) if group.papers]
    return sorted(there, key=lambda n: (round(groups[n].heart[1] * LINES), groups[n].heart[0]))
