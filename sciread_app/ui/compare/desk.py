"""The models of a workspace, as the window asks two of them the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from sciread_app.domain.tex import readable
from sciread_app.domain.votes import Question
from sciread_app.language import tr
from sciread_app.services.search import Mode as SearchMode
from sciread_app.services.search import Search
from sciread_app.services.votes import Tally, said
from sciread_app.tasks import Task
from sciread_app.ui.compare.values import Answer, Candidate, Count
from sciread_app.ui.listings import BEST, listing_of
from sciread_app.ui.values import Mode
from sciread_app.workspace import Workspace


class WorkspaceOthers:
    """Every verb blocks, and may be called from any thread."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def models(self, task: Task) -> list[Candidate]:
        active = self._workspace.answering.model
        usable = [model for model in self._workspace.models.all() if not model.problem]
        called = Counter(model.title for model in usable)
        found = [
            Candidate(
                model.name,
                model.title if called[model.title] == 1 else f"{model.title} ({model.name})",
                model.name == active,
            )
            for model in usable
        ]
        return sorted(found, key=lambda one: not one.answers)

    def ask(self, name: str, query: str, mode: Mode, task: Task) -> Answer:
        with self._search(name) as (search, read, papers):
            if not read:
                return Answer(0, papers)
            by = SearchMode(mode.value)
            found = search.find(query, limit=BEST, mode=by, task=task)
            return Answer(read, papers, listing_of(found).with_weaker())

    def encode(self, name: str, task: Task) -> int:
        if name == self._workspace.answering.model:
            return self._workspace.answering.catch_up(task)
        return self._workspace.others.encode(name, task)

    def count(self, one: str, other: str) -> Count:
        return self._count(self._workspace.votes.between(one, other))

    def vote(self, question: Question, one: str, other: str, better: str) -> Count:
        return self._count(self._workspace.votes.cast(question, one, other, better))

    def take_back(self, one: str, other: str) -> tuple[str, Count]:
        question = self._workspace.votes.take_back(one, other)
        return self._words(question) if question else "", self.count(one, other)

    def close(self) -> None:
        self._workspace.others.close()

    @contextmanager
    def _search(self, name: str) -> Iterator[tuple[Search, int, int]]:
        """With how many papers it has read, of how many. What answers everywhere is asked where
        it answers, so that no model is opened twice."""
        workspace = self._workspace
        if name == workspace.answering.model:
            with workspace.answering.use() as now:
                if now.name == name and now.space:
                    papers = workspace.library.ids()
                    read = len(papers) - now.space.without_vector(papers)
                    yield now.search, read, len(papers)
                    return
        read, papers_here = workspace.others.standing(name)
        yield workspace.others.search(name), read, papers_here

    def _count(self, tally: Tally) -> Count:
        titles = {model.name: model.title for model in self._workspace.models.all()}
        return Count(tally.questions, said(tally, lambda name: titles.get(name, name)))

    def _words(self, question: Question) -> str:
        if question.paper is None:
            return question.query
        found = self._workspace.library.get([question.paper])
        return readable(found[0].title) if found else tr("a paper that is gone")
