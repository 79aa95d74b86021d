"""Sets of paper ids: ascending arrays without duplicates; and long columns of numbers.

SQLite joins numbers to texts, and numpy parses them: a hundred thousand separate rows would take
five times as long, and would compete with the window for the interpreter lock all the time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Select, func, select

Ids = NDArray[np.int64]

# Characters that are parsed at a time: numpy holds the interpreter lock for about a millisecond.
_PART = 65_536


def distinct(ids: Ids) -> Ids:
    """The unique ids, ascending. Input is nearly always sorted; np.unique takes 50 ms to notice."""
    ids = np.sort(ids)
    return ids[np.flatnonzero(np.diff(ids, prepend=ids[:1] - 1))]


def parsed(text: str | None, kind: type[Any]) -> NDArray[Any]:
    """The numbers of a text such as group_concat makes, as an array of this type; none for None."""
    text, start = text or "", 0
    parts = [np.empty(0, kind)]
    while start < len(text):
        end = text.find(",", start + _PART)
        end = len(text) if end < 0 else end
        parts.append(np.fromstring(text[start:end], kind, sep=","))
        start = end + 1
    return np.concatenate(parts)


def select_ids(db: Connection, sql: str, values: tuple[object, ...] = ()) -> Ids:
    """The unique ids that a SELECT returns, ascending."""
    text = db.exec_driver_sql(f"SELECT group_concat(id) FROM ({sql})", values).scalar_one()
    return distinct(parsed(text, np.int64))


def select_columns(db: Connection, query: Select[Any], limit: int | None = None) -> list[Ids]:
    """The columns of a query for integers without NULL: all rows, or the first `limit`, in its
    order."""
    # With a limit, SQLite keeps the order of a subquery.
    rows = query.limit(-1 if limit is None else limit).subquery()
    texts = db.execute(select(*map(func.group_concat, rows.c))).one()
    return [parsed(text, np.int64) for text in texts]


def select_times(
    db: Connection, sql: str, values: tuple[object, ...] = ()
) -> tuple[Ids, NDArray[np.float64]]:
    """The ids, ascending, and the times, exact, of a SELECT of (id, at) without duplicates."""
    joined = f"SELECT group_concat(id), group_concat(printf('%!.17g', at)) FROM ({sql})"
    ids, times = db.exec_driver_sql(joined, values).one()
    found = parsed(ids, np.int64)
    order = np.argsort(found)
    return found[order], parsed(times, np.float64)[order]
