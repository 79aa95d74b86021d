"""Watched folders: new files are imported, moved ones followed, and deleted ones marked."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from sciread_app import formats
from sciread_app.domain.paper import PaperId, Skipped
from sciread_app.domain.watched_folders import FileState, WatchedFile, WatchedFolder
from sciread_app.errors import LibraryError
from sciread_app.language import tr, trn
from sciread_app.services.ingest.importer import Importer, ImportReport
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from trainer.contract.files import sha256_of

SETTLED = 2.0  # seconds without a change, after which a file counts as complete
_OLD = 60.0  # seconds since the last change, after which that need not be waited for
_UNFINISHED = 600.0  # seconds that a PDF without an end may be downloaded for
_TAIL = 4096  # bytes in which a PDF ends
# Names of downloads in progress: of files, and of folders that hold one (Safari).
_TEMPORARY = (
    ".part", ".partial", ".crdownload", ".download", ".opdownload", ".filepart", ".tmp", ".temp",
)  # fmt: skip
NOT_FOUND = tr("Folder not found. Its drive may not be connected.")


@dataclass
class ScanReport:
    """The result of scanning a watched folder."""

    folder: WatchedFolder
    problem: str = ""  # why it could not be scanned, as a sentence
    imported: ImportReport = field(default_factory=ImportReport)
    moved: list[tuple[str, str]] = field(default_factory=list)  # old and new paths
    missing: list[str] = field(default_factory=list)  # files deleted since the last scan
    returned: list[str] = field(default_factory=list)  # files that were missing until now
    waiting: list[str] = field(default_factory=list)  # files that are still being written

    @property
    def new(self) -> list[PaperId]:
        """The papers that were added."""
        return self.imported.new

    @property
    def has_changes(self) -> bool:
        """Whether the library has changed."""
        return bool(self.imported.read or self.moved or self.missing or self.returned)


@dataclass
class FolderScan:
    """The result of scanning folders. `polled`: the ids of the folders that report no changes."""

    reports: list[ScanReport] = field(default_factory=list)
    polled: set[int] = field(default_factory=set)


class _State(NamedTuple):
    """The size in bytes of a file, and when its content and its entry were last changed."""

    size: int
    modified: float
    changed: float

    def is_of(self, known: WatchedFile) -> bool:
        return (self.size, self.modified) == (known.size, known.modified)


@dataclass(frozen=True, slots=True)
class Changes:
    """The result of looking at a folder: files to be imported, and the states to be stored."""

    folder: WatchedFolder
    mount: str
    problem: str
    files: Mapping[str, _State]  # all files that may hold papers
    new: Sequence[str]  # new or changed, and complete
    known: Sequence[str]  # files of papers that were read as they are
    others: Sequence[Skipped]  # new files without papers
    waiting: Sequence[str]
    missing: Sequence[WatchedFile]
    returned: Sequence[WatchedFile]


class WatchedFolders:
    """Every method blocks, and may be called from any thread and from several processes.

    A scan that was killed is repeated by the next: what was imported is recognized. Neither a
    removed folder nor a deleted file ever removes a paper.
    """

    def __init__(self, library: Library, importer: Importer) -> None:
        self._library = library
        self._importer = importer
        self._store = library.watched_folders

    def all(self) -> list[WatchedFolder]:
        return self._store.all()

    def add(self, path: Path, *, subfolders: bool = True, collection: str = "") -> WatchedFolder:
        """Watch a folder; the next scan imports its files. A folder that is watched gets these
        options, and is no longer paused. Raises LibraryError."""
        path = path.expanduser().absolute()
        if not path.is_dir():
            message = tr("The folder {folder} does not exist.", folder=path)
            raise LibraryError(message, tr("Select an existing folder."))
        path = Path(os.path.normpath(path))
        try:
            number = self._store.add(str(path), subfolders=subfolders, collection=collection)
        except UnicodeEncodeError as error:
            message = tr("The name of the folder is not valid text.")
            raise LibraryError(message, tr("Rename the folder.")) from error
        return next(one for one in self.all() if one.id == number)

    def find(self, path: Path) -> WatchedFolder:
        """The watched folder with this path, or with this name. Raises LibraryError."""
        full = os.path.normpath(path.expanduser().absolute())
        folders = self.all()
        found = [one for one in folders if one.path == full]
        found = found or [one for one in folders if one.name == str(path)]
        if len(found) != 1:
            message = tr("The folder {folder} is not watched.", folder=path)
            raise LibraryError(message, tr("`sciread watch list` lists the watched folders."))
        return found[0]

    def change(self, folder: WatchedFolder, *, subfolders: bool, collection: str) -> None:
        """Change these options of a folder, which stays paused if it is."""
        self._store.change(folder.id, subfolders=subfolders, collection=collection)

    def pause(self, folder: WatchedFolder, paused: bool = True) -> None:
        """Pause watching a folder, or resume it."""
        self._store.pause(folder.id, paused)

    def remove(self, folder: WatchedFolder) -> None:
        """Stop watching a folder. Its papers and files stay."""
        self._store.remove(folder.id)

    def scan(self, folder: WatchedFolder, task: Task) -> ScanReport:
        """Bring the library up to date with a folder. Raises Cancelled."""
        changes = self.look(folder, task)
        return changes if isinstance(changes, ScanReport) else self.apply(changes, task)

    def look(self, folder: WatchedFolder, task: Task) -> Changes | ScanReport:
        """Compare a folder with what is known of it; the report if nothing has to be imported.

        Only names, sizes and times are read, except of new files. New files are waited for.
        """
        task.step(0, 0, tr("Searching for files"))
        root = Path(folder.path)
        unread: list[str] = []
        files = dict(_walk(root, folder.subfolders, unread, task)) if _is_there(folder) else None
        if files is None or not _is_there(folder):  # unplugged meanwhile
            self._store.note_scan(folder.id, time.time(), NOT_FOUND)
            return ScanReport(folder, problem=NOT_FOUND)
        known = {one.path: one for one in self._store.files(folder.id)}
        candidates = [path for path, state in files.items() if _is_new(path, state, known)]
        complete, waiting = _complete(candidates, files, task)
        others = [
            Skipped(path, "", why)
            for path in complete
            if (why := formats.unread_reason(Path(path))) and os.access(path, os.R_OK)
        ]
        without = {one.file for one in others}
        known_files = self._read_before(complete, files)
        new = [path for path in complete if path not in without and path not in known_files]
        away = [
            one
            for one in known.values()
            if one.path not in files
            and not _in(one.path, unread)
            # Files in subfolders that are no longer included are not missing.
            and (folder.subfolders or Path(one.path).parent == root)
        ]
        changes = Changes(
            folder,
            _mount_of(root),
            _problem(unread),
            files,
            new,
            sorted(known_files),
            others,
            waiting,
            [one for one in away if one.state in (FileState.present, FileState.unreadable)],
            [
                one
                for one in known.values()
                if one.state is FileState.missing
                and one.path in files
                and files[one.path].is_of(one)
            ],
        )
        return changes if new else self.apply(changes, task)

    def apply(self, changes: Changes, task: Task) -> ScanReport:
        """Import the new files of a folder, follow the moved ones, and store what was found."""
        folder, files = changes.folder, changes.files
        report = ScanReport(folder, changes.problem, waiting=list(changes.waiting))
        watched = self._store.all()
        new = [path for path in changes.new if not self._follow(path, files[path], watched, report)]
        if new:
            what = tr("Added papers from {folder}", folder=folder.name)
            paths = [Path(path) for path in new]
            imported = self._importer.add(paths, task, name=folder.path, undo_as=what)
            report.imported = imported
            if folder.collection and imported.new:
                with self._library.edits.recording(what, imported.edit):
                    self._library.collections.add(imported.new, folder.collection)
        report.imported.unread += changes.others
        states = [_known(path, files[path], FileState.other) for path, _, _ in changes.others]
        states += [_known(path, files[path], FileState.present) for path in changes.known]
        states += [_known(path, files[path], _state_of(path)) for path in changes.new]
        states += [one._replace(state=FileState.present) for one in changes.returned]
        moved = {old for old, _ in report.moved}
        gone = [one for one in changes.missing if one.path not in moved]
        attached = self._library.attachments.with_path([one.path for one in gone])
        missed = {one.path for one in attached}
        states += [one._replace(state=FileState.missing) for one in gone if one.path in missed]
        self._store.put_files(folder.id, states)
        # Bibliographies, and PDFs that SciRead has moved to the PDF folder.
        self._store.forget_files([one.path for one in gone if one.path not in missed])
        report.missing = sorted(missed)
        report.returned = [one.path for one in changes.returned]
        self._store.note_scan(folder.id, time.time(), changes.problem, changes.mount)
        return report

    def _read_before(self, paths: Sequence[str], files: Mapping[str, _State]) -> set[str]:
        """Those of these files that belong to papers and have not changed since they were read, as
        after an ordinary import or a move by the program."""
        return {
            one.path
            for one in self._library.attachments.with_path(paths)
            if one.sha256
            and (one.size, one.modified) == (files[one.path].size, files[one.path].modified)
        }

    def _follow(
        self, path: str, state: _State, watched: Sequence[WatchedFolder], report: ScanReport
    ) -> bool:
        """Return whether a new file is one that was elsewhere before, and record its new place.

        A file of the same name, size and time is the same; of others, the content decides.
        """
        old = self._former(path, state, watched)
        if old is None:
            return False
        attachments = self._library.attachments
        there = {one.paper for one in attachments.with_path([path])}
        for one in attachments.with_path([old]):
            if one.paper in there:
                attachments.remove(one.paper, old)
        attachments.move(old, path)
        self._store.forget_files([old])
        report.moved.append((old, path))
        return True

    def _former(self, path: str, state: _State, watched: Sequence[WatchedFolder]) -> str | None:
        """The path at which a file was before it was moved to `path`."""
        alike = [one for one in self._library.attachments.with_size([state.size]) if one.sha256]
        gone = [one for one in alike if one.path != path and _is_gone(one.path, watched)]
        name = Path(path).name
        for one in gone:
            if (Path(one.path).name, one.modified) == (name, state.modified):
                return one.path
        if gone:
            with suppress(OSError):
                content = sha256_of(Path(path))
                return next((one.path for one in gone if one.sha256 == content), None)
        return None


def _is_gone(path: str, watched: Sequence[WatchedFolder]) -> bool:
    """Whether a file was deleted or moved, rather than being on a drive that is not there."""
    if os.path.lexists(path):
        return False
    around = [one for one in watched if Path(path).is_relative_to(one.path)]
    return all(_is_there(one) for one in around) if around else Path(path).parent.is_dir()


def _walk(
    root: Path, subfolders: bool, unread: list[str], task: Task
) -> Iterator[tuple[str, _State]]:
    """The files below a folder that may hold papers. Folders that cannot be read, and files with
    names that are not valid text, are added to `unread`; hidden folders and links to folders are
    not entered, so that the walk ends."""

    def failed(error: OSError) -> None:
        unread.append(str(error.filename))

    for at, folders, names in os.walk(root, onerror=failed):
        task.raise_if_cancelled()
        kept = (name for name in folders if not name.startswith(".") and not _is_temporary(name))
        folders[:] = sorted(kept) if subfolders else []
        there = set(names)
        for name in sorted(names):
            if name.startswith(".") or _is_temporary(name) or f"{name}.part" in there:
                continue
            file = Path(at, name)
            if not formats.is_known(file):
                continue
            path = str(file)
            if not _is_legible(path):
                unread.append(path)
                continue
            with suppress(OSError):  # deleted meanwhile, or a broken link
                state = file.stat()
                if stat.S_ISREG(state.st_mode):
                    yield path, _State(state.st_size, state.st_mtime, state.st_ctime)


def _is_temporary(name: str) -> bool:
    """Whether a name is that of a download in progress, or of a lock or backup of an editor."""
    return name.startswith("~") or name.endswith("~") or name.lower().endswith(_TEMPORARY)


def _is_new(path: str, state: _State, known: Mapping[str, WatchedFile]) -> bool:
    before = known.get(path)
    if before is None or not state.is_of(before):
        return True
    return before.state is FileState.unreadable and os.access(path, os.R_OK)


def _complete(
    paths: Sequence[str], files: Mapping[str, _State], task: Task
) -> tuple[list[str], list[str]]:
    """Of these files, those that are complete, and those that are still being written."""
    now = time.time()
    last = {path: max(files[path].modified, files[path].changed) for path in paths}
    young = {path for path in paths if now - last[path] < _OLD}  # a clock may be ahead
    if young:
        task.wait(SETTLED, tr("Waiting for downloads to finish"))
    complete: list[str] = []
    waiting: list[str] = []
    for path in paths:
        whole = path not in young or _is_unchanged(path, files[path])
        whole = whole and _has_end(path, now - last[path])
        (complete if whole else waiting).append(path)
    return complete, waiting


def _is_unchanged(path: str, state: _State) -> bool:
    try:
        found = Path(path).stat()
    except OSError:
        return False
    return (found.st_size, found.st_mtime) == (state.size, state.modified)


def _has_end(path: str, age: float) -> bool:
    """Whether a file is more than the beginning of a download, as far as that can be told, or has
    not changed for so long that no more will come. `age` is in seconds."""
    if age > _UNFINISHED:
        return True
    try:
        with Path(path).open("rb") as stream:
            size = stream.seek(0, os.SEEK_END)
            stream.seek(max(0, size - _TAIL))
            tail = stream.read()
    except OSError:
        return True  # reported by the import
    if path.lower().endswith(".pdf"):
        return b"%%EOF" in tail
    return size > 0


def _is_there(folder: WatchedFolder) -> bool:
    """Whether a folder exists, and not only the empty place of a drive that is not mounted."""
    if not Path(folder.path).is_dir():
        return False
    return not folder.mount or os.path.ismount(folder.mount)


def _mount_of(path: Path) -> str:
    """The place where the drive of a folder is mounted; empty for the main drive."""
    for place in (path, *path.parents):
        if os.path.ismount(place):
            return "" if place == Path(place.anchor) else str(place)
    return ""


def _problem(unread: Sequence[str]) -> str:
    """A sentence about the folders and files that could not be read."""
    if not unread:
        return ""
    shown = unread[0].encode("utf-8", "replace").decode()
    return trn(
        "{n:,} folder or file could not be read: {name}",
        "{n:,} folders or files could not be read, such as {name}",
        len(unread),
        name=shown,
    )


def _in(path: str, folders: Iterable[str]) -> bool:
    return any(Path(path).is_relative_to(folder) for folder in folders)


def _known(path: str, state: _State, kind: FileState) -> WatchedFile:
    return WatchedFile(path, state.size, state.modified, kind)


def _state_of(path: str) -> FileState:
    return FileState.present if os.access(path, os.R_OK) else FileState.unreadable


def _is_legible(path: str) -> bool:
    """Whether a path is valid text, which alone can be stored."""
    return path.encode("utf-8", "replace").decode() == path
