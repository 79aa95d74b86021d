"""Backup of a library to a single file, and its restoration."""

from __future__ import annotations

import errno
import logging
import os
import re
import shutil
import time
import zipfile
from pathlib import Path

from sciread_app.errors import LibraryError
from sciread_app.formats.csl.style import LARGEST
from sciread_app.language import tr
from sciread_app.paths import Home
from sciread_app.services.export.citation_styles import MOST, SUFFIX
from sciread_app.services.maintenance.backup_rotation import check_copy, pack_styles, styles_of
from sciread_app.services.models.archive_safety import UNREADABLE
from sciread_app.storage.database import in_use
from sciread_app.storage.files.integrity import SIDES
from sciread_app.storage.files.sqlite_backup import copy, is_sound, revision_of
from sciread_app.storage.library import Library
from sciread_app.storage.migrations import HEAD

log = logging.getLogger(__name__)

_LIBRARY, _SETTINGS = "library.sqlite3", "settings.toml"
# A file directly in the folder of styles, with a name valid on every system.
_STYLE = re.compile(rf'styles/([^/\\:*?"<>|\x00-\x1f.][^/\\:*?"<>|\x00-\x1f]*{re.escape(SUFFIX)})')
_STALE = 24 * 3600  # age in seconds after which a partial backup is abandoned


