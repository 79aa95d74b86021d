"""Editing of a library: each method is one edit, which can be undone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial, reduce
from pathlib import Path
from typing import Any, TypeVar

from sciread_app.domain.library_tree import LibraryTree
from sciread_app.domain.matching.field_comparison import better
from sciread_app.domain.metadata.changes import FIELD_TITLES
from sciread_app.domain.metadata.guesses import accepted
from sciread_app.domain.metadata.looked_up import LookedUpField, restored, unchanged
from sciread_app.domain.paper import Edit, PaperId
from sciread_app.errors import LibraryError
from sciread_app.language import tr, trn
from sciread_app.services.library.file_moves import moved
from sciread_app.storage.library import Library
from sciread_app.tasks import Task

T = TypeVar("T", bound=int)
STARS = range(6)
# Papers edited in one transaction, which takes some seconds; and the pause in seconds before the
# next, in which others can write. A waiting SQLite connection retries ten times a second.
_AT_ONCE = 5_000
_LET_IN = 0.15


class LibraryEditor:
    """Every method blocks, is one transaction (`edit` of many papers is several), and returns its
    Edit, or None if nothing changed.

    Only permanent deletion cannot be undone. Descriptions of edits are stored in the language used
    at the time.
    """

    def __init__(self, library: Library) -> None:
        self._library = library

    def undo(self) -> Edit | None:
        """Undo the last edit; None if there is none. Files that it moved are moved back.

        Raises LibraryError, and changes nothing, if a later change blocks the undo.
        """
        edit = self.undoable()
        if edit is None:
            return None
        files = self._library.edits.moved_files(edit)
        with moved([(Path(new), Path(old)) for old, new in files]):
            return self._library.edits.undo(edit)

    def redo(self) -> Edit | None:
        """Redo the edit that was undone last; None if there is none."""
        edit = self.redoable()
        if edit is None:
            return None
        files = self._library.edits.moved_files(edit)
        with moved([(Path(old), Path(new)) for old, new in files]):
            return self._library.edits.redo(edit)

    def undoable(self) -> Edit | None:
        """The edit that `undo` would undo."""
        return self._library.edits.last()

    def redoable(self) -> Edit | None:
        """The edit that `redo` would redo."""
        return self._library.edits.next()

    def library_tree(self) -> LibraryTree:
        return self._library.organisation.tree()

    def tag(self, ids: Iterable[int], name: str) -> Edit | None:
        ids = list(ids)
        what = trn(
            "Added tag “{tag}” to {n:,} paper",
            "Added tag “{tag}” to {n:,} papers",
            len(ids),
            tag=name.strip(),
        )
        return self._do(what, lambda: self._library.tags.add(ids, name))

    def untag(self, ids: Iterable[int], name: str) -> Edit | None:
        ids = list(ids)
        what = trn(
            "Removed tag “{tag}” from {n:,} paper",
            "Removed tag “{tag}” from {n:,} papers",
            len(ids),
            tag=name,
        )
        return self._do(what, lambda: self._library.tags.remove(ids, name))

    def rename_tag(self, old: str, new: str) -> Edit | None:
        """Rename a tag. If the new name exists, the two tags are merged."""
        new = new.strip()
        if new != old and new in self._library.tags.names():
            what = tr("Merged tag “{old}” into “{new}”", old=old, new=new)
        else:
            what = tr("Renamed tag “{old}” to “{new}”", old=old, new=new)
        return self._do(what, lambda: self._library.tags.rename(old, new))

    def set_tag_colour(self, name: str, colour: str) -> Edit | None:
        what = tr("Changed the color of tag “{tag}”", tag=name)
        return self._do(what, lambda: self._library.tags.set_colour(name, colour))

    def remove_tag(self, name: str) -> Edit | None:
        what = tr("Removed tag “{tag}”", tag=name)
        return self._do(what, lambda: self._library.tags.delete(name))

    def collect(self, ids: Iterable[int], path: str) -> Edit | None:
        ids = list(ids)
        what = trn(
            "Added {n:,} paper to “{collection}”",
            "Added {n:,} papers to “{collection}”",
            len(ids),
            collection=path,
        )
        return self._do(what, lambda: self._library.collections.add(ids, path))

    def uncollect(self, ids: Iterable[int], path: str) -> Edit | None:
        ids = list(ids)
        what = trn(
            "Removed {n:,} paper from “{collection}”",
            "Removed {n:,} papers from “{collection}”",
            len(ids),
            collection=path,
        )
        return self._do(what, lambda: self._library.collections.remove(ids, path))

    def create_collection(self, path: str) -> Edit | None:
        what = tr("Created collection “{collection}”", collection=path)
        return self._do(what, lambda: self._library.collections.create(path))

    def move_collection(self, path: str, new_path: str) -> Edit | None:
        """Rename or move a collection. If the new path exists, the two collections are merged."""
        names = [name for part in new_path.split("/") if (name := part.strip())]
        if new_path != path and "/".join(names) in self._library.collections.paths():
            what = tr("Merged collection “{old}” into “{new}”", old=path, new=new_path)
        elif path.rpartition("/")[0] == new_path.rpartition("/")[0]:
            what = tr("Renamed collection “{old}” to “{new}”", old=path, new=new_path)
        else:
            what = tr("Moved collection “{old}” to “{new}”", old=path, new=new_path)
        return self._do(what, lambda: self._library.collections.move(path, new_path))

    def remove_sample(self, path: str) -> Edit | None:
        """Move the papers of the collection of sample papers to the trash, and delete it."""

        def act() -> None:
            papers = self._library.collections.papers(path)
            self._library.trash(papers.tolist())
            self._library.collections.delete(path)

        return self._do(tr("Removed the sample papers"), act)

    def remove_collection(self, path: str) -> Edit | None:
        """Delete a collection and its descendants. The papers stay in the library."""
        what = tr("Removed collection “{collection}”", collection=path)
        return self._do(what, lambda: self._library.collections.delete(path))

    def mark_read(self, ids: Iterable[int], read: bool = True) -> Edit | None:
        ids = list(ids)
        if read:
            what = trn("Marked {n:,} paper as read", "Marked {n:,} papers as read", len(ids))
        else:
            what = trn("Marked {n:,} paper as unread", "Marked {n:,} papers as unread", len(ids))
        return self._do(what, lambda: self._library.reading_state.mark_read(ids, read))

    def rate(self, ids: Iterable[int], stars: int) -> Edit | None:
        """From 1 to 5 stars; 0 removes the rating."""
        if stars not in STARS:
            invalid = tr("{rating} is not a valid rating.", rating=stars)
            raise LibraryError(invalid, tr("Use a number from 0 to 5."))
        ids = list(ids)
        if stars:
            given = trn("{n} star", "{n} stars", stars)
            # Translators: «Rated 3 papers 4 stars»
            what = trn(
                "Rated {n:,} paper {stars}", "Rated {n:,} papers {stars}", len(ids), stars=given
            )
        else:
            what = trn(
                "Removed the rating of {n:,} paper", "Removed the rating of {n:,} papers", len(ids)
            )
        return self._do(what, lambda: self._library.reading_state.rate(ids, stars))

    def trash(self, ids: Iterable[int]) -> Edit | None:
        ids = list(ids)
        what = trn("Moved {n:,} paper to Trash", "Moved {n:,} papers to Trash", len(ids))
        return self._do(what, lambda: self._library.trash(ids))

    def untrash(self, ids: Iterable[int]) -> Edit | None:
        ids = list(ids)
        what = trn("Restored {n:,} paper from Trash", "Restored {n:,} papers from Trash", len(ids))
        return self._do(what, lambda: self._library.untrash(ids))

    def delete_permanently(self, ids: Iterable[int]) -> int:
        """Delete those of these papers that are in the trash. This cannot be undone."""
        return self._library.delete_permanently(ids)

    def empty_trash(self) -> int:
        """Delete all papers in the trash and return their number. This cannot be undone."""
        return self._library.delete_permanently()

    def add_note(self, id: int, text: str) -> int:
        """Returns the id of the note."""
        numbers: list[int] = []
        self._do(tr("Added a note"), lambda: numbers.append(self._library.notes.add(id, text)))
        return numbers[0]

    def change_note(self, note: int, text: str) -> Edit | None:
        """An empty text deletes the note."""
        what = tr("Edited a note") if text else tr("Removed a note")
        return self._do(what, lambda: self._library.notes.change(note, text))

    def edit(self, ids: Iterable[int], task: Task | None = None, **fields: Any) -> Edit | None:
        """Set fields as manual edits, with names and values as in Paper. No later import changes
        them.

        Many papers are edited in several transactions, so that others can write in between. All of
        them are one edit, also if the task is canceled halfway.
        """
        ids = list(ids)
        names = [_FIELD_NAMES.get(name, name) for name in fields]
        listed = reduce(lambda a, b: tr("{first} and {second}", first=a, second=b), names or [""])
        # Translators: «Changed the title and venue of 3 papers»
        what = trn(
            "Changed the {fields} of {n:,} paper",
            "Changed the {fields} of {n:,} papers",
            len(ids),
            fields=listed,
        )
        return self._do_in_parts(what, ids, task, lambda some: self._library.edit(*some, **fields))

    def manually_edited_fields(self, id: PaperId) -> frozenset[str]:
        """The names of the fields of a paper that were edited manually."""
        return self._library.manually_edited_fields(id)

    def accept_guesses(
        self, ids: Iterable[PaperId], field: str = "", task: Task | None = None
    ) -> Edit | None:
        """Take over the values that the PDFs of papers may have, of one field (see
        `guesses.accepted`) or of all. They count as edited manually."""
        ids = list(ids)
        what = trn(
            "Accepted uncertain values of {n:,} paper",
            "Accepted uncertain values of {n:,} papers",
            len(ids),
        )
        return self._do_in_parts(what, ids, task, partial(self._accept_guesses, field=field))

    def _accept_guesses(self, ids: Sequence[PaperId], field: str) -> None:
        for paper in self._library.get(ids):
            if (values := accepted(paper, field)) and paper.id is not None:
                self._library.fill(paper.id, extra=values.pop("extra"))
                self._library.edit(paper.id, **values)

    def looked_up_fields(self, ids: Iterable[PaperId]) -> dict[PaperId, list[LookedUpField]]:
        """The fields of these papers that still have the values of a look-up."""
        known = self._library.looked_up.of(ids)
        papers = ((paper.id, paper) for paper in self._library.get(known))
        return {id: unchanged(paper, known[id]) for id, paper in papers if id is not None}

    def undo_lookup(
        self, chosen: Mapping[PaperId, Sequence[str]], task: Task | None = None
    ) -> Edit | None:
        """Give fields of papers, by their names, the values that they had before their look-up.

        A field that has been changed since is left as it is. The next look-up offers the others,
        but does not fill them in again.
        """
        names = {FIELD_TITLES[field] for fields in chosen.values() for field in fields}
        if len(names) == 1:
            what = trn(
                "Undid the look-up of “{field}” of {n:,} paper",
                "Undid the look-up of “{field}” of {n:,} papers",
                len(chosen),
                field=names.pop(),
            )
        else:
            what = trn(
                "Undid the look-up of fields of {n:,} paper",
                "Undid the look-up of fields of {n:,} papers",
                len(chosen),
            )
        return self._do_in_parts(what, list(chosen), task, partial(self._undo_lookup, chosen))

    def _undo_lookup(self, chosen: Mapping[PaperId, Iterable[str]], ids: Sequence[PaperId]) -> None:
        known = self.looked_up_fields(ids)
        for paper in self._library.get(known):
            assert paper.id is not None
            names = set(chosen[paper.id])
            fields = [one for one in known[paper.id] if one.field in names]
            values = restored(paper, fields)
            if "extra" in values:
                self._library.fill(paper.id, extra=values.pop("extra"))
            if values:
                self._library.edit(paper.id, **values)

    def save_search(self, name: str, query: str) -> Edit | None:
        what = tr("Saved the search “{name}”", name=name)
        return self._do(what, lambda: self._library.saved_searches.save(name, query))

    def rename_search(self, old: str, new: str) -> Edit | None:
        what = tr("Renamed saved search “{old}” to “{new}”", old=old, new=new)
        return self._do(what, lambda: self._library.saved_searches.rename(old, new))

    def remove_search(self, name: str) -> Edit | None:
        what = tr("Removed saved search “{name}”", name=name)
        return self._do(what, lambda: self._library.saved_searches.delete(name))

    def remove_query(self, id: int) -> Edit | None:
        """Remove a query to a source; its papers stay. Raises LibraryError if it does not exist."""
        text = self._library.fetches.get(id).query.text
        what = tr("Removed the query “{text}”", text=text)
        return self._do(what, lambda: self._library.fetches.forget(id))

    def merge(self, keep: PaperId, others: Sequence[PaperId], **chosen: Any) -> Edit | None:
        """Merge papers into `keep`, with their notes, tags and other data.

        `keep` takes values that it lacks from the others. `chosen` are values, as in Paper, for
        fields in which they differ.
        """
        what = _merged(1 + len(others))
        return self._do(what, lambda: self._library.duplicates.merge(keep, others, **chosen))

    def merge_into_best(self, ids: Iterable[int]) -> Edit | None:
        """Merge papers into the best of them: a published article before a preprint."""
        ids = list(ids)
        if len(ids) < 2:
            message = tr("A single paper cannot be merged.")
            raise LibraryError(message, tr("Select two or more papers."))
        return self._do(_merged(len(ids)), lambda: self._merge_into_best(ids))

    def merge_all(self, groups: Sequence[Iterable[int]], task: Task | None = None) -> Edit | None:
        """Merge each group of papers, all as one edit."""
        listed, task = [sorted(group) for group in groups], task or Task()
        what = tr(
            "Merged {papers:,} papers into {kept:,}", papers=sum(map(len, listed)), kept=len(listed)
        )
        with self._library.edits.recording(what) as made:
            for n, group in enumerate(listed, start=1):
                self._merge_into_best(group)
                task.report(n, len(listed))
        return made.edit

    def _merge_into_best(self, ids: Iterable[int]) -> None:
        found = self._library.get(ids)
        if len(found) < 2:
            message = tr("The papers are no longer in the library.")
            raise LibraryError(message, tr("Refresh the list, then try again."))
        best = reduce(lambda one, other: one if better(one, other) else other, found)
        assert best.id is not None
        others = [paper.id for paper in found if paper.id is not None and paper.id != best.id]
        self._library.duplicates.merge(best.id, others)

    def mark_not_duplicates(self, a: PaperId, b: PaperId) -> Edit | None:
        """Mark two papers as neither duplicates nor versions, permanently."""
        return self._do(
            tr("Marked two papers as not duplicates"),
            lambda: self._library.duplicates.mark_as_different(a, b),
        )

    def mark_as_versions(self, a: PaperId, b: PaperId) -> Edit | None:
        what = tr("Linked two papers as versions")
        return self._do(what, lambda: self._library.duplicates.mark_as_versions(a, b))

    def split(self, id: PaperId, merge: int | None = None) -> Edit | None:
        """Restore the records that were merged into a paper, or only that of one `merge`.

        Raises LibraryError if nothing was merged.
        """
        return self._do(tr("Split a paper"), lambda: self._library.duplicates.split(id, merge))

    def _do_in_parts(
        self,
        what: str,
        ids: Sequence[T],
        task: Task | None,
        act: Callable[[Sequence[T]], object],
    ) -> Edit | None:
        """Edit many papers as one edit in several transactions, so that others can write in
        between."""
        edit, task = None, task or Task()
        for start in range(0, len(ids), _AT_ONCE):
            if start:
                time.sleep(_LET_IN)
            task.step(start, len(ids))
            edit = self._do(what, partial(act, ids[start : start + _AT_ONCE]), edit) or edit
        return edit

    def _do(self, what: str, act: Callable[[], object], more_of: Edit | None = None) -> Edit | None:
        with self._library.edits.recording(what, more_of) as made:
            act()
        return made.edit


# Translators: the fields of a paper, in «Changed the title and venue of 3 papers»; so are the next
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
