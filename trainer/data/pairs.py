"""PhysBERT's pairs: papers of one category, citing and cited titles, questions and their papers.

All three after Hellert et al. (2024); both papers of a pair are always of one part of the split.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trainer.contract.holdings import merged
from trainer.data.chance import bits, chosen
from trainer.data.citations import within
from trainer.data.corpus import Corpus, Split
from trainer.data.examples import PaperExamples
from trainer.data.tokens import Part, Texts


class Pairs(NamedTuple):
    """Pairs from one source: `rows` [n, 2], the part of either that is read, `labels` [n]."""

    rows: NDArray[np.int32]
    parts: tuple[Part, Part]
    labels: NDArray[np.int32]
    records: dict[str, Any]


def category_pairs(
    corpus: Corpus,
    split: Split,
    count: int,
    seed: int,
    *,
    merge: bool = True,
    at_least: int = 5_000,
    part: Part = Part.abstract,
) -> Pairs:
    """Papers with the same primary category, all categories alike often; `count` pairs at most.

    `merge` takes all of astro-ph, of cond-mat and of hep as one. A category needs `at_least`
    papers in the whole corpus; without two such there are no pairs. No pair comes twice, and
    within a category all papers come alike often. `part` is what of a paper is read; where that is
    the abstract, papers without one are in no pair.
    """
    names, codes = _categories(corpus, merge)
    sizes = np.bincount(codes[codes >= 0], minlength=len(names))
    kept, left_out = _large_enough(sizes, at_least)
    readable = np.ones(corpus.papers, bool)
    if part is Part.abstract:
        readable = corpus.abstracts.lengths > 0
    found, labels, per_category = [np.empty((0, 2), np.int64)], [np.empty(0, np.int64)], {}
    for place, code in enumerate(kept):
        share = count // len(kept) + (place < count % len(kept))
        rows = np.flatnonzero((codes == code) & (corpus.split == split) & readable)
        pairs = rows[_distinct_pairs(len(rows), share, seed, names[code])]
        found.append(pairs)
        labels.append(np.full(len(pairs), code))
        per_category[names[code]] = len(pairs)
    records = {
        "pairs": sum(per_category.values()),
        "pairs by category": per_category,
        "papers without category": int(np.count_nonzero(codes < 0)),
        "papers without the text that is read": int(np.count_nonzero(~readable & (codes >= 0))),
        "categories with too few papers": left_out,
        "papers of categories with too few papers": int(sizes.sum() - sizes[kept].sum()),
    }
    return Pairs(
        np.concatenate(found).astype(np.int32),
        (part, part),
        np.concatenate(labels).astype(np.int32),
        records,
    )


def _large_enough(sizes: NDArray[np.int64], at_least: int) -> tuple[NDArray[np.int64], int]:
    """Which categories have so many papers, and how many others there are."""
    kept = np.flatnonzero(sizes >= at_least)
    left_out = int(np.count_nonzero(sizes)) - len(kept)
    # One category alone tells nothing from nothing.
    return (kept if len(kept) > 1 else kept[:0]), left_out


def _categories(corpus: Corpus, merge: bool) -> tuple[list[str], NDArray[np.int64]]:
    """The categories' names, and each paper's, -1 where it has none."""
    taken = [merged(name) if merge else name for name in corpus.field_names]
    names = sorted(set(taken))
    numbers = {name: number for number, name in enumerate(names)}
    # The last is found by -1, for papers without.
    codes = np.array([*(numbers[name] for name in taken), -1])
    return names, codes[corpus.primary]


def _distinct_pairs(papers: int, count: int, seed: int, name: str) -> NDArray[np.int64]:
    """Different pairs [n, 2] of the numbers below `papers`; `count`, or all if that is fewer."""
    every = papers * (papers - 1) // 2
    if 2 * count >= every:
        pairs = np.stack(np.triu_indices(papers, 1), axis=1)
        return pairs[chosen(count, every, "pairs", seed, name)]
    found = np.empty(0, dtype=np.int64)
    laps = 0
    while len(found) < count:
        # Everybody once a lap, each with a neighbour in a new order.
        more = -(-(count - len(found)) // (papers // 2))
        lot = bits("pairs", seed, name, np.arange(laps, laps + more)[:, None], np.arange(papers))
        order = np.argsort(lot, axis=1, kind="stable")[:, : papers // 2 * 2]
        couples = np.sort(order.reshape(-1, 2), axis=1)
        found = np.concatenate([found, couples[:, 0] * papers + couples[:, 1]])
        found = found[np.sort(np.unique(found, return_index=True)[1])][:count]
        laps += more
    return np.stack([found // papers, found % papers], axis=1)


def citation_pairs(corpus: Corpus, split: Split, count: int, seed: int) -> Pairs:
    """The titles of a citing and a cited paper; `count` at most, any of them."""
    rows = corpus.rows(split)
    titled = rows[corpus.titles.lengths[rows] > 0]
    inner, crossing = within(corpus.cites, titled)
    edges = chosen(count, len(inner.indices), "citations", seed)
    citing = np.searchsorted(inner.indptr, edges, side="right") - 1
    pairs = titled[np.stack([citing, inner.indices[edges]], axis=1)].astype(np.int32)
    records = {
        "pairs": len(pairs),
        "citations": len(inner.indices),
        "citations across the split, dropped": crossing,
        "papers without title": len(rows) - len(titled),
    }
    return Pairs(pairs, (Part.title, Part.title), np.full(len(pairs), -1, np.int32), records)


def question_pairs(corpus: Corpus, split: Split, count: int, seed: int) -> Pairs:
    """A question and the abstract that answers it; `count` at most, any of them."""
    papers = np.asarray(corpus.question_papers)
    mine = corpus.split[papers] == split
    readable = (corpus.abstracts.lengths[papers] > 0) & (corpus.questions.lengths > 0)
    questions = np.flatnonzero(mine & readable)
    questions = questions[chosen(count, len(questions), "questions", seed)]
    pairs = np.stack([questions, papers[questions]], axis=1).astype(np.int32)
    records = {
        "pairs": len(pairs),
        "questions": int(np.count_nonzero(mine)),
        "questions without text or abstract": int(np.count_nonzero(mine & ~readable)),
    }
    parts = (Part.question, Part.abstract)
    return Pairs(pairs, parts, np.full(len(pairs), -1, np.int32), records)


def pair_examples(texts: Texts, sources: Sequence[Pairs], homogeneous: bool) -> PaperExamples:
    """Pairs of all sources, mixed as many as there are of each, or each batch of one source."""
    counts = [len(pairs.rows) for pairs in sources]
    kinds = np.array([pairs.parts for pairs in sources], dtype=np.uint8).reshape(-1, 2)
    return PaperExamples(
        texts,
        np.concatenate([np.empty((0, 2), np.int32), *(pairs.rows for pairs in sources)]),
        np.repeat(kinds, counts, axis=0),
        np.concatenate([np.empty(0, np.int32), *(pairs.labels for pairs in sources)]),
        np.repeat(np.arange(len(sources), dtype=np.uint8), counts) if homogeneous else None,
    )
