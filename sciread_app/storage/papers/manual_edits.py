"""Manual edits of fields, of one paper or a hundred thousand, in the same few statements."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, delete

from sciread_app.domain.paper import Author
from sciread_app.errors import LibraryError
from sciread_app.language import tr
from sciread_app.storage import fulltext, paper_rows, schema

_PLAIN = ("title", "abstract", "kind", "venue", "published")
_LISTS = {"authors": schema.authors, "identifiers": schema.identifiers, "fields": schema.fields}
_COLUMNS = {
    "authors": Author._fields,
    "identifiers": ("kind", "value"),
    "fields": ("field",),
}
_FOLLOWING = ("doi", "and-others")  # entries of `extra` that follow identifiers and authors
FIELDS = (*_PLAIN, "keywords", "extra", *_LISTS)
_DATE = re.compile(r"(\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?)?")
_AMONG = "id IN (SELECT value FROM json_each(?))"


def edit(
    db: Connection, ids: Iterable[int], values: Mapping[str, Any], *, manual: bool = True
) -> None:
    """Set fields of papers, with values as in Paper. No later import overwrites them if the edit
    is `manual`.

    An edit of authors or identifiers may change `extra` with them, which does not count as edited
    unless other entries of it change.
    """
    _check(values)
    listed = [int(id) for id in ids]
    chosen = json.dumps(listed)
    known = [id for (id,) in db.exec_driver_sql(f"SELECT id FROM papers WHERE {_AMONG}", (chosen,))]
    columns = {name: _value(name, value) for name, value in values.items() if name not in _LISTS}
    edited = set(values)
    if edited & {"authors", "identifiers"} and not _changes_others(db, chosen, values):
        edited.discard("extra")
    with fulltext.reindexing(db, known):
        for name, value in columns.items():
            db.exec_driver_sql(f"UPDATE papers SET {name} = ? WHERE {_AMONG}", (value, chosen))
        for name in _LISTS.keys() & values.keys():
            _set_list(db, known, name, values[name])
        if manual:
            _remember(db, chosen, edited)
        paper_rows.renew(db, known, time.time())


def _check(values: Mapping[str, Any]) -> None:
    if unknown := values.keys() - set(FIELDS):
        raise TypeError(f"no such field can be set by hand: {', '.join(sorted(unknown))}")
    if not _DATE.fullmatch(values.get("published", "")):
        raise LibraryError(
            tr("“{text}” is not a valid date.", text=values["published"]),
            tr("Enter a date such as 2017, 2017-06, or 2017-06-12."),
        )


def _value(name: str, value: Any) -> str:
    if name == "keywords":
        return "\n".join(value)
    return json.dumps(dict(value), ensure_ascii=False) if name == "extra" else str(value)


def _set_list(db: Connection, ids: Sequence[int], name: str, entries: Sequence[Any]) -> None:
    table, columns = _LISTS[name], _COLUMNS[name]
    db.execute(delete(table).where(table.c.paper.in_(paper_rows.among(ids))))
    each = dict.fromkeys((entry,) if isinstance(entry, str) else tuple(entry) for entry in entries)
    rows = [(id, n, *entry) for id in ids for n, entry in enumerate(each)]
    paper_rows.insert(db, name, ("paper", "position", *columns), rows)


def _changes_others(db: Connection, chosen: str, values: Mapping[str, Any]) -> bool:
    """Whether an edit changes entries of `extra` that do not belong to authors or identifiers."""
    if "extra" not in values:
        return False
    stored = db.exec_driver_sql(f"SELECT extra FROM papers WHERE {_AMONG}", (chosen,)).scalars()
    new = _others(values["extra"])
    return any(_others(json.loads(extra)) != new for extra in stored)


def _others(extra: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in extra.items() if name not in _FOLLOWING}


def _remember(db: Connection, chosen: str, values: Iterable[str]) -> None:
    """Add names to the papers' lists of manually edited fields."""
    db.exec_driver_sql(
        "UPDATE papers SET edited = (SELECT json_group_array(value) FROM ("
        " SELECT value FROM json_each(papers.edited)"
        f" UNION SELECT value FROM json_each(?) ORDER BY value)) WHERE {_AMONG}",
        (json.dumps(sorted(values)), chosen),
    )
