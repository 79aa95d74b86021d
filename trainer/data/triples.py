"""SPECTER's triplets: a paper, one it cites, and one it does not (Cohan et al., 2020)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trainer.data.chance import below
from trainer.data.citations import CHUNK, chunks, gathered, within
from trainer.data.columns import Csr
from trainer.data.corpus import Corpus, Split
from trainer.data.examples import PaperExamples
from trainer.data.tokens import Part, Texts

# Papers that cited papers cite, looked at together: few enough for the caches.
PATHS = 250_000

# Why a paper gives no triplet; the first that holds.
GIVES = 0
REASONS = (
    "",
    "cites no other paper",
    "cites only papers of other parts of the split",
    "cites no paper that cites one it does not cite itself",
    "has too few papers it cites directly or by one of them",
)


@dataclass(frozen=True)
class Draws:
    """How many triplets a query gives: 2 with a hard negative and 3 with an easy one, as SPECTER's.

    A hard negative is cited by a paper that the query cites, but not by the query; an easy one is
    any paper that is neither. Where hard negatives are drawn, a query without any, or with fewer
    than `candidates`, cited or hard, gives none: so does their code. With `two_hop` that holds
    even where none are drawn.
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
        """Whether a query must have papers from which hard negatives are drawn."""
        return self.two_hop or self.hard > 0


class Triples(NamedTuple):
    """`rows` [n, 3]: query, positive, negative; those of a query come together. `hard` [n]."""

    rows: NDArray[np.int32]
    hard: NDArray[np.bool_]
    records: dict[str, Any]


@dataclass(frozen=True)
class Pools:
    """From what is drawn for some queries, as sorted keys: query's place * papers + paper."""

    papers: int
    queries: int
    positives: NDArray[np.int64]
    hard: NDArray[np.int64]
    # Cited, hard or the query itself.
    not_easy: NDArray[np.int64]

    def starts(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where the keys of each query start; [queries + 1]."""
        return np.searchsorted(keys, np.arange(self.queries + 1) * self.papers)


def triple_examples(
    corpus: Corpus, texts: Texts, split: Split, seed: int, draws: Draws | None = None
) -> tuple[PaperExamples, dict[str, Any]]:
    """The triplets of one part of the corpus, and how many there are and why not more.

    Training sees no paper and no citation of another part. What is held out has too few citations
    among itself to measure by, so its queries may cite training papers: the query and all that it
    cites are as unknown to the model, and nothing is learned from them.
    """
    rows = corpus.rows(split)
    if split != Split.train:
        rows = np.union1d(rows, corpus.rows(Split.train))
    # SPECTER drops a triplet of which a paper has no title.
    titled = rows[corpus.titles.lengths[rows] > 0]
    queries = titled[corpus.split[titled] == split]
    found = triples(corpus.cites, titled, seed, draws, corpus.second_hand, queries)
    parts = (Part.both, Part.both, Part.both)
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
    """Triplets among the papers `rows` (ascending) alone: those of `queries`, or of all of them.

    What a query gives follows from the seed and its row, so that workers that share the queries,
    however many they are, make the same together. `second_hand` adds to what cited papers cite,
    where an input says so without their lists (SPECTER's own data).
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
        "citations across the split, dropped": crossing,
        "queries": int(why[GIVES]),
        "triplets": len(hard),
        "with a hard negative": int(np.count_nonzero(hard)),
        "papers without triplets, by what each": {
            reason: int(count) for reason, count in zip(REASONS[1:], why[1:], strict=True)
        },
    }


def _bounded(inner: Csr, queries: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """The queries in portions whose cited papers cite about PATHS papers together."""
    lists = inner.indptr[queries + 1] - inner.indptr[queries]
    for first, last in chunks(np.cumsum(lists + 1), CHUNK):
        some = queries[first:last]
        places, cited = gathered(inner, some)
        paths = np.bincount(
            places, weights=inner.indptr[cited + 1] - inner.indptr[cited], minlength=len(some)
        )
        weights = paths.astype(np.int64) + lists[first:last] + 1
        for start, stop in chunks(np.cumsum(weights), PATHS):
            yield some[start:stop]


def _pools(inner: Csr, known: Csr | None, queries: NDArray[np.int64]) -> Pools:
    papers = len(inner)
    places, cited = gathered(inner, queries)
    through, second = gathered(inner, cited)
    positives = places * papers + cited
    own = np.arange(len(queries)) * papers + queries
    keys = [places[through] * papers + second, positives, own]
    if known is not None:
        places, second = gathered(known, queries)
        keys.append(places * papers + second)
    every = np.concatenate(keys)
    every.sort()
    every = np.concatenate([every[:1], every[1:][every[1:] != every[:-1]]])
    hard = np.ones(len(every), dtype=bool)
    hard[np.searchsorted(every, positives)] = False
    hard[np.searchsorted(every, own)] = False
    return Pools(papers, len(queries), positives, every[hard], every)


def _reasons(pools: Pools, draws: Draws, cites_any: NDArray[np.bool_]) -> NDArray[np.int64]:
    """For each query why it gives no triplet, by its place in REASONS; 0 where it gives some."""
    positives, hard = (np.diff(pools.starts(keys)) for keys in (pools.positives, pools.hard))
    no_hard = draws.needs_hard & (hard == 0)
    too_few = draws.needs_hard & (positives + hard < draws.candidates)
    return np.select([~cites_any, positives == 0, no_hard, too_few], [1, 2, 3, 4], GIVES)


def _draw(
    pools: Pools, ids: NDArray[np.integer], asked: NDArray[np.int64], seed: int, draws: Draws
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Triplets of the queries at the places `asked`: the place, (positive, negative), if hard.

    All is drawn with replacement, and a positive for every negative anew.
    """
    draw = np.arange(draws.samples)
    key = ids[asked, None]
    first, count = _extent(pools.starts(pools.positives), asked)
    positives = _papers(pools, pools.positives, first + below(count, seed, "positive", key, draw))
    first, hard_count = _extent(pools.starts(pools.hard), asked)
    at = first + below(hard_count, seed, "hard", key, draw)
    # Where a query has none, the place after its last is read, and nothing is made of it.
    hard = _papers(pools, np.append(pools.hard, 0), at)
    first, used = _extent(pools.starts(pools.not_easy), asked)
    easy_count = pools.papers - used
    rank = below(np.maximum(easy_count, 1), seed, "easy", key, draw)
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
    """Where the keys of the asked queries start and how many they are; each [asked, 1]."""
    return starts[asked, None], (starts[asked + 1] - starts[asked])[:, None]


def _papers(pools: Pools, keys: NDArray[np.int64], at: NDArray[np.int64]) -> NDArray[np.int64]:
    return keys[at] % pools.papers


def _left_over(
    pools: Pools,
    places: NDArray[np.int64],
    first: NDArray[np.int64],
    rank: NDArray[np.int64],
) -> NDArray[np.int64]:
    """The papers of this rank, from 0, among those that are not in a query's `not_easy`.

    Found without looking at them, however many they are or few: of the excluded papers e_0 < e_1
    ..., those come before it for which e_i - i <= rank.
    """
    keys = pools.not_easy
    starts = pools.starts(keys)
    place = keys // pools.papers
    before = keys - (np.arange(len(keys)) - starts[place])
    passed = np.searchsorted(before, places * pools.papers + rank, side="right") - first
    return rank + passed
