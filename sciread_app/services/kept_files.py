"""Collections kept as files: the .bib beside an article holds what its collection holds."""

from __future__ import annotations

import hashlib
import io
import shutil
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

from sciread_app.domain.kept_files import KeptFile
from sciread_app.domain.query import Condition
from sciread_app.errors import LibraryError
from sciread_app.language import tr
from sciread_app.services import export
from sciread_app.services.export import Format
from sciread_app.storage.library import Library
from sciread_app.tasks import Task

_CHANGED = tr("Somebody has changed it since it was written last. Keep it anew to overwrite it.")


class _Changed(Exception):
    pass


class KeptFiles:
    """A file is written when what it should hold has changed, whole or not at all. One that
    another program has changed is left alone, and says so."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def files(self) -> list[KeptFile]:
        return self._library.synced.files()

    def keep(
        self, collection: str, path: Path, format: Format, task: Task, *, may_replace: bool = False
    ) -> KeptFile:
        """Keep a collection, with those below it, in this file from now on, and write it.

        What somebody else had there is kept beside it, as NAME.old. Raises LibraryError, and
        changes nothing, if there is no such collection, if the file is another collection's, if it
        may not be replaced, or if it cannot be written.
        """
        path = path.expanduser().absolute()
        kept = KeptFile(self._library.synced.named(collection), str(path), format.value)
        ours = self._is_ours(path)
        self._look(kept, ours or may_replace)
        if path.exists() and not ours:
            _put_aside(path)
        written = _write(kept, self._text(kept, task))
        self._library.synced.keep(written)
        return written

    def stop(self, collection: str) -> None:
        """The file stays as it is. Raises LibraryError if the collection is not kept as one."""
        self._library.synced.stop(collection)

    def write(self, task: Task) -> list[KeptFile]:
        """Write what is behind; returns the files that were written, and those with a problem."""
        told = []
        for kept in self.files():
            now = self._written(kept, task)
            if now != kept:  # noted at once: stopped later, we still know what is ours
                self._library.synced.note([now])
            if now != kept or now.problem:
                told.append(now)
        return told

    def _look(self, kept: KeptFile, may_replace: bool) -> None:
        """Whether the file may become this collection's."""
        for other in self.files():
            if other.path == kept.path and other.collection != kept.collection:
                raise LibraryError(
                    tr(
                        "{file} is kept for the collection “{collection}”.",
                        file=kept.path,
                        collection=other.collection,
                    ),
                    tr("Choose another name, or stop keeping that one first."),
                )
        if Path(kept.path).exists() and not may_replace:
            raise LibraryError(
                tr("There is a file {file} already.", file=kept.path),
                tr("Choose another name, or say that it may be replaced (--replace)."),
            )

    def _is_ours(self, path: Path) -> bool:
        """Whether the file is as it was written here."""
        return any(f.path == str(path) and f.written == _digest(path) for f in self.files())

    def _written(self, kept: KeptFile, task: Task) -> KeptFile:
        """How the file is once it was brought up to date, or why it was not."""
        path = Path(kept.path)
        text = self._text(kept, task)
        there = _digest(path)
        if there == _sum(text.encode()):
            return replace(kept, written=there, at=kept.at or time.time(), problem="")
        if there and there != kept.written:
            return replace(kept, problem=_CHANGED)
        try:
            return _write(kept, text, there)
        except _Changed:
            return replace(kept, problem=_CHANGED)
        except LibraryError as error:
            return replace(kept, problem=f"{error.message} {error.hint}")

    def _text(self, kept: KeptFile, task: Task) -> str:
        stream = io.StringIO()
        ids: Sequence[int] = self._library.matching([Condition("in", kept.collection)]).tolist()
        export.write(self._library, ids, Format(kept.format), stream, task)
        return stream.getvalue()


def _write(kept: KeptFile, text: str, there: str | None = None) -> KeptFile:
    """How the file is then. Raises LibraryError, and _Changed if the file is not as it was `there`
    in the last moment."""

    def look() -> None:
        if there is not None and _digest(Path(kept.path)) != there:
            raise _Changed

    export.write_text(text, Path(kept.path), look)
    return replace(kept, written=_sum(text.encode()), at=time.time(), problem="")


def _put_aside(path: Path) -> None:
    """Keep a copy under a name that nothing has yet."""
    names = (f"{path.name}.old{n if n > 1 else ''}" for n in count(1))
    free = next(copy for name in names if not (copy := path.with_name(name)).exists())
    try:
        shutil.copy2(path, free)
    except OSError as error:
        raise LibraryError(
            tr("{file} cannot be put aside: {why}.", file=path, why=error.strerror),
            tr("Choose another name for the file."),
        ) from error


def _digest(path: Path) -> str:
    """Empty where there is no such file."""
    try:
        return _sum(path.read_bytes())
    except OSError:
        return ""


def _sum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
