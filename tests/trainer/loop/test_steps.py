"""The gradients of a step do not depend on its micro-batches."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.support.models.toy_stage import Model, stage
from trainer.distributed import Ranks
from trainer.loop.steps import OutOfMemory, Steps

NUMBERS = np.arange(3, 33)


def steps_of(made, budget: int) -> Steps:
    return Steps(
        made,
        made.model,
        Ranks.single_process("cpu"),
        seed=1,
        precision=torch.float32,
        budget=budget,
    )


def gradients(together: int, budget: int, dropout: float = 0.0, step: int = 5):
    """Return (mean loss, gradients, sizes of the passes) of one step."""
    made = stage(together, dropout=dropout)
    steps = steps_of(made, budget)
    sums = steps.gradients(steps.work(made.train, NUMBERS, 1), step)
    found = [p.grad / sums.count for p in made.model.parameters()]
    return float(sums.total) / sums.count, found, made.model.passes


@pytest.mark.parametrize("together", [0, 8, 64])
@pytest.mark.parametrize("budget", [1, 30, 60])
def test_step_is_the_same_in_micro_batches(together: int, budget: int) -> None:
    loss, whole, passes = gradients(together, 10**6)
    cut_loss, cut, pieces = gradients(together, budget)
    assert len(passes) == 1 < len(pieces)
    assert cut_loss == pytest.approx(loss, rel=1e-12)
    for one, other in zip(whole, cut, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("budget", [100, 200, 10**6])
def test_groups_that_fit_pass_once_with_the_same_gradients(budget: int) -> None:
    made = stage(8)
    steps = steps_of(made, budget)
    steps.groups_apart = True
    sums = steps.gradients(steps.work(made.train, NUMBERS, 1), 5)
    loss, whole, _ = gradients(8, 10**6)
    # Texts that several groups share pass with each of them, none a second time.
    assert max(made.model.passes) <= budget
    assert sum(made.model.passes) <= made.train.tokens(NUMBERS).sum()
    assert float(sums.total) / sums.count == pytest.approx(loss, rel=1e-6)
    for parameter, expected in zip(made.model.parameters(), whole, strict=True):
        # The loss is in float32, and gradients of its parts are summed in another order.
        torch.testing.assert_close(parameter.grad / sums.count, expected, rtol=1e-5, atol=1e-7)


def test_group_beyond_the_budget_is_split() -> None:
    made = stage(16)
    steps = steps_of(made, 40)
    steps.groups_apart = True
    sums = steps.gradients(steps.work(made.train, NUMBERS, 1), 5)
    assert max(made.model.passes) <= 40
    assert float(sums.total) / sums.count == pytest.approx(gradients(16, 10**6)[0], rel=1e-12)


@pytest.mark.parametrize("together", [0, 64])
def test_passes_respect_the_token_budget(together: int) -> None:
    assert max(gradients(together, 40)[2]) <= 40


def test_texts_are_encoded_twice_with_the_same_dropout(monkeypatch) -> None:
    seen: list[Tensor] = []
    forward = Model.forward

    def watched(self, texts):
        found = forward(self, texts)
        seen.append(found.detach())
        return found

    monkeypatch.setattr(Model, "forward", watched)
    gradients(64, 30, dropout=0.5)
    half = len(seen) // 2
    assert half > 1
    assert all(torch.equal(*pair) for pair in zip(seen[:half], seen[half:], strict=True))


@pytest.mark.parametrize("together", [0, 64])
def test_repeated_step_has_the_same_dropout_and_another_differs(together: int) -> None:
    first, again, other = (gradients(together, 30, 0.5, step)[1] for step in (5, 5, 6))
    assert all(torch.equal(*pair) for pair in zip(first, again, strict=True))
    assert not all(torch.equal(*pair) for pair in zip(first, other, strict=True))


@pytest.mark.parametrize("together", [0, 8])
def test_losses_need_no_gradients_and_no_dropout(together: int) -> None:
    made = stage(together, dropout=0.5)
    steps = steps_of(made, 30)
    found = steps.losses(steps.work(made.train, NUMBERS, 1))
    assert float(found.total) / found.count == pytest.approx(gradients(together, 10**6)[0])
    assert all(p.grad is None for p in made.model.parameters())


def test_texts_shared_by_examples_are_encoded_once() -> None:
    made = stage()
    work = steps_of(made, 10**6).work(made.train, NUMBERS, 1)
    assert len(work.batches[0].texts.lengths) == len(np.unique(made.train.rows[NUMBERS]))
    assert (work.examples, work.tokens) == (30, made.train.tokens(NUMBERS).sum())


@pytest.mark.parametrize("together", [0, 8])
def test_rank_without_examples_reaches_all_parameters(together: int) -> None:
    made = stage(together)
    ranks = Ranks(rank=1, world=2, device=torch.device("cpu"))
    steps = Steps(
        made, made.model, Ranks.single_process("cpu"), seed=1, precision=torch.float32, budget=99
    )
    steps._ranks = ranks
    work = steps.work(made.train, NUMBERS[:1], 1)
    steps._ranks = Ranks.single_process("cpu")
    sums = steps.gradients(work, 0)
    assert (float(sums.total), sums.count, work.tokens) == (0.0, 0, 0)
    assert all(p.grad is not None and not p.grad.any() for p in made.model.parameters())


@pytest.mark.parametrize("together", [0, 8])
def test_out_of_memory_is_raised(together: int) -> None:
    made = stage(together)
    made.model.fits = 20
    steps = steps_of(made, 30)
    with pytest.raises(OutOfMemory):
        steps.gradients(steps.work(made.train, NUMBERS, 1), 0)
