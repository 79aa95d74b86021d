"""MIReAD's published tables, together with SciDocs' labels."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from tests.support.generate.vectors import vectors_of
from trainer.contract.errors import TrainerError
from trainer.contract.report import WITHOUT_ABSTRACT, WITHOUT_TITLES
from trainer.encoders.baselines import Random, TfIdf
from trainer.evaluations.base import Vectors
from trainer.suites import miread
from trainer.suites.catalog import open_suite
from trainer.suites.suite import SuiteSettings

COLUMNS = ["", "abstr", "title", "journal", "field", "label_journal", "label_field"]
TOPICS = ("quarks gluons", "proteins cells", "graphs trees")
FIELDS = ("High Energy Physics", "Cell Biology", "Discrete Mathematics")


def write_table(path: Path, header: list[str], rows: list[list[object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def table_rows(start: int, count: int, journal: str = "Journal") -> list[list[object]]:
    return [
        [
            n,
            f"we study {TOPICS[n % 3]} {n}",
            f"title {n}",
            f"{journal} {n % 3}",
            FIELDS[n % 3],
            0,
            0,
        ]
        for n in range(start, start + count)
    ]


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """75 papers in two tables, 66 of unseen journals, 40 of arXiv, and SciDocs' MAG and MeSH."""
    write_table(tmp_path / "df_0.csv.gz", COLUMNS, table_rows(0, 40))
    write_table(tmp_path / "df_1.csv.gz", COLUMNS, table_rows(40, 35))
    write_table(tmp_path / "unseen_journals.csv.gz", COLUMNS, table_rows(100, 66, "New Journal"))
    arxiv = [
        [f"x{n:02}", f"we study {TOPICS[n % 2]} {n}", f"title {n}", f"['cs.{'LC'[n % 2]}']"]
        for n in range(40)
    ]
    arxiv.append(["both", "we study both", "title", "['cs.L', 'stat.ML']"])
    header = ["id", "abstr", "title", "categories"]
    write_table(tmp_path / "df_arxiv_information_retrieval.csv.gz", header, arxiv)
    papers = {
        f"s{n:03}": {"title": f"title {n}", "abstract": f"we study {TOPICS[n % 3]} {n}"}
        for n in range(120)
    }
    papers["s119"]["abstract"] = None
    for name in ("mag", "mesh"):
        (tmp_path / "data" / name).mkdir(parents=True)
        for part, start, stop in (("train", 0, 60), ("val", 60, 80), ("test", 80, 120)):
            lines = [f"s{n:03},{n % 3}" for n in range(start, stop)]
            text = "\n".join(["pid,class_label", *lines])
            (tmp_path / "data" / name / f"{part}.csv").write_text(text)
    (tmp_path / "data" / "paper_metadata_mag_mesh.json").write_text(json.dumps(papers))
    return tmp_path


def tasks(folder: Path, **settings):
    return {
        one.name: one for one in open_suite("miread", folder, SuiteSettings(**settings)).planned
    }


def score(task, encoder, metric: str) -> float:
    return task.run(encoder.encode(task.papers).papers).value(metric)


def topic_vectors(task) -> Vectors:
    """Vectors separated by topic, with norms large enough for a probe of a few steps."""
    rng = np.random.default_rng(0)
    found = {}
    for paper in task.papers:
        text = paper.title + paper.abstract
        topic = next(number for number, words in enumerate(TOPICS) if words in text)
        found[paper.id] = np.eye(4)[topic] * 500 + rng.normal(size=4)
    return vectors_of(found)


def test_miread_folder_is_recognised_despite_scidocs_files(published):
    (published / "data" / "mag").rename(published / "mag")
    assert open_suite(str(published), None, SuiteSettings()).name == "miread"
    assert list(tasks(published)) == [
        *("mag", "mag-clusters", "mesh", "mesh-clusters", "categories", "unseen-journals"),
        *("cs", "math", "phys", "eess", "econ", "stat", "q-bio", "q-fin"),
    ]


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("mag", "macro_f1"),
        ("mesh", "accuracy"),
        ("categories", "macro_f1"),
        ("unseen-journals", "accuracy"),
        ("mag-clusters", "purity@10"),
        ("cs", "ap"),
    ],
)
def test_topic_vectors_get_a_perfect_score(published, name, metric):
    task = tasks(published, runs=2)[name].make()
    assert task.run(topic_vectors(task)).value(metric) == pytest.approx(1.0)
    assert score(task, Random(), metric) < 0.9


def test_purity_is_given_for_all_numbers_of_clusters_with_spread(published):
    task = tasks(published, part="test")["mag-clusters"].make()
    outcome = task.run(Random().encode(task.papers).papers)
    assert [found.metric for found in outcome.scores] == ["purity@10", "purity@20"]
    assert {found.seeds for found in outcome.scores} == {5}
    assert all(found.spread is not None for found in outcome.scores)
    assert outcome.excluded["numbers of clusters above the number of papers"] == 2


def test_categories_and_journals_are_read_from_the_tables(published):
    made = tasks(published)
    assert set(made["categories"].make().measure.labels.values()) == set(FIELDS)
    assert len(made["categories"].make().papers) == 75  # from both tables
    journals = made["unseen-journals"].make().measure.labels
    assert set(journals.values()) == {f"New Journal {n}" for n in range(3)}


