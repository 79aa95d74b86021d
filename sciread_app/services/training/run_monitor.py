"""Progress of a training run, read from its events into a bounded amount of memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sciread_app.tasks import Task
from trainer.contract.run import Event, Recipe, Run, RunState

# Points of a curve: about as many as a chart has pixels.
MOST_POINTS = 1_200
_MOST_NOTES = 300
# Bytes of new events that are all read, in a twentieth of a second; of more, steps are sampled.
_WHOLE = 1 << 20

Numbers = NDArray[np.float64]


class CurvePoints(NamedTuple):
    """The points of a curve. Each one summarizes some steps: the last step, mean, minimum and
    maximum."""

    steps: Numbers
    mean: Numbers
    low: Numbers
    high: Numbers

    def __len__(self) -> int:
        return len(self.steps)


NO_POINTS = CurvePoints(*(np.empty(0) for _ in range(4)))


class Curve:
    """A curve of at most MOST_POINTS points. When it is full, neighbors are merged in pairs."""

    def __init__(self) -> None:
        self._stride = 1
        # Each row: first step, last step, sum, count, minimum, maximum.
        self._rows: list[list[float]] = []

    def add(self, step: int, value: float) -> None:
        """Add the value at a step. Steps must arrive in ascending order."""
        last = self._rows[-1] if self._rows else None
        if last and last[3] < self._stride:
            last[1:] = (
                step, last[2] + value, last[3] + 1, min(last[4], value), max(last[5], value),
            )  # fmt: skip
            return
        if len(self._rows) == MOST_POINTS:
            self._rows = [
                [a[0], b[1], a[2] + b[2], a[3] + b[3], min(a[4], b[4]), max(a[5], b[5])]
                for a, b in zip(self._rows[::2], self._rows[1::2], strict=True)
            ]
            self._stride *= 2
        self._rows.append([step, step, value, 1, value, value])

    def cut(self, step: int) -> None:
        """Remove the points after this step."""
        self._rows = [row for row in self._rows if row[0] <= step]

    def points(self) -> CurvePoints:
        if not self._rows:
            return NO_POINTS
        table = np.array(self._rows)
        return CurvePoints(table[:, 1], table[:, 2] / table[:, 3], table[:, 4], table[:, 5])


class RunStage(NamedTuple):
    """A stage of a training: its numbers of examples and steps, and its first step, from 1."""

    name: str
    examples: int
    steps: int
    first: int


class Validation(NamedTuple):
    step: int
    loss: float | None
    scores: Mapping[str, float]
    best: bool


class RunMessage(NamedTuple):
    """A message of the trainer. `kind` is "note", "warning", "error", "stop", "resume", "start"
    or "end"; `at` is in seconds since 1970."""

    at: float
    step: int
    kind: str
    text: str


@dataclass(frozen=True)
class RunProgress:
    """The progress of a training so far.

    `about` holds the values of the start event (trainer.contract.run.Event). For a recipe with
    a grid, it is the progress of the combination `part`, the `number`th of `parts`. `began` and
    `at`, the time of the last event, are in seconds since 1970; `seconds` is the total duration,
    0 until the run has ended.
    """

    state: RunState
    about: Mapping[str, Any] = field(default_factory=dict)
    stages: tuple[RunStage, ...] = ()
    stage: str = ""
    began: float = 0.0
    at: float = 0.0
    step: int = 0
    steps: int = 0
    latest: Mapping[str, Any] = field(default_factory=dict)
    curves: Mapping[str, CurvePoints] = field(default_factory=dict)
    validations: tuple[Validation, ...] = ()
    notes: tuple[RunMessage, ...] = ()
    seconds: float = 0.0
    part: str = ""
    number: int = 0
    parts: int = 0

    @property
    def problem(self) -> RunMessage | None:
        """The error that the run failed with; None if it has not failed."""
        last = next((n for n in reversed(self.notes) if n.kind in ("error", "start")), None)
        return last if self.state is RunState.failed and last and last.kind == "error" else None


CURVES = ("loss", "learning_rate", "tokens_per_second")


class RunMonitor:
    """Follows the events in a run's folder, whichever process writes them. Not thread-safe."""

    def __init__(self, folder: Path) -> None:
        self._whole = Run(folder)
        self._grid = combinations(self._whole.recipe)
        self._run = self._whole
        self._builder = _ProgressBuilder()
        self._grid_builder = _ProgressBuilder()  # of a grid's events outside its combinations
        self._offset = self._grid_offset = 0

    def look(self, task: Task | None = None) -> RunProgress:
        """Read new events and return the progress so far.

        Raises Cancelled; the next call continues where it stopped.
        """
        part = part_of(self._whole, self._grid)
        if part.run.folder != self._run.folder:
            self._run, self._builder, self._offset = part.run, _ProgressBuilder(), 0
        for event in self._news(task or Task()):
            self._builder.add(event)
        progress = self._builder.progress(self._whole.state)
        if not self._grid:
            return progress
        return self._with_grid(progress, part)

    def _news(self, task: Task) -> Iterator[Event]:
        thin = 1 + max(self._run.size - self._offset, 0) // _WHOLE
        while True:
            events, offset = self._run.follow(self._offset, thin=thin)
            if offset == self._offset:
                return
            yield from events
            self._offset = offset
            task.step(0, 0)

    def _with_grid(self, progress: RunProgress, part: RunPart) -> RunProgress:
        events, self._grid_offset = self._whole.follow(self._grid_offset)
        for event in events:
            self._grid_builder.add(event)
        whole = self._grid_builder.progress(progress.state)
        return replace(
            progress,
            notes=tuple(sorted((*whole.notes, *progress.notes)))[-_MOST_NOTES:],
            began=whole.began or progress.began,
            seconds=whole.seconds,
            part=part.name,
            number=part.number,
            parts=part.parts,
        )


