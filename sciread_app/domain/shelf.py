"""What lies where in a library: its collections, tags and saved searches, with their counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Collection:
    """`path` holds the names from the top down, "thesis/methods"; `count` what is below it too."""

    path: str
    count: int = 0


@dataclass(frozen=True, slots=True)
class Tag:
    name: str
    colour: str = ""
    count: int = 0


@dataclass(frozen=True, slots=True)
class SavedSearch:
    name: str
    query: str


@dataclass(frozen=True, slots=True)
class Shelf:
    """Papers in the trash count nowhere else. `duplicates` are pairs nobody has looked at."""

    papers: int = 0
    unread: int = 0
    trash: int = 0
    duplicates: int = 0
    collections: Sequence[Collection] = ()
    tags: Sequence[Tag] = ()
    searches: Sequence[SavedSearch] = ()
