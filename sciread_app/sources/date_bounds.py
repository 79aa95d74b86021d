"""The date range of a query; dates may lack the day or month."""

from __future__ import annotations

from calendar import monthrange
from datetime import date

from sciread_app.domain.fetch import SourceQuery
from sciread_app.language import tr


def first_day(since: str) -> str:
    """The first day of "2024", "2024-02" or "2024-02-10"; "" is unchanged."""
    return since + "-01-01"[len(since) - 4 :] if since else ""


def last_day(until: str) -> str:
    """The last day of "2024", "2024-02" or "2024-02-10"; "" is unchanged."""
    if len(until) == 4:
        return f"{until}-12-31"
    if len(until) == 7:
        return f"{until}-{monthrange(int(until[:4]), int(until[5:]))[1]}"
    return until


def check(query: SourceQuery) -> str:
    """The error in the dates of a query, as a sentence; "" if there is none."""
    for written, day in ((query.since, first_day), (query.until, last_day)):
        try:
            date.fromisoformat(day(written) or "1980-01-01")
        except ValueError:
            return tr("{text} is not a valid date. Enter a date such as 2024-02-10.", text=written)
    if query.since and query.until and first_day(query.since) > last_day(query.until):
        return tr(
            "The start date {since} is after the end date {until}.",
            since=query.since,
            until=query.until,
        )
    return ""
