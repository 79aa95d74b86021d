"""Texts concatenated in one sequence of tokens, so that no work is spent on padding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Packed:
    """Concatenated texts: `ids` int64 [tokens], and the number of tokens of each text.

    `asked`, for masked language modelling, are the indices in `ids` of the tokens to predict,
    ascending.
    """

    ids: Tensor
    lengths: tuple[int, ...]
    asked: Tensor | None = None

    def to(self, device: torch.device | str) -> Packed:
        ids = self.ids.to(device, non_blocking=True)
        asked = None if self.asked is None else self.asked.to(device, non_blocking=True)
        return Packed(ids, self.lengths, asked)

    @cached_property
    def starts(self) -> Tensor:
        """Return the index of each text's first token, int64 [texts]."""
        ends = np.cumsum(self.lengths, dtype=np.int64)
        return torch.from_numpy(ends - self.lengths).to(self.ids.device, non_blocking=True)

    @cached_property
    def places(self) -> Tensor:
        """Return each token's position in its own text, from 0, int64 [tokens]."""
        lengths = np.asarray(self.lengths, np.int64)
        starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
        places = torch.from_numpy(np.arange(len(starts)) - starts)
        return places.to(self.ids.device, non_blocking=True)


def pack(texts: Sequence[ArrayLike]) -> Packed:
    """Concatenate arrays of token ids, one per text, on the CPU. No text may be empty."""
    arrays = [np.asarray(text, np.int64) for text in texts]
    ids = np.concatenate(arrays) if arrays else np.empty(0, np.int64)
    return Packed(torch.from_numpy(ids), tuple(map(len, arrays)))


def pool(states: Tensor, texts: Packed, pooling: str, cls_tokens: int = 1) -> Tensor:
    """Pool the states [tokens, dim] of packed texts to one vector each [texts, dim].

    `mean_no_special` excludes every [CLS] and [SEP], recognized by the first and last token of the
    text, wherever they are, unless there are no others. `multi_cls` is the sum of the first
    `cls_tokens` (Seoh et al., 2023).
    """
    lengths = texts.lengths
    if pooling == "cls":
        return first(states, lengths, 1)[:, 0]
    if pooling == "multi_cls":
        return first(states, lengths, cls_tokens).sum(1)
    if pooling == "mean":
        return mean(states, lengths, np.ones(len(states), bool))
    if pooling == "mean_no_special":
        ids, ends = texts.ids.cpu().numpy(), np.cumsum(lengths)
        cls, sep = (np.repeat(ids[at], lengths) for at in (ends - np.asarray(lengths), ends - 1))
        return mean(states, lengths, (ids != cls) & (ids != sep))
    raise ValueError(f"unknown pooling {pooling}")


def mean(states: Tensor, lengths: Sequence[int], chosen: NDArray[np.bool_]) -> Tensor:
    """Return the mean of each text's chosen states, or of all if none is chosen, [texts, dim]."""
    starts = np.cumsum(lengths) - np.asarray(lengths)
    counts = np.add.reduceat(chosen, starts, dtype=np.int64)
    chosen = chosen | np.repeat(counts == 0, lengths)
    weights = chosen / np.repeat(np.where(counts, counts, lengths), lengths)
    weighted = states * torch.from_numpy(weights).to(states)[:, None]
    if states.device.type == "cpu":
        return torch.stack([text.sum(0) for text in torch.split(weighted, list(lengths))])
    parts = torch.tensor(lengths, device=states.device)
    return torch.segment_reduce(weighted, "sum", lengths=parts)


def first(states: Tensor, lengths: Sequence[int], count: int) -> Tensor:
    """Return the first `count` states of each text, [texts, count, dim]. No text may be shorter."""
    rows = first_rows(lengths, count, states.device)
    return states.index_select(0, rows).view(len(lengths), count, -1)


def first_rows(lengths: Sequence[int], count: int, device: torch.device) -> Tensor:
    """Return the rows with the first `count` tokens of each text, int64 [texts * count]."""
    starts = np.cumsum(lengths, dtype=np.int64) - np.asarray(lengths)
    rows = starts[:, None] + np.arange(count)
    return torch.from_numpy(rows.ravel()).to(device, non_blocking=True)
