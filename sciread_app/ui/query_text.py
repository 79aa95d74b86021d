"""What is written into the form of a query: its fields, its dates, how many papers at most."""

from __future__ import annotations

import calendar
import re
from datetime import date
from typing import NamedTuple

from sciread_app.language import tr

_DATE = re.compile(r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?")
_OPEN = re.compile(r"(?:\b(?:AND|OR|NOT|ANDNOT)|\()$")
_CLOSING = re.compile(r"(?:AND|OR|NOT|ANDNOT)\b|\)")


class Written(NamedTuple):
    """A text, and the part of it that is selected."""

    text: str
    start: int
    length: int


def with_field(
    text: str, cursor: int, chosen: str, pattern: str, example: str, joiner: str = "AND"
) -> Written:
    """`text` with a field where the cursor stands, joined to what is there.

    The field takes up what was `chosen` behind the cursor; without that it holds the example,
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
    return Written(before + field + after, start, len(value) if not chosen else 0)


def with_operator(text: str, cursor: int, operator: str) -> Written:
    """`text` with AND, OR or the like at the cursor, which then stands behind it."""
    before, after = text[:cursor].rstrip(), text[cursor:].lstrip()
    before = f"{before} {operator} ".lstrip()
    return Written(before + after, len(before), 0)


def iso_date(text: str, name: str, *, last: bool = False) -> str:
    """2024, 2024-06 or 2024-06-12 as a day: the first that is meant, or the last.

    Raises ValueError, with a sentence that calls the date by its `name`.
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
        # Translators: the name of a field, as «Since», and what was written into it
        message = tr(
            "{name} “{text}” is no date: write 2024, 2024-06 or 2024-06-12.",
            name=name,
            text=text,
        )
        raise ValueError(message) from None


def how_many(text: str) -> int:
    """5000, 5,000 or 5 000; 0 for nothing and for all. Raises ValueError with a sentence."""
    plain = re.sub(r"[\s,.']", "", text)
    if plain.casefold() in ("", "all", tr("all").casefold()):
        return 0
    if not plain.isdecimal() or not 0 < int(plain) < 10**9:
        raise ValueError(
            tr(
                "“{text}” is no number of papers: write 5000, or nothing for all.",
                text=text.strip(),
            )
        )
    return int(plain)
