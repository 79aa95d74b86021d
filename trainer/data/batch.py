"""Batches of examples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

from trainer.model.packed import Packed


def alone(rows: Tensor) -> Tensor:
    """The gather of a single rank: its rows are all rows."""
    return rows


@dataclass(frozen=True)
class Batch:
    """Examples as the model reads them; a text that several examples share is included once.

    `places` [examples, parts] are the indices of an example's texts: its query, positive and so on.
    `labels` are the targets of the loss: [examples], or [masked tokens]. `papers` [examples, parts]
    are the corpus's rows, and `positions` [examples] the examples' positions in the whole step,
    over all ranks. `gather` concatenates the rows of all ranks, in the same order for every tensor,
    and is differentiable.
    """

    texts: Packed
    places: Tensor
    labels: Tensor
    papers: Tensor
    positions: Tensor
    gather: Callable[[Tensor], Tensor] = alone
