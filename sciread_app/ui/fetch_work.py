"""Fetches at work: those of one source take turns, and each tells how far it is."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from PySide6.QtCore import QObject, QTimer, Signal

from sciread_app.domain.fetches import Fetch, Preview, SourceQuery
from sciread_app.domain.paper import Changes
from sciread_app.language import tr
from sciread_app.tasks import Task
from sciread_app.ui.foot import Pace
from sciread_app.ui.jobs import Job, Jobs, Lane
from sciread_app.ui.values import Brought, SourceForm

NEWS_MS = 60_000  # until what a long fetch has brought is shown, though it is not done


class Fetcher(Protocol):
    """What is needed of fetching. Each verb may take a while; none is called on this thread."""

    def sources(self) -> Sequence[SourceForm]: ...

    def check(self, query: SourceQuery) -> str:
        """What is wrong with a query, as a sentence; empty if nothing is."""
        ...

    def preview(self, query: SourceQuery, task: Task) -> Preview: ...

    def keep(self, query: SourceQuery) -> Fetch:
        """The fetch of this query, new or known from before. Raises BadQuery."""
        ...

    def run(self, fetch: int, task: Task) -> Brought:
        """Go on with a fetch, or refresh one that was done. Raises SourceError."""
        ...

    def fetches(self) -> list[Fetch]: ...

    def brought(self, fetch: int) -> Brought:
        """What the last run has brought so far."""
        ...

    def forget(self, fetch: int) -> None: ...


@dataclass
class Going:
    """A fetch that waits for its turn, while it has no job, or is being fetched."""

    fetch: Fetch
    job: Job | None = None
    done: int = 0
    total: int = 0  # 0: unknown
    note: str = ""
    stopping: bool = False
    pace: Pace = field(default_factory=Pace)


class FetchWork(QObject):
    listed = Signal()  # all fetches were read anew
    moved = Signal(int)  # a fetch was started, went on or ended
    came = Signal(object)  # Changes
    troubled = Signal(object)  # Problem

    def __init__(self, fetcher: Fetcher, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._fetcher = fetcher
        self._jobs = jobs
        self.fetches: list[Fetch] = []
        self.brought: dict[int, Brought] = {}
        self._now_and_then = QTimer(self, interval=NEWS_MS)
        self._now_and_then.timeout.connect(lambda: self.came.emit(Changes(papers=True)))
        self._going: dict[int, Going] = {}  # in the order in which they were asked for
        jobs.progressed.connect(self._progress)
        jobs.finished.connect(self._finished)

    def load(self) -> None:
        self._jobs.run(
            tr("Reading the fetches"),
            lambda task: self._fetcher.fetches(),
            self._list,
            lane=Lane.light,
            instead_of="fetches",
        )

    def going(self, fetch: int) -> Going | None:
        return self._going.get(fetch)

    @property
    def busy(self) -> bool:
        return bool(self._going)

    def fetch(self, query: SourceQuery) -> None:
        """Remember this query, and fetch what it finds."""

        def begin(fetch: Fetch) -> None:
            if all(known.id != fetch.id for known in self.fetches):
                self.fetches = [fetch, *self.fetches]
            self.run([fetch])

        self._jobs.run(
            tr("Starting a fetch"),
            lambda task: self._fetcher.keep(query),
            begin,
            on_failed=self.troubled.emit,
            lane=Lane.light,
        )

    def run(self, fetches: Sequence[Fetch]) -> None:
        """Go on with these, or refresh them, one after the other where they ask one source."""
        for fetch in fetches:
            if fetch.id not in self._going:
                self._going[fetch.id] = Going(fetch)
                self.moved.emit(fetch.id)
        self._next()
        self._list(self.fetches)
        if self.busy and not self._now_and_then.isActive():
            self._now_and_then.start()

    def stop(self, fetch: int) -> None:
        going = self._going.get(fetch)
        if going and going.job:
            going.stopping = True
            going.job.cancel()
            self.moved.emit(fetch)
        elif going:
            self._end(fetch)

    def forget(self, fetch: int) -> None:
        """Drop it from the list; its papers stay. What is going on must be stopped first."""
        if fetch in self._going:
            return
        self.brought.pop(fetch, None)
        self._jobs.run(
            tr("Removing a fetch"),
            lambda task: self._fetcher.forget(fetch),
            lambda _: self.load(),
            lane=Lane.light,
        )

    def _next(self) -> None:
        busy = {going.fetch.query.source for going in self._going.values() if going.job}
        for id, going in self._going.items():
            source = going.fetch.query.source
            if going.job is None and source not in busy:
                busy.add(source)
                going.job = self._jobs.run(
                    tr("Fetching {query}", query=going.fetch.query.text),
                    partial(self._fetcher.run, id),
                    partial(self.brought.__setitem__, id),
                    on_failed=self.troubled.emit,
                    lane=Lane.network,
                )
                going.job.again = partial(self.run, [going.fetch])
                self.moved.emit(id)

    def _list(self, fetches: list[Fetch]) -> None:
        """What goes on stands first, then what waits for its turn."""
        self.fetches = sorted(fetches, key=lambda fetch: self._rank(fetch.id))
        self.listed.emit()

    def _rank(self, fetch: int) -> int:
        going = self._going.get(fetch)
        return 2 if going is None else 0 if going.job else 1

    def _progress(self, job: Job, done: int, total: int, note: str) -> None:
        for id, going in self._going.items():
            if going.job is job and not going.stopping:
                going.pace.add(done, time.monotonic())
                going.done, going.total, going.note = done, total, note
                self.moved.emit(id)

    def _finished(self, job: Job) -> None:
        ended = [id for id, going in self._going.items() if going.job is job]
        for id in ended:
            self._end(id)
            self.came.emit(Changes(papers=True))
            self.load()

    def _end(self, fetch: int) -> None:
        del self._going[fetch]
        if not self.busy:
            self._now_and_then.stop()
        self.moved.emit(fetch)
        self._next()
