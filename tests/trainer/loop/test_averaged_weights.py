"""The moving average of the weights: its value, its validation, and the model made of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from tests.support.models.toy_stage import stage
from trainer.contract.package import ADAPTER_WEIGHTS, WEIGHTS
from trainer.contract.run import Recipe, Run
from trainer.distributed import Ranks
from trainer.loop.checkpoints import Checkpoints
from trainer.loop.finish import restore
from trainer.loop.setup import Options, prepare_run
from trainer.loop.stage_trainer import StageTrainer
from trainer.train import train

pytestmark = pytest.mark.usefixtures("one_thread", "own_home")

RecipeOf = Callable[..., Recipe]
CPU = Ranks.single_process("cpu")


def weights_of(trainer: StageTrainer) -> list[torch.Tensor]:
    return [weight.detach().clone() for weight in trainer.model.parameters()]


def trainer_of(**plan: float) -> StageTrainer:
    return StageTrainer(stage(**plan), CPU, seed=1, precision=torch.float32, budget=1_000)


def test_average_is_a_mean_at_first_and_exponential_later() -> None:
    trainer = trainer_of(average_steps=3, learning_rate=0.1)
    expected: list[torch.Tensor] = []
    for number, _ in enumerate(trainer.train_steps(), 1):
        weights = weights_of(trainer)
        share = 1 / min(number, 3)
        previous = expected or weights
        expected = [
            (1 - share) * old + share * new for old, new in zip(previous, weights, strict=True)
        ]
        with trainer.averaged():
            torch.testing.assert_close(weights_of(trainer), expected)
        torch.testing.assert_close(weights_of(trainer), weights, rtol=0, atol=0)
    assert number > 3
    assert not torch.allclose(expected[0], weights[0])
    trainer.finish()
    torch.testing.assert_close(weights_of(trainer), expected)


def test_without_averaging_validation_uses_the_weights() -> None:
    trainer = trainer_of(learning_rate=0.1)
    list(trainer.train_steps())
    weights = weights_of(trainer)
    with trainer.averaged():
        torch.testing.assert_close(weights_of(trainer), weights, rtol=0, atol=0)


def trained(folder: Path, recipe: Recipe) -> Run:
    run = Run.create(folder / "run", recipe)
    assert train(run, CPU, Options()).finished
    return run


def test_averaged_weights_are_validated_and_kept(tmp_path: Path, recipe_of: RecipeOf) -> None:
    recipe = recipe_of(
        "specter", average_steps=4, learning_rate=0.01, max_steps=6, dropout=0.0, precision="fp32"
    )
    run = trained(tmp_path, recipe)
    validation = run.report["stages"][-1]["validations"][-1]
    last = Checkpoints(run.checkpoints).read(validation["step"])
    name = "encoder.layer.0.output.dense.weight"
    (own,) = (weight for key, weight in last.model().items() if key.endswith(name))
    (average,) = (weight for key, weight in last.finished().items() if key.endswith(name))
    assert not torch.allclose(own, average)
    assert torch.equal(load_file(run.package / WEIGHTS)[name], average)

    prepared = prepare_run(recipe, tmp_path, CPU, Options(), lambda _: None)
    its_stage = prepared.method.stages[0]
    restore(its_stage.model, last.finished())
    made = StageTrainer(its_stage, CPU, seed=1, precision=torch.float32, budget=1_000)
    assert made.validation_loss() == pytest.approx(validation["loss"], rel=1e-5)


@pytest.mark.parametrize(
    ("method", "stops_after", "changes"),
    [
        ("specter", 3, {"max_steps": 6}),
        ("specter", 3, {"max_steps": 6, "lora_rank": 2}),
        ("physbert", 8, {}),
    ],
)
def test_average_resumes_with_the_same_weights(
    method: str,
    stops_after: int,
    changes: dict[str, int],
    tmp_path: Path,
    recipe_of: RecipeOf,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recipe = recipe_of(method, average_steps=4, **changes)
    whole = trained(tmp_path / "whole", recipe)
    run = Run.create(tmp_path / "stopped" / "run", recipe)
    asked = iter(range(1_000))
    monkeypatch.setattr(Run, "stop_requested", lambda self: next(asked) == stops_after)
    assert not train(run, CPU, Options()).finished
    assert train(run, CPU, Options()).finished
    name = ADAPTER_WEIGHTS if "lora_rank" in changes else WEIGHTS
    assert (run.package / name).read_bytes() == (whole.package / name).read_bytes()
