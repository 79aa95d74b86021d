"""Import from Zotero: papers, files, tags, collections and notes."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sciread_app.domain.paper import FiledNote, Filing, Paper, Skipped
from sciread_app.formats.zotero import items
from sciread_app.language import tr
from sciread_app.services.ingest.filing import file_papers
from sciread_app.services.ingest.importer import Importer, ImportReport
from sciread_app.sources import zotero
from sciread_app.sources.http.client import Client
from sciread_app.storage.library import Library
from sciread_app.tasks import Task

Object = Mapping[str, Any]
WHAT = "Zotero"


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

    def _children(self, task: Task) -> tuple[dict[str, list[str]], dict[str, list[FiledNote]]]:
        """Files and notes by the key of their parent item."""
        files: dict[str, list[str]] = defaultdict(list)
        notes: dict[str, list[FiledNote]] = defaultdict(list)
        for one in zotero.children(self._client, "attachment", task):
            if path := items.file_of(one["data"], one.get("links") or {}):
                files[str(one["data"].get("parentItem"))].append(path)
        for one in zotero.children(self._client, "note", task):
            if text := items.note_text(one["data"]):
                made = items.added(one["data"])
                note = FiledNote(text, str(one["data"].get("key") or made), made)
                notes[str(one["data"].get("parentItem"))].append(note)
        return files, notes

    def _take(
        self,
        page: Sequence[Object],
        files: Mapping[str, list[str]],
        notes: Mapping[str, list[FiledNote]],
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
        filed = []
        for (data, _), id in zip(read, stored.ids, strict=True):
            places = (collections[key] for key in items.collections(data) if key in collections)
            brought = tuple(notes.get(str(data.get("key")), ()))
            filed.append((id, Filing(tuple(items.tags(data)), tuple(places), brought)))
        file_papers(self._library, filed)


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
