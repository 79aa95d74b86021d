"""Judged queries for tests: three topics, and papers on one topic each."""

from __future__ import annotations

from pathlib import Path

TOPICS = ("deep learning", "graph network", "neural study")


def judged_folder(folder: Path) -> Path:
    """Write a collection in the format of retrieval benchmarks."""
    folder.mkdir(parents=True)
    lines = [
        f'{{"id": "d{n}", "title": "{TOPICS[n % 3]} {n}", "abstract": "we study"}}'
        for n in range(12)
    ]
    (folder / "small.papers.jsonl").write_text("\n".join(lines))
    queries = [f"q{n}\t{topic}" for n, topic in enumerate(TOPICS)]
    (folder / "small.queries.tsv").write_text("\n".join([*queries, "unjudged\tthe paper"]))
    qrels = [f"q{n % 3}\td{n}\t1" for n in range(12)] + ["q0\td1\t0"]
    (folder / "small.qrels.tsv").write_text("\n".join(["query\tpaper\trelevance", *qrels]))
    return folder
