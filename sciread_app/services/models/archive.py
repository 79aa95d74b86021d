"""Import and export of model folders, file by file, as untrusted input.

Only copies files; `read_package` decides whether they are a model, once they are in our folder.
"""

from __future__ import annotations

import errno
import io
import os
import stat
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

from sciread_app.errors import LibraryError
from sciread_app.language import tr
from sciread_app.services.models.archive_safety import (
    DESCRIPTION,
    MOST_FILES,
    MOST_FOLDERS,
    UNREADABLE,
    check_apart,
    check_density,
    check_entry,
    check_list,
    check_room,
    check_size,
    mb,
    model_in,
    no_model,
    refused_kind,
    several_models,
    too_many,
)
from sciread_app.tasks import Task
from trainer.contract.errors import PackageRefused

TRAINING = "training.json"  # the report of the training run, in a model's folder

_PIECE = 1 << 20

_JUNK = frozenset(("__MACOSX", "Thumbs.db", "desktop.ini"))
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # the earliest time in a zip file


class ArchiveEntry(NamedTuple):
    """A file of a model: its name within the model's folder, its size, and how to read it."""

    name: str
    size: int
    open: Callable[[], IO[bytes]]


def bring(source: Path, target: Path, task: Task) -> None:
    """Copy the model in a folder or a zip file into the new folder `target`.

    `source` may also be the folder of a training run, or a folder that holds one model's folder.
    Raises PackageRefused if it holds no model, LibraryError if a file cannot be read or written,
    and Cancelled. After an error the caller removes `target`.
    """
    with _translated_errors(source):
        if source.is_dir():
            folder = model_folder(source)
            entries = _in_folder(folder)
            if folder.name == "package" and (folder.parent / "report.json").is_file():
                entries.append(_file(folder.parent / "report.json", TRAINING))
            _copy(entries, source, target, task)
            return
        if not source.is_file():  # a pipe or a device, which may have no end
            raise refused_kind(source.parent, source.name, source.stat().st_mode)
        check_list(source)
        with zipfile.ZipFile(source) as archive:
            entries = _in_zip(archive, source)
            check_density(sum(entry.size for entry in entries), source)
            _copy(entries, source, target, task)


def pack(folder: Path, name: str, target: Path, task: Task) -> None:
    """Write the files of a folder as `name`/... into a zip file, completely or not at all.

    The zip file is reproducible: the same files result in the same bytes on every computer.
    """
    unfinished = target.with_name(f"{target.name}.new")
    try:
        with _translated_errors(target):
            entries = _in_folder(folder)
            copier = _Copier(entries, task)
            with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_STORED) as archive:
                for entry in entries:
                    with entry.open() as stream, archive.open(_zip_info(name, entry), "w") as sink:
                        copier.copy(stream, sink, entry, folder)
            with unfinished.open("rb+") as written:
                os.fsync(written.fileno())
            unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)


def model_folder(folder: Path) -> Path:
    """Return the model's folder: this one, the package of a training run, or the only model's
    folder in it. Raises PackageRefused."""
    if (folder / DESCRIPTION).is_file():
        return folder
    if (folder / "recipe.toml").is_file():
        if (folder / "package" / DESCRIPTION).is_file():
            return folder / "package"
        raise PackageRefused(
            tr("The training run in {folder} has not produced a model yet.", folder=folder.name),
            tr("Wait until the training run is finished, then add its model."),
        )
    inside = [path.parent for path in sorted(folder.glob(f"*/{DESCRIPTION}"))][:3]
    if len(inside) > 1:
        raise several_models(folder, [path.name for path in inside])
    if not inside:
        raise no_model(folder)
    return inside[0]


def _in_folder(folder: Path) -> list[ArchiveEntry]:
    """Return the files of a folder at any depth, except files of the operating system."""
    found: list[ArchiveEntry] = []
    stack = [(folder, 0)]
    while stack:
        current, depth = stack.pop()
        for path in sorted(current.iterdir()):
            name = path.relative_to(folder).as_posix()
            if _is_junk(path.name):
                continue
            mode = path.lstat().st_mode
            if stat.S_ISDIR(mode):
                stack.append((path, depth + 1))
            elif stat.S_ISREG(mode):
                found.append(_file(path, name))
            else:
                raise refused_kind(folder, name, mode)
            if depth > MOST_FOLDERS or len(found) + len(stack) > MOST_FILES:
                raise too_many(folder)
    return sorted(found)


