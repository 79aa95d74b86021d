"""What answers: one model, its space and the search in it, exchanged for another in one step."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

from sciread_app.errors import EncoderFailed
from sciread_app.services.search import Search
from sciread_app.services.space import Encodes, Space
from sciread_app.storage.active import Known
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from trainer.contract.errors import PackageRefused

log = logging.getLogger(__name__)

T = TypeVar("T")


class Model(Encodes, Protocol):
    """What is needed of sciread_app.encoder.Encoder."""

    title: str
    background: bool  # whether all else goes before it; may be set


class Answerer:
    """A model at work. All that is asked of one of these is answered in one space.

    Without a space, since its package cannot be used, words alone are searched; `trouble` says why,
    and else why the model did not start.
    """

    def __init__(self, name: str, library: Library, model: Model | None, indexes: Path) -> None:
        self.name = name  # of its folder
        self.title = model.title if model else name
        self.space = Space(library, model, indexes) if model else None
        self.search = Search(library, self.space)
        self._model = model
        self.awake = False  # whether the model has answered; what it is asked first takes seconds
        self.trouble = ""
        self._parts: dict[type, Any] = {}
        self._making = threading.Lock()
        self._closing = threading.Lock()
        self._closed = False

    @property
    def known(self) -> Known:
        return Known(self.name, self.space.key if self.space else "")

    def wake(self) -> None:
        """Start the model, so that it answers at once from then on. Raises EncoderFailed."""
        if self.space is None:
            return
        try:
            self.space.encode_query("paper")
        except EncoderFailed as failure:
            self.trouble = str(failure)
            raise
        self.has_answered()

    def has_answered(self) -> None:
        self.awake, self.trouble = True, ""

    @contextmanager
    def in_background(self) -> Iterator[None]:
        """What the model reads meanwhile must not slow down who searches; then it starts anew."""
        assert self._model
        self._model.background = True
        yield
        self._model.background = False

    def part(self, kind: type[T], make: Callable[[], T]) -> T:
        """What else is built upon this space, of each kind one; it lives as long as this."""
        with self._making:
            if kind not in self._parts:
                self._parts[kind] = make()
            made: T = self._parts[kind]
            return made

    def close(self) -> None:
        """Stop the model, and write what its index has learnt."""
        with self._closing:
            space, self._closed = None if self._closed else self.space, True
            if space is None:
                return
            try:
                space.close()
            except (OSError, RuntimeError):
                # Nobody who searches is to pay for a full disk; the index is made again.
                log.exception("the index of %s was not written", self.name)


class _Replaced(Exception):
    """Another model answers now."""


class Answering:
    """Who has a question takes what answers at that moment, and keeps it till he has his answer.

    After `swap` the next one gets the new one; the old one is closed, and its memory given back,
    when the last who took it is done. Safe to use from any thread.
    """

    def __init__(
        self, library: Library, indexes: Path, first: str, opened: Callable[[str], Model]
    ) -> None:
        """`first` answers in a library that does not say what does; `opened` opens a model by its
        name, without starting it, and raises PackageRefused."""
        self._library = library
        self._indexes = indexes
        self._first = first
        self._opened = opened
        self._changing = threading.Lock()
        self._now: Answerer | None = None
        self._taken: Counter[Answerer] = Counter()

    @contextmanager
    def use(self) -> Iterator[Answerer]:
        """What answers now, until the end of this block. Its files are checked at the first use."""
        with self._changing:
            now = self._now = self._now or self._begin()
            self._taken[now] += 1
        try:
            yield now
        finally:
            self._give_back(now)

    @property
    def model(self) -> str:
        """The name of what answers here."""
        now = self._now
        return now.name if now else self._chosen()

    @property
    def awake(self) -> bool:
        """Whether what answers does so at once. Opens nothing."""
        now = self._now
        return now is not None and now.awake

    @property
    def trouble(self) -> str:
        """Why it cannot be asked; empty if it can, or if nobody has tried."""
        now = self._now
        return now.trouble if now else ""

    def left_behind(self) -> str:
        """The model that another process has switched to; empty where there is none."""
        chosen = self._chosen()
        return chosen if self._now and chosen != self._now.name else ""

    def open(self, name: str) -> Answerer:
        """A model beside the one that answers; close it unless it is swapped in. Raises
        PackageRefused."""
        return Answerer(name, self._library, self._opened(name), self._indexes)

    def swap(self, to: Answerer) -> bool:
        """Let this one answer from now on. False, and it is closed, if the library says another."""
        with self._changing:
            fits = to.name == self._chosen()
            idle: Answerer | None = to
            if fits:
                idle, self._now = self._now, to
            if idle and self._taken[idle]:
                idle = None
        if idle:
            idle.close()
        return fits

    def catch_up(self, task: Task, *, most: int | None = None) -> int:
        """Have what answers read the papers that it has not read; if another takes over meanwhile,
        that one. Raises as Space.catch_up does."""
        while True:
            with self.use() as now:
                if now.space is None:
                    return 0
                try:
                    read = now.space.catch_up(self._while_it_answers(now, task), most=most)
                except _Replaced:
                    continue
                if read:
                    now.has_answered()  # also where it could not be started when it was woken
                return read

    def close(self) -> None:
        """Stop all models, also those that are being asked."""
        with self._changing:
            left = {*self._taken, *([self._now] if self._now else [])}
        for answerer in left:
            answerer.close()

    def _begin(self) -> Answerer:
        name = self._chosen()
        try:
            return self.open(name)
        except PackageRefused as refused:
            log.warning("no model: %s %s", refused, refused.hint)
            none = Answerer(name, self._library, None, self._indexes)
            none.trouble = f"{refused} {refused.hint}".strip()
            return none

    def _give_back(self, answerer: Answerer) -> None:
        with self._changing:
            self._taken[answerer] -= 1
            if self._taken[answerer]:
                return
            del self._taken[answerer]
            if answerer is self._now:
                return
        answerer.close()

    def _chosen(self) -> str:
        standing = self._library.active.now()
        return standing.answers.model if standing else self._first

    def _while_it_answers(self, now: Answerer, task: Task) -> Task:
        def report(done: int, total: int, note: str) -> None:
            if self._now is not now:
                raise _Replaced
            task.step(done, total, note)

        return Task(report)
