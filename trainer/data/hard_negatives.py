"""Hard negatives: papers that look like another one but are not known to be related to it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack
from torch import Tensor

from trainer.data.bm25 import bm25_weights
from trainer.data.corpus.columns import Csr
from trainer.data.rng import random_integers
from trainer.data.tokens import TokenCache

# A change of what `mine` returns makes cached candidates of earlier versions unused.
FORMAT = 1
# The nearest papers are often related in ways that the citations do not show, and later ones are
# easy: those of these ranks are used, by words and by vectors.
_NEAREST, _FARTHEST = 8, 40
# Similarities are computed in blocks of so many anchors and candidates: 64 MB of scores.
_ANCHORS, _CANDIDATES = 1 << 10, 1 << 14
# So many of the most frequent tokens make up nearly all of a BM25 product. A dense matrix
# multiplies them a hundred times as fast as a sparse one.
_DENSE_TOKENS = 256
# A GPU multiplies whole dense matrices of so many weights, 1 GB, faster than it could choose: for
# 80,000 anchors among 100,000 papers it takes seconds, where a CPU core takes a quarter of an hour.
_DENSE_WEIGHTS = 1 << 28


def mine(
    cache: TokenCache,
    cites: csr_array,
    pool: NDArray[np.int64],
    vectors: Callable[[NDArray[np.int64]], NDArray[np.float32]],
    anchors: NDArray[np.int64],
    *,
    device: torch.device | None = None,
    dense: bool = False,
    at: Callable[[int], None] = lambda done: None,
) -> NDArray[np.int32]:
    """Return candidates [anchors, 2 * (_FARTHEST - _NEAREST)] of `pool`, similar to each anchor by
    words (BM25 of its title) or by vector; fewer from a small pool.

    `vectors` returns the vectors of unit length of places in the pool. `anchors` are some of the
    pool, both ascending. Papers that cite or are cited by an anchor, or are cited together with it,
    are no candidates, by the matrix `cites` (`citation_matrix`); such and missing places are -1.
    Every anchor is compared with every paper of the pool, in blocks, so that memory grows with the
    pool only by its words. `dense` multiplies dense matrices of all words, which only a GPU does
    faster. `at` is called with the number of anchors done.
    """
    device = device or torch.device("cpu")
    related = _Relations(cites, pool)
    words = bm25_weights(_counts(cache, pool, abstracts=True))
    index = _DenseIndex(words, device) if dense else _SparseIndex(words, device)
    del words
    last = min(_FARTHEST, len(pool))
    first = min(_NEAREST, last // 2)
    found = np.full((len(anchors), 2, last - first), -1, np.int32)
    for start in range(0, len(anchors), index.anchors):
        some = anchors[start : start + index.anchors]
        places = np.searchsorted(pool, some)
        scores_by_words = index.search(_counts(cache, some, abstracts=False))
        own = _on(device, vectors(places))
        excluded = related.of(some, places)
        best = [_Best(len(some), last, device) for _ in range(2)]
        for number, block in enumerate(index.blocks):
            theirs = _on(device, vectors(np.arange(len(pool))[block]))
            out = excluded[:, block].nonzero()
            for kept, scores in zip(best, (own @ theirs.T, scores_by_words(number)), strict=True):
                scores[_on(device, out[0]), _on(device, out[1])] = -torch.inf
                kept.add(scores, block.start)
        for number, kept in enumerate(best):
            found[start : start + len(some), number] = kept.papers(pool)[:, first:]
        at(start + len(some))
    return found.reshape(len(anchors), -1)


def choose_negatives(
    candidates: NDArray[np.int32],
    places: NDArray[np.int64],
    pool: NDArray[np.int64],
    seed: int,
) -> NDArray[np.int32]:
    """Return a random candidate for each example, [examples]; any paper of the pool without one.

    `places` are the examples' rows in `candidates`.
    """
    numbers = np.arange(len(places))
    own = candidates[places]
    usable = own >= 0
    counts = usable.sum(1)
    wanted = random_integers(np.maximum(counts, 1), "hard negative", seed, numbers)
    chosen = own[numbers, np.argmax(usable.cumsum(1) > wanted[:, None], axis=1)]
    others = pool[random_integers(len(pool), "any negative", seed, numbers)]
    return np.where(counts > 0, chosen, others).astype(np.int32)


def citation_matrix(cites: Csr, citing: NDArray[np.integer] | None = None) -> csr_array:
    """Return the citations, or those made by the papers `citing`, as a matrix [citing, cited] of
    truth values, whose products cannot overflow."""
    made = np.ones(len(cites), bool)
    if citing is not None:
        made[:] = False
        made[citing] = True
    shape = (len(cites), len(cites))
    known = np.repeat(made, np.diff(cites.indptr))
    found = csr_array((known, np.array(cites.indices), np.array(cites.indptr)), shape)
    found.eliminate_zeros()
    return found


class _Relations:
    """The papers of the pool that are related to a paper by citations."""

    def __init__(self, cites: csr_array, pool: NDArray[np.int64]) -> None:
        self._cited_by = csr_array(cites.T)
        self._to_pool = csr_array(cites[:, pool])
        self._from_pool = csr_array(self._cited_by[:, pool])

    def of(self, papers: NDArray[np.int64], places: NDArray[np.int64]) -> csr_array:
        """Return a matrix [papers, pool], true for related papers and at a paper's own place."""
        together = self._cited_by[papers] @ self._to_pool
        itself = csr_array(
            (np.ones(len(papers), bool), places, np.arange(len(papers) + 1)), together.shape
        )
        return csr_array(self._to_pool[papers] + self._from_pool[papers] + together + itself)


