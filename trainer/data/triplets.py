"""Triplets of a query, a positive and a negative: drawn as by SPECTER, or given by an input.

Drawn are a query, a paper it cites, and one it does not (Cohan et al., 2020).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trainer.data.corpus.citation_graph import CHUNK, within
from trainer.data.corpus.columns import Csr, chunks
from trainer.data.corpus.corpus import Corpus, Split
from trainer.data.examples import PaperExamples
from trainer.data.rng import random_integers
from trainer.data.tokens import TextPart, Texts

# Second-hand citations processed at once: few enough for the caches.
PATHS = 250_000

# Reasons why a paper gives no triplet; the first that applies is counted.
GIVES = 0
REASONS = (
    "",
    "cites no other paper",
    "cites only papers in other splits",
    "cites no paper with citations of its own that the query lacks",
    "has too few directly or indirectly cited papers",
)


@dataclass(frozen=True)
class Draws:
    """Sampling parameters of triplets: per query 2 with a hard negative and 3 with an easy one, as
    SPECTER.

    A hard negative is cited by a paper that the query cites, but not by the query; an easy one is
    any other paper. If hard negatives are drawn, a query without any, or with fewer than
    `candidates`, cited or hard, gives no triplet, as in SPECTER's code. With `two_hop` that applies
    even if none are drawn.
    """

    samples: int = 5
    hard_share: float = 0.3
    candidates: int = 3
    two_hop: bool = False

    @property
    def hard(self) -> int:
        return math.ceil(self.hard_share * self.samples)

    @property
    def needs_hard(self) -> bool:
        """Whether a query needs candidates for hard negatives."""
        return self.two_hop or self.hard > 0


class Triples(NamedTuple):
    """`rows` [n, 3]: query, positive, negative; those of a query are consecutive. `hard` [n]."""

    rows: NDArray[np.int32]
    hard: NDArray[np.bool_]
    records: dict[str, Any]


@dataclass(frozen=True)
class Pools:
    """Candidates for some queries, as sorted keys: index of the query * papers + paper."""

    papers: int
    queries: int
    positives: NDArray[np.int64]
    hard: NDArray[np.int64]
    # Cited, hard or the query itself.
    not_easy: NDArray[np.int64]

    def starts(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the index of each query's first key; [queries + 1]."""
        return np.searchsorted(keys, np.arange(self.queries + 1) * self.papers)


def triple_examples(
    corpus: Corpus, texts: Texts, split: Split, seed: int, draws: Draws | None = None
) -> tuple[PaperExamples, dict[str, Any]]:
    """Return the triplets of one part of the corpus, and their counts with reasons for omissions.

    Training uses no paper and no citation of another part. Held-out papers have too few citations
    among themselves for a measurement, so their triplets may cite training papers: the query and
    its citations are still unknown to the model, and are not trained on.
    """
    rows = corpus.rows(split)
    if split != Split.train:
        rows = np.union1d(rows, corpus.rows(Split.train))
    # SPECTER drops triplets of papers without a title.
    titled = rows[corpus.titles.lengths[rows] > 0]
    queries = titled[corpus.split[titled] == split]
    found = triples(corpus.cites, titled, seed, draws, corpus.second_hand, queries)
    parts = (TextPart.both, TextPart.both, TextPart.both)
    records = found.records | {"papers without title": len(rows) - len(titled)}
    return PaperExamples.of(texts, found.rows, parts), records


def triples(
    cites: Csr,
    rows: NDArray[np.integer],
    seed: int,
    draws: Draws | None = None,
    second_hand: Csr | None = None,
    queries: NDArray[np.integer] | None = None,
) -> Triples:
    """Sample triplets among the papers `rows` (ascending): those of `queries`, or of all of them.

    The triplets of a query depend only on the seed and its row, so that any number of workers
    together sample the same ones. `second_hand` adds to the citations of cited papers, for inputs
    that give those without the lists themselves (SPECTER's own data).
    """
    draws = draws or Draws()
    inner, crossing = within(cites, rows)
    known = within(second_hand, rows)[0] if second_hand is not None else None
    asked = np.arange(len(rows)) if queries is None else np.searchsorted(rows, queries)
    found, hard, why = [], [], np.zeros(len(REASONS), dtype=np.int64)
    for some in _bounded(inner, asked):
        pools = _pools(inner, known, some)
        ids = rows[some]
        reasons = _reasons(pools, draws, cites.indptr[ids + 1] > cites.indptr[ids])
        why += np.bincount(reasons, minlength=len(REASONS))
        giving = np.flatnonzero(reasons == GIVES)
        places, drawn, is_hard = _draw(pools, ids, giving, seed, draws)
        found.append(np.column_stack([some[places], drawn]).astype(np.int32))
        hard.append(is_hard)
    triplets = np.concatenate(found) if found else np.empty((0, 3), dtype=np.int32)
    is_hard = np.concatenate(hard) if hard else np.empty(0, dtype=bool)
    records = _records(inner, crossing, why, is_hard)
    return Triples(rows.astype(np.int32)[triplets], is_hard, records)


