"""The commands `sciread-trainer evaluate` and `suites`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from tests.support.generate.corpus import ids_of, make_corpus
from tests.support.models.tiny_model import tiny_package
from trainer.cli import app
from trainer.contract.errors import TrainerError
from trainer.contract.report import Report
from trainer.contract.suites import SUITES
from trainer.encoders import baselines
from trainer.evaluations.metrics.significance import read_items
from trainer.suites import local

pytestmark = pytest.mark.usefixtures("one_thread")


def run(*named: object):
    return CliRunner().invoke(app, [str(part) for part in named], catch_exceptions=False)


@pytest.fixture
def evaluated(local_corpus, tmp_path: Path):
    def go(*more: object, models=("tf-idf", "random")):
        where = ("--corpus", local_corpus.folder, "-o", tmp_path / "out", "--seeds", 2)
        return run("evaluate", *models, "--suite", "local", *where, *more)

    return go


def test_evaluate_writes_a_report_per_model_and_a_page(evaluated, tmp_path):
    done = evaluated("--tasks", "citations,labels")
    assert done.exit_code == 0
    for name in ("tf-idf", "random"):
        report = Report.read(tmp_path / "out" / name)
        assert [result.task for result in report.results] == ["citations", "labels"]
        assert set(read_items(tmp_path / "out" / name)) == {"citations", "labels"}
        assert all(result.score("map") for result in report.results if result.task == "citations")
    assert (tmp_path / "out" / "report.html").exists()
    assert "Citations" in done.stdout
    assert "MAP" in done.stdout


def test_evaluate_again_measures_only_missing_tasks(evaluated, tmp_path, monkeypatch):
    assert evaluated("--tasks", "citations", models=["tf-idf"]).exit_code == 0
    before = Report.read(tmp_path / "out" / "tf-idf").result("citations")

    asked = []
    encode = baselines.TfIdf.encode

    def counted(self, papers, queries=(), **named):
        asked.append(len(papers))
        return encode(self, papers, queries, **named)

    monkeypatch.setattr(baselines.TfIdf, "encode", counted)
    again = evaluated("--tasks", "citations,labels", models=["tf-idf"])
    assert "Citations, already evaluated" in again.stderr
    assert len(asked) == 1  # for the labels
    report = Report.read(tmp_path / "out" / "tf-idf")
    assert report.result("citations") == before
    assert report.result("labels")


def test_evaluate_with_another_seed_measures_again(evaluated, tmp_path):
    evaluated("--tasks", "journals", models=["tf-idf"])
    evaluated("--tasks", "journals", "--seed", 5, models=["tf-idf"])
    assert Report.read(tmp_path / "out" / "tf-idf").result("journals").seed == 5


def test_evaluate_seeds_sets_the_number_of_runs(evaluated, tmp_path):
    evaluated("--tasks", "journals", models=["tf-idf"])
    score = Report.read(tmp_path / "out" / "tf-idf").result("journals").score("accuracy")
    assert score.seeds == 2


def test_evaluate_with_more_seeds_measures_again(evaluated, tmp_path):
    for more, seeds in ((("--seeds", 1), 1), ((), 2), (("--seeds", 0), 3)):
        done = evaluated("--tasks", "journals", *more, models=["tf-idf"])
        assert "already evaluated" not in done.stderr
        score = Report.read(tmp_path / "out" / "tf-idf").result("journals").score("accuracy")
        assert score.seeds == seeds
    again = evaluated("--tasks", "journals", "--seeds", 0, models=["tf-idf"])
    assert "already evaluated" in again.stderr


def test_evaluate_failing_model_keeps_other_reports(evaluated, tmp_path):
    (tmp_path / "bad.jsonl").write_text('{"paper_id": "x", "embedding": [1.0, NaN]}\n')
    done = evaluated("--tasks", "citations", models=[str(tmp_path / "bad.jsonl"), "tf-idf"])
    assert done.exit_code == 1
    assert "bad.jsonl" in done.stderr
    assert Report.read(tmp_path / "out" / "tf-idf").result("citations")


def test_evaluate_vector_file_counts_missing_vectors(evaluated, local_corpus, tmp_path):
    lines = [
        json.dumps({"paper_id": name, "embedding": np.eye(8)[row % 8].tolist()})
        for row, name in enumerate(local_corpus.ids)
        if row % 9
    ]
    (tmp_path / "ours.jsonl").write_text("\n".join(lines))
    done = evaluated("--tasks", "citations,questions", models=[str(tmp_path / "ours.jsonl")])
    assert done.exit_code == 0
    assert "Questions, skipped: there are no vectors of the queries" in done.stderr
    (result,) = Report.read(tmp_path / "out" / "ours").results
    lacking = result.excluded["queries without a vector"]
    assert lacking > 0
    assert f"ours.jsonl, Citations: {lacking} queries without a vector" in done.stdout


def test_evaluate_missing_data_is_reported_with_a_hint(evaluated, tmp_path):
    (tmp_path / "others.jsonl").write_text('{"paper_id": "nobody", "embedding": [1.0, 2.0]}\n')
    models = [str(tmp_path / "others.jsonl"), "tf-idf"]
    done = evaluated("--tasks", "citations,labels", models=models)
    assert done.exit_code == 1
    output = " ".join(done.stderr.split())
    assert "Labels, failed: No paper has a vector. Check that the IDs match those" in output
    assert "1 more task failed." in output


def test_evaluate_does_not_overwrite_report_of_another_suite(evaluated, judged_folder, tmp_path):
    evaluated("--tasks", "citations", models=["tf-idf"])
    before = (tmp_path / "out" / "tf-idf" / "report.json").read_bytes()
    with pytest.raises(TrainerError, match="No model could be evaluated"):
        run("evaluate", "tf-idf", "--suite", judged_folder, "-o", tmp_path / "out")
    assert (tmp_path / "out" / "tf-idf" / "report.json").read_bytes() == before


def test_evaluate_recognizes_the_suite_of_a_folder(judged_folder, tmp_path):
    done = run("evaluate", "bm25", "--suite", judged_folder, "-o", tmp_path / "out", "--json")
    assert done.exit_code == 0
    (folder,) = json.loads(done.stdout)["reports"].values()
    assert Report.read(Path(folder)).suite == "judged"


def test_evaluate_named_task_without_data_fails(tmp_path, judged_folder):
    (judged_folder / "other.queries.tsv").write_text("q1\tgraph")
    done = run(
        *("evaluate", "tf-idf", "--suite", judged_folder, "-o", tmp_path / "out"),
        *("--tasks", "small,other"),
    )
    assert done.exit_code == 1
    assert "other is skipped" in done.stderr
    assert "other.papers.jsonl" in done.stderr


def test_evaluate_unknown_task_or_suite_raises_error(evaluated, tmp_path):
    with pytest.raises(TrainerError, match="has no task 'cites'") as wrong:
        evaluated("--tasks", "cites")
    assert "citations" in wrong.value.hint
    with pytest.raises(TrainerError, match="suite 'scidoc' does not exist"):
        run("evaluate", "tf-idf", "--suite", "scidoc")
    with pytest.raises(TrainerError, match="requires a data folder"):
        run("evaluate", "tf-idf", "--suite", "local")
    with pytest.raises(TrainerError, match="does not exist"):
        run("evaluate", "tf-idf", "--suite", "local", "--corpus", tmp_path / "none")
    with pytest.raises(TrainerError, match="is not a known benchmark suite"):
        run("evaluate", "tf-idf", "--suite", tmp_path)
    assert run("evaluate", "--suite", "local").exit_code == 2


def test_suites_lists_needed_files():
    listed = run("suites")
    assert listed.exit_code == 0
    for spec in SUITES:
        assert spec.key in listed.stdout
    assert [spec["key"] for spec in json.loads(run("suites", "--json").stdout)] == [
        spec.key for spec in SUITES
    ]


def test_documented_sizes_equal_the_constants():
    messages = local.__doc__.replace(",", "")
    for size in (local.FIELDS, local.JOURNALS, local.PAIRED, local.QUERIES, local.TRAIN_PAPERS):
        assert str(size) in messages


def test_evaluate_prints_progress_and_result_as_json(evaluated, tmp_path):
    (tmp_path / "bad.jsonl").write_text('{"paper_id": "x", "embedding": [1.0, NaN]}\n')
    models = [str(tmp_path / "bad.jsonl"), "tf-idf"]
    done = evaluated("--tasks", "citations,labels", "--progress", "--json", models=models)
    answer = json.loads(done.stdout)
    assert answer["reports"] == {"tf-idf": str(tmp_path / "out" / "tf-idf")}
    assert list(answer["failed"]) == [str(tmp_path / "bad.jsonl")]
    output = [json.loads(line) for line in done.stderr.splitlines()]
    assert any(str(tmp_path / "bad.jsonl") == line.get("warning") for line in output)
    assert "Labels" in [line["note"] for line in output if "note" in line][-1]
    shares = [(line["task"], line["share"]) for line in output if "share" in line]
    assert all((share >= 0.5) == (what == "TF-IDF") for what, share in shares)


@pytest.fixture
def one_journal(tmp_path: Path) -> Path:
    """A corpus of papers in two fields, with a single paper in a journal."""
    papers = [
        {
            "id": name,
            "title": f"Paper {name}",
            "abstract": f"we study {number % 2}",
            "fields": (f"field{number % 2}",),
            "venue": "" if number else "Journal",
        }
        for number, name in enumerate(ids_of(10))
    ]
    return make_corpus(tmp_path / "corpus", papers).folder


def test_evaluate_task_that_cannot_run_exits_with_0(one_journal, tmp_path):
    where = ("--suite", "local", "--corpus", one_journal, "-o", tmp_path / "out")
    done = run("evaluate", "tf-idf", "random", *where, "--json")
    assert done.exit_code == 0
    answer = json.loads(done.stdout)
    assert set(answer["reports"]) == {"tf-idf", "random"} and not answer["failed"]
    failed = {(one["model"], one["task"]) for one in answer["failed_tasks"]}
    assert failed == {
        ("tf-idf", "Nearest neighbors in the same journal"),
        ("random", "Nearest neighbors in the same journal"),
        ("tf-idf", "Typed queries"),  # no title has a word in common with an abstract
    }
    assert all(one["why"] for one in answer["failed_tasks"])
    tasks = {result.task for result in Report.read(tmp_path / "out" / "tf-idf").results}
    assert tasks >= {"field-pairs", "health"} and "same-journal" not in tasks


def test_evaluate_named_task_that_cannot_run_exits_with_1(one_journal, tmp_path):
    where = ("--suite", "local", "--corpus", one_journal, "-o", tmp_path / "out")
    done = run("evaluate", "tf-idf", *where, "--tasks", "health,same-journal", "--json")
    assert done.exit_code == 1
    assert [one["task"] for one in json.loads(done.stdout)["failed_tasks"]] == [
        "Nearest neighbors in the same journal"
    ]


def test_evaluate_failure_is_json(evaluated, tmp_path):
    (tmp_path / "bad.jsonl").write_text("no json")
    done = evaluated("--json", models=[str(tmp_path / "bad.jsonl")])
    assert done.exit_code == 1
    answer = json.loads(done.stdout)
    assert answer["error"] == "No model could be evaluated." and "bad.jsonl" in answer["hint"]


def test_evaluate_shows_number_of_encoded_texts(local_corpus, tmp_path, monkeypatch):
    monkeypatch.setattr("trainer.cli.progress._LINES_EVERY", 0.0)
    monkeypatch.setenv("SCIREAD_HOME", str(tmp_path))  # an empty cache of vectors
    tiny_package(tmp_path / "tiny")
    done = run(
        *("evaluate", tmp_path / "tiny", "--suite", "local", "--corpus", local_corpus.folder),
        *("-o", tmp_path / "out", "--tasks", "citations", "--progress", "--json"),
    )
    output = [json.loads(line) for line in done.stderr.splitlines()]
    read = [line for line in output if "texts embedded" in line.get("text", "")]
    assert read and read[-1]["task"] == "Tiny"


def test_page_command_combines_reports(evaluated, tmp_path):
    evaluated("--tasks", "citations")
    folders = [tmp_path / "out" / name for name in ("tf-idf", "random")]
    done = run("page", *folders, "-o", tmp_path / "both", "--json")
    page = Path(json.loads(done.stdout)["page"]).read_text("utf-8")
    assert "TF-IDF" in page and "Random" in page and "<script" not in page


def test_evaluate_beside_keeps_the_old_report(local_corpus, tmp_path, monkeypatch):
    monkeypatch.setenv("SCIREAD_HOME", str(tmp_path))
    tiny_package(tmp_path / "a")
    tiny_package(tmp_path / "b", max_tokens=8)
    tiny_package(tmp_path / "c", title="Renamed")

    def measure(name, *more):
        where = ("--corpus", local_corpus.folder, "-o", tmp_path / "out", "--tasks", "citations")
        return run("evaluate", tmp_path / name, "--suite", "local", *where, "--json", *more)

    measure("a")
    with_error = measure("b")
    assert "already contains a report on Tiny" in json.loads(with_error.stdout)["hint"]
    assert json.loads(measure("b", "--beside").stdout)["reports"] == {
        "tiny": str(tmp_path / "out" / "tiny-2")
    }
    # The same model under another title continues its report.
    assert json.loads(measure("c", "--beside").stdout)["reports"] == {
        "tiny": str(tmp_path / "out" / "tiny")
    }
    assert Report.read(tmp_path / "out" / "tiny").subject.title == "Renamed"
