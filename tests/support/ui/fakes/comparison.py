"""A fake of the comparison: two models with vectors, one without, one that is broken."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from sciread_app.domain.paper import Order
from sciread_app.domain.query.parser import Query
from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.domain.votes import Question
from sciread_app.errors import LibraryError
from sciread_app.services.evaluation.evaluation_service import EvaluationCandidate
from sciread_app.tasks import Task
from sciread_app.ui.compare.view_models import ComparableModel, ModelResults, VoteCount
from tests.support.ui.fakes.search import FakeSearch
from trainer.contract.errors import PackageRefused


class FakeComparison:
    """Answer for several models; `same` finds what the starter finds."""

    def __init__(self, gateway: FakeSearch) -> None:
        self._gateway = gateway
        self.read = {
            "starter": gateway.count, "specter-ours": gateway.count, "miread-ours": 0,
            "same": gateway.count,
        }  # fmt: skip
        self.closed = 0
        self.votes: list[tuple[Question, str]] = []
        self.full = False  # if set, votes cannot be saved
        self.notes: dict[str, str] = {}
        self.fresh: list[EvaluationCandidate] = []  # trained, and not added to Models

    def models(self, task: Task) -> list[ComparableModel]:
        active = self._gateway.activation.active
        names = [*self.read, "broken"] if self.read else ["starter"]
        found = [ComparableModel(name, name.title(), name == active) for name in names]
        return sorted(found, key=lambda one: not one.is_active)

    def trained(self) -> list[EvaluationCandidate]:
        return self.fresh

    def add_trained(self, run: str, task: Task) -> str:
        self.fresh = []
        self.read |= {"starter": self._gateway.count, run: self._gateway.count}
        return run

    def ask(self, name: str, query: Query, mode: SearchMode, task: Task) -> ModelResults:
        """Return the results of the search; models other than `starter` and `same` move the first
        paper to the end and add an unknown one.
        """
        if name == "broken":
            raise PackageRefused("The model broken is not whole.", "Fetch it again.")
        read, papers = self.read.get(name, 0), self._gateway.count
        if not read:
            return ModelResults(0, papers)
        found = replace(self._gateway.find(query, mode, task, Order.relevance), note="")
        if name not in ("starter", "same"):
            first, *others = found.ids or (998,)
            found = replace(found, ids=(*others, first, 999))
        return ModelResults(read, papers, replace(found, note=self.notes.get(name, "")))

    def encode(self, name: str, task: Task) -> int:
        self.read[name] = self._gateway.count
        return self._gateway.count

    def count(self, one: str, other: str) -> VoteCount:
        counted = Counter(better for _, better in self.votes)
        counts = ", ".join(f"{better or 'neither'} {n}" for better, n in counted.items())
        return VoteCount(len(self.votes), f"Votes: {counts}." if counts else "No votes.")

    def vote(self, question: Question, one: str, other: str, better: str) -> VoteCount:
        if self.full:
            raise LibraryError("The disk is full.", "Make room.")
        self.votes.append((question, better))
        return self.count(one, other)

    def take_back(self, one: str, other: str) -> tuple[str, VoteCount]:
        question, _ = self.votes.pop()
        return question.query or f"Paper {question.paper}", self.count(one, other)

    def close(self) -> None:
        self.closed += 1
