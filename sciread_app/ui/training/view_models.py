"""View models of the training page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sciread_app.domain.training import TrainingData
from sciread_app.services.models.model_card import CardScore
from sciread_app.services.training.run_monitor import RunProgress
from sciread_app.services.training.runs import TrainingRun


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
    progress: RunProgress
    scores: Sequence[CardScore] = ()
    model: str = ""
    base_in_use: bool = False
    papers: str = ""
