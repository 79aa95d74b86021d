"""A stage being learned on one rank: its model, its optimizer and its steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from math import ceil

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from trainer.contract.errors import TrainerError
from trainer.data.chance import bits
from trainer.data.sampler import of_step, step_count
from trainer.distributed import Ranks, settle, unwrap
from trainer.loop.checkpoints import (
    Checkpoint,
    Tensors,
    load_model,
    load_optimizer,
    model_tensors,
    optimizer_tensors,
)
from trainer.loop.optimizer import adamw, descend
from trainer.loop.schedules import multiplier
from trainer.loop.steps import OutOfMemory, Steps, Sums, Work
from trainer.methods.base import Examples, Stage

# A budget below the length of one text cuts nothing any more.
_LEAST_BUDGET = 64
_SAMPLE = 2_000

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Taken:
    """A step that was handed to the device; reading `loss` or `length` waits for it.

    `step` counts from 1 within the stage. `loss` is this rank's sum, `count` that of all ranks;
    `length` is the gradient's; `tokens` and `examples` are this rank's.
    """

    step: int
    loss: Tensor
    count: float
    length: Tensor
    rate: float
    tokens: int
    examples: int


class Learner:
    """Learns a stage. `halved` is told the new budget of tokens when memory did not suffice."""

    def __init__(
        self,
        stage: Stage,
        ranks: Ranks,
        *,
        seed: int,
        precision: torch.dtype,
        budget: int,
        fsdp: bool = False,
        halved: Callable[[int], None] = lambda _: None,
    ) -> None:
        self.stage, self._ranks, self._seed, self._halved = stage, ranks, seed, halved
        self.model = ranks.wrap(stage.model.to(ranks.device), fsdp)
        self._optimizer = adamw(self.model, stage.plan)
        self._steps = Steps(stage, self.model, ranks, seed=seed, precision=precision, budget=budget)
        self.steps_an_epoch, self.steps = length_of(stage)
        self._order: tuple[int, Numbers] = (-1, np.empty(0, np.int64))

    @property
    def budget(self) -> int:
        """Tokens that go through the model at once."""
        return self._steps.budget

    def take(self, start: int = 0) -> Iterator[Taken]:
        """Take the steps after the first `start`, one each time that the next is asked for.

        Meanwhile the texts of the following one are put together.
        """
        if start >= self.steps:
            return
        with ThreadPoolExecutor(1, "collate") as beside:
            following = beside.submit(self._work, start)
            for step in range(start, self.steps):
                work = following.result()
                if step + 1 < self.steps:
                    following = beside.submit(self._work, step + 1)
                yield self._take(step, work)

    def validation_loss(self) -> float | None:
        """The mean over the validation examples; None if there are none."""
        examples, size = self.stage.validation, self.stage.plan.batch_size
        order = examples.order(0, 0, size)
        found = [0.0, 0.0]
        for step in range(step_count(len(order), size)):
            work = partial(self._steps.work, examples, of_step(order, size, step), 0)
            sums = self._within_memory(work, self._steps.losses)
            found = [found[0] + float(sums.loss), found[1] + sums.count]
        settle(self.model)
        loss, count = self._ranks.total(found)
        return loss / count if count else None

    def tensors(self) -> tuple[Tensors, Tensors]:
        """What the model and the optimizer hold. For all ranks at once."""
        model = unwrap(self.model)
        return model_tensors(model), optimizer_tensors(model, self._optimizer)

    def load(self, checkpoint: Checkpoint) -> None:
        """Be as when the checkpoint was taken. For all ranks at once."""
        load_model(unwrap(self.model), checkpoint.model())
        load_optimizer(unwrap(self.model), self._optimizer, checkpoint.optimizer())

    def _take(self, step: int, work: Work) -> Taken:
        plan = self.stage.plan
        remake = partial(self._work, step)
        sums = self._within_memory(remake, partial(self._steps.gradients, step=step), work)
        # A step may have nothing to guess.
        count = max(1.0, *self._ranks.total([sums.count]))
        rate = plan.learning_rate * multiplier(plan.schedule, step, self.steps, plan.warmup)
        length = descend(self._optimizer, rate, count, plan.clip)
        return Taken(step + 1, sums.loss, count, length, rate, work.tokens, work.examples)

    def _work(self, step: int) -> Work:
        epoch, step_of_epoch = divmod(step, self.steps_an_epoch)
        examples, size = self.stage.train, self.stage.plan.batch_size
        if self._order[0] != epoch:
            self._order = epoch, examples.order(self._seed, epoch, size)
        key = int(bits("examples", self._seed, self.stage.name, epoch))
        return self._steps.work(examples, of_step(self._order[1], size, step_of_epoch), key)

    def _within_memory(
        self, make: Callable[[], Work], do: Callable[[Work], Sums], work: Work | None = None
    ) -> Sums:
        """Do it; as often as memory does not suffice, halve the budget and do it again."""
        while True:
            if work is None or work.budget != self.budget:
                work = make()
            try:
                return do(work)
            except OutOfMemory as error:
                said = str(error)
            # Out here, where the error keeps no tensors alive.
            self._optimizer.zero_grad(set_to_none=True)
            self._make_room(said)

    def _make_room(self, said: str) -> None:
        smaller = self.budget // 2
        if smaller < _LEAST_BUDGET:
            raise TrainerError(
                f"Memory does not suffice for a single text: {said}",
                "Use --checkpointing, a smaller max_tokens or a smaller base.",
            )
        if self._ranks.device.type == "cuda":
            torch.cuda.empty_cache()
        self._halved(smaller)
        if self._ranks.world > 1:
            raise TrainerError(
                f"Memory does not suffice for {self.budget} tokens at once: {said}",
                f"Start again: training goes on from the last checkpoint, with {smaller}.",
            )
        self._steps.budget = smaller


def length_of(stage: Stage) -> tuple[int, int]:
    """Steps an epoch, and steps in all."""
    plan = stage.plan
    an_epoch = step_count(len(stage.train), plan.batch_size)
    steps = ceil(plan.epochs * an_epoch)
    return an_epoch, min(steps, plan.max_steps) if plan.max_steps else steps


def tokens_an_example(examples: Examples) -> float:
    """How many in the mean, by a sample that is the same each time; 0 of no examples."""
    if not len(examples):
        return 0.0
    numbers = np.linspace(0, len(examples) - 1, min(_SAMPLE, len(examples)), dtype=np.int64)
    return float(examples.tokens(numbers).mean())


def is_measured(stage: Stage, step: int) -> bool:
    """Whether to measure after so many steps: evenly through each epoch, and at the end."""
    an_epoch, steps = length_of(stage)
    often = stage.plan.evaluations
    before, now = ((step - 1) * often // an_epoch, step * often // an_epoch)
    return often > 0 and (before < now or step == steps)
