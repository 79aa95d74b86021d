"""Examples made from papers (pairs, triplets, or papers with a label), and batches of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from trainer.data.rng import random_permutation
from trainer.data.sampler import Numbers, homogeneous
from trainer.data.tokens import TextPart, Texts
from trainer.model.packed import Packed, pack


def identity_gather(rows: Tensor) -> Tensor:
    """The gather of a single rank: its rows are all rows."""
    return rows


@dataclass(frozen=True)
class Batch:
    """Examples as the model reads them; a text that several examples share is included once.

    `places` [examples, parts] are the indices of an example's texts: its query, positive and so on.
    `labels` are the targets of the loss: [examples], or [masked tokens]. `papers` [examples, parts]
    are the corpus's rows, -1 for questions, and `positions` [examples] the examples' positions in
    the whole step, over all ranks. A loss gets `places` on the device of the outputs, and the
    others on the CPU, where it can read them without waiting for the device. `gather` concatenates
    the rows of all ranks, in the same order for every tensor, and is differentiable. `guide`
    [texts, dim], if any, are vectors of unit length of the texts by the base model.
    """

    texts: Packed
    places: Tensor
    labels: Tensor
    papers: Tensor
    positions: Tensor
    gather: Callable[[Tensor], Tensor] = identity_gather
    guide: Tensor | None = None


@dataclass(frozen=True)
class PaperExamples:
    """Examples given by the rows of their papers; implements trainer.methods.base.Examples.

    `rows` [examples, m] and `parts`, [m] or [examples, m], identify the texts
    (trainer.data.tokens). `labels` [examples] is the class, -1 for none. With `sources` [examples]
    every batch has examples of one source. `guide` returns the base model's vectors of `names`.
    """

    texts: Texts
    rows: NDArray[np.int32]
    parts: NDArray[np.uint8]
    labels: NDArray[np.int32] | None = None
    sources: NDArray[np.uint8] | None = None
    guide: Callable[[NDArray[np.int64]], NDArray[np.float32]] | None = None

    @classmethod
    def of(
        cls,
        texts: Texts,
        rows: NDArray[np.integer],
        parts: Sequence[TextPart],
        labels: NDArray[np.integer] | None = None,
    ) -> PaperExamples:
        """Create examples that use the same parts of their papers."""
        named = np.asarray(parts, dtype=np.uint8)
        codes = None if labels is None else labels.astype(np.int32)
        return cls(texts, rows.astype(np.int32).reshape(-1, len(named)), named, codes)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def names(self) -> NDArray[np.int64]:
        """Return a number for each different text of all examples: row * kinds of parts + part."""
        return np.unique(name_texts(self.rows, np.broadcast_to(self.parts, self.rows.shape)))

    def order(self, seed: int, epoch: int, batch_size: int) -> Numbers:
        if self.sources is None:
            return random_permutation(len(self), "examples", seed, epoch)
        return homogeneous(self.sources, batch_size, seed, epoch)

    def tokens(self, numbers: Numbers) -> Numbers:
        rows, parts = self._named(numbers)
        found: Numbers = self.texts.lengths(rows, parts).sum(axis=1)
        return found

    def batch(self, numbers: Numbers, positions: Numbers, key: int) -> Batch:
        """Return these examples as a batch. Each different text occurs once in it, whatever the
        number of examples that contain it."""
        rows, parts = self._named(numbers)
        names, places = np.unique(name_texts(rows, parts), return_inverse=True)
        ids = [self.texts.ids(*text_of(name)) for name in names.tolist()]
        labels = np.full(len(rows), -1) if self.labels is None else self.labels[numbers]
        return Batch(
            texts=pack(ids),
            places=torch.from_numpy(places.reshape(rows.shape).astype(np.int64)),
            labels=torch.from_numpy(labels.astype(np.int64)),
            papers=torch.from_numpy(self.texts.papers(rows, parts)),
            positions=torch.from_numpy(np.asarray(positions, dtype=np.int64)),
            guide=torch.from_numpy(self.guide(names)) if self.guide else None,
        )

    def _named(self, numbers: Numbers) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
        rows = self.rows[numbers]
        parts = self.parts[numbers] if self.parts.ndim == 2 else self.parts
        return rows, np.broadcast_to(parts, rows.shape)


def text_of(name: int) -> tuple[int, TextPart]:
    """Return the row and the part of the text with this name (`PaperExamples.names`)."""
    row, part = divmod(name, len(TextPart))
    return row, TextPart(part)


def name_texts(
    rows: NDArray[np.integer], parts: NDArray[np.integer] | TextPart
) -> NDArray[np.int64]:
    """Return a number for the text of each row and part, in the order of the rows."""
    return rows.astype(np.int64) * len(TextPart) + parts
