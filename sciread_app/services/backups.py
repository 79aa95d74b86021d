"""Copies of the library: one a day, made by itself, and those a person asks for."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from itertools import count
from pathlib import Path

from sciread_app.errors import LibraryDamaged, LibraryError
from sciread_app.language import tr
from sciread_app.paths import Home
from sciread_app.storage.copies import is_sound, papers_in
from sciread_app.storage.library import Library
from sciread_app.tasks import Task

DAYS, MONTHS = 7, 12  # of which copies are kept: the last days, and the last of each month

_ARRIVING = ".arriving"  # a copy that is being made, or looked at

_DAILY = re.compile(r"(\d{4}-\d{2}-\d{2})\.sqlite3")
_NAMES = (
    # Translators: how a backup came about; so are the next three
    (_DAILY, tr("Daily")),
    (re.compile(r"manual-.*\.sqlite3|sciread-.*\.zip"), tr("Manual")),
    (re.compile(r"library\.before-.*\.sqlite3"), tr("Before restoring")),
    (re.compile(r"library\.backup\.sqlite3"), tr("Before an update of SciRead")),
)


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy of the library. `papers` is None where it is not known without unpacking it."""

    path: Path
    kind: str
    made: datetime
    papers: int | None
    bytes: int

    @property
    def name(self) -> str:
        """What a person calls it, where only one can be meant: the day of a daily one."""
        day = _DAILY.fullmatch(self.path.name)
        return day[1] if day else self.path.name


class Backups:
    """The copies of one home, daily ones in `folder`."""

    def __init__(self, home: Home, folder: Path | None = None) -> None:
        self._home = home
        self.folder = folder or home.folder / "backups"

    def all(self) -> list[Copy]:
        """Every copy there is, newest first; also those that were made for another reason."""
        found = [
            _copy(path, kind)
            for folder in dict.fromkeys((self.folder, self._home.folder / "backups"))
            for path, kind in _named(folder)
        ]
        found += [_copy(path, kind) for path, kind in _named(self._home.folder)]
        return sorted(found, key=lambda copy: copy.made, reverse=True)

    def take(self, library: Library, today: date, task: Task) -> Path:
        """Copy the library for today, over an earlier copy of the day; then drop copies that are
        no longer wanted. Returns the new one.

        Nothing is dropped or written over unless the new copy is sound. Raises LibraryError and
        Cancelled.
        """
        target = self._write(library, f"{today.isoformat()}.sqlite3", task)
        self._thin()
        return target

    def take_now(self, library: Library, now: datetime, task: Task) -> Path:
        """Copy the library because a person asks for it. No other copy is replaced or dropped, and
        this one is never dropped by itself. Returns it.

        Raises LibraryError and Cancelled.
        """
        stem = f"manual-{now:%Y-%m-%d-%H%M%S}"
        names = (f"{stem}{f'-{n}' if n > 1 else ''}.sqlite3" for n in count(1))
        free = next(name for name in names if not (self.folder / name).exists())
        return self._write(library, free, task)

    def _write(self, library: Library, name: str, task: Task) -> Path:
        self._make_room()
        target = self.folder / name
        arriving = target.with_suffix(_ARRIVING)
        try:
            library.copy_to(arriving, lambda done, all: task.step(done, all, tr("Copying")))
            check_copy(arriving, library.path)
            arriving.replace(target)
        except OSError as error:
            raise LibraryError(
                tr("The backup {file} cannot be written: {why}.", file=target, why=error.strerror),
                tr("Make room, or choose another folder for backups in the settings."),
            ) from error
        finally:
            arriving.unlink(missing_ok=True)
        return target

    def due(self, library: Library, today: date) -> bool:
        """Whether there is no copy of today, and something that the last one does not hold."""
        there = (self.folder / f"{today.isoformat()}.sqlite3").exists()
        return not there and self._changed() and library.count() > 0

    def find(self, name: str) -> Path:
        """The copy that is meant by a day, or a name as `all` gives it, or a path.

        Raises LibraryError.
        """
        for copy in self.all():
            if name in (copy.name, copy.path.name):
                return copy.path
        if (path := Path(name).expanduser()).is_file():
            return path
        raise LibraryError(
            tr("There is no backup {name}.", name=name), tr("`sciread backups` lists them.")
        )

    def _changed(self) -> bool:
        """Whether the library was written to since the last daily copy was made."""
        copies = [path.stat().st_mtime for path in self._daily().values()]
        log = self._home.library.with_name(self._home.library.name + "-wal")
        written = [path.stat().st_mtime for path in (self._home.library, log) if _holds(path)]
        return not copies or max(written, default=0.0) > max(copies)

    def _make_room(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for half in self.folder.glob(f"*{_ARRIVING}*"):
                half.unlink()  # of one that was killed
            free, size = shutil.disk_usage(self.folder).free, self._home.library.stat().st_size
        except OSError as error:
            raise LibraryError(
                tr(
                    "The folder of the backups, {folder}, cannot be used: {why}.",
                    folder=self.folder,
                    why=error.strerror,
                ),
                tr("Choose another one in the settings."),
            ) from error
        if free < 2 * size:
            raise LibraryError(
                tr("There is too little room on the disk for a backup of the library."),
                tr(
                    "Make room, or choose another folder than {folder} in the settings.",
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
                    continue  # 2026-02-31: a name that nobody of ours has given
        return days

    def _thin(self) -> None:
        days = self._daily()
        keep = kept(days)
        # Who lost his papers without noticing still has the last copy that holds some.
        for day in sorted(days, reverse=True):
            if papers_in(days[day]):
                keep.add(day)
                break
        for day in days.keys() - keep:
            days[day].unlink(missing_ok=True)


def check_copy(copy: Path, library: Path) -> None:
    """Read all of a copy that was just made. Raises LibraryDamaged if it is not whole: then the
    library is not."""
    if not is_sound(copy):
        raise LibraryDamaged(
            tr("The library {file} is damaged, so no backup was made of it.", file=library),
            tr("Earlier backups were kept. `sciread doctor` says what can be done."),
        )


def kept(days: Iterable[date]) -> set[date]:
    """Of these days the last seven, and the last of each month for a year."""
    newest = sorted(days, reverse=True)
    months: dict[tuple[int, int], date] = {}
    for day in newest:
        months.setdefault((day.year, day.month), day)
    return {*newest[:DAYS], *list(months.values())[:MONTHS]}


def _named(folder: Path) -> list[tuple[Path, str]]:
    if not folder.is_dir():
        return []
    return [
        (path, kind)
        for path in folder.iterdir()
        for pattern, kind in _NAMES
        if pattern.fullmatch(path.name)
    ]


def _copy(path: Path, kind: str) -> Copy:
    state = path.stat()
    papers = None if path.suffix == ".zip" else papers_in(path)
    return Copy(path, kind, datetime.fromtimestamp(state.st_mtime), papers, state.st_size)


def _holds(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0
