"""Removal of a merged record from a paper."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sciread_app.domain.paper import Paper

PLAIN = ("title", "abstract", "authors", "kind", "published", "venue")
_LISTS = ("identifiers", "fields", "keywords", "files")


def rest(paper: Paper, own: Paper, other: Paper) -> Paper:
    """Return `paper` without the values that came from `other`.

    `own` is the paper's own record before the merge. Values changed since the merge, which are in
    neither record, stay.
    """
    values: dict[str, Any] = {}
    for name in PLAIN:
        if getattr(paper, name) and getattr(paper, name) == getattr(other, name):
            values[name] = getattr(own, name)
    for name in _LISTS:
        foreign = set(getattr(other, name)) - set(getattr(own, name))
        values[name] = tuple(entry for entry in getattr(paper, name) if entry not in foreign)
    theirs = {key for key, value in paper.extra.items() if other.extra.get(key) == value}
    kept = {key: value for key, value in paper.extra.items() if key not in theirs}
    values["extra"] = kept | {key: own.extra[key] for key in theirs if key in own.extra}
    return replace(paper, **values)
