"""PhysBERT's pairs: papers of one category, citing and cited titles, questions and their answers.

All follow Hellert et al. (2024), except that questions are not written by a language model: they
come with the papers, or are found in full texts. Both papers of a pair are always in the same part
of the split.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trainer.contract.corpus_stats import merged_category
from trainer.data.corpus.citation_graph import within
from trainer.data.corpus.corpus import Corpus, Split
from trainer.data.examples import PaperExamples
from trainer.data.rng import random_sample, stateless_bits
from trainer.data.tokens import TextPart, Texts


class PairSet(NamedTuple):
    """Pairs from one source: `rows` [n, 2], the text part used of either, `labels` [n]."""

    rows: NDArray[np.int32]
    parts: tuple[TextPart, TextPart]
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
    part: TextPart = TextPart.abstract,
) -> PairSet:
    """Return at most `count` pairs of papers with the same primary category, balanced over
    categories.

    `merge` combines all of astro-ph, of cond-mat and of hep. A category needs `at_least` papers in
    the whole corpus; with fewer than two such categories there are no pairs. No pair is repeated,
    and within a category all papers are equally frequent. `part` is the text used; if it is the
    abstract, papers without one are left out.
    """
    names, codes = _categories(corpus, merge)
    sizes = np.bincount(codes[codes >= 0], minlength=len(names))
    kept, left_out = _large_enough(sizes, at_least)
    readable = np.ones(corpus.papers, bool)
    if part is TextPart.abstract:
        readable = corpus.abstracts.lengths > 0
    found, labels, per_category = [np.empty((0, 2), np.int64)], [np.empty(0, np.int64)], {}
    for place, code in enumerate(kept):
        share = count // len(kept) + (place < count % len(kept))
        rows = np.flatnonzero((codes == code) & (corpus.split == split) & readable)
        pairs = rows[distinct_pairs(len(rows), share, seed, names[code])]
        found.append(pairs)
        labels.append(np.full(len(pairs), code))
        per_category[names[code]] = len(pairs)
    records = {
        "pairs": sum(per_category.values()),
        "pairs by category": per_category,
        "papers without category": int(np.count_nonzero(codes < 0)),
        "papers without the text used for pairs": int(np.count_nonzero(~readable & (codes >= 0))),
        "categories with too few papers": left_out,
        "papers of categories with too few papers": int(sizes.sum() - sizes[kept].sum()),
    }
    return PairSet(
        np.concatenate(found).astype(np.int32),
        (part, part),
        np.concatenate(labels).astype(np.int32),
        records,
    )


def _large_enough(sizes: NDArray[np.int64], at_least: int) -> tuple[NDArray[np.int64], int]:
    """Return which categories have this many papers, and the number of the others."""
    kept = np.flatnonzero(sizes >= at_least)
    left_out = int(np.count_nonzero(sizes)) - len(kept)
    # A single category offers nothing to distinguish.
    return (kept if len(kept) > 1 else kept[:0]), left_out


def _categories(corpus: Corpus, merge: bool) -> tuple[list[str], NDArray[np.int64]]:
    """Return the categories' names, and that of each paper, -1 for none."""
    taken = [merged_category(name) if merge else name for name in corpus.field_names]
    names = sorted(set(taken))
    numbers = {name: number for number, name in enumerate(names)}
    # The last element is at index -1, for papers without a category.
    codes = np.array([*(numbers[name] for name in taken), -1])
    return names, codes[corpus.primary]


