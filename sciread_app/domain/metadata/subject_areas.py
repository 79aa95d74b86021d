"""The subject areas of arXiv, such as math.AG."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from sciread_app.paths import resource


def name_of(field: str) -> str:
    """The name of a subject area, in any case; empty if it is not one of arXiv."""
    about = _by_folded_key().get(field.casefold())
    return about["name"] if about else ""


def archive_of(field: str) -> str:
    """The archive that a subject area belongs to: Mathematics for math.AG; the field itself if it
    is not one of arXiv."""
    known = _categories()
    archive = field.split(".")[0]
    if archive in known:
        return known[archive]["name"]
    return known[field]["group"] if field in known else field


@lru_cache(maxsize=1)
def _by_folded_key() -> dict[str, dict[str, str]]:
    return {key.casefold(): about for key, about in _categories().items()}


@lru_cache(maxsize=1)
def _categories() -> dict[str, dict[str, str]]:
    content: dict[str, Any] = json.loads(resource("arxiv_categories.json").read_text("utf-8"))
    found: dict[str, dict[str, str]] = content["categories"]
    return found
