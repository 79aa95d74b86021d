"""A run: what to train and all that happens meanwhile, as a folder that may be copied and followed.

recipe.toml    what to do; complete, so that it means the same whatever defaults become
events.jsonl   a line for everything that happens, as it happens; see events.py
checkpoint/    from where an interrupted run goes on, and the best weights so far
package/       the model, once the run is finished
report.json    what was trained, on what, how long, and how good it is; once finished
records.json   what the method says of its examples: classes, counts, reasons
trainer.log    the same for people, with the traceback of what went wrong
stop           made by whoever wants the run to save and leave; see Run.stop
grid/          where a recipe has a grid: one such folder for each of its combinations
"""

from __future__ import annotations

import enum
import json
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any

import tomlkit
from filelock import FileLock, Timeout

from trainer.contract.catalog import method_spec, recipe_of
from trainer.contract.errors import TrainerError
from trainer.contract.events import Event, events_in
from trainer.contract.settings import Value

FORMAT = 1
RECORDS = "records.json"
# In a grid, the name of the seed among those of settings.
SEED = "seed"
# Followers read so much at a time: the events of hours, and no more memory than that takes.
_PIECE = 1 << 20
# More than the longest line.
_END = 1 << 18
# As long as the line of a step may be.
_LONG = 1 << 10


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """What to train, from what and how.

    `name` is the known recipe that it started from. `settings` are all of the method's, `base`
    among them. `corpus` is a folder. `grid` names settings of which several values are tried; SEED
    there is the seed.
    """

    name: str
    method: str
    corpus: Path
    seed: int = 1
    settings: Mapping[str, Value]
    grid: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)

    @classmethod
    def named(
        cls,
        name: str,
        corpus: Path,
        *,
        seed: int = 1,
        changes: Mapping[str, Any] = MappingProxyType({}),
        grid: Mapping[str, Any] | None = None,
    ) -> Recipe:
        """A known recipe, changed in some settings; its own grid unless another is given.

        Of its own grid, a setting that is changed is not searched for. Raises TrainerError.
        """
        spec, name = recipe_of(name)
        if grid is None:
            own = spec.recipes[name].grid
            grid = {key: values for key, values in own.items() if key not in changes}
        return cls(
            name=name,
            method=spec.key,
            corpus=corpus.absolute(),
            seed=seed,
            settings=spec.resolve(name, changes),
            grid={
                key: _seeds(values) if key == SEED else _choices(values)
                for key, values in grid.items()
            },
        )

    @classmethod
    def read(cls, path: Path) -> Recipe:
        """The recipe in a file; what it leaves out is as in the recipe that it names.

        A corpus named by a relative path lies beside the file. Raises TrainerError.
        """
        try:
            found = tomllib.loads(path.read_text("utf-8"))
            if found.get("format") != FORMAT:
                raise TrainerError(
                    f"{path} has format {found.get('format')!r}, not {FORMAT}.",
                    "Update SciRead, or write the recipe again with this version.",
                )
            spec, name = recipe_of(found["recipe"])
            return cls.named(
                name,
                Path(os.path.normpath(path.parent / found["corpus"])),
                seed=int(found.get("seed", 1)),
                changes=spec.completed(found.get("settings", {})),
                grid=found.get("grid"),
            )
        except OSError as error:
            raise TrainerError(
                f"{path} cannot be read: {error.strerror}.",
                "A new run needs a recipe: add --recipe NAME --corpus FOLDER.",
            ) from error
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise TrainerError(f"{path} is no recipe: {error}.", "It is TOML; mend it.") from error
        except KeyError as error:
            raise TrainerError(f"{path} does not say what its {error} is.") from error

    def write(self, path: Path, *, relative: bool = False) -> None:
        """Put it into a file that `read` reads, whole or not at all. With `relative`, the corpus
        is named as it lies from there, so that both may be moved together."""
        corpus = os.path.relpath(self.corpus, path.parent) if relative else str(self.corpus)
        described = {
            "format": FORMAT,
            "recipe": self.name,
            "method": self.method,
            "corpus": Path(corpus).as_posix(),
            "seed": self.seed,
            "settings": dict(self.settings),
            "grid": {name: list(values) for name, values in self.grid.items()},
        }
        write_whole(path, tomlkit.dumps(described))

    def of_seeds(self, seeds: Sequence[int]) -> Recipe:
        """The same with each of these seeds, beside what else its grid tries. Raises
        TrainerError."""
        return replace(self, grid={**self.grid, SEED: _seeds(seeds)})

    @property
    def base(self) -> str:
        """The model to start from, as its settings name it."""
        return str(self.settings["base"])

    def combinations(self) -> Iterator[tuple[str, Recipe]]:
        """Each point of the grid: a name for its folder, and its recipe, which has no grid."""
        for values in product(*self.grid.values()):
            chosen = dict(zip(self.grid, values, strict=True))
            name = ",".join(f"{key}={value}" for key, value in chosen.items())
            seed = int(chosen.pop(SEED, self.seed))
            settings = method_spec(self.method).resolve(self.name, {**self.settings, **chosen})
            yield name, replace(self, seed=seed, settings=settings, grid={})

    @property
    def essence(self) -> dict[str, Any]:
        """What decides which model comes out, but for the corpus, of which that is its hash."""
        grid = {"grid": {name: list(values) for name, values in self.grid.items()}}
        return {"method": self.method, "seed": self.seed, **self.settings, **grid}

    def differences(self, essence: Mapping[str, Any]) -> list[str]:
        """In what it is another training than one that had this essence, each in words."""
        mine, essence = self.essence, method_spec(self.method).completed(essence)
        return [
            f"{name} was {essence.get(name)!r} and is {mine.get(name)!r}"
            for name in {**essence, **mine}
            if mine.get(name) != essence.get(name)
        ]


