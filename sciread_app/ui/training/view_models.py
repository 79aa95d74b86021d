"""Services and view models of the training page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from sciread_app.domain.training import TrainingData
from sciread_app.services.models.model_card import CardScore
from sciread_app.services.training.run_import import OpenedRun
from sciread_app.services.training.run_monitor import RunProgress
from sciread_app.services.training.runs import TrainingRun
from sciread_app.services.training.training_service import (
    TrainingCheck,
    TrainingEstimate,
    TrainingPlan,
)
from sciread_app.tasks import Task


class CorpusChoice(NamedTuple):
    """A set of papers for training, with its title."""

    data: TrainingData
    title: str
    papers: int


class TrainingChoices(NamedTuple):
    """Collections, earlier corpora, and base models."""

    collections: Sequence[CorpusChoice] = ()
    corpora: Sequence[CorpusChoice] = ()
    models: Sequence[str] = ()


@dataclass(frozen=True)
class TrainingDetails:
    """Details of a run.

    `model` is the installed model that it produced; empty if it is not installed. `base_in_use`:
    the active model is its base model. `papers` is the title of its training data.
    """

    training: TrainingRun
    story: RunProgress
    scores: Sequence[CardScore] = ()
    model: str = ""
    base_in_use: bool = False
    papers: str = ""


class TrainingServices(Protocol):
    """Services for training. Every method blocks; errors are raised with a hint."""

    def trainings(self) -> Sequence[TrainingRun]:
        """Running ones first, then by latest activity."""
        ...

    def choices(self) -> TrainingChoices: ...

    def check(self, plan: TrainingPlan, task: Task) -> TrainingCheck: ...

    def estimate(self, plan: TrainingPlan, task: Task) -> TrainingEstimate: ...

    def start(self, plan: TrainingPlan, task: Task) -> TrainingRun: ...

    def write_job(self, plan: TrainingPlan, target: Path, task: Task) -> Path: ...

    def stop(self, name: str) -> TrainingRun: ...

    def resume(self, name: str) -> TrainingRun: ...

    def remove(self, name: str) -> None: ...

    def log(self, name: str) -> str: ...

    def look(self, name: str, task: Task) -> TrainingDetails: ...

    def open(self, source: Path, task: Task) -> OpenedRun: ...

    def add_model(self, name: str, task: Task) -> str:
        """Install the model of a run; returns its name."""
        ...

    def cite(self, papers: Sequence[int], task: Task) -> str:
        """Fetch citations between these papers; returns a sentence on the result."""
        ...

    def fetch_model(self, name: str, task: Task) -> None:
        """Download a base model from the hub."""
        ...

    def remove_corpus(self, id: str) -> None: ...
