"""A BERT layer on packed texts with torch's operations, for GPUs.

Attention runs on the packed rows with FlashAttention, which needs 16 bits; otherwise on texts that
are padded within groups of similar length. Residuals have the precision of the matrix products:
elementwise operations are limited by memory, and layer norm computes in float32 in its kernel.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from trainer.model.cpu.bert_layer import Weights
from trainer.model.packed import Packed, to_device

# Padding may add so much to the work of attention, which grows with the square of the length.
_MOST_WORK = 1.1
# The longest text is rounded up, so that compiled layers see few different numbers.
_LENGTH_STEP = 128
# Heads that FlashAttention supports.
_HEAD_STEP, _MOST_OF_HEAD = 8, 256


class Group(NamedTuple):
    """Texts of similar length: their tokens padded, [texts, longest], and where there are any."""

    tokens: Tensor
    mask: Tensor | None


class Spans(NamedTuple):
    """Where each text is in the packed rows.

    `bounds`, int32 [texts + 1], and the length of the `longest` are for FlashAttention. Without it,
    `groups` pad the texts, and `places` [tokens] are the rows of the tokens in all of them.
    """

    bounds: Tensor
    longest: int
    groups: tuple[Group, ...] = ()
    places: Tensor | None = None

    @classmethod
    def of(cls, texts: Packed, flash: bool) -> Spans:
        longest = -(-max(texts.lengths) // _LENGTH_STEP) * _LENGTH_STEP
        if flash:
            return cls(texts.bounds, longest)
        lengths, device = np.asarray(texts.lengths), texts.ids.device
        starts, groups, rows, used = np.cumsum(lengths) - lengths, [], [], 0
        for group in similar(lengths):
            places = np.arange(lengths[group].max())
            mask = places < lengths[group, None]
            tokens = np.where(mask, starts[group, None] + places, 0)
            rows.append((tokens[mask], used + np.flatnonzero(mask)))
            used += tokens.size
            padding = None if mask.all() else to_device(torch.from_numpy(mask), device)
            groups.append(Group(to_device(torch.from_numpy(tokens), device), padding))
        found = np.empty(lengths.sum(), np.int64)
        for tokens, places in rows:
            found[tokens] = places
        return cls(texts.bounds, longest, tuple(groups), to_device(torch.from_numpy(found), device))


def similar(lengths: NDArray[np.integer]) -> list[NDArray[np.intp]]:
    """Group texts of similar length, longest first, so that padding adds little to the work."""
    order = np.argsort(-lengths, kind="stable")
    squares = lengths[order].astype(np.int64) ** 2
    groups, start, needed = [], 0, 0
    for at, square in enumerate(squares):
        if (at + 1 - start) * squares[start] > _MOST_WORK * (needed + square):
            groups.append(order[start:at])
            start, needed = at, 0
        needed += int(square)
    return [*groups, order[start:]]


def has_flash(device: torch.device, dtype: torch.dtype, head: int) -> bool:
    """Whether FlashAttention runs there, with heads of this size."""
    fits = head % _HEAD_STEP == 0 and head <= _MOST_OF_HEAD
    return fits and dtype in (torch.bfloat16, torch.float16) and _flash_device(device)


@cache
def _flash_device(device: torch.device) -> bool:
    if device.type == "meta":  # stands for a GPU
        return True
    return (
        device.type == "cuda"
        and torch.version.hip is None
        and torch.backends.cuda.is_flash_attention_available()
        and torch.cuda.get_device_capability(device) >= (8, 0)
    )


def layer_on_gpu(
    states: Tensor,
    spans: Spans,
    heads: int,
    weights: Weights,
    epsilon: float,
    attention_dropout: float,
    dropout: float,
) -> Tensor:
    """States [tokens, hidden] after the layer, all in the type of the states."""
    qkv, qkv_bias, mix, mix_bias, scale, shift = weights[:6]
    widen, widen_bias, narrow, narrow_bias, last_scale, last_shift = weights[6:]
    shape = [states.shape[1]]
    found = attend(F.linear(states, qkv, qkv_bias), spans, heads, attention_dropout)
    states = F.dropout(F.linear(found, mix, mix_bias), dropout) + states
    states = F.layer_norm(states, shape, scale, shift, epsilon)
    wide = F.gelu(F.linear(states, widen, widen_bias))
    states = F.dropout(F.linear(wide, narrow, narrow_bias), dropout) + states
    return F.layer_norm(states, shape, last_scale, last_shift, epsilon)


def attend(parts: Tensor, spans: Spans, heads: int, rate: float) -> Tensor:
    """Self-attention in each text: queries, keys and values [tokens, 3 * hidden] -> states."""
    if not spans.groups:
        # torch.nn.attention.varlen has no dropout.
        query, key, value = parts.view(len(parts), 3, heads, -1).unbind(1)
        bounds, longest = spans.bounds, spans.longest
        found: Tensor = torch.ops.aten._flash_attention_forward(
            query, key, value, bounds, bounds, longest, longest, rate, False, False
        )[0]
        return found.flatten(1)
    outputs = []
    for group in spans.groups:
        padded = parts.index_select(0, group.tokens.flatten())
        query, key, value = padded.view(*group.tokens.shape, 3, heads, -1).permute(2, 0, 3, 1, 4)
        mask = None if group.mask is None else group.mask[:, None, None]
        seen = F.scaled_dot_product_attention(query, key, value, mask, dropout_p=rate)
        outputs.append(seen.transpose(1, 2).flatten(2).flatten(0, 1))
    assert spans.places is not None
    return torch.cat(outputs).index_select(0, spans.places)
