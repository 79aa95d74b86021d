"""The conditions of a query as SQL: a SELECT of the papers that meet them all."""

from __future__ import annotations

from collections.abc import Sequence

from sciread_app.domain.query import Condition

_LIKE_SIGNS = str.maketrans({"\\": r"\\", "%": r"\%", "_": r"\_"})

_IN_COLLECTION = """
id IN (SELECT paper FROM collected WHERE collection IN (
    WITH RECURSIVE
        paths (id, path) AS (
            SELECT id, name FROM collections WHERE parent IS NULL
            UNION ALL
            SELECT c.id, paths.path || '/' || c.name
            FROM collections AS c JOIN paths ON c.parent = paths.id)
    SELECT id FROM paths WHERE path = ? COLLATE NOCASE OR path LIKE ? ESCAPE '\\'))
"""
_IN_FIELD = """
id IN (SELECT paper FROM fields WHERE field = ? COLLATE NOCASE OR field LIKE ? ESCAPE '\\')
"""
_CHOICES = {
    ("is", "read"): "read",
    ("is", "unread"): "NOT read",
    ("has", "pdf"): "id IN (SELECT paper FROM attachments)",
    ("has", "abstract"): "abstract != ''",
    ("has", "notes"): "id IN (SELECT paper FROM notes)",
}


def select_ids(conditions: Sequence[Condition]) -> tuple[str, tuple[object, ...]]:
    """A SELECT of the ids of papers out of the trash that meet all conditions, and its values."""
    parts, values = ["trashed IS NULL"], []
    for condition in conditions:
        sql, bound = _condition(condition)
        parts.append(f"NOT ({sql})" if condition.negated else f"({sql})")
        values += bound
    return f"SELECT id FROM papers WHERE {' AND '.join(parts)}", tuple(values)


def _condition(condition: Condition) -> tuple[str, list[object]]:
    if condition.expression:
        found = "id IN (SELECT rowid FROM fulltext WHERE fulltext MATCH ?)"
        return found, [condition.expression]
    if condition.field == "year":
        # A paper without a year is in no range; NOT of an unknown would leave it out as well.
        return "coalesce(year BETWEEN ? AND ?, 0)", list(condition.years)
    each = [_alternative(condition.field, value) for value in condition.alternatives]
    return " OR ".join(sql for sql, _ in each), [value for _, bound in each for value in bound]


def _alternative(field: str, value: str) -> tuple[str, list[object]]:
    if field == "cat":
        top = value.removesuffix(".*").removesuffix("*")
        return _IN_FIELD, [top, f"{top.translate(_LIKE_SIGNS)}.%"]
    if field == "tag":
        among = "id IN (SELECT paper FROM tagged JOIN tags ON tags.id = tag WHERE name = ?)"
        return among, [value]
    if field == "in":
        path = value.strip("/")
        return _IN_COLLECTION, [path, f"{path.translate(_LIKE_SIGNS)}/%"]
    return _CHOICES[field, value], []
