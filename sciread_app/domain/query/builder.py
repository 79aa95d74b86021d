"""Generation of query text from choices in lists."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sciread_app.domain.query.ast import WHOLE

QUOTES = '"“”„‟«»'  # quotation marks of the query language, which no value can contain

_NO_QUOTES = dict.fromkeys(map(ord, QUOTES), " ")
_PLAIN = re.compile(r"[^\W_][\w.+/-]*")
_DANGLING = re.compile(r"^(?:(?:AND|OR)\s+)+")


def fragment(field: str, values: Sequence[str], *, negated: bool = False) -> str:
    """The clause for papers with one of these values of a field: tag:"to read" OR tag:maths.

    An author or a venue must match as a whole. With `negated`, for papers with none of them.
    """
    equals = "=" if field in WHOLE else ""
    minus = "-" if negated else ""
    parts = [f"{minus}{field}:{equals}{_quoted(value)}" for value in values]
    return (" " if negated else " OR ").join(parts)


def joined(fragments: Iterable[str], typed: str) -> str:
    """One query that combines all clauses. Alternatives stay within their own clause."""
    return " ".join(filter(None, (*fragments, _DANGLING.sub("", typed.strip()))))


def likes(like: Iterable[int], unlike: Iterable[int] = ()) -> str:
    """The clause for papers similar to `like` and dissimilar to `unlike`."""
    parts = [f"like:{paper}" for paper in like] + [f"-like:{paper}" for paper in unlike]
    return " ".join(parts)


def _quoted(value: str) -> str:
    value = " ".join(value.translate(_NO_QUOTES).split())
    return value if _PLAIN.fullmatch(value) else f'"{value}"'
