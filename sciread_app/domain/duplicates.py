"""Two papers that may be one: what they agree in, and which of them says more."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from sciread_app.domain.identity import NAMING, is_preprint, title_key
from sciread_app.domain.paper import Author, Paper, PaperId

# What is compared, in the order in which it is shown.
FIELDS = ("title", "authors", "published", "venue", "kind", "identifiers", "abstract", "keywords")
# Those of which a merged paper has either the one or the other; of the rest it has all.
CHOICES = ("title", "authors", "published", "venue", "kind", "abstract")

_GATHERED = ("keywords",)
_NO_KIND = "article"  # what has no better name
_TELLING = 20  # letters and digits of a title that is no common one


class Likeness(Enum):
    """How two papers' values of one field compare."""

    same = "same"
    alike = "alike"  # but for case and punctuation
    one_only = "one only"  # the other says nothing
    different = "different"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two papers that may be one, or are versions of one work. `agree`: nothing that both say
    differs but in case and punctuation."""

    a: PaperId
    b: PaperId
    title: str
    reason: str
    versions: bool = False
    agree: bool = False


@dataclass(frozen=True, slots=True)
class Merge:
    """A record or paper called `other` that was made part of `paper`. `at` is in seconds since
    1970; `came` names the import that did it, and is empty for what was merged by hand."""

    id: int
    paper: PaperId
    title: str
    other: str
    reason: str
    at: float
    came: str


@dataclass(frozen=True, slots=True)
class Side:
    """One paper of a pair, with what hangs on it. `added` is in seconds since 1970; `came` names
    the imports that brought it."""

    paper: Paper
    added: float = 0.0
    came: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    notes: int = 0
    read: bool = False
    rating: int = 0


def compare(a: Paper, b: Paper) -> dict[str, Likeness]:
    return {field: _likeness(field, a, b) for field in FIELDS}


def agree(a: Paper, b: Paper) -> bool:
    """Whether nothing that both say differs but in case and punctuation, and they say enough: a
    title that tells, or authors, and a year or a name of their own."""
    found = compare(a, b)
    if found["title"] not in (Likeness.same, Likeness.alike):
        return False
    if Likeness.different in found.values() or (
        _names(a) and _names(b) and not _names(a) & _names(b)
    ):
        return False
    tells = len(title_key(a.title)) >= _TELLING or bool(a.authors and b.authors)
    return tells and (bool(a.published and b.published) or bool(_names(a) & _names(b)))


def better(a: Paper, b: Paper) -> bool:
    """Whether `a` is the one to keep: what was published before a preprint, and who says more."""
    return _worth(a) >= _worth(b)


def _worth(paper: Paper) -> tuple[bool, int, int]:
    said = sum(bool(getattr(paper, field)) for field in FIELDS)
    return not is_preprint(paper), len(_names(paper)), said


def _likeness(field: str, a: Paper, b: Paper) -> Likeness:
    ours, theirs = getattr(a, field), getattr(b, field)
    if ours == theirs:
        return Likeness.same
    if field == "kind" and _NO_KIND in (ours, theirs):
        return Likeness.one_only
    if not ours or not theirs:
        return Likeness.one_only
    return Likeness.alike if _key(field, ours, theirs) else Likeness.different


def _key(field: str, ours: object, theirs: object) -> bool:
    """Whether the values are one but for case and punctuation, or one is more exact."""
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
    """Whether there is no kind of name of which each has another."""
    assert isinstance(ours, tuple) and isinstance(theirs, tuple)
    shared = {kind for kind, _ in ours} & {kind for kind, _ in theirs} - {"citekey"}
    return all(
        {v for k, v in ours if k == kind} & {v for k, v in theirs if k == kind} for kind in shared
    )


def _names(paper: Paper) -> frozenset[object]:
    return frozenset(name for name in paper.identifiers if name.kind in NAMING)


def names(authors: tuple[Author, ...]) -> str:
    return ", ".join(author.name for author in authors)
