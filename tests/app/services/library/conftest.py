"""Fixtures of several tests of annotations."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sciread_app.services.library.reader import ReaderService
from sciread_app.storage.library import Library


@pytest.fixture
def service(library: Library) -> Iterator[ReaderService]:
    """The annotations of the library that the test file makes."""
    service = ReaderService(library)
    yield service
    service.close()
