"""The collections, tags and saved searches of a library, with their counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

SAMPLE_COLLECTION = "Sample library"  # holds the sample papers, in every language


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection. `path` holds the names from the root, "thesis/methods"; `count` includes its
    subcollections."""

    path: str
    count: int = 0


@dataclass(frozen=True, slots=True)
class Tag:
    name: str
    colour: str = ""
    count: int = 0


@dataclass(frozen=True, slots=True)
class SavedSearch:
    name: str
    query: str


@dataclass(frozen=True, slots=True)
class LibraryTree:
    """The tree of the library. Papers in the trash are counted nowhere else; `duplicates` are
    unreviewed pairs, `problems` papers with an unreadable file or without title, authors or year.
    """

    papers: int = 0
    unread: int = 0
    trash: int = 0
    duplicates: int = 0
    problems: int = 0
    without_abstract: int = 0
    without_doi: int = 0
    collections: Sequence[Collection] = ()
    tags: Sequence[Tag] = ()
    searches: Sequence[SavedSearch] = ()


@dataclass(frozen=True, slots=True)
class AutoExport:
    """A collection that is exported to a file whenever it changes.

    `written` is the SHA-256 of the last export, `at` its time in seconds since 1970; empty and 0
    before the first. `problem` is the user-readable reason why the file is out of date.
    """

    collection: str  # full path: "thesis/chapter 2"
    path: str
    format: str
    written: str = ""
    at: float = 0.0
    problem: str = ""
