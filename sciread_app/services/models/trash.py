"""The trash of removed models, which can be restored for a month."""

from __future__ import annotations

import json
import re
import shutil
import stat
import time
from pathlib import Path
from typing import NamedTuple

from sciread_app.errors import LibraryError
from sciread_app.language import tr
from sciread_app.services.models.archive_safety import DESCRIPTION
from sciread_app.services.models.model_card import plain

DAYS = 30
ARRIVING = ".new"  # suffix of a folder that is being installed or deleted

_NAME = re.compile(r"(?P<name>.+)@(?P<when>\d{8}-\d{6})(-\d+)?")
_WHEN = "%Y%m%d-%H%M%S"
_MOST_DESCRIPTION = 16 << 20  # bytes


class RemovedModel(NamedTuple):
    """A model in the trash. `key` is its folder there, `name` its former folder."""

    key: str
    name: str
    title: str
    when: float  # seconds since 1970
    size: int


class ModelTrash:
    """The folder of removed models. The time of removal is part of each folder's name, so that
    there is no index that could get out of step with the folders."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def all(self) -> list[RemovedModel]:
        """Return the models in the trash, the most recently removed first."""
        found = []
        for path in self._folder.iterdir() if self._folder.is_dir() else ():
            match = _NAME.fullmatch(path.name)
            if match and path.is_dir():
                when = time.mktime(time.strptime(match["when"], _WHEN))
                title = title_of(path) or match["name"]
                found.append(RemovedModel(path.name, match["name"], title, when, size_of(path)))
        return sorted(found, key=lambda removed: (-removed.when, removed.key))

    def find(self, key: str) -> RemovedModel:
        """Return the model with this key, name or title; of several, the one removed last. Raises
        LibraryError."""
        models = self.all()
        # A title may be the name of another model.
        by_name = [removed for removed in models if key in (removed.key, removed.name)]
        if found := by_name or [removed for removed in models if removed.title == key]:
            return found[0]
        raise LibraryError(
            tr("The model {name} is not in the Trash.", name=key),
            tr(
                "Models are deleted permanently {days} days after they are moved to the Trash.",
                days=DAYS,
            ),
        )

    def put(self, model: Path) -> RemovedModel:
        """Move the folder of a model to the trash. Raises LibraryError."""
        when = time.time()
        stamp = time.strftime(_WHEN, time.localtime(when))
        key = free_name(self._folder, f"{model.name}@{stamp}")
        title, size = title_of(model) or model.name, size_of(model)
        move(model, self._folder / key)
        return RemovedModel(key, model.name, title, when, size)

    def take(self, removed: RemovedModel, models: Path) -> str:
        """Move a model back to the folder `models`. Return its name, which is a new one if its own
        is taken. Raises LibraryError."""
        name = free_name(models, removed.name)
        move(self._folder / removed.key, models / name)
        return name

    def delete(self, removed: RemovedModel) -> None:
        """Delete a model permanently. Raises LibraryError."""
        # Renamed first, so that a partly deleted model cannot be restored.
        doomed = self._folder / f"{removed.key}{ARRIVING}"
        move(self._folder / removed.key, doomed)
        shutil.rmtree(doomed, ignore_errors=True)

    def delete_old(self) -> int:
        """Delete the models that were removed at least 30 days ago. Return how many."""
        since = time.time() - DAYS * 86_400
        old = [removed for removed in self.all() if removed.when <= since]
        for removed in old:
            self.delete(removed)
        for unfinished in self._folder.glob(f"*{ARRIVING}"):
            shutil.rmtree(unfinished, ignore_errors=True)
        return len(old)


def title_of(folder: Path) -> str:
    """Return the title in the package.json of a model, even of a damaged one; empty if there is
    none."""
    try:
        file = folder / DESCRIPTION
        if file.stat().st_size > _MOST_DESCRIPTION:
            return ""
        found = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return ""
    title = found.get("title") if isinstance(found, dict) else None
    return plain(title) if isinstance(title, str) else ""


def size_of(folder: Path) -> int:
    """Return the total size of the files in a folder, in bytes."""
    try:
        states = [path.lstat() for path in folder.rglob("*")]
    except (OSError, RecursionError):
        return 0
    return sum(state.st_size for state in states if stat.S_ISREG(state.st_mode))


def free_name(folder: Path, name: str) -> str:
    """Return the name, with a number appended if the folder has an entry of that name."""
    names = (name, *(f"{name}-{number}" for number in range(2, 1_000)))
    return next(candidate for candidate in names if not (folder / candidate).exists())


def move(path: Path, to: Path) -> None:
    """Rename a folder. Raises LibraryError."""
    try:
        to.parent.mkdir(parents=True, exist_ok=True)
        path.rename(to)
    except OSError as error:
        raise LibraryError(
            tr("Could not move {folder}: {why}.", folder=path, why=error.strerror),
            tr("Another program may be using the folder. Close that program, then try again."),
        ) from error
