"""One table: models of all recipes for a small base model, by all measures, beside the starter.

`python -m benchmarks.model_table [--recipes library-small,specter-small] [--seeds N] [--set K=V]
[--papers N] [--home FOLDER] [--quick]`. All recipes train on one corpus of real papers beside the
checkout: arXiv, two collections with citations, questions, and summaries; no test paper and no
unseen journal takes part. A model's scores are means over its seeds. The interval of a difference
from the starter is that of a paired bootstrap over queries or papers, with the spread of the seeds
added. All results are kept in build/model_table: run again, it resumes.

Hours on a CPU, minutes on a GPU.
"""

from __future__ import annotations

import argparse
import gzip
import json
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.learn import trainer
from benchmarks.learn_measures import (
    ARXIV,
    CITATIONS,
    SHARED,
    UNSEEN_JOURNALS,
    Citations,
    Encode,
    Physics,
    records,
    text_of,
)
from trainer.contract.package import Package, read_package, starter_package
from trainer.encoder import Encoder
from trainer.evaluations.base import Vectors
from trainer.evaluations.metrics.classification import LinearProbe
from trainer.evaluations.metrics.ranking import ndcg
from trainer.evaluations.metrics.significance import Items, paired_difference

HOME = Path(__file__).resolve().parents[1] / "build" / "model_table"
RECIPES = ("library-small", "specter-small", "multi2spe-small", "miread-small", "physbert-small")
COLLECTIONS = ("scifact", "cisi", "cranfield")
# Of a measure whose value is no mean over items, there is a single item.
Measure = Callable[[Encode], Items]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--recipes", default=",".join(RECIPES))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--set", action="append", default=[], help="a setting of every recipe")
    parser.add_argument("--papers", type=int, default=0, help="arXiv papers; all without it")
    parser.add_argument("--home", type=Path, default=HOME)
    parser.add_argument("--quick", action="store_true", help="a few steps, to see that it runs")
    options = parser.parse_args()
    if not ARXIV.exists():
        sys.exit(f"The real papers are not there: {SHARED}")
    changes = [*options.set, *(["max_steps=3", "batch_size=8"] if options.quick else [])]
    papers = 300 if options.quick else options.papers
    corpus = make_corpus(options.home / f"corpus-{papers or 'all'}", papers)
    few = 20 if options.quick else None
    measures = all_measures(few)
    starter = scores_of("starter", starter_package(), measures, options.home, few)
    names = [*starter, "typed queries"]
    rows = {"starter": [f"{value:.1f}" for value in with_mean(starter).values()]}
    for recipe in options.recipes.split(","):
        each = []
        for seed in range(1, options.seeds + 1):
            name = "-".join([recipe, *changes, str(seed)]).replace("/", "_")
            run = options.home / "runs" / name
            if not (run / "report.json").exists():
                settings = (part for change in changes for part in ("--set", change))
                given = ("--recipe", recipe, "--corpus", corpus, "--seed", seed)
                trainer("train", run, *given, "--no-measure", *settings)
            package = read_package(run / "package")
            each.append(scores_of(name, package, measures, options.home, few))
        rows[recipe] = row_of(starter, each)
    width = max(map(len, rows))
    print(" " * width, *(f"{name:>24}" for name in names))
    for name, cells in rows.items():
        print(f"{name:{width}}", *(f"{cell:>24}" for cell in cells))


def make_corpus(folder: Path, papers: int) -> Path:
    """Prepare the corpus in this folder, unless it exists; with `papers` of arXiv, 0: all."""
    if folder.exists():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    arxiv = ARXIV
    if papers:
        arxiv = folder.with_suffix(".jsonl.gz")
        lines = gzip.decompress(ARXIV.read_bytes()).splitlines(keepends=True)
        chosen = np.sort(np.random.default_rng(0).permutation(len(lines))[:papers])
        arxiv.write_bytes(gzip.compress(b"".join(lines[place] for place in chosen), 1))
    cited = [CITATIONS / f"{name}_papers.jsonl.gz" for name in ("vis", "hep")]
    pairs = [SHARED / "pairs" / f"{name}.jsonl.gz" for name in ("pubmedqa", "scitldr_train")]
    citations = [
        part
        for name in ("vis", "hep")
        for part in ("--citations", CITATIONS / f"{name}_citations.tsv.gz")
    ]
    unseen = ("--exclude-venues", UNSEEN_JOURNALS)
    trainer("prepare", arxiv, *cited, *pairs, *citations, *unseen, "--output", folder)
    return folder


def all_measures(few: int | None) -> dict[str, Measure]:
    """The measures by name; all scores are from 0 to 100. `few`: so many queries or papers each."""
    return {
        **{name: typed_queries(name, few) for name in COLLECTIONS},
        **{name: cited_papers(name, few is not None) for name in ("vis", "hep")},
        "V-measure": physics(few is not None),
        "journals": classes(unseen_journals(), few),
        "MeSH": classes(mesh(), few),
    }


