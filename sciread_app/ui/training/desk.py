"""What the page of trainings asks for, answered from a workspace."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

from sciread_app.domain.paper import PaperId
from sciread_app.domain.training import Data, Kind
from sciread_app.errors import LibraryError
from sciread_app.services.following import Follower
from sciread_app.services.model_arrivals import Wanted
from sciread_app.services.models import State
from sciread_app.services.run_arrivals import Opened
from sciread_app.services.runs import Training
from sciread_app.services.training import Check, Estimate, Plan
from sciread_app.services.training_job import write_job
from sciread_app.tasks import Task
from sciread_app.ui.training.values import Choice, Choices, Told
from sciread_app.ui.training.words import came, corpus_title
from sciread_app.workspace import Workspace


class WorkspaceTeaching:
    """Every verb blocks, and may be called from any thread."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._followers: dict[str, Follower] = {}
        self._looking = threading.Lock()

    def trainings(self) -> Sequence[Training]:
        return self._workspace.learning.runs.all()

    def choices(self) -> Choices:
        shelf = self._workspace.organise.shelf()
        collections = [
            Choice(Data(Kind.collection, one.path), one.path, one.count)
            for one in shelf.collections
            if one.count
        ]
        corpora = [
            Choice(Data(Kind.corpus, one.id), corpus_title(one), one.papers)
            for one in self._workspace.corpora.all()
        ]
        models = [model.name for model in self._workspace.models.all() if not model.problem]
        return Choices(collections, corpora, models)

    def check(self, plan: Plan, task: Task) -> Check:
        return self._workspace.learning.check(plan, task)

    def estimate(self, plan: Plan, task: Task) -> Estimate:
        return self._workspace.learning.estimate(plan, task)

    def start(self, plan: Plan, task: Task) -> Training:
        return self._workspace.learning.start(plan, task)

    def write_job(self, plan: Plan, target: Path, task: Task) -> Path:
        recipe = self._workspace.learning.recipe(plan, task)
        return write_job(recipe, self._workspace.home, target, task)

    def stop(self, name: str) -> Training:
        return self._workspace.learning.runs.stop(name)

    def go_on(self, name: str) -> Training:
        return self._workspace.learning.runs.go_on(name)

    def remove(self, name: str) -> None:
        self._workspace.learning.runs.remove(name)

    def log(self, name: str) -> str:
        return self._workspace.learning.runs.log(name)

    def look(self, name: str, task: Task) -> Told:
        runs = self._workspace.learning.runs
        training = runs.find(name)
        with self._looking:  # a follower is not for two at once
            follower = self._followers.get(name) or Follower(training.folder)
            self._followers[name] = follower
            story = follower.look(task)
        scores = runs.scores(name) if training.space else ()
        return Told(
            training,
            story,
            scores,
            self._model(training.space),
            self._is_in_use(training.base),
            self._papers(training.corpus),
        )

    def open(self, source: Path, task: Task) -> Opened:
        with self._looking:
            opened = self._workspace.run_arrivals.open(source, task)
            # What is followed under its name may be another file now.
            self._followers.pop(opened.training.name, None)
        return opened

    def add_model(self, name: str, task: Task) -> str:
        return self._workspace.run_arrivals.add_model(name, task)

    def cite(self, papers: Sequence[int], task: Task) -> str:
        return came(self._workspace.citing.fetch(task, among=map(PaperId, papers)))

    def fetch_model(self, name: str, task: Task) -> None:
        self._workspace.arrivals.pull(Wanted(name), task)

    def remove_corpus(self, id: str) -> None:
        self._workspace.corpora.remove(id)

    def _papers(self, corpus: Path) -> str:
        try:
            return corpus_title(self._workspace.corpora.find(str(corpus)))
        except LibraryError:  # it is gone, or came from another computer
            return ""

    def _is_in_use(self, base: str) -> bool:
        """Whether the model of this name or folder is the one that searches use."""
        used = next((m for m in self._workspace.models.all() if m.state is State.answers), None)
        return used is not None and used.name in (base, Path(base).name)

    def _model(self, space: str) -> str:
        """The installed model that makes the same vectors."""
        known = self._workspace.models.all() if space else ()
        return next((model.name for model in known if model.space == space), "")
