"""Import of files and folders into the library."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TypeVar

from sciread_app import formats
from sciread_app.domain.matching.record_keys import from_record, record
from sciread_app.domain.paper import Edit, FiledPaper, Paper, PaperId, Skipped
from sciread_app.formats.pdf import ExtractionPool, PdfContent, problems
from sciread_app.language import tr
from sciread_app.services.ingest.filing import file_papers
from sciread_app.storage.library import Library
from sciread_app.storage.organisation.attachments import Attachment
from sciread_app.tasks import Task

# Records stored at a time: a killed import loses no more than these. PDFs take long to read.
BATCH = 1000
PDF_BATCH = 20
SHORT = 200_000  # bytes of bibliographies that are read in less time than a process needs to start

T = TypeVar("T")


@dataclass
class ImportReport:
    """Result of an import: read = added + merged + failed. `files` is the number of files that were
    tried."""

    files: int = 0
    added: int = 0
    merged: int = 0
    new: list[PaperId] = field(default_factory=list)  # the papers added
    skips: list[Skipped] = field(default_factory=list)
    remarks: list[Skipped] = field(default_factory=list)  # warnings about imported records
    unread: list[Skipped] = field(default_factory=list)  # files in folders that were not tried
    texts: int = 0  # PDFs whose text was indexed
    seconds: float = 0.0
    stopped: bool = False  # canceled before its end
    undo_as: str = ""  # the description of the edit that undoes the import; empty: there is none
    edit: Edit | None = None  # that edit, once it has changed anything

    @property
    def failed(self) -> int:
        return len(self.skips)

    @property
    def read(self) -> int:
        return self.added + self.merged + self.failed

    @property
    def unread_kinds(self) -> Counter[str]:
        """The number of files that were not tried, by suffix."""
        return Counter(Path(skipped.file).suffix.lower() for skipped in self.unread)


@dataclass(frozen=True, slots=True)
class _ImportFiles:
    """The files below the given paths, by how they are read."""

    records: list[Path]
    pdfs: list[Path]
    skips: list[Skipped]
    unread: list[Skipped]


class Importer:
    """Imports files.

    An import that was killed or stopped is resumed by starting it again: papers in the library are
    recognized, and PDFs already read are not opened a second time.
    """

    def __init__(
        self,
        library: Library,
        *,
        pdf_workers: int = 2,
        pdf_seconds: float = 30,
        file_pdfs: Callable[[Sequence[Path], Task], Sequence[Skipped]] = lambda paths, task: (),
    ) -> None:
        """`file_pdfs` puts imported PDFs where the user wants them, and returns those that it
        could not."""
        self._library = library
        self._file_pdfs = file_pdfs
        self._pdf_workers = pdf_workers
        self._pdf_seconds = pdf_seconds

    def add(
        self, paths: Sequence[Path], task: Task, *, name: str = "", undo_as: str = ""
    ) -> ImportReport:
        """Import these files, and all files in these folders that can hold papers.

        Records come before PDFs, so that a PDF finds its record. `name` is that of the import in
        its history, by default the paths. With `undo_as`, the description of
        an edit, the import is one that the user did not start: it can be undone as that edit, and
        leaves papers in the trash.
        """
        begun = time.monotonic()
        task.step(0, 0, tr("Searching for files"))
        found = _look(paths, task)
        name = name or ", ".join(str(path) for path in paths)
        number = self._library.import_log.open(_legible(name))
        files = len(found.records) + len(found.pdfs)
        report = ImportReport(files, unread=found.unread, undo_as=undo_as)
        if found.skips:
            self._put([], found.skips, number, report)
        self._add_records(found.records, number, report, task)
        self._add_pdfs(found.pdfs, number, report, task)
        self.read_linked(report, task)
        self._library.import_log.close(number)
        report.new = self._library.import_log.added_by(number)
        report.remarks += self._file_pdfs(list(filter(_is_legible, found.pdfs)), task)
        report.seconds = time.monotonic() - begun
        return report

    def _add_records(
        self, files: Sequence[Path], number: int, report: ImportReport, task: Task
    ) -> None:
        expected = [formats.estimate(path) for path in files]
        begun = report.read
        for n, path in enumerate(files):
            if why := formats.remark(path):
                report.remarks.append(Skipped(_legible(str(path)), "", why))
            for batch in _batches(formats.read_file(path), BATCH):
                papers = [record for record in batch if isinstance(record, Paper)]
                skips = [record for record in batch if isinstance(record, Skipped)]
                self._put(papers, skips, number, report)
                # The estimate may be too low, but must not show that nothing is left.
                so_far = report.read - begun
                task.step(so_far, max(sum(expected), so_far), path.name)
            expected[n] = report.read - begun - sum(expected[:n])

    def _put(
        self, papers: Sequence[Paper], skips: Sequence[Skipped], number: int, report: ImportReport
    ) -> list[PaperId]:
        filings = [paper.filing if isinstance(paper, FiledPaper) else None for paper in papers]
        if report.undo_as:  # a failure within an edit would leave a part of the batch
            papers, skips = _storable(papers, skips)
        put = partial(self._library.put, import_id=number, unasked=bool(report.undo_as))
        with self._undoable(report):
            try:
                stored = put(papers, skips=skips)
            except UnicodeEncodeError:
                papers, skips = _storable(papers, skips)
                stored = put(papers, skips=skips)
            placed = zip(stored.ids, filings, strict=True)
            if filed := [(id, filing) for id, filing in placed if filing is not None]:
                file_papers(self._library, filed)
        report.added += stored.added
        report.merged += stored.merged
        report.skips += skips
        return stored.ids

    @contextmanager
    def _undoable(self, report: ImportReport) -> Iterator[None]:
        """Run the block as a part of the edit that undoes the import, if there is one."""
        if not report.undo_as:
            yield
            return
        with self._library.edits.recording(report.undo_as, report.edit) as made:
            yield
        report.edit = made.edit or report.edit

    def _add_pdfs(
        self, files: Sequence[Path], number: int, report: ImportReport, task: Task
    ) -> None:
        """Read PDFs without a record: each is a paper, or belongs to one."""
        names = [str(path) for path in files if _is_legible(path)]
        attached = self._library.attachments.with_path(names)
        known = {a.path: a for a in attached}
        new = [path for path in files if not _is_as_it_was(path, known.get(str(path)))]
        owners: dict[str, list[PaperId]] = {}
        for one in attached:
            owners.setdefault(one.path, []).append(one.paper)
        self._untrash([owners[str(path)] for path in set(files) - set(new)], report)
        self._library.import_log.add_merged(number, len(files) - len(new))
        report.merged += len(files) - len(new)
        for done, batch in self._read_pdfs(new, task):
            with self._undoable(report):
                self._add_contents(batch, number, report)
            task.step(done, len(new), batch[-1].path.name)

    def _add_contents(self, batch: Sequence[PdfContent], number: int, report: ImportReport) -> None:
        batch = self._without_rejected(batch, number, report)
        owners = self._owners(batch)
        self._untrash(owners.values(), report)
        strays = {
            content.sha256 or str(content.path): content  # copies of one file are one paper
            for content in batch
            if content.path not in owners
        }
        ids = self._put([content.paper for content in strays.values()], [], number, report)
        owned = dict(zip(strays, ids, strict=True))
        for content in batch:
            if content.path not in owners:
                owners[content.path] = [owned[content.sha256 or str(content.path)]]
        merged = len(batch) - len(strays)
        self._library.import_log.add_merged(number, merged)
        report.merged += merged
        self._attach(batch, owners, report)

    def _untrash(self, owners: Iterable[Sequence[PaperId]], report: ImportReport) -> None:
        """Restore the papers of imported files from the Trash as for records, but none whose file
        has another paper outside it: that may have been a duplicate."""
        if report.undo_as:
            return
        trashed = set(self._library.trashed().tolist())
        if chosen := [id for ids in owners if trashed.issuperset(ids) for id in ids]:
            self._library.untrash(chosen)

    def _without_rejected(
        self, batch: Sequence[PdfContent], number: int, report: ImportReport
    ) -> list[PdfContent]:
        """The files that are papers. The others are reported as failures and change no paper."""
        rejected = [content for content in batch if problems.is_no_paper(content.problem)]
        skips = [
            Skipped(_legible(str(content.path)), "", problems.translated(content.problem))
            for content in rejected
        ]
        if skips:
            self._put([], skips, number, report)
        return [content for content in batch if not problems.is_no_paper(content.problem)]

    def read_linked(self, report: ImportReport, task: Task) -> None:
        """Read the PDFs that records name and that were never opened, to index their text."""
        unread = [a for a in self._library.attachments.unread() if a.path.lower().endswith(".pdf")]
        files = [path for path in dict.fromkeys(Path(a.path) for a in unread) if path.is_file()]
        for done, batch in self._read_pdfs(files, task):
            self._attach(batch, self._owners(batch), report)
            task.step(done, len(files), batch[-1].path.name)

    def _read_pdfs(
        self, files: Sequence[Path], task: Task
    ) -> Iterator[tuple[int, list[PdfContent]]]:
        """Batches of the contents of these files, each with the number of files done."""
        if not files:
            return
        done = 0
        task.step(0, len(files), tr("Reading PDFs"))
        with ExtractionPool(self._pdf_workers, seconds=self._pdf_seconds) as readers:
            contents = _watched(readers.read(files), len(files), task)
            for batch in _batches(contents, PDF_BATCH):
                done += len(batch)
                yield done, batch

    def _owners(self, batch: Sequence[PdfContent]) -> dict[Path, list[PaperId]]:
        """The papers that these files belong to, by path or content hash."""
        attachments = self._library.attachments
        owners: dict[Path, list[PaperId]] = {}
        names = [str(content.path) for content in batch if _is_legible(content.path)]
        by_path = attachments.with_path(names)
        by_content = attachments.with_content([c.sha256 for c in batch if c.sha256])
        for content in batch:
            ids = [a.paper for a in by_path if a.path == str(content.path)] or [
                a.paper for a in by_content if a.sha256 == content.sha256
            ]
            if ids:
                owners[content.path] = list(dict.fromkeys(ids))
        return owners

    def _attach(
        self,
        batch: Sequence[PdfContent],
        owners: dict[Path, list[PaperId]],
        report: ImportReport,
    ) -> None:
        found = []
        for content in batch:
            modified = content.path.stat().st_mtime if content.path.exists() else 0.0
            for id in owners[content.path] if _is_legible(content.path) else ():
                attachment = Attachment(
                    id,
                    str(content.path),
                    content.sha256,
                    content.size,
                    modified,
                    content.problem,
                    content.pages,
                )
                found.append((attachment, content.text))
            report.texts += bool(content.text)
            for text in filter(None, (content.problem, content.remark)):
                why = problems.translated(text)
                report.remarks.append(Skipped(_legible(str(content.path)), "", why))
        self._library.attachments.put(found)


def is_short(paths: Iterable[Path]) -> bool:
    """Return whether these are a few small bibliographies."""
    files = list(paths)
    readable = all(path.is_file() and path.suffix.lower() != ".pdf" for path in files)
    return readable and sum(path.stat().st_size for path in files) < SHORT


def _look(paths: Sequence[Path], task: Task) -> _ImportFiles:
    """Sort the files at and below `paths`; a file given itself is always tried."""
    found = _ImportFiles([], [], [], [])
    for path in paths:
        path = path.expanduser().absolute()
        if path.is_dir():
            for file in _walk(path, found.skips):
                task.raise_if_cancelled()
                if why := _missing_file_reason(file) or formats.unread_reason(file):
                    found.unread.append(Skipped(_legible(str(file)), "", why))
                else:
                    _sort_in(file, found)
        elif path.exists():
            _sort_in(path, found)
        else:
            found.skips.append(Skipped(str(path), "", tr("The file or folder does not exist.")))
    return replace(found, records=_once(found.records), pdfs=_once(found.pdfs))


def _walk(folder: Path, skips: list[Skipped]) -> Iterator[Path]:
    """All files below a folder, and links to folders, sorted by name; but no hidden ones.

    Links to folders are not followed, so that the walk ends.
    """

    def failed(error: OSError) -> None:
        why = tr("Could not read the folder: {why}.", why=error.strerror)
        skips.append(Skipped(str(error.filename), "", why))

    for at, folders, files in os.walk(folder, onerror=failed):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        links = [name for name in folders if Path(at, name).is_symlink()]
        yield from (Path(at, name) for name in sorted(files + links) if not name.startswith("."))


def _missing_file_reason(path: Path) -> str:
    """The reason why what was found in a folder is no file that could be read; mostly empty."""
    if path.is_dir():
        return tr("Links to folders are not followed. Import the folder itself.")
    if path.exists() and not path.is_file():
        return tr("This is not a regular file.")  # a pipe would be read forever
    return ""


def _sort_in(file: Path, found: _ImportFiles) -> None:
    (found.pdfs if file.suffix.lower() == ".pdf" else found.records).append(file)


def _once(files: Iterable[Path]) -> list[Path]:
    return list(dict.fromkeys(files))


def _is_as_it_was(path: Path, known: Attachment | None) -> bool:
    """Return whether this file was read before and has not changed since."""
    if known is None or not known.sha256:
        return False
    state = path.stat()
    return (state.st_size, state.st_mtime) == (known.size, known.modified)


def _is_legible(path: Path) -> bool:
    """Return whether the name is valid text; on some systems file names may hold any bytes."""
    return _legible(str(path)) == str(path)


def _legible(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _storable(
    papers: Sequence[Paper], skips: Sequence[Skipped]
) -> tuple[list[Paper], list[Skipped]]:
    """The same without lone surrogates, as in file names, which no database can store."""
    texts = [record(paper) for paper in papers]
    return (
        [
            paper if _legible(text) == text else from_record(_legible(text))
            for paper, text in zip(papers, texts, strict=True)
        ],
        [Skipped(*map(_legible, skip)) for skip in skips],
    )


def _batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def _watched(contents: Iterable[PdfContent], total: int, task: Task) -> Iterator[PdfContent]:
    for done, content in enumerate(contents, 1):
        task.report(done, total, content.path.name)
        yield content
