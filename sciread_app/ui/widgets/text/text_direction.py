"""The reading direction of a text."""

from __future__ import annotations

import re
import unicodedata

_TAG = re.compile(r"<[^>]*>")
_LOOKED_AT = 200


def direction(html: str) -> str:
    """The attributes that a paragraph tag needs for a right-to-left text, else an empty string."""
    plain = _TAG.sub("", html[:_LOOKED_AT])
    return ' dir="rtl" align="right"' if is_right_to_left(plain) else ""


def is_right_to_left(text: str) -> bool:
    """Return whether the first letter with a direction is one of a right-to-left script."""
    for letter in text[:_LOOKED_AT]:
        kind = unicodedata.bidirectional(letter)
        if kind in ("L", "R", "AL"):
            return kind != "L"
    return False
