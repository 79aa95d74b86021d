"""Sets of paper ids: ascending arrays without duplicates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

Ids = NDArray[np.int64]


def distinct(ids: Ids) -> Ids:
    """The unique ids, ascending. Input is nearly always sorted; np.unique takes 50 ms to notice."""
    ids = np.sort(ids)
    return ids[np.flatnonzero(np.diff(ids, prepend=ids[:1] - 1))]


def select_ids(db: Connection, sql: str, values: tuple[object, ...] = ()) -> Ids:
    """The unique ids that a SELECT returns, ascending."""
    # As one text: a hundred thousand separate rows would take five times as long.
    text = db.exec_driver_sql(f"SELECT group_concat(id) FROM ({sql})", values).scalar_one()
    return distinct(np.fromstring(text or "", np.int64, sep=","))


def select_times(
    db: Connection, sql: str, values: tuple[object, ...] = ()
) -> tuple[Ids, NDArray[np.float64]]:
    """The ids, ascending, and the times, exact, of a SELECT of (id, at) without duplicates."""
    joined = f"SELECT group_concat(id), group_concat(printf('%!.17g', at)) FROM ({sql})"
    ids, times = db.exec_driver_sql(joined, values).one()
    found = np.fromstring(ids or "", np.int64, sep=",")
    order = np.argsort(found)
    return found[order], np.fromstring(times or "", np.float64, sep=",")[order]
