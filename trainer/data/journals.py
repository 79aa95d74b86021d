"""MIReAD's examples: papers, and the journal each was published in (Razdaibiedina et al., 2023)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trainer.contract.errors import TrainerError
from trainer.data.corpus.corpus import Corpus, Split, find_venues
from trainer.data.examples import PaperExamples
from trainer.data.rng import stateless_bits
from trainer.data.tokens import TextPart, Texts


@dataclass(frozen=True)
class JournalRule:
    """The selection of journals and of their papers (appendix A.1).

    The defaults are the paper's for arXiv, as in ARXIV; PUBMED holds those for PubMed. Only papers
    from `first_year` to `last_year` count. A journal needs `at_least` of them, one of them of
    `recent_year`, and contributes `at_most`: random ones, or the `first` in the corpus. 0: no
    limit.
    """

    at_least: int = 100
    at_most: int = 300
    recent_year: int = 2021
    first_year: int = 0
    first: bool = False
    last_year: int = 0


ARXIV = JournalRule()
PUBMED = JournalRule(at_least=300, first_year=2016, last_year=2021)


class JournalSelection(NamedTuple):
    """The places of the selected papers, ascending; and the numbers of rejected journals by
    reason."""

    places: NDArray[np.int64]
    too_small: int
    not_recent: int


class JournalExamples(NamedTuple):
    """`classes` are the journals' names by label; `unknown` are names to exclude that match no
    journal."""

    train: PaperExamples
    validation: PaperExamples
    classes: tuple[str, ...]
    unknown: list[str]
    records: dict[str, Any]


def choose(
    journals: NDArray[np.integer], years: NDArray[np.integer], rule: JournalRule, seed: int
) -> JournalSelection:
    """Select papers by the rule, given the journal (from 0) and the year of each."""
    counts = years >= rule.first_year
    if rule.last_year:
        counts &= years <= rule.last_year
    places = np.flatnonzero(counts)
    codes = journals[places]
    kinds = int(journals.max(initial=-1)) + 1
    sizes = np.bincount(codes, minlength=kinds)
    large = sizes >= max(rule.at_least, 1)
    recent = np.ones(kinds, dtype=bool)
    if rule.recent_year:
        recent = np.bincount(codes[years[places] == rule.recent_year], minlength=kinds) > 0
    places = places[(large & recent)[codes]]
    if rule.at_most:
        places = places[_rank(journals[places], places, rule.first, seed) < rule.at_most]
    there = np.bincount(journals, minlength=kinds) > 0
    return JournalSelection(places, int((there & ~large).sum()), int((large & ~recent).sum()))


def _rank(
    journals: NDArray[np.integer], places: NDArray[np.int64], first: bool, seed: int
) -> NDArray[np.int64]:
    """Return the number of papers of the same journal before each, in corpus or random order."""
    lot = places if first else stateless_bits("journals", seed, places)
    order = np.lexsort((lot, journals))
    sizes = np.bincount(journals)
    before = np.cumsum(sizes) - sizes
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order)) - before[journals[order]]
    return rank


def journal_examples(
    corpus: Corpus,
    texts: Texts,
    seed: int,
    rule: JournalRule = ARXIV,
    exclude: Collection[str] = (),
    pubmed: JournalRule = PUBMED,
) -> JournalExamples:
    """Return papers labeled with their journal, for training and validation.

    Papers from PubMed, recognized by their ids, are subject to the rule `pubmed`, others to `rule`;
    both count all papers with a journal and an abstract, so that the classes do not depend on the
    split. `exclude` names journals to hold out, case-insensitively. Raises TrainerError if fewer
    than two journals remain.
    """
    known = np.flatnonzero((corpus.venues >= 0) & (corpus.abstracts.lengths > 0))
    excluded = find_venues(exclude, corpus.venue_names)
    rows = known[~excluded.meant[corpus.venues[known]]]
    chosen = _choose_from(corpus, rows, rule, pubmed, seed)
    kept = chosen.places
    classes = _classes(corpus, rows, kept, rule)
    train, validation = (
        _labelled(corpus, texts, kept[corpus.split[kept] == split], classes)
        for split in (Split.train, Split.validation)
    )
    records = {
        "papers": corpus.papers,
        "papers without journal or abstract": corpus.papers - len(known),
        "papers of excluded journals": len(known) - len(rows),
        "journals": len(classes),
        "journals with too few papers": chosen.too_small,
        "journals without a recent paper": chosen.not_recent,
        "papers of excluded journals, or beyond the maximum per journal": len(rows) - len(kept),
        "papers of the test split": int(np.count_nonzero(corpus.split[kept] == Split.test)),
        "examples": len(train),
        "examples for validation": len(validation),
    }
    names = tuple(corpus.venue_names[code] for code in classes)
    return JournalExamples(train, validation, names, excluded.unknown, records)


def _choose_from(
    corpus: Corpus, rows: NDArray[np.int64], rule: JournalRule, pubmed: JournalRule, seed: int
) -> JournalSelection:
    """Select the papers, each by the rule for its source."""
    from_pubmed = corpus.from_pubmed(rows)
    chosen, too_small, not_recent = np.empty(0, np.int64), 0, 0
    for some, its in ((rows[~from_pubmed], rule), (rows[from_pubmed], pubmed)):
        kept = choose(corpus.venues[some], corpus.years[some], its, seed)
        chosen = np.union1d(chosen, some[kept.places])
        too_small, not_recent = too_small + kept.too_small, not_recent + kept.not_recent
    return JournalSelection(chosen, too_small, not_recent)


def _classes(
    corpus: Corpus, rows: NDArray[np.int64], kept: NDArray[np.int64], rule: JournalRule
) -> list[int]:
    """Return the journals of the selected training papers, by name. Raises TrainerError."""
    codes = np.unique(corpus.venues[kept[corpus.split[kept] == Split.train]])
    if len(codes) < 2:
        raise _too_few(corpus, rows, len(codes), rule)
    return sorted(codes.tolist(), key=lambda code: corpus.venue_names[code])


def _labelled(
    corpus: Corpus, texts: Texts, rows: NDArray[np.int64], classes: Sequence[int]
) -> PaperExamples:
    """Return the papers whose journal is among the classes, labeled with its index."""
    label = np.full(len(corpus.venue_names), -1)
    label[classes] = np.arange(len(classes))
    mine = rows[label[corpus.venues[rows]] >= 0]
    return PaperExamples.of(texts, mine, (TextPart.both,), label[corpus.venues[mine]])


def _too_few(
    corpus: Corpus, rows: NDArray[np.int64], journals: int, rule: JournalRule
) -> TrainerError:
    """`rows` are all papers of journals that are not excluded."""
    sizes = np.sort(np.bincount(corpus.venues[rows], minlength=2))[::-1]
    if not sizes[1]:
        return TrainerError(
            f"The papers with an abstract in the corpus {corpus.folder} have "
            f"{'only one known journal' if sizes[0] else 'no known journals'}; two are required.",
            "Add papers with known journals.",
        )
    recent = f", including one from {rule.recent_year}" if rule.recent_year else ""
    return TrainerError(
        f"In the corpus {corpus.folder}, {journals} journals have {rule.at_least} papers with "
        f"an abstract{recent}; two are required.",
        "Add papers, or adjust the settings min_papers and recent_year: the second largest "
        f"journal has {sizes[1]:,} papers with an abstract, and the latest paper is from "
        f"{corpus.years[rows].max() or 'an unknown year'}.",
    )
