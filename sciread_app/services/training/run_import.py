"""Import of training runs made on another computer, with their models."""

from __future__ import annotations

import json
import os
import shutil
import stat
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from sciread_app.errors import LibraryError
from sciread_app.language import tr
from sciread_app.paths import Home
from sciread_app.services.models.archive_safety import (
    DESCRIPTION,
    LARGEST_WEIGHTS,
    UNREADABLE,
    check_apart,
    check_density,
    check_entry,
    check_list,
)
from sciread_app.services.training.corpora import Corpora
from sciread_app.services.training.remote_job import BASE, RUN
from sciread_app.services.training.runs import Runs, TrainingRun
from sciread_app.tasks import Task
from trainer.contract.errors import TrainerError
from trainer.contract.package import read_package
from trainer.contract.run import Recipe, Run, RunState, write_atomically

RECIPE = "recipe.toml"
# The files of a run's folder that are imported; all others are left there.
_FILES = (
    *(RECIPE, BASE, "events.jsonl", "report.json", "records.json", "trainer.log", "console.log"),
)
_FOLDERS = ("package", "evaluation", "grid")
_TO_RESUME = ("checkpoint", "tokenizer")  # needed to resume a training that is not finished
_TEMPORARY = ".arriving-"
_MOST_FILES = 2_000
_PIECE = 1 << 20
_MOST_PATH = 1 << 12  # bytes


class OpenedRun(NamedTuple):
    """An imported training. `model` is the name of its model, empty if it has none; `new` tells
    whether anything was copied."""

    training: TrainingRun
    model: str
    new: bool


class RunImporter:
    """Copies training runs from other computers into the home folder, with recipes that name the
    corpus on this one, and installs their models."""

    def __init__(
        self,
        home: Home,
        runs: Runs,
        corpora: Corpora,
        take_model: Callable[[Path, Task], str],
    ) -> None:
        """`take_model` installs the model of a run's folder unless it is installed, and returns its
        name. It may raise TrainerError and LibraryError."""
        self._home = home
        self._runs = runs
        self._corpora = corpora
        self._take_model = take_model

    def open(self, source: Path, task: Task) -> OpenedRun:
        """Import the training from a run's or a job's folder, or a zip file of one.

        A run that is already present is replaced if the imported one has progressed further.
        Raises LibraryError if `source` contains no training, TrainerError if that is damaged, and
        Cancelled; nothing has changed then.
        """
        source = source.expanduser().absolute()
        if not source.exists():
            raise LibraryError(
                tr("{file} does not exist.", file=source), tr("Specify a folder or a zip file.")
            )
        if source.parent == self._home.runs.absolute():
            return self._with_model(source.name, task, new=False)
        self._home.runs.mkdir(parents=True, exist_ok=True)
        with self._temporary_folder() as room, _understood(source):
            folder = _unpack(source, room, task) if source.is_file() else source
            found = _run_in(folder, source)
            arrived = room / RUN
            _copy(found, arrived, task)
            recipe = self._checked(arrived, task)
            name = self._known(arrived)
            if name and _progress(self._home.runs / name) >= _progress(arrived):
                return self._with_model(name, task, new=False)
            if name:
                self._runs.remove(name)
            name = self._runs.free_name(name or _name_of(found, source, recipe))
            arrived.rename(self._home.runs / name)
            recipe.write(self._home.runs / name / RECIPE, relative=True)
        return self._with_model(name, task, new=True)

    def add_model(self, name: str, task: Task) -> str:
        """Install the model of a finished training, and return its name.

        Raises LibraryError and TrainerError.
        """
        return self._take_model(self._runs.find(name).folder, task)

    def _with_model(self, name: str, task: Task, *, new: bool) -> OpenedRun:
        training = self._runs.find(name)
        has = (training.folder / "package" / "package.json").is_file()
        model = self._take_model(training.folder, task) if has else ""
        return OpenedRun(training, model, new)

    def _checked(self, arrived: Path, task: Task) -> Recipe:
        """Return the run's recipe, with the path of the corpus on this computer.

        Raises TrainerError if the recipe cannot be read, or the model is incomplete.
        """
        run = Run(arrived)
        try:
            recipe = run.recipe
        except TrainerError as error:
            raise TrainerError(error.message.replace(str(arrived), RUN), error.hint) from error
        if run.package.exists():
            task.step(0, 0, tr("Verifying the model's files"))
            try:
                # The base model of an adapter may come later: it is needed to install the model.
                read_package(run.package, base=False)
            except TrainerError as error:
                message = error.message.replace(str(run.package), RUN)
                hint = error.hint or tr("Copy the training run again.")
                raise TrainerError(message, hint) from error
        start = next((e for e in run.follow(thin=1_000)[0] if e.kind == "start"), None)
        corpus = start.values.get("corpus") if start else None
        sha256 = str(corpus.get("sha256", "")) if isinstance(corpus, dict) else ""
        here = self._corpora.with_hash(sha256)
        folder = here.folder if here else self._home.corpora / (sha256[:8] or "elsewhere")
        recipe = replace(recipe, corpus=folder)
        # The checkpoint of an unfinished training is tied to its recipe.
        if run.state is RunState.finished and (base := _base_on_this_computer(arrived)):
            recipe = replace(recipe, settings={**recipe.settings, "base": base})
            if (description := run.package / DESCRIPTION).is_file():
                described = json.loads(description.read_text("utf-8")) | {"base": base}
                write_atomically(description, json.dumps(described, indent=2) + "\n")
        return recipe

    def _known(self, arrived: Path) -> str:
        """Return the name of the same training if it is present, which has the same first event;
        else "". Raises LibraryError if it is active."""
        first = _first_line(arrived)
        for training in self._runs.all():
            if first and _first_line(training.folder) == first:
                if training.status.is_active:
                    raise LibraryError(
                        tr(
                            "The training run {name} is still running on this computer.",
                            name=training.name,
                        )
                    )
                return training.name
        return ""

    @contextmanager
    def _temporary_folder(self) -> Iterator[Path]:
        room = Path(tempfile.mkdtemp(prefix=_TEMPORARY, dir=self._home.runs))
        try:
            yield room
        finally:
            shutil.rmtree(room, ignore_errors=True)


