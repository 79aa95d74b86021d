"""Rewriting of queries when a tag or a collection is renamed."""

from __future__ import annotations

import re
from collections.abc import Callable

from sciread_app.domain.query.builder import QUOTES, fragment

_VALUE = rf"=?(?:[{QUOTES}]([^{QUOTES}]*)[{QUOTES}]|([^\s(){QUOTES}]+))"


def with_tag_renamed(query: str, old: str, new: str) -> str:
    return _renamed(query, "tag", lambda name: new if name.casefold() == old.casefold() else None)


def with_collection_moved(query: str, old: str, new: str) -> str:
    """The query with a collection's path replaced, also in the paths of its subcollections."""

    def moved(path: str) -> str | None:
        path = path.strip("/")
        if path.casefold() == old.casefold():
            return new
        below = path[len(old) :]
        inside = path[: len(old)].casefold() == old.casefold() and below.startswith("/")
        return new + below if inside else None

    return _renamed(query, "in", moved)


def _renamed(query: str, field: str, rename: Callable[[str], str | None]) -> str:
    def changed(match: re.Match[str]) -> str:
        name = rename(match[1] if match[1] is not None else match[2])
        return match[0] if name is None else fragment(field, [name])

    return re.sub(rf"\b{field}:{_VALUE}", changed, query, flags=re.IGNORECASE)
