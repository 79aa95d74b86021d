"""The fields of the query language, their aliases, and their description for users."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

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


class SyntaxRow(NamedTuple):
    """An example of a query, its meaning, and the text that begins such a query."""

    query: str
    meaning: str
    start: str


def _field_row(query: str, meaning: str) -> SyntaxRow:
    return SyntaxRow(query, meaning, query[: query.index(":") + 1])


_FIELD_ROWS = (
    # Translators: examples of queries follow a semicolon; fields are called so in every language
    _field_row("author:curie", tr('Author; author:="Marie Curie" for the exact name')),
    _field_row("title:boson", tr("Words in the title")),
    _field_row("abstract:enzyme", tr("Words in the abstract")),
    _field_row("keyword:genomics", tr("Words in the keywords")),
    _field_row("notes:replicate", tr("Words in your notes")),
    _field_row("venue:nature", tr('Journal or conference; venue:="Nature" for the exact name')),
    _field_row("cat:cs.CL", tr("arXiv category or subject")),
    _field_row("year:2015..2019", tr("Years; also year:2015 or year:>=2015")),
    _field_row("added:7d", tr("Added in the last 7 days; also added:today or added:2026-01")),
    _field_row('tag:"to read"', tr("Tag")),
    _field_row(
        "in:thesis/methods", tr("Collection with its subcollections; in:trash for the Trash")
    ),
    _field_row("rating:4..", tr("Four stars or more; rating:0 for unrated papers")),
    _field_row("is:unread", tr("State: {values}", values=", ".join(CHOICES["is"]))),
    _field_row("has:pdf", tr("Contents: {values}", values=", ".join(CHOICES["has"]))),
    _field_row(
        "like:10.1038/nature14539",
        tr("Similar to this paper, by its DOI, citation key, or number"),
    ),
)
FIELD_SYNTAX = {row.start.removesuffix(":"): row for row in _FIELD_ROWS}
# The syntax of the search box, for its help, its completion, error messages and docs/search.md.
SYNTAX = (
    SyntaxRow('"dark matter"', tr("Phrase"), '"'),
    SyntaxRow("-neutrino", tr("Papers without this word"), "-"),
    SyntaxRow("simulat*", tr("Words that begin with these letters"), "*"),
    SyntaxRow("bees OR wasps", tr("Papers with one of the words, or both"), "OR "),
    *_FIELD_ROWS,
)
# Values that do not depend on the library, by field, with their meanings.
FIXED_VALUES = {
    "is": {
        "unread": tr("Not marked as read"),
        "read": tr("Marked as read"),
        "retracted": tr("Retracted or withdrawn"),
        "unfiled": tr("In no collection"),
    },
    "has": {
        "pdf": tr("With a PDF file"),
        "abstract": tr("With an abstract"),
        "authors": tr("With authors"),
        "year": tr("With a year"),
        "venue": tr("With a venue"),
        "doi": tr("With a DOI"),
        "notes": tr("With notes"),
        "tags": tr("With tags"),
        "highlights": tr("With highlights"),
        "missing": tr("With a file that was deleted from a watched folder"),
        "problems": tr("With an unreadable file, or without title, authors, or year"),
    },
    "rating": {
        "5": tr("Five stars"),
        "4..": tr("Four stars or more"),
        "1..": tr("Rated"),
        "0": tr("Not rated"),
    },
    "added": {
        "today": tr("Added today"),
        "7d": tr("Added in the last 7 days"),
        "30d": tr("Added in the last 30 days"),
        "1y": tr("Added in the last year"),
    },
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
