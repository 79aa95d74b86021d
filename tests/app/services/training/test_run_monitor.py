"""Following the events of a training run, of any length and with malformed events."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciread_app.errors import Cancelled
from sciread_app.services.training.run_monitor import MOST_POINTS, Curve, RunMonitor, Validation
from sciread_app.tasks import Task
from trainer.contract.run import Event, Recipe, Run, RunState


def run_in(folder: Path, **grid: object) -> Run:
    recipe = Recipe.named("specter-small", folder / "corpus")
    return Run.create(folder / "run", replace(recipe, grid=grid))


def log_event(run: Run, kind: str, step: int = 0, **values: object) -> None:
    run.folder.mkdir(parents=True, exist_ok=True)
    run.append(Event(kind, 1_000.0 + step, step, values))


def steps(run: Run, first: int, last: int, loss: float = 1.0) -> None:
    for step in range(first, last + 1):
        log_event(run, "step", step, stage="triples", loss=loss * step, learning_rate=1e-5,
            tokens_per_second=0.0 if step == 1 else 90.0, eta=5.0)  # fmt: skip


def test_monitor_sees_events_as_they_are_written(tmp_path: Path) -> None:
    run, stages = run_in(tmp_path), [{"name": "triples", "examples": 7, "steps": 4}]
    monitor = RunMonitor(run.folder)
    assert (monitor.look().state, monitor.look().steps) == (RunState.new, 0)
    with run.hold():
        log_event(run, "note", text="Cutting texts")
        log_event(run, "start", steps=4, stages=stages, device="cpu")
        steps(run, 1, 2)
        progress = monitor.look()
        assert progress.state is RunState.running
        assert (progress.step, progress.steps, progress.stage) == (2, 4, "triples")
        assert progress.about["device"] == "cpu" and progress.latest["eta"] == 5.0
        assert [note.text for note in progress.notes] == ["Cutting texts", "cpu"]
        steps(run, 3, 4)
        log_event(run, "validation", 4, stage="triples", loss=0.5, scores={"MAP": 0.9}, best=True)
        log_event(run, "end", 4, seconds=12.5, scores={})
    run.write_report({"metrics": []})
    progress = monitor.look()
    assert (progress.state, progress.seconds) == (RunState.finished, 12.5)
    assert progress.validations == (Validation(4, 0.5, {"MAP": 0.9}, True),)
    assert progress.curves["loss"].steps.tolist() == [1, 2, 3, 4]
    assert progress.curves["loss"].mean.tolist() == [1, 2, 3, 4]
    assert progress.curves["tokens_per_second"].steps.tolist() == [2, 3, 4]


def test_repeated_steps_after_resume_are_drawn_once(tmp_path: Path) -> None:
    run = run_in(tmp_path)
    monitor = RunMonitor(run.folder)
    steps(run, 1, 3)
    log_event(run, "validation", 3, loss=1.0, scores={}, best=True)
    assert monitor.look().step == 3
    log_event(run, "resume", 2, why="checkpoint found")
    steps(run, 3, 4, loss=0.5)
    progress = monitor.look()
    assert progress.curves["loss"].mean.tolist() == [1, 2, 1.5, 2]
    assert progress.validations == () and progress.step == 4


def test_failure_is_shown_until_run_restarts(tmp_path: Path) -> None:
    run = run_in(tmp_path)
    monitor = RunMonitor(run.folder)
    log_event(run, "start", device="cpu")
    log_event(run, "error", 3, message="The disk is full.", hint="Make room.")
    problem = monitor.look().problem
    assert problem and problem.text == "The disk is full.\nMake room."
    log_event(run, "start", device="cpu")
    assert monitor.look().problem is None


def test_monitor_of_grid_follows_active_combination(tmp_path: Path) -> None:
    run = run_in(tmp_path, clip=(0.0, 1.0))
    monitor = RunMonitor(run.folder)
    log_event(run, "note", text="1 of 2: clip=0.0")
    assert (monitor.look().number, monitor.look().parts) == (0, 2)
    first, second = (Run(run.folder / "grid" / name) for name in ("clip=0.0", "clip=1.0"))
    steps(first, 1, 5)
    assert (monitor.look().part, monitor.look().step) == ("clip=0.0", 5)
    steps(second, 1, 2)
    progress = monitor.look()
    assert (progress.part, progress.number, progress.step) == ("clip=1.0", 2, 2)
    assert progress.curves["loss"].steps.tolist() == [1, 2]
    assert [note.text for note in progress.notes] == ["1 of 2: clip=0.0"]


def test_monitor_of_grid_in_limited_time_follows_active_combination(tmp_path: Path) -> None:
    changes = {"grid_minutes": 60}
    grid = {"clip": (0.0, 1.0), "weight_decay": (0.0, 0.1), "epochs": (1.0, 2.0)}
    recipe = Recipe.named("specter-small", tmp_path / "corpus", changes=changes, grid=grid)
    run = Run.create(tmp_path / "run", recipe)
    monitor = RunMonitor(run.folder)
    # The trainer tries each change by itself before two together.
    tried = [(0.0, 0.0, 1.0), (0.0, 0.0, 2.0), (0.0, 0.1, 1.0), (1.0, 0.0, 1.0), (0.0, 0.1, 2.0)]
    for number, values in enumerate(tried, start=1):
        name = ",".join(f"{key}={value}" for key, value in zip(grid, values, strict=True))
        steps(Run(run.folder / "grid" / name), 1, 5)
        assert (monitor.look().part, monitor.look().number) == (name, number)


def test_long_run_is_reduced_to_bounded_curve(tmp_path: Path) -> None:
    run = run_in(tmp_path)
    line = Event("step", 1.0, 7, {"stage": "s", "loss": 0.5, "learning_rate": 1e-5}).line()
    with (run.folder / "events.jsonl").open("w") as file:
        for first in range(0, 100_000, 1_000):
            file.write("".join(line.replace('"step": 7', f'"step": {first + n}')
                               for n in range(1, 1_001)))  # fmt: skip
    log_event(run, "validation", 100_000, loss=0.5, scores={}, best=True)
    heard = 0

    class Counting(RunMonitor):
        def _news(self, task: Task):
            nonlocal heard
            for event in super()._news(task):
                heard += 1
                yield event

    progress = Counting(run.folder).look()
    assert heard < 15_000
    assert progress.step == 100_000 and len(progress.validations) == 1
    assert MOST_POINTS / 4 < len(progress.curves["loss"]) <= MOST_POINTS
    assert progress.curves["loss"].steps[-1] == 100_000


@given(st.lists(st.floats(-9, 9), max_size=6_000), st.integers(0, 6_000))
def test_curve_keeps_range_of_all_values(values: list[float], cut: int) -> None:
    curve = Curve()
    for step, value in enumerate(values, start=1):
        curve.add(step, value)
    points = curve.points()
    assert len(points) <= MOST_POINTS
    if values:
        assert (points.low.min(), points.high.max()) == (min(values), max(values))
        assert points.steps[-1] == len(values) and (points.mean >= points.low - 1e-9).all()
    curve.cut(cut)
    assert len(curve.points()) <= len(points)
    if cut == 0:
        assert not len(curve.points())


@pytest.mark.parametrize(
    "line",
    [
        {"event": "step", "at": "now", "step": 1},
        {"event": "step", "at": 1, "step": "first", "loss": 1},
        {"event": "step", "at": 1, "step": 1, "loss": "much", "stage": ["x"]},
        {"event": "start", "at": 1, "step": 0, "stages": 5, "steps": 3},
        {"event": "start", "at": 1, "step": 0, "stages": [{"name": "s"}]},
        {"event": "validation", "at": 1, "step": 1, "scores": 3, "loss": "low"},
        {"event": "end", "at": 1, "step": 1, "seconds": None},
        {"event": "story", "at": 1, "step": 1},
    ],
)
def test_malformed_events_are_ignored(tmp_path: Path, line: dict[str, object]) -> None:
    run = run_in(tmp_path)
    (run.folder / "events.jsonl").write_text(json.dumps(line) + "\n")
    steps(run, 1, 1)
    progress = RunMonitor(run.folder).look()
    assert progress.step == 1


def test_cancelled_look_resumes_next_time(tmp_path: Path) -> None:
    run = run_in(tmp_path)
    steps(run, 1, 3)
    monitor, task = RunMonitor(run.folder), Task()
    task.cancel()
    with pytest.raises(Cancelled):
        monitor.look(task)
    assert monitor.look().curves["loss"].steps.tolist() == [1, 2, 3]
