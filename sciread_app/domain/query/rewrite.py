"""Rewriting of queries when a tag or a collection is renamed."""

from __future__ import annotations

import re
from collections.abc import Callable

from sciread_app.domain.query.builder import QUOTES, fragment
from sciread_app.domain.query.fields import ALIASES, field_named
from sciread_app.domain.query.parser import SPACED

_SPACED_NAMES = "|".join((*SPACED, *(name for name, field in ALIASES.items() if field in SPACED)))
# A field with its value, or else a phrase or a word, divided as in the parser.
_PART = re.compile(
    rf"""(?P<minus>(?<!\S)-(?=[^\s\d-]))?
        (?: (?P<spaced>{_SPACED_NAMES}):\s+
                (?:[{QUOTES}](?P<later_quoted>[^{QUOTES}]+)[{QUOTES}] | (?P<later>[^\s{QUOTES}()]+))
            | (?P<field>[A-Za-z]+):=?
                (?:[{QUOTES}](?P<quoted>[^{QUOTES}]*)[{QUOTES}](?P<star>\*)?
                    | [{QUOTES}]\s*(?P<unclosed>[^\s{QUOTES}()]+)
                    | (?P<bare>[^\s{QUOTES}()][^\s()]*))
            | [{QUOTES}][^{QUOTES}]*[{QUOTES}] | [^\s{QUOTES}()][^\s()]*)""",
    re.VERBOSE,
)
_ADJACENT = re.compile(r"[^\s()]")
_VALUES = ("later_quoted", "later", "quoted", "unclosed", "bare")


def with_tag_renamed(query: str, old: str, new: str) -> str:
    return _renamed(query, "tag", lambda name: new if name.casefold() == old.casefold() else None)


def with_collection_moved(query: str, old: str, new: str) -> str:
    """The query with a collection's path replaced, also in the paths of its subcollections."""

    def moved(path: str) -> str | None:
        path = path.strip("/")
        if path.casefold() == old.casefold():
            return new
        below = path[len(old) :]
        inside = path[: len(old)].casefold() == old.casefold() and below.startswith("/")
        return new + below if inside else None

    return _renamed(query, "in", moved)


def _renamed(query: str, field: str, rename: Callable[[str], str | None]) -> str:
    def changed(match: re.Match[str]) -> str:
        if field_named(match["field"] or match["spaced"] or "") != field:
            return match[0]
        value = next((match[name] for name in _VALUES if match[name]), "")
        name = rename(" ".join(value.split()) + (match["star"] or ""))
        if name is None:
            return match[0]
        gap = " " if _ADJACENT.match(query, match.end()) else ""
        return f"{match['minus'] or ''}{fragment(field, [name])}{gap}"

    return _PART.sub(changed, query)
