"""Masked language modeling: papers cut into blocks of one length, and words masked at random.

Masking is dynamic, different at every visit (Liu et al., 2019, section 4.1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from trainer.contract.errors import TrainerError
from trainer.data.examples import Batch
from trainer.data.rng import random_integers, random_permutation, random_uniform
from trainer.data.sampler import Numbers
from trainer.data.tokens import TokenCache
from trainer.model.packed import Packed

# Fractions of the words to predict that are replaced by [MASK], and by a random word.
MASKED, REPLACED = 0.8, 0.1


class Masked(NamedTuple):
    """The tokens as the model sees them, and the indices of those to predict, ascending."""

    ids: NDArray[np.int64]
    selected: NDArray[np.int64]


def select_positions(
    ids: NDArray[np.integer],
    special: Sequence[int],
    share: float,
    chance: NDArray[np.float64],
) -> NDArray[np.int64]:
    """Select the indices of the words to predict, ascending; `chance` [tokens] is uniform in [0,
    1)."""
    return np.flatnonzero((chance < share) & ~np.isin(ids, special))


def apply_mask(
    ids: NDArray[np.integer],
    selected: NDArray[np.int64],
    mask: int,
    chance: NDArray[np.float64],
    words: NDArray[np.integer],
) -> Masked:
    """Replace most of the words to predict; `chance` and `words` [selected] decide how and by which
    word."""
    hidden = ids.astype(np.int64)
    kept = hidden[selected]
    other = np.where(chance < MASKED + REPLACED, words, kept)
    hidden[selected] = np.where(chance < MASKED, mask, other)
    return Masked(hidden, selected)


def mask_tokens(
    ids: NDArray[np.integer],
    numbers: NDArray[np.integer],
    places: NDArray[np.integer],
    key: int,
    *,
    special: Sequence[int],
    mask: int,
    vocabulary: int,
    share: float = 0.15,
) -> Masked:
    """Mask tokens at random, given the example of each token and its position in it."""
    selected = select_positions(ids, special, share, random_uniform("ask", key, numbers, places))
    which = key, numbers[selected], places[selected]
    return apply_mask(
        ids,
        selected,
        mask,
        random_uniform("hide", *which),
        random_integers(vocabulary, "word", *which),
    )


class Blocks:
    """Blocks of `length` tokens, including [CLS] and [SEP]; implements
    trainer.methods.base.Examples.

    Papers come in random order as title, [SEP], abstract, [SEP], full text, [SEP], as far as they
    have these, and blocks end anywhere: RoBERTa's FULL-SENTENCES, but cut at word pieces. The last
    block may be shorter. Only a few numbers per paper are held in memory; the tokens are read from
    the memory-mapped cache.
    """

    def __init__(
        self, cache: TokenCache, rows: NDArray[np.integer], length: int, share: float, seed: int
    ) -> None:
        words = cache.vocabulary
        if words.mask < 0:
            raise TrainerError(
                "The tokenizer has no [MASK] token, which masked language modeling requires.",
                "Use another base model, or set train_tokenizer=true.",
            )
        self.cache = cache
        self.length = length
        self.share = share
        self._special = (words.cls, words.sep, words.pad)
        self._sep = np.array([words.sep], dtype=np.int32)
        self._rows = rows[random_permutation(len(rows), "blocks", seed)].astype(np.int32)
        # Where the tokens of each row's title, abstract and passages begin and end.
        starts = [column.indptr[self._rows] for column in (cache.titles, cache.abstracts)]
        stops = [column.indptr[self._rows + 1] for column in (cache.titles, cache.abstracts)]
        first, stop = cache.corpus.passages_of(self._rows)
        starts.append(cache.passages.indptr[first])
        stops.append(cache.passages.indptr[stop])
        self._spans = np.stack([starts, stops], axis=2)
        lengths = np.subtract(stops, starts)
        self._ends = np.cumsum((lengths + (lengths > 0)).sum(axis=0))

    @property
    def records(self) -> dict[str, Any]:
        return {
            "papers": len(self._rows),
            "full texts": int(np.count_nonzero(self._spans[2, :, 0] < self._spans[2, :, 1])),
            "word pieces": self._total,
            "blocks": len(self),
            "tokens in a block": self.length,
        }

    @property
    def _total(self) -> int:
        return int(self._ends[-1]) if len(self._ends) else 0

    @property
    def _inside(self) -> int:
        return self.length - 2

    def __len__(self) -> int:
        return -(-self._total // self._inside)

    def order(self, seed: int, epoch: int, batch_size: int) -> Numbers:
        return random_permutation(len(self), "examples", seed, epoch)

    def tokens(self, numbers: Numbers) -> Numbers:
        starts = np.asarray(numbers, dtype=np.int64) * self._inside
        return np.minimum(self._total - starts, self._inside) + 2

    def ids(self, number: int) -> NDArray[np.int32]:
        """Return the tokens of a block before masking."""
        words = self.cache.vocabulary
        start = number * self._inside
        stop = min(start + self._inside, self._total)
        first = int(np.searchsorted(self._ends, start, side="right"))
        last = int(np.searchsorted(self._ends, stop, side="left"))
        begin = int(self._ends[first - 1]) if first else 0
        papers = range(first, min(last + 1, len(self._rows)))
        text = np.concatenate([part for paper in papers for part in self._parts(paper)])
        found = np.empty(stop - start + 2, dtype=np.int32)
        found[0], found[-1] = words.cls, words.sep
        found[1:-1] = text[start - begin : stop - begin]
        return found

    def batch(self, numbers: Numbers, positions: Numbers, key: int) -> Batch:
        """Return these blocks with tokens masked; the labels are the original tokens there. The
        same `key` masks the same tokens."""
        blocks = [self.ids(int(number)) for number in numbers]
        lengths = [len(block) for block in blocks]
        plain = np.concatenate([np.empty(0, np.int32), *blocks])
        within = np.concatenate([np.empty(0, np.int64), *map(np.arange, lengths)])
        words = self.cache.vocabulary
        hidden = mask_tokens(
            plain,
            np.repeat(numbers, lengths),
            within,
            key,
            special=self._special,
            mask=words.mask,
            vocabulary=words.size,
            share=self.share,
        )
        selected = torch.from_numpy(hidden.selected)
        count = len(lengths)
        return Batch(
            texts=Packed(torch.from_numpy(hidden.ids), tuple(lengths), selected),
            places=torch.arange(count)[:, None],
            labels=torch.from_numpy(plain[hidden.selected].astype(np.int64)),
            # A block has many papers.
            papers=torch.full((count, 1), -1),
            positions=torch.from_numpy(np.asarray(positions, dtype=np.int64)),
        )

    def _parts(self, paper: int) -> Iterator[NDArray[np.integer]]:
        cache = self.cache
        columns = (cache.titles, cache.abstracts, cache.passages)
        for column, (start, stop) in zip(columns, self._spans[:, paper], strict=True):
            if start < stop:
                yield column.indices[start:stop]
                yield self._sep
