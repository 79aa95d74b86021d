"""The active model with its embedding index and search, replaced in one step."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

from sciread_app.errors import EncoderFailed
from sciread_app.services.search.embedding_index import EmbeddingIndex, TextEncoder
from sciread_app.services.search.search import SearchService
from sciread_app.storage.library import Library
from sciread_app.storage.organisation.active_model import ModelRef
from sciread_app.tasks import Task
from trainer.contract.errors import PackageRefused

log = logging.getLogger(__name__)

T = TypeVar("T")


class LoadableEncoder(TextEncoder, Protocol):
    """The part of sciread_app.encoder.EncoderProcess that a loaded model needs."""

    title: str
    background: bool  # low process priority; may be set


class LoadedModel:
    """A model with its embedding index and search, all in one vector space.

    If its package cannot be used, `space` is None, and search goes by keywords alone. `error` is
    the reason, or the reason why the model's process did not start.
    """

    def __init__(
        self, name: str, library: Library, model: LoadableEncoder | None, indexes: Path
    ) -> None:
        self.name = name  # of the model's folder
        self.title = model.title if model else name
        self.space = EmbeddingIndex(library, model, indexes) if model else None
        self.search = SearchService(library, self.space)
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
        return ModelRef(self.name, self.space.key if self.space else "")

    def load(self) -> None:
        """Start the model's process, so that later requests need not wait. Raises EncoderFailed."""
        if self.space is None:
            return
        try:
            self.space.encode_query("paper")
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
            space, self._closed = None if self._closed else self.space, True
            if space is None:
                return
            try:
                space.close()
            except (OSError, RuntimeError):
                # A full disk must not make a search fail; the index can be rebuilt.
                log.exception("the index of %s was not written", self.name)


class _Replaced(Exception):
    """Another model has become active."""


class ActiveModelManager:
    """Hands out the active model by reference count.

    A caller keeps the same model for its whole request, even if another is activated meanwhile;
    the old model is closed when its last user releases it. Safe to use from any thread.
    """

    def __init__(
        self,
        library: Library,
        indexes: Path,
        default: str,
        open_encoder: Callable[[str], LoadableEncoder],
    ) -> None:
        """`default` is used for a library with no active model on record; `open_encoder` opens a
        model by its name, without starting its process, and raises PackageRefused."""
        self._library = library
        self._indexes = indexes
        self._default = default
        self._open_encoder = open_encoder
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

    def open(self, name: str) -> LoadedModel:
        """Open another model while the active one stays open. The caller closes it, unless it is
        passed to `swap`. Raises PackageRefused."""
        return LoadedModel(name, self._library, self._open_encoder(name), self._indexes)

    def swap(self, new: LoadedModel) -> bool:
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

    def encode_missing(self, task: Task, *, most: int | None = None) -> int:
        """Encode papers that the active model has not encoded, at most `most`. Return how many.

        If another model is activated meanwhile, continues with that one. Raises as
        EmbeddingIndex.encode_missing does.
        """
        while True:
            with self.use() as now:
                if now.space is None:
                    return 0
                try:
                    encoded = now.space.encode_missing(self._while_active(now, task), most=most)
                except _Replaced:
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

    def _open_recorded(self) -> LoadedModel:
        name = self._recorded()
        try:
            return self.open(name)
        except PackageRefused as refused:
            log.warning("no model: %s %s", refused, refused.hint)
            unusable = LoadedModel(name, self._library, None, self._indexes)
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
        return state.answers.model if state else self._default

    def _while_active(self, now: LoadedModel, task: Task) -> Task:
        """Return a task that raises _Replaced once another model is active."""

        def report(done: int, total: int, note: str) -> None:
            if self._now is not now:
                raise _Replaced
            task.step(done, total, note)

        return Task(report)
