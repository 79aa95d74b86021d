"""Collections kept as files: the .bib beside an article holds what its collection holds."""

from __future__ import annotations

import hashlib
import io
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sciread_app.domain.kept_files import KeptFile
from sciread_app.domain.query import Condition
from sciread_app.errors import LibraryError
from sciread_app.services import export
from sciread_app.services.export import Format
from sciread_app.storage.library import Library
from sciread_app.tasks import Task

_CHANGED = "Somebody has changed it since it was written last. Keep it anew to overwrite it."


class KeptFiles:
    """A file is written when what it should hold has changed, whole or not at all. One that
    another program has changed is left alone, and says so."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def files(self) -> list[KeptFile]:
        return self._library.synced.files()

    def keep(
        self, collection: str, path: Path, format: Format, task: Task, *, replace: bool = False
    ) -> KeptFile:
        """Keep a collection, with those below it, in this file from now on, and write it.

        What stood there before is kept beside it, as NAME.old. Raises LibraryError if there is no
        such collection, if there is such a file and it may not be replaced, or if it cannot be
        written.
        """
        path = path.expanduser().absolute()
        if path.exists() and not replace and not self._is_ours(path):
            raise LibraryError(
                f"There is a file {path} already.",
                "Choose another name, or say that it may be replaced (--replace).",
            )
        self._library.synced.keep(collection, str(path), format.value)
        kept = next(f for f in self.files() if f.path == str(path))
        if path.exists() and not self._is_ours(path):
            path.replace(path.with_name(f"{path.name}.old"))
        written = self._written(kept, task)
        if written.problem:
            self._library.synced.stop(collection)
            raise LibraryError(written.problem)
        self._library.synced.note([written])
        return written

    def stop(self, collection: str) -> None:
        """The file stays as it is. Raises LibraryError if the collection is not kept as one."""
        self._library.synced.stop(collection)

    def write(self, task: Task) -> list[KeptFile]:
        """Write what is behind; returns the files that were written, and those with a problem."""
        known = self.files()
        now = [self._written(kept, task) for kept in known]
        news = [new for new, old in zip(now, known, strict=True) if new != old]
        self._library.synced.note(news)
        return [kept for kept in now if kept in news or kept.problem]

    def _is_ours(self, path: Path) -> bool:
        """Whether the file is as it was written here."""
        return any(f.path == str(path) and f.written == _digest(path) for f in self.files())

    def _written(self, kept: KeptFile, task: Task) -> KeptFile:
        """How the file is once it was brought up to date, or why it was not."""
        path = Path(kept.path)
        text = self._text(kept, task)
        wanted = hashlib.sha256(text.encode()).hexdigest()
        there = _digest(path)
        if there == wanted:
            return replace(kept, written=wanted, at=kept.at or time.time(), problem="")
        if there and there != kept.written:
            return replace(kept, problem=_CHANGED)
        try:
            export.write_text(text, path)
        except LibraryError as error:
            return replace(kept, problem=f"{error.message} {error.hint}")
        return replace(kept, written=wanted, at=time.time(), problem="")

    def _text(self, kept: KeptFile, task: Task) -> str:
        stream = io.StringIO()
        ids: Sequence[int] = self._library.matching([Condition("in", kept.collection)]).tolist()
        export.write(self._library, ids, Format(kept.format), stream, task)
        return stream.getvalue()


def _digest(path: Path) -> str:
    """Empty where there is no such file."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""
