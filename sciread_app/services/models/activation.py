"""Activation of another model: it encodes all papers while the old one stays active, then they are
swapped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from filelock import FileLock, Timeout

from sciread_app.errors import Cancelled, LibraryError
from sciread_app.language import tr
from sciread_app.paths import Home
from sciread_app.services.models.active_model import ActiveModelManager, LoadedModel
from sciread_app.services.models.vector_cleanup import VectorCleanup
from sciread_app.storage.library import Library
from sciread_app.tasks import Task

# So few papers are encoded within seconds, even on a busy computer.
_FEW = 64
# Passes over papers that were added meanwhile, before the switch. Papers added later are found by
# keywords until they are encoded, as always.
_ROUNDS = 5
_LOOKS = 0.2  # seconds between two attempts to get the lock of another process


class ActivationResult(NamedTuple):
    """The model that is now active, how many papers were encoded for it, and the model that was
    active before; empty if there is none to go back to."""

    model: str
    title: str
    read: int = 0
    before: str = ""
    before_title: str = ""


class ActivationService:
    """Makes another model the active one.

    If it is cancelled, fails or is killed at any moment before the switch, the old model stays
    active; vectors made so far are kept, and the next call continues from there. The pending
    activation is recorded in the library until then, so that it is known after a kill.
    """

    def __init__(
        self,
        library: Library,
        active_model: ActiveModelManager,
        home: Home,
        space_of: Callable[[str], str],
    ) -> None:
        """`space_of` returns the space of a model by its name without verifying its weights, and
        raises PackageRefused."""
        self._library = library
        self._active_model = active_model
        self._space_of = space_of
        self._spaces = VectorCleanup(library, home)
        self._lock = home.indexes / "activation.lock"

    def pending(self) -> str:
        """The name of the model whose activation is unfinished; empty if there is none."""
        standing = self._library.active_model.state()
        return standing.pending if standing else ""

    def is_ready(self, model: str) -> bool:
        """Return whether the model has encoded nearly all papers, so that `activate` takes only
        seconds. Raises PackageRefused.

        Weights are not hashed, which takes a second per gigabyte: `activate` does that.
        """
        return self._lacks_few(self._space_of(model))

    def activate(self, model: str, task: Task) -> ActivationResult:
        """Make this model active in all processes that have the library open. It replaces any
        other pending activation.

        Raises PackageRefused, EncoderFailed and LibraryError: then nothing has changed. Raises
        Cancelled: then the activation stays pending, until `give_up`.
        """
        with self._active_model.use() as now:
            before = now
        if before.name == model and not self._active_model.externally_activated_model():
            self.give_up(self.pending())
            return ActivationResult(model, before.title)
        to = self._active_model.open(model)
        try:
            self._library.active_model.begin(model, before.ref)
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
        """Forget the pending activation of this model."""
        self._library.active_model.cancel(model)

    def follow(self, task: Task) -> ActivationResult | None:
        """Switch this process to the model that another one has activated; None if there is none.
        Raises PackageRefused and EncoderFailed."""
        if not (model := self._active_model.externally_activated_model()):
            return None
        with self._active_model.use() as now:
            before = now
        to = self._active_model.open(model)
        try:
            if to.space:
                to.space.sync(task)
            self._start(to, task)
        except BaseException:
            to.close()
            raise
        return _activated(to, before) if self._active_model.swap(to) else None

    def _prepare(self, to: LoadedModel, task: Task) -> int:
        """Encode what is missing, and load the model. Returns how many papers were encoded."""
        guarded = self._guarded_task(to.name, task)
        assert to.space
        if self._lacks_few(to.space.key):
            read = to.space.encode_missing(guarded)
        else:
            with self._exclusively(guarded), to.low_priority():
                read = self._encode_all(to, guarded)
        to.space.save()
        self._start(to, guarded)
        return read

    def _encode_all(self, to: LoadedModel, task: Task) -> int:
        assert to.space
        read = 0
        for _ in range(_ROUNDS):
            new = to.space.encode_missing(task)
            read += new
            if new <= _FEW:
                break
        return read

    def _start(self, to: LoadedModel, task: Task) -> None:
        task.step(0, 0, tr("Starting the model"))
        to.load()
        # The first search draws a sample of all papers; without this, every early search would.
        to.search.find("a paper on some subject", limit=1)

    def _change(self, to: LoadedModel) -> None:
        """Commit the switch; it cannot be cancelled from here on."""
        with self._active_model.use() as now:
            if now.space:
                now.space.save()  # so that closing it later does not delay a search
        self._library.active_model.switch(to.ref)
        # If it is active already, through another process or a second click, this succeeds.
        if not self._active_model.swap(to):
            raise Cancelled(tr("Another model was chosen meanwhile."))

    def _lacks_few(self, space: str) -> bool:
        return len(self._library.missing_vectors(space)[0]) <= _FEW

    def _guarded_task(self, model: str, task: Task) -> Task:
        """A task that is cancelled when another model is chosen, or the activation given up."""

        def report(done: int, total: int, note: str) -> None:
            standing = self._library.active_model.state()
            if standing and model not in (standing.pending, standing.answers.model):
                raise Cancelled(tr("Another model was chosen meanwhile."))
            task.step(done, total, note)

        return Task(report)

    @contextmanager
    def _exclusively(self, task: Task) -> Iterator[None]:
        """Hold the lock by which only one process prepares a model; a kill releases it."""
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


def _activated(now: LoadedModel, before: LoadedModel, read: int = 0) -> ActivationResult:
    if before.space is None or before.name == now.name:
        return ActivationResult(now.name, now.title, read)
    return ActivationResult(now.name, now.title, read, before.name, before.title)
