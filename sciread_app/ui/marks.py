"""Where the words that were searched for stand in a text, in whatever form."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

_WORD = re.compile(r"\w+")
_ENDINGS = (
    *("isations", "izations", "isation", "ization", "ations", "ation", "ings", "ions"),
    *("ing", "ion", "ies", "ied", "ers", "ed", "es", "er", "ly", "al", "s", "e", "y"),
)
_SHORTEST_STEM = 3


def spans(text: str, words: Iterable[str]) -> list[tuple[int, int]]:
    """(start, end) of every word of `text` that has the stem of one of `words`, in order.

    Close to what the text index calls the same word, not the same: it is for the eye only.
    """
    stems = {stem(part) for word in words for part in _WORD.findall(word)}
    if not stems:
        return []
    return [match.span() for match in _WORD.finditer(text) if stem(match[0]) in stems]


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """`word` in lower case, without diacritics and its commonest English ending."""
    plain = word.lower() if word.isascii() else _without_marks(word)
    if plain.endswith(_ENDINGS):  # most words of a text are asked for once: nothing in vain
        for ending in _ENDINGS:
            if plain.endswith(ending) and len(plain) - len(ending) >= _SHORTEST_STEM:
                return plain[: -len(ending)]
    return plain


def _without_marks(word: str) -> str:
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))
