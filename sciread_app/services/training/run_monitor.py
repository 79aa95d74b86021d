"""A training as it is followed: what its folder tells, in no more memory than a chart needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sciread_app.tasks import Task
from trainer.contract.events import Event
from trainer.contract.run import Recipe, Run, RunState

# Points of a curve: as many as a chart has pixels.
MOST_POINTS = 1_200
_MOST_NOTES = 300
# So much of what is new is read word for word, in a twentieth of a second; of more, as many steps.
_WHOLE = 1 << 20

Numbers = NDArray[np.float64]


class CurvePoints(NamedTuple):
    """A curve. Each point stands for some steps: the last of them, their mean and their range."""

    steps: Numbers
    mean: Numbers
    low: Numbers
    high: Numbers

    def __len__(self) -> int:
        return len(self.steps)


NO_POINTS = CurvePoints(*(np.empty(0) for _ in range(4)))


class Curve:
    """Takes any number of values and keeps MOST_POINTS at the most: then two neighbours become
    one."""

    def __init__(self) -> None:
        self._stride = 1
        # A row: first step, last step, sum, count, least, most.
        self._rows: list[list[float]] = []

    def add(self, step: int, value: float) -> None:
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
        """Forget what came after this step."""
        self._rows = [row for row in self._rows if row[0] <= step]

    def points(self) -> CurvePoints:
        if not self._rows:
            return NO_POINTS
        table = np.array(self._rows)
        return CurvePoints(table[:, 1], table[:, 2] / table[:, 3], table[:, 4], table[:, 5])


class RunStage(NamedTuple):
    """A part of a training, of `examples` and so many steps; `first` is its first step, from 1."""

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
    """Something that was said: a "note", "warning", "error", "stop", "resume" or "end"."""

    at: float
    step: int
    kind: str
    text: str


@dataclass(frozen=True)
class RunProgress:
    """The progress of a training so far.

    `about` is the start event (trainer.contract.events.Event). For a recipe with a grid it covers
    the combination `part`, the `number`th of `parts`. Times are seconds
    since 1970, `seconds` how long it took in all, once it has ended.
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
        """Why it failed, if it has."""
        last = next((n for n in reversed(self.notes) if n.kind in ("error", "start")), None)
        return last if self.state is RunState.failed and last and last.kind == "error" else None


CURVES = ("loss", "learning_rate", "tokens_per_second")


class RunMonitor:
    """Follows a run's folder, whichever process writes to it. Not thread-safe."""

    def __init__(self, folder: Path) -> None:
        self._whole = Run(folder)
        self._grid = combinations(self._whole.recipe)
        self._run = self._whole
        self._told = _Told()
        self._aside = _Told()  # of a grid, what the run itself tells
        self._offset = self._aside_offset = 0

    def look(self, task: Task | None = None) -> RunProgress:
        """The progress so far. Raises Cancelled; the next call continues from there."""
        part = part_of(self._whole, self._grid)
        if part.run.folder != self._run.folder:
            self._run, self._told, self._offset = part.run, _Told(), 0
        for event in self._news(task or Task()):
            self._told.hear(event)
        story = self._told.story(self._whole.state)
        if not self._grid:
            return story
        return self._with_grid(story, part)

    def _news(self, task: Task) -> Iterator[Event]:
        thin = 1 + max(self._run.size - self._offset, 0) // _WHOLE
        while True:
            events, offset = self._run.follow(self._offset, thin=thin)
            if offset == self._offset:
                return
            yield from events
            self._offset = offset
            task.step(0, 0)

    def _with_grid(self, story: RunProgress, part: RunPart) -> RunProgress:
        events, self._aside_offset = self._whole.follow(self._aside_offset)
        for event in events:
            self._aside.hear(event)
        whole = self._aside.story(story.state)
        return replace(
            story,
            notes=tuple(sorted((*whole.notes, *story.notes)))[-_MOST_NOTES:],
            began=whole.began or story.began,
            seconds=whole.seconds,
            part=part.name,
            number=part.number,
            parts=part.parts,
        )


