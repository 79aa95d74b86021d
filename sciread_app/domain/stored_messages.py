"""Translation of stored English messages by matching them against templates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from string import Formatter
from types import MappingProxyType

from sciread_app.language import tr_marked


def translate_stored(
    message: str,
    templates: Iterable[str],
    translate_value: Mapping[str, Callable[[str], str]] = MappingProxyType({}),
) -> str:
    """Translate `message` by the first matching template; return it unchanged if none matches.

    The templates are English texts marked with `tr_noop`, with values by name in braces. Functions
    in `translate_value` translate the values with these names.
    """
    for english in templates:
        if match := _pattern(english).fullmatch(message):
            values = match.groupdict().items()
            return tr_marked(
                english, **{n: translate_value.get(n, str)(text) for n, text in values}
            )
    return message


@cache
def _pattern(english: str) -> re.Pattern[str]:
    parts = Formatter().parse(english)
    texts = (re.escape(text) + (f"(?P<{name}>.+)" if name else "") for text, name, *_ in parts)
    return re.compile("".join(texts), re.DOTALL)
