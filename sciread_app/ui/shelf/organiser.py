"""What the shelf needs of a library: the verbs that change it, and what lies where."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Collection:
    """`path` holds the names from the top down, "thesis/methods"; `count` what is below it too."""

    path: str
    count: int = 0


@dataclass(frozen=True, slots=True)
class Tag:
    name: str
    colour: str = ""  # one of colours.NAMES
    count: int = 0


@dataclass(frozen=True, slots=True)
class SavedSearch:
    name: str
    query: str


@dataclass(frozen=True, slots=True)
class Shelf:
    """All that stands in the sidebar. `duplicates` counts pairs that nobody has looked at."""

    papers: int = 0
    unread: int = 0
    trash: int = 0
    duplicates: int = 0
    collections: Sequence[Collection] = ()
    tags: Sequence[Tag] = ()
    searches: Sequence[SavedSearch] = ()


class Edit(Protocol):
    """What a verb has done, as a sentence without its full stop."""

    @property
    def what(self) -> str: ...


class Organiser(Protocol):
    """Every verb blocks and can be taken back, but for `delete_for_good` and `empty_trash`."""

    def shelf(self) -> Shelf: ...

    def undo(self) -> Edit | None: ...

    def redo(self) -> Edit | None: ...

    def tag(self, ids: Iterable[int], name: str) -> Any: ...

    def untag(self, ids: Iterable[int], name: str) -> Any: ...

    def rename_tag(self, old: str, new: str) -> Any: ...

    def colour_tag(self, name: str, colour: str) -> Any: ...

    def remove_tag(self, name: str) -> Any: ...

    def collect(self, ids: Iterable[int], path: str) -> Any: ...

    def uncollect(self, ids: Iterable[int], path: str) -> Any: ...

    def make_collection(self, path: str) -> Any: ...

    def move_collection(self, path: str, new_path: str) -> Any: ...

    def remove_collection(self, path: str) -> Any: ...

    def mark_read(self, ids: Iterable[int], read: bool) -> Any: ...

    def rate(self, ids: Iterable[int], stars: int) -> Any: ...

    def trash(self, ids: Iterable[int]) -> Any: ...

    def untrash(self, ids: Iterable[int]) -> Any: ...

    def empty_trash(self) -> int: ...

    def edit(self, ids: Iterable[int], **fields: Any) -> Any: ...

    def rename_search(self, old: str, new: str) -> Any: ...

    def remove_search(self, name: str) -> Any: ...
