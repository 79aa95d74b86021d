"""Search quality on judged queries: nDCG@10 of each leg and of both.

    python -m benchmarks.bench_quality [FOLDER of judged collections]

Uses the code of the product: a library, the real model, a space and its search. Plain reciprocal
rank fusion (k=60) of the two legs stands beside for comparison.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean

from sciread_app.domain.paper import Author, Paper, PaperId
from sciread_app.domain.query.parser import parse
from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.encoder import EncoderProcess
from sciread_app.services.search.embedding_index import EmbeddingIndex
from sciread_app.services.search.search import SearchService
from sciread_app.storage.library import Library
from trainer.contract.package import starter_package

JUDGED = Path(__file__).resolve().parents[1].parent / "shared" / "data" / "judged"
DEPTH = 200
DAMPING = 60

Ranking = Sequence[str]
Judgements = Mapping[str, set[str]]  # query to relevant papers


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folder", type=Path, nargs="?", default=JUDGED)
    folder = arguments.parse_args().folder
    names = sorted(path.name.split(".")[0] for path in folder.glob("*.queries.tsv.gz"))
    if not names:
        arguments.exit(1, f"There are no judged collections in {folder}.\n")
    legs = ("words", "meaning", "plain RRF", "hybrid")
    print("nDCG@10".ljust(14) + "".join(leg.rjust(11) for leg in legs))
    rows = []
    for name in names:
        with tempfile.TemporaryDirectory() as home:
            rows.append(scores(folder, name, Path(home)))
        print(name.ljust(14) + "".join(f"{100 * score:11.1f}" for score in rows[-1]), flush=True)
    print(
        "mean".ljust(14)
        + "".join(f"{100 * mean(column):11.1f}" for column in zip(*rows, strict=True))
    )


def scores(folder: Path, name: str, home: Path) -> list[float]:
    """Mean nDCG@10 over the queries: words, meaning, plain RRF, hybrid."""
    library = Library(home / "library.sqlite3")
    names = fill(library, folder / f"{name}.papers.jsonl.gz")
    space = EmbeddingIndex(library, EncoderProcess(starter_package()), home)
    space.encode_missing()
    search = SearchService(library, space)
    relevant = judgements(folder / f"{name}.qrels.tsv.gz")
    gains: dict[str, list[float]] = defaultdict(list)
    for query, text in table(folder / f"{name}.queries.tsv.gz"):
        if query not in relevant:
            continue
        parsed = parse(text)
        found = {
            mode: [names[hit.paper] for hit in search.find(parsed, limit=DEPTH, mode=mode).hits]
            for mode in SearchMode
        }
        rrf = plain_rrf([found[SearchMode.text], found[SearchMode.meaning]])
        for leg in (
            found[SearchMode.text],
            found[SearchMode.meaning],
            rrf,
            found[SearchMode.hybrid],
        ):
            gains[query].append(ndcg(leg, relevant[query]))
    space.close()
    library.close()
    return [mean(column) for column in zip(*gains.values(), strict=True)]


def fill(library: Library, path: Path) -> dict[PaperId, str]:
    """Import a collection; return the collection's paper ids by library id."""
    records = [json.loads(line) for line in lines(path)]
    names: dict[PaperId, str] = {}
    for start in range(0, len(records), 500):
        batch = records[start : start + 500]
        stored = library.put([paper(record) for record in batch])
        names |= dict(zip(stored.ids, (record["id"] for record in batch), strict=True))
    return names


def paper(record: Mapping[str, str]) -> Paper:
    authors = record.get("authors", "")
    return Paper(
        title=record["title"],
        abstract=record.get("abstract", ""),
        authors=(Author(authors, literal=True),) if authors else (),
        source="judged",
        source_id=record["id"],
    )


def table(path: Path) -> Iterator[tuple[str, str]]:
    for line in lines(path):
        name, _, text = line.partition("\t")
        yield name, text


def lines(path: Path) -> list[str]:
    return gzip.decompress(path.read_bytes()).decode("utf-8").splitlines()


def judgements(path: Path) -> Judgements:
    relevant: dict[str, set[str]] = defaultdict(set)
    for query, rest in table(path):
        name, grade, *_ = rest.split("\t")
        if float(grade) > 0:
            relevant[query].add(name)
    return relevant


def plain_rrf(rankings: Sequence[Ranking]) -> Ranking:
    score: dict[str, float] = defaultdict(float)
    for ranking in rankings:
        for rank, name in enumerate(ranking, start=1):
            score[name] += 1 / (DAMPING + rank)
    return sorted(score, key=lambda name: (-score[name], name))


def ndcg(ranking: Ranking, relevant: set[str], depth: int = 10) -> float:
    discount = [1 / math.log2(rank + 1) for rank in range(1, depth + 1)]
    gain = sum(d for d, name in zip(discount, ranking, strict=False) if name in relevant)
    return gain / sum(discount[: len(relevant)])


if __name__ == "__main__":
    main()
