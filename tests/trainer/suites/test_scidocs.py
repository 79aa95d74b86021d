from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.support.generate.vectors import vectors_of
from trainer.cli import app
from trainer.contract.errors import TrainerError
from trainer.contract.report import Report
from trainer.encoders.baselines import TfIdf
from trainer.evaluations.base import Vectors
from trainer.suites.catalog import open_suite
from trainer.suites.suite import SuiteSettings

TOPICS = ("deep learning", "graph network")
IDS = [f"s{number:02}" for number in range(24)]


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """SciDocs' published folder, with 24 papers of two topics.

    Readers of a paper click on the only one of the same topic. The files of the validation part
    differ from those of the test part.
    """
    folder = tmp_path / "data"
    papers = {
        name: {"paper_id": name, "title": f"{TOPICS[n % 2]} {n}", "abstract": None, "year": 2019}
        | {"authors": [f"a{n % 2}"], "references": [], "cited_by": [IDS[(n + 2) % 24]]}
        for n, name in enumerate(IDS)
    }
    for name in ("mag", "mesh"):
        (folder / name).mkdir(parents=True)
        for part, rows in (("train", IDS[:14]), ("val", IDS[14:16]), ("test", IDS[16:])):
            lines = [f"{paper},{int(paper[1:]) % 2}" for paper in rows]
            (folder / name / f"{part}.csv").write_text("\n".join(["pid,class_label", *lines]))
    for name in ("cite", "cocite", "coview", "coread"):
        (folder / name).mkdir()
        lines = [
            f"s0{q} 0 {paper} {int(q % 2 == int(paper[1:]) % 2)}"
            for q in (0, 1)
            for paper in IDS[4:]
        ]
        (folder / name / "test.qrel").write_text("\n".join(lines))
        (folder / name / "val.qrel").write_text("\n".join(lines[: len(lines) // 2]))
    (folder / "recomm").mkdir()
    for part, start, count in (("train", 0, 160), ("val", 3, 20), ("test", 7, 40)):
        lines = [click_line(start + number) for number in range(count)]
        header = "query_paper_id,clicked_paper_id,other_paper_ids"
        (folder / "recomm" / f"{part}.csv").write_text("\n".join([header, *lines]))
    scores = {"scores": [0.5, 0.2, 0.2, 0.1]}
    (folder / "recomm" / "propensity_scores.json").write_text(json.dumps(scores))
    for name in ("mag_mesh", "view_cite_read", "recomm"):
        (folder / f"paper_metadata_{name}.json").write_text(json.dumps(papers))
    return folder


def click_line(number: int) -> str:
    """A query, the paper of its topic, and that one among three of the other topic."""
    query = number % 24
    near = IDS[(query + 2 * (1 + number % 5)) % 24]
    shown = [IDS[(query + 1 + 2 * (number + far)) % 24] for far in range(3)]
    shown.insert(number % 4, near)
    return f'{IDS[query]},{near},"{",".join(shown)}"'


def tasks(name: str, folder: Path | None = None, **settings):
    return {one.name: one for one in open_suite(name, folder, SuiteSettings(**settings)).planned}


def by_topic() -> Vectors:
    return vectors_of({p: ([3.0, 0.0] if int(p[1:]) % 2 else [0.0, 3.0]) for p in IDS})


def test_scidocs_folder_gives_all_tasks(published):
    assert list(tasks("scidocs", published)) == [
        *("mag", "mesh", "cite", "co-cite", "co-view", "co-read", "recomm")
    ]
    assert list(tasks("multi-scidocs", published)) == ["mag", "cite", "co-cite"]
    assert open_suite(str(published), None, SuiteSettings()).name == "scidocs"


@pytest.mark.parametrize(("name", "metric"), [("mag", "macro_f1"), ("cite", "map")])
def test_topic_vectors_get_a_perfect_score(published, name, metric):
    task = tasks("scidocs", published)[name].make()
    assert task.run(by_topic()).value(metric) == 1.0
    assert task.run(TfIdf().encode(task.papers).papers).value(metric) > 0.9


@pytest.mark.parametrize(
    ("missing", "lost"),
    [
        ("mag/train.csv", {"mag"}),
        ("coview/test.qrel", {"co-view"}),
        ("paper_metadata_mag_mesh.json", {"mag", "mesh"}),
        ("paper_metadata_view_cite_read.json", {"cite", "co-cite", "co-view", "co-read"}),
        ("paper_metadata_recomm.json", {"recomm"}),
        ("recomm/train.csv", {"recomm"}),
        ("recomm/val.csv", {"recomm"}),
        ("recomm/propensity_scores.json", {"recomm"}),
    ],
)
def test_scidocs_missing_file_fails_only_its_tasks(published, missing, lost):
    (published / missing).unlink()
    for name, planned in tasks("scidocs", published).items():
        if name in lost:
            with pytest.raises(TrainerError, match=missing.rpartition("/")[2]):
                planned.make()
        else:
            planned.make()


def test_scidocs_damaged_file_raises_error_naming_the_line(published):
    (published / "cite" / "test.qrel").write_text("s00 0 s04 1\ns00 0 s05\n")
    with pytest.raises(TrainerError, match="Line 2 of"):
        tasks("scidocs", published)["cite"].make()
    (published / "mag" / "test.csv").write_text("paper,label\ns01,1\n")
    with pytest.raises(TrainerError, match="lacks the columns pid"):
        tasks("scidocs", published)["mag"].make()


def test_scidocs_contradicting_grades_raise_error(published):
    lists = published / "cite" / "test.qrel"
    lists.write_text("s00 0 s04 1\ns00 0 s05 0\ns00 0 s04 1\n")
    (judged,) = tasks("scidocs", published)["cite"].make().measure.judged.values()
    assert judged == [("s04", 1), ("s05", 0)]
    lists.write_text("s00 0 s04 1\ns00 0 s04 0\n")
    with pytest.raises(TrainerError, match="different judgments of 's04' for 's00'"):
        tasks("scidocs", published)["cite"].make()


def test_scidocs_paper_of_two_classes_raises_error(published):
    with (published / "mag" / "test.csv").open("a") as file:
        file.write("\ns16,0\ns17,0\n")
    with pytest.raises(TrainerError, match="two values for 's17'"):
        tasks("scidocs", published)["mag"].make()


def test_scidocs_report_has_average_of_all_scores(published, tmp_path):
    where = ["--suite", "multi-scidocs", "--corpus", str(published), "-o", str(tmp_path / "out")]
    command = ["evaluate", "tf-idf", *where]
    for tasks_, whole in (("cite,co-cite", False), ("mag", True)):
        done = CliRunner().invoke(app, [*command, "--tasks", tasks_], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        report = Report.read(tmp_path / "out" / "tf-idf")
        assert bool(report.result("average")) is whole
    counted = [score for result in report.results[:-1] for score in result.scores]
    values = [score.value for score in counted if score.metric != "accuracy"]
    assert report.result("average").scores[0].value == pytest.approx(sum(values) / 5)


def test_interval_of_a_share_is_clipped(published, tmp_path):
    result = published / "mag" / "test.csv"
    result.write_text(result.read_text().replace("s23,1", "s23,0"))
    where = ["--suite", "scidocs", "--corpus", str(published), "-o", str(tmp_path / "out")]
    assert CliRunner().invoke(app, ["evaluate", "tf-idf", *where, "--tasks", "mag"]).exit_code == 0
    score = Report.read(tmp_path / "out" / "tf-idf").result("mag").score("macro_f1")
    assert 0 <= score.low < score.value < score.high == 1


def test_clicks_are_read_from_the_published_files(published):
    measure = tasks("scidocs", published)["recomm"].make().measure
    assert [len(part) for part in (measure.train, measure.validation, measure.test)] == [
        *(160, 20, 40)
    ]
    assert measure.propensity == [0.5, 0.2, 0.2, 0.1]
    for click in measure.test:
        assert len(click.shown) == 4
        assert int(click.clicked[1:]) % 2 == int(click.query[1:]) % 2
    known = measure.papers["s03"]
    assert known == ("graph network 3", ("a1",), 2019, (), ("s05",))


def test_ranker_learned_from_topic_vectors_ranks_the_click_first(published):
    task = tasks("scidocs", published, runs=1)["recomm"].make()
    found = task.run(by_topic())
    assert found.value("adj_p@1") == 1.0
    assert found.value("adj_ndcg") == 1.0
    assert {score.n for score in found.scores} == {40}


@pytest.mark.parametrize(
    "scores", ['{"scores": []}', '{"scores": [0.5, 0]}', "[0.5, 0.1]", '{"scores": [null]}']
)
def test_invalid_propensities_are_refused(published, scores):
    (published / "recomm" / "propensity_scores.json").write_text(scores)
    with pytest.raises(TrainerError, match=r"propensity_scores\.json does not have the format"):
        tasks("scidocs", published)["recomm"].make()


def test_scidocs_missing_metadata_is_unknown(published):
    path = published / "paper_metadata_recomm.json"
    papers = json.loads(path.read_text())
    papers["s00"] |= {"year": None, "authors": [{"name": "A"}], "references": None}
    papers["s01"] |= {"year": "1999"}
    del papers["s02"]
    path.write_text(json.dumps(papers))
    task = tasks("scidocs", published, runs=1)["recomm"].make()
    assert task.measure.papers["s00"] == ("deep learning 0", ('{"name": "A"}',), 0, (), ("s02",))
    assert task.measure.papers["s01"].year == 1999
    assert "s02" not in {paper.id for paper in task.papers}
    made = TfIdf().encode(task.papers).papers
    assert task.run(made).excluded == {
        "papers without a vector, treated as dissimilar to all papers": 1
    }


def test_scidocs_split_val_evaluates_the_validation_part(published):
    result = tasks("scidocs", published, part="val")
    labels = result["mag"].make()
    assert list(labels.measure.test) == IDS[14:16]
    assert list(labels.measure.train) == IDS[:14]
    assert len(result["cite"].make().measure.judged) == 1
    clicks = result["recomm"].make()
    assert len(clicks.measure.test) == 20
    assert clicks.measure.validation == []  # otherwise it would be trained on
    assert {task.split for task in (labels, clicks)} == {"validation"}


def test_split_val_without_validation_part_is_refused(published, judged_folder):
    with pytest.raises(TrainerError, match="judged does not support the validation split") as wrong:
        open_suite("judged", judged_folder, SuiteSettings(part="val"))
    assert "scidocs" in wrong.value.hint
