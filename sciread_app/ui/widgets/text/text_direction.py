"""The reading direction of a text."""

from __future__ import annotations

import re
import unicodedata

_TAG = re.compile(r"<[^>]*>")
_LOOKED_AT = 200


def direction(html: str) -> str:
    """The attributes that a paragraph tag needs for a right-to-left text, else an empty string. The
    first letter with a direction decides."""
    for letter in _TAG.sub("", html[:_LOOKED_AT]):
        kind = unicodedata.bidirectional(letter)
        if kind in ("R", "AL"):
            return ' dir="rtl" align="right"'
        if kind == "L":
            return ""
    return ""
