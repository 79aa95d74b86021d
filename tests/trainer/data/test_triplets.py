import json
from multiprocessing import get_context

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.generate.corpus import make_corpus
from tests.support.models.tiny_model import tiny_package
from trainer.contract.catalog import method_spec
from trainer.data import triplets as module
from trainer.data.corpus import citation_graph
from trainer.data.corpus.citation_graph import within
from trainer.data.corpus.columns import Csr, chunks
from trainer.data.corpus.corpus import Split, count_training_data
from trainer.data.corpus.prepare import prepare
from trainer.data.tokens import Texts, TokenCache
from trainer.data.triplets import Draws, triple_examples, triples
from trainer.methods.triplet_plan import draws_of

FEW = "has too few directly or indirectly cited papers"
NONE_SECOND_HAND = "cites no paper with citations of its own that the query lacks"


def graph(lists):
    """A citation graph from the references of each paper."""
    indptr = np.concatenate([[0], np.cumsum([len(cited) for cited in lists])]).astype(np.int64)
    return Csr(indptr, np.array([paper for cited in lists for paper in sorted(cited)], np.int32))


def random_graph(papers, mean, seed):
    chance = np.random.default_rng(seed)
    lists = [
        set(chance.integers(0, papers, chance.poisson(mean)).tolist()) - {paper}
        for paper in range(papers)
    ]
    return lists, graph(lists)


GRAPHS = st.integers(1, 14).flatmap(
    lambda papers: st.tuples(
        *(st.sets(st.integers(0, papers - 1)).map(lambda s, p=p: s - {p}) for p in range(papers))
    )
)


def pools(lists, rows, paper):
    """Return the possible positives and hard negatives of a paper, by definition."""
    rows = set(rows)
    cited = lists[paper] & rows
    second = {further for other in cited for further in lists[other] & rows}
    return cited, second - cited - {paper}


@given(GRAPHS, st.data())
def test_every_triplet_follows_the_definition_or_has_a_reason(lists, data):
    papers = len(lists)
    rows = sorted(data.draw(st.sets(st.integers(0, papers - 1))))
    found = triples(graph(lists), np.array(rows, np.int64), data.draw(st.integers(0, 99)))
    by_query = {paper: found.rows[found.rows[:, 0] == paper].tolist() for paper in rows}
    reasons = dict.fromkeys(module.REASONS[1:], 0)
    for paper, triplets in by_query.items():
        cited, hard = pools(lists, rows, paper)
        easy = set(rows) - cited - hard - {paper}
        if not cited or not hard or len(cited) + len(hard) < 3:
            assert not triplets
            reason = 1 if not lists[paper] else 2 if not cited else 3 if not hard else 4
            reasons[module.REASONS[reason]] += 1
            continue
        assert len(triplets) == (5 if easy else 2)
        kinds = found.hard[found.rows[:, 0] == paper]
        assert kinds.sum() == 2
        for (_, positive, negative), is_hard in zip(triplets, kinds, strict=True):
            assert positive in cited
            assert negative in (hard if is_hard else easy)
    assert len(found.rows) == sum(map(len, by_query.values()))
    assert found.records["papers without triplets, by reason"] == reasons
    assert found.records["queries"] + sum(reasons.values()) == found.records["papers"]


def test_pools_and_counts_match_the_reference_example(shared):
    case = json.loads((shared / "golden" / "specter_triplet_pools.json").read_text())
    names = case["inputs"]["all_paper_ids"]
    counts = case["inputs"]["data"]

    def listed(count):
        return graph(
            [
                {names.index(o) for o, c in counts.get(name, {}).items() if c == count}
                for name in names
            ]
        )

    drawn: dict[str, list] = {name: [] for name in counts}
    for seed in range(100):
        found = triples(listed(5), np.arange(len(names)), seed, second_hand=listed(1))
        for row, hard in zip(found.rows.tolist(), found.hard, strict=True):
            query, positive, negative = (names[place] for place in row)
            drawn[query].append((seed, positive, negative, hard))
    for query, expected in case["expected"].items():
        mine = drawn[query]
        assert len(mine) == 100 * expected["n_triplets"]
        assert sum(hard for *_, hard in mine) == 100 * expected["n_hard"]
        if not mine:
            continue
        # In so many draws every paper of every pool occurs, and no other.
        assert sorted({positive for _, positive, *_ in mine}) == expected["positive_pool"]
        for kind, pool in ((True, "hard_negative_pool"), (False, "easy_negative_pool")):
            assert sorted({n for *_, n, hard in mine if hard == kind}) == expected[pool]


