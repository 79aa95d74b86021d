"""A fake of the dashboard's services, with made-up measurements."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from sciread_app.domain.paper import PaperId
from sciread_app.domain.training import LIBRARY, TrainingData
from sciread_app.services.evaluation.evaluation_service import (
    EvaluationCandidate,
    EvaluationOutcome,
)
from sciread_app.services.evaluation.leaderboard import Leaderboard, StoredReport
from sciread_app.services.evaluation.model_comparison import ComparisonVerdict, verdict
from sciread_app.services.map.map_service import Cluster, MapLayout
from sciread_app.services.models.model_card import CardScore
from sciread_app.services.training.run_monitor import CurvePoints, RunProgress, Validation
from sciread_app.services.training.runs import RunStatus, TrainingRun
from sciread_app.tasks import Task
from sciread_app.ui.evaluation.view_models import EvaluationCorpus, EvaluationResults, ModelToUse
from tests.support.generate.report import pictures_of, report, result, subject
from trainer.contract.plots import Picture
from trainer.contract.report import Report, Score
from trainer.contract.run import RunState

START = subject(id="starter", title="Starter", space="aaaa")
TRAINED = subject(id="specter-1", title="SPECTER on 900 papers", space="bbbb", method="specter")
WORDS = subject(id="tf-idf", title="TF-IDF", kind="baseline")


def scores(
    value: float, n: int = 100, metrics: Sequence[str] = ("map", "ndcg")
) -> tuple[Score, ...]:
    return tuple(Score(name, value, n, value - 0.03, value + 0.03) for name in metrics)


def measured(of: Any, value: float, *more: Any, **changes: Any) -> Report:
    """Return a report of a ranking and of a probe's labels."""
    labels = scores(value / 2, metrics=("macro_f1", "accuracy"))
    results = (
        result("cite", title="Citations", scores=scores(value), **changes),
        result("mag", title="Fields", evaluation="probe", scores=labels, **changes),
        *more,
    )
    return report(*results, subject=of)


def board(*reports: Report, key: str = "local-mine", problems: Sequence[str] = ()) -> Leaderboard:
    kept = [StoredReport(Path(key) / one.subject.id, one) for one in reports]
    suite = reports[0].suite if reports else "local"
    return Leaderboard(Path(key), suite, "corpora/mine", tuple(kept), tuple(problems))


def compared(
    task: str, metric: str, gap: float, *, real: bool = True, **more: Any
) -> dict[str, Any]:
    """Return a difference in the format of the trainer's JSON."""
    evaluation = {"cite": "ranking", "mag": "probe"}.get(task, task)
    values = {
        "task": task,
        "evaluation": evaluation,
        "metric": metric,
        "first": 0.5,
        "second": 0.5 + gap,
        "low": gap - 0.02,
        "high": gap + 0.02,
        "n": 100,
        "difference": gap,
        "adjusted": 0.001 if real else 0.4,
        "real": real,
        "second_is_better": gap > 0 if real else None,
        "unpaired": 0,
    }
    return values | more


ANSWER: dict[str, Any] = {
    "compared": [
        compared("cite", "map", 0.06),
        compared("cite", "ndcg", 0.01, real=False),
        compared("mag", "macro_f1", -0.01, real=False),
    ],
    "refused": [{"what": "Speed and size", "why": "the data differ"}],
    "notes": [],
}


