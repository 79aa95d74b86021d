"""Models are evaluated, compared and listed from the command line."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from sciread_app.services.evaluation import evaluation_service, model_comparison
from tests.support.generate.report import report, result
from tests.support.models.tiny_model import tiny_package
from tests.support.shell import Shell
from tests.support.ui.fakes.evaluation import ANSWER, START, TRAINED, measured
from trainer.contract.report import Score


@pytest.fixture
def shell(tmp_path, monkeypatch) -> Shell:
    """A shell with a fake trainer; test_evaluation_service.py uses the real one."""
    shell = Shell(tmp_path / "home")
    shell.run("model", "list")
    tiny_package(shell.home / "models" / "specter-1", title="Ours")
    asked = []

    def measure(arguments, home, task):
        asked.append(arguments)
        board = Path(next(a for a in arguments if a.startswith("--output=")).split("=")[1])
        made = {"starter": measured(START, 0.7), "specter-1": measured(TRAINED, 0.8)}
        folders = {}
        for argument in arguments[1:]:
            if (name := Path(argument).name) in made:
                made[name].write(board / name)
                folders[name] = str(board / name)
        failed = {"model": "starter", "title": "Starter", "task": "Journals", "why": "there is one"}
        return {
            "reports": folders,
            "failed": {},
            "failed_tasks": [failed],
            "absent": {"Questions": "there are none"},
        }

    monkeypatch.setattr(evaluation_service, "ask", measure)
    monkeypatch.setattr(model_comparison, "ask", lambda arguments, home, task: ANSWER)
    shell.calls = asked
    (tmp_path / "data").mkdir()
    return shell


def evaluate(shell, *models):
    where = ("--suite", "scidocs", "--corpus", str(shell.home.parent / "data"))
    return ("model", "evaluate", *models, *where)


def test_evaluate_measures_models_and_compares_last_with_others(shell):
    done = shell.json(*evaluate(shell, "starter", "specter-1"))
    assert done["board"] == "scidocs-data" and set(done["reports"]) == {"starter", "specter-1"}
    (found,) = done["verdicts"]
    assert (found["first"], found["second"], found["answer"]) == (
        "Starter", "SPECTER on 900 papers", "yes",
    )  # fmt: skip
    assert {(s["task"], s["metric"], s["model"]) for s in done["scores"]} >= {
        ("cite", "map", "starter"), ("mag", "macro_f1", "specter-1"),
    }  # fmt: skip
    (arguments,) = shell.calls
    assert arguments[1:3] == ["starter", str(shell.home / "models" / "specter-1")]


def test_evaluate_prints_table_and_verdict(shell):
    output = shell.run(*evaluate(shell, "starter", "specter-1")).stdout
    flowing = " ".join(output.split())
    assert "Citations" in output and "80.00" in output and "70.00" in output
    assert "SPECTER on 900 papers is better than Starter: " in flowing and "1 of 2 tasks" in flowing
    assert "Not compared (the data differ): Speed and size" in flowing
    assert "Questions was skipped: there are none" in flowing


def test_evaluate_names_failed_task_and_exits_with_0(shell):
    done = shell.run(*evaluate(shell, "starter"))
    assert done.exit_code == 0
    assert "Journals" in done.stderr and "there is one" in done.stderr
    output = shell.json(*evaluate(shell, "starter"))
    assert output["failed_tasks"] == [
        {"model": "Starter", "task": "Journals", "why": "there is one"}
    ]


def test_evaluate_of_one_model_gives_intervals_without_verdict(shell):
    done = shell.run(*evaluate(shell, "starter")).stdout
    assert "67.00–73.00" in done and "better than" not in done


def test_evaluate_names_unknown_model_or_suite(shell):
    answer = shell.json(*evaluate(shell, "nobody"), code=1)
    assert answer["error"] == "The model nobody is not installed."
    answer = shell.json("model", "evaluate", "starter", "--suite", "novel", code=1)
    assert answer["error"] == "The suite 'novel' does not exist."
    assert not shell.calls


def test_scores_are_listed_and_written_as_csv(shell, tmp_path):
    assert "No evaluations yet" in shell.run("model", "scores").stdout
    shell.run(*evaluate(shell, "starter", "specter-1"))
    (board,) = shell.json("model", "scores")
    assert board["board"] == "scidocs-data" and len(board["scores"]) == 8
    assert "scidocs · data" in shell.run("model", "scores").stdout
    shell.run("model", "scores", "--csv", str(tmp_path / "all.csv"))
    with (tmp_path / "all.csv").open(encoding="utf-8", newline="") as stream:
        lines = list(csv.DictReader(stream))
    assert len([line for line in lines if not line["source"]]) == 8


def test_scores_mark_lower_is_better_in_any_encoding(shell):
    shell.run(*evaluate(shell, "starter"))
    cosine = Score("mean_cosine", 0.3, 9, 0.2, 0.4)
    health = result("health", title="Health", evaluation="health", scores=(cosine,))
    report(health, subject=START).write(shell.home / "reports" / "scidocs-data" / "starter")
    output = " ".join(shell.run("model", "scores").stdout.split())
    assert "better)" in output
    output.encode("cp1252")


def test_scores_list_incomparable_results_apart_with_reason(shell):
    shell.run(*evaluate(shell, "starter", "specter-1"))
    other = report(result("cite", title="Citations", sha256="00" * 32), subject=TRAINED)
    other.write(shell.home / "reports" / "scidocs-data" / "specter-1")
    output = " ".join(shell.run("model", "scores").stdout.split())
    assert "Citations (not comparable with the rows above: the data differ" in output


def test_scores_report_damaged_file(shell):
    shell.run(*evaluate(shell, "starter"))
    (shell.home / "reports" / "scidocs-data" / "starter" / "report.json").write_text("{")
    assert "is damaged" in shell.run("model", "scores", code=1).output
