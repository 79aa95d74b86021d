from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from trainer.contract.errors import TrainerError
from trainer.encoders.baselines import TfIdf
from trainer.suites import judged_queries
from trainer.suites.suite import SuiteSettings


def test_judged_queries_are_read_with_grades(judged_folder):
    task = judged_queries.task(judged_folder, "small")
    assert len(task.papers) == 12
    assert [query.id for query in task.queries] == ["q0", "q1", "q2"]  # only judged queries
    assert task.measure.judged["q0"] == {"d0": 1, "d3": 1, "d6": 1, "d9": 1, "d1": 0}


def test_gzipped_files_have_the_same_hash(judged_folder, tmp_path: Path):
    packed = tmp_path / "packed"
    packed.mkdir()
    for file in judged_folder.iterdir():
        (packed / f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes()))
    plain, gzipped = (judged_queries.task(folder, "small") for folder in (judged_folder, packed))
    assert plain.sha256 == gzipped.sha256


def test_changed_judgements_change_the_hash(judged_folder):
    before = judged_queries.task(judged_folder, "small").sha256
    with (judged_folder / "small.qrels.tsv").open("a") as file:
        file.write("\nq1\td2\t1")
    assert judged_queries.task(judged_folder, "small").sha256 != before


@pytest.mark.parametrize("end", ["papers.jsonl", "queries.tsv", "qrels.tsv"])
def test_missing_file_is_named(judged_folder, end):
    (judged_folder / f"small.{end}").unlink()
    suite = judged_queries.suite(judged_folder, SuiteSettings())
    with pytest.raises(TrainerError, match=f"does not contain small.{end}"):
        suite.planned[0].make()


@pytest.mark.parametrize(
    ("end", "line", "expected"),
    [
        ("papers.jsonl", '{"title": "no id"}', "has no ID"),
        ("papers.jsonl", '{"id": "d0"}', "twice"),
        ("papers.jsonl", "[1, 2", "Line 13 .* is not valid JSON"),
        ("queries.tsv", "only an id", "Line 5 .* has 1 columns instead of 2"),
        ("qrels.tsv", "q1\td1\tvery", "relevance 'very'"),
        ("qrels.tsv", "q1\td1\t0", "two different judgments of 'd1' for 'q1'"),
        ("queries.tsv", "q1\tanother question", "contains two values for 'q1'"),
    ],
)
def test_damaged_judged_queries_raise_error_naming_the_line(judged_folder, end, line, expected):
    with (judged_folder / f"small.{end}").open("a") as file:
        file.write("\n" + line)
    with pytest.raises(TrainerError, match=expected):
        judged_queries.task(judged_folder, "small")


def test_judged_queries_count_missing_papers(judged_folder):
    with (judged_folder / "small.qrels.tsv").open("a") as file:
        file.write("\nq1\tgone\t1\nq1\tgone, too\t0\nnobody asks\td1\t1\nq1\td1\t1")
    task = judged_queries.task(judged_folder, "small")
    made = TfIdf().encode(task.papers, task.queries)
    assert task.run(made.papers, made.queries).excluded == {
        judged_queries.WITHOUT_TEXT: 1,
        judged_queries.NOT_THERE: 1,
    }


def test_folder_without_collections_is_refused(tmp_path: Path):
    with pytest.raises(TrainerError, match="no queries with relevance judgments"):
        judged_queries.suite(tmp_path, SuiteSettings())
