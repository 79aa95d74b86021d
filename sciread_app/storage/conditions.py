"""The conditions of a query as SQL: for each a SELECT of papers, small ones wherever possible.

Most conditions leave few papers or leave few out. Taken one by one, each is answered by an index
in milliseconds; as one WHERE over all papers, with a look at each, they took half a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sciread_app.domain.query import Condition

_LIKE_SIGNS = str.maketrans({"\\": r"\\", "%": r"\%", "_": r"\_"})

_IN_COLLECTION = """
SELECT paper AS id FROM collected WHERE collection IN (
    WITH RECURSIVE
        paths (id, path) AS (
            SELECT id, name FROM collections WHERE parent IS NULL
            UNION ALL
            SELECT c.id, paths.path || '/' || c.name
            FROM collections AS c JOIN paths ON c.parent = paths.id)
    SELECT id FROM paths WHERE path = ? COLLATE NOCASE OR path LIKE ? ESCAPE '\\')
"""
# Between "cs." and "cs/", the character behind the dot, lies all that begins with "cs.".
_IN_FIELD = """
SELECT paper AS id FROM fields WHERE field = ? COLLATE NOCASE
UNION ALL SELECT paper FROM fields
    WHERE field >= ? COLLATE NOCASE AND field < ? COLLATE NOCASE
"""
# What few papers are, or lack, is what is looked up.
_CHOICES = {
    ("is", "read"): (True, "SELECT id FROM papers WHERE read"),
    ("is", "unread"): (False, "SELECT id FROM papers WHERE read"),
    ("has", "pdf"): (True, "SELECT paper AS id FROM attachments"),
    ("has", "abstract"): (False, "SELECT id FROM papers WHERE abstract = ''"),
    ("has", "notes"): (True, "SELECT paper AS id FROM notes"),
}


class Selection(NamedTuple):
    """Papers that are wanted (or not) of all there are. Those in the trash may be among them."""

    wanted: bool
    sql: str  # a SELECT of ids
    values: tuple[object, ...] = ()

    @property
    def test(self) -> str:
        """As a test of `rowid` in a WHERE; the plus keeps FTS5 from asking paper by paper."""
        return f"+rowid {'' if self.wanted else 'NOT '}IN ({self.sql})"


def selections(conditions: Sequence[Condition]) -> list[Selection]:
    """What a paper must be, and must not be, in, to meet all conditions."""
    found = (_selection(condition) for condition in conditions)
    return [
        selection._replace(wanted=selection.wanted != condition.negated)
        for condition, selection in zip(conditions, found, strict=True)
    ]


def _selection(condition: Condition) -> Selection:
    if condition.expression:
        sql = "SELECT rowid AS id FROM fulltext WHERE fulltext MATCH ?"
        return Selection(True, sql, (condition.expression,))
    if condition.field == "year":
        sql = "SELECT id FROM papers WHERE trashed IS NULL AND year BETWEEN ? AND ?"
        return Selection(True, sql, condition.years)
    if (condition.field, condition.value) in _CHOICES:
        return Selection(*_CHOICES[condition.field, condition.value])
    each = [_alternative(condition.field, value) for value in condition.alternatives]
    values = tuple(value for _, bound in each for value in bound)
    return Selection(True, " UNION ALL ".join(f"SELECT id FROM ({sql})" for sql, _ in each), values)


def _alternative(field: str, value: str) -> tuple[str, tuple[object, ...]]:
    if field == "cat":
        top = value.removesuffix("*").removesuffix(".")
        return _IN_FIELD, (top, f"{top}.", f"{top}/")
    if field == "tag":
        among = "SELECT paper AS id FROM tagged JOIN tags ON tags.id = tag WHERE name = ?"
        return among, (value,)
    path = value.strip("/")
    return _IN_COLLECTION, (path, f"{path.translate(_LIKE_SIGNS)}/%")
