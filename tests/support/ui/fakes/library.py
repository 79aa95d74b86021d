"""A fake of the library editor that works on dictionaries."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sciread_app.domain.library_tree import Collection, LibraryTree, SavedSearch, Tag
from sciread_app.domain.metadata.looked_up import LookedUpField
from sciread_app.domain.paper import Edit
from sciread_app.errors import LibraryError
from sciread_app.tasks import Task


class FakeEditor:
    """Record the edits in `asked`; all of them can be undone."""

    def __init__(self, count: int = 100) -> None:
        self.count = count
        self.calls: list[str] = []
        self.undone: list[str] = []
        self.at: dict[str, float] = {}  # the time of the first of each edit, in seconds since 1970
        self.titles: dict[str, str] = {}  # of the edited paper, by edit
        self.collections: dict[str, set[int]] = {}
        self.tags: dict[str, set[int]] = {}
        self.colours: dict[str, str] = {}
        self.searches: dict[str, str] = {}
        self.read: set[int] = set()
        self.stars: dict[int, int] = {}
        self.trashed: set[int] = set()
        self.fields: dict[int, dict[str, Any]] = {}
        self.without_abstract = 312
        self.looked_up: list[LookedUpField] = []  # fields of every paper
        self.accepted: list[list[int]] = []
        self.unlooked: list[dict[int, list[str]]] = []
        self.refuse = ""  # if set, the message of the error that the next edit raises

    def library_tree(self) -> LibraryTree:
        return LibraryTree(
            papers=self.count - len(self.trashed),
            unread=self.count - len(self.read),
            trash=len(self.trashed),
            duplicates=2,
            problems=4,
            without_abstract=self.without_abstract,
            without_doi=7,
            collections=[Collection(path, len(ids)) for path, ids in self.collections.items()],
            tags=[Tag(n, self.colours.get(n, ""), len(ids)) for n, ids in self.tags.items()],
            searches=[SavedSearch(name, query) for name, query in self.searches.items()],
        )

    def tag(self, ids: Iterable[int], name: str) -> Edit:
        ids = list(ids)
        return self._do(
            f"Added tag “{name}” to {_papers(ids)}",
            lambda: self.tags.setdefault(name, set()).update(ids),
        )

    def untag(self, ids: Iterable[int], name: str) -> Edit:
        ids = list(ids)
        return self._do(
            f"Removed tag “{name}” from {_papers(ids)}",
            lambda: self.tags[name].difference_update(ids),
        )

    def rename_tag(self, old: str, new: str) -> Edit:
        return self._do(f"Renamed {old} {new}", lambda: _rename(self.tags, old, new))

    def set_tag_colour(self, name: str, colour: str) -> Edit:
        return self._do(f"Coloured {name} {colour}", lambda: self.colours.update({name: colour}))

    def remove_tag(self, name: str) -> Edit:
        return self._do(f"Removed tag “{name}”", lambda: self.tags.pop(name))

    def collect(self, ids: Iterable[int], path: str) -> Edit:
        ids = list(ids)
        return self._do(
            f"Added {_papers(ids)} to “{path}”",
            lambda: self.collections.setdefault(path, set()).update(ids),
        )

    def uncollect(self, ids: Iterable[int], path: str) -> Edit:
        ids = list(ids)
        return self._do(
            f"Removed {_papers(ids)} from “{path}”",
            lambda: self.collections[path].difference_update(ids),
        )

    def create_collection(self, path: str) -> Edit:
        return self._do(f"Made “{path}”", lambda: self.collections.setdefault(path, set()))

    def move_collection(self, path: str, new_path: str) -> Edit:
        def move() -> None:
            for old in [p for p in self.collections if f"{p}/".startswith(f"{path}/")]:
                _rename(self.collections, old, new_path + old[len(path) :])

        return self._do(f"Moved “{path}” to “{new_path}”", move)

    def remove_sample(self, path: str) -> Edit:
        def remove() -> None:
            self.trashed |= self.collections.pop(path)

        return self._do("Removed the sample papers", remove)

    def remove_collection(self, path: str) -> Edit:
        def remove() -> None:
            for old in [p for p in self.collections if f"{p}/".startswith(f"{path}/")]:
                del self.collections[old]

        return self._do(f"Removed “{path}”", remove)

    def mark_read(self, ids: Iterable[int], read: bool) -> Edit:
        ids = list(ids)
        change = self.read.update if read else self.read.difference_update
        return self._do(
            f"Marked {_papers(ids)} as {'read' if read else 'unread'}", lambda: change(ids)
        )

    def rate(self, ids: Iterable[int], stars: int) -> Edit:
        ids = list(ids)
        return self._do(
            f"Rated {_papers(ids)} {stars}", lambda: self.stars.update(dict.fromkeys(ids, stars))
        )

    def trash(self, ids: Iterable[int]) -> Edit:
        ids = list(ids)
        return self._do(f"Moved {_papers(ids)} to Trash", lambda: self.trashed.update(ids))

    def untrash(self, ids: Iterable[int]) -> Edit:
        ids = list(ids)
        return self._do(f"Restored {_papers(ids)}", lambda: self.trashed.difference_update(ids))

    def delete_permanently(self, ids: Iterable[int]) -> int:
        gone = self.trashed & set(ids)
        self._do(f"Deleted {len(gone)}", lambda: self.trashed.difference_update(gone))
        return len(gone)

    def empty_trash(self) -> int:
        return self.delete_permanently(self.trashed)

    def edit(self, ids: Iterable[int], task: Task | None = None, **fields: Any) -> Edit:
        ids = list(ids)

        def change() -> None:
            for id in ids:
                self.fields.setdefault(id, {}).update(fields)

        return self._do(f"Changed {' and '.join(fields)} of {_papers(ids)}", change)

    def accept_guesses(self, ids: Iterable[int], field: str = "", task: Any = None) -> Edit:
        self.accepted.append(list(ids))
        return self._do("Accepted uncertain values", lambda: None)

    def looked_up_fields(self, ids: Iterable[int]) -> dict[int, list[LookedUpField]]:
        return {id: self.looked_up for id in ids}

    def undo_lookup(self, chosen: Mapping[int, Sequence[str]], task: Task) -> Edit:
        self.unlooked.append({id: list(fields) for id, fields in chosen.items()})
        return self._do("Undid the look-up", lambda: None)

    def manually_edited_fields(self, id: int) -> frozenset[str]:
        return frozenset(self.fields.get(id, ()))

    def rename_search(self, old: str, new: str) -> Edit:
        return self._do(f"Renamed {old} {new}", lambda: _rename(self.searches, old, new))

    def remove_search(self, name: str) -> Edit:
        return self._do(f"Removed saved search “{name}”", lambda: self.searches.pop(name))

    def undoable(self) -> Edit | None:
        return self._edit(self.calls[-1]) if self.calls else None

    def redoable(self) -> Edit | None:
        return self._edit(self.undone[-1]) if self.undone else None

    def undo(self) -> Edit | None:
        if not self.calls:
            return None
        self.undone.append(self.calls.pop())
        return self._edit(self.undone[-1])

    def redo(self) -> Edit | None:
        if not self.undone:
            return None
        self.calls.append(self.undone.pop())
        return self._edit(self.calls[-1])

    def _do(self, what: str, change: Callable[[], object]) -> Edit:
        if self.refuse:
            sentence, self.refuse = self.refuse, ""
            raise LibraryError(sentence, "Try something else.")
        self.calls.append(what)
        change()
        return self._edit(what)

    def _edit(self, what: str) -> Edit:
        at = self.at.setdefault(what, time.time())
        return Edit(1 + list(self.at).index(what), at, what, self.titles.get(what, ""))


def _rename(things: dict[str, Any], old: str, new: str) -> None:
    things[new] = things.pop(old)


def _papers(ids: list[int]) -> str:
    return "1 paper" if len(ids) == 1 else f"{len(ids)} papers"
