"""What makes vectors of a task's texts, whatever it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from trainer.contract.report import Subject
from trainer.evaluations.base import Paper, Task, Vectors


@dataclass(frozen=True)
class Cost:
    """What making vectors of some texts took, now or when they were put into the cache.

    `cut` counts the papers whose end was not read; `seconds` are those of one process, without
    loading the model.
    """

    texts: int
    tokens: int
    cut: int
    seconds: float

    @property
    def texts_per_second(self) -> float:
        return self.texts / self.seconds if self.seconds else 0.0

    @property
    def tokens_per_second(self) -> float:
        return self.tokens / self.seconds if self.seconds else 0.0


class Made(NamedTuple):
    """Vectors of papers and of typed queries; the cost is None where none were made of texts."""

    papers: Vectors
    queries: Vectors | None
    cost: Cost | None


class Maker(Protocol):
    """A model, a file of vectors or a baseline at work."""

    @property
    def subject(self) -> Subject: ...

    def why_not(self, task: Task) -> str:
        """Why it has no part in this task; empty where it has."""
        ...

    def vectors(self, papers: Sequence[Paper], queries: Sequence[Paper] = ()) -> Made:
        """As they are made, not scaled to unit length. Raises TrainerError.

        `queries` of the result is None where none are asked for.
        """
        ...


def has_text(paper: Paper) -> bool:
    return bool(paper.title.strip() or paper.abstract.strip())
