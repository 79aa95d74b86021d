"""Auto-export: files that are kept up to date with a collection, such as the .bib of an article."""

from __future__ import annotations

import hashlib
import io
import shutil
import time
from dataclasses import replace
from itertools import count
from pathlib import Path

from sciread_app.domain.library_tree import AutoExport
from sciread_app.domain.paper import Edit
from sciread_app.errors import LibraryError
from sciread_app.language import tr
from sciread_app.services.export import export
from sciread_app.services.export.export import Format
from sciread_app.storage.library import Library
from sciread_app.tasks import Task

_CHANGED = tr(
    "Another program has changed the file since the last export. To overwrite the file, export "
    "the collection automatically to this file again."
)


class _Changed(Exception):
    pass


class AutoExportService:
    """Writes a file when its contents should change, completely or not at all.

    A file that another program has changed is left alone and reported.
    """

    def __init__(self, library: Library) -> None:
        self._library = library

    def files(self) -> list[AutoExport]:
        return self._library.auto_exports.files()

    def enable(
        self, collection: str, path: Path, format: Format, task: Task, *, may_replace: bool = False
    ) -> AutoExport:
        """Start the auto-export of a collection and its descendants, and write the file.

        An existing file of other origin is kept beside it as NAME.old. Raises LibraryError, and
        changes nothing, if the collection does not exist, or if the file belongs to another
        collection, may not be replaced, or cannot be written.
        """
        path = path.expanduser().absolute()
        auto_export = AutoExport(
            self._library.auto_exports.named(collection), str(path), format.value
        )
        ours = self._is_ours(path)
        self._check_target(auto_export, ours or may_replace)
        if path.exists() and not ours:
            _put_aside(path)
        written = _write(auto_export, self._text(auto_export, task))
        self._library.auto_exports.enable(written)
        return written

    def disable(self, collection: str) -> Edit | None:
        """Stop an auto-export; its file stays. Raises LibraryError if there is none."""
        what = tr("Stopped exporting “{collection}” automatically", collection=collection)
        with self._library.edits.recording(what) as made:
            self._library.auto_exports.disable(collection)
        return made.edit

    def write(self, task: Task) -> list[AutoExport]:
        """Write outdated files; returns the files written and those with a problem."""
        results = []
        for auto_export in self.files():
            now = self._written(auto_export, task)
            if now != auto_export:  # stored at once, so that a canceled run knows its own files
                self._library.auto_exports.note([now])
            if now != auto_export or now.problem:
                results.append(now)
        return results

    def _check_target(self, auto_export: AutoExport, may_replace: bool) -> None:
        """Raises LibraryError if the file cannot become the auto-export of this collection."""
        for other in self.files():
            if other.path == auto_export.path and other.collection != auto_export.collection:
                raise LibraryError(
                    tr(
                        "{file} is already the automatic export of the collection “{collection}”.",
                        file=auto_export.path,
                        collection=other.collection,
                    ),
                    tr("Use another file name, or stop exporting that collection first."),
                )
        if Path(auto_export.path).exists() and not may_replace:
            raise LibraryError(
                tr("The file {file} already exists.", file=auto_export.path),
                tr("Use another name, or replace the file (--replace)."),
            )

    def _is_ours(self, path: Path) -> bool:
        """Return whether the file is as it was written last."""
        return any(f.path == str(path) and f.written == _digest(path) for f in self.files())

    def _written(self, auto_export: AutoExport, task: Task) -> AutoExport:
        """The state of the file after an update, or with the reason why it was not written."""
        path = Path(auto_export.path)
        text = self._text(auto_export, task)
        there = _digest(path)
        if there == _sum(text.encode()):
            return replace(auto_export, written=there, at=auto_export.at or time.time(), problem="")
        if there and there != auto_export.written:
            return replace(auto_export, problem=_CHANGED)
        try:
            return _write(auto_export, text, there)
        except _Changed:
            return replace(auto_export, problem=_CHANGED)
        except LibraryError as error:
            return replace(auto_export, problem=f"{error.message} {error.hint}")

    def _text(self, auto_export: AutoExport, task: Task) -> str:
        stream = io.StringIO()
        ids: list[int] = self._library.collections.papers(auto_export.collection).tolist()
        export.write(self._library, ids, Format(auto_export.format), stream, task)
        return stream.getvalue()


def _write(auto_export: AutoExport, text: str, there: str | None = None) -> AutoExport:
    """Write the file and return its state.

    Raises LibraryError, and _Changed if the file differs from `there` just before it is replaced.
    """

    def look() -> None:
        if there is not None and _digest(Path(auto_export.path)) != there:
            raise _Changed

    export.write_text(text, Path(auto_export.path), look)
    return replace(auto_export, written=_sum(text.encode()), at=time.time(), problem="")


def _put_aside(path: Path) -> None:
    """Copy a file to an unused name."""
    names = (f"{path.name}.old{n if n > 1 else ''}" for n in count(1))
    free = next(copy for name in names if not (copy := path.with_name(name)).exists())
    try:
        shutil.copy2(path, free)
    except OSError as error:
        raise LibraryError(
            tr("Could not save a copy of {file}: {why}.", file=path, why=error.strerror),
            tr("Use another file name."),
        ) from error


def _digest(path: Path) -> str:
    """The SHA-256 of a file; empty if it does not exist."""
    try:
        return _sum(path.read_bytes())
    except OSError:
        return ""


def _sum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
