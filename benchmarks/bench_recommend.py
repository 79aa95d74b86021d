"""Recommendation quality on systematic reviews, from a growing collection of included papers.

    python -m benchmarks.bench_recommend [--draws N] [--home DIR]

A collection holds n of a review's included papers; the other papers of the review, without any
feedback, are ranked. The design of the ranker (how many assumed unwanted
papers are candidates, C of the SVM over vectors, weights of the mix) is chosen for each review on
the other reviews alone, so that no number was tuned on what it reports. (Which numbers are tried at
all was decided after a look at all six.) Vectors are the starter
model's, and are kept in DIR (else bench-home).

Beside it: the nearest centroid of the same vectors; TF-IDF of words and pairs with a linear SVM, as
ASReview's default ELAS u4 has them (C 0.11, ratio 9.8), trained on the same papers; and chance.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.svm import LinearSVC

from sciread_app.encoder import EncoderProcess
from sciread_app.services.recommend.linear_model import tfidf
from sciread_app.services.recommend.model import (
    DESIGN,
    ComponentScores,
    TopicModelDesign,
    TrainingRows,
    combine,
    score_components,
)
from trainer.contract.package import starter_package

SCREENING = Path(__file__).resolve().parents[1].parent / "shared/data/screening/papers.jsonl.gz"
COLLECTED = (5, 10, 25)
LEFT = 4  # included papers that must be left to be found
OUTSIDE = 4000  # papers of other reviews that stand for the rest of a library
SHARES, CS = (0.0, 0.5), (0.003, 0.01, 0.03)
MEANINGS, FADES, NEARESTS = (0.4, 0.6, 0.8), (20.0, 50.0, np.inf), (0.25, 0.5, 1.0)
MEASURES = ("AP", "P@10", "P@25", "WSS@95")
OURS, WORDS_ALONE, ELAS = "ours", "ours, words alone", "TF-IDF + SVM (ELAS u4)"
METHODS = (OURS, WORDS_ALONE, ELAS, "nearest centroid", "chance")
RESAMPLED = 2000
SHOWN, DISMISSED = 10, (1.0, 10.0, 30.0)
BEFORE, KEPT, WAVED = "not learnt from", "those kept", "those kept and waved away"

Cell = tuple[str, int]  # review, papers collected
Scored = tuple[float, ...]  # one of each of MEASURES


class Papers(NamedTuple):
    topics: np.ndarray
    included: np.ndarray
    texts: Sequence[str]
    vectors: np.ndarray


@dataclass
class Draw:
    """One collection, with the scores of all designs and methods for the other papers."""

    included: np.ndarray
    voices: Mapping[tuple[float, float], ComponentScores]  # by share and C
    others: Mapping[str, np.ndarray]
    judged: Mapping[object, float]  # AP of the rest after the first ten were judged


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--draws", type=int, default=10, help="collections of each size")
    arguments.add_argument("--home", type=Path, default=Path("bench-home"))
    given = arguments.parse_args()
    if not SCREENING.is_file():
        arguments.exit(0, f"There is nothing to measure on: {SCREENING} is not there.\n")
    papers = read(given.home)
    start = time.perf_counter()
    draws: dict[Cell, list[Draw]] = defaultdict(list)
    for topic in sorted(set(papers.topics)):
        for count, draw in simulate(papers, topic, given.draws):
            draws[topic, count].append(draw)
    describe(papers, given.draws)
    chosen = choose(draws)
    report(draws, chosen)
    report_judged(draws)
    print(f"\n{time.perf_counter() - start:.0f} s, without encoding")


def read(home: Path) -> Papers:
    lines = gzip.decompress(SCREENING.read_bytes()).decode("utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    texts = [(record["title"], record.get("abstract") or "") for record in records]
    return Papers(
        np.array([record["topic"] for record in records]),
        np.array([bool(record["included"]) for record in records]),
        [f"{title} {abstract}" for title, abstract in texts],
        vectors_of(texts, home),
    )


def vectors_of(texts: Sequence[tuple[str, str]], home: Path) -> np.ndarray:
    package = starter_package()
    name = hashlib.sha256(json.dumps([package.space, texts]).encode()).hexdigest()[:16]
    file = home / f"screening-{name}.npy"
    if not file.is_file():
        print(f"Encoding {len(texts):,} papers, which is kept in {file}", flush=True)
        encoder = EncoderProcess(package)
        file.parent.mkdir(parents=True, exist_ok=True)
        np.save(file, encoder.encode(texts).astype(np.float16))
        encoder.close()
    return np.load(file).astype(np.float32)


def simulate(papers: Papers, topic: str, count: int) -> Iterator[tuple[int, Draw]]:
    """Collections of each size with the scores of the rest; seeds are 0 to count - 1."""
    inside = np.flatnonzero(papers.topics == topic)
    rng = np.random.default_rng(0)
    outside = rng.choice(np.flatnonzero(papers.topics != topic), OUTSIDE, replace=False)
    rows = np.append(inside, outside)
    texts = [papers.texts[row] for row in rows]
    words = tfidf(texts)[0]
    counter = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, max_df=0.95, dtype=np.float32)
    as_asreview = counter.fit(texts[: len(inside)]).transform(texts).tocsr()
    local = Papers(papers.topics[rows], papers.included[rows], texts, papers.vectors[rows])
    included = np.flatnonzero(local.included[: len(inside)])
    for size in COLLECTED:
        for seed in range(count if len(included) >= size + LEFT else 0):
            rng = np.random.default_rng([seed, size])
            relevant = rng.choice(included, size, replace=False)
            rest = np.setdiff1d(np.arange(len(inside)), relevant)
            yield size, one_draw(local, words, as_asreview, relevant, rest, rng)


def one_draw(
    papers: Papers,
    words: Any,
    as_asreview: Any,
    relevant: np.ndarray,
    rest: np.ndarray,
    rng: np.random.Generator,
) -> Draw:
    known = np.ones(len(papers.texts), bool)
    library = rng.permutation(np.setdiff1d(np.arange(len(papers.texts)), relevant))
    candidates = rng.permutation(rest)
    voices, negatives = {}, np.empty(0, np.int64)
    for share, c in product(SHARES, CS):
        some = round(DESIGN.assumed_negatives * share)
        negatives = np.append(library[: DESIGN.assumed_negatives - some], candidates[:some])
        lots = TrainingRows(relevant, np.empty(0, np.int64), negatives, rest)
        heard = score_components(words, papers.vectors, known, lots, replace(DESIGN, meaning_c=c))
        voices[share, c] = heard._replace(weights=np.empty(0))
    others = {
        ELAS: elas(
            as_asreview, relevant, negatives, rest
        ),  # half of them candidates, which suits it
        "nearest centroid": papers.vectors[rest] @ papers.vectors[relevant].mean(0),
        "chance": rng.random(len(rest)),
    }
    lots = TrainingRows(relevant, np.empty(0, np.int64), negatives, rest)
    shown = voices[DESIGN.candidate_share, DESIGN.meaning_c]
    judged = judge(papers, words, lots, combine(shown, DESIGN))
    return Draw(papers.included[rest], voices, others, judged)


def judge(
    papers: Papers, words: Any, lots: TrainingRows, scores: np.ndarray
) -> dict[object, float]:
    """AP of what is left when the first ten were judged: without learning from that, with those
    that were kept, and also with those that were waved away, at different weights."""
    known, rest = np.ones(len(papers.texts), bool), lots.candidates
    first = rest[np.argsort(-scores, kind="stable")[:SHOWN]]
    kept, waved = first[papers.included[first]], first[~papers.included[first]]
    left = np.setdiff1d(rest, first)
    if not papers.included[left].any():
        return {}
    there = np.isin(rest, left)
    found = {BEFORE: measures(scores[there], papers.included[left])[0]}
    then = TrainingRows(
        np.append(lots.relevant, kept),
        lots.irrelevant,
        np.setdiff1d(lots.assumed_negatives, first),
        left,
    )
    for name, lesson, dismissed in [
        (KEPT, then, 1.0),
        *((weight, then._replace(irrelevant=waved), weight) for weight in DISMISSED),
    ]:
        design = replace(DESIGN, dismissed=dismissed)
        learnt = combine(score_components(words, papers.vectors, known, lesson, design), design)
        found[name] = measures(learnt, papers.included[left])[0]
    return found


def elas(words: Any, relevant: np.ndarray, negatives: np.ndarray, rest: np.ndarray) -> np.ndarray:
    seen = np.append(relevant, negatives)
    labels = np.arange(len(seen)) < len(relevant)
    weights = np.where(labels, 1.0, len(relevant) / (9.8 * len(negatives)))
    model = LinearSVC(C=0.11, random_state=0)
    model.fit(words[seen], labels, sample_weight=weights * len(seen) / weights.sum())
    return model.decision_function(words[rest])


def measures(scores: np.ndarray, included: np.ndarray) -> Scored:
    """Average precision, precision of the first 10 and 25, and work saved over chance when 95 %
    of what is to be found was found."""
    found = included[np.argsort(-scores, kind="stable")]
    places = np.flatnonzero(found)
    precision = (np.arange(len(places)) + 1) / (places + 1)
    last = places[int(np.ceil(0.95 * len(places))) - 1] + 1
    saved = 1 - last / len(found) - 0.05
    return float(precision.mean()), float(found[:10].mean()), float(found[:25].mean()), saved


def designs() -> list[TopicModelDesign]:
    return [
        replace(
            DESIGN, candidate_share=share, meaning_c=c, meaning=meaning, fade=fade, nearest=nearest
        )
        for share, c, meaning, fade, nearest in product(SHARES, CS, MEANINGS, FADES, NEARESTS)
    ]


def choose(draws: Mapping[Cell, Sequence[Draw]]) -> dict[str, TopicModelDesign]:
    """For each review the design with the best mean AP on the other reviews."""
    grid = designs()
    tried = {
        cell: np.mean([[score(draw, one)[0] for one in grid] for draw in each], axis=0)
        for cell, each in draws.items()
    }
    chosen = {}
    for topic in sorted({topic for topic, _ in draws}):
        elsewhere = [tried[cell] for cell in draws if cell[0] != topic]
        chosen[topic] = grid[int(np.mean(elsewhere, axis=0).argmax())]
    best = grid[int(np.mean(list(tried.values()), axis=0).argmax())]
    print("\nchosen on the other reviews: share of candidates, C, meaning, fade, nearest")
    rows = [*chosen.items(), ("on all, which nothing reports", best), ("in the program", DESIGN)]
    for name, one in rows:
        values = (one.candidate_share, one.meaning_c, one.meaning, one.fade, one.nearest)
        print(f"  {name:32}" + "".join(f"{value:8}" for value in values))
    return chosen


def score(draw: Draw, design: TopicModelDesign) -> Scored:
    return measures(
        combine(draw.voices[design.candidate_share, design.meaning_c], design), draw.included
    )


def by_words(draw: Draw, design: TopicModelDesign) -> Scored:
    voices = draw.voices[design.candidate_share, design.meaning_c]
    deaf = np.full(len(voices.meaning), np.nan)
    return measures(combine(voices._replace(meaning=deaf), design), draw.included)


def report(draws: Mapping[Cell, Sequence[Draw]], chosen: Mapping[str, TopicModelDesign]) -> None:
    table: dict[str, dict[Cell, np.ndarray]] = defaultdict(dict)
    for cell, each in draws.items():
        design = chosen[cell[0]]
        ways: dict[str, Callable[[Draw], Scored]] = {
            OURS: lambda draw, design=design: score(draw, design),
            WORDS_ALONE: lambda draw, design=design: by_words(draw, design),
        }
        for method in METHODS[2:]:
            ways[method] = lambda draw, method=method: measures(draw.others[method], draw.included)
        for method, way in ways.items():
            table[method][cell] = np.array([way(draw) for draw in each])
    for size in COLLECTED:
        cells = [cell for cell in draws if cell[1] == size]
        print(f"\n{size} papers collected, {len(cells)} reviews: mean [95 % over draws]")
        print(" " * 26 + "".join(measure.rjust(20) for measure in MEASURES))
        for method in METHODS:
            print(method.ljust(26) + line([table[method][cell] for cell in cells]))
    print("\nAP by review and size; ours less ELAS u4 [95 % over draws]")
    for cell in draws:
        ours, theirs = table[OURS][cell][:, 0], table[ELAS][cell][:, 0]
        low, high = interval([(ours - theirs)[:, None]])
        values = "".join(f"{100 * table[method][cell][:, 0].mean():7.1f}" for method in METHODS)
        gain = 100 * (ours - theirs).mean()
        print(f"  {cell[0]:30}{cell[1]:3}{values}{gain:+8.1f} [{low[0]:+.1f}, {high[0]:+.1f}]")


def report_judged(draws: Mapping[Cell, Sequence[Draw]]) -> None:
    """The weight of what was waved away is chosen on the other reviews, too."""
    table = {
        cell: {
            name: np.array([draw.judged[name] for draw in each if draw.judged])[:, None]
            for name in (BEFORE, KEPT, *DISMISSED)
        }
        for cell, each in draws.items()
    }
    for cell, values in table.items():
        elsewhere = [other for other in table if other[0] != cell[0]]
        best = max(
            DISMISSED, key=lambda weight: np.mean([table[e][weight].mean() for e in elsewhere])
        )
        values[WAVED] = values[best]
    print(f"\nAP of what is left when the first {SHOWN} were judged, learnt from: mean [95 %]")
    for name in (BEFORE, KEPT, WAVED):
        parts = []
        for size in COLLECTED:
            cells = [values[name] for cell, values in table.items() if cell[1] == size]
            middle = 100 * np.mean([cell.mean() for cell in cells])
            low, high = interval(cells)
            parts.append(f"{middle:5.1f} [{low[0]:4.1f}, {high[0]:4.1f}]".rjust(20))
        print(name.ljust(28) + "".join(parts))
    print(" " * 28 + "".join(f"{size} collected".rjust(20) for size in COLLECTED))


def line(cells: Sequence[np.ndarray]) -> str:
    middle = 100 * np.mean([cell.mean(0) for cell in cells], axis=0)
    low, high = interval(cells)
    return "".join(
        f"{m:5.1f} [{a:4.1f}, {b:4.1f}]".rjust(20)
        for m, a, b in zip(middle, low, high, strict=True)
    )


def interval(cells: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Bootstrap interval of the mean over reviews, resampling draws within reviews."""
    rng = np.random.default_rng(0)
    means = [cell[rng.integers(len(cell), size=(RESAMPLED, len(cell)))].mean(1) for cell in cells]
    low, high = np.percentile(100 * np.mean(means, axis=0), [2.5, 97.5], axis=0)
    return low, high


def describe(papers: Papers, count: int) -> None:
    print(f"{SCREENING.name}: {len(papers.texts):,} papers, seeds 0 to {count - 1} for each size")
    for topic in sorted(set(papers.topics)):
        inside = papers.topics == topic
        print(f"  {topic:32}{inside.sum():6,} papers, {papers.included[inside].sum():4} included")


if __name__ == "__main__":
    main()
