"""What is asked of two models, and what they answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from sciread_app.domain.votes import Question
from sciread_app.language import trn
from sciread_app.tasks import Task
from sciread_app.ui.papers import NOTHING, CardSource
from sciread_app.ui.values import Listing, Mode


class Candidate(NamedTuple):
    """A model that can be asked: its name, and how people call it."""

    name: str
    title: str
    answers: bool = False  # all other searches, too


@dataclass(frozen=True)
class Answer:
    """What a model finds among the papers that it has `read`, of how many; or its `trouble`."""

    read: int = 0
    papers: int = 0
    listing: Listing = NOTHING
    trouble: str = ""

    @property
    def missing(self) -> int:
        return max(0, self.papers - self.read)

    @property
    def whole(self) -> bool:
        return not self.missing and not self.trouble

    def words(self) -> str:
        """What is to be known before one looks at it; empty if nothing is."""
        if self.trouble or not self.missing:
            return self.trouble or self.listing.note
        if not self.read:
            return trn(
                "It has not read your paper yet.", "It has not read your papers yet.", self.papers
            )
        return trn(
            "It has read {read:,} of {n:,} paper, and finds among those.",
            "It has read {read:,} of {n:,} papers, and finds among those.",
            self.papers,
            read=self.read,
        )


class Count(NamedTuple):
    """On how many questions there are votes, and what they come to in words."""

    votes: int = 0
    said: str = ""


class Others(Protocol):
    """The models that are here. What cannot be opened or asked is raised with a hint."""

    def models(self, task: Task) -> Sequence[Candidate]:
        """The one that answers first."""
        ...

    def ask(self, name: str, query: str, mode: Mode, task: Task) -> Answer: ...

    def encode(self, name: str, task: Task) -> int: ...

    def count(self, one: str, other: str) -> Count: ...

    def vote(self, question: Question, one: str, other: str, better: str) -> Count: ...

    def take_back(self, one: str, other: str) -> tuple[str, Count]:
        """Forget the last vote on these two. Returns on what it was; empty if there was none."""
        ...

    def close(self) -> None:
        """Stop the models; they start again when they are asked."""
        ...


class CompareSource(CardSource, Protocol):
    @property
    def others(self) -> Others: ...
