"""Training runs: each has a folder in the home folder and a detached trainer process."""

from __future__ import annotations

import enum
import re
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import Any

from sciread_app.errors import LibraryError
from sciread_app.language import tr
from sciread_app.paths import Home
from sciread_app.services.models.model_card import CardScore, scores_of
from sciread_app.services.subprocess import trainer
from sciread_app.services.training.run_monitor import RunPart, combinations, part_of
from trainer.contract.catalog import method_spec
from trainer.contract.errors import TrainerError
from trainer.contract.package import STARTER, read_package
from trainer.contract.run import SEED, Event, Recipe, Run, RunState

CONSOLE = "console.log"  # output of the process other than events, such as a failure to start
_REMOVED = ".gone-"
_START_TIMEOUT = 180.0  # seconds that a process may take until it writes its first event
_CURVE_POINTS = 48  # points of the small curve in a list
_TAIL = 60_000  # bytes shown from the end of a log
# Characters that are invalid in file names, and names that would be hidden folders.
_INVALID_CHARACTERS = re.compile(r'[\x00-\x1f<>:"/\\|?*]+')
_MAX_NAME = 80
_RESERVED_NAME = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


class RunStatus(enum.Enum):
    """The status of a training run.

    `interrupted`: its process died, as when the computer was switched off. A stopped, interrupted
    or failed run can be resumed.
    """

    starting = "starting"
    running = "running"
    stopping = "stopping"
    stopped = "stopped"
    interrupted = "interrupted"
    failed = "failed"
    finished = "finished"

    @property
    def is_active(self) -> bool:
        """Whether a process is working on it, or is about to."""
        return self in (RunStatus.starting, RunStatus.running, RunStatus.stopping)


@dataclass(frozen=True, kw_only=True)
class TrainingRun:
    """A summary of a training run, for lists.

    `name` is the name of its folder. Times are in seconds since 1970; `left` is the estimated
    number of seconds until the end, 0 if unknown. `losses` are the points of a small curve. A run
    whose recipe cannot be read has a `problem` and no other details.
    """

    name: str
    folder: Path
    status: RunStatus
    method: str = ""
    recipe: str = ""
    base: str = ""
    corpus: Path = Path()
    papers: int = 0
    seed: int = 1
    step: int = 0
    steps: int = 0
    loss: float | None = None
    left: float = 0.0
    began: float = 0.0
    at: float = 0.0
    space: str = ""
    losses: Sequence[float] = ()
    problem: str = ""
    hint: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)


