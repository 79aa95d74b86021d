"""Sentences that are kept in English, and said in the language of whoever reads them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from string import Formatter

# The English that is kept, its values by name in braces, and how it is said with these values.
Saying = tuple[str, Callable[..., str]]


def retell(kept: str, sayings: Sequence[Saying]) -> str:
    """What was kept, as one of `sayings` has it; as it stands if it is none of them."""
    for english, say in sayings:
        if match := _pattern(english).fullmatch(kept):
            return say(**match.groupdict())
    return kept


@cache
def _pattern(english: str) -> re.Pattern[str]:
    parts = Formatter().parse(english)
    texts = (re.escape(text) + (f"(?P<{name}>.+)" if name else "") for text, name, *_ in parts)
    return re.compile("".join(texts), re.DOTALL)
