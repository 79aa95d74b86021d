"""Stored queries, and rows stored by the key of a subject; see domain.recommend.FollowedTopic."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from sqlalchemy import Connection

# Tables with queries: name, key column, query columns.
_QUERIES = (("saved_searches", "id", ("query",)), ("subjects", "subject", ("must", "never")))
# Tables keyed by subject, with their other columns.
_OF_SUBJECTS = {
    "opinions": "paper, liked, at",
    "subjects": "must, never, half_life, seen",
    "digest_topics": "frequency, weekday, since, last",
    "digested": "paper, digest, position, reasons",
}


def rewrite(db: Connection, change: Callable[[str], str]) -> None:
    """Apply `change` to all stored queries, after something they name was renamed."""
    for table, key, columns in _QUERIES:
        for column in columns:
            rows = db.exec_driver_sql(f"SELECT {key}, {column} FROM {table}").all()
            changed = [(new, id) for id, old in rows if (new := change(old)) != old]
            if changed:
                db.exec_driver_sql(f"UPDATE {table} SET {column} = ? WHERE {key} = ?", changed)


def delete(db: Connection, subjects: Sequence[str]) -> None:
    """Delete the rows of removed subjects: their ids may be assigned again."""
    for table in _OF_SUBJECTS:
        db.exec_driver_sql(
            f"DELETE FROM {table} WHERE subject IN (SELECT value FROM json_each(?))",
            (json.dumps(list(subjects)),),
        )


def reassign(db: Connection, old: str, new: str) -> None:
    """Move the rows of one subject to another, which keeps its own."""
    for table, columns in _OF_SUBJECTS.items():
        db.exec_driver_sql(
            f"INSERT OR IGNORE INTO {table} (subject, {columns})"
            f" SELECT ?, {columns} FROM {table} WHERE subject = ?",
            (new, old),
        )
    delete(db, [old])
