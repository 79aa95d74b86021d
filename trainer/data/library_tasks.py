"""Pairs of texts that belong together, from whatever a library has: one set per kind of data.

A paper and one it cites; two papers of one venue or one category; a title and its abstract; a
sentence and the rest of its paper; a question and the abstract that answers it; a question in a
full text and its passage.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from trainer.data.corpus.citation_graph import within
from trainer.data.corpus.corpus import Corpus, Split
from trainer.data.examples import PaperExamples
from trainer.data.pairs import (
    PairSet,
    distinct_pairs,
    pair_examples,
    passage_pairs,
    question_pairs,
)
from trainer.data.rng import random_permutation, random_sample
from trainer.data.tokens import TextPart, Texts

# The tasks, and the setting with the share of each.
SHARES = {
    "citations": "citation_share",
    "venues": "group_share",
    "categories": "group_share",
    "titles": "title_share",
    "sentences": "sentence_share",
    "questions": "question_share",
    "passages": "question_share",
}
# Papers of a venue or category in the split: with fewer there are hardly any different pairs.
_GROUP = 5
# A pair is used at most this often per epoch, so that a small library is not learned by heart.
_LAPS = 4


def library_pairs(
    corpus: Corpus, texts: Texts, split: Split, most: int, seed: int
) -> dict[str, PairSet]:
    """Return at most `most` pairs of each of the tasks that the papers of a split have any of."""
    rows = corpus.rows(split)
    read = rows[corpus.abstracts.lengths[rows] > 0]
    both = read[corpus.titles.lengths[read] > 0]
    split_in_two = np.array([row for row in both.tolist() if texts.sentence(row)[1]], np.int64)
    sets = {
        "citations": _citations(corpus, split, most, seed),
        "venues": _groups(corpus.venues, read, most, seed, first_code=len(corpus.field_names)),
        "categories": _groups(corpus.primary, read, most, seed),
        "titles": _own(both, (TextPart.title, TextPart.abstract), most, seed),
        "sentences": _own(split_in_two, (TextPart.sentence, TextPart.rest), most, seed),
        "questions": question_pairs(corpus, split, most, seed),
        "passages": passage_pairs(corpus, split, most, seed),
    }
    return {name: sets[name] for name in SHARES if len(sets[name].rows)}


def missing_tasks(corpus: Corpus) -> set[str]:
    """Return the tasks for which the training papers have no pairs. Sentences count as missing
    only if no paper has an abstract: they are found in tokens."""
    rows = corpus.rows(Split.train)
    read = rows[corpus.abstracts.lengths[rows] > 0]
    both = read[corpus.titles.lengths[read] > 0]
    pairs = {
        "citations": len(_citations(corpus, Split.train, 1, 0).rows),
        "venues": len(_groups(corpus.venues, read, 1, 0).rows),
        "categories": len(_groups(corpus.primary, read, 1, 0).rows),
        "titles": len(both),
        "sentences": len(both),
        "questions": len(question_pairs(corpus, Split.train, 1, 0).rows),
        "passages": len(passage_pairs(corpus, Split.train, 1, 0).rows),
    }
    return {name for name in SHARES if not pairs[name]}


def task_examples(
    texts: Texts, sets: Mapping[str, PairSet], shares: Mapping[str, float], count: int, seed: int
) -> PaperExamples:
    """Return `count` examples per epoch, in batches of one task each, divided by the shares of the
    tasks. The shares of missing tasks go to the others; a small task has fewer examples."""
    used = {name: pairs for name, pairs in sets.items() if shares[name] > 0}
    total = sum(shares[name] for name in used)
    drawn = []
    for name, pairs in used.items():
        wanted = min(round(count * shares[name] / total), _LAPS * len(pairs.rows))
        some = np.resize(random_permutation(len(pairs.rows), "task", seed, name), wanted)
        drawn.append(pairs._replace(rows=pairs.rows[some], labels=pairs.labels[some]))
    return pair_examples(texts, drawn, homogeneous=True)


def with_negatives(examples: PaperExamples, negatives: NDArray[np.int32]) -> PaperExamples:
    """Return the examples with a paper that is not related as the third text of each."""
    # The negative of a passage is an abstract. A paper without one is read as a whole.
    parts = examples.parts[:, 1]
    parts = np.where(parts == TextPart.passage, TextPart.abstract, parts)
    bare = examples.texts.cache.abstracts.counts[negatives] == 0
    parts = np.where(bare, TextPart.both, parts).astype(examples.parts.dtype)
    return replace(
        examples,
        rows=np.column_stack([examples.rows, negatives]),
        parts=np.column_stack([examples.parts, parts]),
    )


def _citations(corpus: Corpus, split: Split, most: int, seed: int) -> PairSet:
    """Pairs of a paper of the split and a paper that it cites; held-out papers
    rarely cite each other, so they may also cite training papers."""
    rows = corpus.rows(split)
    if split != Split.train:
        rows = np.union1d(rows, corpus.rows(Split.train))
    inner, crossing = within(corpus.cites, rows)
    citing = np.repeat(np.arange(len(rows)), inner.counts)
    mine = np.flatnonzero(corpus.split[rows[citing]] == split)
    edges = mine[random_sample(most, len(mine), "citations", seed)]
    pairs = np.stack([rows[citing[edges]], rows[inner.indices[edges]]], axis=1)
    return _pairs(pairs, (TextPart.both, TextPart.both), {"citations across splits": crossing})


def _groups(
    codes: NDArray[np.int32], rows: NDArray[np.int64], most: int, seed: int, first_code: int = 0
) -> PairSet:
    """Pairs of papers with the same code, balanced over the codes."""
    sizes = np.bincount(codes[rows][codes[rows] >= 0])
    kept = np.flatnonzero(sizes >= _GROUP)
    found, labels = [np.empty((0, 2), np.int64)], [np.empty(0, np.int64)]
    if len(kept) > 1:
        for code in kept.tolist():
            members = rows[codes[rows] == code]
            pairs = distinct_pairs(len(members), -(-most // len(kept)), seed, str(code))
            found.append(members[pairs])
            labels.append(np.full(len(pairs), first_code + code))
    made = _pairs(np.concatenate(found), (TextPart.both, TextPart.both), {"groups": len(kept)})
    return made._replace(labels=np.concatenate(labels).astype(np.int32))


def _own(
    rows: NDArray[np.int64], parts: tuple[TextPart, TextPart], most: int, seed: int
) -> PairSet:
    """Pairs of two texts of the same paper."""
    some = rows[random_sample(most, len(rows), "own", seed)]
    return _pairs(np.stack([some, some], axis=1), parts, {})


def _pairs(
    rows: NDArray[np.integer], parts: tuple[TextPart, TextPart], records: dict[str, int]
) -> PairSet:
    labels = np.full(len(rows), -1, np.int32)
    return PairSet(rows.astype(np.int32), parts, labels, {"pairs": len(rows), **records})
