"""A paper: one bibliographic record, whatever place it came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, NewType

PaperId = NewType("PaperId", int)

# What a paper is: the type names of CSL 1.0.2, which every format maps to and from.
KINDS = (
    "article",  # a preprint, and whatever has no better name
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
    """A person, or a body (`literal`) whose whole name stands in `family`."""

    family: str
    given: str = ""
    particle: str = ""  # "van der"
    suffix: str = ""  # "Jr."
    literal: bool = False

    @property
    def name(self) -> str:
        """As it is read aloud: Ludwig van der Beethoven Jr."""
        return " ".join(filter(None, (self.given, self.particle, self.family, self.suffix)))

    @property
    def last_name(self) -> str:
        return f"{self.particle} {self.family}".strip()


class Identifier(NamedTuple):
    """A name that the world gave to a paper; `value` is in the normal form of identifiers.py."""

    kind: str  # one of identifiers.IDENTIFIER_KINDS
    value: str


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

    def identifier(self, kind: str) -> str:
        """The first identifier of this kind, or an empty string."""
        return next((value for k, value in self.identifiers if k == kind), "")


class Skipped(NamedTuple):
    """A record that could not be read: a value, not an exception, since the others go on."""

    file: str
    entry: str  # key, id or number of the entry; empty when the whole file is meant
    why: str  # one sentence for a person, with what to do about it where there is something


@dataclass(frozen=True, slots=True)
class Changes:
    """What a piece of work has changed, so that each page knows whether it must look again."""

    papers: bool = False
    vectors: bool = False
    space: bool = False
    runs: bool = False

    def __or__(self, other: Changes) -> Changes:
        return Changes(
            self.papers or other.papers,
            self.vectors or other.vectors,
            self.space or other.space,
            self.runs or other.runs,
        )
