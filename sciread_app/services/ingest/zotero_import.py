"""Import from Zotero: papers, files, tags, collections and notes."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from sciread_app.domain.paper import Paper, PaperId, Skipped
from sciread_app.formats import zotero as items
from sciread_app.language import tr
from sciread_app.services.ingest.importer import Importer, ImportReport
from sciread_app.sources import zotero
from sciread_app.sources.http.client import Client
from sciread_app.storage.library import Library
from sciread_app.storage.organisation.zotero_imports import ImportedItem
from sciread_app.tasks import Task

Object = Mapping[str, Any]
WHAT = "Zotero"


class _Brought(NamedTuple):
    """A note in Zotero."""

    text: str
    added: float
    key: str


class ZoteroImporter:
    """Reads from a Zotero that runs on this computer, and never writes to it.

    A repeated import adds what is new: known papers are recognized, and no tag or note is added
    twice, even if it was removed here. A note is identified by its creation time; notes edited here
    stay as they are.
    """

    def __init__(self, library: Library, intake: Importer, client: Client) -> None:
        self._library = library
        self._intake = intake
        self._client = client

    def import_all(self, task: Task) -> ImportReport:
        """Import the whole library. Raises SourceError if Zotero fails, and Cancelled; items so far
        stay."""
        begun = time.monotonic()
        task.step(0, 0, tr("Querying {source}", source=WHAT))
        collections = _paths(zotero.collections(self._client, task))
        files, notes = self._children(task)
        number, report = self._library.import_log.open(WHAT), ImportReport()
        strays: list[Path] = []
        for page in zotero.items(self._client, task):
            strays += [Path(path) for path in _stray_files(page)]
            self._take(page, files, notes, collections, number, report)
            task.step(report.read, 0, tr("Reading the Zotero library"))
        self._library.import_log.close(number)
        report.new = self._library.import_log.added_by(number)
        self._intake.read_linked(report, task)
        if there := [path for path in strays if path.is_file()]:
            _add(report, self._intake.add(there, task))
        report.seconds = time.monotonic() - begun
        return report

    def _children(self, task: Task) -> tuple[dict[str, list[str]], dict[str, list[_Brought]]]:
        """Files and notes by the key of their parent item."""
        files: dict[str, list[str]] = defaultdict(list)
        notes: dict[str, list[_Brought]] = defaultdict(list)
        for one in zotero.children(self._client, "attachment", task):
            if path := items.file_of(one["data"], one.get("links") or {}):
                files[str(one["data"].get("parentItem"))].append(path)
        for one in zotero.children(self._client, "note", task):
            if text := items.note_text(one["data"]):
                made = items.added(one["data"])
                note = _Brought(text, made, str(one["data"].get("key") or made))
                notes[str(one["data"].get("parentItem"))].append(note)
        return files, notes

    def _take(
        self,
        page: Sequence[Object],
        files: Mapping[str, list[str]],
        notes: Mapping[str, list[_Brought]],
        collections: Mapping[str, str],
        number: int,
        report: ImportReport,
    ) -> None:
        """Store a page of items and file their papers as in Zotero."""
        read: list[tuple[Object, Paper]] = []
        skips = []
        for one in page:
            data = one["data"]
            if data.get("itemType") in items.CHILDREN:
                continue
            key = str(data.get("key"))
            if found := items.paper(data, files.get(key, ())):
                read.append((data, found))
            else:
                why = tr("The item has no title. Add a title in Zotero, then import again.")
                skips.append(Skipped(WHAT, key, why))
        stored = self._library.put([paper for _, paper in read], import_id=number, skips=skips)
        report.added += stored.added
        report.merged += stored.merged
        report.skips += skips
        self._sort([data for data, _ in read], stored.ids, notes, collections)

    def _sort(
        self,
        read: Sequence[Object],
        ids: Sequence[PaperId],
        notes: Mapping[str, list[_Brought]],
        collections: Mapping[str, str],
    ) -> None:
        """Add tags and collections as in Zotero, but none twice: removed ones stay removed."""
        there: set[ImportedItem] = set()
        before = self._library.imported_items.of(ids)
        for data, id in zip(read, ids, strict=True):
            keys = items.collections(data)
            there |= {ImportedItem(id, "tag", tag) for tag in items.tags(data) if tag}
            there |= {
                ImportedItem(id, "collection", collections[key])
                for key in keys
                if key in collections
            }
            brought = notes.get(str(data.get("key")), ())
            there |= {ImportedItem(id, "note", note.key) for note in brought}
            self._take_notes(id, brought, before)
        new = groupby(sorted(there - before, key=_place), key=_place)
        for (kind, name), things in new:
            papers = [thing.paper for thing in things]
            if kind == "tag":
                self._library.tags.add(papers, name)
            elif kind == "collection":
                self._library.collections.add(papers, name)
        self._library.imported_items.remember(there - before)

    def _take_notes(
        self, id: PaperId, brought: Sequence[_Brought], before: set[ImportedItem]
    ) -> None:
        """Add new notes, and update those that were changed in Zotero but not here."""
        stored_notes = self._library.notes
        here, there = stored_notes.of(id), {one.text for one in brought}
        same = {note.text for note in here} & there
        others = [note for note in here if note.text not in same]
        for text, added, key in brought:
            if text in same:
                continue
            known = next((note for note in others if added and note.added == added), None)
            if known is not None:
                others.remove(known)
                if known.changed == known.added:
                    stored_notes.change(known.id, text, known.changed)
            elif ImportedItem(id, "note", key) not in before:
                stored_notes.add(id, text, added or None)


def _place(thing: ImportedItem) -> tuple[str, str]:
    return thing.kind, thing.name


def _paths(collections: Iterable[Object]) -> dict[str, str]:
    """The full path of each collection, by its key. A slash in a name would be another level."""
    rows = {str(one["data"].get("key")): one["data"] for one in collections}
    paths = {}
    for key in rows:
        names, at, passed = [], key, set[str]()
        while at in rows and at not in passed:
            passed.add(at)
            names.append(str(rows[at].get("name") or "").replace("/", "-").strip() or "Unnamed")
            at = str(rows[at].get("parentCollection"))
        paths[key] = "/".join(reversed(names))
    return paths


def _stray_files(page: Iterable[Object]) -> Iterable[str]:
    """Files that lie in Zotero without a paper."""
    for one in page:
        if one["data"].get("itemType") == "attachment":
            path = items.file_of(one["data"], one.get("links") or {})
            if path.lower().endswith(".pdf"):
                yield path


def _add(report: ImportReport, other: ImportReport) -> None:
    report.added += other.added
    report.merged += other.merged
    report.new += other.new
    report.skips += other.skips
    report.remarks += other.remarks
    report.texts += other.texts
