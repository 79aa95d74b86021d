"""Conversion of untrusted values of JSON and tables."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")
_VERSION = re.compile(r"v\d+$")
# The end of a journal's name: its volume, year or pages; not "31st Symposium".
_AFTER_VENUE = re.compile(
    r"[\s,;:(\[]*(?:\b(?:vol(?:ume)?|no|issue|pp?)\b[.\s]*|\bv\.\s*)?\(?"
    r"(?<![A-Za-z]-)\d+(?!\d*(?:st|nd|rd|th|D)\b).*$",
    re.IGNORECASE | re.DOTALL,
)
_UNSPACED = re.compile(r"\.(?=[^\W\d])")


# Words that programs write for missing values in text.
_NO_VALUE = frozenset(("nan", "none", "null", "<na>"))


def is_no_value(value: Any) -> bool:
    """Whether a text means that there is no value: NaN, or a word such as NaN or None.

    An empty text and JSON's null are simply missing.
    """
    if isinstance(value, str):
        return len(value) < 16 and value.strip().lower() in _NO_VALUE
    return isinstance(value, float) and math.isnan(value)


def text(value: Any) -> str:
    """Convert texts and numbers to text; everything else, including missing values, to ""."""
    if isinstance(value, str):
        return "" if is_no_value(value) else value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def texts(value: Any) -> tuple[str, ...]:
    """Return a list of texts, or a single one, as a tuple."""
    if isinstance(value, str):
        return (value,) if text(value) else ()
    if isinstance(value, list | tuple):
        return tuple(found for item in value if (found := text(item)))
    return ()


def words(value: Any) -> tuple[str, ...]:
    """Return a list of words, or of words separated by spaces, as arXiv writes categories."""
    return tuple(text(value).split()) if isinstance(value, str) else texts(value)


def year(*values: Any) -> int:
    """Return the first year in one of the values, or 0."""
    for value in values:
        if found := _YEAR.search(text(value)):
            return int(found[1])
    return 0


def first(record: Mapping[str, Any], *names: str) -> Any:
    """Return the first of these values that is present and not empty, else the first that is
    present."""
    there = [record[name] for name in names if record.get(name)]
    return next((value for value in there if not is_no_value(value)), there[0] if there else None)


def arxiv_id(value: str) -> str:
    """Return the id of an arXiv paper in any version, "arxiv:2101.00027"."""
    return f"arxiv:{_VERSION.sub('', value.strip())}"


def venue_of(journal_ref: str) -> str:
    """Extract "Phys. Rev. D" from "Phys.Rev.D76:013009,2007", heuristically."""
    name = _UNSPACED.sub(". ", _AFTER_VENUE.sub("", journal_ref.strip())).strip(" ,;:([")
    return name if any(map(str.isalpha, name)) else ""


def no_values(**named: Any) -> tuple[str, ...]:
    """Return the names of the texts that mean that there is no value."""
    return tuple(name for name, value in named.items() if is_no_value(value))
