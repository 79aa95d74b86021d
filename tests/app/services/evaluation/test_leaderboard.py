"""Scores of all models: only comparable numbers share a row."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from sciread_app.services.evaluation.csv_export import COLUMNS, write_csv
from sciread_app.services.evaluation.leaderboard import BOARD, Scores, names, rows
from tests.support.generate.report import report, result, subject
from trainer.contract.report import Score

STARTER = subject(id="starter", title="Starter", space="aa")
OURS = subject(id="ours", title="Ours", space="bb", method="specter")
WORDS = subject(id="tf-idf", title="TF-IDF", kind="baseline")


@pytest.fixture
def home(tmp_path) -> Path:
    return tmp_path / "home"


def write_report(home: Path, made, board: str = "local-mine") -> Path:
    folder = home / "reports" / board / made.subject.id
    made.write(folder)
    return folder


def only_board(home: Path, titles=None):
    (found,) = Scores(home / "reports", lambda: titles or {}).boards()
    return found


def scored(of, value=0.8, n=100, **changes):
    return report(
        result(scores=(Score("map", value, n, value - 0.02, value + 0.02),), **changes), subject=of
    )


def test_home_without_reports_has_no_boards(home):
    assert Scores(home / "reports").boards() == []


def test_comparable_models_share_a_row_with_baselines_last(home):
    for of, value in ((WORDS, 0.9), (STARTER, 0.7), (OURS, 0.8)):
        write_report(home, scored(of, value))
    board = only_board(home)
    (row,) = rows(board)
    assert list(names(board.reports).values()) == ["Ours", "Starter", "TF-IDF"]
    by_title = {names(board.reports)[model]: cell for model, cell in row.cells.items()}
    assert {title: cell.best for title, cell in by_title.items()} == {
        "Ours": False, "Starter": False, "TF-IDF": True,
    }  # fmt: skip
    assert (row.n, row.apart) == (100, "")


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"sha256": "00" * 32}, "the data differ"),
        ({"split": "validation"}, "the splits differ: test and validation"),
        ({"protocol": 2}, "the protocol versions of ranking differ"),
    ],
)
def test_incomparable_numbers_get_separate_rows_with_reason(home, changes, why):
    write_report(home, scored(STARTER, 0.5))
    write_report(home, scored(WORDS, 0.6))
    write_report(home, scored(OURS, 0.9, **changes))
    together, apart = rows(only_board(home))
    assert len(together.cells) == 2 and together.apart == ""
    assert len(apart.cells) == 1 and why in apart.apart
    assert together.key != apart.key
    assert not any(cell.best for cell in apart.cells.values())


def test_no_score_is_best_when_item_counts_differ(home):
    write_report(home, scored(STARTER, 0.5, n=100))
    write_report(home, scored(OURS, 0.9, n=90))
    (row,) = rows(only_board(home))
    assert row.n is None and not any(cell.best for cell in row.cells.values())


def test_equal_scores_and_non_quality_metrics_have_no_best(home):
    write_report(home, scored(STARTER, 0.80001))
    write_report(home, scored(OURS, 0.80002))
    (row,) = rows(only_board(home))
    assert not any(cell.best for cell in row.cells.values())
    for of, value in ((STARTER, 0.1), (OURS, 0.4)):
        speed = result("speed", evaluation="speed", scores=(Score("megabytes", value, 1),))
        write_report(home, report(speed, subject=of), "other")
    boards = Scores(home / "reports").boards()
    (speed_row,) = rows(next(board for board in boards if board.key == "other"))
    assert not any(cell.best for cell in speed_row.cells.values())


def test_published_number_is_shown_beside_model_of_that_method(home):
    cited = result("cite", scores=(Score("map", 0.8, 1_000),))
    write_report(home, report(cited, subject=OURS, suite="scidocs"), "scidocs")
    write_report(home, report(cited, subject=STARTER, suite="scidocs"), "scidocs")
    (row,) = rows(only_board(home))
    papers = {model.split("\n")[0]: cell.papers for model, cell in row.cells.items()}
    assert papers["starter"] == [] and papers["ours"][0].model == "SPECTER"


def test_renamed_model_has_new_title_on_boards(home):
    write_report(home, scored(OURS))
    assert only_board(home, {"bb": "My field"}).reports[0].report.subject.title == "My field"
    assert only_board(home, {"": "Nobody"}).reports[0].report.subject.title == "Ours"


def test_equal_titles_are_disambiguated_and_odd_titles_cleaned(home):
    write_report(home, scored(replace(OURS, title="Same\nname  ")))
    write_report(home, scored(replace(STARTER, title="Same\nname  ")))
    odd = replace(WORDS, title="x" * 5_000 + "\x00\x1b[31m")
    write_report(home, scored(odd))
    called = list(names(only_board(home).reports).values())
    assert called[:2] == ["Same name (ours)", "Same name (starter)"]
    assert len(called[2]) <= 120 and called[2].isprintable()


def test_damaged_report_is_listed_as_problem_and_others_remain(home):
    write_report(home, scored(OURS))
    broken = home / "reports" / "local-mine" / "broken"
    broken.mkdir()
    (broken / "report.json").write_text("{")
    board = only_board(home)
    assert len(board.reports) == 1
    (problem,) = board.problems
    assert "broken/report.json is damaged" in problem


def test_changed_report_is_read_again(home):
    write_report(home, scored(OURS))
    scores = Scores(home / "reports")
    assert len(rows(scores.boards()[0])) == 1
    more = report(result(), result("mag", evaluation="probe"), subject=OURS)
    file = write_report(home, more) / "report.json"
    file.touch()
    assert len(rows(scores.boards()[0])) > 1


def test_suite_and_data_keep_their_board_after_home_is_moved(home):
    scores = Scores(home / "reports")
    corpus = home / "corpora" / "mine"
    first = scores.place("local", corpus)
    assert scores.place("local", corpus) == first == home / "reports" / "local-mine"
    assert scores.place("local", home.parent / "mine") == home / "reports" / "local-mine-2"
    assert scores.place("judged", corpus) == home / "reports" / "judged-mine"
    assert json.loads((first / BOARD).read_text())["corpus"] == "corpora/mine"
    moved = home.rename(home.with_name("elsewhere"))
    there = Scores(moved / "reports")
    assert there.place("local", moved / "corpora" / "mine") == moved / "reports" / "local-mine"


def test_csv_has_one_line_per_score_with_its_context(home):
    cited = result("cite", scores=(Score("map", 0.8, 1_000, 0.7, 0.9),), excluded={"bare": 3})
    danger = replace(OURS, title="=HYPERLINK(1)")
    write_report(home, report(cited, subject=danger, suite="scidocs"), "scidocs")
    stream = io.StringIO()
    lines = write_csv(Scores(home / "reports").boards(), stream)
    stream.seek(0)
    found = list(csv.DictReader(stream))
    assert len(found) == lines and tuple(found[0]) == COLUMNS
    ours, *papers = found
    assert (ours["value"], ours["low_95"], ours["n"]) == ("0.8", "0.7", "1000")
    assert {(line["unit"], line["better"]) for line in found} == {("share (0 to 1)", "higher")}
    assert (ours["data_sha256"], ours["split"], ours["excluded"]) == ("5f" * 32, "test", "3 bare")
    assert ours["model"] == "'=HYPERLINK(1)"  # not a formula when opened in a spreadsheet
    assert papers and all(line["source"] and not line["data_sha256"] for line in papers)


@pytest.mark.parametrize(("evaluation", "few"), [("health", True), ("speed", False)])
def test_diagnostics_of_few_papers_say_so_unlike_speed(home, evaluation, few):
    write_report(home, scored(OURS, n=5, evaluation=evaluation))
    (row,) = rows(only_board(home))
    assert row.too_few is few
