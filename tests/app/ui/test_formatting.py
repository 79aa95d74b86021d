"""Quantities as text."""

from __future__ import annotations

from datetime import datetime

from sciread_app.ui.formatting import when

NOW = datetime(2026, 11, 21, 12, 0)
TODAY = datetime(2026, 11, 21, 5, 12).timestamp()


def test_when_is_relative_to_now():
    assert when(TODAY, NOW) == "today at 05:12"
    assert when(TODAY - 86_400, NOW) == "yesterday at 05:12"
    assert when(TODAY - 10 * 86_400, NOW) == "November 11, 2026"