def typed_queries(name: str, few: int | None) -> Measure:
    """nDCG@10 of judged queries."""
    judged = SHARED / "judged"
    papers = {paper["id"]: text_of(paper) for paper in records(judged / f"{name}.papers.jsonl.gz")}
    queries = dict(line.split("\t", 1) for line in lines_of(judged / f"{name}.queries.tsv.gz"))
    gains: dict[str, dict[str, float]] = {}
    for query, paper, gain in (
        line.split()[:3] for line in lines_of(judged / f"{name}.qrels.tsv.gz")
    ):
        if query in queries and float(gain) > 0:
            gains.setdefault(query, {})[paper] = float(gain)
    asked = sorted(gains)[:few]
    if few:
        needed = {paper for query in asked for paper in gains[query]}
        papers = {paper: text for paper, text in papers.items() if paper in needed}

    def measure(encode: Encode) -> Items:
        ids = list(papers)
        documents = encode([papers[paper] for paper in ids])
        found = []
        vectors = encode([(queries[query], "") for query in asked])
        for query, scores in zip(asked, vectors @ documents.T, strict=True):
            best = np.argsort(-scores, kind="stable")[:10]
            own = gains[query]
            found.append(100 * ndcg([own.get(ids[at], 0.0) for at in best], [*own.values()], 10))
        return Items(asked, np.array(found))

    return measure


def cited_papers(name: str, few: bool) -> Measure:
    """Average precision of the papers that a test paper cites, among others."""
    lists = Citations(name, few)

    def measure(encode: Encode) -> Items:
        found = lists.precisions(encode)
        return Items([*found], 100 * np.array([*found.values()]))

    return measure


def physics(few: bool) -> Measure:
    """V-measure of k-means for the physics categories of test papers."""
    clusters = Physics(few)
    return lambda encode: Items(["all"], np.array([clusters.of(encode)["V-measure"]]))


def classes(papers: Mapping[str, tuple[tuple[str, str], str]], few: int | None) -> Measure:
    """Accuracy of MIReAD's linear probe. `papers` have a text and a label by id."""
    step = len(papers) // (10 * few) if few else 1
    chosen = dict([*papers.items()][::step])

    def measure(encode: Encode) -> Items:
        probe = LinearProbe({paper: label for paper, (_, label) in chosen.items()}, runs=1)
        vectors = encode([text for text, _ in chosen.values()])
        found = probe(Vectors([*chosen], vectors), None, 0).items["accuracy"]
        return replace(found, values=100 * np.asarray(found.values))

    return measure


def unseen_journals() -> dict[str, tuple[tuple[str, str], str]]:
    """Texts and journals of the papers of journals that no training saw."""
    unseen = set(UNSEEN_JOURNALS.read_text("utf-8").split("\n"))
    return {
        paper["id"]: (text_of(paper), paper["journal"])
        for paper in records(ARXIV)
        if paper.get("journal") in unseen
    }


def mesh() -> dict[str, tuple[tuple[str, str], str]]:
    """Texts and first labels of PubMed abstracts in disease classes."""
    return {
        paper["id"]: (text_of(paper), paper["labels"][0])
        for paper in records(SHARED / "mesh" / "ohsumed_train.jsonl.gz")
    }


def lines_of(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [line.rstrip("\n") for line in lines]


def scores_of(
    name: str, package: Package, measures: Mapping[str, Measure], home: Path, few: int | None
) -> dict[str, Items]:
    """The items of each measure for a model, from the results if they are there."""
    path = home / "results" / ("quick" if few else "full") / f"{name}.json"
    known = json.loads(path.read_text("utf-8")) if path.exists() else {}
    encoder = Encoder(package)
    for measure in measures:
        if measure not in known:
            print(f"Measuring {name}: {measure}", flush=True)
            found = measures[measure](encoder.encode)
            known[measure] = [list(map(str, found.ids)), np.asarray(found.values).tolist()]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.with_suffix(".part").write_text(json.dumps(known), "utf-8")
            shutil.move(path.with_suffix(".part"), path)
    return {measure: Items(known[measure][0], np.array(known[measure][1])) for measure in measures}


def mean(items: Items) -> float:
    return float(np.mean(np.asarray(items.values, np.float64)))


def with_mean(scores: Mapping[str, Items]) -> dict[str, float]:
    """The score of each measure, and the mean of the collections with typed queries."""
    found = {name: mean(items) for name, items in scores.items()}
    typed = float(np.mean([found[name] for name in COLLECTIONS]))
    return found | {"typed queries": typed}


def row_of(starter: Mapping[str, Items], each: Sequence[Mapping[str, Items]]) -> list[str]:
    """The mean score over the seeds by each measure, and the interval of its difference."""
    cells = []
    for name, before in starter.items():
        values: NDArray[np.float64] = np.array([scores[name].values for scores in each], float)
        seeds = values.mean(1)
        noise = float(seeds.std(ddof=1) / np.sqrt(len(seeds))) if len(seeds) > 1 else 0.0
        after = replace(before, values=values.mean(0))
        change = paired_difference(before, after, seed=0, noise=noise)
        interval = f" ({change.low:+.1f} to {change.high:+.1f})" if change.low is not None else ""
        cells.append(f"{change.second:.1f}{interval}")
    means = [with_mean(scores)["typed queries"] for scores in each]
    return [*cells, f"{np.mean(means):.1f}"]


if __name__ == "__main__":
    main()
