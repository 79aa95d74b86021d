"""Training of one stage on one rank: its model, optimizer and steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from math import ceil

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from trainer.contract.errors import TrainerError
from trainer.data.rng import stateless_bits
from trainer.data.sampler import of_step, step_count
from trainer.distributed import Ranks, reshard, unwrap
from trainer.loop.checkpoints import (
    Checkpoint,
    Tensors,
    load_model,
    load_optimizer,
    model_tensors,
    optimizer_tensors,
)
from trainer.loop.optimizer import (
    adamw,
    adopt_average,
    averaged_weights,
    multiplier,
    optimizer_step,
    update_average,
)
from trainer.loop.steps import OutOfMemory, StepInput, Steps
from trainer.methods.base import Examples, Loss, TrainingStage

# Below the length of one text, a smaller budget has no effect.
_LEAST_BUDGET = 64
_SAMPLE = 2_000

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class StepResult:
    """A step submitted to the device; reading `loss` or `grad_norm` waits for it.

    `step` counts from 1 within the stage. `loss` is the sum over this rank's examples, `count`
    their number over all ranks; `grad_norm` is the norm of the gradient before clipping; `tokens`
    and `examples` are this rank's.
    """

    step: int
    loss: Tensor
    count: float
    grad_norm: Tensor
    rate: float
    tokens: int
    examples: int


class StageTrainer:
    """Trains a stage. `halved` is called with the new budget of tokens after running out of
    memory."""

    def __init__(
        self,
        stage: TrainingStage,
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
        self.steps_an_epoch, self.steps = step_counts(stage)
        self._order: tuple[int, Numbers] = (-1, np.empty(0, np.int64))

    @property
    def budget(self) -> int:
        """Maximum number of tokens per forward pass."""
        return self._steps.budget

    def train_steps(self, start: int = 0) -> Iterator[StepResult]:
        """Iterate over the steps after the first `start`; each is done when the iterator is
        advanced.

        The texts of the following step are prepared in the background.
        """
        if start >= self.steps:
            return
        with ThreadPoolExecutor(1, "collate") as beside:
            following = beside.submit(self._work, start)
            for step in range(start, self.steps):
                work = following.result()
                if step + 1 < self.steps:
                    following = beside.submit(self._work, step + 1)
                yield self._train_step(step, work)

    def validation_loss(self) -> float | None:
        """Return the mean loss over the validation examples; None if there are none."""
        examples, size = self.stage.validation, self.stage.plan.batch_size
        order = examples.order(0, 0, size)
        found = [0.0, 0.0]
        for step in range(step_count(len(order), size)):
            work = partial(self._steps.work, examples, of_step(order, size, step), 0)
            sums = self._within_memory(work, self._steps.losses)
            found = [found[0] + float(sums.total), found[1] + sums.count]
        reshard(self.model)
        loss, count = self._ranks.total(found)
        return loss / count if count else None

    def averaged(self) -> AbstractContextManager[None]:
        """Use the averages of the weights, if the plan has any, inside the block."""
        return averaged_weights(self._optimizer)

    def finish(self) -> None:
        """Make the averages of the weights, if the plan has any, those of the model."""
        adopt_average(self._optimizer)

    def tensors(self) -> tuple[Tensors, Tensors]:
        """Return the tensors of the model and of the optimizer. Collective: call on all ranks."""
        model = unwrap(self.model)
        return model_tensors(model), optimizer_tensors(model, self._optimizer)

    def load(self, checkpoint: Checkpoint) -> None:
        """Restore the state of a checkpoint. Collective: call on all ranks."""
        load_model(unwrap(self.model), checkpoint.model())
        load_optimizer(unwrap(self.model), self._optimizer, checkpoint.optimizer())

    def _train_step(self, step: int, work: StepInput) -> StepResult:
        plan = self.stage.plan
        rebuild = partial(self._work, step)
        sums = self._within_memory(rebuild, partial(self._steps.gradients, step=step), work)
        # A step may have no masked words.
        count = max(1.0, *self._ranks.total([sums.count]))
        rate = plan.learning_rate * multiplier(plan.schedule, step, self.steps, plan.warmup)
        grad_norm = optimizer_step(self._optimizer, rate, count, plan.clip)
        if plan.average_steps:
            update_average(self._optimizer, step + 1, plan.average_steps)
        return StepResult(step + 1, sums.total, count, grad_norm, rate, work.tokens, work.examples)

    def _work(self, step: int) -> StepInput:
        epoch, step_of_epoch = divmod(step, self.steps_an_epoch)
        examples, size = self.stage.train, self.stage.plan.batch_size
        # Kept in a local variable: a step that is repeated in a smaller budget is prepared beside
        # the following one, which may be of another epoch.
        known, order = self._order
        if known != epoch:
            order = examples.order(self._seed, epoch, size)
            self._order = epoch, order
        key = int(stateless_bits("examples", self._seed, self.stage.name, epoch))
        return self._steps.work(examples, of_step(order, size, step_of_epoch), key)

    def _within_memory(
        self,
        make: Callable[[], StepInput],
        do: Callable[[StepInput], Loss],
        work: StepInput | None = None,
    ) -> Loss:
        """Call `do`; whenever memory runs out, halve the budget and try again."""
        while True:
            if work is None or work.budget != self.budget:
                work = make()
            try:
                return do(work)
            except OutOfMemory as error:
                message = str(error)
            # Outside the handler, where the exception keeps no tensors alive.
            self._optimizer.zero_grad(set_to_none=True)
            self._make_room(message)

    def _make_room(self, said: str) -> None:
        smaller = self.budget // 2
        if smaller < _LEAST_BUDGET:
            raise TrainerError(
                f"Out of memory for a single text: {said}",
                "Use --checkpointing, a smaller max_tokens or a smaller base model.",
            )
        if self._ranks.device.type == "cuda":
            torch.cuda.empty_cache()
        self._halved(smaller)
        if self._ranks.world > 1:
            raise TrainerError(
                f"Out of memory with {self.budget} tokens per pass: {said}",
                f"Start the training again: it resumes from the last checkpoint with {smaller}.",
            )
        self._steps.budget = smaller


def step_counts(stage: TrainingStage) -> tuple[int, int]:
    """Return the steps per epoch and the total number of steps."""
    plan = stage.plan
    an_epoch = step_count(len(stage.train), plan.batch_size)
    steps = ceil(plan.epochs * an_epoch)
    return an_epoch, min(steps, plan.max_steps) if plan.max_steps else steps


def mean_tokens(examples: Examples) -> float:
    """Return the mean tokens per example over a fixed sample; 0 without examples."""
    if not len(examples):
        return 0.0
    numbers = np.linspace(0, len(examples) - 1, min(_SAMPLE, len(examples)), dtype=np.int64)
    return float(examples.tokens(numbers).mean())


def validates_after(stage: TrainingStage, step: int) -> bool:
    """Whether to validate after this step: evenly over each epoch, and at the end."""
    an_epoch, steps = step_counts(stage)
    often = stage.plan.evaluations
    before, now = ((step - 1) * often // an_epoch, step * often // an_epoch)
    return often > 0 and (before < now or step == steps)
