"""Search latency in a real library: p50 and p95 of each kind of query, and memory.

    python -m benchmarks.bench_search [--home DIR] [--rounds N]

DIR (else bench-large, which is made) holds an encoded library. Questions are made of its
own titles, whole and in part, and of scientific claims where those are at hand; the targets stand
beside (2 cores, 153,940 papers).
"""

from __future__ import annotations

import argparse
import gzip
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import psutil

from benchmarks.large_home import made
from sciread_app.domain.query.parser import STOP_WORDS, parse, words_in
from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.services.search.results import SearchResults
from sciread_app.services.search.search import SearchService
from sciread_app.workspace import open_workspace

CLAIMS = Path(__file__).resolve().parents[1].parent / "shared/data/judged/scifact.queries.tsv.gz"
FILTERS = (
    "year:2015..2017",
    "year:..2010",
    "cat:cs.CL",
    "cat:math.*",
    "-model",
    "author:li",
    "has:abstract",
)
QUESTIONS = 100
LIMIT = 50


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--home", type=Path, help="folder of an encoded library")
    arguments.add_argument("--rounds", type=int, default=3, help="the best of so many counts")
    given = arguments.parse_args()
    workspace = open_workspace(made(given.home))
    with workspace.active_model.use() as now:
        space, search = now.index, now.search
    if space is None or not space.count():
        arguments.exit(0, f"Nothing in {workspace.home.folder} is encoded: name a --home.\n")
    space.sync()
    papers = workspace.library.matching(())
    titles = [paper.title for paper in workspace.library.get(sample(papers, 2 * QUESTIONS))]
    questions = mixed(titles)
    seeds = sample(papers, QUESTIONS)
    found(search, questions[0])  # starts the model
    kinds: list[tuple[str, int, Callable[[int], object]]] = [
        ("text", 100, lambda n: found(search, questions[n], SearchMode.text)),
        ("meaning", 150, lambda n: found(search, questions[n], SearchMode.meaning)),
        ("hybrid", 150, lambda n: found(search, questions[n])),
        ("similar", 20, lambda n: search.similar([seeds[n]], limit=LIMIT)),
        ("filter", 100, lambda n: found(search, FILTERS[n % len(FILTERS)])),
        ("hybrid+filter", 150, lambda n: found(search, filtered(questions, n))),
        ("why, one hit", 150, lambda n: reasons(search, questions[n])),
    ]
    print(f"{len(papers):,} papers, {QUESTIONS} questions of each kind, {LIMIT} hits, milliseconds")
    print("kind".ljust(16) + "p50".rjust(8) + "p95".rjust(8) + "target".rjust(8))
    for name, target, ask in kinds:
        spent = np.min([[timed(ask, n) for n in range(QUESTIONS)] for _ in range(given.rounds)], 0)
        p50, p95 = np.percentile(spent, [50, 95])
        print(f"{name:16}{p50:8.1f}{p95:8.1f}{target:8}", flush=True)
    print(f"resident memory {psutil.Process().memory_info().rss / 2**20:.0f} MB (target 600)")
    workspace.close()


def mixed(titles: Sequence[str]) -> list[str]:
    """A third whole titles, a third a few words of one, a third claims, if there are any."""
    third = QUESTIONS // 3
    parts = [few_words(title) for title in titles[third : 2 * third]]
    claims = titles[2 * third :]
    if CLAIMS.is_file():
        lines = gzip.decompress(CLAIMS.read_bytes()).decode("utf-8").splitlines()
        claims = [line.split("\t")[1] for line in random.Random(0).sample(lines, QUESTIONS)]
    questions = [" ".join(words_in(text)) for text in [*titles[:third], *parts, *claims] if text]
    return questions[:QUESTIONS]


def few_words(title: str) -> str:
    words = [word for word in words_in(title) if word not in STOP_WORDS]
    return " ".join(words[: random.Random(title).randint(1, 4)])


def filtered(questions: Sequence[str], n: int) -> str:
    return f"{few_words(questions[n])} {FILTERS[n % len(FILTERS)]}"


def found(search: SearchService, text: str, mode: SearchMode = SearchMode.hybrid) -> SearchResults:
    return search.find(parse(text), limit=LIMIT, mode=mode)


def reasons(search: SearchService, question: str) -> object:
    query = parse(question)
    return search.explain(query, [hit.paper for hit in search.find(query, limit=1).hits])


def sample(papers: np.ndarray, count: int) -> list[int]:
    return random.Random(0).sample(papers.tolist(), min(count, len(papers)))


def timed(ask: Callable[[int], object], n: int) -> float:
    start = time.perf_counter()
    ask(n)
    return 1000 * (time.perf_counter() - start)


if __name__ == "__main__":
    main()
