"""Installation of models from folders, zip files, training runs and the hub."""

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
from sciread_app.tasks import Task, exclusive
from trainer.contract.errors import PackageRefused
from trainer.contract.package import STARTER, Package, read_package

_MOST_NAME = 80  # letters
_HUB = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", re.ASCII)
_HUB_PAGE = re.compile(r"https?://(www\.)?(huggingface\.co|hf\.co)/", re.IGNORECASE)
_REVISION = re.compile(r"[\w][\w./-]*", re.ASCII)
# Names of devices on Windows, and names that are reserved for our own models.
_TAKEN = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


class DownloadRequest(NamedTuple):
    """A model of the hub: OWNER/NAME, the revision if it is not the default one, and the pooling,
    which is required for a model that does not define it."""

    name: str
    revision: str = ""
    pooling: str = ""


class ModelInstaller:
    """Adds models from folders, archives and the hub.

    New files stay in a staging folder until they are verified byte for byte. If they are refused,
    or the work is canceled or killed, nothing of them is left.
    """

    def __init__(self, home: Home, models: ModelRegistry) -> None:
        self._home = home
        self._models = models

    def add(self, source: Path, task: Task) -> InstalledModel:
        """Install the model in a folder, in a zip file, or of a finished training run. It replaces
        a damaged copy of itself.

        Raises PackageRefused, LibraryError and Cancelled.
        """
        source = source.expanduser().absolute()
        if not source.exists():
            raise LibraryError(
                tr("{file} does not exist.", file=source), tr("Specify a folder or a zip file.")
            )
        if source.parent == self._models.folder.absolute():
            raise LibraryError(tr("{name} is already installed.", name=source.name))
        with self._staging(task) as staging:
            folder = staging / "model"
            archive.bring(source, folder, task)
            trim_training(folder)
            task.step(0, 0, tr("Verifying the model's files"))
            package = self._verified(folder, source.name)
            return self._install(package, _folder_name(package.id))

    def pull(self, request: DownloadRequest, task: Task) -> InstalledModel:
        """Download a model from the hub and install it. If it is canceled, the hub's own cache
        keeps the files so far, and the next call continues with them.

        Raises PackageRefused, LibraryError, TrainerFailed and Cancelled.
        """
        name = hub_name(request.name)
        if request.revision and not _REVISION.fullmatch(request.revision):
            raise LibraryError(tr("{text} is not a valid revision.", text=repr(request.revision)))
        with self._staging(task) as staging:
            folder = staging / "model"
            command = ["pull", name, f"--output={folder}"]
            command += [f"--revision={request.revision}"] if request.revision else []
            command += [f"--pooling={request.pooling}"] if request.pooling else []
            trainer.ask(command, self._home.folder, task)
            task.step(0, 0, tr("Verifying the model's files"))
            return self._install(self._verified(folder, name), name.replace("/", "--"))

    def _verified(self, folder: Path, source_name: str) -> Package:
        """Read a package in the staging folder and verify its hashes."""
        try:
            return read_package(folder)
        except PackageRefused as refused:
            # The user knows the source, not the staging folder.
            message = refused.message.replace(str(folder), source_name)
            raise PackageRefused(plain(message), refused.hint) from refused

    def _install(self, package: Package, name: str) -> InstalledModel:
        """Move a verified package to the models. Raises PackageRefused if an intact model has the
        same space."""
        for model in self._models.all():
            if model.space != package.space and not (model.problem and model.name == name):
                continue
            if model.ours or not (model.problem or self._models.verify(model.name).problem):
                raise PackageRefused(
                    tr(
                        "{title} is already installed as {name}.",
                        title=plain(package.title),
                        name=model.name,
                    ),
                    tr("Both models give the same results. Nothing was added."),
                )
            name = model.name
            self._models.discard_damaged(name)
            break
        name = free_name(self._models.folder, name)
        package.folder.rename(self._models.folder / name)
        self._models.facts.record_verdict(name, self._models.folder / name, VerificationResult())
        return self._models.find(name)

    @contextmanager
    def _staging(self, task: Task) -> Iterator[Path]:
        """Create a staging folder in the folder of the models, for one installation at a time."""
        folder = self._models.folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LibraryError(
                tr(
                    "Could not create the folder {folder}: {why}.",
                    folder=folder,
                    why=error.strerror,
                )
            ) from error
        note = tr("Waiting for another model to be added")
        with exclusive(_lock(folder), task, note):
            _remove_staging(folder)
            staging = Path(tempfile.mkdtemp(ARRIVING, ".arriving-", folder))
            try:
                yield staging
            finally:
                shutil.rmtree(staging, ignore_errors=True)


def remove_stale_staging(folder: Path) -> int:
    """Remove the staging folders of installations that were killed. Return how many."""
    if not _staging_folders(folder):
        return 0
    try:
        with _lock(folder).acquire(timeout=0):
            return _remove_staging(folder)
    except Timeout:
        return 0  # an installation is running


def hub_name(text: str) -> str:
    """Return OWNER/NAME for a model's name or the address of its page. Raises LibraryError."""
    name = _HUB_PAGE.sub("", text.strip()).strip("/")
    name = "/".join(name.split("/")[:2]) if _HUB_PAGE.match(text.strip()) else name
    if not _HUB.fullmatch(name) or len(name) > 2 * _MOST_NAME:
        raise LibraryError(
            tr("{text} is not a valid model name on Hugging Face.", text=repr(text.strip()[:100])),
            tr("Enter the name as owner/name, for example allenai/specter."),
        )
    return name


def _folder_name(id: str) -> str:
    """Return a folder name that is valid on every system, for the untrusted id of a package."""
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", id)[:_MOST_NAME].strip("-.")
    if not name or _TAKEN.fullmatch(name) or name.casefold() == STARTER or name.endswith(ARRIVING):
        name = f"model-{name}".rstrip("-.").removesuffix(ARRIVING)
    return name


def _remove_staging(folder: Path) -> int:
    stale = _staging_folders(folder)
    for path in stale:
        shutil.rmtree(path, ignore_errors=True)
    return len(stale)


def _staging_folders(folder: Path) -> list[Path]:
    return list(folder.glob(f".arriving-*{ARRIVING}"))


def _lock(folder: Path) -> FileLock:
    return FileLock(folder / ".arriving.lock")
