"""The data and the runs that the training page shows, from an open workspace."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

from sciread_app.domain.paper import PaperId
from sciread_app.domain.training import TrainingData, TrainingDataKind
from sciread_app.errors import LibraryError
from sciread_app.services.models.installer import DownloadRequest
from sciread_app.services.models.registry import ModelState
from sciread_app.services.training.run_import import OpenedRun
from sciread_app.services.training.run_monitor import RunMonitor
from sciread_app.tasks import Task
from sciread_app.ui.training.text import citations_text, corpus_title
from sciread_app.ui.training.view_models import CorpusChoice, TrainingChoices, TrainingDetails
from sciread_app.workspace import Workspace


class TrainingGateway:
    """Every method blocks, may be called from any thread, and raises errors with a hint."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self.service = workspace.training
        self.importer = workspace.run_importer
        self._monitors: dict[str, RunMonitor] = {}
        self._looking = threading.Lock()

    def choices(self) -> TrainingChoices:
        library_tree = self._workspace.editor.library_tree()
        collections = [
            CorpusChoice(TrainingData(TrainingDataKind.collection, one.path), one.path, one.count)
            for one in library_tree.collections
            if one.count
        ]
        corpora = [
            CorpusChoice(
                TrainingData(TrainingDataKind.corpus, one.id), corpus_title(one), one.papers
            )
            for one in self._workspace.corpora.all()
        ]
        models = [model.name for model in self._workspace.models.all() if not model.problem]
        return TrainingChoices(collections, corpora, models)

    def look(self, name: str, task: Task) -> TrainingDetails:
        runs = self.service.runs
        training = runs.find(name)
        with self._looking:  # a monitor must not be used by two threads
            monitor = self._monitors.get(name) or RunMonitor(training.folder)
            self._monitors[name] = monitor
            progress = monitor.look(task)
        scores = runs.scores(name) if training.space else ()
        return TrainingDetails(
            training,
            progress,
            scores,
            self._model(training.space),
            self._is_in_use(training.base),
            self._papers(training.corpus),
        )

    def open(self, source: Path, task: Task) -> OpenedRun:
        with self._looking:
            opened = self.importer.open(source, task)
            # The followed file of this name may have been replaced.
            self._monitors.pop(opened.training.name, None)
        return opened

    def cite(self, papers: Sequence[int], task: Task) -> str:
        """Fetch citations between these papers; returns a sentence on the result."""
        return citations_text(
            self._workspace.citation_fetcher.fetch(task, among=map(PaperId, papers))
        )

    def fetch_model(self, name: str, task: Task) -> None:
        """Download a base model from the hub."""
        self._workspace.installer.pull(DownloadRequest(name), task)

    def _papers(self, corpus: Path) -> str:
        try:
            return corpus_title(self._workspace.corpora.find(str(corpus)))
        except LibraryError:  # the corpus was deleted, or the run comes from another computer
            return ""

    def _is_in_use(self, base: str) -> bool:
        """Whether the model of this name or folder is the one that searches use."""
        used = next((m for m in self._workspace.models.all() if m.state is ModelState.active), None)
        return used is not None and used.name in (base, Path(base).name)

    def _model(self, space: str) -> str:
        """The installed model that makes the same vectors."""
        known = self._workspace.models.all() if space else ()
        return next((model.name for model in known if model.space == space), "")
