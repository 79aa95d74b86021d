"""Values of JSON and tables, taken for what they are meant to be; nothing is taken on trust."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")
_VERSION = re.compile(r"v\d+$")
# Where the name of a journal ends: at its volume, year or pages; not at "31st Symposium".
_AFTER_VENUE = re.compile(
    r"[\s,;:(\[]*(?:\b(?:vol(?:ume)?|no|issue|pp?)\b[.\s]*|\bv\.\s*)?\(?"
    r"(?<![A-Za-z]-)\d+(?!\d*(?:st|nd|rd|th|D)\b).*$",
    re.IGNORECASE | re.DOTALL,
)
_UNSPACED = re.compile(r"\.(?=[^\W\d])")


def text(value: Any) -> str:
    """Text as it is, numbers as text; of everything else nothing."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def texts(value: Any) -> tuple[str, ...]:
    """A list of texts, or a single one."""
    if isinstance(value, str):
        return (value,) if value else ()
    if isinstance(value, list | tuple):
        return tuple(found for item in value if (found := text(item)))
    return ()


def words(value: Any) -> tuple[str, ...]:
    """A list of words, or words with blanks between, as arXiv writes categories."""
    return tuple(value.split()) if isinstance(value, str) else texts(value)


def year(*values: Any) -> int:
    """The first year that one of the values holds, or 0."""
    for value in values:
        if found := _YEAR.search(text(value)):
            return int(found[1])
    return 0


def first(record: Mapping[str, Any], *names: str) -> Any:
    """The first of these values that is there and says anything."""
    return next((record[name] for name in names if record.get(name)), None)


def arxiv_id(value: str) -> str:
    """The id of an arXiv paper in whichever version, "arxiv:2101.00027"."""
    return f"arxiv:{_VERSION.sub('', value.strip())}"


def venue_of(journal_ref: str) -> str:
    """ "Phys. Rev. D" out of "Phys.Rev.D76:013009,2007"; as good as can be guessed."""
    name = _UNSPACED.sub(". ", _AFTER_VENUE.sub("", journal_ref.strip())).strip(" ,;:([")
    return name if any(map(str.isalpha, name)) else ""