class FakeEvaluation:
    """The gateway of the dashboard with its services. Records the calls in `calls`; evaluations
    run until `go_on` is set."""

    def __init__(self, count: int = 100) -> None:
        self.found = EvaluationResults(
            [board(measured(TRAINED, 0.8), measured(START, 0.7), measured(WORDS, 0.6))],
            {"local-mine": "the library of today"},
        )
        self.recommended = True
        self.answer: Mapping[str, Any] = ANSWER
        self.calls: list[tuple[Any, ...]] = []
        self.go_on = threading.Event()
        self.go_on.set()
        self.count = count
        self.known: Sequence[PaperId] = [PaperId(1), PaperId(2)]
        self.maps = {name: drawing(count) for name in ("starter", "specter-1")}
        self.trainings = [training("first"), training("second", method="MIReAD")]
        self.runs = SimpleNamespace(all=lambda: self.trainings, scores=self._scores)
        self.comparer = self.evaluation = self

    def look(self) -> EvaluationResults:
        return self.found

    def compare(self, first: StoredReport, second: StoredReport, task: Task) -> ComparisonVerdict:
        self.calls.append(("compare", first.report.subject.id, second.report.subject.id))
        return verdict(first, second, self.answer)

    def to_use(self, better: StoredReport, other: StoredReport) -> ModelToUse | None:
        subject = better.report.subject
        return ModelToUse(subject.id, subject.title, self.recommended)

    def pictures(self, kept: StoredReport) -> Mapping[str, Mapping[str, Picture]]:
        return pictures_of(1, 0.8 if kept.report.subject is TRAINED else 0.5)

    def progress_of(self, training: str, task: Task) -> RunProgress:
        steps = np.arange(1.0, 201.0)
        loss = 1 / (1 + steps / 40)
        points = CurvePoints(steps, loss, loss, loss)
        values = (Validation(100, 0.4, {}, False), Validation(200, 0.3, {}, True))
        return RunProgress(RunState.finished, curves={"loss": points}, validations=values)

    def _scores(self, training: str) -> Sequence[CardScore]:
        return [
            CardScore("", "Citations", "MAP", "80.00", before="70.00", n=50, split="validation")
        ]

    def candidates(self) -> Sequence[EvaluationCandidate]:
        return [
            EvaluationCandidate("starter", "Starter", "model", "aaaa"),
            EvaluationCandidate("specter-1", "SPECTER on 900 papers", "run", "bbbb"),
            EvaluationCandidate("tf-idf", "TF-IDF", "baseline"),
            EvaluationCandidate("random", "Random", "baseline"),
        ]

    def corpora(self) -> Sequence[EvaluationCorpus]:
        return [EvaluationCorpus("Library, 100 papers", LIBRARY)]

    def evaluate(
        self, names: Sequence[str], suite: str, data: TrainingData | Path, task: Task
    ) -> EvaluationOutcome:
        self.calls.append(("evaluate", tuple(names), suite, data))
        while not self.go_on.wait(0.02):
            task.step(300, 1_000, "Starter: Citations")
        return EvaluationOutcome(
            Path("local-mine"), {n: Path(n) for n in names}, {}, {"Questions": "none"}
        )

    def write_page(self, boards: Sequence[Leaderboard], file: Path, task: Task) -> None:
        file.write_text("<!doctype html>")

    def known_papers(self) -> Sequence[PaperId]:
        return self.known

    def find(self, words: str, task: Task) -> Sequence[PaperId]:
        self.calls.append(("find", words))
        return [PaperId(3)]

    def drawing(self, model: str) -> MapLayout | None:
        return self.maps.get(model)

    def draw(self, model: str, task: Task) -> MapLayout | None:
        self.calls.append(("draw", model))
        self.maps[model] = drawing(self.count)
        return self.maps[model]


def training(name: str, method: str = "SPECTER", **more: Any) -> TrainingRun:
    values: dict[str, Any] = {
        "name": name,
        "folder": Path(name),
        "status": RunStatus.finished,
        "method": method,
        "papers": 900,
        "step": 200,
        "corpus": Path("corpora/mine"),
        "settings": {"margin": 1.0},
    }
    return TrainingRun(**values | more)


def drawing(count: int, turn: float = 0.0) -> MapLayout:
    """Return a map with the papers on a spiral, in two groups."""
    ids = np.arange(1, max(count, 20) + 1)
    angle = np.linspace(0, 6, len(ids)) + turn
    far = np.linspace(0.05, 0.45, len(ids))
    places = np.stack([0.5 + far * np.cos(angle), 0.5 + far * np.sin(angle)], axis=1)
    group = (ids > len(ids) // 2).astype(np.int16)
    sizes = [int((group == number).sum()) for number in (0, 1)]
    clusters = tuple(
        Cluster(name, size, (0.4, 0.5))
        for name, size in zip(("Inner", "Outer"), sizes, strict=True)
    )
    return MapLayout(ids, places.astype(np.float32), group, group, clusters, clusters)
