"""Models that are compared with the active one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from sciread_app.encoder import EncoderProcess
from sciread_app.services.search.embedding_index import EmbeddingIndex
from sciread_app.services.search.search import SearchService
from sciread_app.storage.library import Library
from sciread_app.tasks import Task


class ModelComparison:
    """Opens models in addition to the active one, each with an embedding index of its own.

    A model is opened at its first use. Safe to use from any thread.
    """

    def __init__(
        self, library: Library, indexes: Path, open_encoder: Callable[[str], EncoderProcess]
    ) -> None:
        """`open_encoder` opens a model by its name, without starting its process, and raises
        PackageRefused."""
        self._library = library
        self._indexes = indexes
        self._open_encoder = open_encoder
        self._lock = threading.Lock()
        self._spaces: dict[str, EmbeddingIndex] = {}

    def progress(self, name: str) -> tuple[int, int]:
        """Return how many papers the model has encoded, and how many there are. Raises
        PackageRefused."""
        papers = self._library.ids()
        missing = self.space(name).count_without_vector(papers)
        return len(papers) - missing, len(papers)

    def search(self, name: str) -> SearchService:
        """Return a search with this model. Raises PackageRefused."""
        return SearchService(self._library, self.space(name))

    def space(self, name: str) -> EmbeddingIndex:
        """Return the model's embedding index. Its process starts with the first text that is
        encoded. Raises PackageRefused."""
        with self._lock:
            if name not in self._spaces:
                encoder = self._open_encoder(name)
                self._spaces[name] = EmbeddingIndex(self._library, encoder, self._indexes)
            return self._spaces[name]

    def encode(self, name: str, task: Task) -> int:
        """Encode the papers that the model lacks, and return how many. If it is canceled, the
        vectors made so far are kept.

        Raises PackageRefused, EncoderFailed and Cancelled.
        """
        return self.space(name).encode_missing(task)

    def close_one(self, name: str) -> None:
        """Close a model that has become the active one, or is about to be removed."""
        with self._lock:
            space = self._spaces.pop(name, None)
        if space:
            space.close()

    def close(self) -> None:
        """Close all models."""
        with self._lock:
            spaces = list(self._spaces.values())
            self._spaces.clear()
        for space in spaces:
            space.close()
