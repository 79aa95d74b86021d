"""What the page of recommendations shows, and what it needs of a library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from sciread_app.domain.paper import PaperId
from sciread_app.domain.recommend import Among, Next, Subject, Wishes
from sciread_app.tasks import Task
from sciread_app.ui.papers import CardSource
from sciread_app.ui.values import Evidence


class Part(Enum):
    """The parts of what is new, as a switch shows them."""

    new = "new"
    seen = "seen"
    far = "far"  # less alike
    waved = "waved"  # away


@dataclass(frozen=True)
class Suggestions:
    """What is new for a subject, each part best first. `reasons`: why, for a person, by paper."""

    subject: Subject
    parts: Mapping[Part, Sequence[PaperId]] = field(default_factory=dict)
    evidence: Mapping[int, Evidence] = field(default_factory=dict)
    reasons: Mapping[int, str] = field(default_factory=dict)
    looked_at: int = 0
    note: str = ""
    hint: str = ""
    next: Next = Next.nothing
    wishes: Wishes = field(default_factory=Wishes)
    newest: float = 0.0  # when the last of them came

    def part(self, part: Part) -> Sequence[PaperId]:
        return self.parts.get(part, ())


class ForYou(CardSource, Protocol):
    """Each verb may take a while; none is called on the window's thread."""

    def subjects(self) -> Sequence[Subject]: ...

    def suggest(self, subject: Subject, among: Among, days: int, task: Task) -> Suggestions:
        """Raises BadQuery if what the subject asks for cannot be understood."""
        ...

    def count_new(self, subject: Subject, task: Task) -> int: ...

    def like(self, subject: Subject, papers: Sequence[int]) -> None: ...

    def wave_away(self, subject: Subject, papers: Sequence[int]) -> None: ...

    def take_back(self, subject: Subject, papers: Sequence[int]) -> None: ...

    def seen(self, subject: Subject, until: float) -> None: ...

    def wish(self, subject: Subject, wishes: Wishes) -> None: ...
