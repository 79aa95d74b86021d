"""Examples as a model reads them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

from trainer.model.packed import Packed


def alone(rows: Tensor) -> Tensor:
    """Gathers where there is one rank: its rows are all rows."""
    return rows


@dataclass(frozen=True)
class Batch:
    """Examples as the model reads them, each text once, however many examples it is part of.

    `places` [examples, parts] says which text is an example's query, its positive and so on.
    `labels` is what the loss compares with: [examples], or [tokens] where tokens are guessed.
    `papers` [examples, parts] are the corpus's rows, and `positions` [examples] the examples'
    places in the whole step, over all ranks. `gather` brings the rows of all ranks together, in
    the same order for every tensor, and lets gradients back.
    """

    texts: Packed
    places: Tensor
    labels: Tensor
    papers: Tensor
    positions: Tensor
    gather: Callable[[Tensor], Tensor] = alone
