"""Texts concatenated in one sequence of tokens, so that no work is spent on padding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Packed:
    """Concatenated texts: `ids` int64 [tokens], and the number of tokens of each text.

    `selected`, for masked language modelling, are the indices in `ids` of the tokens to predict,
    ascending.
    """

    ids: Tensor
    lengths: tuple[int, ...]
    selected: Tensor | None = None

    def pinned(self) -> Packed:
        """Return the same texts with all tensors in pinned memory, from which a GPU copies without
        waiting for its pending work."""
        selected = None if self.selected is None else self.selected.pin_memory()
        found = Packed(self.ids.pin_memory(), self.lengths, selected)
        vars(found).update(places=self.places.pin_memory(), bounds=self.bounds.pin_memory())
        return found

    def to(self, device: torch.device) -> Packed:
        """Return the texts on a device; the copy from pinned memory is asynchronous."""
        if device == self.ids.device:
            return self
        selected = None if self.selected is None else to_device(self.selected, device)
        found = Packed(to_device(self.ids, device), self.lengths, selected)
        places, bounds = to_device(self.places, device), to_device(self.bounds, device)
        vars(found).update(places=places, bounds=bounds)
        return found

    @cached_property
    def bounds(self) -> Tensor:
        """Return the index of each text's first token, and the number of tokens, int32
        [texts + 1]."""
        bounds = np.zeros(len(self.lengths) + 1, np.int32)
        np.cumsum(self.lengths, out=bounds[1:])
        return to_device(torch.from_numpy(bounds), self.ids.device)

    @cached_property
    def places(self) -> Tensor:
        """Return each token's position in its own text, from 0, int64 [tokens]."""
        lengths = np.asarray(self.lengths, np.int64)
        starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
        return to_device(torch.from_numpy(np.arange(len(starts)) - starts), self.ids.device)

    def spread(self, values: Tensor) -> Tensor:
        """Return the value of each token's text, [texts] -> [tokens]."""
        return values.repeat_interleave(self.bounds.diff(), output_size=len(self.ids))


def to_device(values: Tensor, device: torch.device) -> Tensor:
    """Return a tensor of the CPU on a device, without waiting for the pending work of a GPU, as a
    copy from memory that is not pinned would."""
    if device.type == "cuda" and not values.is_pinned():
        values = values.pin_memory()
    return values.to(device, non_blocking=True)


def pack(texts: Sequence[ArrayLike]) -> Packed:
    """Concatenate arrays of token ids, one per text, on the CPU. No text may be empty."""
    arrays = [np.asarray(text, np.int64) for text in texts]
    ids = np.concatenate(arrays) if arrays else np.empty(0, np.int64)
    return Packed(torch.from_numpy(ids), tuple(map(len, arrays)))


def pool(states: Tensor, texts: Packed, pooling: str, cls_tokens: int = 1) -> Tensor:
    """Pool the states [tokens, dim] of packed texts to one vector each [texts, dim].

    `mean_no_special` excludes every [CLS] and [SEP], recognized by the first and last token of the
    text, wherever they are, unless there are no others. `multi_cls` is the sum of the first
    `cls_tokens` (Seoh et al., 2023). Several poolings, joined by "+", are concatenated.
    """
    if "+" in pooling:
        return torch.cat([pool(states, texts, part) for part in pooling.split("+")], 1)
    if pooling == "cls":
        return first(states, texts, 1)[:, 0]
    if pooling == "multi_cls":
        return first(states, texts, cls_tokens).sum(1)
    if pooling == "mean":
        return mean(states, texts)
    if pooling == "mean_no_special":
        starts, ends = texts.bounds[:-1], texts.bounds[1:] - 1
        cls, sep = (texts.spread(texts.ids.index_select(0, at)) for at in (starts, ends))
        return mean(states, texts, (texts.ids != cls) & (texts.ids != sep))
    lengths = texts.bounds.diff()
    if pooling == "lasttoken":
        return states.index_select(0, texts.bounds[1:] - 1)
    if pooling == "max":
        return torch.segment_reduce(states, "max", lengths=lengths, unsafe=True)
    if pooling == "mean_sqrt_len_tokens":
        return mean(states, texts) * lengths[:, None].sqrt()
    if pooling == "weightedmean":  # by the position in the text, from 1
        weights = (texts.places + 1).to(states.dtype)
        sums = _sums(states * weights[:, None], lengths)
        return sums / _sums(weights, lengths)[:, None]
    raise ValueError(f"unknown pooling {pooling}")


def mean(states: Tensor, texts: Packed, chosen: Tensor | None = None) -> Tensor:
    """Return the mean of each text's chosen states, or of all if none is chosen, [texts, dim].

    `chosen`, bool [tokens]; None: all.
    """
    if states.device.type == "cpu":
        return _mean_on_cpu(states, texts.lengths, chosen)
    return mean_on_gpu(states, texts, chosen)


def attended(states: Tensor, texts: Packed, scores: Tensor) -> Tensor:
    """Return the mean of each text's states, weighted by the softmax of the scores [tokens] over
    the text, [texts, dim]."""
    lengths = texts.bounds.diff()
    highest = torch.segment_reduce(scores.detach(), "max", lengths=lengths, unsafe=True)
    weights = torch.exp(scores - texts.spread(highest))
    return _sums(states * weights[:, None], lengths) / _sums(weights, lengths)[:, None]


def mean_on_gpu(states: Tensor, texts: Packed, chosen: Tensor | None = None) -> Tensor:
    """Return what `mean` does, without waiting for the device."""
    lengths = texts.bounds.diff()
    if chosen is not None:
        counts = _sums(chosen.to(states.dtype), lengths)
        chosen = chosen | texts.spread(counts == 0)
        states = states * chosen[:, None]
        lengths = torch.where(counts == 0, lengths, counts)
    return _sums(states, texts.bounds.diff()) / lengths[:, None]


def _sums(values: Tensor, lengths: Tensor) -> Tensor:
    # The check of the lengths, which `unsafe` omits, would wait for the device.
    return torch.segment_reduce(values, "sum", lengths=lengths, unsafe=True)


def _mean_on_cpu(states: Tensor, lengths: Sequence[int], some: Tensor | None) -> Tensor:
    chosen = np.ones(len(states), bool) if some is None else some.numpy()
    starts = np.cumsum(lengths) - np.asarray(lengths)
    counts = np.add.reduceat(chosen, starts, dtype=np.int64)
    chosen = chosen | np.repeat(counts == 0, lengths)
    weights = chosen / np.repeat(np.where(counts, counts, lengths), lengths)
    weighted = states * torch.from_numpy(weights).to(states)[:, None]
    return torch.stack([text.sum(0) for text in torch.split(weighted, list(lengths))])


def first(states: Tensor, texts: Packed, count: int) -> Tensor:
    """Return the first `count` states of each text, [texts, count, dim]. No text may be shorter."""
    rows = first_rows(texts, count)
    return states.index_select(0, rows).view(len(texts.lengths), count, -1)


def first_rows(texts: Packed, count: int) -> Tensor:
    """Return the rows with the first `count` tokens of each text, int64 [texts * count]."""
    rows = torch.arange(count, device=texts.ids.device)
    return (texts.bounds[:-1, None] + rows).flatten()
