"""Checks of the training data, consistent with the methods' own selection."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.generate.corpus import make_corpus
from trainer.contract.catalog import METHODS, Need, method_spec, recipe_of
from trainer.contract.corpus_stats import (
    CorpusStats,
    Level,
    Requirement,
    VenueYear,
    check_requirements,
)
from trainer.data.corpus.corpus import count_training_data
from trainer.data.journals import PUBMED, JournalRule, choose


def found(recipe: str, holdings: CorpusStats, need: Need, **changes: object) -> Requirement:
    spec, recipe = recipe_of(recipe)
    every = check_requirements(spec, spec.resolve(recipe, changes), holdings)
    return {finding.need: finding for finding in every}[need]


def test_every_method_lists_all_its_requirements() -> None:
    for spec in METHODS:
        for recipe in spec.recipes:
            needs = [
                finding.need
                for finding in check_requirements(spec, spec.resolve(recipe), CorpusStats())
            ]
            assert set(needs) <= spec.needs and needs


def test_training_data_of_a_corpus_are_counted(tmp_path: Path) -> None:
    papers = [
        {"venue": "A", "year": 2020, "fields": ("hep-th", "hep-ph")},
        {"venue": "A", "year": 2020, "abstract": ""},
        {"venue": "A", "year": 2021, "id": "pmid:1", "questions": ("Why?",)},
    ]
    held = count_training_data(make_corpus(tmp_path / "corpus", papers, [(0, 1), (0, 2)]))
    assert held == CorpusStats(
        papers=3,
        abstracts=2,
        citations=2,
        citing=1,
        questions=1,
        venues=[VenueYear("A", 2020, False, 1), VenueYear("A", 2021, True, 1)],
        fields={"hep-th": 1},
    )
    assert CorpusStats.read(json.loads(json.dumps(held.described()))).fields == held.fields


ROWS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(2018, 2022), st.booleans(), st.integers(1, 6)),
    max_size=12,
)


@given(ROWS, st.integers(1, 8), st.sampled_from([0, 2020]), st.integers(1, 9))
def test_counted_journals_equal_those_miread_uses(
    rows: list[tuple[int, int, bool, int]], at_least: int, recent: int, of_pubmed: int
) -> None:
    held = CorpusStats(venues=[VenueYear(f"J{j}", y, p, n) for j, y, p, n in rows])
    kept: set[int] = set()
    for pubmed, rule in (
        (False, JournalRule(at_least, 0, recent)),
        (True, JournalRule(of_pubmed, 0, recent, PUBMED.first_year, last_year=recent)),
    ):
        mine = [(j, y) for j, y, p, n in rows if p is pubmed for _ in range(n)]
        journals, years = np.array(mine, int).reshape(-1, 2).T
        kept |= set(journals[choose(journals, years, rule, 1).places].tolist())
    changes = {"min_papers": at_least, "recent_year": recent, "pubmed_min_papers": of_pubmed}
    assert found("miread", held, Need.venues, **changes).have == len(kept)


def test_settings_that_give_enough_data_are_suggested() -> None:
    sizes = Counter({f"J{n}": 40 - n for n in range(8)})
    held = CorpusStats(venues=[VenueYear(name, 2019, False, n) for name, n in sizes.items()])
    assert found("miread-small", held, Need.venues).level is Level.enough
    poor = found("miread", held, Need.venues)
    assert (poor.level, poor.have) == (Level.missing, 0)
    assert poor.settings == {"min_papers": 36, "recent_year": 0}
    spec = method_spec("miread")
    again = check_requirements(spec, spec.resolve("miread-paper", poor.settings), held)
    assert all(one.level is Level.enough for one in again if one.need is Need.venues)


def test_excluded_journal_is_not_counted() -> None:
    held = CorpusStats(venues=[VenueYear("Nature", 2021, False, 500)])
    assert found("miread", held, Need.venues).have == 1
    assert found("miread", held, Need.venues, exclude="x; nature").have == 0


def test_categories_are_counted_as_physbert_uses_them() -> None:
    held = CorpusStats(fields={"hep-th": 3_000, "hep-ph": 3_000, "cs.CL": 6_000, "cs.AI": 10})
    assert found("physbert", held, Need.fields).have == 2
    assert found("physbert", held, Need.fields, merge=False).have == 1
    apart = found("physbert", held, Need.fields, merge=False, min_papers=3_001)
    assert (apart.level, apart.settings) == (Level.missing, {"min_papers": 3_000})


def test_physbert_needs_no_categories_if_it_has_other_pairs() -> None:
    held = CorpusStats(abstracts=9_000, citations=9_000, fields={"cs.CL": 9_000})
    assert found("physbert", held, Need.fields).level is Level.few
    assert found("physbert", held, Need.fields, citation_pairs=0).level is Level.missing
    spec, recipe = recipe_of("physbert")
    settings = spec.resolve(recipe, {"category_pairs": 0})
    assert Need.fields not in [one.need for one in check_requirements(spec, settings, held)]


@pytest.mark.parametrize(
    ("citations", "level"), [(0, Level.missing), (1, Level.few), (2_000, Level.enough)]
)
def test_few_citations_are_not_enough(citations: int, level: Level) -> None:
    assert found("specter", CorpusStats(citations=citations), Need.citations).level is level


@pytest.mark.parametrize(("texts", "level"), [(0, Level.few), (1, Level.few), (500, Level.enough)])
def test_full_texts_are_wanted_for_masked_language_modeling(texts: int, level: Level) -> None:
    held = CorpusStats(full_texts=texts)
    wanted = found("physbert-paper", held, Need.full_texts)
    assert (wanted.level, wanted.have) == (level, texts)
    spec, recipe = recipe_of("physbert-small")
    needs = [one.need for one in check_requirements(spec, spec.resolve(recipe), held)]
    assert Need.full_texts not in needs


def test_questions_in_full_texts_count_as_pairs() -> None:
    held = CorpusStats(passage_questions=300)
    assert found("physbert", held, Need.fields).level is Level.few
    assert found("physbert", held, Need.fields, question_pairs=0).level is Level.missing