def backup(library: Library, home: Home, target: Path) -> None:
    """Write library, settings and citation styles to a zip file, completely or not at all.

    PDFs and models are not included: PDFs stay where they are, and vectors can be recomputed. The
    backup is verified by reading it. Raises LibraryDamaged, and writes nothing, if the library is
    damaged.
    """
    half = target.with_name(target.name + ".new")
    whole = target.with_name(target.name + ".sqlite3.new")
    try:
        _drop_halves(target.parent)
        library.copy_to(whole)
        check_copy(whole, library.path)
        with zipfile.ZipFile(half, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            archive.write(whole, _LIBRARY)
            if home.settings.exists():
                archive.write(home.settings, _SETTINGS)
            pack_styles(home, archive)
        with half.open("rb+") as stream:
            os.fsync(stream.fileno())
        with zipfile.ZipFile(half) as archive:
            if archive.testzip():
                raise OSError(errno.EIO, os.strerror(errno.EIO))
        half.replace(target)
    except OSError as error:
        raise LibraryError(
            tr("Could not write the backup {file}: {why}.", file=target, why=error.strerror),
            tr("Select another location."),
        ) from error
    finally:
        whole.unlink(missing_ok=True)
        half.unlink(missing_ok=True)


def _drop_halves(folder: Path) -> None:
    """Delete partial files left by killed backups."""
    for half in folder.glob("sciread-*.zip*.new"):
        if time.time() - half.stat().st_mtime > _STALE:
            half.unlink()


def default_name(home: Home) -> Path:
    """The default path of a backup: a new name for every second."""
    return home.folder / "backups" / time.strftime("sciread-%Y-%m-%d-%H%M%S.zip")


def restore(home: Home, archive: Path) -> Path | None:
    """Replace the library, which must be closed, by a backup: a zip file or a copy.

    Citation styles in the backup, or beside a copy, are added to the present ones. Returns the path
    to which the previous library was moved. Nothing is changed unless the backup is an undamaged
    library.
    """
    new = home.folder / "restored.sqlite3"
    try:
        _clear(new)  # partial files of a killed run would be taken for its own
        _unpack(archive, new)
        _check(new, archive)
        if home.library.exists() and in_use(home.library):
            raise LibraryError(
                tr("The library {file} is open in another window or program.", file=home.library),
                tr("Close the library there, then restore again. Nothing was changed."),
            )
        kept = _put_aside(home)
        new.replace(home.library)
        styles = styles_of(archive) if archive.suffix == ".sqlite3" else archive
        _restore_styles(styles, home.styles)
    except OSError as error:
        raise LibraryError(tr("Could not unpack the backup: {why}.", why=error.strerror)) from error
    finally:
        _clear(new)
    return kept


def _unpack(archive: Path, target: Path) -> None:
    if archive.suffix == ".sqlite3" and archive.is_file():
        if revision_of(archive) is None:
            raise _damaged(archive)
        copy(archive, target)
        return
    try:
        with (
            zipfile.ZipFile(archive) as packed,
            packed.open(_LIBRARY) as source,
            target.open("wb") as sink,
        ):
            shutil.copyfileobj(source, sink)
            sink.flush()
            os.fsync(sink.fileno())
    except FileNotFoundError as error:
        raise LibraryError(tr("The backup {name} does not exist.", name=archive)) from error
    except UNREADABLE as error:
        raise _damaged(archive) from error


def _restore_styles(archive: Path, folder: Path) -> None:
    """Unpack the citation styles whose file names are not in `folder` yet.

    A style that cannot be unpacked is logged and left out: the library matters more.
    """
    if not zipfile.is_zipfile(archive):
        return
    try:
        packed = zipfile.ZipFile(archive)
    except (*UNREADABLE, OSError):
        log.warning("%s: could not restore citation styles", archive, exc_info=True)
        return
    with packed:
        for entry in packed.infolist()[: MOST + 2]:
            found = _STYLE.fullmatch(entry.filename)
            if not found or (folder / found[1]).exists():
                continue
            try:
                if entry.file_size > LARGEST:
                    raise ValueError("it is too large")
                folder.mkdir(parents=True, exist_ok=True)
                (folder / found[1]).write_bytes(packed.read(entry))
            except (*UNREADABLE, OSError):
                log.warning("%s: could not restore %s", archive, entry.filename, exc_info=True)


def _check(path: Path, archive: Path) -> None:
    revision = revision_of(path)
    if revision is not None and revision > HEAD:
        raise LibraryError(
            tr(
                "{file} was written by a newer version of SciRead (library format {format}; "
                "this version supports up to {known}).",
                file=archive,
                format=revision,
                known=HEAD,
            ),
            tr("Update SciRead. The library was not changed."),
        )
    if not is_sound(path):
        raise _damaged(archive)
    library = Library(path)
    try:
        if problems := library.problems():
            raise LibraryError(
                tr("The backup is damaged: {why}.", why=problems[0]), tr("Select another backup.")
            )
    finally:
        library.close()


def _damaged(archive: Path) -> LibraryError:
    return LibraryError(
        tr("{file} is damaged or not a SciRead backup.", file=archive),
        tr("Select another backup."),
    )


def _clear(path: Path) -> None:
    for side in ("", *SIDES):
        path.with_name(path.name + side).unlink(missing_ok=True)
    # An old backup was migrated, after a copy was made; but it is a copy itself.
    path.with_suffix(".backup" + path.suffix).unlink(missing_ok=True)


def _put_aside(home: Home) -> Path | None:
    """Copy the library and leave it in place until it is replaced in one step.

    After a kill at any moment, one of the two is there.
    """
    if not home.library.exists():
        return None
    kept = home.library.with_name(time.strftime("library.before-%Y-%m-%d-%H%M%S.sqlite3"))
    try:
        # The write-ahead log may hold part of it.
        library = Library(home.library)
        try:
            library.copy_to(kept)
        finally:
            library.close()
    except LibraryError:  # damaged or foreign: kept as it is, even if the disk cannot read it
        for side in ("", "-wal", "-shm"):
            if (part := home.library.with_name(home.library.name + side)).exists():
                _keep(part, kept.with_name(kept.name + side))
    for side in SIDES:
        home.library.with_name(home.library.name + side).unlink(missing_ok=True)
    return kept


def _keep(file: Path, name: Path) -> None:
    """Give a file a second name by a hard link, or a copy if the file system has no links."""
    try:
        os.link(file, name)
    except OSError:
        shutil.copy2(file, name)
