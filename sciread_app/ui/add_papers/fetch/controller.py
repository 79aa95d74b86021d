"""Runs fetches, one at a time per source, and reports their progress."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from sciread_app.domain.fetch import Fetch, SourceQuery
from sciread_app.domain.paper import LibraryChanges
from sciread_app.language import tr
from sciread_app.ui.jobs.runner import Job, JobQueue, JobRunner
from sciread_app.ui.progress import JobProgress
from sciread_app.ui.view_models import FetchResults

if TYPE_CHECKING:
    from sciread_app.ui.add_papers.gateway import AddPapersGateway

NEWS_MS = 60_000  # between two updates of the library with the papers of a long fetch


@dataclass
class RunningFetch:
    """A fetch that is running, or that is waiting and has no job yet."""

    fetch: Fetch
    job: Job | None = None
    stopping: bool = False

    @property
    def progress(self) -> JobProgress:
        return self.job.progress if self.job else JobProgress()


class FetchController(QObject):
    """The fetches of the library, running ones first, and the results of this session by their ids.

    Fetches from different sources run at the same time, those from one source in the order of
    requests. While any runs, the library is reported as changed once a minute, so that papers
    appear early.
    """

    listed = Signal()  # all fetches were loaded
    fetch_changed = Signal(int)  # the id of a fetch that was started, has progressed or has ended
    loaded = Signal(object)  # LibraryChanges
    failed = Signal(object)  # JobError

    def __init__(
        self, fetcher: AddPapersGateway, jobs: JobRunner, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._fetcher = fetcher
        self._jobs = jobs
        self.fetches: list[Fetch] = []
        self.results: dict[int, FetchResults] = {}
        self._now_and_then = QTimer(self, interval=NEWS_MS)
        self._now_and_then.timeout.connect(lambda: self.loaded.emit(LibraryChanges(papers=True)))
        self._running: dict[int, RunningFetch] = {}  # in the order of requests
        jobs.progressed.connect(self._progress)
        jobs.finished.connect(self._finished)

    def load(self) -> None:
        self._jobs.run(
            tr("Loading queries"),
            lambda task: self._fetcher.fetches(),
            self._list,
            replaces="fetches",
        )

    def refresh(self, fetch: int) -> None:
        """Fetch the new papers of a stored query."""

        def begin(fetches: list[Fetch]) -> None:
            self._list(fetches)
            self.run([one for one in fetches if one.id == fetch])

        self._jobs.run(tr("Loading queries"), lambda task: self._fetcher.fetches(), begin)

    def running(self, fetch: int) -> RunningFetch | None:
        return self._running.get(fetch)

    @property
    def busy(self) -> bool:
        return bool(self._running)

    def fetch(self, query: SourceQuery) -> None:
        """Store this query as a fetch, and run it."""

        def begin(fetch: Fetch) -> None:
            if all(known.id != fetch.id for known in self.fetches):
                self.fetches = [fetch, *self.fetches]
            self.run([fetch])

        self._jobs.run(
            tr("Saving a query"),
            lambda task: self._fetcher.keep(query),
            begin,
            on_failed=self.failed.emit,
        )

    def run(self, fetches: Sequence[Fetch]) -> None:
        """Resume or refresh these fetches, one after the other if they use the same source."""
        for fetch in fetches:
            if fetch.id not in self._running:
                self._running[fetch.id] = RunningFetch(fetch)
                self.fetch_changed.emit(fetch.id)
        self._next()
        self._list(self.fetches)
        if self.busy and not self._now_and_then.isActive():
            self._now_and_then.start()

    def stop(self, fetch: int) -> None:
        running = self._running.get(fetch)
        if running and running.job:
            running.stopping = True
            running.job.cancel()
            self.fetch_changed.emit(fetch)
        elif running:
            self._end(fetch)

    def _next(self) -> None:
        busy = {running.fetch.query.source for running in self._running.values() if running.job}
        for id, running in self._running.items():
            source = running.fetch.query.source
            if running.job is None and source not in busy:
                busy.add(source)
                running.job = self._jobs.run(
                    tr("Fetching {query}", query=running.fetch.query.text),
                    partial(self._fetcher.run, id),
                    partial(self.results.__setitem__, id),
                    on_failed=self.failed.emit,
                    queue=JobQueue.network,
                    stop_note=tr("Papers fetched so far are kept"),
                )
                running.job.retry = partial(self.run, [running.fetch])
                self.fetch_changed.emit(id)

    def _list(self, fetches: list[Fetch]) -> None:
        """Running fetches come first, then waiting ones."""
        self.fetches = sorted(fetches, key=lambda fetch: self._rank(fetch.id))
        self.listed.emit()

    def _rank(self, fetch: int) -> int:
        running = self._running.get(fetch)
        return 2 if running is None else 0 if running.job else 1

    def _progress(self, job: Job, done: int, total: int, note: str) -> None:
        for id, running in self._running.items():
            if running.job is job and not running.stopping:
                self.fetch_changed.emit(id)

    def _finished(self, job: Job) -> None:
        ended = [id for id, running in self._running.items() if running.job is job]
        for id in ended:
            self._end(id)
            self.loaded.emit(LibraryChanges(papers=True))
            self.load()

    def _end(self, fetch: int) -> None:
        del self._running[fetch]
        if not self.busy:
            self._now_and_then.stop()
        self.fetch_changed.emit(fetch)
        self._next()
