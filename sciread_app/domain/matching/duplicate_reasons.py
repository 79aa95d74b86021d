"""Verdicts on pairs of records that may be duplicates, with translated reasons."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sciread_app.domain.matching.record_keys import MatchVerdict
from sciread_app.domain.metadata.item_types import KIND_NAMES
from sciread_app.domain.stored_messages import translate_stored
from sciread_app.language import format_list, tr_marked, tr_noop


class Judgement(NamedTuple):
    verdict: MatchVerdict
    reason: str  # shown to the user who reviews the pair


def listed(names: Iterable[str]) -> str:
    """Names of fields as they are stored within a reason."""
    return ", ".join(sorted(names))


_FIELDS = (
    tr_noop("titles"), tr_noop("years"), tr_noop("venues"), tr_noop("volumes"), tr_noop("pages"),
    tr_noop("issues"), tr_noop("editions"), tr_noop("authors"), tr_noop("types"),
    tr_noop("abstracts"),
)  # fmt: skip


def _named(names: str) -> str:
    """The fields written by `listed`, translated, as a list within a sentence."""
    fields = names.split(", ")
    return format_list(tr_marked(name) if name in _FIELDS else name for name in fields)


_IDENTIFIERS = {
    "arxiv": "arXiv ID",
    "pmcid": "PMCID",
    "pmid": "PMID",
    "pubmed": "PMID",
}


def _kind_name(key: str) -> str:
    """The item type as used within a sentence."""
    return KIND_NAMES[key].lower() if key in KIND_NAMES else key


# Reasons given by `judge` for separate papers, and those of user decisions (see
# storage/papers/versions.py). The first that matches is used, so that the more specific come first.
TEMPLATES = (
    tr_noop("your decision"),
    tr_noop("PubMed lists one as an update of the other"),
    tr_noop("the preprint record contains the article's DOI {doi}"),
    tr_noop("both have DOI {doi}, but other identifiers differ"),
    tr_noop("both have DOI {doi}, but their titles differ"),
    tr_noop("both have {kind} {name}, but their {fields} differ"),
    tr_noop("preprint and published paper share title and author"),
    tr_noop("the titles are similar, but one paper has no authors"),
    tr_noop("the titles are similar, but the authors differ"),
    tr_noop("author, venue and pages match, but the titles differ"),
    tr_noop("author, venue and abstract match, but the titles differ"),
    tr_noop("title and author are similar, but {fields} differ"),
    tr_noop("title and author are similar, but the title is common"),
    tr_noop("title and author are similar, but the titles differ in some words"),
    tr_noop("title and author are similar"),
    tr_noop("several papers have this title, author and year"),
    tr_noop("same title and author, but {a} and {b}"),
    # Reasons of merges.
    tr_noop("title, first author and year match"),
    tr_noop("both have DOI {doi}"),
    tr_noop("both have {kind} {name}"),
)


def _identifier_name(kind: str) -> str:
    return _IDENTIFIERS.get(kind, kind)


def translated(reason: str) -> str:
    """A stored English reason, translated."""
    values = {
        "fields": _named,
        "a": _kind_name,
        "b": _kind_name,
        "kind": _identifier_name,
    }
    return translate_stored(reason, TEMPLATES, values)
