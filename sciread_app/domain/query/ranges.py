"""Ranges in the query language: years, ratings, days.

Each parser takes the whole part, for error messages, and its value. All raise BadQuery.
"""

from __future__ import annotations

import calendar
import re
from datetime import date, timedelta

from sciread_app.errors import BadQuery
from sciread_app.language import tr

EXAMPLES = {
    "year": tr("year:2015, year:2015..2019, or year:>=2015"),
    "rating": tr("rating:4.. or rating:5; rating:0 finds unrated papers"),
    "added": tr("added:7d, added:today or added:2026-01..2026-03"),
}
MOST_STARS = 5

_YEARS = re.compile(r"(?P<first>\d{4})?(?P<range>\.\.+|-)?(?P<last>\d{4})?")
_YEAR_LIMIT = re.compile(r"(?P<sign>[<>]=?)(?P<year>\d{4})")
_STARS = re.compile(r"(?P<first>[0-5])?(?P<range>\.\.+|-)?(?P<last>[0-5])?")
_STAR_LIMIT = re.compile(r"(?P<sign>[<>]=?)(?P<stars>[0-5])")
_AGO = re.compile(r"(\d{1,4})([dwmy])")
_DAY = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")
_DAYS_IN = {"d": 1, "w": 7, "m": 30, "y": 365}


def year_range(part: str, value: str) -> str:
    """A range of years, 2015..2019, with either end empty where it is open."""
    value = _plain(value)
    if limit := _YEAR_LIMIT.fullmatch(value):
        year = int(limit["year"]) + {">": 1, "<": -1}.get(limit["sign"], 0)
        return f"{year}.." if limit["sign"].startswith(">") else f"..{year}"
    match = _YEARS.fullmatch(value)
    first, last = (match["first"] or "", match["last"] or "") if match else ("", "")
    if not match or not (first or last) or (last and not match["range"]):
        raise BadQuery(
            tr("“{text}” does not contain a valid year.", text=_short(part)), _for_example("year")
        )
    if first and last and first > last:
        raise _backwards(part, f"year:{last}..{first}")
    return f"{first}..{last}" if match["range"] else f"{first}..{first}"


def star_range(part: str, value: str) -> str:
    """A range of ratings, 4..5, always with both ends. Rated papers have at least one star."""
    value = _plain(value)
    if limit := _STAR_LIMIT.fullmatch(value):
        stars = int(limit["stars"]) + {">": 1, "<": -1}.get(limit["sign"], 0)
        first, last = (stars, MOST_STARS) if limit["sign"].startswith(">") else (1, stars)
    else:
        match = _STARS.fullmatch(value)
        if (
            not match
            or not (match["first"] or match["last"])
            or (match["last"] and not match["range"])
        ):
            raise _no_stars(part)
        first = int(match["first"] or 1)
        last = int(match["last"] or MOST_STARS) if match["range"] else first
    if first > last:
        if max(first, last) > MOST_STARS or min(first, last) < 0:
            raise _no_stars(part)
        raise _backwards(part, f"rating:{last}..{first}")
    return f"{first}..{last}"


def day_range(part: str, value: str) -> str:
    """A range of days, as `days` reads it: 7d, or 2026-01-01..2026-03-31 with either end empty."""
    value = value.strip().replace("…", "..").replace("–", "..").lower()
    if value == "today":
        return "0d"
    if _AGO.fullmatch(value):
        return value
    first, dots, last = value.partition("..")
    try:
        if not (first or last):
            raise ValueError
        begin = _day(first, last=False) if first else None
        end = _day(last if dots else first, last=True) if last or not dots else None
    except ValueError:
        message = tr("“{text}” does not contain a valid date.", text=_short(part))
        raise BadQuery(message, _for_example("added")) from None
    if begin and end and begin > end:
        raise _backwards(part, f"added:{last}..{first}")
    return f"{begin or ''}..{end or ''}"


def days(value: str, today: date) -> tuple[date, date]:
    """The first and the last day of a range returned by `day_range`."""
    if ago := _AGO.fullmatch(value):
        back = timedelta(int(ago[1]) * _DAYS_IN[ago[2]])
        return (today - back if back < today - date.min else date.min), date.max
    first, _, last = value.partition("..")
    return (
        date.fromisoformat(first) if first else date.min,
        date.fromisoformat(last) if last else date.max,
    )


def _day(text: str, *, last: bool) -> date:
    match = _DAY.fullmatch(text)
    if match is None:
        raise ValueError
    year, month = int(match[1]), int(match[2] or (12 if last else 1))
    if match[3]:
        return date(year, month, int(match[3]))
    if not 1 <= month <= 12:
        raise ValueError
    return date(year, month, calendar.monthrange(year, month)[1] if last else 1)


def _plain(value: str) -> str:
    return value.replace("…", "..").replace("–", "-").replace(" ", "")


def _no_stars(part: str) -> BadQuery:
    return BadQuery(
        tr("“{text}” does not contain a rating from 0 to 5.", text=_short(part)),
        _for_example("rating"),
    )


def _for_example(field: str) -> str:
    return tr("For example: {query}", query=EXAMPLES[field])


def _backwards(part: str, meant: str) -> BadQuery:
    return BadQuery(
        tr("The range in “{text}” ends before it starts.", text=_short(part)),
        tr("Did you mean {query}?", query=meant),
    )


def _short(text: str, limit: int = 60) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
