"""Speed, memory and results of evaluation protocols, compared with reference code.

`python -m benchmarks.bench_evaluate [--quick]`. Each part runs in its own process and
reports its peak memory, Python and the given vectors included. The reference is scikit-learn and
pytrec_eval, as the papers' code calls them, on fewer papers or a share of the work where it would
take hours or too much memory; its time is then also extrapolated. Exit status 1: a number differs,
a goal is missed, or the reference is faster. CPU time counts where other processes delay ours.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import LinearSVC

from trainer.evaluations.base import Vectors
from trainer.evaluations.metrics.linear_svm import fit
from trainer.evaluations.metrics.pairs import Separation, separation_of_sorted
from trainer.evaluations.metrics.pearson import AllPairs, PearsonPairs
from trainer.evaluations.metrics.ranking import rank_by_distance
from trainer.evaluations.metrics.retrieval import ndcg_at, relevant_ranks
from trainer.evaluations.svm_probe import CS, choose_c

DIM = 768
LABELS = 19
REFERENCE = LinearSVC(loss="squared_hinge", fit_intercept=False, random_state=42)


class Timed(NamedTuple):
    """A result with wall-clock and CPU seconds; CPU time excludes delays by other processes."""

    found: Any
    wall: float
    cpu: float

    def __str__(self) -> str:
        return f"{self.wall:6.1f} s ({self.cpu:.1f} s of CPU)"


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--quick", action="store_true", help="a tenth of the papers; no goals")
    asked.add_argument("--part", choices=PARTS)
    options = asked.parse_args()
    if options.part:
        sys.exit(0 if PARTS[options.part](10 if options.quick else 1) else 1)
    command = [sys.executable, "-m", "benchmarks.bench_evaluate"]
    quick = ["--quick"] if options.quick else []
    failed = [
        part
        for part in PARTS
        if subprocess.run([*command, "--part", part, *quick], check=False).returncode
    ]
    sys.exit(f"Failed: {', '.join(failed)}" if failed else 0)


def pairs(fewer: int) -> bool:
    """All pairs of a field: average precision and AUC."""
    papers, some = 20_000 // fewer, 5_000 // fewer
    vectors, labels = clouds(papers)
    categories = [{f"c{label}"} for label in labels]

    def separate(count: int) -> Separation:
        every = AllPairs.of(vectors[:count], categories[:count])
        return separation_of_sorted(*every.sorted_scores())

    ours = timed(lambda: separate(papers))
    good = report("pairs", f"AP and AUC of {papers:,} papers' pairs", ours, (60, 2.5), fewer)
    ids = [f"p{row}" for row in range(papers)]
    task = PearsonPairs(dict(zip(ids, categories, strict=True)))
    whole = timed(lambda: task(Vectors(ids, vectors), None, 0))
    good &= report("pairs", "the same with intervals and pictures", whole, (60, 2.5), fewer)

    def reference() -> tuple[float, float]:
        rows = np.triu_indices(some, 1)
        scores = np.corrcoef(vectors[:some])[rows]
        belongs = (labels[:some][rows[0]] == labels[:some][rows[1]]).astype(np.int8)
        return average_precision_score(belongs, scores), roc_auc_score(belongs, scores)

    theirs = timed(reference)
    mine = timed(lambda: separate(some))
    good &= compare("pairs", f"{some:,} papers", mine, theirs, (papers / some) ** 2)
    print(f"  numbers: {tuple(mine.found)} and {theirs.found}")
    np.testing.assert_allclose(mine.found, theirs.found, rtol=0, atol=1e-5)
    return good


def queries(fewer: int) -> bool:
    """Retrieval with one relevant paper per query, often not the nearest."""
    count, some = 50_000 // fewer, 1_000 // fewer
    documents, _ = clouds(count)
    asked = documents + np.random.default_rng(1).normal(size=(count, DIM)).astype("f4") * 2
    right = np.arange(count)[:, None]
    ours = timed(lambda: ndcg_at(relevant_ranks(asked, documents, right)).mean())
    title = f"nDCG@10 of {count:,} queries, {count:,} papers"
    good = report("queries", title, ours, (60, 1.5), fewer)

    def reference() -> float:
        unit = documents / np.linalg.norm(documents, axis=1, keepdims=True)
        scores = (asked[:some] / np.linalg.norm(asked[:some], axis=1, keepdims=True)) @ unit.T
        best = np.argpartition(scores, -100, axis=1)[:, -100:]
        run = {
            f"q{query}": {f"d{row:06}": float(scores[query, row]) for row in best[query]}
            for query in range(some)
        }
        return trec({f"q{query}": {f"d{query:06}": 1} for query in range(some)}, run, "ndcg_cut_10")

    theirs = timed(reference)
    mine = timed(lambda: ndcg_at(relevant_ranks(asked[:some], documents, right[:some])).mean())
    good &= compare("queries", f"{some:,} queries", mine, theirs, count / some)
    print(f"  numbers: {mine.found} and {theirs.found}")
    np.testing.assert_allclose(mine.found, theirs.found, rtol=0, atol=1e-5)
    return good


def svm(fewer: int) -> bool:
    """Grid search of the SVM: seven values of C, three folds, and the final fit."""
    papers, some = 20_000 // fewer, 1_000 // min(fewer, 2)
    vectors, labels = clouds(papers, noise=2.5)
    ours = timed(lambda: choose_c(vectors, labels))
    good = report("svm", f"the grid of {papers:,} x {DIM}", ours, (300, 1.5), fewer)
    print(f"  C = {ours.found.c}, accuracies {np.round(ours.found.accuracies, 4)}")

    def reference() -> GridSearchCV:
        return GridSearchCV(REFERENCE, {"C": CS}, cv=3).fit(vectors[:some], labels[:some])

    theirs = timed(reference)
    mine = timed(lambda: choose_c(vectors[:some], labels[:some]))
    good &= compare("svm", f"{some:,} papers", mine, theirs, papers / some)
    scores = theirs.found.cv_results_["mean_test_score"]
    print(f"  accuracies: {np.round(mine.found.accuracies, 4)} and {np.round(scores, 4)}")
    print(f"  C = {mine.found.c} and {theirs.found.best_params_['C']}")
    # The reference stops before the minimum: papers near a boundary may get another label.
    np.testing.assert_allclose(mine.found.accuracies, scores, rtol=0, atol=5 / some)
    return one_label(vectors, labels) and good


def one_label(vectors: NDArray[np.float32], labels: NDArray[np.integer[Any]]) -> bool:
    """One label and fold of the grid at full size: the reference would take hours for all."""
    learn, test = next(StratifiedKFold(3).split(vectors, labels))
    first = (labels == 0).astype(np.int64)

    def reference() -> list[NDArray[np.int64]]:
        machines = (clone(REFERENCE).set_params(C=c) for c in CS)
        return [m.fit(vectors[learn], first[learn]).predict(vectors[test]) for m in machines]

    theirs = timed(reference)
    mine = timed(lambda: [m.predict(vectors[test]) for m in fit(vectors[learn], first[learn], CS)])
    share = 3 * LABELS
    good = compare("svm", f"a share of 1 in {share} of the grid", mine, theirs, share)
    other = (np.array(mine.found) != np.array(theirs.found)).sum(axis=1)
    print(f"  told otherwise, by C: {other} of {len(test):,}")
    return good and bool(other.max() <= len(test) / 50)


def lists(fewer: int) -> bool:
    """Multi-SciDocs: five papers among five hundred others, by distance."""
    count = 1_000 // fewer
    vectors, _ = clouds(30_000 // fewer)
    rng = np.random.default_rng(2)
    ids = [f"p{row:05}" for row in range(len(vectors))]
    judged = {
        ids[query]: [
            (ids[row], int(place < 5))
            for place, row in enumerate(rng.choice(len(ids), 505, replace=False))
        ]
        for query in range(count)
    }
    held = Vectors(ids, vectors)
    ours = timed(lambda: rank_by_distance(held, judged).mean)
    report("lists", f"{count:,} lists of 505", ours, (None, None), fewer)

    def reference() -> tuple[float, float]:
        by_id = dict(zip(ids, vectors.astype(np.float64), strict=True))
        run = {
            query: {
                paper: float(np.round(-np.linalg.norm(by_id[query] - by_id[paper]), 5))
                for paper, _ in candidates
            }
            for query, candidates in judged.items()
        }
        relevance = {query: dict(candidates) for query, candidates in judged.items()}
        return trec(relevance, run, "map"), trec(relevance, run, "ndcg")

    theirs = timed(reference)
    good = compare("lists", f"{count:,} lists", ours, theirs, 1)
    print(f"  numbers: {tuple(ours.found)} and {theirs.found}")
    np.testing.assert_allclose(ours.found, theirs.found, rtol=0, atol=1e-9)
    return good


PARTS: dict[str, Callable[[int], bool]] = {
    "pairs": pairs,
    "queries": queries,
    "svm": svm,
    "lists": lists,
}


def clouds(papers: int, noise: float = 1.0) -> tuple[NDArray[np.float32], NDArray[np.integer[Any]]]:
    """Vectors of 19 labels like those of models: in a cone, most variance in few directions."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, LABELS, papers)
    spread = np.exp(-4 * np.linspace(0, 1, DIM, dtype=np.float32))
    centres = 0.35 * rng.normal(size=(LABELS, DIM)).astype("f4") * spread
    vectors = rng.standard_normal((papers, DIM), np.float32)
    vectors *= spread * noise
    vectors += centres[labels]
    vectors += 0.5
    return vectors, labels


