"""The fields of the query language and their aliases."""

from __future__ import annotations

from collections.abc import Sequence

from sciread_app.domain.query import ranges
from sciread_app.domain.query.ast import CHOICES, RANGES, TEXT_FIELDS
from sciread_app.domain.text.folding import WORD
from sciread_app.errors import BadQuery
from sciread_app.language import tr

FIELDS = (*TEXT_FIELDS, *RANGES, "cat", "tag", "in", "like", *CHOICES)
ALIASES = {
    "authors": "author",
    **dict.fromkeys(("journal", "conference", "booktitle", "publication"), "venue"),
    "keywords": "keyword",
    "note": "notes",
    **dict.fromkeys(("category", "categories", "subject"), "cat"),
    **dict.fromkeys(("collection", "folder"), "in"),
    **dict.fromkeys(("tags", "label"), "tag"),
    "stars": "rating",
    **dict.fromkeys(("date", "published"), "year"),
}
# Schemes of links and identifiers, which precede a colon but are not fields.
_SCHEMES = ("http", "https", "doi", "arxiv", "pmid", "pmcid", "isbn", "urn")
EXAMPLES = {
    "like": "like:17 or like:10.1038/nature14539",
    "author": tr('author:curie or author:"van der Berg"'),
    "venue": "venue:nature",
    "cat": "cat:cs.CL",
    "tag": 'tag:"to read"',
    "in": "in:thesis/methods",
    **ranges.EXAMPLES,
}


def field_named(name: str) -> str:
    """The field of this name, or an empty string: "10:30" and "Re: x" are plain words."""
    name = ALIASES.get(name.lower(), name.lower())
    return name if name in FIELDS and name != "text" else ""


def is_unknown(name: str, value: str) -> bool:
    """Whether this looks like a field but is none. "ZnO:Al" and "https://..." are words."""
    return len(name) > 1 and name.islower() and name not in _SCHEMES and bool(WORD.match(value))


def no_field(name: str, words: Sequence[str]) -> BadQuery:
    """The error for an unknown field; `words` are those of the typed text."""
    return BadQuery(
        tr("Unknown search field “{name}”.", name=name),
        tr(
            'Available fields: {fields}. To search for the words themselves, enter "{words}".',
            fields=", ".join(FIELDS[1:]),
            words=" ".join(words),
        ),
    )
