from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.generate.corpus import full_text, make_corpus
from tests.support.models.tiny_model import tiny_package
from trainer.data.corpus.corpus import Split
from trainer.data.corpus.split import SplitRule
from trainer.data.pairs import (
    category_pairs,
    citation_pairs,
    distinct_pairs,
    pair_examples,
    passage_pairs,
    question_pairs,
)
from trainer.data.sampler import of_step
from trainer.data.tokens import TextPart, Texts, TokenCache

FIELDS = ("astro-ph.GA", "astro-ph.CO", "hep-th", "hep-ph", "physics.optics", "rare", "")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    papers = []
    for number in range(600):
        name = "rare" if number < 9 else FIELDS[number % 5] if number % 12 else ""
        papers.append(
            {
                "fields": (name, "other") if name else (),
                "title": "" if number % 50 == 7 else f"deep paper {number}",
                "abstract": "" if number % 8 == 0 else "we study graph",
                "questions": ("what", f"why {number}")[: number % 3],
            }
        )
    citations = [(a, (a + step * step) % 600) for a in range(600) for step in range(1, 20)]
    return make_corpus(tmp_path_factory.mktemp("pairs") / "corpus", papers, citations)


def test_category_pairs_are_balanced_and_stay_in_their_split(corpus):
    pairs = category_pairs(corpus, Split.train, 900, 1, at_least=20)
    assert pairs.records["pairs by category"] == {
        "astro-ph": 300,
        "hep": 300,
        "physics.optics": 300,
    }
    assert np.bincount(pairs.labels).max() == 300
    assert (corpus.split[pairs.rows] == Split.train).all()
    assert (pairs.rows[:, 0] != pairs.rows[:, 1]).all()
    assert len({tuple(sorted(pair)) for pair in pairs.rows.tolist()}) == 900
    names = np.array(corpus.field_names)[corpus.primary[pairs.rows]]
    stems = [[name.split("-")[0] for name in pair] for pair in names]
    assert all(first == second for first, second in stems)
    labels = {stem: set(pairs.labels[[s == stem for s, _ in stems]]) for stem, _ in stems}
    assert sorted(map(len, labels.values())) == [1, 1, 1]


def test_papers_of_a_category_are_used_equally_often(corpus):
    pairs = category_pairs(corpus, Split.train, 900, 1, at_least=20)
    for label in np.unique(pairs.labels):
        uses = Counter(pairs.rows[pairs.labels == label].ravel().tolist())
        assert max(uses.values()) - min(uses.values()) <= 4


def test_small_categories_and_papers_without_category_are_counted(corpus):
    records = category_pairs(corpus, Split.train, 100, 1, at_least=20).records
    assert records["categories with too few papers"] == 1
    assert records["papers of categories with too few papers"] == 9
    assert records["papers without category"] == np.count_nonzero(corpus.primary < 0)


def test_category_pairs_use_abstracts_unless_titles_are_requested(corpus):
    bare = np.flatnonzero(corpus.abstracts.lengths == 0)
    of_abstracts = category_pairs(corpus, Split.train, 10_000, 1, at_least=20)
    assert of_abstracts.parts == (TextPart.abstract, TextPart.abstract)
    assert len(bare) and not np.isin(of_abstracts.rows, bare).any()
    both = category_pairs(corpus, Split.train, 10_000, 1, at_least=20, part=TextPart.both)
    assert both.parts == (TextPart.both, TextPart.both)
    assert np.isin(both.rows, bare).any()


def test_single_category_gives_no_pairs(corpus):
    both = category_pairs(corpus, Split.train, 100, 1, at_least=216)
    assert both.records["pairs by category"] == {"astro-ph": 50, "hep": 50}
    alone = category_pairs(corpus, Split.train, 100, 1, at_least=217)
    assert len(alone.rows) == alone.records["pairs"] == 0
    assert alone.records["categories with too few papers"] == 3


def test_categories_stay_separate_unless_merged(corpus):
    pairs = category_pairs(corpus, Split.train, 100, 1, merge=False, at_least=20)
    assert sorted(pairs.records["pairs by category"]) == sorted(FIELDS[:5])


def test_small_category_gives_each_pair_once(corpus):
    pairs = category_pairs(corpus, Split.validation, 10_000, 1, at_least=20)
    for count in pairs.records["pairs by category"].values():
        assert count < 10_000 // 3
    assert len({tuple(sorted(pair)) for pair in pairs.rows.tolist()}) == len(pairs.rows)


