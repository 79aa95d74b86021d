"""Recall of the vector index and latency of semantic search.

`python -m benchmarks.bench_index [--home FOLDER] [--papers N]`. Measures the vectors of a
library that was encoded (`sciread --home FOLDER encode`); without one, it first takes N real
papers into `bench-home` and encodes them, which is kept for the next time.
"""

from __future__ import annotations

import argparse
import gzip
import os
import sys
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np
import psutil
from numpy.typing import NDArray

from sciread_app.domain.paper import Paper
from sciread_app.formats import read_file
from sciread_app.services.search.embedding_index import EmbeddingIndex
from sciread_app.storage.search.vector_index import VectorIndex
from sciread_app.tasks import Task
from sciread_app.workspace import Workspace, open_workspace

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
QUERIES = 300
K = 20
ROUNDS = 60
AMONG = (10_000, 50_000, 100_000, 200_000)

Vectors = NDArray[np.float32]


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--home", type=Path, default=ROOT / "bench-home")
    asked.add_argument("--papers", type=int, default=5_000)
    wanted = asked.parse_args()
    workspace = open_workspace(wanted.home)
    try:
        with workspace.active_model.use() as now:
            if now.index is None:
                sys.exit(now.error)
            if wanted.home == ROOT / "bench-home":
                _fill(workspace, wanted.papers)
            _measure(workspace, now.index)
    finally:
        workspace.close()


def _fill(workspace: Workspace, papers: int) -> None:
    """Import and encode papers until the library has this many."""
    source = DATA / "arxiv" / "papers.jsonl.gz"
    if workspace.library.count() < papers:
        if not source.exists():
            sys.exit(f"{source.name} is not there: say --home with an encoded library.")
        read = (paper for paper in read_file(source) if isinstance(paper, Paper))
        missing = list(islice(read, papers))
        for start in range(0, papers, 500):
            workspace.library.put(missing[start : start + 500])
    workspace.active_model.encode_missing(Task(_print))
    print(file=sys.stderr)


def _measure(workspace: Workspace, space: EmbeddingIndex) -> None:
    start = time.perf_counter()
    space.sync()
    print(f"{space.count():,} papers of {space.dim} dimensions")
    print(f"  sync, with the index loaded       {time.perf_counter() - start:8.2f} s")
    ids = workspace.library.ids()
    ids = ids[space.vectors(ids)[1]]
    draw = np.random.default_rng(0)
    some = draw.choice(ids, min(QUERIES, len(ids)), replace=False)
    papers = space.vectors(some)[0]
    kinds = {"papers": papers, "typed queries": _typed(space)}
    for kind, queries in kinds.items():
        if len(queries):
            print(f"  recall@{K}, {kind:<22} {_recall(space, queries, ids):11.4f}")
            print(f"  nearest {K}, {kind:<21} {_latency(lambda q: space.nearest(q, K), queries)}")
    for count in (n for n in (*AMONG, len(ids)) if n <= len(ids)):
        chosen = np.sort(draw.choice(ids, count, replace=False))
        took = _latency(lambda q, among=chosen: space.nearest_among(q, among, K), papers)
        print(f"  exact among {count:<21,} {took}")
    resident = psutil.Process(os.getpid()).memory_info().rss / 1e6
    print(f"  resident memory of this process   {resident:8.0f} MB")
    _build(space, ids)


def _build(space: EmbeddingIndex, ids: NDArray[np.int64]) -> None:
    vectors, _ = space.vectors(ids)
    index = VectorIndex(space.key, space.dim)
    start = time.perf_counter()
    index.add(ids, vectors, np.zeros(len(ids), np.int64))
    print(f"  index built from the vectors in   {time.perf_counter() - start:8.1f} s")


def _typed(space: EmbeddingIndex) -> Vectors:
    """Real queries of the judged collections, if available."""
    texts: list[str] = []
    for name in ("scifact", "cisi", "cranfield"):
        file = DATA / "judged" / f"{name}.queries.tsv.gz"
        if file.exists():
            with gzip.open(file, "rt", encoding="utf-8") as lines:
                texts += [line.rstrip().split("\t")[1] for line in islice(lines, QUERIES // 3)]
    return np.array([space.encode_query(text) for text in texts], np.float32)


def _recall(space: EmbeddingIndex, queries: Vectors, ids: NDArray[np.int64]) -> float:
    found = []
    for query in queries:
        exact = space.nearest_among(query, ids, K)[0]
        found.append(np.isin(space.nearest(query, K)[0], exact).sum() / len(exact))
    return float(np.mean(found))


def _latency(search: Callable[[Vectors], object], queries: Vectors) -> str:
    """Median and 95th percentile, after one warm-up search."""
    search(queries[0])
    took = []
    for n in range(ROUNDS):
        start = time.perf_counter()
        search(queries[n % len(queries)])
        took.append((time.perf_counter() - start) * 1e3)
    return f"{np.median(took):8.2f} ms, p95 {np.percentile(took, 95):.2f} ms"


def _print(done: int, total: int, note: str) -> None:
    print(f"\r{note or 'Encoding'} {done:,} of {total:,}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
