"""Translation of stored English messages by matching them against templates."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from string import Formatter

# The stored English template, its values by name in braces, and the function that translates it
# with these values.
MessageTemplate = tuple[str, Callable[..., str]]


def translate_stored(kept: str, templates: Sequence[MessageTemplate]) -> str:
    """The translation of `kept` by the first matching template; `kept` itself if none matches."""
    for english, translate in templates:
        if match := _pattern(english).fullmatch(kept):
            return translate(**match.groupdict())
    return kept


@cache
def _pattern(english: str) -> re.Pattern[str]:
    parts = Formatter().parse(english)
    texts = (re.escape(text) + (f"(?P<{name}>.+)" if name else "") for text, name, *_ in parts)
    return re.compile("".join(texts), re.DOTALL)
