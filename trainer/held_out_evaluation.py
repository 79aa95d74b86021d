"""Evaluation of a finished run and its base model on papers held out from training."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

import torch

from trainer.contract.errors import PackageRefused, TrainerError
from trainer.contract.package import Package, find_model, read_package
from trainer.contract.report import EvaluatedModel, Report, Result
from trainer.contract.run import Run
from trainer.data.corpus.corpus import Corpus, Split
from trainer.distributed import Ranks
from trainer.encoders.model_encoder import ModelEncoder
from trainer.encoders.vector_cache import VectorCache
from trainer.evaluate import SPEED, evaluate, open_tasks
from trainer.loop.progress import Reporter, log
from trainer.loop.stop_signals import StopSignals
from trainer.packages.export import write_metrics
from trainer.reports.compare import compare
from trainer.suites.catalog import open_suite
from trainer.suites.suite import SuiteSettings

# One evaluation of each kind, on so few papers that both models take about a minute on a CPU, if
# they are small.
TASKS = ("typed-queries", "fields", "journals", "citations", "labels", "questions", "health")
SETTINGS = SuiteSettings(runs=1, papers=500)
FOLDER = "evaluation"

Row: TypeAlias = dict[str, Any]


def measure(run: Run, device: torch.device, reporter: Reporter, stop_signals: StopSignals) -> None:
    """Add an evaluation to the package and the report of a finished run.

    The base is evaluated too if it is a package; reports of both are kept in the run's
    `evaluation/`. An error or a stop request is reported and leaves out the scores only.
    """
    try:
        _measure(run, device, reporter, stop_signals)
    except _Stopped:
        reporter.note(f"The evaluation was stopped ({stop_signals.reason}); the model is complete.")
        run.clear_stop()
    except Exception as error:  # whatever the error, the trained model is complete
        log.exception("The evaluation failed.")
        reporter.warn(
            "The model is complete, but could not be evaluated: "
            f"{error or type(error).__name__} Try: sciread-trainer evaluate {run.package} "
            f"--corpus {run.recipe.corpus}"
        )


class _Stopped(Exception):
    """A stop was requested."""


def _measure(run: Run, device: torch.device, reporter: Reporter, stop_signals: StopSignals) -> None:
    corpus = run.recipe.corpus
    opened = Corpus.open(corpus, verify=False)
    if not len(opened.rows(Split.test)):
        reporter.note(
            f"The corpus has no test papers (split {opened.split_by}): the model is not evaluated."
        )
        return
    suite = open_suite("local", corpus, SETTINGS).choose(TASKS)
    tasks, absent = open_tasks(suite)
    if absent:
        reporter.note(f"The corpus lacks the data for: {', '.join(absent)}.")
    ranks, progress = Ranks.single_process(str(device)), _RunProgress(reporter, stop_signals)
    package = read_package(run.package)
    known = json.loads((run.package / "metrics.json").read_text("utf-8"))
    reports: dict[str, Report] = {}
    for name, model in {"model": package, "base": _package(run.recipe.base)}.items():
        if model:
            maker = ModelEncoder(model, ranks=ranks, cache=VectorCache(), note=reporter.note)
            folder = run.folder / FOLDER / name
            done = evaluate(maker, suite.name, tasks, folder, ranks, progress=progress)
            reports[name] = done.report
            _record(run, package, known, reports)


def _package(name: str) -> Package | None:
    try:
        return find_model(name)
    except PackageRefused:  # such as a plain folder, whose pooling is unknown
        return None


def _record(run: Run, package: Package, known: list[Row], reports: Mapping[str, Report]) -> None:
    """Write the scores to the description of the model, after those already known."""
    model, base = reports["model"], reports.get("base")
    about = {"corpus_sha256": package.corpus["sha256"], "at": model.created}
    real = _real(run) if base else {}
    rows = [
        {**row, **about}
        for result in model.results
        if result.task != SPEED
        for row in _rows(result, base.result(result.task) if base else None, real)
    ]
    write_metrics(package.folder, package, [*known, *rows])
    run.write_report({**(run.report or {}), "metrics": [*known, *rows]})


def _real(run: Run) -> Mapping[tuple[str, str], bool]:
    """Return for each task and metric that has items whether the difference is significant."""
    try:
        found = compare(run.folder / FOLDER / "base", run.folder / FOLDER / "model")
    except TrainerError:
        return {}
    return {(each.result.task, each.metric.name): each.is_significant for each in found.compared}


def _rows(
    result: Result, base: Result | None, real: Mapping[tuple[str, str], bool]
) -> Iterator[Row]:
    for score in result.scores:
        before, key = base.score(score.metric) if base else None, (result.task, score.metric)
        yield {
            "task": result.task,
            "evaluation": result.evaluation,
            "metric": score.metric,
            "value": score.value,
            **({"before": before.value} if before else {}),
            **({"real": real[key]} if key in real else {}),
            "n": score.n,
            "split": result.split,
            "sha256": result.sha256,
        }


class _RunProgress:
    """Reports progress to the run, and checks for stop requests before each task."""

    def __init__(self, reporter: Reporter, stop_signals: StopSignals) -> None:
        self._reporter, self._stop_signals = reporter, stop_signals

    def begin(self, subject: EvaluatedModel, tasks: int) -> None:
        self._reporter.note(f"Evaluating {subject.title} on {tasks} tasks.")

    def begin_task(self, title: str) -> None:
        if self._stop_signals.reason:
            raise _Stopped

    def done(self, title: str, remark: str = "") -> None:
        if remark:
            self._reporter.note(f"{title}: {remark}")
