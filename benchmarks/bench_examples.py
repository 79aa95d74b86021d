"""Speed of generating training examples: `python -m benchmarks.bench_examples`.

SPECTER has 684,100 triplets of 146,000 queries, PhysBERT two million pairs of a source. Triplets
are also made as the published sampler does, with sets and a loop, on some of the queries.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from trainer.data.corpus.columns import Csr
from trainer.data.corpus.corpus import Split
from trainer.data.pairs import category_pairs, citation_pairs
from trainer.data.triplets import triples

PAPERS, CITED, QUERIES, PAIRS = 310_000, 20, 146_000, 2_000_000
# Number of queries for timing the loop.
SOME = 1_000


def main() -> None:
    cites = _made_up()
    rows = np.arange(PAPERS)
    print(f"{PAPERS:,} papers, {len(cites.indices):,} citations, {sys.platform}")
    seconds, found = _timed(lambda: triples(cites, rows, 1, queries=rows[:QUERIES]))
    _print("triplets", len(found.rows), seconds)
    seconds, count = _timed(lambda: _by_a_loop(cites, rows[:SOME]))
    _print("triplets by a loop over sets", count, seconds)

    corpus: Any = SimpleNamespace(
        papers=PAPERS,
        split=np.full(PAPERS, Split.train),
        primary=rows % 21,
        field_names=tuple(f"field {number}" for number in range(21)),
        rows=lambda _: rows,
        abstracts=SimpleNamespace(lengths=np.ones(PAPERS)),
        titles=SimpleNamespace(lengths=np.ones(PAPERS)),
        cites=cites,
    )
    seconds, pairs = _timed(lambda: category_pairs(corpus, Split.train, PAIRS, 1))
    _print("pairs of a category", len(pairs.rows), seconds)
    seconds, pairs = _timed(lambda: citation_pairs(corpus, Split.train, PAIRS, 1))
    _print("pairs of titles", len(pairs.rows), seconds)


def _made_up() -> Csr:
    """A synthetic corpus whose papers cite others nearby."""
    rng = np.random.default_rng(0)
    citing = np.repeat(np.arange(PAPERS), rng.poisson(CITED, PAPERS))
    away = rng.geometric(0.001, len(citing))
    keys = np.unique(citing * PAPERS + (citing + away) % PAPERS)
    starts = np.searchsorted(keys, np.arange(PAPERS + 1) * PAPERS)
    return Csr(starts, (keys % PAPERS).astype(np.int32))


def _by_a_loop(cites: Csr, queries: np.ndarray) -> int:
    """Triplets with sets and loops, like the sampler of allenai/specter."""
    count = 0
    for query in queries.tolist():
        cited = set(cites[query].tolist())
        hard = {far for near in cited for far in cites[near].tolist()} - cited - {query}
        positives, pool = sorted(cited), sorted(hard)
        negatives = random.choices(pool, k=2)
        while len(negatives) < 5:
            other = random.randrange(PAPERS)
            if other not in cited and other not in hard and other != query:
                negatives.append(other)
        count += len([(query, random.choice(positives), negative) for negative in negatives])
    return count


def _timed(make: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    found = make()
    return time.perf_counter() - start, found


def _print(what: str, count: int, seconds: float) -> None:
    print(f"{count:>9,} {what:<30} {seconds:6.2f} s  {count / seconds:>11,.0f} a second")


if __name__ == "__main__":
    main()
