"""Long columns of numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import create_engine, text
from sqlalchemy.sql import column, select, table

from sciread_app.storage import id_sets
from sciread_app.storage.id_sets import parsed, select_columns

INT64 = st.integers(-(2**63), 2**63 - 1)


@pytest.fixture(autouse=True)
def _short_parts(monkeypatch):
    monkeypatch.setattr(id_sets, "_PART", 7)


@given(st.lists(INT64))
def test_parsed_numbers_are_those_of_the_text(numbers):
    assert parsed(",".join(map(str, numbers)), np.int64).tolist() == numbers


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False)))
def test_parsed_times_are_exact(times):
    assert parsed(",".join(map(repr, times)), np.float64).tolist() == times


def test_parsed_text_is_read_in_parts(monkeypatch):
    lengths = []
    parse = np.fromstring

    def noted(part, *given, **named):
        lengths.append(len(part))
        return parse(part, *given, **named)

    monkeypatch.setattr(np, "fromstring", noted)
    parsed(",".join(["123"] * 100), np.int64)
    assert len(lengths) > 40 and max(lengths) < 20


@pytest.mark.parametrize(("limit", "expected"), [(None, [3, 7, 1]), (2, [3, 7]), (0, [])])
def test_selected_columns_keep_the_order_of_the_query(limit, expected):
    things = table("things", column("id"), column("place"))
    with create_engine("sqlite://").begin() as db:
        db.execute(text("CREATE TABLE things (id INTEGER, place INTEGER)"))
        db.execute(text("INSERT INTO things VALUES (1, 30), (3, 10), (7, 20)"))
        query = select(things.c.id, things.c.place).order_by(things.c.place)
        ids, places = select_columns(db, query, limit)
    assert ids.tolist() == expected
    assert places.tolist() == [10, 20, 30][: len(expected)]
