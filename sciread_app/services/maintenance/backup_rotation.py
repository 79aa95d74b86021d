"""Backups: one copy of the library a day, made automatically, and copies made by the user."""

from __future__ import annotations

import re
import secrets
import shutil
import time
import zipfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from itertools import count
from pathlib import Path

from sciread_app.errors import LibraryDamaged, LibraryError
from sciread_app.language import tr
from sciread_app.paths import Home
from sciread_app.services.export.citation_styles import SUFFIX
from sciread_app.storage.files.sqlite_backup import is_sound, papers_in
from sciread_app.storage.library import Library
from sciread_app.tasks import Task

DAYS, MONTHS = 7, 12  # retention of copies: the last days, and the last of each month

_ARRIVING = ".arriving"  # suffix of a copy being made or checked
_STALE = 3600  # seconds without a change, after which such a copy is abandoned


class BackupKind(StrEnum):
    """The reason for a copy, as the command line writes it in JSON."""

    daily = "daily"
    manual = "manual"
    before_restore = "before-restore"
    before_update = "before-update"


_KIND_NAMES = {
    # Translators: the reason for a backup; so are the next three
    BackupKind.daily: tr("Daily"),
    BackupKind.manual: tr("Manual"),
    BackupKind.before_restore: tr("Before a restore"),
    BackupKind.before_update: tr("Before an update"),
}
_DAILY = re.compile(r"(\d{4}-\d{2}-\d{2})\.sqlite3")
_PATTERNS = (
    (_DAILY, BackupKind.daily),
    (re.compile(r"manual-.*\.sqlite3|sciread-.*\.zip"), BackupKind.manual),
    (re.compile(r"library\.before-.*\.sqlite3"), BackupKind.before_restore),
    (re.compile(r"library\.backup\.sqlite3"), BackupKind.before_update),
)


@dataclass(frozen=True, slots=True)
class BackupCopy:
    """A copy of the library. `papers` is None if finding out would mean unpacking it."""

    path: Path
    kind: BackupKind
    created: datetime
    papers: int | None
    bytes: int

    @property
    def name(self) -> str:
        """The name shown to the user; for a daily copy, the day."""
        day = _DAILY.fullmatch(self.path.name)
        return day[1] if day else self.path.name

    @property
    def kind_name(self) -> str:
        """The reason for it, in the user's language."""
        return _KIND_NAMES[self.kind]