def _records(
    inner: Csr, crossing: int, why: NDArray[np.int64], hard: NDArray[np.bool_]
) -> dict[str, Any]:
    return {
        "papers": len(inner),
        "citations": len(inner.indices),
        "citations across splits, dropped": crossing,
        "queries": int(why[GIVES]),
        "triplets": len(hard),
        "with a hard negative": int(np.count_nonzero(hard)),
        "papers without triplets, by reason": {
            reason: int(count) for reason, count in zip(REASONS[1:], why[1:], strict=True)
        },
    }


def _bounded(inner: Csr, queries: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Divide the queries into portions whose cited papers cite about PATHS papers together."""
    lists = inner.indptr[queries + 1] - inner.indptr[queries]
    for first, last in chunks(np.cumsum(lists + 1), CHUNK):
        some = queries[first:last]
        places, cited = inner.gather(some)
        paths = np.bincount(
            places, weights=inner.indptr[cited + 1] - inner.indptr[cited], minlength=len(some)
        )
        weights = paths.astype(np.int64) + lists[first:last] + 1
        for start, stop in chunks(np.cumsum(weights), PATHS):
            yield some[start:stop]


def _pools(inner: Csr, known: Csr | None, queries: NDArray[np.int64]) -> Pools:
    papers = len(inner)
    places, cited = inner.gather(queries)
    through, second = inner.gather(cited)
    positives = places * papers + cited
    own = np.arange(len(queries)) * papers + queries
    keys = [places[through] * papers + second, positives, own]
    if known is not None:
        places, second = known.gather(queries)
        keys.append(places * papers + second)
    every = np.concatenate(keys)
    every.sort()
    every = np.concatenate([every[:1], every[1:][every[1:] != every[:-1]]])
    hard = np.ones(len(every), dtype=bool)
    hard[np.searchsorted(every, positives)] = False
    hard[np.searchsorted(every, own)] = False
    return Pools(papers, len(queries), positives, every[hard], every)


def _reasons(pools: Pools, draws: Draws, cites_any: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return for each query the index in REASONS of why it gives no triplet; 0 if it gives some."""
    positives, hard = (np.diff(pools.starts(keys)) for keys in (pools.positives, pools.hard))
    no_hard = draws.needs_hard & (hard == 0)
    too_few = draws.needs_hard & (positives + hard < draws.candidates)
    return np.select([~cites_any, positives == 0, no_hard, too_few], [1, 2, 3, 4], GIVES)


def _draw(
    pools: Pools, ids: NDArray[np.integer], asked: NDArray[np.int64], seed: int, draws: Draws
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Sample triplets for the queries with the indices `asked`.

    Return for each triplet the index of its query, its positive and negative [n, 2], and whether
    the negative is hard.

    All are drawn with replacement, and a positive separately for every negative.
    """
    draw = np.arange(draws.samples)
    key = ids[asked, None]
    first, count = _extent(pools.starts(pools.positives), asked)
    at = first + random_integers(count, seed, "positive", key, draw)
    positives = pools.positives[at] % pools.papers
    first, hard_count = _extent(pools.starts(pools.hard), asked)
    at = first + random_integers(hard_count, seed, "hard", key, draw)
    # A query without candidates reads the place after its last; the value is not used.
    hard = np.append(pools.hard, 0)[at] % pools.papers
    first, used = _extent(pools.starts(pools.not_easy), asked)
    easy_count = pools.papers - used
    rank = random_integers(np.maximum(easy_count, 1), seed, "easy", key, draw)
    easy = _left_over(pools, asked[:, None], first, rank)

    most = np.minimum(draws.hard, count * hard_count)
    is_hard = draw < most
    there = is_hard | ((draw >= draws.hard) & (easy_count > 0))
    pairs = np.stack([positives, np.where(is_hard, hard, easy)], axis=-1)
    places = np.broadcast_to(asked[:, None], there.shape)
    return places[there], pairs[there], is_hard[there]


def _extent(
    starts: NDArray[np.int64], asked: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each query, return where its keys start in the sorted array and how many there are, both
    [len(asked), 1]."""
    return starts[asked, None], (starts[asked + 1] - starts[asked])[:, None]


def _left_over(
    pools: Pools,
    places: NDArray[np.int64],
    first: NDArray[np.int64],
    rank: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return the papers of this rank, from 0, among those that are not in a query's `not_easy`.

    Found without enumerating them: of the excluded papers e_0 < e_1 ..., those come before it for
    which e_i - i <= rank.
    """
    keys = pools.not_easy
    starts = pools.starts(keys)
    place = keys // pools.papers
    before = keys - (np.arange(len(keys)) - starts[place])
    passed = np.searchsorted(before, places * pools.papers + rank, side="right") - first
    return rank + passed


def given_triples(corpus: Corpus, split: Split) -> tuple[NDArray[np.int32], dict[str, Any]]:
    """Return the given triplets [n, 3] of one part of the corpus, and their counts with reasons for
    omissions.

    Training uses papers of its own part only. Queries of other parts may be combined with training
    papers, as in sampled triplets.
    """
    parts, every = corpus.split[corpus.triples], corpus.triples
    mine = parts[:, 0] == split
    beside = (parts == Split.train) | (parts == split)
    whole = mine & beside.all(1)
    records = {
        "triplets": int(np.count_nonzero(whole)),
        "triplets across splits, dropped": int(np.count_nonzero(mine & ~whole)),
    }
    return every[whole], records
