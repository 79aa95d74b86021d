from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.support.generate.corpus import ids_of, make_corpus
from tests.support.generate.judged import TOPICS
from trainer.contract.errors import TrainerError
from trainer.contract.evaluations import EVALUATIONS
from trainer.data.corpus.corpus import Corpus, Split, split_of
from trainer.encoders.baselines import Random, TfIdf
from trainer.suites import local
from trainer.suites.suite import SuiteSettings

RUNS = SuiteSettings(runs=2)


def tasks(corpus: Corpus, **more):
    suite = local.suite(corpus.folder, RUNS, **more)
    return {planned.name: planned.make for planned in suite.planned}


def score(task, encoder, metric: str) -> float:
    made = encoder.encode(task.papers, task.queries)
    return task.run(made.papers, made.queries).value(metric)


def test_every_task_runs_with_metrics_of_the_catalogue(local_corpus):
    known = {spec.key: {metric.name for metric in spec.metrics} for spec in EVALUATIONS}
    for name, make in tasks(local_corpus).items():
        task = make()
        made = Random().encode(task.papers, task.queries)
        outcome = task.run(made.papers, made.queries)
        assert task.name == name
        assert {found.metric for found in outcome.scores} <= known[task.evaluation]


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("field-pairs", "ap"),
        ("journals", "macro_f1"),
        ("citations", "map"),
        ("co-citations", "map"),
        ("labels", "macro_f1"),
        ("same-field", "precision@10"),
        ("same-journal", "precision@10"),
    ],
)
def test_local_suite_tf_idf_beats_random(local_corpus, name, metric):
    task = tasks(local_corpus)[name]()
    assert score(task, TfIdf(), metric) > score(task, Random(), metric) + 0.1


def test_only_test_papers_are_evaluated(local_corpus):
    made = tasks(local_corpus)
    for name in ("field-pairs", "journals", "same-field", "questions", "health"):
        assert {split_of(paper.id) for paper in made[name]().papers} == {Split.test}
    assert {split_of(query) for query in made["citations"]().measure.judged} == {Split.test}
    labels = made["labels"]().measure
    assert {split_of(paper) for paper in labels.train} == {Split.train}
    assert {split_of(paper) for paper in labels.test} == {Split.test}


def test_local_suite_uses_fields_with_enough_papers(tmp_path: Path):
    tests = ids_of(2 * local.PER_FIELD_AT_LEAST + 9)
    papers = [
        {"id": name, "title": name, "abstract": TOPICS[at % 2], "fields": (f"field{at % 2}",)}
        for at, name in enumerate(tests[:-9])
    ]
    rare = [{"id": name, "title": "rare", "fields": ("rare",)} for name in tests[-9:]]
    task = tasks(make_corpus(tmp_path / "corpus", papers + rare))["fields"]()
    assert set(task.measure.labels.values()) == {"field0", "field1"}
    assert {split_of(paper.id) for paper in task.papers} == {Split.test}
    assert score(task, TfIdf(), "v_measure") > score(task, Random(), "v_measure") + 0.1


def test_candidate_list_holds_cited_and_other_papers_once(local_corpus):
    lists = tasks(local_corpus)["citations"]().measure.judged
    assert len(lists) > 50
    for query, candidates in lists.items():
        row = local_corpus.row(query)
        cited = {local_corpus.id(at) for at in local_corpus.cites[row].tolist()}
        assert {paper for paper, relevant in candidates if relevant} <= cited
        assert not cited & {paper for paper, relevant in candidates if not relevant}
        assert max(Counter(paper for paper, _ in candidates).values()) == 1
        assert query not in {paper for paper, _ in candidates}
        assert [relevant for _, relevant in candidates].count(0) == local.OTHERS


def test_candidate_list_never_mixes_papers_with_and_without_abstract(tmp_path: Path):
    # The first cites four of both kinds; the second, a title alone, only its own kind; the third
    # nothing similar.
    first, second, third, *rest = ids_of(60)
    bare = {second, *rest[1::2]}
    papers = [
        {"id": name, "title": name, "abstract": "" if name in bare else "we study"}
        for name in (first, second, third, *rest)
    ]
    cites = [(0, 3), (0, 4), (0, 5), (0, 6), (1, 4), (2, 4)]
    made = tasks(make_corpus(tmp_path / "corpus", papers, cites))
    lists = made["citations"]().measure.judged
    assert {paper for paper, relevant in lists[first] if relevant} == {rest[0], rest[2]}
    assert {paper for paper, relevant in lists[second] if relevant} == {rest[1]}
    assert third not in lists
    for query, candidates in lists.items():
        assert {paper in bare for paper, _ in candidates} == {query in bare}
    for one, other, _ in made["cited-pairs"]().measure.pairs:
        assert (one in bare) == (other in bare)