def _base_on_this_computer(run: Path) -> str:
    """Return the path of the base model from which a job was exported; empty if it was not a path,
    or there is no model."""
    try:
        with (run / BASE).open("rb") as file:
            path = file.read(_MOST_PATH).decode()
    except (OSError, UnicodeDecodeError):
        return ""
    # A path to another computer could send it the user's name and password.
    local = Path(path).is_absolute() and not path.startswith(("//", "\\\\"))
    return path if local and Path(path).is_dir() else ""


def _run_in(folder: Path, source: Path) -> Path:
    """Return the run's folder: `folder` itself, or one inside. Raises LibraryError without one."""
    inside = sorted(path for path in folder.iterdir() if path.is_dir() and not path.is_symlink())
    for place in (folder, folder / RUN, *inside, *(path / RUN for path in inside)):
        if (place / RECIPE).is_file():
            return place
    raise _no_training(source)


def _no_training(source: Path) -> LibraryError:
    return LibraryError(
        tr("{source} contains no training run.", source=source),
        tr(
            "Select the folder of a training run, which contains a recipe.toml file, or of a "
            "training job, which contains the training run in a folder named “run”."
        ),
    )


def _name_of(found: Path, source: Path, recipe: Recipe) -> str:
    """Return a name for the run: that of its folder, of its job's folder, or of the zip file."""
    if source.is_file():
        return source.stem
    if found.name != RUN:
        return found.name
    return recipe.name if found == source else found.parent.name


