"""A toy training stage without papers: texts of random tokens, and a model of one layer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from trainer.data.examples import Batch
from trainer.data.rng import random_integers, random_permutation
from trainer.methods.base import Loss, OptimizationPlan, TrainingStage
from trainer.methods.physbert import InBatch
from trainer.model.packed import Packed, pack

VOCABULARY, WIDTH, LONGEST = 23, 6, 9
Numbers = NDArray[np.int64]


class Pairs:
    """Pairs of texts; a text is in several pairs, like papers. The label is one of 3."""

    def __init__(self, count: int, texts: int = 11) -> None:
        self.count = count
        self.rows = random_integers(texts, "rows", np.arange(2 * count)).reshape(-1, 2)
        self.lengths = 1 + random_integers(LONGEST, "lengths", np.arange(texts))

    def __len__(self) -> int:
        return self.count

    def order(self, seed: int, epoch: int, batch_size: int) -> Numbers:
        return random_permutation(self.count, seed, epoch)

    def tokens(self, numbers: Numbers) -> Numbers:
        return self.lengths[self.rows[numbers]].sum(1)

    def batch(self, numbers: Numbers, positions: Numbers, key: int) -> Batch:
        rows = self.rows[numbers]
        names, places = np.unique(rows, return_inverse=True)
        return Batch(
            texts=pack(
                [random_integers(VOCABULARY, int(n), np.arange(self.lengths[n])) for n in names]
            ),
            places=torch.from_numpy(places.reshape(rows.shape)),
            labels=torch.from_numpy(numbers % 3),
            papers=torch.from_numpy(rows),
            positions=torch.from_numpy(positions),
        )


class Model(nn.Module):
    """The mean of a text's embedded tokens. Records the sizes of its forward passes."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        torch.manual_seed(3)
        self.words = nn.Embedding(VOCABULARY, WIDTH)
        self.dropout = nn.Dropout(dropout)
        self.dense = nn.Linear(WIDTH, WIDTH)
        self.passes: list[int] = []
        self.fits = 10**9

    def forward(self, texts: Packed) -> Tensor:
        if len(texts.ids) > self.fits:
            raise torch.OutOfMemoryError("too much")
        self.passes.append(len(texts.ids))
        states = self.dense(self.dropout(self.words(texts.ids)))
        return torch.stack([text.mean(0) for text in states.split(list(texts.lengths))])


def stage(
    together: int = 0, *, examples: int = 50, validation: int = 7, dropout: float = 0.0, **plan: Any
) -> TrainingStage:
    chosen = replace(OptimizationPlan(batch_size=16, learning_rate=1e-2, together=together), **plan)
    return TrainingStage(
        name="toy",
        train=Pairs(examples),
        validation=Pairs(validation),
        model=Model(dropout).double(),
        loss=InBatch(0.5, together, same_label=False, same_paper=False)
        if together
        else classification_loss,
        plan=chosen,
    )


def classification_loss(outputs: Tensor, batch: Batch) -> Loss:
    """Classify pairs into three labels."""
    scores = outputs[batch.places].sum(1)[:, :3]
    return Loss(F.cross_entropy(scores, batch.labels, reduction="sum"), len(batch.labels))
