"""Search in the text of a page, ignoring line breaks, accents and hyphenation."""

from __future__ import annotations

import re
from functools import lru_cache

from sciread_app.domain.text.accents import fold_accents

# Hyphens are ignored on both sides, so that a word is found whether or not a line end splits it.
_LEFT_OUT = "-\u00ad\u2010\u2011\u200b\u2060\ufeff\ufffe\u0002"


def folded(text: str) -> tuple[str, list[int]]:
    """`text` in lower case without accents and hyphens, with single spaces, and the source index of
    each of its characters."""
    letters: list[str] = []
    places: list[int] = []
    after_space = True
    for place, letter in enumerate(text):
        fold = _fold(letter)
        if fold == " " and after_space:
            continue
        if fold:
            letters.append(fold)
            places.extend([place] * len(fold))
            after_space = fold == " "
    return "".join(letters), places


def matches(text: str, words: str) -> list[tuple[int, int]]:
    """The (start, end) of each match of `words` in `text`."""
    wanted = folded(words)[0].strip()
    if not wanted:
        return []
    whole, places = folded(text)
    return [
        (places[match.start()], places[match.end() - 1] + 1)
        for match in re.finditer(re.escape(wanted), whole)
    ]


@lru_cache(maxsize=4096)
def _fold(letter: str) -> str:
    if letter in _LEFT_OUT:
        return ""
    if letter.isspace():
        return " "
    return fold_accents(letter)
