"""Arrangement of packed texts in rows for a CPU, with few different sizes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

# oneDNN compiles kernels for every new size, which takes as long as the work: sizes are few.
_LENGTH_STEP = 8
_ROW_STEP = 64
_BLOCK = 1024
# Attention weights processed at once: they fit a core's cache.
_WEIGHTS = 1 << 19


class HeadGroup(NamedTuple):
    """Some heads of texts of `length` rows each, consecutive from row `start`.

    `lengths` are the numbers of rows of each text that are not padding.
    """

    number: int
    start: int
    length: int
    lengths: tuple[int, ...]
    heads: slice

    @property
    def rows(self) -> slice:
        return slice(self.start, self.start + self.length * len(self.lengths))


@dataclass(frozen=True, eq=False)
class RowLayout:
    """The rows of packed tokens: texts sorted by length, each padded to a round length.

    `source` [rows] is the token of each row (any, for padding), `rows` [tokens] the row of each
    token. `groups` and `blocks` of rows are distributed over `cores`.
    """

    source: Tensor
    rows: Tensor
    groups: tuple[HeadGroup, ...]
    blocks: tuple[slice, ...]
    cores: int

    @classmethod
    def of(cls, lengths: Sequence[int], heads: int) -> RowLayout:
        """Return the layout of texts of these lengths, in tokens, for the number of cores that
        torch uses now."""
        true = np.asarray(lengths)
        rounded = -(-true // _LENGTH_STEP) * _LENGTH_STEP
        order = np.argsort(rounded, kind="stable")
        start = np.empty_like(true)
        start[order] = np.cumsum(rounded[order]) - rounded[order]
        ends = np.cumsum(true)
        rows = np.arange(ends[-1]) + np.repeat(start - (ends - true), true)
        total = -(-int(rounded.sum()) // _ROW_STEP) * _ROW_STEP
        source = np.zeros(total, np.int64)
        source[rows] = np.arange(len(rows))
        groups = tuple(_groups(true[order].tolist(), rounded[order].tolist(), heads))
        cores = torch.get_num_threads()
        blocks = _blocks(total, cores)
        return cls(torch.from_numpy(source), torch.from_numpy(rows), groups, blocks, cores)


def _groups(true: list[int], rounded: list[int], heads: int) -> Iterator[HeadGroup]:
    start = at = number = 0
    for length, same in groupby(rounded):
        texts = len(list(same))
        together = max(1, _WEIGHTS // (length * length))  # matrices of a text and a head
        while texts:
            count = 1 << int(math.log2(min(texts, max(1, together // heads))))
            lengths = tuple(true[at : at + count])
            for some in _split(heads, together):
                yield HeadGroup(number, start, length, lengths, some)
                number += 1
            start, at, texts = start + count * length, at + count, texts - count


def _split(heads: int, most: int) -> list[slice]:
    """Split heads into as few parts of similar size as possible, of at most `most` heads each."""
    size = -(-heads // -(-heads // most))
    return [slice(head, min(head + size, heads)) for head in range(0, heads, size)]


def _blocks(rows: int, cores: int) -> tuple[slice, ...]:
    count = -(-rows // (_BLOCK * cores)) * cores
    size = -(-rows // (count * _ROW_STEP)) * _ROW_STEP
    return tuple(slice(start, min(start + size, rows)) for start in range(0, rows, size))
