"""HTML escaping of plain text for formats whose texts may contain HTML."""

from __future__ import annotations

from html import escape

from sciread_app.formats.values.markup import plain


def escaped(text: str) -> str:
    """The inverse of `markup.plain`: "a<i>b" would lose what looks like a tag."""
    return text if plain(text) == text else escape(" ".join(text.split()), quote=False)
