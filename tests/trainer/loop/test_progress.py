"""Progress output of a training."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from trainer.contract.run import Run
from trainer.loop import progress
from trainer.loop.progress import Reporter, TrainingRate, duration

STEP = {"stage": "triples", "loss": 0.5, "tokens_per_second": 1234.5, "eta": 200.0}


def reported(run: Run, terminal: bool) -> str:
    """Return the output of a reporter for three steps and a warning."""
    console = Console(file=io.StringIO(), force_terminal=terminal, width=100)
    with Reporter(run, console=console) as reporter:
        reporter.warn("memory is short")
        for step in (1, 2, 3):
            reporter.record("step", step, **STEP)
    return console.file.getvalue()


def test_steps_are_occasional_lines_without_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "_EVERY", 1_000.0)
    run = Run(tmp_path)
    output = reported(run, terminal=False)
    assert output.splitlines() == [
        "Warning: memory is short",
        "triples: step 1 · loss 0.5000 · 1,234 tokens/s · 3 min left",
    ]
    assert [event.step for event in run.events()] == [0, 1, 2, 3]
    assert "WARNING memory is short" in run.log.read_text()


def test_speed_is_shown_once_known_and_lines_do_not_wrap(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(progress, "_EVERY", 0.0)
    console = Console(file=io.StringIO(), width=30)
    with Reporter(Run(tmp_path), console=console) as reporter:
        reporter.record("step", 1, **STEP | {"tokens_per_second": 0.0, "eta": 0.0})
        reporter.record("step", 2, **STEP)
    assert console.file.getvalue().splitlines() == [
        "triples: step 1 · loss 0.5000",
        "triples: step 2 · loss 0.5000 · 1,234 tokens/s · 3 min left",
    ]


def test_steps_are_a_progress_bar_on_a_terminal(tmp_path: Path) -> None:
    output = reported(Run(tmp_path), terminal=True)
    assert "loss 0.5000" in output
    assert "step 1" not in output


def test_silent_reporter_writes_nothing(tmp_path: Path) -> None:
    with Reporter(Run(tmp_path), silent=True) as reporter:
        reporter.note("hello")
    assert list(tmp_path.iterdir()) == []


def test_training_rate_uses_recent_steps_without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(progress.time, "perf_counter", lambda: now)
    pace = TrainingRate()
    assert (pace.rates(), pace.left(100)) == ((0.0, 0.0), 0.0)
    for _ in range(200):
        now += 1
        pace.mark(10, 2)
    now += 20
    pace.pause(20)
    now += 1
    pace.mark(10, 2)
    assert pace.rates() == pytest.approx((10.0, 2.0))
    # A tenth of the time was spent in pauses, which is assumed to continue.
    assert pace.left(1_000) == pytest.approx(100 * (1 + 20 / 201))
    for _ in range(40):
        now += 1
        pace.mark(20, 4)
    assert pace.rates() == pytest.approx((20.0, 4.0))


def test_training_rate_is_known_for_steps_longer_than_its_window(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    monkeypatch.setattr(progress.time, "perf_counter", lambda: now)
    pace = TrainingRate()
    for _ in range(5):
        now += 100
        pace.mark(1_000, 50)
    assert pace.rates() == pytest.approx((10.0, 0.5))


def test_training_rate_is_unknown_after_two_steps_that_were_read_at_once() -> None:
    pace = TrainingRate()
    pace.mark(10, 2)
    pace.mark(10, 2)
    assert pace.rates() == (0.0, 0.0)


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0, "0 s"),
        (99, "99 s"),
        (100, "2 min"),
        (5_900, "98 min"),
        (7_500, "2 h 05 min"),
        (200_000, "2 d 8 h"),
    ],
)
def test_durations_are_formatted_in_words(seconds: float, expected: str) -> None:
    assert duration(seconds) == expected
