"""Tags, collections and notes that papers had in another reference manager."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from sciread_app.domain.paper import FiledNote, Filing, PaperId
from sciread_app.storage.library import Library
from sciread_app.storage.organisation.sync.zotero_imports import ImportedItem


def file_papers(library: Library, filed: Sequence[tuple[PaperId, Filing]]) -> None:
    """Add tags, collections and notes of papers, but none twice: removed ones stay removed.

    A note is identified by its creation time, where that is known. A note that was changed there is
    changed here, unless it was also edited here.
    """
    there: set[ImportedItem] = set()
    before = library.imported_items.of([id for id, _ in filed])
    for id, filing in filed:
        there |= {ImportedItem(id, "tag", tag) for tag in filing.tags if tag}
        there |= {ImportedItem(id, "collection", name) for name in filing.collections}
        there |= {ImportedItem(id, "note", note.key) for note in filing.notes}
        _add_notes(library, id, filing.notes, before)
    new = groupby(sorted(there - before, key=_place), key=_place)
    for (kind, name), things in new:
        papers = [thing.paper for thing in things]
        if kind == "tag":
            library.tags.add(papers, name)
        elif kind == "collection":
            library.collections.add(papers, name)
    library.imported_items.remember(there - before)


def _place(thing: ImportedItem) -> tuple[str, str]:
    return thing.kind, thing.name


def _add_notes(
    library: Library, id: PaperId, notes: Sequence[FiledNote], before: set[ImportedItem]
) -> None:
    here, there = library.notes.of(id), {one.text for one in notes}
    same = {note.text for note in here} & there
    others = [note for note in here if note.text not in same]
    for text, key, added in notes:
        if text in same:
            continue
        known = next((note for note in others if added and note.added == added), None)
        if known is not None:
            others.remove(known)
            if known.changed == known.added:
                library.notes.change(known.id, text, known.changed)
        elif ImportedItem(id, "note", key) not in before:
            library.notes.add(id, text, added or None)
