"""The services of the evaluation page, from an open workspace."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from sciread_app.domain.paper import Order, PaperId
from sciread_app.domain.query.parser import parse
from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.domain.training import LIBRARY, TrainingData, TrainingDataKind
from sciread_app.language import format_day, tr, trn
from sciread_app.services.evaluation.leaderboard import StoredReport
from sciread_app.services.map.map_service import MapLayout, MapService
from sciread_app.services.models.registry import ModelState
from sciread_app.services.search.search import SearchService
from sciread_app.services.subprocess.worker import run_in_subprocess
from sciread_app.services.training.corpora import SavedCorpus
from sciread_app.services.training.run_monitor import RunMonitor, RunProgress
from sciread_app.tasks import Task
from sciread_app.ui.evaluation.view_models import EvaluationCorpus, EvaluationResults, ModelToUse
from sciread_app.workspace import Workspace
from trainer.contract.plots import Picture, read_pictures

KNOWN = 60  # maximum number of papers you know that are listed
# Best known first: a user knows an annotated paper better than one that was only read.
_KNOWN_BY = ("has:highlights", "has:notes", "rating:>=4", "is:read")


class EvaluationGateway:
    """Every method blocks, may be called from any thread, and raises errors with a hint."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self.evaluation = workspace.evaluation
        self.comparer = workspace.comparer
        self.runs = workspace.training.runs
        self._monitors: dict[str, RunMonitor] = {}
        self._following = threading.Lock()

    def look(self) -> EvaluationResults:
        boards = self._workspace.scores.boards()
        corpora = {corpus.folder.name: corpus for corpus in self._workspace.corpora.all()}
        called = {
            board.key: corpus_words(corpora[board.data]) if board.data in corpora else board.data
            for board in boards
        }
        return EvaluationResults(boards, called)

    def to_use(self, better: StoredReport, other: StoredReport) -> ModelToUse | None:
        """The installed model of the better report; None if it is missing or in use."""
        installed = {m.space: m for m in self._workspace.models.all() if m.space and not m.problem}
        model, used = (installed.get(one.report.subject.space) for one in (better, other))
        if model is None or model.state not in (ModelState.idle, ModelState.earlier):
            return None
        recommended = used is not None and used.state is ModelState.active
        return ModelToUse(model.name, model.title, recommended)

    def pictures(self, stored: StoredReport) -> Mapping[str, Mapping[str, Picture]]:
        """The figures of a report by task and name."""
        return read_pictures(stored.folder)

    def progress_of(self, training: str, task: Task) -> RunProgress:
        with self._following:
            monitor = self._monitors.get(training)
            if monitor is None:
                monitor = RunMonitor(self.runs.find(training).folder)
                self._monitors[training] = monitor
            return monitor.look(task)

    def corpora(self) -> Sequence[EvaluationCorpus]:
        """Sets of papers for evaluation: the library, collections, earlier corpora."""
        papers = self._workspace.library.count()
        library_tree = self._workspace.editor.library_tree()
        library = trn("Library, {n:,} paper", "Library, {n:,} papers", papers)
        return [
            *([EvaluationCorpus(library, LIBRARY)] if papers else []),
            *(
                EvaluationCorpus(
                    tr("Collection {name}", name=c.path),
                    TrainingData(TrainingDataKind.collection, c.path),
                )
                for c in library_tree.collections
            ),
            *(
                EvaluationCorpus(
                    tr("Saved dataset: {what}", what=corpus_words(stored)),
                    TrainingData(TrainingDataKind.corpus, stored.id),
                )
                for stored in self._workspace.corpora.all()
            ),
        ]

    def known_papers(self) -> Sequence[PaperId]:
        """Papers the user knows well: rated, annotated or read."""
        library, found = self._workspace.library, list[int]()
        for query in _KNOWN_BY:
            if len(found) < KNOWN:
                ids = library.matching(parse(query).conditions)
                found += library.ordered(ids, Order.added)[:KNOWN].tolist()
                found = list(dict.fromkeys(found))
        found = found or library.ids(Order.added)[:KNOWN].tolist()
        return [PaperId(id) for id in found[:KNOWN]]

    def find(self, words: str, task: Task) -> Sequence[PaperId]:
        """Full-text search."""
        search = SearchService(self._workspace.library, None)
        found = search.find(parse(words), limit=KNOWN, mode=SearchMode.text, task=task)
        return [hit.paper for hit in found.hits] or [
            PaperId(int(id)) for id in found.ids[:KNOWN].tolist()
        ]

    def drawing(self, model: str) -> MapLayout | None:
        """The last map layout of this model."""
        with self._map_service(model) as map_service:
            return map_service.read() if map_service else None

    def draw(self, model: str, task: Task) -> MapLayout | None:
        with self._map_service(model) as map_service:
            return map_service.draw(task) if map_service else None

    @contextmanager
    def _map_service(self, model: str) -> Iterator[MapService | None]:
        """The map of a model; of the active model, the one that the map page shows."""
        workspace = self._workspace
        if model == workspace.active_model.model:
            with workspace.active_model.use() as now:
                if now.name == model:
                    yield workspace.map(now)
                    return
        space = workspace.comparison.space(model)
        yield MapService(workspace.library, space, workspace.home.indexes, run_in_subprocess)


def corpus_words(corpus: SavedCorpus) -> str:
    """The name of a saved dataset: its origin, its day and its number of papers."""
    papers = trn("{n:,} paper", "{n:,} papers", corpus.papers)
    day = format_day(corpus.made)
    what = {
        TrainingDataKind.library: tr("Library of {day}", day=day),
        TrainingDataKind.collection: tr(
            "Collection {name} of {day}", name=corpus.what.name, day=day
        ),
    }.get(corpus.what.kind, corpus.what.name or corpus.id)
    return f"{what}, {papers}"
