"""The common interface of encoders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from trainer.contract.report import EvaluatedModel
from trainer.evaluations.base import EvaluationTask, TextInput, Vectors


@dataclass(frozen=True)
class Cost:
    """Cost of encoding texts, now or when their vectors were cached.

    `cut` counts truncated papers; `seconds` is the time of one process, without loading the model.
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


class EncodedTask(NamedTuple):
    """Vectors of papers and typed queries; the cost is None if no text was encoded."""

    papers: Vectors
    queries: Vectors | None
    cost: Cost | None


class TextEncoder(Protocol):
    """A model, vector file or baseline that returns vectors for texts."""

    @property
    def subject(self) -> EvaluatedModel: ...

    def unsupported_reason(self, task: EvaluationTask) -> str:
        """Why it cannot run this task; empty if it can."""
        ...

    def encode(self, papers: Sequence[TextInput], queries: Sequence[TextInput] = ()) -> EncodedTask:
        """Encode texts, without normalization. Raises TrainerError.

        `queries` of the result is None if no queries are given.
        """
        ...


def has_text(paper: TextInput) -> bool:
    return bool(paper.title.strip() or paper.abstract.strip())
