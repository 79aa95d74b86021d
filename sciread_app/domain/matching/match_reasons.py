"""Verdicts on pairs of records, with translated reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from sciread_app.domain.item_types import KIND_NAMES
from sciread_app.domain.matching.record_keys import MatchVerdict
from sciread_app.domain.stored_messages import MessageTemplate, translate_stored
from sciread_app.language import tr


class Judgement(NamedTuple):
    verdict: MatchVerdict
    reason: str  # shown to the user who reviews the pair


def listed(names: Iterable[str]) -> str:
    """Names of fields as they are stored within a reason."""
    return ", ".join(sorted(names))


_FIELDS: Mapping[str, Callable[[], str]] = {
    "years": lambda: tr("years"),
    "venues": lambda: tr("venues"),
    "volumes": lambda: tr("volumes"),
    "pages": lambda: tr("pages"),
    "issues": lambda: tr("issues"),
    "editions": lambda: tr("editions"),
    "authors": lambda: tr("authors"),
    "types": lambda: tr("types"),
    "abstracts": lambda: tr("abstracts"),
}


def _named(names: str) -> str:
    """The fields written by `listed`, translated."""
    return ", ".join(_FIELDS[name]() if name in _FIELDS else name for name in names.split(", "))


def _kind_name(key: str) -> str:
    """The item type as used within a sentence."""
    return KIND_NAMES[key].lower() if key in KIND_NAMES else key


# Reasons given by `judge` for separate papers, and those of user decisions (see
# storage/papers/versions.py). The last ones are in libraries written by an earlier version.
TEMPLATES: Sequence[MessageTemplate] = (
    ("said by you", lambda: tr("said by you")),
    (
        "PubMed names one as an update of the other",
        lambda: tr("PubMed names one as an update of the other"),
    ),
    (
        "the preprint names the article's DOI {doi}",
        lambda doi: tr("the preprint names the article's DOI {doi}", doi=doi),
    ),
    (
        "both have DOI {doi}, but other identifiers differ",
        lambda doi: tr("both have DOI {doi}, but other identifiers differ", doi=doi),
    ),
    (
        "both have DOI {doi}, but their titles differ",
        lambda doi: tr("both have DOI {doi}, but their titles differ", doi=doi),
    ),
    (
        "both have {kind} {name}, but their titles and {fields} differ",
        lambda kind, name, fields: tr(
            "both have {kind} {name}, but their titles and {fields} differ",
            kind=kind,
            name=name,
            fields=_named(fields),
        ),
    ),
    (
        "preprint and published paper have title and author",
        lambda: tr("preprint and published paper have title and author"),
    ),
    (
        "the titles are alike, and one has no authors",
        lambda: tr("the titles are alike, and one has no authors"),
    ),
    (
        "the titles are alike, and the authors differ",
        lambda: tr("the titles are alike, and the authors differ"),
    ),
    (
        "author, venue and pages agree, but the titles differ",
        lambda: tr("author, venue and pages agree, but the titles differ"),
    ),
    (
        "author, venue and abstract agree, but the titles differ",
        lambda: tr("author, venue and abstract agree, but the titles differ"),
    ),
    (
        "title and author are alike, but {fields} differ",
        lambda fields: tr("title and author are alike, but {fields} differ", fields=_named(fields)),
    ),
    (
        "title and author are alike, but the title is a common one",
        lambda: tr("title and author are alike, but the title is a common one"),
    ),
    (
        "title and author are alike, but the titles differ in some words",
        lambda: tr("title and author are alike, but the titles differ in some words"),
    ),
    ("title and author are alike", lambda: tr("title and author are alike")),
    (
        "several papers have this title, author and year",
        lambda: tr("several papers have this title, author and year"),
    ),
    (
        "both have DOI {doi}, but other names of theirs differ",
        lambda doi: tr("both have DOI {doi}, but other names of theirs differ", doi=doi),
    ),
    (
        "one title and author, but {a} and {b}",
        lambda a, b: tr("one title and author, but {a} and {b}", a=_kind_name(a), b=_kind_name(b)),
    ),
    # Reasons of merges.
    (
        "title, first author and year agree",
        lambda: tr("title, first author and year agree"),
    ),
    (
        "both are {kind} {name}",
        lambda kind, name: tr("both are {kind} {name}", kind=kind, name=name),
    ),
    ("both have DOI {doi}", lambda doi: tr("both have DOI {doi}", doi=doi)),
)


def translated(reason: str) -> str:
    """A stored English reason, translated."""
    return translate_stored(reason, TEMPLATES)
