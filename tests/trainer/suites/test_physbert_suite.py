"""PhysBERT's data sets in the format of the hub."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.generate.vectors import vectors_of
from trainer.contract.errors import TrainerError
from trainer.encoders.baselines import Random, TfIdf
from trainer.suites import judged_queries, physbert
from trainer.suites.catalog import open_suite
from trainer.suites.suite import SuiteSettings

CATEGORIES = {"astro-ph": "stars galaxies", "cond-mat": "lattice spins", "hep": "quarks gluons"}
SUBCATEGORIES = {
    "astro-ph_CO": "universe expansion",
    "astro-ph_SR": "stellar winds",
    "cond-mat_soft": "polymers colloids",
    "cond-mat_supr-con": "superconducting gap",
    "hep-ph": "collider phenomenology",
    "hep-th": "strings branes",
}


def write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """Twenty texts per category, forty pairs of titles, ten questions among twenty passages."""
    for name, words in CATEGORIES.items():
        texts = [f"we study {words} number {n}" for n in range(20)]
        write(tmp_path / "physbert_category_clustering" / f"P2P_{name}.json", texts)
    for name, words in SUBCATEGORIES.items():
        texts = [f"we study {words} number {n}" for n in range(20)]
        write(tmp_path / "physbert_subdomain_eval" / f"P2P_{name}.json", texts)
    titles = [f"{words} {n}" for n in range(20) for words in ("deep stars", "lattice spins")]
    for name, far in (("citing_pairs", 2), ("non_citing_pairs", 1)):
        pairs = [[title, titles[(n + far) % 40]] for n, title in enumerate(titles)]
        write(tmp_path / "physbert_citation_classification" / f"{name}.json", pairs)
    asked = {
        "queries": {f"q{n}": f"what is thing{n}" for n in range(10)},
        "corpus": {f"d{n}": f"thing{n} is explained" for n in range(20)},
        "relevant_docs": {f"q{n}": [f"d{n}"] for n in range(10)},
    }
    write(tmp_path / "physbert_information_retrieval" / "ir_dataset.json", asked)
    return tmp_path


def tasks(folder: Path):
    return {one.name: one for one in open_suite("physbert", folder, SuiteSettings()).planned}


def score(task, encoder, metric: str) -> float:
    made = encoder.encode(task.papers, task.queries)
    return task.run(made.papers, made.queries).value(metric)


def test_physbert_folder_is_recognised_and_gives_all_tasks(published):
    assert open_suite(str(published), None, SuiteSettings()).name == "physbert"
    assert list(tasks(published)) == [
        *("categories", "citations", "questions"),
        *("condmat-clusters", "astro-clusters", "hep-clusters"),
    ]


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("categories", "v_measure"),
        ("citations", "cosine_accuracy"),
        ("questions", "ndcg@10"),
        ("hep-clusters", "v_measure"),
    ],
)
def test_tf_idf_beats_random(published, name, metric):
    task = tasks(published)[name].make()
    words = score(task, TfIdf(), metric)
    assert words > 0.7
    assert words > score(task, Random(), metric) + 0.1


def test_file_name_is_the_category_of_its_texts(published):
    labels = tasks(published)["categories"].make().measure.labels
    assert set(labels.values()) == set(CATEGORIES)
    assert len(labels) == 60


def test_field_clusters_use_only_its_subcategories(published):
    found = {name: tasks(published)[f"{name}-clusters"].make() for name in physbert.FIELDS}
    named = {field: set(task.measure.labels.values()) for field, task in found.items()}
    assert named == {
        "condmat": {"cond-mat.soft", "cond-mat.supr-con"},
        "astro": {"astro-ph.CO", "astro-ph.SR"},
        "hep": {"hep-ph", "hep-th"},
    }
    assert {task.evaluation for task in found.values()} == {"v_measure"}


def test_tuned_model_is_evaluated_under_the_task_of_the_paper(published):
    """Only this task is compared with the paper's numbers; the data are the same."""
    plain = tasks(published)["astro-clusters"].make()
    tuned = physbert.subcategories(published, "astro", tuned=True)
    assert (tuned.name, tuned.evaluation) == ("sub-astro", "subdomain")
    assert tuned.sha256 == plain.sha256


