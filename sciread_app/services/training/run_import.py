"""Trainings that come from elsewhere: looked at, copied, and their models taken in."""

from __future__ import annotations

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
    LARGEST_WEIGHTS,
    UNREADABLE,
    check_apart,
    check_density,
    check_entry,
    check_list,
)
from sciread_app.services.training.corpora import Corpora
from sciread_app.services.training.remote_job import RUN
from sciread_app.services.training.runs import Runs, TrainingRun
from sciread_app.tasks import Task
from trainer.contract.errors import TrainerError
from trainer.contract.package import read_package
from trainer.contract.run import Recipe, Run, RunState

RECIPE = "recipe.toml"
# The files of a run's folder that are imported; all others are left there.
_FILES = (RECIPE, "events.jsonl", "report.json", "records.json", "trainer.log", "console.log")
_FOLDERS = ("package", "evaluation", "grid")
_TO_GO_ON = ("checkpoint", "tokenizer")  # of a training that is not done
_ARRIVING = ".arriving-"
_MOST_FILES = 2_000
_PIECE = 1 << 20


class OpenedRun(NamedTuple):
    """A training that was opened. `model` is the name of the model that it has made, if it has;
    `new` says whether anything was copied."""

    training: TrainingRun
    model: str
    new: bool


class RunImporter:
    def __init__(
        self,
        home: Home,
        runs: Runs,
        corpora: Corpora,
        take_model: Callable[[Path, Task], str],
    ) -> None:
        """`take_model` takes the model of a run's folder in, if it is not here yet, and gives its
        name. It may raise TrainerError and LibraryError."""
        self._home = home
        self._runs = runs
        self._corpora = corpora
        self._take_model = take_model

    def open(self, source: Path, task: Task) -> OpenedRun:
        """Bring in the training in a folder or a zip: a run's folder, or that of a job. One that is
        here already becomes what it is there, if more has happened there.

        Raises LibraryError for what is no training, TrainerError for one that is damaged, and
        Cancelled; then nothing has changed.
        """
        source = source.expanduser().absolute()
        if not source.exists():
            raise LibraryError(
                tr("There is no {file}.", file=source), tr("Name a folder or a zip file.")
            )
        if source.parent == self._home.runs.absolute():
            return self._with_model(source.name, task, new=False)
        self._home.runs.mkdir(parents=True, exist_ok=True)
        with self._room() as room, _understood(source):
            folder = _unpacked(source, room, task) if source.is_file() else source
            found = _run_in(folder, source)
            arrived = room / RUN
            _copy(found, arrived, task)
            recipe = self._checked(arrived, task)
            name = self._known(arrived)
            if name and _how_far(self._home.runs / name) >= _how_far(arrived):
                return self._with_model(name, task, new=False)
            if name:
                self._runs.remove(name)
            name = self._runs.free_name(name or _name_of(found, source, recipe))
            arrived.rename(self._home.runs / name)
            recipe.write(self._home.runs / name / RECIPE, relative=True)
        return self._with_model(name, task, new=True)

    def add_model(self, name: str, task: Task) -> str:
        """Take in the model of a training that is done. Raises LibraryError, TrainerError."""
        return self._take_model(self._runs.find(name).folder, task)

    def _with_model(self, name: str, task: Task, *, new: bool) -> OpenedRun:
        training = self._runs.find(name)
        has = (training.folder / "package" / "package.json").is_file()
        model = self._take_model(training.folder, task) if has else ""
        return OpenedRun(training, model, new)

    def _checked(self, arrived: Path, task: Task) -> Recipe:
        """Its recipe, with the papers as they are here. Raises TrainerError for one that cannot be
        read, or whose model is not whole."""
        run = Run(arrived)
        try:
            recipe = run.recipe
        except TrainerError as error:
            raise TrainerError(error.message.replace(str(arrived), RUN), error.hint) from error
        if run.package.exists():
            task.step(0, 0, tr("Looking at the model's files"))
            try:
                read_package(run.package)
            except TrainerError as error:
                said = error.message.replace(str(run.package), RUN)
                raise TrainerError(said, tr("Copy the training again.")) from error
        start = next((e for e in run.follow(thin=1_000)[0] if e.kind == "start"), None)
        corpus = start.values.get("corpus") if start else None
        sha256 = str(corpus.get("sha256", "")) if isinstance(corpus, dict) else ""
        here = self._corpora.with_hash(sha256)
        folder = here.folder if here else self._home.corpora / (sha256[:8] or "elsewhere")
        return replace(recipe, corpus=folder)

    def _known(self, arrived: Path) -> str:
        """The name of the same training, if it is here: it began with the same words."""
        first = _first_line(arrived)
        for training in self._runs.all():
            if first and _first_line(training.folder) == first:
                if training.standing.goes_on:
                    raise LibraryError(
                        tr("This is {name}, which goes on here.", name=training.name)
                    )
                return training.name
        return ""

    @contextmanager
    def _room(self) -> Iterator[Path]:
        room = Path(tempfile.mkdtemp(prefix=_ARRIVING, dir=self._home.runs))
        try:
            yield room
        finally:
            shutil.rmtree(room, ignore_errors=True)


