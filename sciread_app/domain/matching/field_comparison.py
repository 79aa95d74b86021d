"""Pairs of possibly duplicate papers: which fields agree, and which record is better.

Whether two records are duplicates is decided in `record_linkage.judge`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from sciread_app.domain.matching.record_keys import NAMING, is_preprint, title_key
from sciread_app.domain.paper import Author, Paper, PaperId

# The fields compared, in the order of display.
FIELDS = ("title", "authors", "published", "venue", "kind", "identifiers", "abstract", "keywords")
# Fields of which a merged paper takes one value; of the others it takes all values.
CHOICES = ("title", "authors", "published", "venue", "kind", "abstract")

_GATHERED = ("keywords",)
_NO_KIND = "article"  # the default item type
_TELLING = 20  # letters and digits of a title that is distinctive


class FieldAgreement(Enum):
    """The result of comparing one field of two papers."""

    same = "same"
    alike = "alike"  # equal up to case and punctuation
    one_only = "one only"  # empty in one of them
    different = "different"


@dataclass(frozen=True, slots=True)
class DuplicatePair:
    """Two papers that are possibly duplicates, or versions of one work. `agree`: no field that both
    have differs in more than case and punctuation."""

    a: PaperId
    b: PaperId
    title: str
    reason: str
    versions: bool = False
    agree: bool = False


@dataclass(frozen=True, slots=True)
class Merge:
    """A record or paper `other` that was merged into `paper`. `at` is in seconds since 1970; `came`
    names the import that did it, and is empty after a manual merge."""

    id: int
    paper: PaperId
    title: str
    other: str
    reason: str
    at: float
    came: str


@dataclass(frozen=True, slots=True)
class PairMember:
    """One paper of a pair, with its attachments and notes. `added` is in seconds since 1970; `came`
    names the imports that contained it."""

    paper: Paper
    added: float = 0.0
    came: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    notes: int = 0
    read: bool = False
    rating: int = 0


def compare(a: Paper, b: Paper) -> dict[str, FieldAgreement]:
    return {field: _likeness(field, a, b) for field in FIELDS}


def agree(a: Paper, b: Paper) -> bool:
    """Whether no field that both have differs in more than case and punctuation, and they have
    enough in common: a distinctive title, or authors, and a year or an identifier."""
    found = compare(a, b)
    if found["title"] not in (FieldAgreement.same, FieldAgreement.alike):
        return False
    if FieldAgreement.different in found.values() or (
        _names(a) and _names(b) and not _names(a) & _names(b)
    ):
        return False
    tells = len(title_key(a.title)) >= _TELLING or bool(a.authors and b.authors)
    return tells and (bool(a.published and b.published) or bool(_names(a) & _names(b)))


def better(a: Paper, b: Paper) -> bool:
    """Whether `a` is the one to keep: published before preprint, then the more complete."""
    return _worth(a) >= _worth(b)


def _worth(paper: Paper) -> tuple[bool, int, int]:
    filled = sum(bool(getattr(paper, field)) for field in FIELDS)
    return not is_preprint(paper), len(_names(paper)), filled


def _likeness(field: str, a: Paper, b: Paper) -> FieldAgreement:
    ours, theirs = getattr(a, field), getattr(b, field)
    if ours == theirs:
        return FieldAgreement.same
    if field == "kind" and _NO_KIND in (ours, theirs):
        return FieldAgreement.one_only
    if not ours or not theirs:
        return FieldAgreement.one_only
    return FieldAgreement.alike if _key(field, ours, theirs) else FieldAgreement.different


def _key(field: str, ours: object, theirs: object) -> bool:
    """Whether the values are equal up to case and punctuation, or one is more exact."""
    if isinstance(ours, str) and isinstance(theirs, str):
        if field == "published":
            return ours.startswith(theirs) or theirs.startswith(ours)
        return title_key(ours) == title_key(theirs)
    if field == "authors":
        return _author_keys(ours) == _author_keys(theirs)
    if field == "identifiers":
        return _kinds_agree(ours, theirs)
    return field in _GATHERED


def _author_keys(authors: object) -> list[tuple[str, str]]:
    assert isinstance(authors, tuple)
    return [(title_key(author.last_name), title_key(author.given)) for author in authors]


def _kinds_agree(ours: object, theirs: object) -> bool:
    """Whether there is no kind of identifier of which each has a different value."""
    assert isinstance(ours, tuple) and isinstance(theirs, tuple)
    shared = {kind for kind, _ in ours} & {kind for kind, _ in theirs} - {"citekey"}
    return all(
        {v for k, v in ours if k == kind} & {v for k, v in theirs if k == kind} for kind in shared
    )


def _names(paper: Paper) -> frozenset[object]:
    return frozenset(name for name in paper.identifiers if name.kind in NAMING)


def names(authors: tuple[Author, ...]) -> str:
    return ", ".join(author.name for author in authors)
