"""A suite: tasks that are read from a folder when they are wanted, each by itself."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from trainer.contract.errors import TrainerError
from trainer.evaluations.base import Measure, Outcome, Paper, Task, Vectors

# Parts of published data, as their files are named.
Part: TypeAlias = Literal["test", "val"]


@dataclass(frozen=True)
class Settings:
    """What a person may ask of any suite.

    `runs` is how often a protocol that draws by chance is repeated; 0: as often as its paper says.
    `part` is what models are told by, and `abstract_only` feeds them abstracts without titles: of
    suites that take it (see `SuiteSpec.takes`). `papers` is how many of the test part the local
    suite looks at, at the most; 0: as many as it says.
    """

    runs: int = 0
    part: Part = "test"
    abstract_only: bool = False
    papers: int = 0

    @property
    def split(self) -> str:
        """The part, as a report names it."""
        return "validation" if self.part == "val" else self.part


@dataclass(frozen=True)
class Planned:
    """A task that a suite has, if its data are there: `make` raises TrainerError where not."""

    name: str
    title: str
    make: Callable[[], Task]


@dataclass(frozen=True)
class Suite:
    """`about` says what its data are; a report is of this `name`."""

    name: str
    planned: Sequence[Planned]
    about: str = ""

    def choose(self, names: Collection[str]) -> Suite:
        """Only these tasks, in the suite's order; all where none is named. Raises TrainerError."""
        known = [planned.name for planned in self.planned]
        for name in names:
            if name not in known:
                raise TrainerError(
                    f"The suite {self.name} has no task {name!r}.", f"It has: {', '.join(known)}."
                )
        chosen = [planned for planned in self.planned if not names or planned.name in names]
        return Suite(self.name, chosen, self.about)


@dataclass(frozen=True)
class LeavingOut:
    """A measure of data of which something was left out when they were read: how often, and why."""

    measure: Measure
    excluded: Mapping[str, int]

    @property
    def runs(self) -> int:
        return int(getattr(self.measure, "runs", 1))

    def __call__(self, vectors: Vectors, queries: Vectors | None, seed: int) -> Outcome:
        found = self.measure(vectors, queries, seed)
        return replace(found, excluded={**self.excluded, **found.excluded})


def bind(
    name: str,
    evaluation: str,
    measure: Measure,
    papers: Iterable[Paper],
    judged: Any,
    *,
    split: str = "test",
    queries: Iterable[Paper] = (),
    left_out: Mapping[str, int] | None = None,
) -> Task:
    """A task whose hash is of its texts and of `judged`: what is known of them, as JSON has it.

    `left_out` counts, by reason, what reading the data left out.
    """
    texts, asked = list(papers), list(queries)
    if missing := {why: count for why, count in (left_out or {}).items() if count}:
        measure = LeavingOut(measure, missing)
    return Task(name, evaluation, split, _hash([texts, asked, judged]), texts, measure, asked)


def papers_of(papers: Mapping[str, Paper], ids: Iterable[str]) -> list[Paper]:
    """Those of the ids that are known, each once, by their ids."""
    return [papers[name] for name in sorted(set(ids)) if name in papers]


def _hash(data: Any) -> str:
    digest = hashlib.sha256()
    encoder = json.JSONEncoder(sort_keys=True, default=sorted, separators=(",", ":"))
    for part in encoder.iterencode(data):
        digest.update(part.encode())
    return digest.hexdigest()
