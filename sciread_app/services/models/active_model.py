"""The active model with its embedding index and search, and its replacement by another model."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from filelock import FileLock

from sciread_app.domain.query.parser import parse
from sciread_app.encoder import EncoderProcess
from sciread_app.errors import Cancelled, EncoderFailed, LibraryError
from sciread_app.language import tr
from sciread_app.paths import Home
from sciread_app.services.models.model_card import plain
from sciread_app.services.models.vector_cleanup import remove_unneeded_spaces
from sciread_app.services.search.embedding_index import EmbeddingIndex
from sciread_app.services.search.search import SearchService
from sciread_app.storage.library import Library
from sciread_app.storage.organisation.active_model import ModelRef
from sciread_app.tasks import Task, exclusive
from trainer.contract.errors import PackageRefused
from trainer.contract.package import Package

log = logging.getLogger(__name__)

T = TypeVar("T")

# So few papers are encoded within seconds, even on a busy computer.
_FEW = 64
# Passes over papers that are added during the activation. Papers added after the last one are
# found by keywords until they are encoded, as always.
_MAX_PASSES = 5


class ActivationResult(NamedTuple):
    """The model that is active now, the number of papers encoded for it, and the previously active
    model; empty if there is none to go back to."""

    model: str
    title: str
    read: int = 0
    before: str = ""
    before_title: str = ""


class LoadedModel:
    """A model with its embedding index and search, all in one vector space.

    If its package cannot be used, `index` is None, and search goes by keywords alone. `error` is
    the reason, or the reason why the model's process did not start.
    """

    def __init__(
        self, name: str, library: Library, model: EncoderProcess | None, indexes: Path
    ) -> None:
        self.name = name  # of the model's folder
        self.title = model.title if model else name
        self.index = EmbeddingIndex(library, model, indexes) if model else None
        self.search = SearchService(library, self.index)
        self._model = model
        # Whether the model has encoded a text: its first one takes seconds.
        self.is_loaded = False
        self.error = ""
        self._services: dict[type, Any] = {}
        self._services_lock = threading.Lock()
        self._close_lock = threading.Lock()
        self._closed = False

    @property
    def ref(self) -> ModelRef:
        return ModelRef(self.name, self.index.key if self.index else "")

    def load(self) -> None:
        """Start the model's process, so that later requests need not wait. Raises EncoderFailed."""
        if self.index is None:
            return
        try:
            self.index.encode_query("paper")
        except EncoderFailed as failure:
            self.error = str(failure)
            raise
        self.mark_loaded()

    def mark_loaded(self) -> None:
        self.is_loaded, self.error = True, ""

    @contextmanager
    def low_priority(self) -> Iterator[None]:
        """Encode with low priority in this block, so that searches are not slowed down.

        A change of priority restarts the model's process.
        """
        assert self._model
        self._model.background = True
        yield
        self._model.background = False

    def get_or_create(self, kind: type[T], make: Callable[[], T]) -> T:
        """Return the service of this kind for this model, made at first use and kept as long as the
        model is open."""
        with self._services_lock:
            if kind not in self._services:
                self._services[kind] = make()
            service: T = self._services[kind]
            return service

    def close(self) -> None:
        """Stop the model's process, and save its index."""
        with self._close_lock:
            index, self._closed = None if self._closed else self.index, True
            if index is None:
                return
            try:
                index.close()
            except (OSError, RuntimeError):
                # A full disk must not make a search fail; the index can be rebuilt.
                log.exception("could not save the index of %s", self.name)