@given(st.integers(0, 40), st.integers(0, 900), st.integers(0, 9))
def test_distinct_pairs_are_unique_and_limited_by_papers(papers, count, seed):
    pairs = distinct_pairs(papers, count, seed, "a")
    assert len(pairs) == min(count, papers * (papers - 1) // 2)
    assert len(set(map(tuple, pairs.tolist()))) == len(pairs)
    assert all(0 <= first < second < papers for first, second in pairs.tolist())


def test_citation_pairs_stay_in_their_split_and_have_titles(corpus):
    for split in (Split.train, Split.validation):
        pairs = citation_pairs(corpus, split, 10_000, 1)
        citing, cited = pairs.rows.T
        assert all(b in corpus.cites[a] for a, b in zip(citing, cited, strict=True))
        assert (corpus.split[pairs.rows] == split).all()
        assert all(corpus.title(row) for row in pairs.rows.ravel().tolist())
        assert len(pairs.rows) == pairs.records["citations"] > 0
        assert pairs.records["citations across splits, dropped"] > 0


def test_sampled_citations_are_distinct_and_depend_on_the_seed(corpus):
    every = {tuple(pair) for pair in citation_pairs(corpus, Split.train, 10_000, 1).rows.tolist()}
    first, second = (
        {tuple(pair) for pair in citation_pairs(corpus, Split.train, 50, seed).rows.tolist()}
        for seed in (1, 2)
    )
    assert len(first) == len(second) == 50
    assert first != second
    assert first | second < every


def test_question_is_paired_with_the_abstract_of_its_paper(corpus):
    pairs = question_pairs(corpus, Split.train, 10_000, 1)
    questions, papers = pairs.rows.T
    assert corpus.question_papers[questions].tolist() == papers.tolist()
    assert (corpus.split[papers] == Split.train).all()
    assert all(corpus.abstract(row) for row in papers.tolist())
    missing = pairs.records["questions without text or abstract"]
    assert missing > 0
    assert len(pairs.rows) + missing == pairs.records["questions"]
    assert pairs.parts == (TextPart.question, TextPart.abstract)


@pytest.mark.parametrize("homogeneous", [False, True])
def test_sources_are_mixed_or_one_per_batch(corpus, tmp_path, homogeneous):
    sources = [
        category_pairs(corpus, Split.train, 90, 1, at_least=20),
        citation_pairs(corpus, Split.train, 60, 1),
        question_pairs(corpus, Split.train, 30, 1),
    ]
    texts = Texts(TokenCache.open(corpus, tiny_package(tmp_path / "tiny").folder))
    examples = pair_examples(texts, sources, homogeneous)
    order = examples.order(1, 0, 10)
    assert sorted(order.tolist()) == list(range(180))
    kinds = [
        set(map(tuple, examples.parts[of_step(order, 10, step)].tolist())) for step in range(18)
    ]
    assert all(len(kind) == 1 for kind in kinds) == homogeneous

    numbers = np.array([0, 90, 150])
    batch = examples.batch(numbers, numbers, 0)
    assert batch.labels.tolist()[1:] == [-1, -1]
    assert batch.labels[0] == sources[0].labels[0]
    assert batch.papers.tolist()[:2] == [pairs.rows[0].tolist() for pairs in sources[:2]]
    assert batch.papers.tolist()[2] == [-1, sources[2].rows[0, 1]]


def test_no_sources_give_no_examples(corpus, tmp_path):
    texts = Texts(TokenCache.open(corpus, tiny_package(tmp_path / "tiny").folder))
    assert len(pair_examples(texts, [], False)) == 0
    assert len(pair_examples(texts, [citation_pairs(corpus, Split.train, 0, 1)], True)) == 0


def test_passage_pairs_have_a_question_and_the_passage_it_was_taken_out_of(tmp_path):
    papers = [{"title": f"Deep {n}", "full_text": full_text(n)} for n in range(80)]
    corpus = make_corpus(tmp_path / "corpus", papers, split=SplitRule((0.7, 0.3, 0)))
    texts = Texts(TokenCache.open(corpus, tiny_package(tmp_path / "tiny").folder), max_tokens=64)
    for split in (Split.train, Split.validation):
        pairs = passage_pairs(corpus, split, 1_000, 1)
        questions, passages = pairs.rows.T
        assert len(pairs.rows) > 3
        assert (corpus.question_passages[questions] == passages).all()
        papers = corpus.passage_papers[passages]
        assert set(corpus.split[papers]) == {split}
        batch = pair_examples(texts, [pairs], homogeneous=False).batch(
            np.arange(len(pairs.rows)), np.arange(len(pairs.rows)), 1
        )
        assert batch.papers.numpy().tolist() == [[-1, paper] for paper in papers]
    assert len(passage_pairs(corpus, Split.train, 7, 1).rows) == 7
    assert len(passage_pairs(corpus, Split.test, 7, 1).rows) == 0
