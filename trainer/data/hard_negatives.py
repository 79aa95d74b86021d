"""Hard negatives: papers that look like another one but are not known to be related to it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from trainer.data.bm25 import bm25_weights
from trainer.data.corpus.columns import Csr
from trainer.data.rng import random_integers
from trainer.data.tokens import TokenCache

# The nearest papers are often related in ways that the citations do not show, and later ones are
# easy: those of these ranks are used, by words and by vectors.
_NEAREST, _FARTHEST = 8, 40
# Similarities computed at once, at 4 bytes.
_AT_ONCE = 1 << 24


def mine(
    cache: TokenCache,
    cites: Csr,
    pool: NDArray[np.int64],
    vectors: NDArray[np.float32],
    anchors: NDArray[np.int64],
) -> NDArray[np.int32]:
    """Return candidates [anchors, 2 * (_FARTHEST - _NEAREST)] of `pool`, similar to each anchor by
    words (BM25 of its title) or by vector; fewer from a small pool.

    `vectors` [pool] are of unit length. `anchors` are some of the pool, both ascending. Papers that
    cite or are cited by an anchor, or are cited together with it, are no candidates; such and
    missing places are -1.
    """
    graph = citation_matrix(cites)
    cited_by = csr_array(graph.T)
    titles = _counts([cache.titles[row] for row in pool.tolist()], cache.vocabulary.size)
    texts = _counts(
        [np.concatenate([cache.titles[row], cache.abstracts[row]]) for row in pool.tolist()],
        cache.vocabulary.size,
    )
    words = csr_array(bm25_weights(texts).T)
    found, step = [], max(1, _AT_ONCE // len(pool))
    for start in range(0, len(anchors), step):
        some = anchors[start : start + step]
        places = np.searchsorted(pool, some)
        cited = graph[some] + cited_by[some]
        related = (cited + cited_by[some] @ graph).toarray()[:, pool]
        related[np.arange(len(some)), places] = True
        by_vector = _ranked(pool, vectors[places] @ vectors.T, related)
        scores = (titles[places] @ words).toarray()
        scores[scores <= 0] = -np.inf  # no word in common
        found.append(np.concatenate([by_vector, _ranked(pool, scores, related)], axis=1))
    return np.concatenate(found) if found else np.empty((0, 1), np.int32)


def choose_negatives(
    candidates: NDArray[np.int32],
    places: NDArray[np.int64],
    avoid: NDArray[np.int32],
    codes: NDArray[np.int32],
    pool: NDArray[np.int64],
    seed: int,
) -> NDArray[np.int32]:
    """Return a random candidate for each example, [examples]; any paper of the pool without one.

    `places` are the examples' rows in `candidates`. A paper whose code is the example's `avoid` is
    not used (-1: all are).
    """
    numbers = np.arange(len(places))
    own = candidates[places]
    usable = (own >= 0) & ((avoid[:, None] < 0) | (codes[own] != avoid[:, None]))
    counts = usable.sum(1)
    wanted = random_integers(np.maximum(counts, 1), "hard negative", seed, numbers)
    chosen = own[numbers, np.argmax(usable.cumsum(1) > wanted[:, None], axis=1)]
    others = pool[random_integers(len(pool), "any negative", seed, numbers)]
    return np.where(counts > 0, chosen, others).astype(np.int32)


def _ranked(
    pool: NDArray[np.int64], scores: NDArray[np.float32], related: NDArray[np.bool_]
) -> NDArray[np.int32]:
    scores = np.where(related, -np.inf, scores)
    last = min(_FARTHEST, scores.shape[1])
    first = min(_NEAREST, last // 2)
    top = np.argpartition(-scores, last - 1, axis=1)[:, :last]
    order = np.argsort(-np.take_along_axis(scores, top, 1), axis=1, kind="stable")[:, first:]
    at = np.take_along_axis(top, order, 1)
    there = np.isfinite(np.take_along_axis(scores, at, 1))
    return np.where(there, pool[at], -1).astype(np.int32)


def citation_matrix(cites: Csr) -> csr_array:
    """Return the citations as a matrix [citing, cited] of truth values, whose products cannot
    overflow."""
    ones = np.ones(len(cites.indices), bool)
    shape = (len(cites), len(cites))
    return csr_array((ones, np.asarray(cites.indices), np.asarray(cites.indptr)), shape)


def _counts(texts: list[NDArray[np.integer]], vocabulary: int) -> csr_array:
    """Return how often each token occurs in each text, [texts, vocabulary]."""
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    tokens = np.concatenate([np.empty(0, np.int64), *texts]).astype(np.int64)
    ones = np.ones(len(tokens), np.float32)
    made = csr_array((ones, tokens, indptr), (len(texts), vocabulary))
    made.sum_duplicates()
    return made
