"""The files of a paper: listed, attached, detached and located."""

from __future__ import annotations

from pathlib import Path

from sciread_app.domain.paper import PaperFile, PaperId
from sciread_app.errors import LibraryError
from sciread_app.formats.pdf import ExtractionPool, problems
from sciread_app.language import tr
from sciread_app.storage.library import Library
from sciread_app.storage.organisation.attachments import Attachment
from sciread_app.tasks import Task
from trainer.contract.files import sha256_of

_PDF_SECONDS = 60.0


class AttachmentService:
    """Files stay where users keep them. All changes can be undone."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def of(self, paper: PaperId) -> list[PaperFile]:
        return [_look(known) for known in self._library.attachments.of([paper])]

    def attach(self, paper: PaperId, path: Path, task: Task) -> None:
        """Attach a file and index its text. Raises LibraryError, Cancelled."""
        path = path.absolute()
        attachment, text = _read(paper, path, task)
        with self._library.edits.recording(tr("Added the file “{file}”", file=path.name)):
            self._library.attachments.put([(attachment, text)])

    def detach(self, paper: PaperId, path: Path) -> None:
        """Detach a file from a paper; the file on disk stays."""
        what = tr("Removed the file “{file}” from a paper", file=path.name)
        with self._library.edits.recording(what):
            self._library.attachments.remove(paper, str(path))

    def locate(self, paper: PaperId, old: Path, new: Path, task: Task) -> None:
        """Replace the path of a missing file."""
        attachment, text = _read(paper, new.absolute(), task)
        with self._library.edits.recording(tr("Located the file “{file}”", file=old.name)):
            self._library.attachments.remove(paper, str(old))
            self._library.attachments.put([(attachment, text)])


def _look(known: Attachment) -> PaperFile:
    path = Path(known.path)
    try:
        size = path.stat().st_size
    except OSError:
        return PaperFile(path, known.size, known.pages, missing=True)
    return PaperFile(path, size, known.pages, problem=problems.translated(known.problem))


def _read(paper: PaperId, path: Path, task: Task) -> tuple[Attachment, str]:
    try:
        seen = path.stat()
        if path.suffix.lower() != ".pdf":
            return Attachment(paper, str(path), sha256_of(path), seen.st_size, seen.st_mtime), ""
    except OSError as error:
        raise LibraryError(
            tr("Could not read “{file}”: {why}.", file=path.name, why=error.strerror),
            tr("Select another file."),
        ) from error
    task.step(0, 1, path.name)
    with ExtractionPool(1, seconds=_PDF_SECONDS) as readers:
        content = next(iter(readers.read([path])))
    task.raise_if_cancelled()
    found = Attachment(
        paper,
        str(path),
        content.sha256,
        content.size,
        seen.st_mtime,
        content.problem,
        content.pages,
    )
    return found, content.text
