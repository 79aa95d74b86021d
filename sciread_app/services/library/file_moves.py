"""Moves of files that neither a full disk, a collision nor a killed process can turn into a loss.

A file is first made available at its new place, then the library is told, and only then is the old
place removed: whatever stops the program, the library names a file that exists.
"""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from sciread_app.domain.text.file_names import name_key
from sciread_app.errors import LibraryError
from sciread_app.language import tr
from trainer.contract.files import sha256_of

_BLOCK = 1 << 20


def place(source: Path, target: Path, *, copy: bool = False) -> None:
    """Make a file available at `target` too: as another name of it, or as a copy that was compared
    with it if `copy` is set or the file system has no other way.

    `target` appears complete or not at all. Raises OSError: FileExistsError if there is a file.
    """
    # The same name each time, so that what a killed copy left is removed by the next.
    name = hashlib.sha256(str(source).encode(errors="surrogateescape")).hexdigest()[:16]
    partial = target.with_name(f".{name}.partial")
    try:
        if copy or source.is_symlink() or not _link(source, target):
            if _copy(source, partial) != sha256_of(partial):
                raise OSError(errno.EIO, tr("the copy differs from the original"), str(target))
            _publish(partial, target)
    finally:
        partial.unlink(missing_ok=True)
    _persist(target.parent)


def remove_old(old: Path, new: Path) -> None:
    """Remove a file that is now at `new`. Raises OSError if that is impossible."""
    if _is_one_entry(old, new):
        return  # a change of case, on a file system that ignores case
    if not new.is_file():
        raise FileNotFoundError(errno.ENOENT, tr("its copy is missing"), str(new))
    old.unlink()


def has_same_content(one: Path, other: Path) -> bool:
    """Return whether both are files with the same content. Raises OSError."""
    if not one.is_file() or not other.is_file():
        return False
    if one.samefile(other):
        return True
    return one.stat().st_size == other.stat().st_size and sha256_of(one) == sha256_of(other)


def rename_case(source: Path, target: Path) -> bool:
    """Rename a file if `target` is the same name for its file system, as with another case. Returns
    False if it is not."""
    if not _is_one_entry(source, target):
        return False
    source.rename(target)
    return True


@contextmanager
def moved(moves: Sequence[tuple[Path, Path]]) -> Iterator[None]:
    """Move files before and after the block, which tells the library: if it raises, they are where
    they were. Missing files are skipped. Raises LibraryError if a file cannot be moved."""
    placed: list[tuple[Path, Path]] = []
    renamed: list[tuple[Path, Path]] = []
    try:
        for old, new in moves:
            _move_ahead(old, new, placed, renamed)
        yield
    except BaseException:
        for old, new in placed:
            with suppress(OSError):
                remove_old(new, old)
        for old, new in renamed:
            with suppress(OSError):
                new.rename(old)
        raise
    for old, new in moves:
        with suppress(OSError):  # a file that another program holds open stays as a second copy
            if has_same_content(old, new):
                remove_old(old, new)


def _move_ahead(
    old: Path, new: Path, placed: list[tuple[Path, Path]], renamed: list[tuple[Path, Path]]
) -> None:
    try:
        if not old.is_file() or has_same_content(old, new):
            if rename_case(old, new):
                renamed.append((old, new))
            return
        new.parent.mkdir(parents=True, exist_ok=True)
        place(old, new)
    except FileExistsError:
        message = tr("Another file is now at {file}.", file=new)
        raise LibraryError(message, tr("Move it elsewhere, then try again.")) from None
    except OSError as error:
        message = tr("Could not move {file}: {why}.", file=old.name, why=error.strerror)
        raise LibraryError(message, tr("Nothing was changed.")) from error
    placed.append((old, new))


def _is_one_entry(one: Path, other: Path) -> bool:
    """Return whether two names are one entry of a folder: those of different case, on a file system
    that ignores case."""
    if one.parent != other.parent or name_key(one.name) != name_key(other.name):
        return False
    if not one.exists() or not other.exists():
        return False
    with os.scandir(one.parent) as entries:
        return sum(entry.name in (one.name, other.name) for entry in entries) < 2


def _copy(source: Path, partial: Path) -> str:
    """Copy a file with its dates, and return the hash of what was read."""
    digest = hashlib.sha256()
    with source.open("rb") as stream, partial.open("wb") as copy:
        while block := stream.read(_BLOCK):
            digest.update(block)
            copy.write(block)
        copy.flush()
        os.fsync(copy.fileno())
    times = source.stat()
    os.utime(partial, ns=(times.st_atime_ns, times.st_mtime_ns))
    return digest.hexdigest()


def _publish(partial: Path, target: Path) -> None:
    """Give a complete file its name. Raises OSError: FileExistsError if that is taken."""
    if _link(partial, target):
        return
    # An empty file takes the name first, so that no other can.
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    try:
        partial.replace(target)
    except OSError:
        target.unlink(missing_ok=True)
        raise


def _link(source: Path, target: Path) -> bool:
    """Give a file a second name. Returns False if that is impossible, as between disks or on FAT.
    Raises FileExistsError."""
    try:
        os.link(source, target)
    except FileExistsError:
        raise
    except OSError:
        return False
    return True


def _persist(folder: Path) -> None:
    """Write the names in a folder to the disk; only POSIX systems can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
