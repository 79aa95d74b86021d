"""Fake models whose vectors are unrelated: no two of them find the same papers.

Only the texts by which a search calibrates unrelated queries have zero vectors in all of them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from sciread_app.errors import EncoderFailed
from sciread_app.services.search.search import UNRELATED
from sciread_app.tasks import Task
from tests.support.distributed.directions import DIM, direction
from trainer.contract.errors import PackageRefused


def vector_of(space: str, text: str) -> np.ndarray:
    """Return the vector that a model gives to a text."""
    return np.array(direction(space, text), np.float32)


class FakeModel:
    """All have the same dimension, so that only their vectors distinguish them."""

    dim = DIM

    def __init__(self, name: str, on_text: Callable[[str], None]) -> None:
        self.space = f"space-{name}"
        self.title = f"Model {name}"
        self.closed = self.background = False
        self.calls: list[str] = []
        self._on_text = on_text

    def encode(
        self,
        texts: Sequence[tuple[str, str]],
        task: Task | None = None,
        *,
        queries: bool = False,
    ) -> np.ndarray:
        for done, text in enumerate(texts):
            if task:
                task.step(done, len(texts))
            if text[0] not in UNRELATED:
                self._on_text(text[0])
            if self.closed:
                raise EncoderFailed("The model was closed.")
            if text[0] not in UNRELATED:
                self.calls.append(text[0])
        return np.array([self._vector(f"{a} {b}".strip()) for a, b in texts], np.float32)

    def knows_any(self, words: Iterable[str]) -> bool:
        return True

    def close(self) -> None:
        self.closed = True

    def _vector(self, text: str) -> np.ndarray:
        return np.zeros(DIM, np.float32) if text in UNRELATED else vector_of(self.space, text)


class FakeModels:
    """Open models by name; `opened` lists all that were opened, the latest last."""

    def __init__(self, *names: str) -> None:
        self.names = set(names)
        self.opened: list[FakeModel] = []
        self.on_text: Callable[[str], None] = lambda text: None
        self._lock = threading.Lock()

    def __call__(self, name: str) -> FakeModel:
        model = self.package(name)
        with self._lock:
            self.opened.append(model)
        return model

    def package(self, name: str) -> FakeModel:
        """Its space and title, as a package gives them; it does not count as opened."""
        if name not in self.names:
            raise PackageRefused(f"There is no model {name}.", "Choose another.")
        return FakeModel(name, lambda text: self.on_text(text))

    def running(self) -> list[str]:
        return [model.title for model in self.opened if not model.closed]
