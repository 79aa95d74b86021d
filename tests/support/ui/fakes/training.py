"""A fake of training runs: calls are recorded, and no trainer runs."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from sciread_app.domain.training import LIBRARY, TrainingData, TrainingDataKind
from sciread_app.errors import LibraryError
from sciread_app.services.models.model_card import CardScore
from sciread_app.services.training.corpora import AvailableData
from sciread_app.services.training.run_import import OpenedRun
from sciread_app.services.training.run_monitor import (
    CurvePoints,
    RunMessage,
    RunProgress,
    RunStage,
    Validation,
)
from sciread_app.services.training.runs import RunStatus, TrainingRun
from sciread_app.services.training.training_service import (
    CheckLine,
    Remedy,
    StageEstimate,
    TrainingCheck,
    TrainingEstimate,
    TrainingPlan,
)
from sciread_app.tasks import Task
from sciread_app.ui.training.view_models import CorpusChoice, TrainingChoices, TrainingDetails
from trainer.contract.corpus_stats import CorpusStats, Level, VenueYear
from trainer.contract.run import RunState

HELD = CorpusStats(
    papers=9_000, abstracts=8_000, citations=70_000, citing=900, fields={"cs.CL": 6_000},
    venues=[VenueYear(f"J{n}", 2020, False, 150) for n in range(9)],
)  # fmt: skip
ENOUGH = CheckLine(Level.enough, "70,000 citations connect these papers.")
LACKS = CheckLine(
    Level.missing, "No citation data yet.", Remedy.citations,
    "Fetch citations for 12 papers", papers=(1, 2),
)  # fmt: skip
SCORE = CardScore("", "Ranking of candidates", "MAP", "90.00", 0.9, "80.00", 0.8, "+10.00", True)
STEPS = 330
TITLE = "MiniLM tuned by SPECTER’s method on My library"


def training(name: str = "mine", status: RunStatus = RunStatus.running, **values) -> TrainingRun:
    begun = {
        **{"step": 120, "steps": STEPS, "loss": 0.05, "papers": 9_000, "began": 1.7e9, "at": 1.8e9},
        "left": 200.0 if status is RunStatus.running else 0.0,
        "losses": [1 / n for n in range(1, 30)],
    }
    if status is RunStatus.finished:
        begun |= {"step": STEPS, "space": "s"}
    return TrainingRun(
        name=name, folder=Path("/runs") / name, status=status, method="SPECTER",
        recipe="specter-small", base="starter", **(begun | values),
    )  # fmt: skip


def progress(one: TrainingRun) -> RunProgress:
    steps = np.arange(1.0, one.step + 1)
    loss = 0.1 / np.sqrt(steps)
    points = {
        "loss": CurvePoints(steps, loss, loss * 0.8, loss * 1.3),
        "learning_rate": CurvePoints(steps, steps * 1e-7, steps * 1e-7, steps * 1e-7),
        "tokens_per_second": CurvePoints(steps, steps * 0 + 900, steps * 0 + 800, steps * 0 + 990),
    }
    latest = {"loss": 0.05, "learning_rate": 4e-5, "tokens_per_second": 900.0, "memory": 2 << 30,
              "eta": one.left}  # fmt: skip
    state = (
        RunState[one.status.value] if one.status.value in RunState.__members__ else RunState.running
    )
    notes = (
        RunMessage(1.7e9, 0, "note", "Cutting 9,000 titles"),
        RunMessage(1.7e9, 60, "warning", "Careful"),
    )
    return RunProgress(
        state, {"device": "cpu", "precision": "float32"}, (RunStage("triples", 9, STEPS, 1),),
        "triples", one.began, one.at, one.step, one.steps, latest, points,
        (Validation(60, 0.02, {}, True),), notes, 321.0,
    )  # fmt: skip


class FakeTraining:
    """The gateway of the training page with its services."""

    def __init__(self) -> None:
        self.service = self.runs = self.importer = self
        self.corpora = SimpleNamespace(remove=self._remove_corpus)
        self.known: dict[str, TrainingRun] = {}
        self.calls: list[str] = []
        self.plans: list[TrainingPlan] = []
        self.lines: tuple[CheckLine, ...] = (ENOUGH,)
        self.models: dict[str, str] = {}
        self.collections = [
            CorpusChoice(TrainingData(TrainingDataKind.collection, "thesis"), "thesis", 40)
        ]
        self.datasets = [
            CorpusChoice(
                TrainingData(TrainingDataKind.corpus, "library-1"),
                "Library, November 30, 2026",
                9_000,
            )
        ]
        self.scores: Sequence[CardScore] = [SCORE]
        self.base_in_use = True
        self.trouble: Exception | None = None
        self.go_on_working = threading.Event()
        self.go_on_working.set()

    def all(self) -> Sequence[TrainingRun]:
        return list(self.known.values())

    def have(self, *trainings: TrainingRun) -> None:
        self.known |= {one.name: one for one in trainings}

    def choices(self) -> TrainingChoices:
        return TrainingChoices(self.collections, self.datasets, ["starter", "ours"])

    def check(self, plan: TrainingPlan, task: Task) -> TrainingCheck:
        self.plans.append(plan)
        if plan.data.kind is TrainingDataKind.files and "empty" in plan.data.name:
            raise LibraryError("There is nothing to learn from.", "Select another folder.")
        return TrainingCheck(AvailableData(HELD, estimated=plan.data == LIBRARY), self.lines, TITLE)

    def estimate(self, plan: TrainingPlan, task: Task) -> TrainingEstimate:
        self._work(f"estimate {plan.recipe}", task)
        stage = StageEstimate("triples", 99, STEPS, 900.0, 700.0, 2 << 30)
        return TrainingEstimate("cpu", STEPS, 700.0, 2 << 30, (stage,))

    def start(self, plan: TrainingPlan, task: Task) -> TrainingRun:
        self._work(f"start {plan.recipe} on {plan.data.name or plan.data.kind.value}", task)
        begun = training(plan.name, RunStatus.starting, step=0, steps=0, losses=())
        self.have(begun)
        return begun

    def title(self, plan: TrainingPlan) -> str:
        return plan.recipe

    def write_job(self, plan: TrainingPlan, target: Path, task: Task) -> Path:
        self._work(f"job {target.name}", task)
        return target

    def stop(self, name: str) -> TrainingRun:
        return self._set(name, RunStatus.stopped)

    def resume(self, name: str) -> TrainingRun:
        return self._set(name, RunStatus.running)

    def remove(self, name: str) -> None:
        self.calls.append(f"remove {name}")
        del self.known[name]

    def log(self, name: str) -> str:
        return f"log of {name}"

    def look(self, name: str, task: Task) -> TrainingDetails:
        self.calls.append(f"look {name}")
        one = self.known[name]
        scores = self.scores if one.status is RunStatus.finished else []
        model = self.models.get(name, "")
        return TrainingDetails(
            one, progress(one), scores, model, self.base_in_use, "Library, November 30, 2026"
        )

    def open(self, source: Path, task: Task) -> OpenedRun:
        self._work(f"open {source.name}", task)
        new = source.name not in self.known
        if new:
            self.have(training(source.name, RunStatus.finished))
        return OpenedRun(self.known[source.name], "made", new)

    def add_model(self, name: str, task: Task) -> str:
        self._work(f"add {name}", task)
        self.models[name] = "made"
        return "made"

    def cite(self, papers: Sequence[int], task: Task) -> str:
        self._work(f"cite {len(papers)}", task)
        self.lines = (ENOUGH,)
        return "Fetched 40 references and 30 citations."

    def fetch_model(self, name: str, task: Task) -> None:
        self._work(f"fetch {name}", task)
        self.lines = (ENOUGH,)

    def _remove_corpus(self, id: str) -> None:
        self.calls.append(f"remove corpus {id}")
        self.datasets = []

    def _set(self, name: str, status: RunStatus) -> TrainingRun:
        self.calls.append(f"{status.value} {name}")
        self.known[name] = replace(self.known[name], status=status)
        return self.known[name]

    def _work(self, what: str, task: Task) -> None:
        self.calls.append(what)
        task.step(1, 4, "halfway there")
        while not self.go_on_working.wait(0.01):
            task.raise_if_cancelled()
        if self.trouble:
            raise self.trouble
