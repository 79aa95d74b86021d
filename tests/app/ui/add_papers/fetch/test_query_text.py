"""Parsing of the bounds of a query, and insertion of fields and operators into its text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciread_app.ui.add_papers.fetch.query_text import how_many, iso_date, with_field, with_operator

AUTHOR = 'au:"{}"'


def test_with_field_selects_the_example():
    text, start, length = with_field("", 0, "", AUTHOR, "Hinton")
    assert text == 'au:"Hinton"'
    assert text[start : start + length] == "Hinton"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("cat:cs.CL", 'cat:cs.CL AND au:"Hinton"'),
        ("cat:cs.CL AND ", 'cat:cs.CL AND au:"Hinton"'),
        ("cat:cs.CL OR", 'cat:cs.CL OR au:"Hinton"'),
        ("cat:cs.CL ANDNOT (", 'cat:cs.CL ANDNOT (au:"Hinton"'),
        ("brand", 'brand AND au:"Hinton"'),
    ],
)
def test_with_field_joins_the_existing_text(before, after):
    assert with_field(before, len(before), "", AUTHOR, "Hinton").text == after


def test_with_field_in_the_middle_joins_both_sides():
    text = "cat:cs.CL ti:bees"
    assert with_field(text, 9, "", AUTHOR, "Hinton").text == 'cat:cs.CL AND au:"Hinton" AND ti:bees'
    assert with_field("(ti:a)", 5, "", AUTHOR, "Hinton").text == '(ti:a AND au:"Hinton")'


def test_with_field_encloses_the_selection():
    written = with_field("hinton", 0, "hinton", AUTHOR, "Curie")
    assert written.text == 'au:"hinton"'
    assert written.length == 0


def test_with_field_without_operators_adds_a_space():
    assert with_field("cs.CL", 5, "", "{}", "math.AG", "").text == "cs.CL math.AG"


def test_with_operator_adds_spaces():
    assert with_operator("a", 1, "AND") == ("a AND ", 6, 0)
    assert with_operator("a b", 1, "OR").text == "a OR b"


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("", "", ""),
        ("2024", "2024-01-01", "2024-12-31"),
        ("2024-02", "2024-02-01", "2024-02-29"),
        (" 2023/2 ", "2023-02-01", "2023-02-28"),
        ("2024-06-12", "2024-06-12", "2024-06-12"),
    ],
)
def test_iso_date_completes_partial_dates(text, first, last):
    assert iso_date(text, "Since") == first
    assert iso_date(text, "Until", last=True) == last


@pytest.mark.parametrize("text", ["24", "2024-13", "2023-02-29", "last week", "2024-06-12T00:00"])
def test_iso_date_rejects_invalid_dates(text):
    with pytest.raises(ValueError, match=r"Since: “.*” is not a date"):
        iso_date(text, "Since")


@pytest.mark.parametrize(("text", "number"), [("", 0), ("all", 0), ("5000", 5000), ("5,000", 5000)])
def test_how_many_parses_numbers(text, number):
    assert how_many(text) == number


@pytest.mark.parametrize("text", ["many", "-5", "0", "5k", "9999999999999"])
def test_how_many_rejects_invalid_numbers(text):
    with pytest.raises(ValueError, match="is not a number"):
        how_many(text)


@given(st.text(max_size=40), st.integers(0, 40))
def test_with_field_loses_no_text(text, cursor):
    written = with_field(text, cursor, "", AUTHOR, "Hinton")
    assert written.text[written.start : written.start + written.length] == "Hinton"
    left = written.text.replace('au:"Hinton"', " ", 1)
    kept = "".join(left.split()).replace("AND", "")
    assert kept == "".join(text.split()).replace("AND", "")


@given(st.text(max_size=20))
def test_iso_date_accepts_or_explains_any_text(text):
    try:
        assert len(iso_date(text, "Since")) in (0, 10)
    except ValueError as error:
        assert "is not a date" in str(error)
