"""Keywords in one field, as BibTeX and CSL-JSON have them."""

from __future__ import annotations

from collections.abc import Iterable


def split(text: str) -> tuple[str, ...]:
    """Keywords with semicolons between them, or commas where there is no semicolon."""
    parts = text.split(";" if ";" in text else ",")
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))


def join(keywords: Iterable[str]) -> str:
    """What `split` takes apart again."""
    keywords = list(keywords)
    if any("," in keyword for keyword in keywords):
        return "; ".join(keywords) + (";" if len(keywords) == 1 else "")
    return ", ".join(keywords)
