"""The bibliographic record, and values about papers that all layers share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import NamedTuple, NewType

PaperId = NewType("PaperId", int)

# Item types: the type names of CSL 1.0.2, to and from which every format maps.
KINDS = (
    "article",  # a preprint, and the default
    "article-journal",
    "paper-conference",
    "book",
    "chapter",
    "thesis",
    "report",
    "dataset",
    "software",
    "patent",
    "webpage",
    "manuscript",
)


class Author(NamedTuple):
    """A person, or an organization (`literal`) with its whole name in `family`."""

    family: str
    given: str = ""
    particle: str = ""  # "van der"
    suffix: str = ""  # "Jr."
    literal: bool = False

    @property
    def name(self) -> str:
        """The name in natural order: Ludwig van der Beethoven Jr."""
        return " ".join(filter(None, (self.given, self.particle, self.family, self.suffix)))

    @property
    def last_name(self) -> str:
        return f"{self.particle} {self.family}".strip()


class Identifier(NamedTuple):
    """An identifier of a paper; `value` is in the normal form of identifiers.py."""

    kind: str  # one of identifiers.IDENTIFIER_KINDS
    value: str


# The last name of a truncated list in BibTeX, and what other programs write there.
OTHERS = "others"
_TRUNCATION_MARKS = frozenset([OTHERS, "and others", "et al", "et al."])


def is_truncation_mark(name: str) -> bool:
    """Whether a name is a placeholder for omitted names."""
    return name.strip(" ,").lower() in _TRUNCATION_MARKS


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """One bibliographic record. Empty means unknown.

    `published` is an ISO date as exact as it is known: "2017", "2017-06" or "2017-06-12".
    `fields` are subject areas given by others (arXiv categories, primary first; MeSH terms),
    `keywords` the author's or the exporter's own. `extra` keeps every other field of the record
    under BibTeX's lower-case names (volume, number, pages, publisher, booktitle, url, ...), so
    that nothing read from a file is lost when it is written again. `files` are absolute paths.
    `source` and `source_id` say where it came from and its name there ("arxiv", "2101.00027").
    """

    title: str
    abstract: str = ""
    authors: tuple[Author, ...] = ()
    kind: str = "article"
    published: str = ""
    venue: str = ""
    identifiers: tuple[Identifier, ...] = ()
    fields: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    extra: Mapping[str, str] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    source: str = ""
    source_id: str = ""
    id: PaperId | None = None

    @property
    def year(self) -> int | None:
        year = self.published[:4]
        return int(year) if year.isdecimal() else None

    @property
    def has_more_authors(self) -> bool:
        """Whether the source named only the first authors, as `and others` in BibTeX."""
        return bool(self.extra.get("and-others"))

    def identifier(self, kind: str) -> str:
        """The first identifier of this kind, or an empty string."""
        return next((value for k, value in self.identifiers if k == kind), "")

    @property
    def written_identifiers(self) -> tuple[Identifier, ...]:
        """The identifiers for people and other programs: a DOI in the case that it came in.

        That is kept as `doi` in `extra`; `identifiers` are in normal form, to be compared.
        """
        doi = self.extra.get("doi", "")
        written = {Identifier("doi", doi.lower()): Identifier("doi", doi)}
        return tuple(written.get(one, one) for one in self.identifiers)

    @property
    def written_doi(self) -> str:
        """The first DOI in the case that it came in, or an empty string."""
        return next((value for kind, value in self.written_identifiers if kind == "doi"), "")


class FiledNote(NamedTuple):
    """A note of another program. `key` identifies it there; `added` is in seconds since 1970, or
    0 if unknown."""

    text: str
    key: str
    added: float = 0.0


class Filing(NamedTuple):
    """Where the user of another program has filed a paper. "a/b" is the collection b within a."""

    tags: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    notes: tuple[FiledNote, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FiledPaper(Paper):
    """A record from the library of another program."""

    filing: Filing


class Skipped(NamedTuple):
    """A record that could not be read: a value rather than an exception, since reading
    continues."""

    file: str
    entry: str  # key, id or number of the entry; empty for the whole file
    reason: str  # a sentence for the user, with a remedy if there is one

    def fields(self) -> dict[str, str]:
        """By the names in the library and in the output of commands."""
        return {"file": self.file, "entry": self.entry, "why": self.reason}

    def contains(self, words: str) -> bool:
        """Whether each of these words occurs in the file, the entry or the reason."""
        text = "\n".join(self).casefold()
        return all(word in text for word in words.casefold().split())


@dataclass(frozen=True, slots=True)
class LibraryChanges:
    """The kinds of data changed by an operation, so that pages know whether to reload."""

    papers: bool = False
    vectors: bool = False
    space: bool = False
    runs: bool = False

    def __or__(self, other: LibraryChanges) -> LibraryChanges:
        return LibraryChanges(
            self.papers or other.papers,
            self.vectors or other.vectors,
            self.space or other.space,
            self.runs or other.runs,
        )


@dataclass(frozen=True, slots=True)
class PaperFile:
    """A file of a paper. `size` is in bytes; `pages` is 0 if not counted. `problem` is the reason
    why its text is not in the index."""

    path: Path
    size: int = 0
    pages: int = 0
    missing: bool = False
    problem: str = ""


class Order(Enum):
    """A sort order of papers.

    Without search words there is no relevance, and it means the same as `added`.
    """

    relevance = "relevance"
    added = "added"
    earliest_added = "earliest added"
    year = "year"
    oldest = "oldest"
    title = "title"
    title_descending = "title descending"
    author = "author"
    author_descending = "author descending"
    venue = "venue"
    venue_descending = "venue descending"
    rating = "rating"
    lowest_rating = "lowest rating"
    unread = "unread"
    read = "read"
    citations = "citations"
    fewest_citations = "fewest citations"
    last_read = "last read"
    earliest_read = "earliest read"

    @property
    def reverse(self) -> Order:
        """The opposite order; relevance has none and returns itself."""
        return _REVERSE.get(self, self)

    @property
    def is_descending(self) -> bool:
        """Whether values fall from the first paper to the last."""
        return self in _DESCENDING


_PAIRS = (
    (Order.added, Order.earliest_added),
    (Order.year, Order.oldest),
    (Order.title, Order.title_descending),
    (Order.author, Order.author_descending),
    (Order.venue, Order.venue_descending),
    (Order.rating, Order.lowest_rating),
    (Order.unread, Order.read),
    (Order.citations, Order.fewest_citations),
    (Order.last_read, Order.earliest_read),
)
_DESCENDING = {
    *(Order.added, Order.year, Order.rating, Order.read, Order.citations, Order.last_read),
    *(Order.title_descending, Order.author_descending, Order.venue_descending),
}
_REVERSE = dict(_PAIRS) | {reverse: order for order, reverse in _PAIRS}


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit in the undo log.

    `at` is in seconds since 1970; `what` is its description for the user: "Added tag “new” to 3
    papers"; `title` is that of the paper it changed, empty if there was not exactly one.
    """

    id: int
    at: float
    what: str
    title: str = ""
