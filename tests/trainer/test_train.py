"""The training loop: from a recipe to a model, with all interruptions."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file

from tests.support.models.small_runs import METHODS, small_corpus
from tests.support.models.tiny_model import tiny_package
from trainer.contract.errors import TrainerError
from trainer.contract.package import read_package
from trainer.contract.run import Event, Recipe, Run, RunState
from trainer.distributed import Ranks
from trainer.encoder import Encoder
from trainer.loop.checkpoints import Checkpoints
from trainer.loop.setup import Options
from trainer.loop.steps import Steps
from trainer.model.text_model import Backbone
from trainer.train import train

pytestmark = pytest.mark.usefixtures("one_thread")

RecipeOf = Callable[..., Recipe]

CPU = Ranks.single_process("cpu")
PAIRS = [("deep graph", "we study the network"), ("learning", "")]


@pytest.mark.parametrize("method", METHODS)
def test_each_method_trains_a_model_that_opens(
    method: str, tmp_path: Path, recipe_of: RecipeOf
) -> None:
    run = Run.create(tmp_path / "run", recipe_of(method))
    assert train(run, CPU, Options()).finished
    assert run.state is RunState.finished
    package = read_package(run.package)
    assert (package.method, package.corpus["papers"]) == (method, 100)
    # A model that was fine-tuned further is named after its base model.
    from_scratch = run.recipe.settings.get("from_scratch", False)
    assert (Path(run.recipe.base).name in package.title) is not from_scratch
    assert "Library" not in package.title  # reads as the data
    assert run.recipe.title == "" and "100 papers" in package.title
    vectors = Encoder(package).encode(PAIRS)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)
    assert run.report is not None
    assert run.report["package"]["space"] == package.space
    assert [s["steps"] for s in run.report["stages"]] == [
        len([e for e in run.events() if e.kind == "step" and e.values["stage"] == s["name"]])
        for s in run.report["stages"]
    ]


def test_read_tokens_sets_the_input_length_of_the_model(
    tmp_path: Path, recipe_of: RecipeOf
) -> None:
    recipe = recipe_of("miread", max_tokens=10, read_tokens=48, max_steps=1)
    run = Run.create(tmp_path / "run", recipe)
    train(run, CPU, Options())
    assert read_package(run.package).max_tokens == 48


def small_run(tmp_path: Path, recipe_of: RecipeOf, method: str = "miread", **changes: Any) -> Run:
    return Run.create(tmp_path / "run", recipe_of(method, **changes))


def kinds(run: Run) -> list[str]:
    return [event.kind for event in run.events()]


def test_best_weights_are_kept(tmp_path: Path, recipe_of: RecipeOf) -> None:
    # The learning rate rises until it spoils the model.
    run = small_run(
        tmp_path,
        recipe_of,
        epochs=3,
        learning_rate=1.0,
        evaluations=2,
        schedule="constant",
        warmup=0.9,
    )
    train(run, CPU)
    measured = {e.step: e.values for e in run.events() if e.kind == "validation"}
    best = min(measured, key=lambda step: measured[step]["loss"])
    assert best < max(measured)
    assert [step for step in measured if measured[step]["best"]][-1] == best
    kept = load_file(run.checkpoints / f"step-{best:08}" / "model.safetensors")
    packed = load_file(run.package / "model.safetensors")
    name = "encoder.layer.0.attention.self.query.weight"
    (found,) = (weight for key, weight in kept.items() if key.endswith(name))
    assert torch.equal(found, packed[name])


def test_events_describe_the_run(tmp_path: Path, recipe_of: RecipeOf) -> None:
    run = small_run(tmp_path, recipe_of)
    train(run, CPU)
    seen = [kind for kind in kinds(run) if kind != "note"]
    assert seen[:2] == ["start", "stage"]
    assert seen[-2:] == ["checkpoint", "end"]
    start = next(e.values for e in run.events() if e.kind == "start")
    step = next(e.values for e in run.events() if e.kind == "step")
    assert start["versions"]["torch"] == torch.__version__
    assert start["corpus"]["sha256"] == run.report["corpus"]["sha256"]
    assert {"loss", "learning_rate", "gradient_norm", "tokens_per_second", "memory", "eta"} <= set(
        step
    )
    assert "Finished" in run.log.read_text()


def test_model_records_its_licence_and_training(tmp_path: Path, recipe_of: RecipeOf) -> None:
    base = tiny_package(tmp_path / "base", licence="mit")
    recipe = recipe_of("miread", max_steps=1)
    recipe = replace(recipe, settings={**recipe.settings, "base": str(base.folder)})
    run = Run.create(tmp_path / "run", recipe)
    train(run, CPU, Options(budget=500, checkpointing=True))
    assert read_package(run.package).licence == "mit"
    start = next(event.values for event in run.events() if event.kind == "start")
    for record in (start, run.report):
        model = {"weights": base.files["model.safetensors"], "space": base.space}
        assert record["base_model"] == model
        switches = {"budget": 500, "fsdp": False, "checkpointing": True, "compile": False}
        assert {name: record[name] for name in switches} == switches


def test_finished_run_is_not_trained_again(tmp_path: Path, recipe_of: RecipeOf) -> None:
    run = small_run(tmp_path, recipe_of)
    train(run, CPU)
    before = kinds(run)
    assert train(run, CPU).finished
    assert kinds(run) == before


def test_stop_file_saves_a_checkpoint_and_ends_the_run(
    tmp_path: Path, recipe_of: RecipeOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = small_run(tmp_path, recipe_of)
    run_after(3, "step", monkeypatch, lambda: run.stop())
    assert not train(run, CPU).finished
    assert run.state is RunState.stopped
    assert not run.stop_requested()
    assert train(run, CPU).finished
    steps = [event.step for event in run.events() if event.kind == "step"]
    assert steps == list(range(1, len(steps) + 1))


def run_after(
    count: int, kind: str, monkeypatch: pytest.MonkeyPatch, do: Callable[[], None]
) -> None:
    """Call `do` once, after so many events of this kind."""
    left, append = count, Run.append

    def counting(self: Run, event: Event) -> None:
        nonlocal left
        append(self, event)
        left -= event.kind == kind
        if left == 0 and event.kind == kind:
            do()

    monkeypatch.setattr(Run, "append", counting)


def failure(run: Run, options: Options | None = None) -> TrainerError:
    with pytest.raises(TrainerError) as caught:
        train(run, CPU, options)
    return caught.value


def test_non_finite_loss_ends_the_run(
    tmp_path: Path, recipe_of: RecipeOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = small_run(tmp_path, recipe_of)

    def spoil() -> None:
        loss = Steps._loss
        monkeypatch.setattr(
            Steps, "_loss", lambda *a: loss(*a)._replace(total=loss(*a).total * nan)
        )

    run_after(3, "step", monkeypatch, spoil)
    error = failure(run, Options(save_every=0))
    assert "loss nan" in str(error)
    assert "learning rate" in error.hint
    assert run.state is RunState.failed
    kept = Checkpoints(run.checkpoints).last(pytest.fail)
    assert kept and all(torch.isfinite(values).all() for values in kept.model().values())


@pytest.mark.parametrize("limit", [20_000, 60_000])
def test_full_disk_ends_the_run_and_keeps_the_last_checkpoint(
    limit: int, tmp_path: Path, recipe_of: RecipeOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    resource = pytest.importorskip("resource")
    run = small_run(tmp_path, recipe_of, epochs=4)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    # Files cannot grow any more: like a full disk, except for the error number.
    run_after(
        2,
        "checkpoint",
        monkeypatch,
        lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard)),
    )
    try:
        error = failure(run, Options(save_every=0))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "could not be written" in str(error)
    assert "disk space" in error.hint
    assert not list(run.checkpoints.glob("*.new"))
    assert Checkpoints(run.checkpoints).last(pytest.fail) is not None
    assert train(run, CPU).finished


def test_full_disk_while_writing_the_model_keeps_the_checkpoint(
    tmp_path: Path, recipe_of: RecipeOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = small_run(tmp_path, recipe_of)

    def full(*_: object, **__: object) -> None:
        raise SafetensorError(f"I/O error: {os.strerror(errno.ENOSPC)} (os error 28)")

    with monkeypatch.context() as patch:
        patch.setattr("trainer.model.text_model.save_file", full)
        error = failure(run)
    assert "The disk is full" in str(error)
    assert train(run, CPU).finished
    assert kinds(run).count("validation") == 2


def test_full_disk_while_writing_an_event_ends_the_run(
    tmp_path: Path, recipe_of: RecipeOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = small_run(tmp_path, recipe_of)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(run.folder / "events.jsonl"))

    run_after(3, "step", monkeypatch, lambda: monkeypatch.setattr(Run, "append", full))
    error = failure(run)
    assert "The disk is full" in str(error)
    assert "events.jsonl" in str(error)


def test_damaged_checkpoint_is_reported_and_previous_one_used(
    tmp_path: Path, recipe_of: RecipeOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = small_run(tmp_path, recipe_of)
    run_after(5, "step", monkeypatch, lambda: run.stop())
    train(run, CPU, Options(save_every=0))
    last, before = sorted(run.checkpoints.iterdir())[::-1]
    spoiled = last / "optimizer.safetensors"
    spoiled.write_bytes(spoiled.read_bytes()[:-4] + b"\0\1\2\3")
    assert train(run, CPU).finished
    (warning,) = (event for event in run.events() if event.kind == "warning")
    assert "is damaged" in warning.values["text"]
    resumed = [event.step for event in run.events() if event.kind == "resume"]
    assert resumed[-1] == int(before.name.removeprefix("step-"))


def test_run_with_only_damaged_checkpoints_does_not_restart(
    tmp_path: Path, recipe_of: RecipeOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = small_run(tmp_path, recipe_of)
    run_after(5, "step", monkeypatch, lambda: run.stop())
    train(run, CPU)
    for state in run.checkpoints.glob("*/state.json"):
        state.write_text("{")
    assert "are damaged" in str(failure(run))


def with_more_epochs(run: Run) -> None:
    path = run.folder / "recipe.toml"
    path.write_text(path.read_text().replace("epochs = 2.0", "epochs = 3.0"))


def with_its_corpus_elsewhere(run: Run) -> None:
    moved = run.folder / "moved"
    shutil.copytree(run.recipe.corpus, moved)
    Run.create(run.folder, replace(run.recipe, corpus=moved))


def with_another_corpus(run: Run) -> None:
    other = small_corpus(run.folder / "other", 50)
    Run.create(run.folder, replace(run.recipe, corpus=other))


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (with_more_epochs, "epochs was 2.0 and is now 3.0"),
        (with_another_corpus, "has changed since the start of the run"),
        (with_its_corpus_elsewhere, ""),
    ],
)
def test_changed_run_resumes_only_if_compatible(
    changed: Callable[[Run], None],
    expected: str,
    tmp_path: Path,
    recipe_of: RecipeOf,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = small_run(tmp_path, recipe_of)
    run_after(5, "step", monkeypatch, lambda: run.stop())
    train(run, CPU)
    changed(run)
    if expected:
        assert expected in str(failure(run))
    else:
        train(run, CPU)


@pytest.mark.parametrize("how", ["gone", "cut"])
def test_missing_corpus_ends_the_run_after_a_checkpoint(
    how: str, tmp_path: Path, recipe_of: RecipeOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trainer.loop.stop_signals._CHECK_EVERY", 0.0)
    own = tmp_path / "own"
    recipe = recipe_of("miread")
    shutil.copytree(recipe.corpus, own)
    run = Run.create(tmp_path / "run", replace(recipe, corpus=own))

    def spoil() -> None:
        if how == "gone":
            shutil.rmtree(own)
        else:
            (own / "years.int16").write_bytes(b"")

    run_after(3, "step", monkeypatch, spoil)
    error = failure(run)
    assert str(own) in str(error)
    assert 3 < Checkpoints(run.checkpoints).last(pytest.fail).step < 9
    assert str(own) in str(failure(run))


def test_missing_base_model_is_named(tmp_path: Path, recipe_of: RecipeOf) -> None:
    recipe = recipe_of("miread")
    lost = replace(recipe, settings={**recipe.settings, "base": "nobody/no-model"})
    error = failure(Run.create(tmp_path / "run", lost))
    assert "nobody/no-model" in str(error)
    assert "pull" in error.hint


def test_out_of_memory_halves_the_micro_batch(
    tmp_path: Path, recipe_of: RecipeOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    forward = Backbone.forward

    def narrow(self, texts, after=None):
        if len(texts.ids) > 150:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return forward(self, texts, after)

    run = small_run(tmp_path / "free", recipe_of, dropout=0)
    train(run, CPU, Options(budget=10_000))
    monkeypatch.setattr(Backbone, "forward", narrow)
    short = small_run(tmp_path / "short", recipe_of, dropout=0)
    train(short, CPU, Options(budget=10_000))
    assert (
        "Not enough memory" in next(e for e in short.events() if e.kind == "warning").values["text"]
    )
    losses = [[e.values["loss"] for e in r.events() if e.kind == "step"] for r in (run, short)]
    assert losses[0] == pytest.approx(losses[1], rel=1e-4)


def test_out_of_memory_for_one_text_ends_the_run(
    tmp_path: Path, recipe_of: RecipeOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(Backbone, "forward", full)
    error = failure(small_run(tmp_path, recipe_of))
    assert "Out of memory" in str(error)
    assert "max_tokens" in error.hint


def test_compile_and_checkpointing_options_reach_the_model(
    tmp_path: Path, recipe_of: RecipeOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled: list[Backbone] = []
    checkpointing: list[bool] = []
    forward = Backbone.forward

    def seen(self: Backbone, *texts: Any) -> Any:
        checkpointing.append(self.checkpointing)
        return forward(self, *texts)

    monkeypatch.setattr(Backbone, "compile_layers", lambda self: compiled.append(self))
    monkeypatch.setattr(Backbone, "forward", seen)
    run = small_run(tmp_path, recipe_of, max_steps=1)
    train(run, CPU, Options(compile=True, checkpointing=True))
    assert len(compiled) == 1
    assert set(checkpointing) == {True}


@pytest.mark.parametrize("way", [{"checkpointing": True}, {"compile": True}, {"budget": 200}])
def test_execution_options_do_not_change_the_losses(
    way: dict[str, Any], tmp_path: Path, recipe_of: RecipeOf
) -> None:
    changes = {"dropout": 0, "precision": "fp32", "max_steps": 4}
    plain = small_run(tmp_path / "plain", recipe_of, **changes)
    other = small_run(tmp_path / "other", recipe_of, **changes)
    train(plain, CPU)
    train(other, CPU, Options(**way))
    losses = [[e.values["loss"] for e in r.events() if e.kind == "step"] for r in (plain, other)]
    assert len(losses[0]) == 4
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)