def _file(path: Path, name: str) -> ArchiveEntry:
    return ArchiveEntry(name, path.lstat().st_size, lambda: _opened(path))


def _opened(path: Path) -> IO[bytes]:
    """Open a file that was regular when it was listed. Fails on a link that has replaced it since,
    and does not block on a pipe."""
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0)
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    return io.FileIO(os.open(path, flags))


def _in_zip(archive: zipfile.ZipFile, source: Path) -> list[ArchiveEntry]:
    """Return the files of the only model in a zip file. All names are checked, including those of
    files that are ignored."""
    if len(archive.infolist()) > 5 * MOST_FILES:
        raise too_many(source)
    for info in archive.infolist():
        check_entry(info, source)
    files = [info for info in archive.infolist() if not info.is_dir()]
    check_apart(files, source)
    paths = {PurePosixPath(info.filename): info for info in files}
    model = model_in(paths, source)
    found = [
        _packed(archive, info, path.relative_to(model))
        for path, info in paths.items()
        if path.is_relative_to(model)
        and not any(_is_junk(part) for part in path.relative_to(model).parts)
    ]
    if model.name == "package" and (report := paths.get(model.parent / "report.json")):
        found.append(_packed(archive, report, PurePosixPath(TRAINING)))
    if len(found) > MOST_FILES:
        raise too_many(source)
    return sorted(found)


def _packed(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: PurePosixPath) -> ArchiveEntry:
    return ArchiveEntry(name.as_posix(), info.file_size, lambda: archive.open(info))


def _copy(entries: Sequence[ArchiveEntry], source: Path, target: Path, task: Task) -> None:
    for entry in entries:
        check_size(entry.name, entry.size, source)
    copier = _Copier(entries, task)
    check_room(copier.total, target)
    target.mkdir(parents=True)
    for entry in entries:
        path = target / entry.name
        path.parent.mkdir(parents=True, exist_ok=True)
        with entry.open() as stream, path.open("xb") as sink:
            copier.copy(stream, sink, entry, source)


class _Copier:
    """Copies files and reports the progress over all of them."""

    def __init__(self, entries: Sequence[ArchiveEntry], task: Task) -> None:
        self.total = sum(entry.size for entry in entries)
        self._done = 0
        self._task = task

    def copy(self, stream: IO[bytes], sink: IO[bytes], entry: ArchiveEntry, source: Path) -> None:
        """Copy exactly `entry.size` bytes. Raises PackageRefused if the file has more or fewer."""
        left = entry.size
        while piece := stream.read(min(_PIECE, left + 1)):
            left -= len(piece)
            if left < 0:
                break
            sink.write(piece)
            self._done += len(piece)
            total = max(1, mb(self.total))
            self._task.step(mb(self._done), total, tr("MB copied"))
        if left:
            raise PackageRefused(
                tr(
                    "The file {name} in {source} does not have the stated size.",
                    name=repr(entry.name),
                    source=source.name,
                ),
                tr("The file may be damaged or malicious. Download it again."),
            )


def _zip_info(name: str, entry: ArchiveEntry) -> zipfile.ZipInfo:
    """Describe a file without the date, permissions and system of this computer."""
    info = zipfile.ZipInfo(f"{name}/{entry.name}", _FIRST_DAY)
    info.external_attr = (stat.S_IFREG | 0o644) << 16
    info.create_system = 3
    info.file_size = entry.size
    return info


@contextmanager
def _translated_errors(file: Path) -> Iterator[None]:
    """Raise errors of a damaged file or a full disk as LibraryError or PackageRefused."""
    try:
        yield
    except UNREADABLE as error:
        raise PackageRefused(
            tr("{file} is damaged or not a zip file.", file=file.name),
            tr(
                "Select a model folder, which contains a package.json file, or a zip file of a "
                "model folder."
            ),
        ) from error
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise refused_kind(file, file.name, stat.S_IFLNK) from error
        raise LibraryError(
            tr("Could not copy {file}: {why}.", file=file, why=error.strerror),
            tr("Nothing was added. Fix the problem, then try again."),
        ) from error


def _is_junk(name: str) -> bool:
    return name.startswith(".") or name in _JUNK
