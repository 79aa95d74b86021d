"""Salvage of a damaged library into a new folder."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sciread_app.errors import LibraryError
from sciread_app.language import tr, trn
from sciread_app.paths import Home
from sciread_app.services.maintenance.relocation import FILES, FOLDERS
from sciread_app.storage.salvage import Salvaged, salvage
from sciread_app.tasks import Task

LOSSES_FILE = "salvaged.txt"  # beside the new library: the list of losses
_ARRIVING = ".salvaging"  # suffix of an incomplete folder
_LISTED = 200  # papers listed by name in the report
# Tables reported by name; all others are counted together.
_NAMES = {
    "papers": tr("papers"),
    "authors": tr("authors"),
    "identifiers": tr("identifiers"),
    "notes": tr("notes"),
    "highlights": tr("highlights"),
    "attachments": tr("attached files"),
    "tagged": tr("tags on papers"),
    "collected": tr("papers in collections"),
    "saved_searches": tr("saved searches"),
    "citations": tr("citations"),
}


@dataclass(frozen=True)
class SalvageReport:
    """The rows salvaged and lost. `folder`: the new home."""

    folder: Path
    salvaged: Salvaged
    missing_files: tuple[str, ...]  # files beside the library that could not be copied

    @property
    def complete(self) -> bool:
        """Whether nothing is known to be lost or changed."""
        done = self.salvaged
        return not (
            done.lost
            or done.uncounted
            or done.unrecognised
            or done.altered
            or done.gone
            or self.missing_files
        )

    def lines(self) -> Iterator[str]:
        """The report for the user, line by line."""
        done = self.salvaged
        yield trn("Saved {n:,} paper to {folder}.", "Saved {n:,} papers to {folder}.",
                  done.recovered["papers"], folder=self.folder)  # fmt: skip
        if self.complete:
            yield tr("No data was lost.")
        if done.pages:
            yield trn(
                "Could not read {n} page of the database file.",
                "Could not read {n} pages of the database file.",
                done.pages,
            )
        yield from self._counts()
        yield from _listed(tr("Lost papers:"), map(str, done.gone))
        yield from _listed(
            tr("Papers with a lost record (other data of each paper was kept under its number):"),
            (f"{id}: {about}" for id, about in done.placeholders.items()),
        )
        yield from _listed(
            tr("Papers with a damaged title, abstract, or other text:"),
            (f"{id}: {title}" for id, title in done.altered.items()),
        )
        yield from _listed(tr("Files that could not be copied:"), self.missing_files)

    def _counts(self) -> Iterator[str]:
        done = self.salvaged
        others = 0
        for table, lost in sorted(done.lost.items()):
            if name := _NAMES.get(table):
                yield tr("{name}: {kept:,} saved, {lost:,} lost", name=name,
                         kept=done.recovered[table], lost=lost)  # fmt: skip
            else:
                others += lost
        if others:
            yield trn("{n} other row was lost", "{n} other rows were lost", others)
        if done.unrecognised:
            yield trn(
                "{n} row was skipped because its table could not be identified.",
                "{n} rows were skipped because their table could not be identified.",
                done.unrecognised,
            )


def salvage_home(home: Home, target: Path, task: Task) -> SalvageReport:
    """Write everything readable in a library to `target`, with models, vectors and settings.

    `target` must be missing or empty. The damaged library is not changed. After a kill at any
    moment, `target` is complete or missing. Raises LibraryError, OSError and Cancelled.
    """
    target = target.expanduser().absolute()
    if not home.library.exists():
        raise LibraryError(tr("{folder} contains no library.", folder=home.folder))
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise LibraryError(
            tr("{folder} already exists.", folder=target),
            tr("Specify a new or empty folder."),
        )
    arriving = target.with_name(target.name + _ARRIVING)
    shutil.rmtree(arriving, ignore_errors=True)  # left by a killed run
    arriving.mkdir(parents=True)
    try:
        new = Home(arriving)
        done = salvage(
            home.library,
            new.library,
            lambda at, all: task.step(at, all, tr("Reading the damaged library")),
            lambda at, all: task.step(at, all, tr("Building the text index")),
        )
        report = SalvageReport(target, done, tuple(_copy_beside(home, new, task)))
        (arriving / LOSSES_FILE).write_text("\n".join(report.lines()) + "\n", "utf-8")
        if target.exists():
            target.rmdir()
        arriving.rename(target)
    finally:
        shutil.rmtree(arriving, ignore_errors=True)
    return report


def _copy_beside(home: Home, new: Home, task: Task) -> Iterator[str]:
    """Copy the files beside the database; returns those that could not be copied."""
    files = [home.folder / name for name in FILES]
    for name in FOLDERS:
        files += sorted(path for path in (home.folder / name).rglob("*") if path.is_file())
    for number, path in enumerate(files):
        task.step(number, len(files), tr("Copying models and other files"))
        place = path.relative_to(home.folder)
        if not path.is_file():
            continue
        try:
            (new.folder / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, new.folder / place)
        except OSError as error:
            (new.folder / place).unlink(missing_ok=True)
            yield f"{place}: {error.strerror}"


def _listed(heading: str, items: Iterator[str] | tuple[str, ...] | map[str]) -> Iterator[str]:
    found = list(items)
    if not found:
        return
    yield ""
    yield heading
    yield from (f"  {item}" for item in found[:_LISTED])
    if len(found) > _LISTED:
        yield trn("  ... and {n} more", "  ... and {n} more", len(found) - _LISTED)
