"""Reading and editing the texts of a query form: fields, dates and limits."""

from __future__ import annotations

import calendar
import re
from datetime import date
from typing import NamedTuple

from sciread_app.language import tr

_DATE = re.compile(r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?")
_OPEN = re.compile(r"(?:\b(?:AND|OR|NOT|ANDNOT)|\()$")
_CLOSING = re.compile(r"(?:AND|OR|NOT|ANDNOT)\b|\)")


class FormQuery(NamedTuple):
    """A text and its selected part."""

    text: str
    start: int
    length: int


def with_field(
    text: str, cursor: int, chosen: str, pattern: str, example: str, joiner: str = "AND"
) -> FormQuery:
    """`text` with a field inserted at the cursor, joined to the terms around it.

    The field encloses the selected text `chosen`; without a selection it contains the example,
    selected, so that typing replaces it.
    """
    before, after = text[:cursor].rstrip(), text[cursor + len(chosen) :].lstrip()
    if before and not _OPEN.search(before):
        before += f" {joiner}".rstrip()
    if before and not before.endswith("("):
        before += " "
    if after and not _CLOSING.match(after):
        after = f"{joiner} {after}".lstrip()
    if after and not after.startswith(")"):
        after = f" {after}"
    head, _, tail = pattern.partition("{}")
    value = chosen.strip() or example
    start = len(before) + len(head)
    if "{}" not in pattern:
        value, start = "", len(before) + len(head)
    field = head + value + tail
    return FormQuery(before + field + after, start, len(value) if not chosen else 0)


def with_operator(text: str, cursor: int, operator: str) -> FormQuery:
    """`text` with an operator such as AND inserted at the cursor, which is then placed after it."""
    before, after = text[:cursor].rstrip(), text[cursor:].lstrip()
    before = f"{before} {operator} ".lstrip()
    return FormQuery(before + after, len(before), 0)


def iso_date(text: str, name: str, *, last: bool = False) -> str:
    """2024, 2024-06 or 2024-06-12 as a day: the first of the period, or the last.

    Raises ValueError, with a sentence that names the date by `name`.
    """
    text = text.strip()
    if not text:
        return ""
    match = _DATE.fullmatch(text)
    try:
        if match is None:
            raise ValueError
        year, month, day = (int(part) if part else None for part in match.groups())
        assert year is not None
        month = month or (12 if last else 1)
        day = day or (calendar.monthrange(year, month)[1] if last else 1)
        return date(year, month, day).isoformat()
    except ValueError:
        # Translators: the name of a field, as «Since», and the text that was entered
        message = tr(
            "{name}: “{text}” is not a date. Enter 2024, 2024-06, or 2024-06-12.",
            name=name,
            text=text,
        )
        raise ValueError(message) from None


def how_many(text: str) -> int:
    """Parse 5000, 5,000 or 5 000; 0 if empty, for no limit. Raises ValueError with a sentence."""
    plain = re.sub(r"[\s,.']", "", text)
    if plain.casefold() in ("", "all", tr("all").casefold()):
        return 0
    if not plain.isdecimal() or not 0 < int(plain) < 10**9:
        raise ValueError(
            tr(
                "“{text}” is not a number of papers. Enter a number such as 5000, or leave the "
                "field empty for all papers.",
                text=text.strip(),
            )
        )
    return int(plain)
