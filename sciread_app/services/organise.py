"""What people change in a library: each verb is one edit, and each edit can be taken back."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial, reduce
from typing import Any

from sciread_app.domain.duplicates import better
from sciread_app.domain.edits import Edit
from sciread_app.domain.paper import PaperId
from sciread_app.domain.shelf import Shelf
from sciread_app.errors import LibraryError
from sciread_app.language import tr, trn
from sciread_app.storage.library import Library
from sciread_app.tasks import Task

STARS = range(6)
# Papers whose texts are changed while nobody else can write, some seconds; and the seconds that
# others get then. SQLite lets who waits for another process look ten times a second.
_AT_ONCE = 5_000
_LET_IN = 0.15


class Organise:
    """Every verb blocks, is one transaction (`edit` of many papers is several), and returns what
    edit it was; None where nothing had to be changed. Only what is deleted for good cannot be taken
    back. What was done is kept in the language that was spoken then."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._shelves = library.shelves

    def undo(self) -> Edit | None:
        """Take the last edit back; None: there is none. Raises LibraryError where something that
        came in since stands in the way, and leaves all as it is."""
        return self._library.edits.undo()

    def redo(self) -> Edit | None:
        """Make the edit again that was taken back last; None: there is none."""
        return self._library.edits.redo()

    def undoable(self) -> Edit | None:
        """The edit that `undo` would take back."""
        return self._library.edits.last()

    def redoable(self) -> Edit | None:
        """The edit that `redo` would make again."""
        return self._library.edits.next()

    def shelf(self) -> Shelf:
        return self._shelves.overview()

    def tag(self, ids: Iterable[int], name: str) -> Edit | None:
        ids = list(ids)
        what = trn(
            "Tagged {n:,} paper “{tag}”",
            "Tagged {n:,} papers “{tag}”",
            len(ids),
            tag=name.strip(),
        )
        return self._do(what, lambda: self._shelves.tag(ids, name))

    def untag(self, ids: Iterable[int], name: str) -> Edit | None:
        ids = list(ids)
        what = trn(
            "Took the tag “{tag}” off {n:,} paper",
            "Took the tag “{tag}” off {n:,} papers",
            len(ids),
            tag=name,
        )
        return self._do(what, lambda: self._shelves.untag(ids, name))

    def rename_tag(self, old: str, new: str) -> Edit | None:
        """Where there is a tag with the new name already, the two are merged."""
        new = new.strip()
        if new != old and new in self._shelves.tags():
            what = tr("Merged the tag “{old}” into “{new}”", old=old, new=new)
        else:
            what = tr("Renamed the tag “{old}” to “{new}”", old=old, new=new)
        return self._do(what, lambda: self._shelves.rename_tag(old, new))

    def colour_tag(self, name: str, colour: str) -> Edit | None:
        what = tr("Changed the colour of the tag “{tag}”", tag=name)
        return self._do(what, lambda: self._shelves.colour_tag(name, colour))

    def remove_tag(self, name: str) -> Edit | None:
        what = tr("Removed the tag “{tag}”", tag=name)
        return self._do(what, lambda: self._shelves.remove_tag(name))

    def collect(self, ids: Iterable[int], path: str) -> Edit | None:
        ids = list(ids)
        what = trn(
            "Put {n:,} paper into “{collection}”",
            "Put {n:,} papers into “{collection}”",
            len(ids),
            collection=path,
        )
        return self._do(what, lambda: self._shelves.collect(ids, path))

    def uncollect(self, ids: Iterable[int], path: str) -> Edit | None:
        ids = list(ids)
        what = trn(
            "Took {n:,} paper out of “{collection}”",
            "Took {n:,} papers out of “{collection}”",
            len(ids),
            collection=path,
        )
        return self._do(what, lambda: self._shelves.uncollect(ids, path))

    def make_collection(self, path: str) -> Edit | None:
        what = tr("Made the collection “{collection}”", collection=path)
        return self._do(what, lambda: self._shelves.make_collection(path))

    def move_collection(self, path: str, new_path: str) -> Edit | None:
        """Rename it, or put it below another; where the new path is taken, the two are merged."""
        names = [name for part in new_path.split("/") if (name := part.strip())]
        if new_path != path and "/".join(names) in self._shelves.collections():
            what = tr("Merged the collection “{old}” into “{new}”", old=path, new=new_path)
        elif path.rpartition("/")[0] == new_path.rpartition("/")[0]:
            what = tr("Renamed the collection “{old}” to “{new}”", old=path, new=new_path)
        else:
            what = tr("Moved the collection “{old}” to “{new}”", old=path, new=new_path)
        return self._do(what, lambda: self._shelves.move_collection(path, new_path))

    def remove_collection(self, path: str) -> Edit | None:
        """With all below it. Its papers stay in the library."""
        what = tr("Removed the collection “{collection}”", collection=path)
        return self._do(what, lambda: self._shelves.remove_collection(path))

    def mark_read(self, ids: Iterable[int], read: bool = True) -> Edit | None:
        ids = list(ids)
        if read:
            what = trn("Marked {n:,} paper as read", "Marked {n:,} papers as read", len(ids))
        else:
            what = trn("Marked {n:,} paper as unread", "Marked {n:,} papers as unread", len(ids))
        return self._do(what, lambda: self._shelves.mark_read(ids, read))

    def rate(self, ids: Iterable[int], stars: int) -> Edit | None:
        """From 1 to 5 stars; 0 takes them away."""
        if stars not in STARS:
            said = trn("A paper cannot have {n} star.", "A paper cannot have {n} stars.", stars)
            raise LibraryError(said, tr("Give a number from 0 to 5."))
        ids = list(ids)
        given = trn("{n} star", "{n} stars", stars) if stars else tr("no stars")
        # Translators: «Gave 3 papers 4 stars»
        what = trn("Gave {n:,} paper {stars}", "Gave {n:,} papers {stars}", len(ids), stars=given)
        return self._do(what, lambda: self._shelves.rate(ids, stars))

    def trash(self, ids: Iterable[int]) -> Edit | None:
        ids = list(ids)
        what = trn("Moved {n:,} paper to the trash", "Moved {n:,} papers to the trash", len(ids))
        return self._do(what, lambda: self._library.trash(ids))

    def untrash(self, ids: Iterable[int]) -> Edit | None:
        ids = list(ids)
        what = trn(
            "Took {n:,} paper out of the trash", "Took {n:,} papers out of the trash", len(ids)
        )
        return self._do(what, lambda: self._library.untrash(ids))

    def delete_for_good(self, ids: Iterable[int]) -> int:
        """Delete those of these papers that are in the trash. This cannot be taken back."""
        return self._library.delete_for_good(ids)

    def empty_trash(self) -> int:
        """Delete all papers in the trash; returns how many. This cannot be taken back."""
        return self._library.delete_for_good()

    def add_note(self, id: int, text: str) -> int:
        """Returns the number of the note."""
        numbers: list[int] = []
        self._do(tr("Added a note"), lambda: numbers.append(self._shelves.add_note(id, text)))
        return numbers[0]

    def change_note(self, note: int, text: str) -> Edit | None:
        """An empty text removes the note."""
        what = tr("Changed a note") if text else tr("Removed a note")
        return self._do(what, lambda: self._shelves.change_note(note, text))

    def edit(self, ids: Iterable[int], task: Task | None = None, **fields: Any) -> Edit | None:
        """Set fields by hand, named and given as a Paper has them. No later import changes them.

        Of many papers some are changed at a time, so that others can write in between: one edit
        all the same, and so is what was changed until the task was cancelled.
        """
        ids, task = list(ids), task or Task()
        names = [_FIELD_NAMES.get(name, name) for name in fields]
        listed = reduce(lambda a, b: tr("{first} and {second}", first=a, second=b), names or [""])
        # Translators: «Changed the title and venue of 3 papers»
        what = trn(
            "Changed the {fields} of {n:,} paper",
            "Changed the {fields} of {n:,} papers",
            len(ids),
            fields=listed,
        )
        edit = None
        for start in range(0, len(ids), _AT_ONCE):
            if start:
                time.sleep(_LET_IN)
            task.step(start, len(ids))
            some = ids[start : start + _AT_ONCE]
            edit = self._do(what, partial(self._library.edit, *some, **fields), edit) or edit
        return edit

    def set_by_hand(self, id: PaperId) -> frozenset[str]:
        """The fields of a paper that a person set."""
        return self._shelves.set_by_hand(id)

    def save_search(self, name: str, query: str) -> Edit | None:
        what = tr("Saved the search “{name}”", name=name)
        return self._do(what, lambda: self._shelves.save_search(name, query))

    def rename_search(self, old: str, new: str) -> Edit | None:
        what = tr("Renamed the search “{old}” to “{new}”", old=old, new=new)
        return self._do(what, lambda: self._shelves.rename_search(old, new))

    def remove_search(self, name: str) -> Edit | None:
        what = tr("Removed the search “{name}”", name=name)
        return self._do(what, lambda: self._shelves.remove_search(name))

    def merge(self, keep: PaperId, others: Sequence[PaperId], **chosen: Any) -> Edit | None:
        """Make papers one. What the kept one does not say, the others add; what hangs on them
        follows. `chosen` are values, as a Paper has them, for fields in which they differ."""
        what = _merged(1 + len(others))
        return self._do(what, lambda: self._library.pairs.merge(keep, others, **chosen))

    def make_one(self, ids: Iterable[int]) -> Edit | None:
        """Merge papers into that of them which says most: what was published before a preprint."""
        ids = list(ids)
        if len(ids) < 2:
            said = tr("One paper alone cannot be merged.")
            raise LibraryError(said, tr("Choose two or more."))
        return self._do(_merged(len(ids)), lambda: self._merge_into_best(ids))

    def merge_all(self, groups: Sequence[Iterable[int]], task: Task | None = None) -> Edit | None:
        """Make each group of papers one: all of it one edit."""
        listed, task = [sorted(group) for group in groups], task or Task()
        what = tr(
            "Merged {papers:,} papers into {kept:,}", papers=sum(map(len, listed)), kept=len(listed)
        )
        with self._library.edits.recording(what) as made:
            for n, group in enumerate(listed, start=1):
                self._merge_into_best(group)
                task.tell(n, len(listed))
        return made.edit

    def _merge_into_best(self, ids: Iterable[int]) -> None:
        found = self._library.get(ids)
        if len(found) < 2:
            said = tr("These papers are no longer there.")
            raise LibraryError(said, tr("Look again, and try again."))
        best = reduce(lambda one, other: one if better(one, other) else other, found)
        assert best.id is not None
        others = [paper.id for paper in found if paper.id is not None and paper.id != best.id]
        self._library.pairs.merge(best.id, others)

    def keep_both(self, a: PaperId, b: PaperId) -> Edit | None:
        """They are neither one paper nor one work, and nobody shall ask again."""
        return self._do(tr("Kept two papers apart"), lambda: self._library.not_duplicates(a, b))

    def same_work(self, a: PaperId, b: PaperId) -> Edit | None:
        what = tr("Made two papers versions of one work")
        return self._do(what, lambda: self._library.pairs.versions_of_one_work(a, b))

    def split(self, id: PaperId, merge: int | None = None) -> Edit | None:
        """Take a paper apart into the records that were merged into it, each as it was before, or
        take back one `merge` of it. Raises LibraryError where nothing was merged."""
        return self._do(tr("Took a paper apart"), lambda: self._library.pairs.split(id, merge))

    def _do(self, what: str, act: Callable[[], object], more_of: Edit | None = None) -> Edit | None:
        with self._library.edits.recording(what, more_of) as made:
            act()
        return made.edit


# Translators: what a paper says, in «Changed the title and venue of 3 papers»; so are the next
_FIELD_NAMES = {
    "title": tr("title"),
    "abstract": tr("abstract"),
    "authors": tr("authors"),
    "kind": tr("type"),
    "published": tr("date"),
    "venue": tr("venue"),
    "identifiers": tr("identifiers"),
    "fields": tr("fields"),
    "keywords": tr("keywords"),
    "extra": tr("details"),
}


def _merged(count: int) -> str:
    return trn("Merged {n:,} paper", "Merged {n:,} papers", count)
