"""A training run: its recipe and record, as a folder that can be copied and followed.

recipe.toml    what to train; complete, so that it keeps its meaning when defaults change
events.jsonl   one line per event, written as it happens; see Event
checkpoint/    checkpoints for resuming, and the best weights so far
package/       the model, once the run is finished
report.json    data, duration and scores of the training, once finished
records.json   details of the method's examples: classes, counts, reasons
trainer.log    the events as text, with tracebacks of errors
stop           created to request a checkpoint and an end; see Run.stop
grid/          for a recipe with a grid: one such folder per combination
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
from trainer.contract.settings import Value

# Prefix of the line of a step; see Event.line.
_STEP = b'{"event": "step"'


@dataclass(frozen=True)
class Event:
    """One line of events.jsonl: an event, its time (seconds since 1970) and the steps completed.

    Steps are counted over all stages. `values` depend on the kind:

    - start: recipe, method, base, base_model {weights, space}, corpus {papers, sha256}, seed,
      device, ranks, versions, precision, budget, fsdp, checkpointing, compile,
      steps (in all), stages [{name, examples, validation, steps, batch_size}]
    - resume: why; continues after `step`; earlier lines with later steps are void
    - stage: name, number
    - step: stage, epoch, loss, learning_rate, gradient_norm, tokens, tokens_per_second,
      examples_per_second, memory (peak bytes so far), eta (seconds left)
    - validation: stage, loss, scores {name: number}, best (whether it is the best so far)
    - mixture: stage, share (of the base model's weights in the finished model), scores (of the
      finished model; the validations before have those of the trained weights)
    - head: stage, strength (of the layer that emphasizes labels; 0 for none), without and scores
      (without it and with it; where there is none, with the weakest that helps labels or, if none
      does, with the weakest), why (there is none)
    - checkpoint: seconds (spent on saving)
    - note: text; warning: text
    - stop: why; error: message, hint; end: seconds, scores
    """

    kind: str
    at: float
    step: int = 0
    values: Mapping[str, Any] = field(default_factory=dict)

    def line(self) -> str:
        values = {"event": self.kind, "at": round(self.at, 3), "step": self.step, **self.values}
        return json.dumps(values, ensure_ascii=False) + "\n"

    @classmethod
    def of(cls, line: bytes) -> Event | None:
        """Parse a line; None if it is not an event, such as a line cut off by a full disk."""
        try:
            found = json.loads(line)
            return cls(found.pop("event"), found.pop("at"), found.pop("step"), found)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return None


def events_in(text: bytes, thin: int = 1) -> list[Event]:
    """Parse the events of complete lines.

    With `thin`, only every `thin`-th step and the last one; the other lines are not parsed.
    """
    lines = _thinned(text.split(b"\n"), thin)
    return [event for line in lines if (event := Event.of(line))]


def _thinned(lines: list[bytes], thin: int) -> list[bytes]:
    """Return every `thin`-th of the lines of steps, and the last one."""
    if thin <= 1:
        return lines
    steps = [number for number, line in enumerate(lines) if line.startswith(_STEP)]
    dropped = {*steps} - {*steps[::thin], *steps[-1:]}
    return [line for number, line in enumerate(lines) if number not in dropped]


FORMAT = 1
RECORDS = "records.json"
# Name of the seed among the settings of a grid.
SEED = "seed"
# Bytes read at a time when following a run: the events of hours, at a bounded cost in memory.
_PIECE = 1 << 20
# Longer than any line, in bytes.
_END = 1 << 18
# Upper bound of the line of a step, in bytes.
_LONG = 1 << 10


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """The specification of a training: method, corpus, seed and settings.

    `name` is the known recipe that it is based on. `settings` are all settings of the method,
    including `base`. `corpus` is a folder. `grid` maps settings to several values to try; SEED
    there is the seed. `title` is that of the finished model; empty: one of base, method and data.
    """

    name: str
    method: str
    corpus: Path
    seed: int = 1
    settings: Mapping[str, Value]
    grid: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    title: str = ""

    @classmethod
    def named(
        cls,
        name: str,
        corpus: Path,
        *,
        seed: int = 1,
        changes: Mapping[str, Any] = MappingProxyType({}),
        grid: Mapping[str, Any] | None = None,
        title: str = "",
    ) -> Recipe:
        """Return a known recipe with some settings changed, and its own grid unless another is
        given.

        A setting in `changes` is removed from the recipe's own grid. Raises TrainerError.
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
            title=title,
        )

    @classmethod
    def read(cls, path: Path) -> Recipe:
        """Read a recipe from a file; settings it omits are those of the recipe that it names.

        A relative path to the corpus is relative to the file. Raises TrainerError.
        """
        try:
            found = tomllib.loads(path.read_text("utf-8"))
            if found.get("format") != FORMAT:
                raise TrainerError(
                    f"{path} has format {found.get('format')!r}, not {FORMAT}.",
                    "Update SciRead, or create the recipe again with this version.",
                )
            spec, name = recipe_of(found["recipe"])
            return cls.named(
                name,
                Path(os.path.normpath(path.parent / found["corpus"])),
                seed=int(found.get("seed", 1)),
                changes=spec.completed(found.get("settings", {})),
                grid=found.get("grid"),
                title=str(found.get("title", "")),
            )
        except OSError as error:
            raise TrainerError(
                f"{path} could not be read: {error.strerror}.",
                "A new run requires a recipe: add --recipe NAME --corpus FOLDER.",
            ) from error
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise TrainerError(
                f"{path} is not a valid recipe: {error}.", "Correct the TOML file."
            ) from error
        except KeyError as error:
            raise TrainerError(f"{path} does not specify {error}.") from error

    def write(self, path: Path, *, relative: bool = False) -> None:
        """Write it atomically to a file for `read`. With `relative`, the path of the corpus is
        relative to the file, so that both can be moved together."""
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
        if self.title:
            described["title"] = self.title
        write_atomically(path, tomlkit.dumps(described))

    def of_seeds(self, seeds: Sequence[int]) -> Recipe:
        """Return the recipe with these seeds added to its grid. Raises TrainerError."""
        return replace(self, grid={**self.grid, SEED: _seeds(seeds)})

    @property
    def base(self) -> str:
        """The model to start from, as named in the settings."""
        return str(self.settings["base"])

    def combinations(self) -> Iterator[tuple[str, Recipe]]:
        """Iterate over the points of the grid: a folder name, and a recipe without a grid.

        They come in the order in which they are trained. In limited time (`grid_minutes`), those
        that differ from the first in fewer settings come first.
        """
        found = [*self._product()]
        if self.settings["grid_minutes"]:
            first = found[0][1].settings

            def differences(one: tuple[str, Recipe]) -> int:
                return sum(value != first[name] for name, value in one[1].settings.items())

            found.sort(key=differences)
        return iter(found)

    def _product(self) -> Iterator[tuple[str, Recipe]]:
        for values in product(*self.grid.values()):
            chosen = dict(zip(self.grid, values, strict=True))
            name = ",".join(f"{key}={value}" for key, value in chosen.items())
            seed = int(chosen.pop(SEED, self.seed))
            settings = method_spec(self.method).resolve(self.name, {**self.settings, **chosen})
            yield name, replace(self, seed=seed, settings=settings, grid={})

    @property
    def essence(self) -> dict[str, Any]:
        """Return everything that determines the resulting model, except the corpus, which has its
        own hash."""
        grid = {"grid": {name: list(values) for name, values in self.grid.items()}}
        return {"method": self.method, "seed": self.seed, **self.settings, **grid}

    def differences(self, essence: Mapping[str, Any]) -> list[str]:
        """Describe how this training differs from one with the given essence, one text per
        difference."""
        mine, essence = self.essence, method_spec(self.method).completed(essence)
        return [
            f"{name} was {essence.get(name)!r} and is now {mine.get(name)!r}"
            for name in {**essence, **mine}
            if mine.get(name) != essence.get(name)
        ]


