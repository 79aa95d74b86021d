"""Fields that a look-up has changed, with the values that they had before."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from sciread_app.domain.metadata.changes import (
    FieldChange,
    LookupSuggestion,
    field_texts,
    is_in_extra,
)
from sciread_app.domain.metadata.editable_fields import changed
from sciread_app.domain.paper import Paper


class LookedUpField(NamedTuple):
    """A field of a paper, as a look-up has changed it.

    `new` is the digest of the value found: the look-up can be undone as long as the field has it,
    and a later one does not fill it in again.
    """

    field: str  # a key of FIELD_TITLES in domain.metadata.changes
    old: str  # the text of its value before
    new: str
    source: str  # the key of the service
    at: float  # seconds since 1970


def looked_up(paper: Paper, changes: Iterable[FieldChange], at: float) -> list[LookedUpField]:
    """The fields that these changes have changed; `paper` is the paper after them."""
    texts = field_texts(paper)
    return [
        LookedUpField(one.field, one.old, _digest(texts[one.field]), one.source, at)
        for one in changes
    ]


def unchanged(paper: Paper, fields: Iterable[LookedUpField]) -> list[LookedUpField]:
    """Those fields that still have the values that were looked up, in the order of FIELD_TITLES."""
    known = {one.field: one for one in fields}
    texts = field_texts(paper).items()
    return [
        known[name] for name, text in texts if name in known and _digest(text) == known[name].new
    ]


def without_undone(
    suggestion: LookupSuggestion, fields: Iterable[LookedUpField]
) -> LookupSuggestion:
    """The suggestion, in which values that `fields` had and the user has removed are only offered.

    A value that the paper still has is not suggested.
    """
    removed = {(one.field, one.new) for one in fields}
    changes = (
        replace(one, fills=one.fills and (one.field, _digest(one.new)) not in removed)
        for one in suggestion.changes
    )
    return replace(suggestion, changes=tuple(changes))


def restored(paper: Paper, fields: Sequence[LookedUpField]) -> dict[str, Any]:
    """The attributes of the paper to set so that these fields have their values before."""
    values: dict[str, Any] = {}
    extra = dict(paper.extra)
    texts: dict[str, str] = {}
    for one in fields:
        if one.field == "fields":
            values["fields"] = tuple(filter(None, one.old.split("; ")))
        elif is_in_extra(one.field):
            extra[one.field] = one.old
        else:
            texts[one.field] = one.old
    extra = {name: text for name, text in extra.items() if text}
    values |= {"extra": extra} | changed(replace(paper, extra=extra), texts)
    if values["extra"] == paper.extra:
        del values["extra"]
    return values


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
