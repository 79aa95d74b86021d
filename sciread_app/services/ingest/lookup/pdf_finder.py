"""Finding and filing of open-access PDFs of papers."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from shutil import copymode

from sciread_app.domain.matching.record_keys import title_key
from sciread_app.domain.paper import Paper, PaperId, Skipped
from sciread_app.domain.text.file_names import file_stem, valid_stem
from sciread_app.domain.text.tex import readable
from sciread_app.errors import SourceError
from sciread_app.formats.pdf import ExtractionPool, problems
from sciread_app.formats.pdf.content import PdfContent
from sciread_app.language import tr
from sciread_app.sources import open_access
from sciread_app.sources.http.client import Client
from sciread_app.storage.library import Library
from sciread_app.storage.organisation.attachments import Attachment
from sciread_app.tasks import Task

_FIRST_PAGES = 12_000  # characters of a file in which its title must be
_LEAST_TITLE = 12  # letters: a shorter title could be part of any text
_SECONDS = 60.0  # to read one file


@dataclass(frozen=True)
class FoundPdf:
    """A PDF that was found for a paper. `license` is empty if the service does not say."""

    paper: PaperId
    path: Path
    source: str
    license: str = ""


@dataclass
class PdfSearchReport:
    """The result of a search for PDFs: each paper is found, not found, or had one before."""

    found: list[FoundPdf] = field(default_factory=list)
    had: int = 0  # papers with a PDF
    failures: list[Skipped] = field(default_factory=list)

    @property
    def done(self) -> int:
        return len(self.found)

    @property
    def edits(self) -> int:
        return len(self.found)


class PdfFinder:
    """Downloads open-access PDFs into the PDF folder. Every method blocks.

    A file is kept only if it is a PDF and has the title of the paper on its first pages. Each
    found file is an edit of its own, stored at once, which can be undone; the file stays then.
    """

    def __init__(self, library: Library, client: Client, folder: Path, pattern: str) -> None:
        """`folder` must exist; `pattern` is that of file names."""
        self._library = library
        self._client = client
        self._folder = folder
        self._pattern = pattern

    def find(self, ids: Iterable[PaperId], task: Task) -> PdfSearchReport:
        """Raises Cancelled; PDFs found so far are kept."""
        report, ids = PdfSearchReport(), list(ids)
        have = {one.paper for one in self._library.attachments.of(ids) if _is_pdf(one.path)}
        search = open_access.OpenAccessSearch(self._client, task)
        with ExtractionPool(1, seconds=_SECONDS) as readers:
            for done, paper in enumerate(self._library.get(ids)):
                task.step(done, len(ids), readable(paper.title))
                if paper.id in have:
                    report.had += 1
                else:
                    self._find(paper, search, readers, report)
        return report

    def _find(
        self,
        paper: Paper,
        search: open_access.OpenAccessSearch,
        readers: ExtractionPool,
        report: PdfSearchReport,
    ) -> None:
        assert paper.id is not None
        reasons: list[str] = []
        for place in search.locations(paper):
            if isinstance(place, SourceError):
                reasons.append(str(place))
                continue
            try:
                body = search.download(place)
            except SourceError as error:
                reasons.append(str(error))
                continue
            path, why = self._file(paper, body, place.license, readers)
            if path:
                report.found.append(FoundPdf(paper.id, path, place.source, place.license))
                return
            reasons.append(f"{place.source}: {why}")
        why = " ".join(dict.fromkeys(reasons)) or tr("No service lists an open-access PDF.")
        report.failures.append(Skipped("", readable(paper.title), why))

    def _file(
        self, paper: Paper, body: bytes, license: str, readers: ExtractionPool
    ) -> tuple[Path | None, str]:
        """Check a file, put it into the folder and attach it; or return why it is not used."""
        assert paper.id is not None
        try:
            handle, name = tempfile.mkstemp(dir=self._folder, suffix=".part")
            half = Path(name)
            try:
                with os.fdopen(handle, "wb") as stream:
                    stream.write(body)
                [content] = list(readers.read([half]))
                if why := _failure_reason(paper, content):
                    return None, why
                path = self._placed(half, paper)
            finally:
                half.unlink(missing_ok=True)
        except OSError as error:
            why = error.strerror or str(error)
            message = tr(
                "Could not save the file in {folder}: {why}.", folder=self._folder, why=why
            )
            return None, message
        seen = path.stat()
        found = Attachment(
            paper.id, str(path), content.sha256, seen.st_size, seen.st_mtime, pages=content.pages
        )
        with self._library.edits.recording(tr("Added the file “{file}”", file=path.name)):
            # The paper may have been changed or deleted since the search began, hours ago.
            if not (now := self._library.get([paper.id])):
                path.unlink(missing_ok=True)
                return None, tr("This paper is no longer in the library.")
            self._library.attachments.put([(found, content.text)])
            if license:
                self._library.fill(paper.id, extra=dict(now[0].extra) | {"license": license})
        return path, ""

    def _placed(self, half: Path, paper: Paper) -> Path:
        """Give a file its name by the rule, with a number if that is taken."""
        stem = file_stem(paper, self._pattern) or valid_stem(readable(paper.title)) or "paper"
        for number in count(1):
            path = self._folder / (f"{stem} ({number}).pdf" if number > 1 else f"{stem}.pdf")
            if self._library.attachments.with_path([str(path)]):
                continue  # a missing file that may come back
            with suppress(FileExistsError):
                path.open("xb").close()  # no other program can take the name now
                copymode(path, half)  # a temporary file is readable by its owner only
                return half.replace(path)
        raise AssertionError("unreachable")


def _is_pdf(path: str) -> bool:
    return path.lower().endswith(".pdf")


def _failure_reason(paper: Paper, content: PdfContent) -> str:
    """The reason why a file is not the PDF of this paper; empty if it is."""
    if content.problem:
        return problems.translated(content.problem)
    title, text = title_key(readable(paper.title)), title_key(content.text[:_FIRST_PAGES])
    names = [title_key(author.last_name) for author in paper.authors]
    if title not in text and title != title_key(content.paper.title):
        return tr("The title of the paper is not on the first pages of the file.")
    if len(title) < _LEAST_TITLE and not any(name and name in text for name in names):
        return tr("No author of the paper is on the first pages of the file.")
    return ""
