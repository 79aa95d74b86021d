"""The conditions of a query as SQL: for each a SELECT of papers, small ones wherever possible.

Most conditions leave few papers or leave few out. Taken one by one, each is answered by an index
in milliseconds; as one WHERE over all papers, with a look at each, they took half a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import NamedTuple

from sciread_app.domain.conditions import WHOLE, Condition
from sciread_app.domain.fragments import QUOTES
from sciread_app.domain.ranges import MOST_STARS

_LIKE_SIGNS = str.maketrans({"\\": r"\\", "%": r"\%", "_": r"\_"})

# A name as the language of the search box can hold it: without its quotation marks.
_NAME = "name"
for _sign in QUOTES:
    _NAME = f"replace({_NAME}, '{_sign}', ' ')"
_NAME = f"trim(replace({_NAME}, '  ', ' '))"
_TAGGED = f"""
SELECT paper AS id FROM tagged WHERE tag IN (SELECT id FROM tags WHERE {_NAME} = ? COLLATE NOCASE)
"""
_IN_COLLECTION = f"""
SELECT paper AS id FROM collected WHERE collection IN (
    WITH RECURSIVE
        named (id, parent, name) AS (SELECT id, parent, {_NAME} FROM collections),
        paths (id, path) AS (
            SELECT id, name FROM named WHERE parent IS NULL
            UNION ALL
            SELECT c.id, paths.path || '/' || c.name
            FROM named AS c JOIN paths ON c.parent = paths.id)
    SELECT id FROM paths WHERE path = ? COLLATE NOCASE OR path LIKE ? ESCAPE '\\')
"""
# Between "cs." and "cs/", the character behind the dot, lies all that begins with "cs.".
_IN_FIELD = """
SELECT paper AS id FROM fields WHERE field = ? COLLATE NOCASE
UNION ALL SELECT paper FROM fields
    WHERE field >= ? COLLATE NOCASE AND field < ? COLLATE NOCASE
"""
_WHOLE_VENUE = "SELECT id FROM papers WHERE venue != '' AND venue = ? COLLATE NOCASE"
# The parts of a name as Author.name joins them; only where the text index has seen its words.
_WHOLE_AUTHOR = """
SELECT paper AS id FROM authors
WHERE paper IN (SELECT rowid FROM fulltext WHERE fulltext MATCH ?)
AND trim(replace(given || ' ' || particle || ' ' || family || ' ' || suffix, '  ', ' '))
    = ? COLLATE NOCASE
"""
# What an author has withdrawn, or a journal retracted. An index holds these papers: it is found by
# these very words.
WITHDRAWN = (
    "instr(extra, '\"withdrawn\": ') > 0 OR instr(extra, '\"retraction_in\": ') > 0 "
    "OR instr(extra, 'Retracted Publication') > 0"
)
# What few papers are, or lack, is what is looked up.
_CHOICES = {
    ("is", "read"): (True, "SELECT id FROM papers WHERE read"),
    ("is", "unread"): (False, "SELECT id FROM papers WHERE read"),
    ("has", "pdf"): (True, "SELECT paper AS id FROM attachments"),
    ("has", "abstract"): (False, "SELECT id FROM papers WHERE abstract = ''"),
    ("has", "notes"): (True, "SELECT paper AS id FROM notes"),
    ("has", "tags"): (True, "SELECT paper AS id FROM tagged"),
    ("has", "highlights"): (True, "SELECT paper AS id FROM highlights"),
    ("is", "unfiled"): (False, "SELECT paper AS id FROM collected"),
    ("is", "retracted"): (True, f"SELECT id FROM papers WHERE {WITHDRAWN}"),
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
    if (condition.field, condition.value) in _CHOICES:
        return Selection(*_CHOICES[condition.field, condition.value])
    if condition.of_trash:
        return Selection(True, "SELECT id FROM papers WHERE trashed IS NOT NULL")
    if condition.field == "year":
        return _range("year", "BETWEEN ? AND ?", condition.years)
    if condition.field == "added":
        return _range("added", ">= ? AND added < ?", _moments(condition))
    if condition.field == "rating":
        return _rated(*condition.stars)
    whole = condition.field in WHOLE and any(v.startswith("=") for v in condition.alternatives)
    if condition.expression and not whole:
        return _worded(condition)
    each = [_alternative(condition.field, value) for value in condition.alternatives]
    values = tuple(value for one in each for value in one.values)
    sql = " UNION ALL ".join(f"SELECT id FROM ({one.sql})" for one in each)
    return Selection(True, sql, values)


def _worded(condition: Condition) -> Selection:
    return found_by(condition.expression)


def found_by(expression: str) -> Selection:
    """The papers that match an FTS5 expression."""
    return Selection(True, "SELECT rowid AS id FROM fulltext WHERE fulltext MATCH ?", (expression,))


def _range(column: str, test: str, ends: tuple[object, object]) -> Selection:
    """Papers by an index that leaves out the trash, and those in the trash by another."""
    sql = " UNION ALL ".join(
        f"SELECT id FROM papers WHERE trashed {live} AND {column} {test}"
        for live in ("IS NULL", "IS NOT NULL")
    )
    return Selection(True, sql, (*ends, *ends))


def _rated(first: int, last: int) -> Selection:
    """By the index of what is rated, since most papers are not."""
    rated = "SELECT id FROM papers WHERE rating > 0 AND rating BETWEEN ? AND ?"
    if first == 0:
        return Selection(False, rated, (last + 1, MOST_STARS))
    return Selection(True, rated, (first, last))


def _moments(condition: Condition) -> tuple[float, float]:
    """When the first day of an `added` condition began, and the last one ended."""
    first, last = condition.days(date.today())
    begin = datetime.combine(first, datetime.min.time()).timestamp() if first > _EARLY else 0.0
    if last >= _LATE:
        return begin, float("inf")
    return begin, datetime.combine(last + timedelta(1), datetime.min.time()).timestamp()


# Nothing was added before or will be after, and Windows knows no moments there.
_EARLY, _LATE = date(1971, 1, 1), date(3000, 1, 1)


def _alternative(field: str, value: str) -> Selection:
    if field in WHOLE:
        if not value.startswith("="):
            return _worded(Condition(field, value))
        if field == "venue":
            return Selection(True, _WHOLE_VENUE, (value[1:],))
        return Selection(True, _WHOLE_AUTHOR, (Condition(field, value).expression, value[1:]))
    if field == "cat":
        top = value.removesuffix("*").removesuffix(".")
        return Selection(True, _IN_FIELD, (top, f"{top}.", f"{top}/"))
    if field == "tag":
        return Selection(True, _TAGGED, (value,))
    path = value.strip("/")
    return Selection(True, _IN_COLLECTION, (path, f"{path.translate(_LIKE_SIGNS)}/%"))
