"""Events of a run for TensorBoard."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from trainer.contract.errors import TrainerError
from trainer.contract.run import Run
from trainer.loop.progress import Reporter

START = {
    "recipe": "r",
    "base": "b",
    "corpus": {"papers": 9},
    "steps": 9,
    "device": "cpu",
    "ranks": 1,
}
STEP = {
    "stage": "triples",
    "loss": 0.5,
    "learning_rate": 1e-5,
    "tokens_per_second": 9.0,
    "eta": 2.0,
}


def events(run: Run) -> Iterator[object]:
    """Iterate over the events in the TensorBoard files of a run, in the order of writing."""
    from tensorboardX.proto.event_pb2 import Event

    for path in sorted((run.folder / "tensorboard").iterdir()):
        data = path.read_bytes()
        while data:  # length, its checksum, the event, its checksum
            (length,) = struct.unpack("<Q", data[:8])
            yield Event.FromString(data[12 : 12 + length])
            data = data[16 + length :]


def scalars(run: Run) -> list[tuple[str, int, float]]:
    """Return tag, step and value of all curves."""
    return [
        (value.tag, event.step, round(value.simple_value, 4))
        for event in events(run)
        for value in event.summary.value
        if value.HasField("simple_value")
    ]


def report(run: Run, steps: range, kind: str = "start", *, tensorboard: bool = True) -> None:
    with Reporter(run, bar=False, tensorboard=tensorboard) as reporter:
        reporter.record("start", **START)
        if kind == "resume":
            reporter.record("resume", steps[0] - 1, why="stopped")
        for step in steps:
            reporter.record("step", step, **STEP | {"loss": step / 10})
        reporter.record(
            "validation", steps[-1], stage="triples", loss=0.25, scores={"MAP": 0.75}, best=True
        )


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(tmp_path)


def test_steps_and_validations_become_curves_of_their_stage(run: Run) -> None:
    report(run, range(1, 3))
    found = scalars(run)
    assert [(s, v) for tag, s, v in found if tag == "triples/loss"] == [(1, 0.1), (2, 0.2)]
    assert ("triples/validation/MAP", 2, 0.75) in found
    assert {tag for tag, _, _ in found} == {
        "triples/loss",
        "triples/learning_rate",
        "triples/tokens_per_second",
        "triples/validation/loss",
        "triples/validation/MAP",
    }


def test_resumed_run_purges_later_steps(run: Run) -> None:
    from tensorboardX.proto.event_pb2 import SessionLog

    report(run, range(1, 5))
    report(run, range(3, 5), "resume")
    starts = [e.step for e in events(run) if e.session_log.status == SessionLog.START]
    assert starts == [3]


def test_earlier_events_are_written_if_the_option_is_set_later(run: Run) -> None:
    report(run, range(1, 3), tensorboard=False)
    assert not (run.folder / "tensorboard").exists()
    report(run, range(3, 4), "resume")
    assert [s for tag, s, _ in scalars(run) if tag == "triples/loss"] == [1, 2, 3]


def test_missing_package_names_the_command_to_install_it(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "tensorboardX", None)
    with pytest.raises(TrainerError) as raised:
        Reporter(run, tensorboard=True)
    assert "sciread[tensorboard]" in raised.value.hint
