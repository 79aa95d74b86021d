"""Activation of a model: it encodes all papers while another one stays active, then replaces it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from filelock import FileLock, Timeout

from sciread_app.domain.query.parser import parse
from sciread_app.errors import Cancelled, LibraryError
from sciread_app.language import tr
from sciread_app.paths import Home
from sciread_app.services.models.active_model import ActiveModelManager, LoadedModel
from sciread_app.services.models.model_card import plain
from sciread_app.services.models.vector_cleanup import VectorCleanup
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from trainer.contract.errors import PackageRefused
from trainer.contract.package import Package

# So few papers are encoded within seconds, even on a busy computer.
_FEW = 64
# Passes over papers that are added during the activation. Papers added after the last one are
# found by keywords until they are encoded, as always.
_MAX_PASSES = 5
_LOCK_SECONDS = 0.2  # between two attempts to get the lock that another process holds


class ActivationResult(NamedTuple):
    """The model that is active now, the number of papers encoded for it, and the previously active
    model; empty if there is none to go back to."""

    model: str
    title: str
    read: int = 0
    before: str = ""
    before_title: str = ""


class ActivationService:
    """Makes another model the active one. All methods block; call them from worker threads.

    If an activation is cancelled, fails or is killed at any moment before the switch, the old model
    stays active; the vectors made so far are kept, and the next call continues from there. The
    library records the pending activation until then, so that it is known after a kill.
    """

    def __init__(
        self,
        library: Library,
        active_model: ActiveModelManager,
        home: Home,
        find_package: Callable[[str], Package],
        on_switched: Callable[[str], object] = lambda model: None,
    ) -> None:
        """`find_package` reads the package of a model by its name without hashing its files, and
        raises PackageRefused. `on_switched` is called with the name of the new active model."""
        self._library = library
        self._active_model = active_model
        self._find_package = find_package
        self._on_switched = on_switched
        self._vector_cleanup = VectorCleanup(library, home)
        self._lock_file = home.indexes / "activation.lock"

    def pending(self) -> str:
        """Return the name of the model whose activation is unfinished; empty if there is none."""
        state = self._library.active_model.state()
        return state.pending if state else ""

    def title(self, model: str) -> str:
        """Return the title of a model; its name if its package cannot be read."""
        try:
            return plain(self._find_package(model).title) or model
        except PackageRefused:
            return model

    def is_ready(self, model: str) -> bool:
        """Return whether the model has encoded nearly all papers, so that `activate` takes only
        seconds. Raises PackageRefused.

        The files of the model are not hashed, which takes a second per gigabyte: `activate` does
        that.
        """
        return self._has_encoded_most(self._find_package(model).space)

    def activate(self, model: str, task: Task) -> ActivationResult:
        """Make this model active in all processes that have the library open, in place of any other
        pending activation.

        Raises PackageRefused, EncoderFailed and LibraryError: then nothing has changed. Raises
        Cancelled: then the activation stays pending, until `cancel`.
        """
        old = self._current()
        if old.name == model and not self.externally_activated_model():
            self.cancel(self.pending())
            return ActivationResult(model, old.title)
        new = self._active_model.open(model)
        try:
            self._library.active_model.begin(model, old.ref)
            encoded = self._prepare(new, task)
            self._switch(new)
        except BaseException as error:
            new.close()
            if not isinstance(error, Cancelled | KeyboardInterrupt):
                with suppress(LibraryError):
                    self.cancel(model)
            raise
        self._vector_cleanup.clean()
        self._on_switched(model)
        return _result(new, old, encoded)

    def cancel(self, model: str) -> None:
        """Forget the pending activation of this model."""
        self._library.active_model.cancel(model)

    def externally_activated_model(self) -> str:
        """Return the name of the model that another process has activated; empty if there is
        none."""
        return self._active_model.externally_activated_model()

    def follow(self, task: Task) -> ActivationResult | None:
        """Switch this process to the model that another one has activated; return None if there is
        none. Raises PackageRefused and EncoderFailed."""
        if not (model := self.externally_activated_model()):
            return None
        old = self._current()
        new = self._active_model.open(model)
        try:
            if new.space:
                new.space.sync(task)
            self._start(new, task)
        except BaseException:
            new.close()
            raise
        if not self._active_model.swap(new):
            return None
        self._on_switched(model)
        return _result(new, old)

    def _current(self) -> LoadedModel:
        """Return the active model for its name and title only: it may be closed at any time."""
        with self._active_model.use() as now:
            return now

    def _prepare(self, new: LoadedModel, task: Task) -> int:
        """Encode the papers that the model lacks, and load it. Return how many were encoded."""
        assert new.space
        task = self._cancelled_if_replaced(new.name, task)
        if self._has_encoded_most(new.space.key):
            encoded = new.space.encode_missing(task)
        else:
            with self._exclusive(task), new.low_priority():
                encoded = self._encode_all(new, task)
        new.space.save()
        self._start(new, task)
        return encoded

    def _encode_all(self, new: LoadedModel, task: Task) -> int:
        assert new.space
        total = 0
        for _ in range(_MAX_PASSES):
            encoded = new.space.encode_missing(task)
            total += encoded
            if encoded <= _FEW:
                break
        return total

    def _start(self, new: LoadedModel, task: Task) -> None:
        task.step(0, 0, tr("Starting the model"))
        new.load()
        # The first search draws a sample of all papers; without this, every early search would.
        new.search.find(parse("a paper on some subject"), limit=1)

    def _switch(self, new: LoadedModel) -> None:
        """Commit the switch; it cannot be cancelled from here on."""
        with self._active_model.use() as now:
            if now.space:
                now.space.save()  # so that closing it later does not delay a search
        self._library.active_model.switch(new.ref)
        # Decided by the committed state, not by the result of `switch`: another process or a second
        # click may have activated the same model before.
        if not self._active_model.swap(new):
            raise _replaced()

    def _has_encoded_most(self, space: str) -> bool:
        return len(self._library.missing_vectors(space)[0]) <= _FEW

    def _cancelled_if_replaced(self, model: str, task: Task) -> Task:
        """Return a task that is cancelled when another model is activated instead, or the pending
        activation is cancelled."""

        def report(done: int, total: int, note: str) -> None:
            state = self._library.active_model.state()
            if state and model not in (state.pending, state.answers.model):
                raise _replaced()
            task.step(done, total, note)

        return Task(report)

    @contextmanager
    def _exclusive(self, task: Task) -> Iterator[None]:
        """Hold the lock by which only one process prepares a model; a kill releases it."""
        self._lock_file.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self._lock_file)
        while True:
            try:
                lock.acquire(timeout=_LOCK_SECONDS)
                break
            except Timeout:
                task.step(0, 0, tr("Another program is preparing a model"))
        try:
            yield
        finally:
            lock.release()


def _replaced() -> Cancelled:
    return Cancelled(tr("Another model was chosen meanwhile."))


def _result(new: LoadedModel, old: LoadedModel, encoded: int = 0) -> ActivationResult:
    if old.space is None or old.name == new.name:
        return ActivationResult(new.name, new.title, encoded)
    return ActivationResult(new.name, new.title, encoded, old.name, old.title)