class State(enum.Enum):
    """How a run stands. `interrupted`: its process died. All but the last can be gone on with."""

    new = "new"
    running = "running"
    stopped = "stopped"
    interrupted = "interrupted"
    failed = "failed"
    finished = "finished"


class Run:
    """A run's folder, for the one that trains and for those who watch."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.package = folder / "package"
        self.checkpoints = folder / "checkpoint"
        self.log = folder / "trainer.log"
        self.budget = folder / "budget"
        self._events = folder / "events.jsonl"
        self._stop = folder / "stop"
        self._lock = folder / "lock"
        self._report = folder / "report.json"

    @classmethod
    def create(cls, folder: Path, recipe: Recipe, *, relative: bool = False) -> Run:
        """Make the folder; `relative` as in Recipe.write. Raises TrainerError where a run with
        another recipe is in it.

        One that failed before it started, as with a corpus that is not there, makes room.
        """
        run = cls(folder)
        in_use = run.exists and not run._failed_to_start
        if in_use and (differences := recipe.differences(run.recipe.essence)):
            raise TrainerError(
                f"{folder} holds a run with another recipe: {'; '.join(differences)}.",
                "Name a new folder, or go on with this one without --recipe and --set.",
            )
        try:
            folder.mkdir(parents=True, exist_ok=True)
            recipe.write(folder / "recipe.toml", relative=relative)
        except OSError as error:
            raise TrainerError(
                f"There can be no run in {folder}: {error.strerror}.", "Name another folder."
            ) from error
        return run

    @property
    def exists(self) -> bool:
        return (self.folder / "recipe.toml").is_file()

    @property
    def recipe(self) -> Recipe:
        return Recipe.read(self.folder / "recipe.toml")

    @property
    def report(self) -> dict[str, Any] | None:
        """What came out; None as long as the run is not finished."""
        try:
            found = json.loads(self._report.read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) else None

    @property
    def state(self) -> State:
        if self._is_held():
            return State.running
        if self.report is not None:
            return State.finished
        ended = {"": State.new, "stop": State.stopped, "error": State.failed}
        return ended.get(self._last_kind(), State.interrupted)

    def tail(self) -> list[Event]:
        """The last events, however many there are before."""
        return self.follow(max(0, self.size - _END))[0]

    def sampled(self, count: int) -> list[Event]:
        """About so many events, spread evenly over all that happened. Takes no longer for more."""
        size, found = self.size, []
        if size <= count * _LONG:
            return self.follow()[0]
        with self._events.open("rb") as file:
            for place in range(count):
                file.seek(size * place // count)
                _, _, behind = file.read(2 * _LONG).partition(b"\n")
                if event := Event.of(behind.partition(b"\n")[0]):
                    found.append(event)
        return found

    @property
    def size(self) -> int:
        """How many bytes of events there are to follow."""
        return self._events.stat().st_size if self._events.exists() else 0

    @property
    def _failed_to_start(self) -> bool:
        kinds = {event.kind for event in self.events()}
        return "error" in kinds and "start" not in kinds

    def events(self) -> list[Event]:
        """All that happened, less what a resumed run did again."""
        found: list[Event] = []
        offset = 0
        while True:
            events, offset = self.follow(offset)
            if not events:
                return found
            for event in events:
                if event.kind == "resume":
                    found = [kept for kept in found if kept.step <= event.step]
                found.append(event)

    def follow(self, offset: int = 0, *, thin: int = 1) -> tuple[list[Event], int]:
        """The events after `offset` bytes, and the offset to ask with the next time.

        A line that is still being written comes the next time. Call until the offset stays. With
        `thin`, of steps only every so manieth comes, which takes less time by as much.
        """
        try:
            with self._events.open("rb") as file:
                file.seek(offset)
                piece = file.read(_PIECE)
        except FileNotFoundError:
            return [], offset
        lines, complete, _ = piece.rpartition(b"\n")
        found = events_in(lines, thin) if complete else []
        return found, offset + len(lines) + len(complete)

    def stop(self) -> None:
        """Ask for a checkpoint and an end, wherever the run is trained. It can be gone on with."""
        self._stop.touch()

    def wants_stop(self) -> bool:
        return self._stop.exists()

    def clear_stop(self) -> None:
        """The wish was fulfilled, or is of a time before this start."""
        self._stop.unlink(missing_ok=True)

    def write_report(self, report: Mapping[str, Any]) -> None:
        write_whole(self._report, json.dumps(report, indent=2, ensure_ascii=False) + "\n")

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Be the one that trains it. Raises TrainerError where another process does."""
        lock = FileLock(self._lock)
        try:
            lock.acquire(timeout=1)
        except Timeout as error:
            raise TrainerError(
                f"{self.folder} is being trained by another process.",
                "Wait for it, or stop it by making a file named `stop` in that folder.",
            ) from error
        try:
            yield
        finally:
            lock.release()

    def mend_events(self) -> None:
        """Drop the line that a killed writer left half; nobody has read it."""
        if self._events.exists():
            with self._events.open("rb+") as file:
                file.truncate(_whole_lines(file.read()))

    def append(self, event: Event) -> None:
        """Write a line that is there for everybody at once. For the one that trains."""
        with self._events.open("ab", buffering=0) as file:
            file.write(event.line().encode("utf-8"))

    def _is_held(self) -> bool:
        if not self._lock.exists():
            return False
        lock = FileLock(self._lock)
        try:
            lock.acquire(blocking=False)
        except Timeout:
            return True
        except OSError:  # a copy that may only be read
            return False
        lock.release()
        return False

    def _last_kind(self) -> str:
        last = self.tail()
        return last[-1].kind if last else ""


def write_whole(path: Path, text: str) -> None:
    """Write a file that is seen complete or not at all, and is still there after a power cut."""
    unfinished = path.with_name(path.name + ".new")
    with unfinished.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)


def _choices(values: Any) -> tuple[Value, ...]:
    if not isinstance(values, list | tuple) or not values:
        raise TrainerError(f"A grid cannot have {values!r}.", "It has a list of values a setting.")
    return tuple(values)


def _seeds(values: Any) -> tuple[Value, ...]:
    seeds = _choices(values)
    whole = all(isinstance(seed, int) and not isinstance(seed, bool) for seed in seeds)
    if not whole or len(set(seeds)) < len(seeds):
        raise TrainerError(
            f"The seeds cannot be {', '.join(map(str, seeds))}.",
            "They are different whole numbers.",
        )
    return seeds


def _whole_lines(text: bytes) -> int:
    return text.rfind(b"\n") + 1
