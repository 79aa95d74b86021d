"""HTML and SVG builder that escapes all text."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import TypeAlias

# Void elements, which have no end tag.
_VOID = frozenset(("meta", "br"))


class Markup(str):
    """A string of finished markup, which is not escaped again."""


Child: TypeAlias = str | Iterable[str]


def tag(name: str, /, *children: Child, **attributes: str | float | None) -> Markup:
    """Build an element. Strings are escaped, Markup is not; attributes that are None are omitted.

    A trailing underscore in a name is dropped (`class_`), other underscores become hyphens.
    """
    content = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_text(_number(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _VOID:
        return Markup(f"<{name}{content}>")
    return Markup(f"<{name}{content}>{join(*children)}</{name}>")


def join(*children: Child) -> Markup:
    """Concatenate children, escaping strings."""
    parts: list[str] = []
    for child in children:
        if isinstance(child, Markup):
            parts.append(child)
        elif isinstance(child, str):
            parts.append(_text(child))
        else:
            parts.append(join(*child))
    return Markup("".join(parts))


def _number(value: str | float) -> str:
    # Two decimals are finer than a visible fraction of a pixel.
    return value if isinstance(value, str) else f"{round(value, 2):g}"


def _text(text: str) -> str:
    # File names may contain bytes that are not valid UTF-8.
    return html.escape(text.encode("utf-8", "replace").decode("utf-8").replace("\0", ""))
