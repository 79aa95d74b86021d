"""The PDF folder: PDFs are moved or copied to it, and named by a rule."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import NamedTuple

from sciread_app.domain.paper import Edit, PaperId, Skipped
from sciread_app.domain.text.file_names import file_stem, name_key, valid_stem
from sciread_app.errors import LibraryError
from sciread_app.language import tr
from sciread_app.services.library.file_moves import (
    has_same_content,
    place,
    remove_old,
    rename_case,
)
from sciread_app.storage.library import Library
from sciread_app.storage.organisation.attachments import Attachment
from sciread_app.tasks import Task

_AT_ONCE = 20  # files: no more than these are left twice on the disk by a killed process
_LONGEST_PATH = 259 if os.name == "nt" else 4000  # characters
_SHORTEST_STEM = 20
_ZOTERO_LEVELS = 3  # zotero.sqlite, and below it storage/ABCD1234/file.pdf


@dataclass
class FilingReport:
    """The result of moving or renaming PDFs. `edit` undoes it; None if nothing was done."""

    edit: Edit | None = None
    done: int = 0  # files that were moved, copied or renamed
    failures: list[Skipped] = field(default_factory=list)

    @property
    def edits(self) -> int:
        return 1 if self.edit else 0


class _Placed(NamedTuple):
    """A file that is available at a new place, for the library to be told."""

    attachment: Attachment
    new: Path
    made: bool  # the file was not at its new place before
    keep: bool  # it stays at its old place, too


class PdfFolder:
    """Moves and renames the PDFs of papers. Every method blocks.

    `folder` is None if none is set; `pattern` is that of file names, which do not change if it is
    empty. A file that is missing, locked or of Zotero is reported by name, and the others are
    moved. Everything can be undone, from all windows and processes, which moves the files back.
    """

    def __init__(self, library: Library, folder: Path | None, pattern: str) -> None:
        self._library = library
        self._folder = folder
        self._pattern = pattern

    def move(self, ids: Iterable[int], task: Task) -> FilingReport:
        """Move the PDFs of these papers to the folder and name them by the rule. Those in a folder
        below it stay there; those of Zotero are copied. Raises LibraryError, Cancelled."""
        folder = self.existing()
        files = self._library.attachments.of(ids)
        what = tr("Moved PDFs to the PDF folder")
        return self._file(files, lambda old: _within(old, folder), what, task)

    def rename(self, ids: Iterable[int], task: Task) -> FilingReport:
        """Rename the PDFs of these papers by the rule, where they are. Raises LibraryError,
        Cancelled."""
        if not self._pattern:
            message = tr("There is no pattern for the names of PDFs.")
            raise LibraryError(message, tr("Set one in Settings › PDF files."))
        files: list[Attachment] = []
        own: list[Attachment] = []
        for one in self._library.attachments.of(ids):
            (own if _is_of_zotero(Path(one.path)) else files).append(one)
        report = self._file(files, lambda old: old.parent, tr("Renamed PDFs"), task)
        why = tr("The file belongs to Zotero. Rename it there, or move it to the PDF folder.")
        report.failures += [Skipped(one.path, "", why) for one in own]
        return report

    def take_in(self, paths: Iterable[Path], task: Task, *, copy: bool) -> FilingReport:
        """Move or copy files that papers have been given: those that are neither in the folder nor
        of Zotero. Raises LibraryError, Cancelled."""
        folder = self.existing()
        names = [
            str(path)
            for path in paths
            if not path.is_relative_to(folder) and not _is_of_zotero(path)
        ]
        files = self._library.attachments.with_path(names)
        copied, moved = tr("Copied PDFs to the PDF folder"), tr("Moved PDFs to the PDF folder")
        return self._file(files, lambda old: folder, copied if copy else moved, task, copy=copy)

    def existing(self) -> Path:
        """The folder. It is not created: it may be on a disk that is not connected. Raises
        LibraryError if it is not set, or does not exist."""
        if self._folder is None:
            message = tr("No PDF folder is set.")
            hint = tr(
                "Select a folder in Settings › PDF files, or enter it as pdf_folder in the file "
                "settings.toml in the folder of the library."
            )
            raise LibraryError(message, hint)
        if not self._folder.is_dir():
            message = tr("The PDF folder {folder} does not exist.", folder=self._folder)
            hint = tr("Connect its disk, or select another folder in Settings › PDF files.")
            raise LibraryError(message, hint)
        return self._folder

    def _file(
        self,
        attachments: Iterable[Attachment],
        folder_of: Callable[[Path], Path],
        what: str,
        task: Task,
        *,
        copy: bool = False,
    ) -> FilingReport:
        """Move each PDF to the folder that `folder_of` gives for its path, as one edit."""
        files: dict[str, Attachment] = {}
        for pdf in attachments:
            if pdf.path.lower().endswith(".pdf"):
                files.setdefault(pdf.path, pdf)  # of several papers the first names the file
        every, report, names = list(files.values()), FilingReport(), _FreeNames(self._library)
        for start in range(0, len(every), _AT_ONCE):
            placed: list[_Placed] = []
            try:
                for n, file in enumerate(every[start : start + _AT_ONCE], start):
                    task.step(n, len(every), Path(file.path).name)
                    if new := self._place(file, folder_of, names, copy, report):
                        placed.append(new)
                self._notify(placed, what, report)
            except BaseException:
                for one in placed:
                    _take_back(one)
                raise
            for one in placed:
                self._finish(one, report)
        return report

    def _place(
        self,
        file: Attachment,
        folder_of: Callable[[Path], Path],
        names: _FreeNames,
        copy: bool,
        report: FilingReport,
    ) -> _Placed | None:
        """Make a file available at its new place; None if it stays where it is."""
        old = Path(file.path)
        try:
            if not old.is_file():
                report.failures.append(Skipped(file.path, "", tr("The file is missing.")))
                return None
            folder = folder_of(old)
            stem = self._stem(file.paper, old, folder)
            if folder == old.parent and _is_numbered(old.stem, stem):
                return None
            keep = copy or _is_of_zotero(old)
            new, there, known = names.free(folder, stem, file)
            made = not there and not rename_case(old, new)
            if made:
                place(old, new, copy=keep)
            return _Placed(file, new, made, keep or known)
        except OSError as error:
            why = tr("Could not move the file: {why}.", why=error.strerror or error)
            report.failures.append(Skipped(file.path, "", why))
            return None

    def _stem(self, paper: PaperId, old: Path, folder: Path) -> str:
        """The name by the rule; the present one if there is no rule, or no value for it."""
        [found] = self._library.get([paper])
        stem = file_stem(found, self._pattern) or valid_stem(old.stem) or "paper"
        room = _LONGEST_PATH - len(str(folder)) - len("/ (999).pdf")
        return valid_stem(stem[: max(room, _SHORTEST_STEM)])

    def _notify(self, placed: Sequence[_Placed], what: str, report: FilingReport) -> None:
        """Record the new places in the library, all as one edit."""
        attachments = self._library.attachments
        if not placed:
            return
        with self._library.edits.recording(what, report.edit) as made:
            for one in placed:
                old, new = one.attachment.path, str(one.new)
                if not one.keep:
                    attachments.move(old, new)
                    continue
                # The old file stays, so that undo has nothing to move.
                for owner in attachments.with_path([old]):
                    attachments.remove(owner.paper, old)
                    attachments.put([(replace(owner, path=new), "")])
        report.edit = made.edit or report.edit

    def _finish(self, placed: _Placed, report: FilingReport) -> None:
        """Remove a file from its old place, now that the library names the new one."""
        report.done += 1
        if placed.keep:
            return
        old = Path(placed.attachment.path)
        try:
            remove_old(old, placed.new)
        except OSError as error:
            why = tr(
                "The file was copied to {new}, but could not be removed here: {why}.",
                new=placed.new,
                why=error.strerror or error,
            )
            report.failures.append(Skipped(str(old), "", why))


class _FreeNames:
    """The names that are not taken in some folders, by files or by the library."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._taken: dict[Path, dict[str, str]] = {}  # by the key of each name

    def free(self, folder: Path, stem: str, file: Attachment) -> tuple[Path, bool, bool]:
        """A path for this file, with a number if its name is taken; whether the same content is
        there already, as after a killed move; and whether the file's paper has it there."""
        old = Path(file.path)
        if folder not in self._taken:
            with os.scandir(folder) as entries:
                self._taken[folder] = {name_key(entry.name): entry.name for entry in entries}
        taken = self._taken[folder]
        for number in count(1):
            name = f"{stem} ({number}).pdf" if number > 1 else f"{stem}.pdf"
            path, key = folder / name, name_key(name)
            if key in taken and path != old:
                path = folder / taken[key]
                if path == old:
                    path = folder / name  # only the case of its own name changes
                else:
                    owners = {one.paper for one in self._library.attachments.with_path([str(path)])}
                    if owners <= {file.paper} and has_same_content(old, path):
                        return path, True, bool(owners)
                    continue
            elif self._library.attachments.with_path([str(path)]):
                continue  # a missing file that may come back
            taken[key] = path.name
            return path, False, False
        raise AssertionError("unreachable")


def _take_back(placed: _Placed) -> None:
    """Undo a move: delete the copy at the new path, as the library still names the old one."""
    with suppress(OSError):
        old = Path(placed.attachment.path)
        if placed.made and has_same_content(old, placed.new):
            remove_old(placed.new, old)


def _within(old: Path, folder: Path) -> Path:
    return old.parent if old.is_relative_to(folder) else folder


def _is_numbered(stem: str, wanted: str) -> bool:
    """Return whether a name is the wanted one, or that with a number."""
    return bool(re.fullmatch(re.escape(wanted) + r"( \(\d+\))?", stem))


def _is_of_zotero(path: Path) -> bool:
    """Return whether a file is in the storage folder of Zotero, which would miss it."""
    if len(path.parents) <= _ZOTERO_LEVELS or path.parents[1].name != "storage":
        return False
    return (path.parents[2] / "zotero.sqlite").exists()
