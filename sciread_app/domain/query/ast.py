"""The parsed parts of a query: conditions that filter papers and terms that rank them."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

from sciread_app.domain.query.ranges import days
from sciread_app.domain.text.folding import is_ideographic, spellings

# Fields in the full-text index, and its columns that they search.
TEXT_FIELDS = {
    "text": ("title", "abstract", "authors", "venue", "keywords", "notes", "body"),
    "title": ("title",),
    "abstract": ("abstract",),
    "author": ("authors",),
    "venue": ("venue",),
    "keyword": ("keywords",),
    "notes": ("notes",),
}
CHOICES = {
    "is": ("unread", "read", "retracted", "unfiled"),
    "has": (
        *("pdf", "abstract", "authors", "year", "venue", "doi"),
        *("notes", "tags", "highlights", "missing", "problems"),
    ),
}
RANGES = ("year", "rating", "added")
# With an equals sign, the whole value must match: venue:="Nature" is not Nature Physics.
WHOLE = ("author", "venue")
TRASH = "trash"

_AROUND_AUTHOR = 3  # words allowed between the parts of a name


class Condition(NamedTuple):
    """A condition that papers must meet, or must not (`negated`).

    `value` depends on `field`. Alternatives are separated by line breaks.
    - text, title, abstract, author, venue, keyword, notes: words to search, see `expression`. With
      a leading equals sign, a whole author or venue.
    - year: "2015..2019", "2015..", "..2019" (see `years`).
    - rating: "4..5" (see `stars`); unrated papers have 0.
    - added: "7d", "2026-01-01..2026-03-31" (see `days`).
    - cat: a subject, ignoring case. "cs" includes "cs.CL"; "cs.*" is the same.
    - tag: its name; in: the path of a collection, which includes its subcollections, or "trash".
    - is, has: one of CHOICES.
    """

    field: str
    value: str
    negated: bool = False

    @property
    def alternatives(self) -> tuple[str, ...]:
        return tuple(self.value.split("\n"))

    @property
    def expression(self) -> str:
        """The FTS5 expression, ignoring the negation; empty if the field is not in FTS5.

        For a whole author or venue it finds a superset.
        """
        if self.field not in TEXT_FIELDS:
            return ""
        find = _name if self.field == "author" else phrase
        columns = "" if self.field == "text" else f"{{{' '.join(TEXT_FIELDS[self.field])}}} : "
        return " OR ".join(f"{columns}{find(text)}" for text in self.alternatives)

    @property
    def of_trash(self) -> bool:
        return self.field == "in" and self.value.casefold() == TRASH

    @property
    def years(self) -> tuple[int, int]:
        """First and last year of a `year` condition, 0 and 9999 where it is open."""
        first, _, last = self.value.partition("..")
        return int(first or 0), int(last or 9999)

    @property
    def stars(self) -> tuple[int, int]:
        """Lowest and highest rating of a `rating` condition."""
        first, _, last = self.value.partition("..")
        return int(first), int(last)

    def days(self, today: date) -> tuple[date, date]:
        """First and last day of an `added` condition."""
        return days(self.value, today)


class Term(NamedTuple):
    """A word or a phrase (words separated by blanks) that ranks papers; `prefix`: its beginning."""

    text: str
    prefix: bool = False

    @property
    def marked(self) -> str:
        """The term in the notation of `term_matching.spans`."""
        return f"{self.text}*" if self.prefix else self.text

    @property
    def expression(self) -> str:
        return phrase(self.marked)


def phrase(text: str) -> str:
    """The FTS5 expression for these words in sequence, in all their spellings."""
    star = " *" if text.endswith("*") else ""
    return _any([f'"{" ".join(words)}"{star}' for words in spellings(text)])


def _name(text: str) -> str:
    """The FTS5 expression for the parts of a name in any order, close together; a single letter is
    an initial."""
    last_is_prefix = text.endswith("*")
    ways = []
    for words in spellings(text):
        initials = [len(word) == 1 and not is_ideographic(word) for word in words]
        if last_is_prefix and initials:
            initials[-1] = True
        parts = [
            f'"{word}"{" *" if begins else ""}'
            for word, begins in zip(words, initials, strict=True)
        ]
        near = f"NEAR({' '.join(parts)}, {_AROUND_AUTHOR})"
        ways.append(near if len(parts) > 1 else "".join(parts) or '""')
    return _any(ways)


def _any(ways: list[str]) -> str:
    return ways[0] if len(ways) == 1 else f"({' OR '.join(ways)})"
