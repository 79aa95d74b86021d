"""The library in one file that can be put away, and brought back from there."""

from __future__ import annotations

import os
import shutil
import time
import zipfile
from pathlib import Path

from sciread_app.errors import LibraryError
from sciread_app.language import tr
from sciread_app.paths import Home
from sciread_app.storage.copies import copy
from sciread_app.storage.database import in_use
from sciread_app.storage.library import Library

_LIBRARY, _SETTINGS = "library.sqlite3", "settings.toml"


def backup(library: Library, home: Home, target: Path) -> None:
    """Write library and settings to a zip file, whole or not at all. PDFs and models are not in
    it: PDFs lie where they always did, and vectors can be made again."""
    whole = home.folder / "backup.sqlite3"
    half = target.with_name(target.name + ".new")
    try:
        library.copy_to(whole)
        with zipfile.ZipFile(half, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            archive.write(whole, _LIBRARY)
            if home.settings.exists():
                archive.write(home.settings, _SETTINGS)
        with half.open("rb+") as stream:
            os.fsync(stream.fileno())
        half.replace(target)
    except OSError as error:
        raise LibraryError(
            tr("The backup {file} cannot be written: {why}.", file=target, why=error.strerror),
            tr("Choose another place."),
        ) from error
    finally:
        whole.unlink(missing_ok=True)
        half.unlink(missing_ok=True)


def usual_name(home: Home) -> Path:
    """Where a backup goes when nobody says where: a new name for every second."""
    return home.folder / "backups" / time.strftime("sciread-%Y-%m-%d-%H%M%S.zip")


def restore(home: Home, archive: Path) -> Path | None:
    """Put a backup, a zip file or a copy of the library, in the library's place; the library must
    be closed.

    Returns where the library that was there before lies now. Nothing is touched unless the backup
    is whole and a library.
    """
    new = home.folder / "restored.sqlite3"
    try:
        _unpack(archive, new)
        _check(new)
        if home.library.exists() and in_use(home.library):
            raise LibraryError(
                tr("The library {file} is open in another window or program.", file=home.library),
                tr("Close it and restore again. Nothing was changed."),
            )
        kept = _put_away(home)
        new.replace(home.library)
    finally:
        new.unlink(missing_ok=True)
    return kept


def _unpack(archive: Path, target: Path) -> None:
    if archive.suffix == ".sqlite3" and archive.is_file():
        copy(archive, target)
        return
    try:
        with (
            zipfile.ZipFile(archive) as packed,
            packed.open(_LIBRARY) as source,
            target.open("wb") as sink,
        ):
            shutil.copyfileobj(source, sink)
    except FileNotFoundError as error:
        raise LibraryError(tr("There is no backup {name}.", name=archive)) from error
    except (zipfile.BadZipFile, KeyError) as error:
        raise LibraryError(
            tr("{file} is not a backup of SciRead, or it is damaged.", file=archive),
            tr("Choose another backup."),
        ) from error
    except OSError as error:
        raise LibraryError(
            tr("The backup cannot be unpacked: {why}.", why=error.strerror)
        ) from error


def _check(path: Path) -> None:
    library = Library(path)
    try:
        if problems := library.problems():
            raise LibraryError(
                tr("The backup is damaged: {why}.", why=problems[0]), tr("Choose another backup.")
            )
    finally:
        library.close()
        for side in ("-wal", "-shm"):
            path.with_name(path.name + side).unlink(missing_ok=True)
        # An old one was brought up to date, and copied before; but it is a copy itself.
        path.with_suffix(".backup" + path.suffix).unlink(missing_ok=True)


def _put_away(home: Home) -> Path | None:
    if not home.library.exists():
        return None
    kept = home.library.with_name(time.strftime("library.before-%Y-%m-%d-%H%M%S.sqlite3"))
    try:
        # What is still in the write-ahead log is part of it.
        library = Library(home.library)
        library.copy_to(kept)
        library.close()
    except LibraryError:
        shutil.copy2(home.library, kept)  # damaged or foreign: kept as it is
    for side in ("", "-wal", "-shm"):
        home.library.with_name(home.library.name + side).unlink(missing_ok=True)
    return kept