class Runs:
    """The training runs of a home folder, whichever process started them. Thread-safe."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._stopping: set[str] = set()

    def all(self) -> list[TrainingRun]:
        """Return all runs: active ones first, then by the time of the last event, latest first."""
        folders = self._home.runs.iterdir() if self._home.runs.is_dir() else ()
        found = [
            self._read_run(folder)
            for folder in folders
            if not folder.name.startswith(".") and (folder / "recipe.toml").is_file()
        ]
        return sorted(found, key=lambda t: (t.status.is_active, t.at or t.began), reverse=True)

    def find(self, name: str) -> TrainingRun:
        """Return the run with this name. Raises LibraryError if there is none."""
        return self._read_run(self._run(name).folder)

    def start(self, recipe: Recipe, name: str) -> TrainingRun:
        """Start a run under this name, or a similar unused one.

        Raises LibraryError, TrainerError and TrainerFailed.
        """
        self._home.runs.mkdir(parents=True, exist_ok=True)
        folder = self._home.runs / self.free_name(name or recipe.name)
        # With relative paths, since a home folder may be moved.
        Run.create(folder, recipe, relative=True)
        self._spawn(folder)
        return self._read_run(folder)

    def resume(self, name: str) -> TrainingRun:
        """Resume a run from its last checkpoint; does nothing if it is active or finished.

        Raises LibraryError if the run does not exist, or its recipe or corpus cannot be read, and
        TrainerFailed if the process cannot be started.
        """
        training = self.find(name)
        if training.problem and not training.method:
            raise LibraryError(training.problem, training.hint)
        if training.status.is_active or training.status is RunStatus.finished:
            return training
        if not training.corpus.is_dir():
            raise LibraryError(
                tr("The training data of {name} is missing.", name=name),
                tr("The data was in {folder}. Restore that folder, or start a new training run.",
                   folder=training.corpus),
            )  # fmt: skip
        self._check_base(training)
        Run(training.folder).clear_stop()
        self._spawn(training.folder)
        return self._read_run(training.folder)

    def _check_base(self, training: TrainingRun) -> None:
        """Raises LibraryError if the base model is missing, as of a job from another computer: its
        checkpoint is tied to the name that the model has there."""
        base = training.base
        installed = self._home.models / base.replace("/", "--")
        if base != STARTER and not (installed.is_dir() or Path(base).expanduser().is_dir()):
            raise LibraryError(
                tr(
                    "The base model {base} of {name} is not on this computer.",
                    base=base,
                    name=training.name,
                ),
                tr(
                    "Resume the training where it was begun, or copy the folder of its base model "
                    "to {folder}.",
                    folder=installed,
                ),
            )

    def stop(self, name: str) -> TrainingRun:
        """Ask a run to save a checkpoint and stop, without waiting for it. Raises LibraryError."""
        run = self._run(name)
        child = self._child(name)
        if child and run.state is not RunState.running:
            child.terminate()  # the training has not begun, so there is nothing to save
            child.wait()
            (run.folder / CONSOLE).unlink(missing_ok=True)
        elif self._status(run).is_active:
            self._stopping.add(name)
            run.stop()
        return self._read_run(run.folder)

    def remove(self, name: str) -> None:
        """Delete a run's folder; models added from it stay. Raises LibraryError if it is active."""
        training = self.find(name)
        if training.status.is_active:
            raise LibraryError(
                tr("{name} is still running.", name=name), tr("Stop the training run first.")
            )
        # Renamed first, so that a run that is deleted only in part is not listed.
        gone = training.folder.with_name(f"{_REMOVED}{training.folder.name}")
        shutil.rmtree(gone, ignore_errors=True)
        try:
            training.folder.rename(gone)
        except OSError as error:
            raise LibraryError(
                tr("Could not remove {folder}: {why}.", folder=training.folder, why=error.strerror)
            ) from error
        shutil.rmtree(gone, ignore_errors=True)

    def scores(self, name: str) -> Sequence[CardScore]:
        """Return the scores of the run's model, those measured at its end and by later evaluations.

        Empty while there is no model. Raises LibraryError.
        """
        run = self._run(name)
        try:
            return scores_of(read_package(run.package, hashes=False), self._home.reports)
        except TrainerError:
            return ()

    def log(self, name: str) -> str:
        """Return the ends of the trainer's log and of its console output. Raises LibraryError."""
        folder = self._run(name).folder
        parts = [_tail(folder / log) for log in (Path("trainer.log"), Path(CONSOLE))]
        return "\n\n".join(filter(None, parts))

    def free_name(self, preferred: str) -> str:
        """Return an unused folder name, valid on all systems, that resembles `preferred`."""
        name = (
            " ".join(_INVALID_CHARACTERS.sub(" ", preferred).split())[:_MAX_NAME].strip(" .")
            or "training"
        )
        if _RESERVED_NAME.fullmatch(name):
            name = f"training {name}"
        free, number = name, 2
        while (self._home.runs / free).exists():
            free, number = f"{name}-{number}", number + 1
        return free

    def _spawn(self, folder: Path) -> None:
        self._stopping.discard(folder.name)
        self._processes[folder.name] = trainer.begin(
            ["train", str(folder.absolute())], self._home.folder, folder / CONSOLE
        )

    def _run(self, name: str) -> Run:
        run = Run(self._home.runs / name)
        if Path(name).name != name or not run.exists:
            raise LibraryError(
                tr("The training run {name} does not exist.", name=name),
                tr("Run `sciread train list` to list the training runs."),
            )
        return run

    def _child(self, name: str) -> subprocess.Popen[bytes] | None:
        """Return the process that this program started for the run, if it is still alive."""
        child = self._processes.get(name)
        return child if child and child.poll() is None else None

    def _read_run(self, folder: Path) -> TrainingRun:
        run, hint = Run(folder), ""
        try:
            return self._read(run, run.recipe)
        except TrainerError as error:
            problem, hint = error.message, error.hint
        except (TypeError, ValueError, AttributeError, OSError):
            # Files of another program, or deliberately malformed ones.
            problem = tr("{folder} is not a valid training run.", folder=folder)
        status = RunStatus.failed
        return TrainingRun(
            name=folder.name, folder=folder, status=status, problem=problem, hint=hint
        )

    def _read(self, run: Run, recipe: Recipe) -> TrainingRun:
        folder = run.folder
        part = part_of(run, combinations(recipe))
        head = next((e for e in part.run.follow(thin=1_000)[0] if e.kind == "start"), None)
        tail = part.run.tail()
        status = self._status(run)
        problem, hint = _problem(run) if status is RunStatus.failed else ("", "")
        last = next((e for e in reversed(tail) if e.kind == "step"), None)
        about: Mapping[str, Any] = head.values if head else {}
        now: Mapping[str, Any] = last.values if last else {}
        steps = int(about.get("steps", 0))
        return TrainingRun(
            name=folder.name,
            folder=folder,
            status=status,
            method=method_spec(recipe.method).title,
            recipe=recipe.name,
            base=recipe.base,
            corpus=recipe.corpus,
            papers=_papers(about),
            seed=recipe.seed,
            step=(last.step if last else 0) + max(0, part.number - 1) * steps,
            steps=steps * max(1, part.parts),
            loss=now.get("loss"),
            left=_left(recipe, part, head, last) if status is RunStatus.running else 0.0,
            began=head.at if head else (folder / "recipe.toml").stat().st_mtime,
            at=tail[-1].at if tail else 0.0,
            space=str((run.report or {}).get("package", {}).get("space", "")),
            losses=_losses(part.run),
            problem=problem,
            hint=hint,
            settings=recipe.settings,
        )

    def _status(self, run: Run) -> RunStatus:
        state, name = run.state, run.folder.name
        if state is RunState.running:
            if name in self._stopping and not run.stop_requested():
                run.stop()  # starting, the process removed the request as one of an earlier time
            return RunStatus.stopping if run.stop_requested() else RunStatus.running
        if state is RunState.finished:
            return RunStatus.finished
        if self._is_starting(run, state):
            # A process that was asked to stop writes so to the run a moment before it ends.
            return RunStatus.stopping if name in self._stopping else RunStatus.starting
        self._stopping.discard(name)
        if state is RunState.new:
            return RunStatus.failed if (run.folder / CONSOLE).exists() else RunStatus.stopped
        return RunStatus[state.value]

    def _is_starting(self, run: Run, state: RunState) -> bool:
        """Whether a process was started that had not written an event when `state` was read.

        Not read again: a run that has started since would be treated as failed.
        """
        if run.folder.name in self._processes:
            return self._child(run.folder.name) is not None
        console = run.folder / CONSOLE
        if state is not RunState.new or not console.exists():
            return False
        began = console.stat()  # started by another SciRead process
        return not began.st_size and time.time() - began.st_mtime < _START_TIMEOUT


