"""Attention for inference on a CPU: packed texts, each of which attends to itself."""

from __future__ import annotations

from itertools import groupby

import torch
from torch import Tensor
from torch.nn import functional as F

from trainer.model.device import cpu_has_tiles

# Scores of some heads of a text that are computed at once: more would not fit the cache.
_SCORES = 2**19
# From this length on torch's fused attention is slower in bf16 on a CPU without tiles (AMX).
_LONG = 64


def attend(parts: Tensor, lengths: tuple[int, ...], heads: int) -> Tensor:
    """Queries, keys and values [tokens, 3 * hidden] -> attention outputs [tokens, hidden].

    There may be more tokens than the texts have: their outputs are zero.
    """
    width = parts.shape[1] // 3
    found = parts.new_empty(len(parts), width)
    plain = parts.dtype == torch.bfloat16 and not cpu_has_tiles()
    start = 0
    for length, same in groupby(lengths):
        end = start + length * len(list(same))
        texts = parts[start:end].view(-1, length, 3, heads, width // heads)
        into = found[start:end].view(-1, length, heads, width // heads)
        if plain and length >= _LONG:
            _in_steps(texts, into)
        else:
            query, key, value = texts.permute(2, 0, 3, 1, 4)
            into.copy_(F.scaled_dot_product_attention(query, key, value).transpose(1, 2))
        start = end
    found[start:] = 0
    return found


def _in_steps(texts: Tensor, into: Tensor) -> None:
    """[texts, length, 3, heads, head size] -> `into` [texts, length, heads, head size]"""
    _, length, _, heads, width = texts.shape
    # oneDNN compiles kernels for every new length and caches them, a megabyte each.
    full = length + -length % 16
    padded = texts.new_zeros(3, heads, full, width)
    some = min(heads, max(1, _SCORES // full**2))
    scores = texts.new_empty(some, full, full)
    shares = torch.empty_like(scores, dtype=torch.float32)
    for text, found in zip(texts.permute(0, 2, 3, 1, 4), into.transpose(1, 2), strict=True):
        padded[:, :, :length] = text
        query, key, value = padded
        query.mul_(width**-0.5)
        for first in range(0, heads, some):
            these = slice(first, first + some)
            count = len(query[these])
            torch.bmm(query[these], key[these].transpose(1, 2), out=scores[:count])
            scores[..., length:] = -torch.inf
            torch.softmax(scores[:count], -1, dtype=torch.float32, out=shares[:count])
            seen = torch.bmm(scores[:count].copy_(shares[:count]), value[these])
            found[these] = seen[:, :length]
