"""Queries that are kept, and what is kept for a subject: see domain.recommend.Subject."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from sqlalchemy import Connection

# Tables with queries, their keys, and the columns in which queries stand.
_QUERIES = (("saved_searches", "id", ("query",)), ("subjects", "subject", ("must", "never")))
# What is kept by the key of a subject.
_OF_SUBJECTS = {"opinions": "paper, liked, at", "subjects": "must, never, half_life, seen"}


def rewrite(db: Connection, change: Callable[[str], str]) -> None:
    """Change all queries that are kept, where they mean something that has another name now."""
    for table, key, columns in _QUERIES:
        for column in columns:
            rows = db.exec_driver_sql(f"SELECT {key}, {column} FROM {table}").all()
            changed = [(new, id) for id, old in rows if (new := change(old)) != old]
            if changed:
                db.exec_driver_sql(f"UPDATE {table} SET {column} = ? WHERE {key} = ?", changed)


def forget(db: Connection, subjects: Sequence[str]) -> None:
    """Drop what is kept for subjects that are removed: their numbers may be given again."""
    for table in _OF_SUBJECTS:
        db.exec_driver_sql(
            f"DELETE FROM {table} WHERE subject IN (SELECT value FROM json_each(?))",
            (json.dumps(list(subjects)),),
        )


def hand_over(db: Connection, old: str, new: str) -> None:
    """What is kept for one subject is kept for another from now on, which keeps its own."""
    for table, columns in _OF_SUBJECTS.items():
        db.exec_driver_sql(
            f"INSERT OR IGNORE INTO {table} (subject, {columns})"
            f" SELECT ?, {columns} FROM {table} WHERE subject = ?",
            (new, old),
        )
    forget(db, [old])
