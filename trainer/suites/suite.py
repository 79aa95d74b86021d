"""Suites of evaluation tasks, each loaded on demand."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from trainer.contract.errors import TrainerError
from trainer.evaluations.base import EvaluationTask, Measure, TextInput

# Parts of published data, as their files are named.
Part: TypeAlias = Literal["test", "val"]


@dataclass(frozen=True)
class SuiteSettings:
    """Options common to all suites.

    `runs` is the number of repetitions of randomized protocols; 0: as in their papers. `part` is
    the part of published data to evaluate, and `abstract_only` encodes abstracts without titles,
    for suites that support them (see `SuiteSpec.takes`). `papers` limits the test papers that the
    local suite uses; 0: its own limits.
    """

    runs: int = 0
    part: Part = "test"
    abstract_only: bool = False
    papers: int = 0

    @property
    def split(self) -> str:
        """Name of the part in reports."""
        return "validation" if self.part == "val" else self.part


@dataclass(frozen=True)
class PlannedTask:
    """A task of a suite; `make` loads it and raises TrainerError if its data are missing."""

    name: str
    title: str
    make: Callable[[], EvaluationTask]


@dataclass(frozen=True)
class Suite:
    """Tasks under the `name` that reports use; `about` describes the data."""

    name: str
    planned: Sequence[PlannedTask]
    about: str = ""

    def choose(self, names: Collection[str]) -> Suite:
        """Select tasks by name, in the suite's order; no names select all. Raises TrainerError."""
        known = [planned.name for planned in self.planned]
        for name in names:
            if name not in known:
                raise TrainerError(
                    f"The suite {self.name} has no task {name!r}.",
                    f"Available: {', '.join(known)}.",
                )
        chosen = [planned for planned in self.planned if not names or planned.name in names]
        return Suite(self.name, chosen, self.about)


def bind(
    name: str,
    evaluation: str,
    measure: Measure,
    papers: Iterable[TextInput],
    judged: Any,
    *,
    split: str = "test",
    queries: Iterable[TextInput] = (),
    left_out: Mapping[str, int] | None = None,
) -> EvaluationTask:
    """Create a task. Its hash covers the texts and `judged`, the ground truth as JSON values.

    `left_out` counts the data excluded while reading, by reason.
    """
    texts, asked = list(papers), list(queries)
    sha256 = _hash([texts, asked, judged])
    missing = {why: count for why, count in (left_out or {}).items() if count}
    return EvaluationTask(name, evaluation, split, sha256, texts, measure, asked, left_out=missing)


def papers_of(papers: Mapping[str, TextInput], ids: Iterable[str]) -> list[TextInput]:
    """The papers with these ids, distinct, sorted by id; unknown ids are skipped."""
    return [papers[name] for name in sorted(set(ids)) if name in papers]


def _hash(data: Any) -> str:
    digest = hashlib.sha256()
    encoder = json.JSONEncoder(sort_keys=True, default=sorted, separators=(",", ":"))
    for part in encoder.iterencode(data):
        digest.update(part.encode())
    return digest.hexdigest()
