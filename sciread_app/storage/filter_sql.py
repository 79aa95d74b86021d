"""Filter conditions as SQL: a SELECT of paper ids for each, small ones wherever possible.

Most conditions match few papers or exclude few. Taken one by one, each is answered by an index in
milliseconds; as one WHERE over all papers they took half a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import NamedTuple

from sciread_app.domain.matching.record_keys import block_keys
from sciread_app.domain.query.ast import WHOLE, Condition
from sciread_app.domain.query.builder import QUOTES
from sciread_app.domain.query.ranges import MOST_STARS

LIKE_SIGNS = str.maketrans({"\\": r"\\", "%": r"\%", "_": r"\_"})

# A name as query syntax can hold it: without quotation marks.
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
# Everything that begins with "cs." sorts between "cs." and "cs/", the next character.
_IN_FIELD = """
SELECT paper AS id FROM fields WHERE field = ? COLLATE NOCASE
UNION ALL SELECT paper FROM fields
    WHERE field >= ? COLLATE NOCASE AND field < ? COLLATE NOCASE
"""
_WHOLE_VENUE = "SELECT id FROM papers WHERE venue != '' AND venue = ? COLLATE NOCASE"
# The parts of a name as Author.name joins them; only where the text index contains its words.
_WHOLE_AUTHOR = """
SELECT paper AS id FROM authors
WHERE paper IN (SELECT rowid FROM fulltext WHERE fulltext MATCH ?)
AND trim(replace(given || ' ' || particle || ' ' || family || ' ' || suffix, '  ', ' '))
    = ? COLLATE NOCASE
"""
# Papers withdrawn by their authors or retracted by a journal. A partial index covers them; SQLite
# uses it only for exactly this expression.
WITHDRAWN = (
    "instr(extra, '\"withdrawn\": ') > 0 OR instr(extra, '\"retraction_in\": ') > 0 "
    "OR instr(extra, 'Retracted Publication') > 0"
)
# Papers with a file that could not be read completely, or without title, authors or year. Indexes
# find the latter: the first key of an empty title, and the key of authors and year, which is 0.
PROBLEMS = f"""
SELECT paper AS id FROM attachments WHERE problem != ''
UNION SELECT id FROM papers WHERE author_key = 0
UNION SELECT id FROM papers WHERE head_key = {block_keys("")[0]} AND title = ''
"""
# For yes/no conditions the rarer of the two sets is looked up.
_CHOICES = {
    ("is", "read"): (True, "SELECT id FROM papers WHERE read"),
    ("is", "unread"): (False, "SELECT id FROM papers WHERE read"),
    ("has", "pdf"): (True, "SELECT paper AS id FROM attachments"),
    ("has", "missing"): (
        True,
        "SELECT a.paper AS id FROM watched_files AS f JOIN attachments AS a ON a.path = f.path"
        " WHERE f.state = 'missing'",
    ),
    ("has", "abstract"): (False, "SELECT id FROM papers WHERE abstract = ''"),
    ("has", "authors"): (True, "SELECT paper AS id FROM authors"),
    ("has", "year"): (False, "SELECT id FROM papers WHERE published = ''"),
    ("has", "venue"): (False, "SELECT id FROM papers WHERE venue = ''"),
    ("has", "doi"): (True, "SELECT paper AS id FROM identifiers WHERE kind = 'doi'"),
    ("has", "notes"): (True, "SELECT paper AS id FROM notes"),
    ("has", "tags"): (True, "SELECT paper AS id FROM tagged"),
    ("has", "highlights"): (True, "SELECT paper AS id FROM highlights"),
    ("has", "problems"): (True, PROBLEMS),
    ("is", "unfiled"): (False, "SELECT paper AS id FROM collected"),
    ("is", "retracted"): (True, f"SELECT id FROM papers WHERE {WITHDRAWN}"),
}


class Selection(NamedTuple):
    """A set of papers to include or exclude. It may contain papers in the trash."""

    included: bool
    sql: str  # a SELECT of ids
    values: tuple[object, ...] = ()

    @property
    def test(self) -> str:
        """A test of `rowid` for a WHERE clause; the plus keeps FTS5 from testing paper by paper."""
        return f"+rowid {'' if self.included else 'NOT '}IN ({self.sql})"


def selections(conditions: Sequence[Condition]) -> list[Selection]:
    """The sets to intersect and to subtract in order to meet all conditions."""
    found = (_selection(condition) for condition in conditions)
    return [
        selection._replace(included=selection.included != condition.negated)
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
        return matching(condition.expression)
    each = [_alternative(condition.field, value) for value in condition.alternatives]
    values = tuple(value for one in each for value in one.values)
    sql = " UNION ALL ".join(f"SELECT id FROM ({one.sql})" for one in each)
    return Selection(True, sql, values)


def matching(expression: str) -> Selection:
    """The papers that match an FTS5 expression."""
    return Selection(True, "SELECT rowid AS id FROM fulltext WHERE fulltext MATCH ?", (expression,))


def _range(column: str, test: str, ends: tuple[object, object]) -> Selection:
    """Papers in a range: by the index that leaves out the trash, and the trash by another index."""
    sql = " UNION ALL ".join(
        f"SELECT id FROM papers WHERE trashed {live} AND {column} {test}"
        for live in ("IS NULL", "IS NOT NULL")
    )
    return Selection(True, sql, (*ends, *ends))


def _rated(first: int, last: int) -> Selection:
    """By the index of rated papers, since most papers have no rating."""
    rated = "SELECT id FROM papers WHERE rating > 0 AND rating BETWEEN ? AND ?"
    if first == 0:
        return Selection(False, rated, (last + 1, MOST_STARS))
    return Selection(True, rated, (first, last))


def _moments(condition: Condition) -> tuple[float, float]:
    """The start of the first day and the end of the last, in seconds since 1970."""
    first, last = condition.days(date.today())
    begin = datetime.combine(first, datetime.min.time()).timestamp() if first > _EARLY else 0.0
    if last >= _LATE:
        return begin, float("inf")
    return begin, datetime.combine(last + timedelta(1), datetime.min.time()).timestamp()


# No paper was added outside these years, and Windows cannot convert such dates.
_EARLY, _LATE = date(1971, 1, 1), date(3000, 1, 1)


def _alternative(field: str, value: str) -> Selection:
    if field in WHOLE:
        if not value.startswith("="):
            return matching(Condition(field, value).expression)
        if field == "venue":
            return Selection(True, _WHOLE_VENUE, (value[1:],))
        return Selection(True, _WHOLE_AUTHOR, (Condition(field, value).expression, value[1:]))
    if field == "cat":
        top = value.removesuffix("*").removesuffix(".")
        return Selection(True, _IN_FIELD, (top, f"{top}.", f"{top}/"))
    if field == "tag":
        return Selection(True, _TAGGED, (value,))
    path = value.strip("/")
    return Selection(True, _IN_COLLECTION, (path, f"{path.translate(LIKE_SIGNS)}/%"))
