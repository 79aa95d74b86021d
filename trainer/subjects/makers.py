"""What makes vectors of a task's texts, whatever it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

from trainer.contract.report import Subject
from trainer.evaluations.base import Paper, Task, Vectors
from trainer.evaluations.matrices import unit_length


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

    def vectors(
        self, papers: Sequence[Paper], queries: Sequence[Paper] = (), *, raw: bool = True
    ) -> Made:
        """As long as they are made, or with `raw` off, of unit length. Raises TrainerError.

        `queries` of the result is None where none are asked for.
        """
        ...


def titles_only(papers: Iterable[Paper]) -> list[Paper]:
    """The same papers without their abstracts."""
    return [paper._replace(abstract="") for paper in papers]


def has_text(paper: Paper) -> bool:
    return bool(paper.title.strip() or paper.abstract.strip())


def scaled(vectors: Vectors) -> Vectors:
    """The same at unit length; a vector of zeros stays one."""
    return replace(vectors, matrix=unit_length(vectors.matrix))
