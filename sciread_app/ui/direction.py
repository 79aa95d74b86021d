"""Which way a text is read."""

from __future__ import annotations

import re
import unicodedata

_TAG = re.compile(r"<[^>]*>")
_LOOKED_AT = 200


def direction(html: str) -> str:
    """What a paragraph needs in its tag to be set from the right, if that is how it is read: as
    the first letter is that has a direction."""
    for letter in _TAG.sub("", html[:_LOOKED_AT]):
        kind = unicodedata.bidirectional(letter)
        if kind in ("R", "AL"):
            return ' dir="rtl" align="right"'
        if kind == "L":
            return ""
    return ""
