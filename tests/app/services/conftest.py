"""An embedding index over the test's library, as seen by two processes."""

from __future__ import annotations

import pytest

from sciread_app.services.search.embedding_index import EmbeddingIndex
from tests.support.models.fake_encoder import FakeEncoder


@pytest.fixture
def encoder() -> FakeEncoder:
    return FakeEncoder()


@pytest.fixture
def space(library, encoder, tmp_path) -> EmbeddingIndex:
    return EmbeddingIndex(library, encoder, tmp_path / "indexes")


@pytest.fixture
def another(library, encoder, tmp_path) -> EmbeddingIndex:
    """The same index as another process, or a later session, sees it."""
    return EmbeddingIndex(library, encoder, tmp_path / "indexes")
