"""Fake encoders with deterministic vectors."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Sequence
from functools import cache

import numpy as np

from sciread_app.errors import EncoderFailed
from sciread_app.tasks import Task

CONCEPTS = (
    ("car", "cars", "automobile", "vehicle"),
    ("cat", "cats", "feline", "kitten"),
    ("star", "stars", "astronomy", "galaxy"),
    ("protein", "proteins", "enzyme", "folding"),
)


class FakeEncoder:
    """Give each text its own random vector; `calls` lists all texts that were encoded."""

    def __init__(
        self,
        space: str = "fake",
        dim: int = 32,
        on_text: Callable[[tuple[str, str]], None] = lambda text: None,
    ) -> None:
        self.space = space
        self.dim = dim
        self.title = "Fake model"
        self.calls: list[tuple[str, str]] = []
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
            self._on_text(text)
            self.calls.append(text)
        return np.array([self.vector(*text) for text in texts], np.float32).reshape(-1, self.dim)

    def vector(self, title: str, abstract: str = "") -> np.ndarray:
        seed = zlib.crc32(f"{title}\0{abstract}".encode())
        vector = np.random.default_rng(seed).normal(size=self.dim)
        return (vector / np.linalg.norm(vector)).astype(np.float32)

    def knows_any(self, words: Iterable[str]) -> bool:
        return True

    def close(self) -> None:
        pass


class WordsEncoder:
    """Each word has its own direction, and a text is the sum of its words."""

    space, dim, title = "words", 256, "Words"

    def knows_any(self, words: Iterable[str]) -> bool:
        return True

    def encode(
        self,
        texts: Sequence[tuple[str, str]],
        task: Task | None = None,
        *,
        queries: bool = False,
    ) -> np.ndarray:
        return np.array([self._vector(f"{a} {b}") for a, b in texts], np.float32).reshape(
            -1, self.dim
        )

    def _vector(self, text: str) -> np.ndarray:
        total = sum(self._direction(word) for word in text.lower().split())
        return total / np.linalg.norm(total)

    @staticmethod
    @cache
    def _direction(word: str) -> np.ndarray:
        seed = zlib.crc32(word.encode())
        return np.random.default_rng(seed).normal(size=WordsEncoder.dim)

    def close(self) -> None:
        pass


class SynonymEncoder:
    """Give words of one concept equal vectors, and other words nearly none."""

    space, dim = "synonyms", len(CONCEPTS) + 8

    def __init__(self) -> None:
        self.fails = False
        self.calls: list[str] = []

    def encode(
        self,
        texts: Sequence[tuple[str, str]],
        task: Task | None = None,
        *,
        queries: bool = False,
    ) -> np.ndarray:
        if self.fails:
            raise EncoderFailed("The model did not start.", "Start again.")
        self.calls += [" ".join(text).strip() for text in texts]
        return np.array([self._vector(" ".join(text)) for text in texts], np.float32)

    def knows_any(self, words: Iterable[str]) -> bool:
        return any(word in concept for word in words for concept in CONCEPTS)

    def _vector(self, text: str) -> np.ndarray:
        words = text.lower().replace(".", " ").split()
        vector = np.full(self.dim, 0.05)
        for n, concept in enumerate(CONCEPTS):
            vector[n] += sum(word in concept for word in words)
        vector[len(CONCEPTS) + len(text) % 8] += 0.01 * len(text)  # no two texts have equal vectors
        return vector / np.linalg.norm(vector)
