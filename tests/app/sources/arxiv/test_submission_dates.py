from datetime import UTC, datetime, timedelta, timezone

import pytest

from sciread_app.domain.fetch import SourceQuery
from sciread_app.sources import date_bounds
from sciread_app.sources.arxiv import submission_dates


def query(since="", until=""):
    return SourceQuery("arxiv", "x", since=since, until=until)


@pytest.mark.parametrize(
    ("since", "until", "window"),
    [
        ("", "", ""),
        ("2024", "2024", "submittedDate:[202401010000 TO 202412312359]"),
        ("2024-02", "2024-02", "submittedDate:[202402010000 TO 202402292359]"),
        ("2024-02-03", "2024-02-03", "submittedDate:[202402030000 TO 202402032359]"),
        ("", "1999", "submittedDate:[198001010000 TO 199912312359]"),
    ],
)
def test_window_includes_whole_first_and_last_day(since, until, window):
    assert submission_dates.window(query(since, until)) == window


def test_open_window_ends_after_today():
    end = submission_dates.window(query("2024")).partition(" TO ")[2]
    assert end > datetime.now(UTC).strftime("%Y%m%d2359]")


def test_window_can_start_at_a_minute():
    window = submission_dates.window(query("2024", "2024"), "202403041830")
    assert window == "submittedDate:[202403041830 TO 202412312359]"


def test_contains_includes_first_and_last_day():
    asked = query("2024-02", "2024-03-05")
    wanted = ["2024-01-31", "2024-02-01", "2024-03-05", "2024-03-06", ""]
    assert [submission_dates.contains(asked, day) for day in wanted] == [
        False,
        True,
        True,
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("since", "until", "why"),
    [
        ("2024-13", "", "2024-13 is not a valid date. Enter a date such as 2024-02-10."),
        ("", "yesterday", "yesterday is not a valid date. Enter a date such as 2024-02-10."),
        ("2024-99", "2025", "2024-99 is not a valid date. Enter a date such as 2024-02-10."),
        ("", "2024-13", "2024-13 is not a valid date. Enter a date such as 2024-02-10."),
        ("2025", "2024", "The start date 2025 is after the end date 2024."),
        ("2024", "2024", ""),
    ],
)
def test_invalid_dates_are_named(since, until, why):
    assert date_bounds.check(query(since, until)) == why


@pytest.mark.parametrize(
    ("now", "quiet"),
    [
        (datetime(2026, 11, 19, 12, tzinfo=UTC), False),  # Thursday
        (datetime(2026, 11, 20, 0, 30, tzinfo=UTC), False),  # Thursday evening in New York
        (datetime(2026, 11, 20, 12, tzinfo=UTC), True),
        (datetime(2026, 11, 21, 12, tzinfo=UTC), True),
        (datetime(2026, 11, 22, 23, tzinfo=UTC), True),
        (datetime(2026, 11, 23, 2, tzinfo=UTC), False),
        (datetime(2026, 11, 22, 19, tzinfo=timezone(timedelta(hours=-5))), False),
    ],
)
def test_why_nothing_explains_weekend_silence(now, quiet):
    assert bool(submission_dates.nothing_found_reason(now)) == quiet


def test_times_are_converted_to_arxiv_format():
    assert submission_dates.utc("2024-02-03T04:05:06") == "2024-02-03T04:05:06Z"
    assert submission_dates.utc("2024-02-03T04:05:06+02:00") == "2024-02-03T02:05:06Z"
    assert submission_dates.minute("2024-02-03T04:05:06Z") == "202402030405"
    assert submission_dates.minute("2024") == ""
