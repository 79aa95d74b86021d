"""Relocation of a library to another folder, safe at any moment."""

from __future__ import annotations

import logging
import shutil
import time

from sciread_app.errors import LibraryError
from sciread_app.language import tr
from sciread_app.paths import MOVED, SAMPLE_FOLDER, Home
from sciread_app.services.export import export
from sciread_app.services.training.runs import Runs
from sciread_app.storage.database import in_use
from sciread_app.storage.files.integrity import SIDES
from sciread_app.storage.files.sqlite_backup import copy, is_sound
from sciread_app.tasks import Task

log = logging.getLogger(__name__)

# Files and folders that belong to a library beside the database.
FOLDERS = ("models", "indexes", "runs", "corpora", "reports", "trash", "drafts", "styles",
           SAMPLE_FOLDER)  # fmt: skip
FILES = ("settings.toml", "window.ini", "lookups.jsonl")


def move(home: Home, target: Home, task: Task) -> Home:
    """Move a closed library to another folder.

    The old folder then records the new location, and its database stays there, if possible under
    another name.
    Raises LibraryError, and then nothing was changed, and Cancelled.
    """
    _check(home, target)
    try:
        target.folder.mkdir(parents=True, exist_ok=True)
        _copy_beside(home, target, task)
        _copy_library(home, target, task)
        # From here on the new library is in use; if killed before, the old one is.
        export.write_text(f"{target.folder.absolute()}\n", home.folder / MOVED)
    except OSError as error:
        raise LibraryError(
            tr(
                "Could not move the library to {folder}: {why}.",
                folder=target.folder,
                why=_reason(error),
            ),
            tr("Select another folder."),
        ) from error
    try:
        _keep_old(home)
    except OSError:
        log.warning("%s: could not rename the old library", home.library, exc_info=True)
    return target


def _reason(error: OSError) -> str:
    if error.args and isinstance(error.args[0], list):  # of copytree: source, target, reason
        return str(error.args[0][0][2])
    return error.strerror or str(error)


def _check(home: Home, target: Home) -> None:
    if home.is_sample:
        raise LibraryError(
            tr("The sample library cannot be moved."),
            tr(
                "The sample library is stored inside your own library. Close the sample "
                "library, then move your own."
            ),
        )
    if target.library.exists():
        raise LibraryError(
            tr("{folder} already contains a library.", folder=target.folder),
            tr("Select an empty folder."),
        )
    if in_use(home.library):
        raise LibraryError(
            tr("The library {file} is open in another window or program.", file=home.library),
            tr("Close the library there, then move it again. Nothing was changed."),
        )
    if going := [one.name for one in Runs(home).all() if one.status.is_active]:
        raise LibraryError(
            tr(
                "The training run {name} is still running and writes to the old folder.",
                name=going[0],
            ),
            tr(
                "Stop the training run, move the library, then resume the run. Nothing was changed."
            ),
        )


def _copy_library(home: Home, target: Home, task: Task) -> None:
    arriving = target.library.with_suffix(".arriving")
    copy(home.library, arriving, lambda done, all: task.step(done, all, tr("Copying the library")))
    if not is_sound(arriving):
        arriving.unlink()
        raise LibraryError(
            tr("The copy in {folder} is damaged.", folder=target.folder),
            tr("Run `sciread doctor`, then try again."),
        )
    arriving.replace(target.library)


def _copy_beside(home: Home, target: Home, task: Task) -> None:
    for name in FOLDERS:
        if (home.folder / name).is_dir():
            task.step(0, 0, tr("Copying {name}", name=name))
            shutil.copytree(home.folder / name, target.folder / name, dirs_exist_ok=True)
    for name in FILES:
        if (home.folder / name).is_file():
            shutil.copy2(home.folder / name, target.folder / name)


def _keep_old(home: Home) -> None:
    kept = time.strftime("library.before-%Y-%m-%d-%H%M%S.sqlite3")
    home.library.rename(home.library.with_name(kept))
    for side in SIDES:
        home.library.with_name(home.library.name + side).unlink(missing_ok=True)
