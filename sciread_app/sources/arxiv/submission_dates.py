"""arXiv's dates: windows of submission dates, and days without announcements."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sciread_app.domain.fetch import SourceQuery
from sciread_app.language import tr
from sciread_app.sources.date_bounds import first_day, last_day

_EARLIEST = "1980-01-01"  # The first papers are of 1986.


def window(query: SourceQuery, begin: str = "") -> str:
    """The condition on the submission date, in arXiv's language; "" for any date.

    It begins with the minute `begin`, if given, written like 202401312359.
    """
    if not (begin or query.since or query.until):
        return ""
    begin = begin or _minutes(first_day(query.since) or _EARLIEST) + "0000"
    # In a year's time, papers in an open window are later than today.
    tomorrow = (datetime.now(UTC) + timedelta(days=1)).strftime("%Y%m%d")
    end = (_minutes(last_day(query.until)) or tomorrow) + "2359"
    return f"submittedDate:[{begin} TO {end}]"


def contains(query: SourceQuery, published: str) -> bool:
    """Whether a paper that first appeared on this date is in the query's range."""
    if not published:
        return True
    return first_day(query.since) <= published and (
        not query.until or published <= last_day(query.until)
    )


def minute(time: str) -> str:
    """ "202401312359" for "2024-01-31T23:59:12Z"; empty if it is not a time."""
    digits = "".join(c for c in time[:16] if c.isdigit())
    return digits if len(digits) == 12 else ""


def day_before(minute: str) -> str:
    """The same minute on the day before."""
    form = "%Y%m%d%H%M"
    return (datetime.strptime(minute, form) - timedelta(days=1)).strftime(form)


def utc(time: str) -> str:
    """An ISO time in arXiv's notation: 2024-01-31T23:59:12Z."""
    moment = datetime.fromisoformat(time)
    moment = moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def nothing_found_reason(now: datetime) -> str:
    """The reason why there may be nothing new: arXiv announces at 20:00 in New York, Sunday to
    Thursday."""
    now = now.astimezone(UTC) if now.tzinfo else now
    # In UTC, that is after midnight, from Monday to Friday.
    if now.weekday() in (5, 6) or (now.weekday() == 4 and now.hour >= 1):
        return tr(
            "arXiv announces no papers from Friday to Sunday evening (20:00 in New York). "
            "Papers submitted in between are announced then."
        )
    return ""


def _minutes(day: str) -> str:
    return day.replace("-", "")
