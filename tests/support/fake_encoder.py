"""A fake encoder with deterministic random vectors."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from sciread_app.tasks import Task


class FakeEncoder:
    """Give each text its own random vector; `asked` lists all texts that were encoded."""

    def __init__(
        self,
        space: str = "fake",
        dim: int = 32,
        on_text: Callable[[tuple[str, str]], None] = lambda text: None,
    ) -> None:
        self.space = space
        self.dim = dim
        self.title = "Fake model"
        self.asked: list[tuple[str, str]] = []
        self._on_text = on_text

    def encode(self, texts: Sequence[tuple[str, str]], task: Task | None = None) -> np.ndarray:
        for done, text in enumerate(texts):
            if task:
                task.step(done, len(texts))
            self._on_text(text)
            self.asked.append(text)
        return np.array([self.vector(*text) for text in texts], np.float32).reshape(-1, self.dim)

    def vector(self, title: str, abstract: str = "") -> np.ndarray:
        seed = zlib.crc32(f"{title}\0{abstract}".encode())
        vector = np.random.default_rng(seed).normal(size=self.dim)
        return (vector / np.linalg.norm(vector)).astype(np.float32)

    def knows_any(self, words: Iterable[str]) -> bool:
        return True

    def close(self) -> None:
        pass
