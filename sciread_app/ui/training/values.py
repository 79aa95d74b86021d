"""What the page of trainings asks for, and what it gets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from sciread_app.domain.training import Data
from sciread_app.services.following import Story
from sciread_app.services.model_cards import Scored
from sciread_app.services.run_arrivals import Opened
from sciread_app.services.runs import Training
from sciread_app.services.training import Check, Estimate, Plan
from sciread_app.tasks import Task


class Choice(NamedTuple):
    """Papers that can be learned from. `title` is what a person calls them."""

    data: Data
    title: str
    papers: int


class Choices(NamedTuple):
    """Collections, papers that were put aside before, and models to start from."""

    collections: Sequence[Choice] = ()
    corpora: Sequence[Choice] = ()
    models: Sequence[str] = ()


@dataclass(frozen=True)
class Told:
    """All there is to say about a training. `model` is the name of the model that it has made, as
    it is installed; empty if it is not. `base_in_use`: searches use the model it started from.
    `papers` is what a person calls the papers it learns from."""

    training: Training
    story: Story
    scores: Sequence[Scored] = ()
    model: str = ""
    base_in_use: bool = False
    papers: str = ""


class Teacher(Protocol):
    """Every verb blocks; what goes wrong is raised with a hint."""

    def trainings(self) -> Sequence[Training]:
        """Those that go on come first, then the one of which there was news last."""
        ...

    def choices(self) -> Choices: ...

    def check(self, plan: Plan, task: Task) -> Check: ...

    def estimate(self, plan: Plan, task: Task) -> Estimate: ...

    def start(self, plan: Plan, task: Task) -> Training: ...

    def write_job(self, plan: Plan, target: Path, task: Task) -> Path: ...

    def stop(self, name: str) -> Training: ...

    def go_on(self, name: str) -> Training: ...

    def remove(self, name: str) -> None: ...

    def log(self, name: str) -> str: ...

    def look(self, name: str, task: Task) -> Told: ...

    def open(self, source: Path, task: Task) -> Opened: ...

    def add_model(self, name: str, task: Task) -> str:
        """Take in the model that a training has made; its name."""
        ...

    def cite(self, papers: Sequence[int], task: Task) -> str:
        """Fetch who cites whom of these papers; in a sentence, what has come."""
        ...

    def fetch_model(self, name: str, task: Task) -> None:
        """Fetch a model to start from, from the hub."""
        ...

    def remove_corpus(self, id: str) -> None: ...