def distinct_pairs(papers: int, count: int, seed: int, name: str) -> NDArray[np.int64]:
    """Return different pairs [n, 2] of the numbers below `papers`; `count`, or all if there are
    fewer."""
    every = papers * (papers - 1) // 2
    if 2 * count >= every:
        pairs = np.stack(np.triu_indices(papers, 1), axis=1)
        return pairs[random_sample(count, every, "pairs", seed, name)]
    found = np.empty(0, dtype=np.int64)
    laps = 0
    while len(found) < count:
        # Each paper occurs once per lap, paired with its neighbor in a new order.
        more = -(-(count - len(found)) // (papers // 2))
        lot = stateless_bits(
            "pairs", seed, name, np.arange(laps, laps + more)[:, None], np.arange(papers)
        )
        order = np.argsort(lot, axis=1, kind="stable")[:, : papers // 2 * 2]
        couples = np.sort(order.reshape(-1, 2), axis=1)
        found = np.concatenate([found, couples[:, 0] * papers + couples[:, 1]])
        found = found[np.sort(np.unique(found, return_index=True)[1])][:count]
        laps += more
    return np.stack([found // papers, found % papers], axis=1)


def citation_pairs(corpus: Corpus, split: Split, count: int, seed: int) -> PairSet:
    """Return at most `count` random pairs of the titles of a citing and a cited paper."""
    rows = corpus.rows(split)
    titled = rows[corpus.titles.lengths[rows] > 0]
    inner, crossing = within(corpus.cites, titled)
    edges = random_sample(count, len(inner.indices), "citations", seed)
    citing = np.searchsorted(inner.indptr, edges, side="right") - 1
    pairs = titled[np.stack([citing, inner.indices[edges]], axis=1)].astype(np.int32)
    records = {
        "pairs": len(pairs),
        "citations": len(inner.indices),
        "citations across splits, dropped": crossing,
        "papers without title": len(rows) - len(titled),
    }
    return PairSet(
        pairs, (TextPart.title, TextPart.title), np.full(len(pairs), -1, np.int32), records
    )


def question_pairs(corpus: Corpus, split: Split, count: int, seed: int) -> PairSet:
    """Return at most `count` random pairs of a question and the abstract that answers it."""
    papers = np.asarray(corpus.question_papers)
    mine = corpus.split[papers] == split
    readable = (corpus.abstracts.lengths[papers] > 0) & (corpus.questions.lengths > 0)
    questions = np.flatnonzero(mine & readable)
    questions = questions[random_sample(count, len(questions), "questions", seed)]
    pairs = np.stack([questions, papers[questions]], axis=1).astype(np.int32)
    records = {
        "pairs": len(pairs),
        "questions": int(np.count_nonzero(mine)),
        "questions without text or abstract": int(np.count_nonzero(mine & ~readable)),
    }
    parts = (TextPart.question, TextPart.abstract)
    return PairSet(pairs, parts, np.full(len(pairs), -1, np.int32), records)


def passage_pairs(corpus: Corpus, split: Split, count: int, seed: int) -> PairSet:
    """Return at most `count` random pairs of a question found in a full text and its passage."""
    passages = np.asarray(corpus.question_passages)
    mine = np.flatnonzero(corpus.split[corpus.passage_papers[passages]] == split)
    some = mine[random_sample(count, len(mine), "passages", seed)]
    pairs = np.stack([some, passages[some]], axis=1).astype(np.int32)
    records = {"pairs": len(pairs), "questions": len(mine)}
    parts = (TextPart.passage_question, TextPart.passage)
    return PairSet(pairs, parts, np.full(len(pairs), -1, np.int32), records)


def pair_examples(texts: Texts, sources: Sequence[PairSet], homogeneous: bool) -> PaperExamples:
    """Combine the pairs of all sources: mixed in proportion, or each batch from one source."""
    counts = [len(pairs.rows) for pairs in sources]
    kinds = np.array([pairs.parts for pairs in sources], dtype=np.uint8).reshape(-1, 2)
    return PaperExamples(
        texts,
        np.concatenate([np.empty((0, 2), np.int32), *(pairs.rows for pairs in sources)]),
        np.repeat(kinds, counts, axis=0),
        np.concatenate([np.empty(0, np.int32), *(pairs.labels for pairs in sources)]),
        np.repeat(np.arange(len(sources), dtype=np.uint8), counts) if homogeneous else None,
    )
