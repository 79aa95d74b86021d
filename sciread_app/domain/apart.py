"""Taking a paper apart again into the records that were merged into it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from sciread_app.domain.identity import FILES, NAMING, merge
from sciread_app.domain.paper import Paper

PLAIN = ("title", "abstract", "authors", "kind", "published", "venue")
_LISTS = ("identifiers", "fields", "keywords", "files")


def groups(records: Sequence[Paper]) -> list[list[int]]:
    """The places of those records that have a name in common, and so are surely one paper."""
    found: list[tuple[set[object], list[int]]] = []
    for place, record in enumerate(records):
        names, places = _names(record), [place]
        for group in [group for group in found if group[0] & names]:
            names |= group[0]
            places = group[1] + places
            found.remove(group)
        found.append((names, places))
    return [places for _, places in found]


def joined(records: Iterable[Paper]) -> Paper:
    return reduce(merge, records)


def rest(paper: Paper, own: Paper | None, others: Sequence[Paper], edited: frozenset[str]) -> Paper:
    """What is left of `paper` when `others` leave it. `own` is what its own records say; None:
    that is not known, and what the others say may be its own as well. What was set by hand, and
    what no record says, stays."""
    values: dict[str, Any] = {}
    for name in PLAIN:
        said = {getattr(other, name) for other in others}
        if own and name not in edited and getattr(paper, name) in said:
            values[name] = getattr(own, name)
    for name in _LISTS:
        if name not in edited:
            values[name] = _less(paper, own, others, name)
    if own and "extra" not in edited:
        foreign = {key for other in others for key in other.extra} - set(own.extra)
        kept = {key: value for key, value in paper.extra.items() if key not in foreign}
        values["extra"] = {**kept, **own.extra}
    if own:
        values |= {"source": own.source, "source_id": own.source_id}
    return replace(paper, **values)


def _less(paper: Paper, own: Paper | None, others: Sequence[Paper], name: str) -> tuple[Any, ...]:
    entries = getattr(paper, name)
    foreign = {entry for other in others for entry in getattr(other, name)}
    if own:
        foreign -= set(getattr(own, name))
    return tuple(entry for entry in entries if entry not in foreign)


def _names(record: Paper) -> set[object]:
    names: set[object] = {name for name in record.identifiers if name.kind in NAMING}
    if record.source_id and record.source not in FILES:
        names.add((record.source, record.source_id))
    return names