class RunState(enum.Enum):
    """State of a run. `interrupted`: its process died. All but finished runs can be resumed."""

    new = "new"
    running = "running"
    stopped = "stopped"
    interrupted = "interrupted"
    failed = "failed"
    finished = "finished"


class Run:
    """The folder of a run, for the process that trains it and for those that follow it."""

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
        """Create the folder; `relative` as in Recipe.write.

        A run that failed before it started, such as one with a missing corpus, is replaced. Raises
        TrainerError if the folder holds a run with another recipe.
        """
        run = cls(folder)
        in_use = run.exists and not run._failed_to_start
        if in_use and (differences := recipe.differences(run.recipe.essence)):
            raise TrainerError(
                f"{folder} contains a run with another recipe: {'; '.join(differences)}.",
                "Specify another folder, or resume this run without --recipe and --set.",
            )
        try:
            folder.mkdir(parents=True, exist_ok=True)
            recipe.write(folder / "recipe.toml", relative=relative)
        except OSError as error:
            raise TrainerError(
                f"The run folder {folder} could not be created: {error.strerror}.",
                "Specify another folder.",
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
        """The report of a finished run; None until it is finished."""
        try:
            found = json.loads(self._report.read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) else None

    @property
    def state(self) -> RunState:
        if self._is_held():
            return RunState.running
        if self.report is not None:
            return RunState.finished
        ended = {"": RunState.new, "stop": RunState.stopped, "error": RunState.failed}
        last = self.tail()
        return ended.get(last[-1].kind if last else "", RunState.interrupted)

    def tail(self) -> list[Event]:
        """Return the last events, however many precede them."""
        return self.follow(max(0, self.size - _END))[0]

    def sampled(self, count: int) -> list[Event]:
        """Return about `count` events, spread evenly over the run, in time independent of its
        length."""
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
        """Size of the event log in bytes."""
        return self._events.stat().st_size if self._events.exists() else 0

    @property
    def _failed_to_start(self) -> bool:
        kinds = {event.kind for event in self.events()}
        return "error" in kinds and "start" not in kinds

    def events(self) -> list[Event]:
        """Return all events, without those that a resumed run has repeated."""
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
        """Return the events after byte `offset`, and the offset for the next call.

        A line that is still being written is returned by a later call. Call until the offset stays
        the same. With `thin`, only every `thin`-th step is returned, in proportionally less time.
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
        """Request a checkpoint and an end, wherever the run is trained. It can be resumed."""
        self._stop.touch()

    def stop_requested(self) -> bool:
        return self._stop.exists()

    def clear_stop(self) -> None:
        """Remove a stop request that was fulfilled or predates this start."""
        self._stop.unlink(missing_ok=True)

    def write_report(self, report: Mapping[str, Any]) -> None:
        write_atomically(self._report, json.dumps(report, indent=2, ensure_ascii=False) + "\n")

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Lock the run for training. Raises TrainerError if another process trains it."""
        lock = FileLock(self._lock)
        try:
            lock.acquire(timeout=1)
        except Timeout as error:
            raise TrainerError(
                f"Another process is training {self.folder}.",
                "Wait for it to finish, or stop it by creating a file named `stop` in that folder.",
            ) from error
        try:
            yield
        finally:
            lock.release()

    def drop_partial_line(self) -> None:
        """Remove an incomplete last line left by a killed writer; no reader has parsed it."""
        if self._events.exists():
            with self._events.open("rb+") as file:
                file.truncate(file.read().rfind(b"\n") + 1)

    def append(self, event: Event) -> None:
        """Write an event, visible to followers at once. Only for the process that trains."""
        with self._events.open("ab", buffering=0) as file:
            file.write(event.line().encode("utf-8"))

    def _is_held(self) -> bool:
        if not self._lock.exists():
            return False
        lock = FileLock(self._lock)
        try:
            # Another process that checks this holds it, too, but only for a moment.
            lock.acquire(timeout=0.1, poll_interval=0.01)
        except Timeout:
            return True
        except OSError:  # a read-only copy
            return False
        lock.release()
        return False


def write_atomically(path: Path, text: str) -> None:
    """Write a file atomically and durably: complete or not at all, even after a power failure."""
    unfinished = path.with_name(path.name + ".new")
    with unfinished.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)


def _choices(values: Any) -> tuple[Value, ...]:
    if not isinstance(values, list | tuple) or not values:
        raise TrainerError(
            f"{values!r} is not a valid grid.", "A grid has a list of values for each setting."
        )
    return tuple(values)


def _seeds(values: Any) -> tuple[Value, ...]:
    seeds = _choices(values)
    whole = all(isinstance(seed, int) and not isinstance(seed, bool) for seed in seeds)
    if not whole or len(set(seeds)) < len(seeds):
        raise TrainerError(
            f"The seeds {', '.join(map(str, seeds))} are not valid.",
            "Seeds must be distinct whole numbers.",
        )
    return seeds
