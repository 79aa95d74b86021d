"""The lines that describe fetches in the window."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from sciread_app.domain.fetch import FetchState, SourceQuery
from sciread_app.domain.paper import PaperId
from sciread_app.ui.add_papers.fetch.text import (
    changes_line,
    counts_line,
    limits_text,
    query_line,
    results_line,
    state_line,
)
from sciread_app.ui.view_models import FetchResults, ImportSummary
from tests.support.ui.fakes.add_papers import CHANGES, done, fetch_of

NOW = datetime(2026, 11, 21, 12, 0)
TODAY = datetime(2026, 11, 21, 5, 12).timestamp()
NOTHING = FetchResults("arXiv: bees", ImportSummary(0, 0, 0, []))


def test_state_line_describes_a_fetch():
    query = SourceQuery("arxiv", "all:bees")
    stopped = fetch_of(query, read=2000, total=5000, started=TODAY)
    assert state_line(fetch_of(query), NOW) == "Not started"
    assert state_line(stopped, NOW) == "Stopped at 2,000 of 5,000, today at 05:12"
    assert state_line(replace(stopped, state=FetchState.failed), NOW).startswith("Failed at 2,000")
    first = done("all:bees", finished=TODAY)
    assert state_line(first, NOW) == "Fetched today at 05:12"
    again = replace(first, query=replace(query, changed_since="2026-11-01T00:00:00Z"))
    assert state_line(again, NOW) == "Refreshed today at 05:12"


def test_counts_line_sums_all_records():
    assert counts_line(done("bees")) == "1,000 read: 990 new · 8 already in library · 2 failed"
    later = done("bees", read=12, added=10, merged=2, failed=0, papers=1000)
    assert counts_line(later) == "12 read: 10 new · 2 already in library · 1,000 papers in total"
    assert counts_line(done("bees", read=0, papers=7)) == "7 papers in total"
    assert counts_line(done("bees", read=0, papers=0)) == ""


def test_results_line_counts_new_and_changed_papers():
    results = replace(NOTHING, added=(PaperId(1), PaperId(2)), changes=(*CHANGES, CHANGES[0]))
    assert results_line(results) == (
        "2 new papers · 2 new versions · 1 now published · 1 retracted"
    )
    assert changes_line(replace(results, changes=())) == ""
    assert results_line(replace(NOTHING, added=(PaperId(1),))) == "1 new paper"


def test_results_line_without_results_has_the_reason():
    why = "arXiv announces nothing from Friday to Sunday evening."
    assert results_line(replace(NOTHING, remark=why)) == f"No new papers. {why}"
    assert changes_line(NOTHING) == "No new papers."


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (SourceQuery("arxiv", "a"), ""),
        (SourceQuery("arxiv", "a", "2024-01-01"), "Since 2024-01-01"),
        (
            SourceQuery("arxiv", "a", "2024-01-01", "2024-06-30", 5000),
            "Since 2024-01-01 · until 2024-06-30 · at most 5,000",
        ),
    ],
)
def test_limits_text_lists_the_bounds_of_a_query(query, expected):
    assert limits_text(query) == expected


def test_query_line_is_one_line():
    assert query_line(SourceQuery("pubmed", " a\n b ")) == "a b"
    assert query_line(SourceQuery("pubmed", "")) == "All papers"
