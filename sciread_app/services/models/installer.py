"""How models come in: from folders, zips and runs, and from the hub."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock, Timeout

from sciread_app.errors import LibraryError
from sciread_app.language import tr
from sciread_app.paths import Home
from sciread_app.services.models import archive
from sciread_app.services.models.model_card import plain, trim_training
from sciread_app.services.models.registry import InstalledModel, ModelRegistry
from sciread_app.services.models.trash import ARRIVING, free_name
from sciread_app.services.models.verification_cache import VerificationResult
from sciread_app.services.subprocess import trainer
from sciread_app.tasks import Task
from trainer.contract.errors import PackageRefused
from trainer.contract.package import STARTER, Package, read_package

_LOOKS = 0.2  # seconds between two looks whether another model is in
_MOST_NAME = 80  # letters
_HUB = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", re.ASCII)
_HUB_PAGE = re.compile(r"https?://(www\.)?(huggingface\.co|hf\.co)/", re.IGNORECASE)
_REVISION = re.compile(r"[\w][\w./-]*", re.ASCII)
# Names of devices on Windows, and names that are reserved for our own models.
_TAKEN = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


class DownloadRequest(NamedTuple):
    """A model of the hub: OWNER/NAME, and what of it where it is not the usual. `pooling` is needed
    where nothing says how the model's tokens become one vector."""

    name: str
    revision: str = ""
    pooling: str = ""


class ModelInstaller:
    """Adds models from folders, archives and the hub.

    New files stay in a staging folder until they are verified byte for byte. If they are refused,
    or the work is cancelled or killed, nothing of them is left.
    """

    def __init__(self, home: Home, models: ModelRegistry) -> None:
        self._home = home
        self._models = models

    def add(self, source: Path, task: Task) -> InstalledModel:
        """Take in the model in a folder, in a zip, or of a training that is done. One that is
        damaged here is replaced by it.

        Raises PackageRefused, LibraryError and Cancelled.
        """
        source = source.expanduser().absolute()
        if not source.exists():
            raise LibraryError(
                tr("There is no {file}.", file=source), tr("Name a folder or a zip file.")
            )
        if source.parent == self._models.folder.absolute():
            raise LibraryError(tr("{name} is here already.", name=source.name))
        with self._room(task) as room:
            arrived = room / "model"
            archive.bring(source, arrived, task)
            trim_training(arrived)
            task.step(0, 0, tr("Looking at its files"))
            package = self._read(arrived, source.name)
            return self._take_in(package, _folder_name(package.id))

    def pull(self, wanted: DownloadRequest, task: Task) -> InstalledModel:
        """Fetch a model from the hub. Stopped, what came is kept by the hub's own cache, and the
        next call goes on.

        Raises PackageRefused, LibraryError, TrainerFailed and Cancelled.
        """
        name = hub_name(wanted.name)
        if wanted.revision and not _REVISION.fullmatch(wanted.revision):
            raise LibraryError(tr("{text} is no revision.", text=repr(wanted.revision)))
        with self._room(task) as room:
            arrived = room / "model"
            command = ["pull", name, f"--output={arrived}"]
            command += [f"--revision={wanted.revision}"] if wanted.revision else []
            command += [f"--pooling={wanted.pooling}"] if wanted.pooling else []
            trainer.ask(command, self._home.folder, task)
            task.step(0, 0, tr("Looking at its files"))
            return self._take_in(self._read(arrived, name), name.replace("/", "--"))

    def _read(self, folder: Path, called: str) -> Package:
        """The package, every byte of it looked at."""
        try:
            return read_package(folder)
        except PackageRefused as refused:
            # What is said of our folder is meant of what somebody gave.
            said = refused.message.replace(str(folder), called)
            raise PackageRefused(plain(said), refused.hint) from refused

    def _take_in(self, package: Package, name: str) -> InstalledModel:
        for model in self._models.all():
            if model.space != package.space and not (model.problem and model.name == name):
                continue
            if model.ours or not (model.problem or self._models.judge(model.name).problem):
                raise PackageRefused(
                    tr(
                        "{title} is here already, as {name}.",
                        title=plain(package.title),
                        name=model.name,
                    ),
                    tr("It makes the same vectors. There is nothing to add."),
                )
            name = model.name
            self._models.make_room(name)
            break
        name = free_name(self._models.folder, name)
        package.folder.rename(self._models.folder / name)
        self._models.facts.judge(name, self._models.folder / name, VerificationResult())
        return self._models.find(name)

    @contextmanager
    def _room(self, task: Task) -> Iterator[Path]:
        """A folder beside the models, which is no model, for one arrival at a time."""
        folder = self._models.folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LibraryError(
                tr("The folder {folder} cannot be made: {why}.", folder=folder, why=error.strerror)
            ) from error
        with _alone(_lock(folder), task):
            for half in _halves(folder):
                shutil.rmtree(half, ignore_errors=True)
            room = Path(tempfile.mkdtemp(ARRIVING, ".arriving-", folder))
            try:
                yield room
            finally:
                shutil.rmtree(room, ignore_errors=True)


def drop_halves(folder: Path) -> int:
    """Remove what arrivals that were killed have left among the models. Returns how many."""
    if not _halves(folder):
        return 0
    try:
        with _lock(folder).acquire(timeout=0):
            halves = _halves(folder)
            for half in halves:
                shutil.rmtree(half, ignore_errors=True)
            return len(halves)
    except Timeout:
        return 0  # one is coming in just now


def hub_name(text: str) -> str:
    """OWNER/NAME, also of the address of a model's page. Raises LibraryError."""
    name = _HUB_PAGE.sub("", text.strip()).strip("/")
    name = "/".join(name.split("/")[:2]) if _HUB_PAGE.match(text.strip()) else name
    if not _HUB.fullmatch(name) or len(name) > 2 * _MOST_NAME:
        raise LibraryError(
            tr("{text} is no name of a model on the hub.", text=repr(text.strip()[:100])),
            tr("Write it as its page does: owner/name, such as allenai/specter."),
        )
    return name


def _folder_name(id: str) -> str:
    """A name that any system takes, for what calls itself whatever it likes."""
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", id)[:_MOST_NAME].strip("-.")
    if not name or _TAKEN.fullmatch(name) or name.casefold() == STARTER or name.endswith(ARRIVING):
        name = f"model-{name}".rstrip("-.").removesuffix(ARRIVING)
    return name


def _halves(folder: Path) -> list[Path]:
    return list(folder.glob(f".arriving-*{ARRIVING}"))


def _lock(folder: Path) -> FileLock:
    return FileLock(folder / ".arriving.lock")


@contextmanager
def _alone(lock: FileLock, task: Task) -> Iterator[None]:
    while True:
        try:
            lock.acquire(timeout=0)
            break
        except Timeout:
            task.step(0, 0, tr("Waiting for another model that is coming in"))
            task.wait(_LOOKS, "")
    try:
        yield
    finally:
        lock.release()