class Backups:
    """The copies of one home, daily ones in `folder`."""

    def __init__(self, home: Home, folder: Path | None = None) -> None:
        self._home = home
        self.folder = folder or home.folder / "backups"

    def all(self) -> list[BackupCopy]:
        """All copies, newest first, including those made for other reasons."""
        found = [
            _copy(path, kind)
            for folder in dict.fromkeys((self.folder, self._home.folder / "backups"))
            for path, kind in _named(folder)
        ]
        found += [_copy(path, kind) for path, kind in _named(self._home.folder)]
        return sorted(found, key=lambda copy: copy.created, reverse=True)

    def create_daily(self, library: Library, today: date, task: Task) -> Path:
        """Make today's copy, replacing an earlier one of the day, then delete expired copies.

        Returns the new copy. Nothing is deleted or replaced unless it is undamaged. Raises
        LibraryError and Cancelled.
        """
        target = self._write(library, f"{today.isoformat()}.sqlite3", task)
        self._thin()
        return target

    def create_manual(self, library: Library, now: datetime, task: Task) -> Path:
        """Make a copy at the user's request.

        No other copy is replaced or deleted, and this one never expires. Returns it. Raises
        LibraryError and Cancelled.
        """
        stem = f"manual-{now:%Y-%m-%d-%H%M%S}"
        names = (f"{stem}{f'-{n}' if n > 1 else ''}.sqlite3" for n in count(1))
        free = next(name for name in names if not (self.folder / name).exists())
        return self._write(library, free, task)

    def _write(self, library: Library, name: str, task: Task) -> Path:
        self._make_room()
        target = self.folder / name
        # A unique name: another process may be writing the copy of the same day.
        arriving = self.folder / f"{target.stem}.{secrets.token_hex(4)}{_ARRIVING}"
        styles, styles_arriving = styles_of(target), arriving.with_suffix(f".styles{_ARRIVING}")
        try:
            library.copy_to(
                arriving, lambda done, all: task.step(done, all, tr("Copying the library"))
            )
            check_copy(arriving, library.path)
            with zipfile.ZipFile(styles_arriving, "w", zipfile.ZIP_DEFLATED) as archive:
                packed = pack_styles(self._home, archive)
            if packed:
                styles_arriving.replace(styles)
            else:
                styles.unlink(missing_ok=True)  # of an earlier copy of the day
            arriving.replace(target)
        except OSError as error:
            raise LibraryError(
                tr("Could not write the backup {file}: {why}.", file=target, why=error.strerror),
                tr("Free up disk space, or select another backup folder in Settings."),
            ) from error
        finally:
            arriving.unlink(missing_ok=True)
            styles_arriving.unlink(missing_ok=True)
        return target

    def is_due(self, library: Library, today: date) -> bool:
        """Return whether there is no copy of today and the library has changed since the last."""
        there = (self.folder / f"{today.isoformat()}.sqlite3").exists()
        return not there and self._changed() and library.count() > 0

    def find(self, name: str) -> Path:
        """The copy with this day, this name (as `all` returns it) or this path.

        Raises LibraryError.
        """
        for copy in self.all():
            if name in (copy.name, copy.path.name):
                return copy.path
        if (path := Path(name).expanduser()).is_file():
            return path
        raise LibraryError(
            tr("The backup {name} does not exist.", name=name),
            tr("Run `sciread backups` to list the backups."),
        )

    def _changed(self) -> bool:
        """Return whether the library or its citation styles changed since the last daily copy."""
        copies = [path.stat().st_mtime for path in self._daily().values()]
        log = self._home.library.with_name(self._home.library.name + "-wal")
        states = [path.stat() for path in (self._home.library, log) if path.exists()]
        written = [state.st_mtime for state in states if state.st_size]
        if self._home.styles.is_dir():
            written.append(self._home.styles.stat().st_mtime)
        return not copies or max(written, default=0.0) > max(copies)

    def _make_room(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for half in self.folder.glob(f"*{_ARRIVING}*"):
                with suppress(FileNotFoundError):  # another process may have finished it just now
                    if time.time() - half.stat().st_mtime > _STALE:  # left by a killed process
                        half.unlink()
            free, size = shutil.disk_usage(self.folder).free, self._home.library.stat().st_size
        except OSError as error:
            raise LibraryError(
                tr(
                    "Could not use the backup folder {folder}: {why}.",
                    folder=self.folder,
                    why=error.strerror,
                ),
                tr("Select another backup folder in Settings."),
            ) from error
        if free < 2 * size:
            raise LibraryError(
                tr("Not enough disk space to back up the library."),
                tr(
                    "Free up disk space in {folder}, or select another backup folder in Settings.",
                    folder=self.folder,
                ),
            )

    def _daily(self) -> dict[date, Path]:
        days = {}
        for path in sorted(self.folder.glob("*.sqlite3")):
            if day := _DAILY.fullmatch(path.name):
                try:
                    days[date.fromisoformat(day[1])] = path
                except ValueError:
                    continue  # 2026-02-31: not a name of ours
        return days

    def _thin(self) -> None:
        days = self._daily()
        keep = retained(days)
        # A user who lost papers unnoticed still has the last copy that holds some.
        for day in sorted(days, reverse=True):
            if papers_in(days[day]):
                keep.add(day)
                break
        for day in days.keys() - keep:
            days[day].unlink(missing_ok=True)
            styles_of(days[day]).unlink(missing_ok=True)


def styles_of(copy: Path) -> Path:
    """The zip file beside a copy with the citation styles of that time, if any."""
    return copy.with_suffix(".styles.zip")


def pack_styles(home: Home, archive: zipfile.ZipFile) -> int:
    """Write the citation styles of a home to the folder `styles` of an archive.

    Returns their number. Raises OSError.
    """
    files = sorted(home.styles.glob(f"*{SUFFIX}"))
    for file in files:
        archive.write(file, f"styles/{file.name}")
    return len(files)


def check_copy(copy: Path, library: Path) -> None:
    """Read a new copy completely. Raises LibraryDamaged if it is damaged, since then the library is
    damaged too."""
    if not is_sound(copy):
        raise LibraryDamaged(
            tr("The library {file} is damaged and was not backed up.", file=library),
            tr("Earlier backups were kept. Run `sciread doctor` to see how to recover."),
        )


def retained(days: Iterable[date]) -> set[date]:
    """The last seven of these days, and the last of each month for a year."""
    newest = sorted(days, reverse=True)
    months: dict[tuple[int, int], date] = {}
    for day in newest:
        months.setdefault((day.year, day.month), day)
    return {*newest[:DAYS], *list(months.values())[:MONTHS]}


def _named(folder: Path) -> list[tuple[Path, BackupKind]]:
    if not folder.is_dir():
        return []
    return [
        (path, kind)
        for path in folder.iterdir()
        for pattern, kind in _PATTERNS
        if pattern.fullmatch(path.name)
    ]


def _copy(path: Path, kind: BackupKind) -> BackupCopy:
    state = path.stat()
    papers = None if path.suffix == ".zip" else papers_in(path)
    return BackupCopy(path, kind, datetime.fromtimestamp(state.st_mtime), papers, state.st_size)
