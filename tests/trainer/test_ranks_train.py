"""Two processes that torchrun starts learn what one learns, whatever happens to them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
import torch
from safetensors.torch import load_file

from tests.support.ranks import ROOT
from tests.support.small_runs import METHODS, small_base, small_corpus, small_recipe
from trainer.contract.run import Run
from trainer.distributed import Ranks
from trainer.loop.setup import Options
from trainer.train import train

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

# No dropout, whose chance is each rank's own, and a last step of one example, for one rank only.
SETTINGS: dict[str, dict[str, Any]] = {
    "specter": {"batch_size": 31},
    "multi2spe": {"batch_size": 31},
    "miread": {"batch_size": 11},
    "physbert": {"category_pairs": 17},
}
SHARDED = ("miread", "physbert")
WAYS = [
    *METHODS,
    *(f"{method} in pieces" for method in METHODS),
    *(f"{method} sharded" for method in SHARDED),
]
SMALL = 150  # tokens at once: some micro-batches a step, and texts twice through the model


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Makes runs of a method, each in a folder of its own."""
    folder = tmp_path_factory.mktemp("ranks")
    corpus, base = small_corpus(folder / "corpus"), small_base(folder / "tiny")

    def run(method: str, name: str, **changes: Any) -> Run:
        changes |= {"dropout": 0.0, "precision": "fp32", "learning_rate": 1e-4} | SETTINGS[method]
        return Run.create(folder / name / method, small_recipe(method, corpus, base, **changes))

    return run


@pytest.fixture(scope="module")
def alone(made) -> dict[str, Run]:
    """Every method, trained by one process."""
    runs = {method: made(method, "alone") for method in METHODS}
    for run in runs.values():
        assert train(run, Ranks.alone("cpu"), Options("cpu")).finished
    return runs


@pytest.fixture(scope="module")
def two(made) -> dict[str, Run]:
    """Every method, trained by two ranks, whole steps at once and in pieces; and with FSDP,
    where layers are computed twice, and the run breaks off and is gone on with."""
    runs = {method: made(method, "two") for method in METHODS}
    pieces = {f"{method} in pieces": made(method, "pieces") for method in METHODS}
    sharded = {f"{method} sharded": made(method, "sharded") for method in SHARDED}
    asked = [{"run": str(run.folder)} for run in runs.values()]
    asked += [{"run": str(run.folder), "budget": SMALL} for run in pieces.values()]
    asked += [
        {"run": str(run.folder), "budget": SMALL, "fsdp": True, "breaks": 5}
        for run in sharded.values()
    ]
    long = made("specter", "long", epochs=8)
    asked += [{"run": str(long.folder)}]
    log = long.folder / "log.txt"
    assert_ended_well(torchrun(log, "-m", "tests.support.rank_runs", json.dumps(asked)), log)
    return runs | pieces | sharded | {"long": long}


def torchrun(log: Path, *arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    with log.open("wb") as file:
        return subprocess.Popen(
            [*command, *arguments],
            cwd=ROOT,
            env=os.environ | {"OMP_NUM_THREADS": "1"},
            stdout=file,
            stderr=subprocess.STDOUT,
        )


def assert_ended_well(started: subprocess.Popen[bytes], log: Path) -> None:
    try:
        assert started.wait(timeout=600) == 0, log.read_text()[-4_000:]
    finally:
        started.kill()


def kill_rank(number: int, started_by: psutil.Process) -> None:
    for process in started_by.children():  # not of the ranks' own, which say the same RANK
        with suppress(psutil.NoSuchProcess):
            if process.environ().get("RANK") == str(number):
                process.kill()
                return
    raise AssertionError(f"rank {number} is not there")


def losses(run: Run) -> list[float]:
    """A loss a step; of a step that was done again, the last."""
    found = {event.step: event.values["loss"] for event in run.events() if event.kind == "step"}
    return [found[step] for step in sorted(found)]


def weights(run: Run) -> dict[str, torch.Tensor]:
    return load_file(run.package / "model.safetensors")


@pytest.mark.parametrize("way", WAYS)
def test_two_ranks_learn_what_one_learns(alone, two, way):
    method = way.partition(" ")[0]
    expected, found = losses(alone[method]), losses(two[way])
    assert len(set(expected)) > 1
    assert found == pytest.approx(expected, rel=1e-4)
    other = weights(two[way])
    for name, values in weights(alone[method]).items():
        torch.testing.assert_close(other[name], values, rtol=0, atol=2e-3)


@pytest.mark.parametrize("method", SHARDED)
def test_a_run_with_fsdp_goes_on_where_it_broke_off(two, method):
    resumed = [event for event in two[f"{method} sharded"].events() if event.kind == "resume"]
    assert [event.step for event in resumed] == [4]


def test_a_killed_rank_is_started_anew_and_the_run_ends_as_if_it_had_lived(two, made):
    run = made("specter", "killed", epochs=8)
    steps = len(losses(two["long"]))
    log = run.folder / "log.txt"
    command = ["-m", "trainer", "train", str(run.folder), "--device=cpu", "--save-every=0"]
    command += ["--no-measure"]
    started = torchrun(log, "--max-restarts=1", *command)
    while len(losses(run)) < 5 and started.poll() is None:
        time.sleep(0.01)
    kill_rank(1, psutil.Process(started.pid))
    assert_ended_well(started, log)
    errors = {event.values["message"] for event in run.events() if event.kind == "error"}
    assert errors == {"Rank 0 of 2 waits for a rank that died or hangs."}
    (resumed,) = [event.step for event in run.events() if event.kind == "resume"]
    assert 0 < resumed < steps
    assert losses(run) == losses(two["long"])
    other = weights(run)
    for name, values in weights(two["long"]).items():
        assert torch.equal(other[name], values)
