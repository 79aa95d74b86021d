"""The steps of a stage, whose texts are prepared in the background."""

from __future__ import annotations

import threading

import pytest
import torch

from tests.support.models.toy_stage import Numbers, Pairs, stage
from trainer.distributed import Ranks
from trainer.loop import stage_trainer
from trainer.loop.stage_trainer import StageTrainer

pytestmark = pytest.mark.usefixtures("one_thread")


def losses(*, out_of_memory: bool) -> list[float]:
    """The losses of two epochs of two steps each; the memory may suffice for the last step of the
    first one only after the budget was halved."""
    made = stage(batch_size=25, epochs=2)
    trainer = StageTrainer(
        made,
        Ranks.single_process("cpu"),
        seed=1,
        precision=torch.float32,
        budget=1_000_000,
        halved=lambda _: setattr(made.model, "fits", 1_000_000),
    )
    steps = trainer.train_steps()
    found = [next(steps)]
    made.model.fits = 0 if out_of_memory else 1_000_000
    found += steps
    return [float(step.loss) for step in found]


def test_step_repeated_while_the_next_epoch_is_ordered_keeps_its_examples(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected = losses(out_of_memory=False)
    repeated, ordered = threading.Event(), threading.Event()
    order, bits = Pairs.order, stage_trainer.stateless_bits

    def order_late(self: Pairs, seed: int, epoch: int, size: int) -> Numbers:
        if epoch:
            assert repeated.wait(60)
        return order(self, seed, epoch, size)

    def bits_of(*key: object) -> object:
        if threading.current_thread() is threading.main_thread():
            repeated.set()
            assert ordered.wait(60)
        elif key[-1] == 1:
            ordered.set()
        return bits(*key)

    monkeypatch.setattr(Pairs, "order", order_late)
    monkeypatch.setattr(stage_trainer, "stateless_bits", bits_of)
    assert losses(out_of_memory=True) == pytest.approx(expected)
