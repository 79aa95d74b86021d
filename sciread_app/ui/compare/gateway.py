"""The services of the comparison of two models, from an open workspace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sciread_app.domain.query.parser import Query
from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.domain.text.tex import readable
from sciread_app.domain.votes import Question
from sciread_app.language import tr
from sciread_app.services.models.blind_votes import VoteTally, tally_text
from sciread_app.services.search.search import SearchService
from sciread_app.tasks import Task
from sciread_app.ui.compare.view_models import ComparableModel, ModelResults, VoteCount
from sciread_app.ui.result_mapping import BEST, listing_of
from sciread_app.workspace import Workspace

if TYPE_CHECKING:
    from sciread_app.services.evaluation.evaluation_service import EvaluationCandidate


class CompareGateway:
    """Every method blocks, may be called from any thread, and raises errors with a hint."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def models(self, task: Task) -> list[ComparableModel]:
        """Installed models, the active one first."""
        active = self._workspace.active_model.model
        usable = [model for model in self._workspace.models.all() if not model.problem]
        called = Counter(model.title for model in usable)
        found = [
            ComparableModel(
                model.name,
                model.title if called[model.title] == 1 else f"{model.title} ({model.name})",
                model.name == active,
            )
            for model in usable
        ]
        return sorted(found, key=lambda one: not one.is_active)

    def trained(self) -> list[EvaluationCandidate]:
        """The models of training runs that were not added to Models."""
        return [one for one in self._workspace.evaluation.candidates() if one.kind == "run"]

    def add_trained(self, run: str, task: Task) -> str:
        """Add the model of a training run to Models; returns its name there."""
        return self._workspace.run_importer.add_model(run, task)

    def ask(self, name: str, query: Query, mode: SearchMode, task: Task) -> ModelResults:
        with self._search(name) as (search, read, papers):
            if not read:
                return ModelResults(0, papers)
            found = search.find(query, limit=BEST, mode=mode, task=task)
            return ModelResults(read, papers, listing_of(found).with_weaker())

    def encode(self, name: str, task: Task) -> int:
        if name == self._workspace.active_model.model:
            return self._workspace.active_model.encode_missing(task)
        return self._workspace.comparison.encode(name, task)

    def count(self, one: str, other: str) -> VoteCount:
        return self._count(self._workspace.votes.between(one, other))

    def vote(self, question: Question, one: str, other: str, better: str) -> VoteCount:
        return self._count(self._workspace.votes.cast(question, one, other, better))

    def take_back(self, one: str, other: str) -> tuple[str, VoteCount]:
        """Undo the last vote on these two. Returns its query; empty if there was none."""
        question = self._workspace.votes.take_back(one, other)
        return self._words(question) if question else "", self.count(one, other)

    def close(self) -> None:
        """Unload the models; they are loaded again when needed."""
        self._workspace.comparison.close()

    @contextmanager
    def _search(self, name: str) -> Iterator[tuple[SearchService, int, int]]:
        """Yield the search of a model, the number of indexed papers and the number of all papers.

        The active model is already open, so its search is used and the model is not loaded twice.
        """
        workspace = self._workspace
        if name == workspace.active_model.model:
            with workspace.active_model.use() as now:
                if now.name == name and now.index:
                    papers = workspace.library.ids()
                    read = len(papers) - now.index.count_without_vector(papers)
                    yield now.search, read, len(papers)
                    return
        read, total = workspace.comparison.progress(name)
        yield workspace.comparison.search(name), read, total

    def _count(self, tally: VoteTally) -> VoteCount:
        titles = {model.name: model.title for model in self._workspace.models.all()}
        return VoteCount(tally.questions, tally_text(tally, lambda name: titles.get(name, name)))

    def _words(self, question: Question) -> str:
        if question.paper is None:
            return question.query
        found = self._workspace.library.get([question.paper])
        return readable(found[0].title) if found else tr("a deleted paper")