def test_repeated_texts_count_twice_as_published(published):
    file = published / "physbert_category_clustering" / "P2P_hep.json"
    write(file, ["the same text"] * 20)
    assert len(tasks(published)["categories"].make().papers) == 60


@pytest.mark.parametrize("shape", ["texts", "objects", "named"])
def test_pairs_are_read_in_any_format(published, shape):
    pair = ["one title", "another title"]
    entry = {
        "texts": pair,
        "objects": {"texts": pair},
        "named": {"title1": pair[0], "title2": pair[1]},
    }[shape]
    for name in ("citing_pairs", "non_citing_pairs"):
        write(published / "physbert_citation_classification" / f"{name}.json", [entry])
    task = tasks(published)["citations"].make()
    assert sorted(paper.title for paper in task.papers) == sorted(pair)
    assert [pair.belongs for pair in task.measure.pairs] == [True, False]


def test_physbert_counts_unreadable_entries(published):
    place = published / "physbert_citation_classification" / "citing_pairs.json"
    write(place, [*json.loads(place.read_text()), ["only one"], ["", "empty"], 7])
    task = tasks(published)["citations"].make()
    made = TfIdf().encode(task.papers)
    assert task.run(made.papers).excluded == {physbert.UNREAD: 3}
    place = published / "physbert_category_clustering" / "P2P_hep.json"
    write(place, [*json.loads(place.read_text()), None])
    task = tasks(published)["categories"].make()
    assert task.run(TfIdf().encode(task.papers).papers).excluded == {physbert.UNREAD: 1}


def test_questions_without_text_or_answer_are_counted(
    published,
):
    place = published / "physbert_information_retrieval" / "ir_dataset.json"
    found = json.loads(place.read_text())
    found["queries"] |= {"q0": "", "unanswered": "what?"}
    found["corpus"]["d19"] = None
    found["relevant_docs"]["q1"] = ["gone"]
    write(place, found)
    task = tasks(published)["questions"].make()
    made = TfIdf().encode(task.papers, task.queries)
    outcome = task.run(made.papers, made.queries)
    assert outcome.excluded == {
        "passages without a text": 1,
        "questions without a text or an answering passage": 2,
        judged_queries.NOT_THERE: 1,
    }
    values = dict(zip(outcome.items["ndcg@10"].ids, outcome.items["ndcg@10"].values, strict=True))
    assert len(values) == 9
    assert values["q1"] == 0


def test_tied_passages_are_ranked_by_descending_id(published):
    """As in pytrec_eval: of two tied passages the one with the higher id comes first."""
    task = tasks(published)["questions"].make()
    same = {paper.id: [1.0, 0.0] for paper in task.papers}
    asked = vectors_of({query.id: [1.0, 0.0] for query in task.queries})
    found = task.run(vectors_of(same), asked).items["ndcg@10"]
    values = dict(zip(found.ids, found.values, strict=True))
    assert values["q9"] == 1.0
    assert values["q8"] == pytest.approx(0.6309, abs=1e-4)
    assert values["q0"] == 0


@pytest.mark.parametrize(
    ("missing", "lost"),
    [
        ("physbert_category_clustering", {"categories"}),
        ("physbert_citation_classification/non_citing_pairs.json", {"citations"}),
        ("physbert_information_retrieval/ir_dataset.json", {"questions"}),
        ("physbert_subdomain_eval/P2P_hep-th.json", {"hep-clusters"}),
    ],
)
def test_physbert_missing_files_fail_only_their_tasks(published, missing, lost):
    place = published / missing
    place.rename(published / "elsewhere")
    for name, planned in tasks(published).items():
        if name in lost:
            with pytest.raises(TrainerError, match=missing.partition("/")[0]) as wrong:
                planned.make()
            assert "json" in f"{wrong.value}"
        else:
            planned.make()


def test_physbert_truncated_file_raises_error(published):
    for place in (
        published / "physbert_category_clustering" / "P2P_hep.json",
        published / "physbert_citation_classification" / "citing_pairs.json",
    ):
        place.write_text(place.read_text()[:-40])
    for name in ("categories", "citations"):
        with pytest.raises(TrainerError, match="JSON"):
            tasks(published)[name].make()
