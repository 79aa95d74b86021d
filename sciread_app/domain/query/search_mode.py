"""The retrieval method of a search."""

from __future__ import annotations

from enum import StrEnum


class SearchMode(StrEnum):
    """The kind of search: by keywords, by meaning, or both."""

    text = "text"
    meaning = "meaning"
    hybrid = "hybrid"