def _problem(run: Run) -> tuple[str, str]:
    """Return the error message of a failed run, and a hint."""
    for event in reversed(run.tail()):
        if event.kind == "error":
            return str(event.values.get("message", "")), str(event.values.get("hint", ""))
    output = _tail(run.folder / CONSOLE, 2_000).splitlines()
    message = tr("Could not start the training run.")
    return message, "\n".join(output[-4:]) or tr("The process ended without an error message.")


def _papers(about: Mapping[str, Any]) -> int:
    corpus = about.get("corpus")
    return int(corpus.get("papers", 0)) if isinstance(corpus, dict) else 0


def _losses(run: Run) -> Sequence[float]:
    steps = [event for event in run.sampled(_CURVE_POINTS) if event.kind == "step"]
    losses = [event.values.get("loss") for event in steps]
    return [float(loss) for loss in losses if isinstance(loss, int | float)]


def _tail(file: Path, size_limit: int = _TAIL) -> str:
    """Return at most the last `size_limit` bytes of a file as text; empty if it is unreadable."""
    try:
        with file.open("rb") as stream:
            size = stream.seek(0, 2)
            stream.seek(max(0, size - size_limit))
            return stream.read().decode("utf-8", "replace").strip()
    except OSError:
        return ""


def runs_in_time(recipe: Recipe, seconds: float) -> int:
    """Return the number of combinations that are tried if each takes so many seconds: in limited
    time, settings are begun until it is used, and each is tried with all seeds."""
    runs, limit = len(list(recipe.combinations())), 60 * float(recipe.settings["grid_minutes"])
    seeds = len(recipe.grid.get(SEED, ())) or 1
    if not limit or not seconds:
        return runs
    return min(runs, seeds * ceil(limit / (seconds * seeds)))


def _left(recipe: Recipe, part: RunPart, head: Event | None, last: Event | None) -> float:
    """The estimated seconds until the end of a run, with all combinations that it still tries; 0 if
    unknown."""
    left = float(last.values.get("eta", 0.0)) if last else 0.0
    if not (left and head and last and part.parts):
        return left
    steps = int(head.values["steps"])
    # By steps and not by the clock, since a training may have been stopped for a night.
    each = left * steps / max(1, steps - last.step)
    return left + each * max(0, runs_in_time(recipe, each) - part.number)
