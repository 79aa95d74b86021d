"""A killed and resumed run gives an identical result."""

from __future__ import annotations

import hashlib
import os
import signal
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from tests.support.models.small_runs import small_base, small_corpus, small_recipe
from trainer.contract.run import Event, Recipe, Run
from trainer.distributed import Ranks
from trainer.loop.setup import Options
from trainer.train import train

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="kills processes as Unix does"),
    pytest.mark.slow,
    pytest.mark.timeout(900),
]


def in_process(work: Callable[[], object]) -> int:
    """Run `work` in a child process. Return the signal that killed it, or 0."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            torch.set_num_threads(1)
            work()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    assert not os.WIFEXITED(status) or os.WEXITSTATUS(status) == 0
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


def resume_run(run: Run, options: Options) -> None:
    assert train(run, Ranks.single_process("cpu"), options).finished


def killed_after(events: int, run: Run, options: Options) -> int:
    """Continue until this many events were written, or to the end."""

    def work() -> None:
        left, append = events, Run.append

        def counting(self: Run, event: Event) -> None:
            nonlocal left
            append(self, event)
            left -= 1
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)

        Run.append = counting  # type: ignore[method-assign]
        resume_run(run, options)

    return in_process(work)


def killed_while_writing(run: Run, options: Options, writes: int) -> int:
    """Continue until the `writes`-th file of a checkpoint is about to be flushed to disk."""

    def work() -> None:
        left, fsync = writes, os.fsync

        def counting(handle: int) -> None:
            nonlocal left
            left -= 1
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)
            fsync(handle)

        os.fsync = counting
        resume_run(run, options)

    return in_process(work)


def outcome(run: Run) -> tuple[list[tuple[int, float]], str]:
    """The loss of every step, and the weights."""
    losses = [(e.step, e.values["loss"]) for e in run.events() if e.kind == "step"]
    weights = (run.package / "model.safetensors").read_bytes()
    return losses, hashlib.sha256(weights).hexdigest()


@pytest.fixture(scope="module")
def uninterrupted(
    tmp_path_factory: pytest.TempPathFactory, recipe_of: Callable[..., Recipe]
) -> Run:
    run = Run.create(tmp_path_factory.mktemp("whole") / "run", recipe_of("specter", max_steps=8))
    assert in_process(lambda: resume_run(run, Options())) == 0
    return run


# SPECTER accumulates micro-batches; PhysBERT uses GradCache in its third stage; MIReAD reaches its
# second epoch.
@pytest.mark.parametrize(
    ("method", "budget", "steps"),
    [
        ("specter", 300, 8),
        ("multi2spe", 0, 8),
        ("miread", 0, 16),
        ("physbert", 200, 8),
        ("library", 200, 5),
    ],
)
def test_killed_run_ends_like_an_uninterrupted_one(
    method: str, budget: int, steps: int, tmp_path: Path, recipe_of: Callable[..., Recipe]
) -> None:
    recipe = recipe_of(method, max_steps=steps)
    whole = Run.create(tmp_path / "whole" / "run", recipe)
    assert in_process(lambda: resume_run(whole, Options(budget=budget))) == 0

    often = Run.create(tmp_path / "often" / "run", recipe)
    kills = 0
    while killed_after(max(8, len(whole.events()) // 3), often, Options("", budget, save_every=0)):
        kills += 1
    assert kills > 1
    assert outcome(often) == outcome(whole)


@pytest.mark.parametrize("method", ["physbert", "library"])
def test_killed_run_on_full_texts_ends_like_an_uninterrupted_one(
    method: str, tmp_path: Path
) -> None:
    corpus = small_corpus(tmp_path / "corpus", full_texts=True)
    base = small_base(tmp_path / "base")
    recipe = small_recipe(method, corpus, base, max_steps=6)
    whole, often = (Run.create(tmp_path / name / "run", recipe) for name in ("whole", "often"))
    assert in_process(lambda: resume_run(whole, Options())) == 0
    kills = 0
    while killed_after(max(8, len(whole.events()) // 3), often, Options(save_every=0)):
        kills += 1
    assert kills > 1
    assert outcome(often) == outcome(whole)


@pytest.mark.parametrize("writes", [2, 3, 8])
def test_incomplete_checkpoint_is_ignored(writes: int, tmp_path: Path, uninterrupted: Run) -> None:
    run = Run.create(tmp_path / "run", uninterrupted.recipe)
    assert killed_while_writing(run, Options(save_every=0), writes) == signal.SIGKILL
    assert list(run.checkpoints.glob("*.new"))
    assert in_process(lambda: resume_run(run, Options(save_every=0))) == 0
    assert outcome(run) == outcome(uninterrupted)
    assert not list(run.checkpoints.glob("*.new"))