def _copy(found: Path, target: Path, task: Task) -> None:
    """Copy the needed files of a run, without following links."""
    done = Run(found).state is RunState.finished
    tops = [*_FILES, *_FOLDERS, *(() if done else _TO_RESUME)]
    count = 0
    for top in tops:
        for path in _files(found / top):
            name = path.relative_to(found)
            if done and "checkpoint" in name.parts:
                continue
            count += 1
            if count > _MOST_FILES or path.stat().st_size > LARGEST_WEIGHTS:
                raise _no_training(found)
            task.step(count, 0, str(name))
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target / name, follow_symlinks=False)


def _files(path: Path) -> Iterator[Path]:
    """Yield a file, or all files in a folder. Raises LibraryError for links and special files."""
    if not os.path.lexists(path):
        return
    mode = path.lstat().st_mode
    if stat.S_ISDIR(mode):
        for inside in sorted(path.iterdir()):
            yield from _files(inside)
    elif stat.S_ISREG(mode):
        yield path
    else:
        raise LibraryError(
            tr("{name} is a link or a special file.", name=path),
            tr("Replace this file with a copy of the original."),
        )


def _unpack(source: Path, room: Path, task: Task) -> Path:
    """Extract the needed files of a zip file, and return their folder. Raises LibraryError."""
    check_list(source)
    target = room / "unpacked"
    with _readable(source), zipfile.ZipFile(source) as archive:
        infos = archive.infolist()
        for info in infos:
            check_entry(info, source)
        files = [info for info in infos if not info.is_dir()]
        check_apart(files, source)
        check_density(sum(info.file_size for info in files), source)
        root = _root_in(files, source)
        for number, info in enumerate(files):
            path = PurePosixPath(info.filename)
            if path.is_relative_to(root) and path.relative_to(root).parts[0] in _IMPORTED:
                task.step(number, len(files), tr("Unpacking"))
                _extract(archive, info, target / path.relative_to(root), task)
    return target


_IMPORTED = {*_FILES, *_FOLDERS, *_TO_RESUME}


def _root_in(files: list[zipfile.ZipInfo], source: Path) -> PurePosixPath:
    """Return the run's folder in a zip file: the one nearest to its root. Raises LibraryError."""
    paths = [PurePosixPath(info.filename) for info in files]
    found = [path.parent for path in paths if path.name == RECIPE and "grid" not in path.parts]
    if not found:
        raise _no_training(source)
    return min(found, key=lambda path: len(path.parts))


def _extract(archive: zipfile.ZipFile, info: zipfile.ZipInfo, target: Path, task: Task) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    left = info.file_size
    with archive.open(info) as stream, target.open("xb") as sink:
        while piece := stream.read(min(_PIECE, left + 1)):
            left -= len(piece)
            if left < 0:
                raise zipfile.BadZipFile("longer than it says")
            sink.write(piece)
            task.raise_if_cancelled()


def _progress(folder: Path) -> tuple[int, bool, bool]:
    """Return a key that orders copies of a run by their progress: the size of the events, whether
    it is finished, and whether it has a model, which an interrupted copy may lack."""
    run = Run(folder)
    return run.size, run.state is RunState.finished, run.package.is_dir()


def _first_line(folder: Path) -> bytes:
    try:
        with (folder / "events.jsonl").open("rb") as file:
            return file.readline(_PIECE)
    except OSError:
        return b""


@contextmanager
def _readable(source: Path) -> Iterator[None]:
    """Raise the errors of a damaged zip file as LibraryError."""
    try:
        yield
    except UNREADABLE as error:
        raise LibraryError(
            tr("{file} is damaged or not a zip file.", file=source.name),
            tr("Select the folder of a training run, or a zip file of that folder."),
        ) from error


@contextmanager
def _understood(source: Path) -> Iterator[None]:
    """Raise OSError, as of a full disk, as LibraryError."""
    try:
        yield
    except OSError as error:
        raise LibraryError(
            tr("Could not copy {file}: {why}.", file=source, why=error.strerror or error),
            tr("Check that the file exists and is readable, and that the disk has enough space."),
        ) from error
