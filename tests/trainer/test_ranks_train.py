"""Training by two processes gives the same model as by one, also after kills."""

from __future__ import annotations

import json
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

from tests.support.distributed.ranks import ended, start_ranks
from tests.support.models.small_runs import METHODS, small_base, small_corpus, small_recipe
from trainer.contract.package import ADAPTER_WEIGHTS
from trainer.contract.run import Run
from trainer.distributed import Ranks
from trainer.loop.setup import Options
from trainer.train import train

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900), pytest.mark.usefixtures("forked_python")]

ROOT = Path(__file__).resolve().parents[2]

# No dropout, which is random per rank, and a last step of one example, for one rank only.
SETTINGS: dict[str, dict[str, Any]] = {
    "library": {"batch_size": 7},
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
# Tokens at once: some micro-batches a step, and texts twice through the model.
SMALL = {method: 600 if "spe" in method else 150 for method in METHODS}


@pytest.fixture(scope="module")
def make_run(tmp_path_factory):
    """Return a function that makes runs of a method in separate folders."""
    folder = tmp_path_factory.mktemp("ranks")
    corpus, base = small_corpus(folder / "corpus"), small_base(folder / "tiny")

    def run(method: str, name: str, **changes: Any) -> Run:
        changes |= {"dropout": 0.0, "precision": "fp32", "learning_rate": 1e-4} | SETTINGS[method]
        return Run.create(folder / name / method, small_recipe(method, corpus, base, **changes))

    return run


@pytest.fixture(scope="module")
def runs_of_one(make_run) -> dict[str, Run]:
    """Every method, trained by one process."""
    runs = {method: make_run(method, "alone") for method in METHODS}
    for run in runs.values():
        assert train(run, Ranks.single_process("cpu"), Options("cpu")).finished
    return runs


@pytest.fixture(scope="module")
def runs_of_two(make_run) -> dict[str, Run]:
    """Every method, trained by two ranks, in whole steps and in micro-batches; and with FSDP and
    activation checkpointing, where the run is interrupted and resumed."""
    runs = {method: make_run(method, "two") for method in METHODS}
    pieces = {f"{method} in pieces": make_run(method, "pieces") for method in METHODS}
    sharded = {f"{method} sharded": make_run(method, "sharded") for method in SHARDED}
    asked = [{"run": str(run.folder)} for run in runs.values()]
    for method in METHODS:
        asked.append({"run": str(pieces[f"{method} in pieces"].folder), "budget": SMALL[method]})
    for method in SHARDED:
        run, budget = sharded[f"{method} sharded"], SMALL[method]
        asked.append({"run": str(run.folder), "budget": budget, "fsdp": True, "breaks": 5})
    long = make_run("specter", "long", epochs=8)
    asked += [{"run": str(long.folder)}]
    train_on_two_ranks(asked)
    return runs | pieces | sharded | {"long": long}


def train_on_two_ranks(asked: list[dict[str, Any]]) -> None:
    ranks = ended(start_ranks(2, "tests.support.distributed.rank_runs", json.dumps(asked)), 600)
    assert [rank.code for rank in ranks] == [0, 0], ranks


def kill_rank(number: int, started_by: psutil.Process) -> None:
    for process in started_by.children():  # children of the ranks have the same RANK
        with suppress(psutil.NoSuchProcess):
            if process.environ().get("RANK") == str(number):
                process.kill()
                return
    raise AssertionError(f"rank {number} is not there")


def losses(run: Run) -> list[float]:
    """Return one loss per step; the last one for a repeated step."""
    found = {event.step: event.values["loss"] for event in run.events() if event.kind == "step"}
    return [found[step] for step in sorted(found)]


def weights(run: Run) -> dict[str, torch.Tensor]:
    return load_file(run.package / "model.safetensors")


@pytest.mark.parametrize("way", WAYS)
def test_two_ranks_learn_the_same_as_one(runs_of_one, runs_of_two, way):
    method = way.partition(" ")[0]
    expected, found = losses(runs_of_one[method]), losses(runs_of_two[way])
    assert len(set(expected)) > 1
    assert found == pytest.approx(expected, rel=1e-4)
    other = weights(runs_of_two[way])
    for name, values in weights(runs_of_one[method]).items():
        torch.testing.assert_close(other[name], values, rtol=0, atol=2e-3)


@pytest.mark.parametrize("method", SHARDED)
def test_fsdp_run_resumes_at_its_checkpoint(runs_of_two, method):
    resumed = [
        event for event in runs_of_two[f"{method} sharded"].events() if event.kind == "resume"
    ]
    assert [event.step for event in resumed] == [4]


def test_adapters_and_averages_are_the_same_with_two_ranks(make_run):
    names = ("adapter alone", "adapter two", "adapter sharded")
    runs = [make_run("miread", name, lora_rank=2, average_steps=3) for name in names]
    assert train(runs[0], Ranks.single_process("cpu"), Options("cpu")).finished
    asked = [
        {"run": str(runs[1].folder)},
        {"run": str(runs[2].folder), "budget": SMALL["miread"], "fsdp": True, "breaks": 5},
    ]
    train_on_two_ranks(asked)
    expected = load_file(runs[0].package / ADAPTER_WEIGHTS)
    for run in runs[1:]:
        assert losses(run) == pytest.approx(losses(runs[0]), rel=1e-4)
        found = load_file(run.package / ADAPTER_WEIGHTS)
        for name, values in expected.items():
            torch.testing.assert_close(found[name], values, rtol=0, atol=2e-3)


def test_killed_rank_is_restarted_without_changing_the_result(runs_of_two, make_run):
    run = make_run("specter", "killed", epochs=8)
    steps = len(losses(runs_of_two["long"]))
    log = run.folder / "log.txt"
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    command += ["--max-restarts=1", "-m", "trainer", "train", str(run.folder), "--device=cpu"]
    command += ["--save-every=0", "--no-measure"]
    with log.open("wb") as file:
        started = subprocess.Popen(command, cwd=ROOT, stdout=file, stderr=subprocess.STDOUT)
    try:
        while len(losses(run)) < 5 and started.poll() is None:
            time.sleep(0.01)
        kill_rank(1, psutil.Process(started.pid))
        assert started.wait(timeout=600) == 0, log.read_text()[-4_000:]
    finally:
        started.kill()
    errors = {event.values["message"] for event in run.events() if event.kind == "error"}
    assert errors == {"Rank 0 of 2 waits for a rank that has crashed or hangs."}
    (resumed,) = [event.step for event in run.events() if event.kind == "resume"]
    assert 0 < resumed < steps
    assert losses(run) == losses(runs_of_two["long"])
    other = weights(run)
    for name, values in weights(runs_of_two["long"]).items():
        assert torch.equal(other[name], values)
