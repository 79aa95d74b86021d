"""Plain text for formats whose texts may hold HTML."""

from __future__ import annotations

from html import escape

from sciread_app.formats.markup import plain


def escaped(text: str) -> str:
    """What `markup.plain` makes `text` of: "a<i>b" would lose what looks like a tag."""
    return text if plain(text) == text else escape(" ".join(text.split()), quote=False)
