"""Gradients of one step: those of the sum over its examples, however they are split to fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Generic, NamedTuple, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from trainer.data.examples import Batch
from trainer.data.rng import stateless_bits
from trainer.data.sampler import group_cuts, micro_batches, share
from trainer.distributed import Ranks
from trainer.methods.base import Examples, Loss, TrainingStage
from trainer.model.packed import Packed, pack, to_device

Numbers = NDArray[np.int64]
T = TypeVar("T")


class OutOfMemory(Exception):
    """A pass through the model did not fit into memory."""


@dataclass(frozen=True)
class StepInput:
    """One rank's part of a step, on the CPU: its examples as batches within the budget.

    If examples are each other's negatives, and their groups do not fit one by one, it is one batch
    of any size, whose texts are split into `pieces`. A rank without examples computes the step's
    first one as a dummy, with weight 0, because collective operations need all ranks.
    """

    batches: Sequence[Batch]
    budget: int
    examples: int
    tokens: int
    pieces: Sequence[MicroBatch] = ()


class MicroBatch(NamedTuple):
    """Some texts of a batch, by their indices."""

    rows: Numbers
    texts: Packed


class Pass(NamedTuple, Generic[T]):
    """The `number`-th pass through the model, with `part`. If it is not this rank's `own`, it is a
    dummy with weight 0."""

    number: int
    part: T
    own: bool
    last: bool


class Steps:
    """The steps of one stage on one rank.

    `model` is the stage's, as `ranks.wrap` returned it. At most `budget` tokens are processed at
    once. Dropout is seeded by seed, step, rank and micro-batch: a step that is repeated, by a
    resumed run or in the second pass of GradCache, drops the same.

    With `groups_apart`, groups of examples that are each other's negatives pass by themselves where
    they fit, which saves the second pass of GradCache. Other ranks would need the same groups, and
    on a CPU, runs of earlier versions would not resume with the same numbers.
    """

    def __init__(
        self,
        stage: TrainingStage,
        model: nn.Module,
        ranks: Ranks,
        *,
        seed: int,
        precision: torch.dtype,
        budget: int,
    ) -> None:
        self.budget = budget
        self._stage, self._model, self._ranks = stage, model, ranks
        self._seed, self._precision = seed, precision
        self.groups_apart = ranks.world == 1 and ranks.device.type != "cpu"

    def work(self, examples: Examples, numbers: Numbers, key: int) -> StepInput:
        """Build this rank's part of the step with these examples. Uses neither model nor ranks, so
        that it may run in another thread."""
        budget, tokens = self.budget, examples.tokens(numbers)
        mine = share(tokens, self._ranks.rank, self._ranks.world)
        if not len(mine):
            company = examples.batch(numbers[:1], np.zeros(1, np.int64), key)
            batch = _emptied(company) if self._stage.plan.together else company
            return self._prepared(StepInput([batch], budget, 0, 0))
        cuts, together = list[Numbers](), self._stage.plan.together
        if not together:
            cuts = [mine[cut] for cut in micro_batches(tokens[mine], budget)]
        elif self.groups_apart:
            cuts = group_cuts(tokens, together, budget)
        batches = [examples.batch(numbers[cut], cut, key) for cut in cuts or [mine]]
        work = StepInput(batches, budget, len(mine), int(tokens[mine].sum()))
        return self._prepared(work, apart=bool(cuts))

    def gradients(self, work: StepInput, step: int) -> Loss:
        """Add the gradients of the sum over the examples of all ranks to those of the parameters.

        Raises OutOfMemory, which leaves unusable gradients.
        """
        self._model.train()
        with _out_of_memory():
            return self._together(work, step) if work.pieces else self._apart(work, step)

    def losses(self, work: StepInput) -> Loss:
        """Return the loss of the examples without dropout. Raises OutOfMemory."""
        self._model.eval()
        with torch.no_grad(), _out_of_memory():
            if not work.pieces:
                return self._apart(work, None)
            return self._loss(
                self._rows(work.pieces, self._passes(work.pieces), 0), work.batches[0]
            )

    def _apart(self, work: StepInput, step: int | None) -> Loss:
        """Independent examples: forward and, with a `step`, backward for each batch by itself."""
        total, count = torch.zeros((), device=self._ranks.device), 0
        for number, batch, own, last in self._passes(work.batches):
            with self._ranks.micro_batch(self._model, last):
                sums = self._loss(self._forward(batch.texts, step or 0, number), batch)
                if not own or not work.examples:
                    sums = Loss(sums.total * 0, 0)
                if step is not None:
                    torch.autograd.backward(sums.total)
            total, count = total + sums.total.detach(), count + sums.count
        return Loss(total, count)

    def _together(self, work: StepInput, step: int) -> Loss:
        """Contrastive examples: each is compared with all others, so all outputs are needed at
        once.

        If they do not fit, texts pass through the model twice (GradCache; Gao et al., 2021): once
        for the outputs, from which the loss gets their gradients, and once to backpropagate these.
        """
        batch, passes = work.batches[0], self._passes(work.pieces)
        if len(passes) == 1:
            with self._ranks.micro_batch(self._model, last=True):
                sums = self._loss(self._forward(batch.texts, step, 0), batch)
                torch.autograd.backward(sums.total)
            return Loss(sums.total.detach(), sums.count)
        with torch.no_grad():
            rows = self._rows(work.pieces, passes, step)
        sums = self._loss(rows.requires_grad_(), batch)
        (gradient,) = torch.autograd.grad(sums.total, rows)
        for number, piece, own, last in passes:
            with self._ranks.micro_batch(self._model, last):
                outputs = self._forward(piece.texts, step, number)
                its_rows = to_device(torch.from_numpy(piece.rows), gradient.device)
                its_gradient = gradient.index_select(0, its_rows).to(outputs.dtype)
                torch.autograd.backward(outputs, own * its_gradient)
        return Loss(sums.total.detach(), sums.count)

    def _prepared(self, work: StepInput, apart: bool = False) -> StepInput:
        """Split the texts of contrastive examples unless their batches are `apart`, and prepare all
        tensors for the device."""
        batches, pieces = work.batches, list[MicroBatch]()
        if self._stage.plan.together and not apart:
            texts = batches[0].texts
            found = micro_batches(np.asarray(texts.lengths, np.int64), work.budget)
            pieces = [MicroBatch(rows, _part(texts, rows)) for rows in found]
        if self._ranks.device.type == "cuda":
            batches = [replace(batch, texts=batch.texts.pinned()) for batch in batches]
            pieces = [MicroBatch(rows, texts.pinned()) for rows, texts in pieces]
        return replace(work, batches=batches, pieces=pieces)

    def _passes(self, parts: Sequence[T]) -> list[Pass[T]]:
        """Return a pass per part, and dummy passes with the first part if other ranks have more."""
        count = self._ranks.passes(self._model, len(parts))
        company = [parts[0]] * (count - len(parts))
        return [
            Pass(number, part, number < len(parts), number == count - 1)
            for number, part in enumerate([*parts, *company])
        ]

    def _rows(
        self, pieces: Sequence[MicroBatch], passes: Sequence[Pass[MicroBatch]], step: int
    ) -> Tensor:
        """Return the outputs of all texts, in their order."""
        outputs = [self._forward(piece.texts, step, number) for number, piece, *_ in passes]
        found = torch.cat(outputs[: len(pieces)])
        order = np.argsort(np.concatenate([piece.rows for piece in pieces]))
        return found.index_select(0, to_device(torch.from_numpy(order), found.device))

    def _forward(self, texts: Packed, step: int, number: int) -> Tensor:
        device, half = self._ranks.device, self._precision != torch.float32
        torch.manual_seed(
            int(
                stateless_bits(
                    "dropout", self._seed, self._stage.name, step, self._ranks.rank, number
                )
            )
        )
        with torch.autocast(device.type, self._precision) if half else nullcontext():
            found: Tensor = self._model(texts.to(device))
            return found

    def _loss(self, outputs: Tensor, batch: Batch) -> Loss:
        """Return the loss in float32. Without examples the outputs contribute with weight 0,
        because other ranks wait for this one's backward pass."""
        places = to_device(batch.places, self._ranks.device)
        batch = replace(batch, places=places, gather=self._ranks.gather)
        total, count = self._stage.loss(outputs, batch)
        if not len(batch.positions):
            total = total + 0 * outputs.sum()
        return Loss(total, count)


def _emptied(batch: Batch) -> Batch:
    """Return the same texts without examples."""
    return replace(
        batch,
        places=batch.places[:0],
        labels=batch.labels[:0],
        papers=batch.papers[:0],
        positions=batch.positions[:0],
    )


def _part(texts: Packed, piece: Numbers) -> Packed:
    """Return the texts with the indices `piece`, in that order."""
    ids = texts.ids.numpy()
    ends = np.cumsum(texts.lengths)
    return pack([ids[ends[text] - texts.lengths[text] : ends[text]] for text in piece])


@contextmanager
def _out_of_memory() -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:
        # The CPU allocator has no exception class of its own.
        if isinstance(error, torch.OutOfMemoryError) or "can't allocate memory" in str(error):
            raise OutOfMemory(str(error)) from error
        raise
