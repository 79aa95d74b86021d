"""HTML and SVG made of values: what is text is escaped, so that no title can write a page."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import TypeAlias

# Tags that have no end.
_VOID = frozenset(("meta", "br"))


class Markup(str):
    """Text that is markup already."""


Child: TypeAlias = str | Iterable[str]


def tag(name: str, /, *children: Child, **attributes: str | float | None) -> Markup:
    """An element. Texts among the children are escaped, Markup is not; attributes that are None
    are left out. `class_` is class, and other underscores are hyphens."""
    said = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_text(_number(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _VOID:
        return Markup(f"<{name}{said}>")
    return Markup(f"<{name}{said}>{join(*children)}</{name}>")


def join(*children: Child) -> Markup:
    """All of them in turn, without anything between."""
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
    # A tenth of a pixel is more than an eye sees.
    return value if isinstance(value, str) else f"{round(value, 2):g}"


def _text(text: str) -> str:
    # Names of files may hold bytes that are no letters.
    return html.escape(text.encode("utf-8", "replace").decode("utf-8").replace("\0", ""))