def test_query_without_second_hand_papers_is_counted():
    found = triples(graph([{1, 2, 3}, set(), {3}, set(), set()]), np.arange(5), 1)
    assert len(found.rows) == 0
    reasons = found.records["papers without triplets, by reason"]
    assert reasons[NONE_SECOND_HAND] == 2
    assert reasons["cites no other paper"] == 3


def test_query_with_too_few_candidates_is_skipped_unless_allowed():
    cites = graph([{1}, {2}, set(), set()])
    few = triples(cites, np.arange(4), 1)
    assert few.records["papers without triplets, by reason"][FEW] == 1
    more = triples(cites, np.arange(4), 1, Draws(candidates=2))
    # One positive and one hard negative make only one hard triplet.
    assert more.hard.tolist() == [True, False, False, False]
    assert more.rows.tolist() == [[0, 1, 2], [0, 1, 3], [0, 1, 3], [0, 1, 3]]


@given(GRAPHS, st.integers(0, 99))
def test_without_hard_negatives_every_citing_paper_has_triplets(lists, seed):
    rows = np.arange(len(lists))
    found = triples(graph(lists), rows, seed, Draws(4, 0.0))
    assert not found.hard.any()
    easy = {paper: set(rows) - set(pools(lists, rows, paper)[1]) - lists[paper] for paper in rows}
    drawable = [paper for paper in rows if lists[paper] and easy[paper] - {paper}]
    assert sorted(set(found.rows[:, 0].tolist())) == drawable
    assert len(found.rows) == 4 * len(drawable)
    for query, positive, negative in found.rows.tolist():
        assert positive in lists[query]
        assert negative in easy[query] - {query}
    assert found.records["queries"] == sum(map(bool, lists))


def test_triplets_of_an_earlier_version_are_reproduced():
    lists, cites = random_graph(300, 1.2, 4)
    rows = np.arange(300)
    earlier = triples(cites, rows, 7, Draws(4, 0.0, two_hop=True))
    now = triples(cites, rows, 7, Draws(4, 0.0))
    assert earlier.records["queries"] < now.records["queries"] == sum(map(bool, lists))
    mine = np.isin(now.rows[:, 0], earlier.rows[:, 0])
    assert now.rows[mine].tolist() == earlier.rows.tolist()


def test_small_recipes_use_every_citing_paper_of_the_stats(shared, tmp_path):
    data = shared / "data" / "citations"
    corpus = prepare(
        [str(data / "vis_papers.jsonl.gz")],
        tmp_path / "corpus",
        citations=[str(data / "vis_citations.tsv.gz")],
    )
    settings = method_spec("specter").resolve("specter-small")
    found = triples(corpus.cites, np.arange(corpus.papers), 1, draws_of(settings))
    assert found.records["queries"] == count_training_data(corpus).citing


def test_citations_across_the_split_are_dropped_and_counted():
    cites = graph([{1, 2}, {3}, {3, 4}, set(), set(), set()])
    found = triples(cites, np.array([0, 1, 3, 5]), 1, Draws(candidates=2))
    assert found.records["citations"] == 2
    assert found.records["citations across splits, dropped"] == 2
    assert set(found.rows.ravel().tolist()) == {0, 1, 3, 5}


def test_negatives_of_a_kind_are_uniformly_distributed():
    # 0 cites 1 and 2; 3 and 4 are cited by both, 5 by one: the pool is a set, not a list of paths.
    cites = graph([{1, 2}, {3, 4}, {3, 4, 5}, set(), set(), set(), set(), set()])
    rows, queries = np.arange(8), np.array([0])
    drawn = [triples(cites, rows, seed, queries=queries) for seed in range(1_500)]
    hard = np.concatenate([found.rows[found.hard, 2] for found in drawn])
    easy = np.concatenate([found.rows[~found.hard, 2] for found in drawn])
    positives = np.concatenate([found.rows[:, 1] for found in drawn])
    assert np.bincount(hard)[3:] / 1_000 == pytest.approx([1, 1, 1], abs=0.1)
    assert np.bincount(easy)[6:] / 2_250 == pytest.approx([1, 1], abs=0.1)
    assert np.bincount(positives)[1:] / 3_750 == pytest.approx([1, 1], abs=0.1)


def some_triples(cites, rows, queries):
    return triples(cites, rows, 321, queries=queries).rows


