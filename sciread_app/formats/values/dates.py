"""Parsing of dates in bibliographies to ISO dates, possibly without day or month."""

from __future__ import annotations

import re
from functools import lru_cache

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# The first letters of months in English, German, French, Spanish, Italian, Portuguese and Dutch.
_BEGINNINGS = {
    1: ("jan", "ene", "gen", "jän"), 2: ("feb", "fev", "fév"), 3: ("mar", "mär", "mrz", "maa"),
    4: ("apr", "avr", "abr"), 5: ("may", "mai", "mei", "mag"), 6: ("jun", "juin", "giu"),
    7: ("jul", "juil", "lug"), 8: ("aug", "aoû", "aou", "ago"), 9: ("sep", "set"),
    10: ("oct", "okt", "out", "ott"), 11: ("nov",), 12: ("dec", "dez", "dic", "déc"),
}  # fmt: skip
_MONTH = {begin: month for month, begins in _BEGINNINGS.items() for begin in begins}
_YEAR = re.compile(r"(?<!\d)(1[0-9]\d\d|20\d\d|21\d\d)(?!\d)")
_ISO = re.compile(r"(\d{4})(?:[-/](\d{1,2})(?:[-/](\d{1,2}))?)?(?!\d)")
_WORD = re.compile(r"[^\W\d_]{3,}")
_NUMBER = re.compile(r"(?<!\d)\d{1,2}(?!\d)")


def iso(year: int, month: int = 0, day: int = 0) -> str:
    """An ISO date, empty without a year.

    An invalid month or day is left out, with the parts after it.
    """
    if not year:
        return ""
    if not 1 <= month <= 12:
        return f"{year:04}"
    return f"{year:04}-{month:02}-{day:02}" if 1 <= day <= 31 else f"{year:04}-{month:02}"


def month_of(text: str) -> int:
    """1 to 12 for `Juni`, `sept.`, `6` or `06`; the first of several; 0 if there is none."""
    if word := _WORD.search(text):
        begin = word[0].lower()
        return _MONTH.get(begin[:4]) or _MONTH.get(begin[:3], 0)
    number = _NUMBER.search(text)
    return int(number[0]) if number and 1 <= int(number[0]) <= 12 else 0


@lru_cache(maxsize=1 << 14)
def parse(text: str) -> str:
    """The date written as `2005/07/15`, `2012///`, `2016-05/2017-01`, `Mar 2003` or `3 March 2003`.

    The first of a range. Empty if there is no year.
    """
    text = text.strip()
    if match := _ISO.match(text):
        year, month, day = match.groups()
        if not month and (word := _WORD.search(text)):
            return _in_words(text, int(year), word[0])
        return iso(int(year), *(int(part) for part in (month, day) if part))
    if not (found := _YEAR.search(text)):
        return ""
    word = _WORD.search(text)
    return _in_words(text, int(found[0]), word[0] if word else "")


def _in_words(text: str, year: int, word: str) -> str:
    day = _NUMBER.search(text)
    return iso(year, month_of(word) if word else 0, int(day[0]) if day else 0)