def test_local_suite_ranks_co_citations(local_corpus):
    lists = tasks(local_corpus)["co-citations"]().measure.judged
    cited_together = {
        frozenset((local_corpus.id(one), local_corpus.id(other)))
        for row in local_corpus.rows(Split.test).tolist()
        for one in local_corpus.cites[row].tolist()
        for other in local_corpus.cites[row].tolist()
    }
    assert lists
    assert {split_of(query) for query in lists} == {Split.test}
    for query, candidates in lists.items():
        assert all(
            (frozenset((query, paper)) in cited_together)
            for paper, relevant in candidates
            if relevant
        )


def test_title_equal_to_the_question_is_removed(tmp_path: Path):
    papers = [
        {"id": name, "title": f"why {name}?", "questions": (f"why {name}?",) if at else ()}
        for at, name in enumerate(ids_of(3))
    ]
    task = tasks(make_corpus(tmp_path / "corpus", papers))["questions"]()
    titles = {paper.id: paper.title for paper in task.papers}
    assert sorted(titles.values()) == ["", "", f"why {papers[0]['id']}?"]
    assert all(paper.abstract for paper in task.papers)


def test_unseen_journals_use_papers_of_all_splits(local_corpus, tmp_path):
    (tmp_path / "unseen.txt").write_text("Journal 1\nJournal 2\nNobody's journal\n")
    made = tasks(local_corpus, unseen=tmp_path / "unseen.txt")
    task = made["unseen-journals"]()
    assert set(task.measure.labels.values()) == {"Journal 1", "Journal 2"}
    assert {split_of(paper.id) for paper in task.papers} == {Split.train, Split.test}
    assert task.split == "unseen"
    assert task.unseen == {"Journal 1", "Journal 2"}
    made_of = TfIdf().encode(task.papers)
    assert task.run(made_of.papers).excluded == {"journals without papers in the corpus": 1}
    assert made["unseen-journal-clusters"]().evaluation == "purity"


def test_judged_queries_are_added_to_the_suite(local_corpus, judged_folder):
    made = tasks(local_corpus, queries=judged_folder)
    assert score(made["small"](), TfIdf(), "ndcg@10") > 0.5


def test_titles_are_queries_only_for_papers_with_abstract(tmp_path: Path):
    papers = [
        {"id": name, "abstract": "" if at % 3 else "we study"} for at, name in enumerate(ids_of(9))
    ]
    task = tasks(make_corpus(tmp_path / "corpus", papers))["health"]()
    assert len(task.papers) == 9
    assert {query.id for query in task.queries} == {p["id"] for p in papers if p["abstract"]}


def test_same_corpus_gives_the_same_tasks(local_corpus):
    first, again = tasks(local_corpus), tasks(local_corpus)
    assert {n: make().sha256 for n, make in first.items()} == {
        n: make().sha256 for n, make in again.items()
    }


def test_local_suite_task_without_data_raises_error(tmp_path: Path):
    corpus = make_corpus(tmp_path / "corpus", 40)
    for name, make in tasks(corpus).items():
        if name not in ("health", "typed-queries"):
            with pytest.raises(TrainerError, match=r"corpus has no|fewer than two"):
                make()


def test_papers_setting_limits_the_test_papers(local_corpus):
    suite = local.suite(local_corpus.folder, SuiteSettings(papers=60))
    with pytest.raises(TrainerError, match="fewer than two fields with at least 50 test papers"):
        suite.planned[0].make()
    made = {planned.name: planned.make() for planned in suite.planned[1:]}
    test = {p.id for name in ("health", "same-field", "questions") for p in made[name].papers}
    assert len(test) <= 60
    assert {split_of(paper) for paper in test} == {Split.test}
    lists = made["citations"].measure.judged
    assert len(lists) == 6
    others = {at for some in lists.values() for at, relevance in some if not relevance}
    assert others and others <= test
    labels = made["labels"].measure
    assert len(labels.train) <= 30 and labels.test.keys() <= test