class _ProgressBuilder:
    """The state accumulated from successive events."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}  # of RunProgress, except those below
        self._curves = {name: Curve() for name in CURVES}
        self._validations: list[Validation] = []
        self._notes: list[RunMessage] = []

    def add(self, event: Event) -> None:
        """Take an event into account; malformed ones are ignored."""
        # A run may come from another computer: malformed events are ignored.
        with suppress(TypeError, ValueError, KeyError, AttributeError):
            self._add(Event(str(event.kind), float(event.at), int(event.step), event.values))

    def progress(self, state: RunState) -> RunProgress:
        """Return the progress after all events so far."""
        return RunProgress(
            state,
            steps=int(self._values.get("about", {}).get("steps", 0)),
            curves={name: curve.points() for name, curve in self._curves.items()},
            validations=tuple(self._validations),
            notes=tuple(self._notes),
            **self._values,
        )

    def _add(self, event: Event) -> None:
        self._values["at"] = event.at
        self._values["began"] = self._values.get("began") or event.at
        match event.kind:
            case "start":
                self._add_start(event)
            case "resume":
                self._values["step"] = event.step
                for curve in self._curves.values():
                    curve.cut(event.step)
                self._validations = [one for one in self._validations if one.step <= event.step]
            case "stage":
                self._values["stage"] = str(event.values.get("stage", ""))
            case "step":
                self._add_step(event)
            case "validation":
                loss, scores = event.values.get("loss"), dict(event.values.get("scores", {}))
                loss = None if loss is None else float(loss)
                best = bool(event.values.get("best"))
                self._validations.append(Validation(event.step, loss, scores, best))
            case "end":
                self._values["seconds"] = float(event.values.get("seconds", 0.0))
        if text := _MESSAGES.get(event.kind, lambda _: "")(event.values):
            self._notes.append(RunMessage(event.at, event.step, event.kind, text))
            del self._notes[:-_MOST_NOTES]

    def _add_start(self, event: Event) -> None:
        self._values |= {"about": event.values, "latest": {}}
        stages, first = [], 1
        for stage in event.values.get("stages", ()):
            stages.append(RunStage(stage["name"], stage["examples"], stage["steps"], first))
            first += stage["steps"]
        self._values["stages"] = tuple(stages)

    def _add_step(self, event: Event) -> None:
        self._values |= {"step": event.step, "latest": event.values}
        if "stage" in event.values:
            self._values["stage"] = str(event.values["stage"])
        for name, curve in self._curves.items():
            value = event.values.get(name)
            # At the first step the trainer does not know its speed yet and reports 0.
            if isinstance(value, int | float) and (value or name != "tokens_per_second"):
                curve.add(event.step, value)


def _failure(values: Mapping[str, Any]) -> str:
    return f"{values.get('message', '')}\n{values.get('hint', '')}".strip()


# The texts of events that are shown as messages. A start is among them because it ends the effect
# of an earlier error, see RunProgress.problem.
_MESSAGES: Mapping[str, Any] = {
    "note": lambda values: str(values.get("text", "")),
    "warning": lambda values: str(values.get("text", "")),
    "error": _failure,
    "stop": lambda values: str(values.get("why", "")),
    "resume": lambda values: str(values.get("why", "")),
    "start": lambda values: str(values.get("device", "")),
}


class RunPart(NamedTuple):
    """The run that a training is writing to. With a grid, that is the run of a combination, `name`,
    the `number`th of `parts`."""

    run: Run
    name: str = ""
    number: int = 0
    parts: int = 0


def part_of(run: Run, combinations: Sequence[str]) -> RunPart:
    """Return the last combination that was started; the run itself if it has no grid, or if none
    was started."""
    for number in range(len(combinations), 0, -1):
        name = combinations[number - 1]
        if (part := Run(run.folder / "grid" / name)).size:
            return RunPart(part, name, number, len(combinations))
    return RunPart(run, parts=len(combinations))


def combinations(recipe: Recipe) -> Sequence[str]:
    """Return the names of the combinations of a recipe's grid, in order; empty without a grid."""
    return [name for name, _ in recipe.combinations()] if recipe.grid else []