class _SparseIndex:
    """The BM25 weights of the pool, in blocks of papers; only those of frequent words are dense."""

    def __init__(self, words: csr_array, device: torch.device) -> None:
        self._device, self.anchors = device, _ANCHORS
        often = np.bincount(words.indices, minlength=words.shape[1])
        self._frequent = np.argsort(-often, kind="stable")[:_DENSE_TOKENS]
        self._rare = np.setdiff1d(np.arange(words.shape[1]), self._frequent)
        self.blocks = _slices(words.shape[0], _CANDIDATES)
        self._weights = [
            (csr_array(words[block][:, self._frequent]), csr_array(words[block][:, self._rare].T))
            for block in self.blocks
        ]

    def search(self, counts: csr_array) -> Callable[[int], Tensor]:
        """Return what gives the BM25 scores of titles for the block with this number,
        [titles, papers]; -inf without a common word. `counts` are of their words."""
        frequent = _on(self._device, counts[:, self._frequent].toarray())
        rare = csr_array(counts[:, self._rare])

        def scores(number: int) -> Tensor:
            theirs, theirs_rare = self._weights[number]
            found = frequent @ _on(self._device, theirs.toarray()).T
            found += _on(self._device, (rare @ theirs_rare).toarray())
            return found.masked_fill_(found <= 0, -torch.inf)

        return scores


class _DenseIndex:
    """The BM25 weights of the pool, in blocks of papers that are multiplied as dense matrices."""

    def __init__(self, words: csr_array, device: torch.device) -> None:
        self._device = device
        self.anchors = max(1, _DENSE_WEIGHTS // words.shape[1])
        self.blocks = _slices(words.shape[0], self.anchors)
        self._weights = [self._matrix(csr_array(words[block])) for block in self.blocks]

    def search(self, counts: csr_array) -> Callable[[int], Tensor]:
        """Return the same as `_SparseIndex.search`."""
        titles = self._matrix(counts).to_dense()

        def scores(number: int) -> Tensor:
            found = titles @ self._weights[number].to_dense().T
            return found.masked_fill_(found <= 0, -torch.inf)

        return scores

    def _matrix(self, matrix: csr_array) -> Tensor:
        found = matrix.tocoo()
        places = _on(self._device, np.stack(found.coords).astype(np.int64))
        weights = _on(self._device, found.data.astype(np.float32))
        return torch.sparse_coo_tensor(places, weights, matrix.shape, check_invariants=False)


class _Best:
    """The places with the highest scores so far, for each of some queries."""

    def __init__(self, queries: int, most: int, device: torch.device) -> None:
        self._most = most
        self._scores = torch.empty(queries, 0, device=device)
        self._places = torch.empty(queries, 0, dtype=torch.int64, device=device)

    def add(self, scores: Tensor, first: int) -> None:
        """Add the scores [queries, n] of the places from `first` on."""
        top, at = scores.topk(min(self._most, scores.shape[1]), dim=1)
        every = torch.cat([self._scores, top], dim=1)
        places = torch.cat([self._places, at + first], dim=1)
        self._scores, at = every.topk(min(self._most, every.shape[1]), dim=1)
        self._places = places.gather(1, at)

    def papers(self, pool: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the papers, best first; -1 where the score is -inf."""
        there = self._scores.isfinite().cpu().numpy()
        return np.where(there, pool[self._places.cpu().numpy()], -1).astype(np.int32)


def _slices(count: int, size: int) -> list[slice]:
    return [slice(start, min(start + size, count)) for start in range(0, count, size)]


def _on(device: torch.device, values: NDArray[np.generic]) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(values)).to(device)


def _counts(cache: TokenCache, rows: NDArray[np.int64], *, abstracts: bool) -> csr_array:
    """Return how often each token occurs in each title, and abstract, [rows, vocabulary]."""
    found = []
    for start in range(0, len(rows), _CANDIDATES):
        some = rows[start : start + _CANDIDATES].tolist()
        texts = [cache.titles[row] for row in some]
        if abstracts:
            texts = [
                np.concatenate([title, cache.abstracts[row]])
                for title, row in zip(texts, some, strict=True)
            ]
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        tokens = np.concatenate([np.empty(0, np.int32), *texts]).astype(np.int32)
        ones = np.ones(len(tokens), np.float32)
        made = csr_array((ones, tokens, indptr), (len(texts), cache.vocabulary.size))
        made.sum_duplicates()
        found.append(made)
    return csr_array(vstack(found))
