"""Services and view models of the comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from sciread_app.domain.query.parser import Query
from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.domain.votes import Question
from sciread_app.language import trn
from sciread_app.tasks import Task
from sciread_app.ui.paper_list.paper_list import CardSource
from sciread_app.ui.view_models import EMPTY_RESULTS, ResultList


class ComparableModel(NamedTuple):
    """A model that can be compared: name and title."""

    name: str
    title: str
    answers: bool = False  # whether it is the active model


@dataclass(frozen=True)
class ModelResults:
    """Results of a model with the numbers of `read` and all papers; or its error, `trouble`."""

    read: int = 0
    papers: int = 0
    listing: ResultList = EMPTY_RESULTS
    trouble: str = ""

    @property
    def missing(self) -> int:
        return max(0, self.papers - self.read)

    @property
    def whole(self) -> bool:
        return not self.missing and not self.trouble

    def words(self) -> str:
        """A warning about the results; empty if there is none."""
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


class VoteCount(NamedTuple):
    """Number of queries with votes, and the outcome in words."""

    votes: int = 0
    said: str = ""


class ComparisonServices(Protocol):
    """Services for the comparison. Errors are raised with a hint."""

    def models(self, task: Task) -> Sequence[ComparableModel]:
        """Installed models, the active one first."""
        ...

    def ask(self, name: str, query: Query, mode: SearchMode, task: Task) -> ModelResults: ...

    def encode(self, name: str, task: Task) -> int: ...

    def count(self, one: str, other: str) -> VoteCount: ...

    def vote(self, question: Question, one: str, other: str, better: str) -> VoteCount: ...

    def take_back(self, one: str, other: str) -> tuple[str, VoteCount]:
        """Undo the last vote on these two. Returns its query; empty if there was none."""
        ...

    def close(self) -> None:
        """Unload the models; they are loaded again when needed."""
        ...


class CompareSource(CardSource, Protocol):
    @property
    def comparisons(self) -> ComparisonServices: ...
