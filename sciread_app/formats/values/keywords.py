"""Keywords in one field, as in BibTeX and CSL-JSON."""

from __future__ import annotations

from collections.abc import Iterable


def split(text: str) -> tuple[str, ...]:
    """Keywords separated by semicolons, or by commas if there is no semicolon."""
    parts = text.split(";" if ";" in text else ",")
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))


def join(keywords: Iterable[str]) -> str:
    """The inverse of `split`."""
    keywords = list(keywords)
    if any("," in keyword for keyword in keywords):
        return "; ".join(keywords) + (";" if len(keywords) == 1 else "")
    return ", ".join(keywords)