class ActiveModel:
    """Hands out the active model by reference count, and makes another model the active one.

    A caller keeps the same model for its whole request, even if another is activated meanwhile;
    the old model is closed when its last user releases it. Safe to use from any thread. Methods
    with a task block; call them from worker threads.

    If an activation is canceled, fails or is killed at any moment before the switch, the old model
    stays active; the vectors made so far are kept, and the next call continues from there. The
    library records the pending activation until then, so that it is known after a kill.
    """

    def __init__(
        self,
        library: Library,
        home: Home,
        default: str,
        open_encoder: Callable[[str], EncoderProcess],
        find_package: Callable[[str], Package],
        on_switched: Callable[[str], object] = lambda model: None,
    ) -> None:
        """`default` is used for a library with no active model on record. `open_encoder` opens a
        model by its name, without starting its process; `find_package` reads its package without
        hashing its files. Both raise PackageRefused. `on_switched` is called with the name of the
        new active model."""
        self._library = library
        self._home = home
        self._default = default
        self._open_encoder = open_encoder
        self._find_package = find_package
        self._on_switched = on_switched
        self._lock = threading.Lock()
        self._now: LoadedModel | None = None
        self._users: Counter[LoadedModel] = Counter()

    @contextmanager
    def use(self) -> Iterator[LoadedModel]:
        """Keep the active model open until the end of this block. Its files are verified at the
        first use."""
        with self._lock:
            now = self._now = self._now or self._open_recorded()
            self._users[now] += 1
        try:
            yield now
        finally:
            self._release(now)

    @contextmanager
    def use_without_waiting(self) -> Iterator[SearchService]:
        """Keep a search open that answers at once: by keywords only until the model is loaded."""
        if not self.is_loaded:
            yield SearchService(self._library, None)
            return
        with self.use() as now:
            yield now.search

    @property
    def model(self) -> str:
        """The name of the model that is active in this process."""
        now = self._now
        return now.name if now else self._recorded()

    @property
    def is_loaded(self) -> bool:
        """Whether the active model's process is running. Opens nothing."""
        now = self._now
        return now is not None and now.is_loaded

    @property
    def error(self) -> str:
        """Why the active model cannot be used; empty if it can, or if that is not known yet."""
        now = self._now
        return now.error if now else ""

    def externally_activated_model(self) -> str:
        """Return the name of the model that another process has activated; empty if there is
        none."""
        recorded = self._recorded()
        return recorded if self._now and recorded != self._now.name else ""

    def encode_missing(self, task: Task, *, most: int | None = None) -> int:
        """Encode papers that the active model has not encoded, at most `most`. Return how many.

        If another model is activated meanwhile, continues with that one. Raises as
        EmbeddingIndex.encode_missing does.
        """
        while True:
            with self.use() as now:
                if now.index is None:
                    return 0
                try:
                    encoded = now.index.encode_missing(self._while_active(now, task), most=most)
                except Cancelled:
                    if self._now is now:
                        raise
                    continue
                if encoded:
                    now.mark_loaded()  # also if `load` failed before
                return encoded

    def close(self) -> None:
        """Stop all models, including those in use."""
        with self._lock:
            open_models = {*self._users, *([self._now] if self._now else [])}
        for model in open_models:
            model.close()

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
        new = self._open(model)
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
        remove_unneeded_spaces(self._library, self._home)
        self._on_switched(model)
        return _result(new, old, encoded)

    def cancel(self, model: str) -> None:
        """Forget the pending activation of this model."""
        self._library.active_model.cancel(model)

    def follow(self, task: Task) -> ActivationResult | None:
        """Switch this process to the model that another one has activated; return None if there is
        none. Raises PackageRefused and EncoderFailed."""
        if not (model := self.externally_activated_model()):
            return None
        old = self._current()
        new = self._open(model)
        try:
            if new.index:
                new.index.sync(task)
            self._start(new, task)
        except BaseException:
            new.close()
            raise
        if not self._swap(new):
            return None
        self._on_switched(model)
        return _result(new, old)

    def _current(self) -> LoadedModel:
        """Return the active model for its name and title only: it may be closed at any time."""
        with self.use() as now:
            return now

    def _prepare(self, new: LoadedModel, task: Task) -> int:
        """Encode the papers that the model lacks, and load it. Return how many were encoded."""
        assert new.index
        task = _cancelled_if(lambda: self._is_replaced(new.name), task)
        if self._has_encoded_most(new.index.key):
            encoded = new.index.encode_missing(task)
        else:
            # Only one process prepares a model; a kill releases the lock.
            lock = FileLock(self._home.indexes / "activation.lock")
            note = tr("Waiting for another program to finish indexing")
            with exclusive(lock, task, note), new.low_priority():
                encoded = self._encode_all(new, task)
        new.index.save()
        self._start(new, task)
        return encoded

    def _encode_all(self, new: LoadedModel, task: Task) -> int:
        assert new.index
        total = 0
        for _ in range(_MAX_PASSES):
            encoded = new.index.encode_missing(task)
            total += encoded
            if encoded <= _FEW:
                break
        return total

    def _start(self, new: LoadedModel, task: Task) -> None:
        task.step(0, 0, tr("Loading the model"))
        new.load()
        # The first search draws a sample of all papers; without this, every early search would.
        new.search.find(parse("a paper on some subject"), limit=1)

    def _switch(self, new: LoadedModel) -> None:
        """Commit the switch; it cannot be canceled from here on."""
        with self.use() as now:
            if now.index:
                now.index.save()  # so that closing it later does not delay a search
        self._library.active_model.switch(new.ref)
        # Decided by the committed state, not by the result of `switch`: another process or a second
        # click may have activated the same model before.
        if not self._swap(new):
            raise _replaced()

    def _has_encoded_most(self, space: str) -> bool:
        return len(self._library.missing_vectors(space)[0]) <= _FEW

    def _while_active(self, now: LoadedModel, task: Task) -> Task:
        """Return a task that is canceled once another model is active."""
        return _cancelled_if(lambda: self._now is not now, task)

    def _is_replaced(self, model: str) -> bool:
        """Return whether another model is being activated instead of this one, or its activation
        was canceled."""
        state = self._library.active_model.state()
        return state is not None and model not in (state.pending, state.active.model)

    def _open(self, name: str) -> LoadedModel:
        """Open another model while the active one stays open. The caller closes it, unless it is
        passed to `_swap`. Raises PackageRefused."""
        return LoadedModel(name, self._library, self._open_encoder(name), self._home.indexes)

    def _swap(self, new: LoadedModel) -> bool:
        """Make this the active model of this process. Return False, and close it, if the library
        records another as active."""
        with self._lock:
            is_current = new.name == self._recorded()
            idle: LoadedModel | None = new
            if is_current:
                idle, self._now = self._now, new
            if idle and self._users[idle]:
                idle = None
        if idle:
            idle.close()
        return is_current

    def _open_recorded(self) -> LoadedModel:
        name = self._recorded()
        try:
            return self._open(name)
        except PackageRefused as refused:
            log.warning("could not open the model: %s %s", refused, refused.hint)
            unusable = LoadedModel(name, self._library, None, self._home.indexes)
            unusable.error = f"{refused} {refused.hint}".strip()
            return unusable

    def _release(self, model: LoadedModel) -> None:
        with self._lock:
            self._users[model] -= 1
            if self._users[model]:
                return
            del self._users[model]
            if model is self._now:
                return
        model.close()

    def _recorded(self) -> str:
        """Return the name of the model that is active according to the library."""
        state = self._library.active_model.state()
        return state.active.model if state else self._default


def _cancelled_if(is_replaced: Callable[[], bool], task: Task) -> Task:
    """Return a task that is canceled once another model was chosen."""

    def report(done: int, total: int, note: str) -> None:
        if is_replaced():
            raise _replaced()
        task.report(done, total, note)

    return task.reporting_to(report)


def _replaced() -> Cancelled:
    return Cancelled(tr("Another model was selected in the meantime."))


def _result(new: LoadedModel, old: LoadedModel, encoded: int = 0) -> ActivationResult:
    if old.index is None or old.name == new.name:
        return ActivationResult(new.name, new.title, encoded)
    return ActivationResult(new.name, new.title, encoded, old.name, old.title)
