"""Comparison of texts without regard to case and accents."""

from __future__ import annotations

import unicodedata
from functools import lru_cache


def fold_accents(text: str) -> str:
    """`text` case-folded, in compatibility form, without combining marks."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


# For names in lists, which are sorted and filtered again and again.
fold_name = lru_cache(maxsize=50_000)(fold_accents)