def trec(relevance: dict[str, dict[str, int]], run: dict[str, Any], measure: str) -> float:
    import pytrec_eval  # needed by benchmarks only

    found = pytrec_eval.RelevanceEvaluator(relevance, {measure}).evaluate(run)
    return float(np.mean([scores[measure] for scores in found.values()]))


def timed(work: Callable[[], Any]) -> Timed:
    wall, cpu = time.perf_counter(), time.process_time()
    found = work()
    return Timed(found, time.perf_counter() - wall, time.process_time() - cpu)


def report(
    part: str, what: str, took: Timed, goal: tuple[float | None, float | None], fewer: int
) -> bool:
    """Print a measurement; return whether the goal is reached (with fewer papers: True)."""
    gigabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20)
    seconds, most = goal
    needed = min(took.wall, took.cpu)
    reached = (seconds is None or needed <= seconds) and (most is None or gigabytes <= most)
    bounds = ", ".join(
        f"{bound:g} {unit}" for bound, unit in ((seconds, "s"), (most, "GB")) if bound
    )
    verdict = f"  goal {bounds}: {'reached' if reached else 'MISSED'}"
    told = verdict if bounds and fewer == 1 else ""
    print(f"{part}: {what}: {took}, {gigabytes:.2f} GB{told}", flush=True)
    return reached or fewer > 1


def compare(part: str, what: str, ours: Timed, theirs: Timed, grows: float) -> bool:
    """Print both times; return whether ours takes at most the reference's CPU time."""
    print(
        f"{part}: {what}: ours {ours}, reference {theirs}, {theirs.cpu / ours.cpu:.1f} times"
        f" as much CPU; all would take it about {grows * theirs.cpu:,.0f} s",
        flush=True,
    )
    return ours.cpu <= theirs.cpu


if __name__ == "__main__":
    main()