def test_triplets_are_independent_of_the_number_of_workers():
    _, cites = random_graph(400, 6, 0)
    rows = np.flatnonzero(np.arange(400) % 7)
    whole = triples(cites, rows, 321).rows
    assert len(whole) > 1_000
    with get_context("spawn").Pool(2) as pool:
        for workers in (2, 3, 7):
            jobs = [(cites, rows, part) for part in np.array_split(rows, workers)]
            parts = pool.starmap(some_triples, jobs, chunksize=1)
            assert np.concatenate(parts).tolist() == whole.tolist()


def test_triplets_are_independent_of_the_chunk_size(monkeypatch):
    _, cites = random_graph(200, 8, 1)
    whole = triples(cites, np.arange(200), 5)
    monkeypatch.setattr(module, "PATHS", 100)
    monkeypatch.setattr(module, "CHUNK", 50)
    assert triples(cites, np.arange(200), 5).rows.tolist() == whole.rows.tolist()


def test_triplets_depend_on_the_seed():
    _, cites = random_graph(100, 8, 1)
    first, second = (triples(cites, np.arange(100), seed).rows for seed in (1, 2))
    assert first.shape == second.shape
    assert (first != second).any()


@pytest.mark.parametrize("at_once", [2, 4_000_000])
@given(lists=GRAPHS, data=st.data())
def test_within_equals_the_induced_subgraph(at_once, lists, data):
    rows = sorted(data.draw(st.sets(st.integers(0, len(lists) - 1))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(citation_graph, "CHUNK", at_once)
        inner, crossing = within(graph(lists), np.array(rows, np.int64))
    assert [{rows[cited] for cited in inner[place].tolist()} for place in range(len(rows))] == [
        lists[row] & set(rows) for row in rows
    ]
    ends = [(citing, cited) for citing, some in enumerate(lists) for cited in some]
    assert crossing == sum((a in rows) != (b in rows) for a, b in ends)


@given(st.lists(st.integers(0, 30), max_size=40), st.integers(1, 50))
def test_chunks_cover_all_entries_and_respect_their_weight(weights, most):
    ranges = list(chunks(np.cumsum(weights, dtype=np.int64), most))
    assert [at for first, last in ranges for at in range(first, last)] == list(range(len(weights)))
    assert all(sum(weights[a:b]) <= most or b == a + 1 for a, b in ranges)


def test_lists_are_gathered_in_requested_order():
    places, entries = graph([{1, 2}, set(), {0}]).gather(np.array([2, 1, 0, 0]))
    assert places.tolist() == [0, 2, 2, 3, 3]
    assert entries.tolist() == [0, 1, 2, 1, 2]


def test_triplets_use_no_held_out_or_untitled_papers(tmp_path):
    papers = [{"title": "" if number % 10 == 0 else "deep graph"} for number in range(300)]
    lists, _ = random_graph(300, 12, 2)
    corpus = make_corpus(
        tmp_path / "corpus",
        papers,
        [(citing, cited) for citing, some in enumerate(lists) for cited in some],
    )
    texts = Texts(TokenCache.open(corpus, tiny_package(tmp_path / "tiny").folder))
    found = {}
    for split in (Split.train, Split.validation):
        examples, records = triple_examples(corpus, texts, split, 3)
        found[split] = examples.rows
        assert all(corpus.title(row) for row in np.unique(examples.rows).tolist())
        assert (corpus.split[examples.rows[:, 0]] == split).all()
        assert len(examples) == records["triplets"]
    assert (corpus.split[found[Split.train]] == Split.train).all()
    assert (corpus.split[found[Split.validation]] != Split.test).all()
    # Enough for validation, since a held-out paper may cite one that is not.
    assert len(found[Split.train]) > 500
    assert len(found[Split.validation]) > len(corpus.rows(Split.validation))


def test_triplets_of_real_citations_follow_the_definition(shared, tmp_path):
    data = shared / "data" / "citations"
    inputs = [str(data / "vis_papers.jsonl.gz")]
    graph_of = [str(data / "vis_citations.tsv.gz")]
    corpus = prepare(inputs, tmp_path / "corpus", citations=graph_of)
    lists = [set(corpus.cites[row].tolist()) for row in range(corpus.papers)]
    for split, least in ((Split.train, 9_000), (Split.validation, 5)):
        rows = corpus.rows(split)
        found = triples(corpus.cites, rows, 321)
        assert len(found.rows) == 5 * found.records["queries"] >= least
        mine = {row: pools(lists, rows, row) for row in set(found.rows[:, 0].tolist())}
        for (query, positive, negative), hard in zip(found.rows.tolist(), found.hard, strict=True):
            cited, second = mine[query]
            assert positive in cited
            assert negative not in cited | {query}
            assert (negative in second) == hard
        assert set(found.rows.ravel().tolist()) <= set(rows.tolist())
