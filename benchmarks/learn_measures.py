"""Measures of trained models on real held-out papers."""

from __future__ import annotations

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from trainer.data.corpus.corpus import Split, split_of
from trainer.evaluations.base import Vectors
from trainer.evaluations.metrics.classification import LinearProbe
from trainer.evaluations.metrics.clustering import has_majority_label, k_means, v_measure_of_k_means
from trainer.evaluations.metrics.ranking import rank_by_score

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
ARXIV = SHARED / "arxiv" / "papers.jsonl.gz"
UNSEEN_JOURNALS = SHARED / "arxiv" / "unseen_journals.txt"
CITATIONS = SHARED / "citations"

# Categories of today's arXiv in physics; the biggest of them are learned and told apart.
PHYSICS = (
    *("astro-ph.", "cond-mat.", "gr-qc", "hep-", "math-ph", "nlin.", "nucl-", "physics."),
    "quant-ph",
)
CATEGORIES = 31
PAPERS_A_CATEGORY = 100
QUERIES = 500
CITED, OTHERS, OTHERS_IN_ALL = 5, 25, 1_000

Record = Mapping[str, Any]
Encode = Callable[[Sequence[tuple[str, str]]], NDArray[np.float32]]


class Measure(Protocol):
    """`raw` measures take vectors as long as the model makes them, the others of unit length."""

    raw: bool

    def of(self, encode: Encode) -> dict[str, float]:
        """Scores from 0 to 100, and `n`, the papers or queries that they are of."""


class Journals:
    """Classification of journals unseen in training: linear probe and purity, as in MIReAD's paper.

    Both take vectors as they are, and the probe learns longer ones sooner: what comes of the same
    vectors at unit length says what is not owed to their length.
    """

    raw = True

    def __init__(self, few: bool) -> None:
        unseen = set(UNSEEN_JOURNALS.read_text("utf-8").split("\n"))
        papers = [paper for paper in records(ARXIV) if paper.get("journal") in unseen]
        papers = papers[::8] if few else papers
        self._texts = [text_of(paper) for paper in papers]
        self._labels = np.unique([paper["journal"] for paper in papers], return_inverse=True)[1]

    def of(self, encode: Encode) -> dict[str, float]:
        vectors = encode(self._texts)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return {
            "accuracy": self._accuracy(vectors),
            **{f"purity at {k}": pure for k, pure in self._purity(vectors, 10, 20, 50, 100)},
            "accuracy, unit": self._accuracy(vectors / lengths),
            **{f"purity {k}, unit": pure for k, pure in self._purity(vectors / lengths, 20)},
            "length": float(lengths.mean()),
            "n": len(self._labels),
        }

    def _accuracy(self, vectors: NDArray[np.float32]) -> float:
        ids = [*map(str, range(len(vectors)))]
        labels = dict(zip(ids, map(str, self._labels), strict=True))
        return 100 * LinearProbe(labels)(Vectors(ids, vectors), None, 0).value("accuracy")

    def _purity(self, vectors: NDArray[np.float32], *ks: int) -> list[tuple[int, float]]:
        def pure(k: int, seed: int) -> float:
            clusters = k_means(vectors, k, seed=seed).labels_
            return float(has_majority_label(self._labels, clusters).mean())

        return [(k, 100 * float(np.mean([pure(k, seed) for seed in range(5)]))) for k in ks]


class Citations:
    """Up to 5 cited papers among 25 others, ranked by likeness to a paper of the test split.

    It has an abstract; of the others in hep, more than half are known by their titles alone.
    """

    raw = False

    def __init__(self, collection: str, few: bool) -> None:
        self._texts, self._judged = judged_lists(collection, QUERIES // 20 if few else QUERIES)

    def of(self, encode: Encode) -> dict[str, float]:
        precisions = [*self.precisions(encode).values()]
        return {"error": 100 - 100 * float(np.mean(precisions)), "n": len(self._judged)}

    def precisions(self, encode: Encode) -> dict[str, float]:
        """The average precision of each query, from 0 to 1."""
        ids = list(self._texts)
        vectors = dict(zip(ids, encode([self._texts[paper] for paper in ids]), strict=True))
        return {
            query: rank_by_score(
                {paper: float(vectors[query] @ vectors[paper]) for paper in relevance}, relevance
            ).average_precision
            for query, relevance in self._judged.items()
        }


class Physics:
    """Are clusters categories? V-measure of k-means, the mean of three seeds."""

    raw = False

    def __init__(self, few: bool) -> None:
        most = PAPERS_A_CATEGORY // 10 if few else PAPERS_A_CATEGORY
        kept: dict[str, list[Record]] = defaultdict(list)
        categories = set(physics_categories(ARXIV))
        for paper in records(ARXIV):
            category = paper["primary"]
            if category in categories and split_of(paper["id"]) == Split.test:
                kept[category].append(paper)
        papers = [paper for some in kept.values() for paper in some[:most]]
        self._texts = [text_of(paper) for paper in papers]
        self._labels = np.unique([paper["primary"] for paper in papers], return_inverse=True)[1]

    def of(self, encode: Encode) -> dict[str, float]:
        vectors = encode(self._texts)
        found = [v_measure_of_k_means(vectors, self._labels, seed=seed).v for seed in range(3)]
        return {"V-measure": 100 * float(np.mean(found)), "n": len(self._labels)}


def judged_lists(
    name: str, most: int
) -> tuple[dict[str, tuple[str, str]], dict[str, dict[str, int]]]:
    """Texts by id, and of each query its candidates with 1 where it cites them, else 0."""
    texts = {p["id"]: text_of(p) for p in records(CITATIONS / f"{name}_papers.jsonl.gz")}
    cited: dict[str, set[str]] = defaultdict(set)
    with gzip.open(CITATIONS / f"{name}_citations.tsv.gz", "rt", encoding="utf-8") as lines:
        for citing, other in (line.split() for line in lines):
            if citing in texts and texts[citing][1] and split_of(citing) == Split.test:
                cited[citing].add(other)
    rng = np.random.default_rng(0)
    others = rng.permutation(sorted(texts))[:OTHERS_IN_ALL].tolist()
    judged = {}
    for query in rng.permutation(sorted(cited))[:most].tolist():
        near = rng.permutation(sorted(cited[query]))[:CITED].tolist()
        far = [p for p in rng.permutation(others).tolist() if p not in {query, *cited[query]}]
        judged[query] = dict.fromkeys(near, 1) | dict.fromkeys(far[:OTHERS], 0)
    needed = sorted({paper for query in judged for paper in (query, *judged[query])})
    return {paper: texts[paper] for paper in needed}, judged


def physics_categories(papers: Path) -> list[str]:
    """The largest primary categories of physics."""
    sizes = Counter(
        paper["primary"] for paper in records(papers) if paper["primary"].startswith(PHYSICS)
    )
    return [category for category, _ in sizes.most_common(CATEGORIES)]


def write_physics(papers: Path, output: Path) -> None:
    """Those of the papers that are of the categories to tell apart."""
    categories = set(physics_categories(papers))
    with gzip.open(output, "wt", encoding="utf-8", compresslevel=1) as lines:
        for paper in records(papers):
            if paper["primary"] in categories:
                lines.write(json.dumps(paper) + "\n")


def records(path: Path) -> Iterator[Record]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def text_of(paper: Record) -> tuple[str, str]:
    return paper["title"], paper.get("abstract") or ""
