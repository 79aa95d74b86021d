import json
from collections import Counter

import numpy as np
import pytest

from tests.support.generate.corpus import make_corpus
from tests.support.models.tiny_model import tiny_package
from trainer.contract.errors import TrainerError
from trainer.data.corpus.corpus import Split
from trainer.data.journals import JournalRule, choose, journal_examples
from trainer.data.tokens import Texts, TokenCache


@pytest.mark.parametrize(
    ("name", "first_year"), [("pubmed_rule_2016_2021", 2016), ("arxiv_rule_all_years", 0)]
)
@pytest.mark.parametrize("first", [True, False])
def test_chosen_journals_match_the_reference_example(shared, name, first_year, first):
    case = json.loads((shared / "golden" / "miread_journal_filter.json").read_text())
    rows = case["inputs"]["rows"]
    names = sorted({row["journal"] for row in rows})
    journals = np.array([names.index(row["journal"]) for row in rows])
    years = np.array([row["year"] for row in rows])
    rule = JournalRule(case["inputs"]["min_total"], case["inputs"]["cap"], 2021, first_year, first)
    found = choose(journals, years, rule, 1)
    counts = Counter(names[journals[place]] for place in found.places)
    assert counts == case["expected"][name]
    assert (years[found.places] >= first_year).all()


def test_journal_is_excluded_by_size_or_age_and_counted_once():
    journals = np.repeat([0, 1, 2, 3], [5, 5, 2, 2])
    years = np.array([2021] * 5 + [2020] * 5 + [2021] * 2 + [2020] * 2)
    found = choose(journals, years, JournalRule(at_least=3), 1)
    assert found.places.tolist() == [0, 1, 2, 3, 4]
    assert (found.too_small, found.not_recent) == (2, 1)


def test_large_journal_is_limited_to_first_or_random_papers():
    journals, years = np.tile([0, 1], 500), np.full(1_000, 2021)
    first = choose(journals, years, JournalRule(at_most=300, first=True), 1).places
    assert first.tolist() == list(range(600))
    some, again, other = (
        choose(journals, years, JournalRule(at_most=300), seed).places for seed in (1, 1, 2)
    )
    assert some.tolist() == again.tolist() != other.tolist()
    assert np.bincount(journals[some]).tolist() == [300, 300]
    assert len(set(some.tolist()) - set(first.tolist())) > 200


def test_zero_conditions_are_disabled():
    journals, years = np.repeat([0, 1], [400, 1]), np.full(401, 1990)
    assert len(choose(journals, years, JournalRule(0, 0, 0), 1).places) == 401


def test_papers_after_the_last_year_are_excluded():
    journals, years = np.repeat([0, 1], 4), np.array([2020, 2021, 2022, 2023] * 2)
    found = choose(journals, years, JournalRule(2, recent_year=2021, last_year=2021), 1)
    assert years[found.places].tolist() == [2020, 2021] * 2
    assert len(choose(journals, years, JournalRule(3, last_year=2021), 1).places) == 0


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("journals")
    papers = [
        {"venue": ("Zeta", "Alpha", "Unseen  J.", "")[number % 4], "year": 2021}
        | ({"abstract": ""} if number % 40 == 0 else {})
        for number in range(400)
    ]
    corpus = make_corpus(folder / "corpus", papers)
    return Texts(TokenCache.open(corpus, tiny_package(folder / "tiny").folder))


def test_examples_are_labelled_with_their_journal(texts):
    corpus = texts.cache.corpus
    found = journal_examples(corpus, texts, 1, JournalRule(50, 80), exclude=("UNSEEN j.",))
    assert found.classes == ("Alpha", "Zeta")
    for split, examples in (
        (Split.train, found.train),
        (Split.validation, found.validation),
    ):
        rows = examples.rows[:, 0]
        assert (corpus.split[rows] == split).all()
        assert all(corpus.abstract(row) for row in rows.tolist())
        venues = [corpus.venue_names[code] for code in corpus.venues[rows]]
        assert venues == [found.classes[label] for label in examples.labels]
    assert found.records["papers without journal or abstract"] == 110
    assert found.records["papers of excluded journals"] == 100
    assert (
        len(found.train) + len(found.validation) + found.records["papers of the test split"] == 160
    )
    assert found.records["papers of excluded journals, or beyond the maximum per journal"] == 30


def test_too_few_journals_are_refused_with_a_hint(texts):
    with pytest.raises(TrainerError, match="0 journals have 101 papers") as refused:
        journal_examples(texts.cache.corpus, texts, 1, JournalRule(101))
    sizes = np.bincount(texts.cache.corpus.venues[texts.cache.corpus.venues >= 0])
    assert f"second largest journal has {sorted(sizes)[-2]}" in refused.value.hint
    assert f"paper is from {texts.cache.corpus.years.max()}" in refused.value.hint


def test_pubmed_papers_have_a_separate_rule(tmp_path):
    papers = [
        {"id": f"{kind}:{journal}{number}", "venue": journal, "year": 2021}
        for kind, journal, size in (("arxiv", "A", 6), ("pmid", "B", 6), ("pmid", "C", 12))
        for number in range(size)
    ]
    papers += [{"id": f"pmid:old{number}", "venue": "B", "year": 2015} for number in range(9)]
    corpus = make_corpus(tmp_path / "corpus", papers)
    texts = Texts(TokenCache.open(corpus, tiny_package(tmp_path / "tiny").folder))
    pubmed = JournalRule(at_least=10, first_year=2016)
    found = journal_examples(corpus, texts, 1, JournalRule(at_least=5), pubmed=pubmed)
    assert found.classes == ("A", "C")
