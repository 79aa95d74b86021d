"""Evaluation of a trained model on held-out papers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.generate.corpus import make_corpus
from tests.support.models.small_runs import small_recipe
from trainer.contract.evaluations import EVALUATIONS
from trainer.contract.package import read_package
from trainer.contract.report import Report
from trainer.contract.run import Event, Recipe, Run, RunState
from trainer.distributed import Ranks
from trainer.loop.setup import Options
from trainer.reports.compare import compare
from trainer.train import train

pytestmark = pytest.mark.usefixtures("one_thread", "own_home")

RecipeOf = Callable[..., Recipe]

CPU = Ranks.single_process("cpu")
METRICS = {(spec.key, metric.name) for spec in EVALUATIONS for metric in spec.metrics}


def short(tmp_path: Path, recipe_of: RecipeOf) -> Run:
    return Run.create(tmp_path / "run", recipe_of("specter", max_steps=1))


def metrics(run: Run) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((run.package / "metrics.json").read_text())
    return found


def event_texts(run: Run, kind: str) -> str:
    return "\n".join(event.values["text"] for event in run.events() if event.kind == kind)


def test_trained_model_and_base_are_evaluated_on_test_papers(
    tmp_path: Path, recipe_of: RecipeOf
) -> None:
    run = short(tmp_path, recipe_of)
    assert train(run, CPU, Options(measure=True)).finished
    rows = metrics(run)
    assert {(row["evaluation"], row["metric"]) for row in rows} <= METRICS
    assert all(row["n"] > 0 for row in rows)
    assert {row["task"] for row in rows} == {"citations", "questions", "typed-queries", "health"}

    reports = {name: Report.read(run.folder / "evaluation" / name) for name in ("model", "base")}
    assert reports["model"].subject.space == read_package(run.package).space
    for row in rows:
        for name, key in (("model", "value"), ("base", "before")):
            result = reports[name].result(row["task"])
            assert (result.sha256, result.split) == (row["sha256"], "test")
            assert result.score(row["metric"]).value == row[key]
    compared = compare(*(run.folder / "evaluation" / name for name in ("base", "model"))).compared
    assert {(c.result.task, c.metric.name): c.is_significant for c in compared} == {
        (row["task"], row["metric"]): row["real"] for row in rows if "real" in row
    }

    assert run.report is not None and run.report["metrics"] == rows
    card = (run.package / "README.md").read_text()
    assert "| citations | MAP | " in card
    assert "not been evaluated" not in card
    assert "Fields, Journals, Labels" in event_texts(run, "note")
    assert run.events()[-1].kind == "end"


def test_validation_scores_name_their_metric_and_size(tmp_path: Path, tiny_base: Path) -> None:
    papers = [{"fields": (f"field{n % 3}",), "questions": (f"study {n}",)} for n in range(300)]
    cites = [(n, m) for n in range(300) for m in range(n + 1, min(300, n + 30))]
    corpus = make_corpus(tmp_path / "corpus", papers, cites).folder
    changes = {"mlm_short": 0, "mlm_long": 0, "max_steps": 1}
    run = Run.create(tmp_path / "run", small_recipe("physbert", corpus, tiny_base, **changes))
    train(run, CPU)
    rows = metrics(run)
    assert {row["evaluation"] for row in rows} == {"v_measure", "retrieval", "cosine_accuracy"}
    assert {(row["evaluation"], row["metric"]) for row in rows} <= METRICS
    assert all(row["n"] > 1 and row["split"] == "validation" for row in rows)
    (event,) = (event for event in run.events() if event.kind == "validation")
    assert sorted(row["value"] for row in rows) == sorted(event.values["scores"].values())


def test_failed_evaluation_keeps_the_model(
    tmp_path: Path, recipe_of: RecipeOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("no room for vectors")

    monkeypatch.setattr("trainer.held_out_evaluation.open_tasks", fail)
    run = short(tmp_path, recipe_of)
    assert train(run, CPU, Options(measure=True)).finished
    assert read_package(run.package).method == "specter"
    assert "could not be evaluated: no room for vectors" in event_texts(run, "warning")
    assert run.events()[-1].kind == "end"


def test_stop_during_evaluation_leaves_a_finished_run(
    tmp_path: Path, recipe_of: RecipeOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = Run.append

    def stopping(self: Run, event: Event) -> None:
        append(self, event)
        if str(event.values.get("text")).startswith("Evaluating"):
            self.stop()

    monkeypatch.setattr(Run, "append", stopping)
    run = short(tmp_path, recipe_of)
    assert train(run, CPU, Options(measure=True)).finished
    assert run.state is RunState.finished
    assert not run.stop_requested()
    assert metrics(run) == []
    assert "The evaluation was stopped" in event_texts(run, "note")


def test_crash_during_evaluation_leaves_a_finished_run(
    tmp_path: Path, recipe_of: RecipeOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = short(tmp_path, recipe_of)
    seen = []

    def die(*_: object) -> None:
        seen.append(run.state)
        raise KeyboardInterrupt

    monkeypatch.setattr("trainer.held_out_evaluation.open_tasks", die)
    with pytest.raises(KeyboardInterrupt):
        train(run, CPU, Options(measure=True))
    assert seen == [RunState.running]
    assert run.state is RunState.finished
    assert read_package(run.package).method == "specter"
    assert train(run, CPU).finished
