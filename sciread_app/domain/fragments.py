"""Writing the language of the search box: what was chosen from lists, as text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sciread_app.domain.conditions import WHOLE

QUOTES = '"“”„‟«»'  # what the language takes for quotation marks, and can hold in no value

_NO_QUOTES = dict.fromkeys(map(ord, QUOTES), " ")
_PLAIN = re.compile(r"[^\W_][\w.+/-]*")
_DANGLING = re.compile(r"^(?:(?:AND|OR)\s+)+")


def fragment(field: str, values: Sequence[str], *, negated: bool = False) -> str:
    """What asks for papers with one of these values of a field: tag:"to read" OR tag:maths.

    An author or a venue is meant as a whole. With `negated`, for papers with none of them.
    """
    equals = "=" if field in WHOLE else ""
    minus = "-" if negated else ""
    parts = [f"{minus}{field}:{equals}{_quoted(value)}" for value in values]
    return (" " if negated else " OR ").join(parts)


def joined(fragments: Iterable[str], typed: str) -> str:
    """One query that asks for all of them. Alternatives stay within their own fragment."""
    return " ".join(filter(None, (*fragments, _DANGLING.sub("", typed.strip()))))


def likes(like: Iterable[int], unlike: Iterable[int] = ()) -> str:
    """What asks for papers like these, and not like those."""
    parts = [f"like:{paper}" for paper in like] + [f"-like:{paper}" for paper in unlike]
    return " ".join(parts)


def _quoted(value: str) -> str:
    value = " ".join(value.translate(_NO_QUOTES).split())
    return value if _PLAIN.fullmatch(value) else f'"{value}"'
