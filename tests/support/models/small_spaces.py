"""Papers for an embedding index, and the expected results of brute force."""

from __future__ import annotations

import numpy as np

from sciread_app.storage.library import Library
from tests.support.generate.papers import paper
from tests.support.models.fake_encoder import FakeEncoder


def papers(count: int, start: int = 0) -> list:
    return [
        paper(f"Paper number {n}", abstract=f"About {n}", source="test", source_id=str(n))
        for n in range(start, start + count)
    ]


def brute_force(library: Library, encoder: FakeEncoder, query: np.ndarray, k: int) -> list[float]:
    """Return the similarities of the k best papers by exact search."""
    exact = [float(encoder.vector(*text) @ query) for text in library.texts(library.ids())]
    return sorted(exact, reverse=True)[:k]
