"""Names as they are compared and sorted: without regard to case and accents."""

from __future__ import annotations

import unicodedata
from functools import lru_cache


@lru_cache(maxsize=50_000)
def folded(text: str) -> str:
    text = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in text if not unicodedata.combining(letter))
