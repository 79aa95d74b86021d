"""The syntax of queries, as far as sources share it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from sciread_app.language import tr

_QUOTED = re.compile(r'"[^"]*"')
_LOOSE = re.compile(r"^(AND|OR)\b|\b(AND|OR|NOT)$")


# A field at the beginning of a word: author:hopper, title:"gut microbiome".
_FIELD = re.compile(r'(?<!\S)([a-z][a-z_.-]*):(?:"([^"]*)"|([^\s"]*))(?!\S)')
# An operator beside a field, for which \0 stands.
_JOINED = re.compile(r"\b(?:AND|OR|NOT)[\s(]*\0|\0[\s)]*\b(?:AND|OR|NOT)\b")


class FieldQuery(NamedTuple):
    """A query as words and fields."""

    words: str
    fields: Sequence[tuple[str, str]]


def split_fields(text: str) -> FieldQuery:
    """The fields of a query, such as author:hopper or title:"gut microbiome", and its other
    words."""
    fields = [(match[1], (match[2] or match[3] or "").strip()) for match in _FIELD.finditer(text)]
    return FieldQuery(" ".join(_FIELD.sub(" ", text).split()), fields)


def check_fields(text: str, known: Collection[str], source: str) -> str:
    """The error in a query with fields, as a sentence; "" if there is none."""
    for name, value in split_fields(text).fields:
        if name not in known:
            return tr(
                "{source} has no field {field}. Available fields: {known}.",
                source=source,
                field=name,
                known=", ".join(known),
            )
        if not value:
            return tr("A search term is missing after {word}", word=f"{name}:")
    return ""


def check_joins(text: str, source: str) -> str:
    """The error in how a query joins fields and words, as a sentence; "" if there is none.

    For a source that treats fields as conditions of their own, beside the words.
    """
    spaced = re.sub(r"([()])", r" \1 ", text)
    marked = _QUOTED.sub('""', _FIELD.sub("\0", spaced))
    before = [marked[: match.start()] for match in re.finditer("\0", marked)]
    if _JOINED.search(marked) or any(part.count("(") > part.count(")") for part in before):
        return tr(
            "{source} supports no fields in parentheses or joined by AND, OR, or NOT. Put the "
            "fields after the words; each paper found matches all of them.",
            source=source,
        )
    return ""


def check(text: str, pairs: Sequence[tuple[str, str]] = (("(", ")"), ("[", "]"))) -> str:
    """The error in a Boolean query, as a sentence; "" if there is none. `pairs` are brackets."""
    text = text.strip()
    if not text:
        return tr("Enter a query.")
    if text.count('"') % 2:
        return tr("A quotation mark is not closed.")
    bare = _QUOTED.sub(" ", text)
    for opening, closing in pairs:
        if problem := _unpaired(bare, opening, closing):
            return problem
    if match := _LOOSE.search(text):
        if match[1]:
            return tr("A search term is missing before {word}.", word=match[0])
        return tr("A search term is missing after {word}.", word=match[0])
    return ""


def _unpaired(text: str, opening: str, closing: str) -> str:
    depth = 0
    for character in text:
        depth += (character == opening) - (character == closing)
        if depth < 0:
            return tr("A {closing} has no matching {opening}.", closing=closing, opening=opening)
    return tr("A {opening} is not closed.", opening=opening) if depth else ""
