"""Models beside the active one, so that both can be asked the same."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from sciread_app.services.search.embedding_index import EmbeddingIndex, TextEncoder
from sciread_app.services.search.search import SearchService
from sciread_app.storage.library import Library
from sciread_app.tasks import Task


class IndexingProgress(NamedTuple):
    """How many papers a model has read, of how many there are."""

    read: int
    papers: int


class ModelComparison:
    """Each is opened when it is first asked for, and has vectors in a space of its own, beside
    those of the active model. May be asked from any thread."""

    def __init__(
        self, library: Library, indexes: Path, opened: Callable[[str], TextEncoder]
    ) -> None:
        """`opened` opens a model by its name, without starting it, and raises PackageRefused."""
        self._library = library
        self._indexes = indexes
        self._opened = opened
        self._opening = threading.Lock()
        self._spaces: dict[str, EmbeddingIndex] = {}

    def standing(self, name: str) -> IndexingProgress:
        """Raises PackageRefused."""
        papers = self._library.ids()
        return IndexingProgress(
            len(papers) - self._space(name).count_without_vector(papers), len(papers)
        )

    def search(self, name: str) -> SearchService:
        """Raises PackageRefused."""
        return SearchService(self._library, self._space(name))

    def space(self, name: str) -> EmbeddingIndex:
        """The model's embedding index, opened at first use; its process starts with the first text.
        Raises PackageRefused."""
        return self._space(name)

    def encode(self, name: str, task: Task) -> int:
        """Have it read what it has not read yet; stopped at any moment, what is done stays.

        Raises PackageRefused and EncoderFailed.
        """
        return self._space(name).encode_missing(task)

    def close_one(self, name: str) -> None:
        """It is the active model now, which is not asked here."""
        with self._opening:
            space = self._spaces.pop(name, None)
        if space:
            space.close()

    def close(self) -> None:
        with self._opening:
            spaces = list(self._spaces.values())
            self._spaces.clear()
        for space in spaces:
            space.close()

    def _space(self, name: str) -> EmbeddingIndex:
        with self._opening:
            if name not in self._spaces:
                self._spaces[name] = EmbeddingIndex(
                    self._library, self._opened(name), self._indexes
                )
            return self._spaces[name]
