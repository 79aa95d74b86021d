"""What a paper can be asked to meet, and what ranks it: the parts of a query once understood."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

from sciread_app.domain.folding import is_ideographic, spellings
from sciread_app.domain.ranges import days

# Fields that are looked up in the text index, and the columns of it that they mean.
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
    "has": ("pdf", "abstract", "notes", "tags", "highlights"),
}
RANGES = ("year", "rating", "added")
# What is meant as a whole with an equals sign: venue:="Nature" is not Nature Physics.
WHOLE = ("author", "venue")
TRASH = "trash"

_AROUND_AUTHOR = 3  # words that may stand between the parts of a name


class Condition(NamedTuple):
    """Something a paper must meet, or must not (`negated`).

    `value` depends on `field`. Alternatives are separated by line breaks.
    - text, title, abstract, author, venue, keyword, notes: words; `expression` finds them. With an
      equals sign in front, a whole author or venue.
    - year: "2015..2019", "2015..", "..2019" (see `years`).
    - rating: "4..5" (see `stars`); unrated papers have 0.
    - added: "7d", "2026-01-01..2026-03-31" (see `days`).
    - cat: a subject without regard to case. "cs" holds "cs.CL" too; "cs.*" is the same.
    - tag: its name; in: the path of a collection, which holds those below it, or "trash".
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
        """The FTS5 expression that finds it, whatever `negated` says; empty if not for FTS5.

        Of a whole author or venue it finds all that could be meant.
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
        """Fewest and most stars of a `rating` condition."""
        first, _, last = self.value.partition("..")
        return int(first), int(last)

    def days(self, today: date) -> tuple[date, date]:
        """First and last day of an `added` condition."""
        return days(self.value, today)


class Term(NamedTuple):
    """A word or a phrase (words with blanks between) that ranks papers; `prefix`: its beginning."""

    text: str
    prefix: bool = False

    @property
    def marked(self) -> str:
        """As `matching.spans` takes it."""
        return f"{self.text}*" if self.prefix else self.text

    @property
    def expression(self) -> str:
        return phrase(self.marked)


def phrase(text: str) -> str:
    """The FTS5 expression for these words one behind the other, however they are spelt."""
    star = " *" if text.endswith("*") else ""
    return _any([f'"{" ".join(words)}"{star}' for words in spellings(text)])


def _name(text: str) -> str:
    """The parts of a name in any order, close together; a single letter is an initial."""
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
