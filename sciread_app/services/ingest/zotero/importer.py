"""Import from Zotero: papers, files, tags, collections, notes and annotations."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from sciread_app.domain.paper import FiledNote, Filing, Paper, PaperId, Skipped
from sciread_app.formats.values import file_links
from sciread_app.formats.zotero import items
from sciread_app.formats.zotero.database import ZoteroDatabase, ZoteroLibrary, opened
from sciread_app.language import tr
from sciread_app.services.ingest.filing import file_papers
from sciread_app.services.ingest.importer import Importer, ImportReport
from sciread_app.services.ingest.zotero.annotations import add_marks, content_sum
from sciread_app.services.ingest.zotero.folders import ZoteroFolder
from sciread_app.sources import zotero
from sciread_app.sources.http.client import Client
from sciread_app.storage.library import Library
from sciread_app.tasks import Task

Object = Mapping[str, Any]
WHAT = "Zotero"


class ZoteroSource(Protocol):
    """A library of Zotero, as objects of its API."""

    def collections(self, task: Task) -> Iterator[Object]: ...

    def items(self, task: Task) -> Iterator[list[Object]]:
        """Pages of papers, and of files and notes without one."""
        ...

    def children(self, kind: str, task: Task) -> Iterator[Object]:
        """All files or notes of papers, or annotations of files: `kind` is "attachment", "note" or
        "annotation"."""
        ...


@dataclass(frozen=True, slots=True)
class _Running:
    """The library of a Zotero that runs."""

    client: Client

    def collections(self, task: Task) -> Iterator[Object]:
        return zotero.collections(self.client, task)

    def items(self, task: Task) -> Iterator[list[Object]]:
        return zotero.items(self.client, task)

    def children(self, kind: str, task: Task) -> Iterator[Object]:
        return zotero.children(self.client, kind, task)


@dataclass(frozen=True, slots=True)
class _Stored:
    """A library in a database."""

    database: ZoteroDatabase
    library: ZoteroLibrary

    def collections(self, task: Task) -> Iterator[Object]:
        return self.database.collections(self.library)

    def items(self, task: Task) -> Iterator[list[Object]]:
        for page in self.database.items(self.library):
            task.raise_if_cancelled()
            yield list(page)

    def children(self, kind: str, task: Task) -> Iterator[Object]:
        return self.database.children(self.library, kind)


class ZoteroImporter:
    """Reads from Zotero on this computer, whether it runs or not, and never writes to it.

    A repeated import adds what is new: known papers are recognized, and no tag, note or annotation
    is added twice, even if it was removed here. A note is identified by its creation time; notes
    edited here stay as they are.
    """

    def __init__(self, library: Library, intake: Importer, client: Callable[[], Client]) -> None:
        """`client` is called when a running Zotero is asked."""
        self._library = library
        self._intake = intake
        self._client = client

    def import_all(self, task: Task) -> ImportReport:
        """Import the user's own library from a Zotero that runs. Raises SourceError if Zotero
        fails, and Cancelled; items so far stay."""
        report = ImportReport()
        task.step(0, 0, tr("Querying {source}", source=WHAT))
        return self._import([(_Running(self._client()), "")], report, task)

    def import_folder(
        self, folder: ZoteroFolder, task: Task, *, groups: bool = True
    ) -> ImportReport:
        """Import the libraries in a data folder: the user's own, and with `groups` those of groups,
        each into a collection of its name. Raises SourceError and Cancelled; items so far stay."""
        report = ImportReport()
        with opened(folder.database, folder.base, task) as database:
            sources = [
                (_Stored(database, library), library.group)
                for library in database.libraries()
                if groups or not library.group
            ]
            return self._import(sources, report, task)

    def _import(
        self, sources: Sequence[tuple[ZoteroSource, str]], report: ImportReport, task: Task
    ) -> ImportReport:
        """Import libraries, each with the name of its group, as one import."""
        begun = time.monotonic()
        number = self._library.import_log.open(WHAT)
        strays: list[Path] = []
        marks: dict[str, list[items.ZoteroAnnotation]] = {}  # by the path of the file
        for source, group in sources:
            strays += self._import_library(source, group, number, report, marks, task)
        self._library.import_log.close(number)
        report.new = self._library.import_log.added_by(number)
        self._intake.read_linked(report, task)
        # Adding a file may move it to the PDF folder.
        contents = {str(path): content_sum(str(path)) for path in strays if str(path) in marks}
        if strays:
            _add(report, self._intake.add(strays, task))
        add_marks(self._library, marks, contents, report, task)
        report.seconds = time.monotonic() - begun
        return report

    def _import_library(
        self, source: ZoteroSource, group: str, number: int, report: ImportReport,
        marks: dict[str, list[items.ZoteroAnnotation]], task: Task,
    ) -> list[Path]:  # fmt: skip
        """Import a library, and return its files without a paper. Adds the annotations of its files
        to `marks`."""
        collections = _paths(source.collections(task))
        if group := group.replace("/", "-").strip():
            collections = {key: f"{group}/{path}" for key, path in collections.items()}
        files, notes, paths = self._children(source, task)
        strays: list[Path] = []
        taken = _ImportedKeys()
        for page in source.items(task):
            for key, path in _stray_files(page):
                strays.append(Path(path))
                paths[key] = path
            self._take(page, files, notes, collections, group, number, report, taken)
            task.step(report.read, 0, tr("Reading the Zotero library"))
        file_papers(self._library, taken.related())
        for one in source.children("annotation", task):
            if file := paths.get(str(one["data"].get("parentItem"))):
                marks.setdefault(file, []).extend(items.marks(one["data"]))
        return strays

    def _children(
        self, source: ZoteroSource, task: Task
    ) -> tuple[dict[str, list[str]], dict[str, list[FiledNote]], dict[str, str]]:
        """Files and notes by the key of their parent item, and the paths of the files by their own
        keys."""
        paths: dict[str, str] = {}
        files: dict[str, list[str]] = defaultdict(list)
        notes: dict[str, list[FiledNote]] = defaultdict(list)
        for one in source.children("attachment", task):
            if path := _file(one):
                files[str(one["data"].get("parentItem"))].append(path)
                paths[str(one["data"].get("key"))] = path
        for one in source.children("note", task):
            if text := items.note_text(one["data"]):
                made = items.added(one["data"])
                note = FiledNote(text, str(one["data"].get("key") or made), made)
                notes[str(one["data"].get("parentItem"))].append(note)
        return files, notes, paths

    def _take(
        self,
        page: Sequence[Object],
        files: Mapping[str, list[str]],
        notes: Mapping[str, list[FiledNote]],
        collections: Mapping[str, str],
        group: str,
        number: int,
        report: ImportReport,
        taken: _ImportedKeys,
    ) -> None:
        """Store a page of items and file their papers as in Zotero."""
        read: list[tuple[Object, Paper]] = []
        skips = []
        for one in page:
            data = one["data"]
            if data.get("itemType") == "note" and (text := items.note_text(data)):
                why = tr("This note belongs to no item and was not imported.")
                report.remarks.append(Skipped(WHAT, text.splitlines()[0], why))
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
        for (data, found), id in zip(read, stored.ids, strict=True):
            places = [collections[key] for key in items.collections(data) if key in collections]
            if group and not places:
                places = [group]
            brought = tuple(notes.get(str(data.get("key")), ()))
            filed.append((id, Filing(tuple(items.tags(data)), tuple(places), brought)))
            taken.note(data, id, found)
        file_papers(self._library, filed)


class _ImportedKeys:
    """The papers of a library so far, to name them in those that are related to them."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}  # by the key of the item
        self._related: list[tuple[PaperId, str, list[str]]] = []

    def note(self, data: Object, id: PaperId, paper: Paper) -> None:
        key = str(data.get("key"))
        by = paper.authors[0].last_name if paper.authors else ""
        about = ", ".join(filter(None, (by, str(paper.year or ""))))
        self._names[key] = f"{paper.title} ({about})" if about else paper.title
        if others := items.related(data):
            self._related.append((id, key, others))

    def related(self) -> list[tuple[PaperId, Filing]]:
        """A note for each paper with related ones, which SciRead has no other place for."""
        filed = []
        for id, key, others in self._related:
            names = sorted({self._names[other] for other in others if other in self._names})
            if names:
                text = "\n".join([tr("Related in Zotero:"), *(f"- {name}" for name in names)])
                filed.append((id, Filing(notes=(FiledNote(text, f"{key} related"),))))
        return filed


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


def _stray_files(page: Iterable[Object]) -> Iterator[tuple[str, str]]:
    """The keys and paths of the PDFs that lie in Zotero without a paper."""
    for one in page:
        if one["data"].get("itemType") == "attachment":
            path = _file(one)
            if path.lower().endswith(".pdf"):
                yield str(one["data"].get("key")), path


def _file(one: Object) -> str:
    """The path of an attachment's file as papers store it; empty if it is not on this computer."""
    return file_links.existing(items.file_of(one["data"], one.get("links") or {}), (Path(),))


def _add(report: ImportReport, other: ImportReport) -> None:
    report.added += other.added
    report.merged += other.merged
    report.new += other.new
    report.skips += other.skips
    report.remarks += other.remarks
    report.texts += other.texts
