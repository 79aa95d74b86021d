"""Letting another model answer: it reads all papers while the old one answers, then they change
places."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from filelock import FileLock, Timeout

from sciread_app.errors import Cancelled, LibraryError
from sciread_app.language import tr
from sciread_app.paths import Home
from sciread_app.services.answering import Answerer, Answering
from sciread_app.services.spaces import Spaces
from sciread_app.storage.library import Library
from sciread_app.tasks import Task

# So few papers are read in seconds, whatever else goes on.
_FEW = 64
# How often papers that came meanwhile are read before the change. What comes later is found by its
# words till it is read, as ever.
_ROUNDS = 5
_LOOKS = 0.2  # seconds between two looks whether another program is done


class Activated(NamedTuple):
    """What answers now, how many papers were read for that, and what answered before; empty if one
    cannot go back to that."""

    model: str
    title: str
    read: int = 0
    before: str = ""
    before_title: str = ""


class Activation:
    """Stopped, failed or killed at any moment before the switch, the old model stays; what was read
    is kept, and the next call goes on from there. What is wanted stands in the library until then,
    so that who opens it after a kill knows of it.
    """

    def __init__(self, library: Library, answering: Answering, home: Home) -> None:
        self._library = library
        self._answering = answering
        self._spaces = Spaces(library, home)
        self._lock = home.indexes / "activation.lock"

    def pending(self) -> str:
        """The model whose activation was begun and has not ended; empty if there is none."""
        standing = self._library.active.now()
        return standing.pending if standing else ""

    def is_ready(self, model: str) -> bool:
        """Whether the model has read all papers, or nearly. Raises PackageRefused."""
        to = self._answering.open(model)
        try:
            return self._is_ready(to)
        finally:
            to.close()

    def activate(self, model: str, task: Task) -> Activated:
        """Let this model answer, here and in every other window. It is wanted from now on instead
        of any other that is being activated.

        Raises PackageRefused, EncoderFailed and LibraryError, and then nothing has changed; and
        Cancelled: then it is still wanted, until `give_up`.
        """
        with self._answering.use() as now:
            before = now
        if before.name == model and not self._answering.left_behind():
            self.give_up(self.pending())
            return Activated(model, before.title)
        to = self._answering.open(model)
        try:
            self._library.active.begin(model, before.known)
            read = self._prepare(to, task)
            self._change(to)
        except BaseException as error:
            to.close()
            if not isinstance(error, Cancelled | KeyboardInterrupt):
                with suppress(LibraryError):
                    self.give_up(model)
            raise
        self._spaces.clean()
        return _activated(to, before, read)

    def give_up(self, model: str) -> None:
        """It is not wanted any more."""
        self._library.active.give_up(model)

    def follow(self, task: Task) -> Activated | None:
        """Let answer here what another process has switched to; None if it has not. Raises
        PackageRefused and EncoderFailed."""
        if not (model := self._answering.left_behind()):
            return None
        with self._answering.use() as now:
            before = now
        to = self._answering.open(model)
        try:
            if to.space:
                to.space.sync(task)
            self._start(to, task)
        except BaseException:
            to.close()
            raise
        return _activated(to, before) if self._answering.swap(to) else None

    def _prepare(self, to: Answerer, task: Task) -> int:
        """Have it read, and see that it answers at once. Returns how many papers it has read."""
        wanted = self._while_wanted(to.name, task)
        assert to.space
        if self._is_ready(to):
            read = to.space.catch_up(wanted)
        else:
            with self._alone(wanted), to.in_background():
                read = self._read_all(to, wanted)
        to.space.keep()
        self._start(to, wanted)
        return read

    def _read_all(self, to: Answerer, task: Task) -> int:
        assert to.space
        read = 0
        for _ in range(_ROUNDS):
            new = to.space.catch_up(task)
            read += new
            if new <= _FEW:
                break
        return read

    def _start(self, to: Answerer, task: Task) -> None:
        task.step(0, 0, tr("Starting the model"))
        to.wake()
        # What is drawn from all papers at the first search; else all who ask first would draw it.
        to.search.find("a paper on some subject", limit=1)

    def _change(self, to: Answerer) -> None:
        """From here on there is no way back."""
        with self._answering.use() as now:
            if now.space:
                now.space.keep()  # so that nobody who searches has to wait for that in the end
        self._library.active.switch(to.known)
        # Where it was switched to already, by another program or by a second click, all is well.
        if not self._answering.swap(to):
            raise Cancelled(tr("Another model was chosen meanwhile."))

    def _is_ready(self, to: Answerer) -> bool:
        assert to.space
        return len(self._library.missing_vectors(to.space.key)[0]) <= _FEW

    def _while_wanted(self, model: str, task: Task) -> Task:
        """Ends where another is wanted meanwhile, or none."""

        def report(done: int, total: int, note: str) -> None:
            standing = self._library.active.now()
            if standing and model not in (standing.pending, standing.answers.model):
                raise Cancelled(tr("Another model was chosen meanwhile."))
            task.step(done, total, note)

        return Task(report)

    @contextmanager
    def _alone(self, task: Task) -> Iterator[None]:
        """No two programs read for the same model; who was killed is none."""
        self._lock.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self._lock)
        while True:
            try:
                lock.acquire(timeout=_LOOKS)
                break
            except Timeout:
                task.step(0, 0, tr("Another program is preparing a model"))
        try:
            yield
        finally:
            lock.release()


def _activated(now: Answerer, before: Answerer, read: int = 0) -> Activated:
    if before.space is None or before.name == now.name:
        return Activated(now.name, now.title, read)
    return Activated(now.name, now.title, read, before.name, before.title)