def test_papers_per_group_are_sampled_independently_of_order(published, monkeypatch):
    monkeypatch.setattr(miread, "PER_GROUP", 21)
    first = tasks(published)["categories"].make()
    assert len(first.papers) == 63
    rows = table_rows(0, 75)[::-1]
    write_table(published / "df_0.csv.gz", COLUMNS, rows[:30])
    write_table(published / "df_1.csv.gz", COLUMNS, rows[30:])
    assert tasks(published)["categories"].make().sha256 == first.sha256


def test_pairs_use_papers_with_all_categories_in_the_field(published):
    sets = tasks(published)["cs"].make().measure.categories
    assert len(sets) == 40
    assert {name for some in sets.values() for name in some} == {"cs.L", "cs.C"}
    with pytest.raises(TrainerError, match="only physics categories"):
        tasks(published)["phys"].make()


@pytest.mark.parametrize("written", ["['cs.LG', 'cs.CL']", "cs.LG cs.CL", "cs.LG,cs.CL"])
def test_categories_are_parsed_as_words(published, written):
    header = ["id", "abstr", "title", "categories"]
    rows = [["a", "text", "title", written], ["b", "more text", "title", "cs.CL"]]
    write_table(published / "df_arxiv_information_retrieval.csv.gz", header, rows)
    sets = tasks(published)["cs"].make().measure.categories
    assert sets == {"a": ["cs.CL", "cs.LG"], "b": ["cs.CL"]}


def test_miread_folds_stop_early_and_share_test_papers(published):
    measure = tasks(published)["mag"].make().measure
    assert len(measure.train) == 60
    assert list(measure.test) == [f"s{n:03}" for n in range(80, 119)]
    assert (measure.folds, measure.runs) == (4, 3)


def test_miread_split_val_evaluates_the_validation_part(published):
    made = tasks(published, part="val")
    for name in ("mag", "mag-clusters"):
        assert made[name].make().split == "validation"
    assert list(made["mag"].make().measure.test) == [f"s{n:03}" for n in range(60, 80)]
    assert len(made["mag-clusters"].make().papers) == 20


def test_papers_without_abstract_are_excluded_and_counted(published):
    task = tasks(published, runs=1)["mag"].make()
    assert "s119" not in {paper.id for paper in task.papers}
    assert task.run(topic_vectors(task)).excluded == {WITHOUT_ABSTRACT: 1}
    rows = [*table_rows(0, 60), [0, "", "title alone", "J", "F", 0, 0], *table_rows(0, 1), ["x"]]
    rows.append([1, "we study", "of no field", "J", "", 0, 0])
    for name in ("df_0", "df_1"):
        (published / f"{name}.csv.gz").unlink()
    write_table(published / "df_0.csv.gz", COLUMNS, rows)
    task = tasks(published, runs=1)["categories"].make()
    assert task.run(topic_vectors(task)).excluded == {
        WITHOUT_ABSTRACT: 1,
        miread.AGAIN: 1,
        miread.UNREAD: 1,
        miread.UNGROUPED: 1,
    }


def test_abstract_only_uses_abstracts_as_the_paper_did(published):
    plain, alone = tasks(published, runs=1), tasks(published, runs=1, abstract_only=True)
    for name in ("mag", "categories", "unseen-journals", "cs", "mesh-clusters"):
        task = alone[name].make()
        assert all(paper.title.startswith("we study") for paper in task.papers)
        assert not any(paper.abstract for paper in task.papers)
        assert task.sha256 != plain[name].make().sha256  # otherwise they would be compared
        output = task.run(TfIdf().encode(task.papers).papers).excluded
        assert output[WITHOUT_TITLES] == len(task.papers)


@pytest.mark.parametrize(
    ("missing", "lost"),
    [
        ("unseen_journals.csv.gz", {"unseen-journals"}),
        ("df_arxiv_information_retrieval.csv.gz", {"cs"}),
        ("data/mag/test.csv", {"mag", "mag-clusters"}),
        ("data/paper_metadata_mag_mesh.json", {"mag", "mag-clusters", "mesh", "mesh-clusters"}),
    ],
)
def test_miread_missing_file_fails_only_its_tasks(published, missing, lost):
    (published / missing).unlink()
    for name in ("mag", "mag-clusters", "mesh", "mesh-clusters", "categories", *lost):
        planned = tasks(published)[name]
        if name in lost:
            with pytest.raises(TrainerError, match=Path(missing).name.removesuffix(".gz")):
                planned.make()
        else:
            planned.make()


def test_miread_truncated_table_raises_error(published):
    packed = (published / "df_1.csv.gz").read_bytes()
    (published / "df_1.csv.gz").write_bytes(packed[:-30])
    with pytest.raises(TrainerError, match="is incomplete"):
        tasks(published)["categories"].make()


def test_documented_sizes_equal_the_constants():
    messages = " ".join(miread.__doc__.replace(",", "").split())
    for size in (miread.PER_GROUP, miread.PER_GROUP_AT_LEAST, miread.PAIRED):
        assert str(size) in messages