class _Told:
    """The state accumulated from successive events."""

    def __init__(self) -> None:
        self._about: Mapping[str, Any] = {}
        self._stages: tuple[RunStage, ...] = ()
        self._stage = ""
        self._began = self._at = self._seconds = 0.0
        self._step = 0
        self._latest: Mapping[str, Any] = {}
        self._curves = {name: Curve() for name in CURVES}
        self._validations: list[Validation] = []
        self._notes: list[RunMessage] = []

    def hear(self, event: Event) -> None:
        # A run may come from a stranger: what does not read as an event is none.
        with suppress(TypeError, ValueError, KeyError, AttributeError):
            self._hear(Event(str(event.kind), float(event.at), int(event.step), event.values))

    def _hear(self, event: Event) -> None:
        self._at = event.at
        self._began = self._began or event.at
        if hear := getattr(self, f"_hear_{event.kind}", None):
            hear(event)
        if said := _SAID.get(event.kind, lambda _: "")(event.values):
            self._notes.append(RunMessage(event.at, event.step, event.kind, said))
            del self._notes[:-_MOST_NOTES]

    def story(self, state: RunState) -> RunProgress:
        return RunProgress(
            state,
            self._about,
            self._stages,
            self._stage,
            self._began,
            self._at,
            self._step,
            int(self._about.get("steps", 0)),
            self._latest,
            {name: curve.points() for name, curve in self._curves.items()},
            tuple(self._validations),
            tuple(self._notes),
            self._seconds,
        )

    def _hear_start(self, event: Event) -> None:
        self._about, self._latest = event.values, {}
        stages, first = [], 1
        for stage in event.values.get("stages", ()):
            stages.append(RunStage(stage["name"], stage["examples"], stage["steps"], first))
            first += stage["steps"]
        self._stages = tuple(stages)

    def _hear_resume(self, event: Event) -> None:
        self._step = event.step
        for curve in self._curves.values():
            curve.cut(event.step)
        self._validations = [one for one in self._validations if one.step <= event.step]

    def _hear_stage(self, event: Event) -> None:
        self._stage = str(event.values.get("stage", ""))

    def _hear_step(self, event: Event) -> None:
        self._step, self._latest = event.step, event.values
        self._stage = str(event.values.get("stage", self._stage))
        for name, curve in self._curves.items():
            value = event.values.get(name)
            # Of the first step the trainer cannot tell yet how fast it goes.
            if isinstance(value, int | float) and (value or name != "tokens_per_second"):
                curve.add(event.step, value)

    def _hear_validation(self, event: Event) -> None:
        values = event.values
        loss, scores = values.get("loss"), dict(values.get("scores", {}))
        loss = None if loss is None else float(loss)
        self._validations.append(Validation(event.step, loss, scores, bool(values.get("best"))))

    def _hear_end(self, event: Event) -> None:
        self._seconds = float(event.values.get("seconds", 0.0))


def _failure(values: Mapping[str, Any]) -> str:
    return f"{values.get('message', '')}\n{values.get('hint', '')}".strip()


# What is said of events for which a chart has no place. A start says only that it is one: an error
# before it is over.
_SAID: Mapping[str, Any] = {
    "note": lambda values: str(values.get("text", "")),
    "warning": lambda values: str(values.get("text", "")),
    "error": _failure,
    "stop": lambda values: str(values.get("why", "")),
    "resume": lambda values: str(values.get("why", "")),
    "start": lambda values: str(values.get("device", "")),
}


class RunPart(NamedTuple):
    """Where a training is at work: in a run of its own if it tries several, the `number`th, of the
    combination `name`."""

    run: Run
    name: str = ""
    number: int = 0
    parts: int = 0


def part_of(run: Run, combinations: Sequence[str]) -> RunPart:
    """The combination that came last; the run itself where it has no grid, or has not begun."""
    for number in range(len(combinations), 0, -1):
        name = combinations[number - 1]
        if (part := Run(run.folder / "grid" / name)).size:
            return RunPart(part, name, number, len(combinations))
    return RunPart(run, parts=len(combinations))


def combinations(recipe: Recipe) -> Sequence[str]:
    """The names of what a recipe with a grid tries, in order."""
    return [name for name, _ in recipe.combinations()] if recipe.grid else []
