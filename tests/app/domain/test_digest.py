"""When a topic is due."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from sciread_app.domain.digest import Frequency, Interval

HERE = timezone(timedelta(hours=-5))
THURSDAY = datetime(2026, 11, 26, 8, 0, tzinfo=HERE)


@pytest.mark.parametrize(
    ("interval", "days", "due"),
    [
        (Interval(), 400, False),
        (Interval(Frequency.daily), 0, False),
        (Interval(Frequency.daily), 1, True),
        (Interval(Frequency.daily), 30, True),
        (Interval(Frequency.weekly, 3), 0, False),
        (Interval(Frequency.weekly, 3), 1, True),
        (Interval(Frequency.weekly, 0), 2, False),
        (Interval(Frequency.weekly, 0), 3, False),
        (Interval(Frequency.weekly, 0), 4, True),
        (Interval(Frequency.weekly, 4), 5, False),
        (Interval(Frequency.weekly, 4), 7, True),
    ],
)
def test_topic_is_due_once_its_day_has_come(interval, days, due):
    last = (THURSDAY - timedelta(days=days)).timestamp()
    assert interval.is_due(last, THURSDAY) == due


def test_day_begins_at_local_midnight():
    evening = datetime(2026, 11, 25, 23, 59, tzinfo=HERE).timestamp()
    morning = datetime(2026, 11, 26, 0, 1, tzinfo=HERE).timestamp()
    daily = Interval(Frequency.daily)
    assert daily.is_due(evening, THURSDAY) and not daily.is_due(morning, THURSDAY)