def _run_in(folder: Path, source: Path) -> Path:
    """The run's folder that is meant by a folder."""
    inside = sorted(path for path in folder.iterdir() if path.is_dir() and not path.is_symlink())
    for place in (folder, folder / RUN, *inside, *(path / RUN for path in inside)):
        if (place / RECIPE).is_file():
            return place
    raise _no_training(source)


def _no_training(source: Path) -> LibraryError:
    return LibraryError(
        tr("There is no training in {source}.", source=source),
        tr("A training is a folder with a recipe.toml; a job has one in its folder named run."),
    )


def _name_of(found: Path, source: Path, recipe: Recipe) -> str:
    """The name of the run; that of the job for a job."""
    if source.is_file():
        return source.stem
    if found.name != RUN:
        return found.name
    return recipe.name if found == source else found.parent.name


def _copy(found: Path, target: Path, task: Task) -> None:
    """The files of a run that are wanted, none of them by a link."""
    done = Run(found).state is RunState.finished
    tops = [*_FILES, *_FOLDERS, *(() if done else _TO_GO_ON)]
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
    """A file, or those in a folder and below. Raises LibraryError for what is neither."""
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
            tr("{name} is neither a file nor a folder.", name=path), tr("Copy what it stands for.")
        )


def _unpacked(source: Path, room: Path, task: Task) -> Path:
    """Extract the needed files of a zip into a folder."""
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
            if path.is_relative_to(root) and path.relative_to(root).parts[0] in _WANTED:
                task.step(number, len(files), tr("Unpacking"))
                _extract(archive, info, target / path.relative_to(root), task)
    return target


_WANTED = {*_FILES, *_FOLDERS, *_TO_GO_ON}


def _root_in(files: list[zipfile.ZipInfo], source: Path) -> PurePosixPath:
    """The run's folder in a zip: the one nearest to its top."""
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


def _how_far(folder: Path) -> tuple[int, bool, bool]:
    """The progress of the run, after checking that the copy is complete, which may have been
    interrupted."""
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
    """Raise errors of a damaged file as LibraryError."""
    try:
        yield
    except UNREADABLE as error:
        raise LibraryError(
            tr("{file} is no zip file, or it is damaged.", file=source.name),
            tr("Choose the folder of a training, or such a folder as a zip file."),
        ) from error


@contextmanager
def _understood(source: Path) -> Iterator[None]:
    """Raise errors of a full disk as LibraryError."""
    try:
        yield
    except OSError as error:
        raise LibraryError(
            tr("{file} cannot be copied: {why}.", file=source, why=error.strerror or error),
            tr("See that it is there and can be read, and that the disk has room."),
        ) from error
