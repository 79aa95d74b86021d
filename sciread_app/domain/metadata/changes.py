"""Changes that looked-up records suggest for a paper, field by field."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sciread_app.domain.matching import record_linkage
from sciread_app.domain.matching.record_keys import MatchVerdict, is_preprint, title_key
from sciread_app.domain.matching.titles import TitleMatch, is_generic, match
from sciread_app.domain.matching.venues import same_venue
from sciread_app.domain.metadata.editable_fields import written, written_authors
from sciread_app.domain.metadata.identifiers import (
    IDENTIFIER_NAMES,
    doi_as_written,
    identifier,
    other_fields,
)
from sciread_app.domain.metadata.paper_updates import RETRACTED, retracted
from sciread_app.domain.paper import Author, Identifier, Paper, PaperId
from sciread_app.language import tr

# The fields that are looked up, with their names for the user: those of a paper, kinds of
# identifiers, and names in `extra`.
FIELD_TITLES = {
    "title": tr("Title"),
    "authors": tr("Authors"),
    "kind": tr("Type"),
    "published": tr("Date"),
    "venue": tr("Venue"),
    "abstract": tr("Abstract"),
    "keywords": tr("Keywords"),
    "fields": tr("Fields"),
    **IDENTIFIER_NAMES,
    "volume": tr("Volume"),
    "number": tr("Issue"),
    "pages": tr("Pages"),
    "publisher": tr("Publisher"),
    "address": tr("Place"),
    "edition": tr("Edition"),
    "issn": tr("ISSN"),
    "language": tr("Language"),
    "retraction_in": tr("Retraction notice"),
    "expression_of_concern_in": tr("Expression of concern"),
    "erratum_in": tr("Correction"),
    "withdrawn": tr("Withdrawal"),
    "publication_types": tr("Retraction"),
}
_NOTICES = ("retraction_in", "expression_of_concern_in", "erratum_in", "withdrawn")
_EXTRA = (
    *("volume", "number", "pages", "publisher", "address", "edition", "issn", "language"),
    *(*_NOTICES, "publication_types"),
)
_DASHES = str.maketrans("‐‑‒–—", "-----")


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A new value for a field. `old` and `new` are its texts, `value` is that of the record.

    `fills`: the paper has no value, or a less exact one, and it was not edited. Other changes are
    offered: they replace a value, or refill a field that the user has emptied.
    """

    field: str  # a key of FIELD_TITLES
    old: str
    new: str
    value: Any
    source: str  # the key of the source
    fills: bool


@dataclass(frozen=True, slots=True)
class Candidate:
    """A record that may be that of the paper, with the changes if it is: the user decides."""

    record: Paper
    changes: tuple[FieldChange, ...]


@dataclass(frozen=True, slots=True)
class LookupSuggestion:
    """The changes and candidates that a look-up found for one paper."""

    paper: PaperId
    title: str
    changes: tuple[FieldChange, ...] = ()
    candidates: tuple[Candidate, ...] = ()

    @property
    def filling(self) -> tuple[FieldChange, ...]:
        """The changes that replace nothing."""
        return tuple(change for change in self.changes if change.fills)


def is_record_of(paper: Paper, record: Paper, edited: frozenset[str]) -> bool:
    """Whether a record found by identifier belongs to the paper: an identifier may be wrong."""
    if "title" in edited and record_linkage.share_name(paper, record):
        paper = replace(paper, title="")
    # An ISBN is also that of the chapters of a book, which have other titles.
    isbns = {name for name in paper.identifiers if name.kind == "isbn"}
    if isbns & set(record.identifiers) and match(paper.title, record.title) >= TitleMatch.near:
        return True
    return record_linkage.judge(paper, record).verdict == MatchVerdict.same


def matching_record(paper: Paper, records: Sequence[Paper]) -> Paper | None:
    """The only one of these records that certainly belongs to a paper without identifiers.

    Title and first author must agree, the years within one, and nothing else may contradict it.
    """
    sure = [record for record in records if _is_sure(paper, record)]
    if not sure:
        return None
    differ = [len(record_linkage.contradictions(paper, record)) for record in sure]
    best = [record for record, count in zip(sure, differ, strict=True) if count == min(differ)]
    is_one = all(record_linkage.share_name(best[0], other) for other in best[1:])
    return best[0] if is_one else None


def is_candidate(paper: Paper, record: Paper) -> bool:
    """Whether a record found by title is worth showing."""
    return match(paper.title, record.title) >= TitleMatch.near


def suggest(
    paper: Paper, edited: frozenset[str], records: Sequence[Paper], candidates: Sequence[Paper]
) -> LookupSuggestion:
    """The changes to a paper by its records, the most trusted first, and by each candidate.

    `edited` are the fields that the user has edited: their values are never replaced.
    """
    assert paper.id is not None
    changes: dict[str, FieldChange] = {}
    for record in records:
        for change in _changes(paper, edited, record):
            changes.setdefault(change.field, change)
    found = [
        Candidate(record, tuple(_changes(paper, edited, record)))
        for record in candidates
        if not any(record_linkage.share_name(record, known) for known in records)
    ]
    return LookupSuggestion(
        paper.id, paper.title, tuple(changes.values()), tuple(one for one in found if one.changes)
    )


def field_texts(paper: Paper) -> dict[str, str]:
    """The text of each field in FIELD_TITLES, by its name."""
    texts = written(paper) | {"fields": "; ".join(paper.fields), "doi": paper.identifier("doi")}
    return {name: texts.get(name, paper.extra.get(name, "")) for name in FIELD_TITLES}


def is_in_extra(field: str) -> bool:
    """Whether a field in FIELD_TITLES is kept in `Paper.extra`."""
    return field in _EXTRA


def applied(paper: Paper, changes: Iterable[FieldChange]) -> dict[str, Any]:
    """The attributes of the paper that these changes set, with their values."""
    values: dict[str, Any] = {}
    for change in changes:
        if change.field in IDENTIFIER_NAMES:
            known = values.get("identifiers", paper.identifiers)
            values["identifiers"] = _with_identifier(known, change)
        elif change.field not in _EXTRA:
            values[change.field] = change.value
        extra = _extra_after(replace(paper, **values), change)
        if extra != values.get("extra", paper.extra):
            values["extra"] = extra
    return values


def _extra_after(paper: Paper, change: FieldChange) -> dict[str, str]:
    """`Paper.extra` after a change; `paper` has all of its other values."""
    extra = dict(paper.extra)
    if change.field in _EXTRA:
        extra[change.field] = change.value
    elif change.field == "doi":
        extra = other_fields(paper) | doi_as_written(paper.identifiers, change.value)
    elif change.field == "authors":
        extra.pop("and-others", None)  # services name all authors
    return {name: value for name, value in extra.items() if value}


def still_valid(
    paper: Paper, edited: frozenset[str], changes: Iterable[FieldChange]
) -> list[FieldChange]:
    """Those changes whose field has the same value as when they were suggested, and no value that
    the user has entered since."""
    current = field_texts(paper)
    found = []
    for change in changes:
        now = current[change.field]
        # A retraction is added to the types of publication, and replaces nothing.
        replaces = bool(now) and change.field != "publication_types"
        if now == change.old and not (replaces and _attribute(change.field) in edited):
            found.append(change)
    return found


def _is_sure(paper: Paper, record: Paper) -> bool:
    if match(paper.title, record.title) != TitleMatch.equal or is_generic(paper.title):
        return False
    if not record_linkage.first_author_agrees(paper, record):
        return False
    if paper.year and record.year and abs(paper.year - record.year) > 1:
        return False
    return not {"authors", "pages", "volumes"} & set(record_linkage.contradictions(paper, record))


def _changes(paper: Paper, edited: frozenset[str], record: Paper) -> Iterator[FieldChange]:
    old, new = field_texts(paper), field_texts(record)
    for field, value in _values(paper, record).items():
        before, after = old[field], new[field]
        if not after or _is_same(field, paper, record, before, after):
            continue
        is_edited = _attribute(field) in edited
        if is_edited and before:
            continue
        fills = not is_edited and (not before or _is_more_exact(field, paper, record))
        # The user who has edited other fields still wants to know of a retraction.
        fills = fills or field in _NOTICES
        yield FieldChange(field, before, after, value, record.source, fills)
    if retracted(record) and not retracted(paper) and "retraction_in" not in record.extra:
        # OpenAlex knows of retractions, but not their notices.
        before = old["publication_types"]
        types = "; ".join(filter(None, (before, RETRACTED)))
        yield FieldChange("publication_types", before, types, types, record.source, True)


def _values(paper: Paper, record: Paper) -> dict[str, Any]:
    plain = ("title", "authors", "kind", "published", "venue", "abstract", "keywords", "fields")
    values = {name: getattr(record, name) for name in plain}
    values |= {kind: record.identifier(kind) for kind in IDENTIFIER_NAMES}
    values["doi"] = record.written_doi
    values |= {name: record.extra.get(name, "") for name in _EXTRA if name != "publication_types"}
    for name in ("keywords", "fields"):
        if getattr(paper, name):
            del values[name]  # those of two sources differ in every word
    for name in _NOTICES:
        if paper.extra.get(name):
            del values[name]  # sources name one notice in different ways
    if record.kind == "article":
        del values["kind"]  # the default says nothing
    return values


def _attribute(field: str) -> str:
    """The attribute of Paper that a field is part of."""
    if field in IDENTIFIER_NAMES:
        return "identifiers"
    return "extra" if field in _EXTRA else field


def _is_same(field: str, paper: Paper, record: Paper, before: str, after: str) -> bool:
    if not before:
        return False
    if field in IDENTIFIER_NAMES:
        return Identifier(field, after) in paper.identifiers
    if field == "title":
        return match(before, after) == TitleMatch.equal
    if field == "authors":
        is_complete = paper.has_more_authors and not record.has_more_authors
        return not (is_complete or _are_better(paper.authors, record.authors))
    if field == "published":
        return before.startswith(after)
    if field == "venue":
        return same_venue(before, after)
    if field == "pages":
        return _pages(before) == _pages(after)
    return title_key(before) == title_key(after)


def _is_more_exact(field: str, paper: Paper, record: Paper) -> bool:
    if field == "published":
        return record.published.startswith(paper.published)
    if field == "authors":
        families = [title_key(author.family) for author in paper.authors]
        first = [title_key(author.family) for author in record.authors[: len(families)]]
        return paper.has_more_authors and not record.has_more_authors and first == families
    return field == "kind" and paper.kind == "article" and not is_preprint(paper)


def _are_better(old: Sequence[Author], new: Sequence[Author]) -> bool:
    """Whether the authors differ: in number, in last names, or in given names written in full."""
    if len(old) != len(new):
        return True
    if written_authors(old) == written_authors(new):
        return False
    pairs = list(zip(old, new, strict=True))
    if any(title_key(a.family) != title_key(b.family) for a, b in pairs):
        return True
    return any(len(title_key(a.given)) < len(title_key(b.given)) for a, b in pairs)


def _pages(text: str) -> tuple[str, ...]:
    """The first and the last page: "580" and "582" of "580-2" and "580--582"."""
    parts = [part for part in text.translate(_DASHES).replace(" ", "").split("-") if part]
    first, last = parts[0] if parts else "", parts[-1] if len(parts) > 1 else ""
    if last and len(last) < len(first):
        last = first[: len(first) - len(last)] + last
    return (first, last) if last != first else (first, "")


def _with_identifier(known: Sequence[Identifier], change: FieldChange) -> tuple[Identifier, ...]:
    """The identifiers with the first one of this kind replaced, in its place."""
    new = identifier(change.field, change.value) or Identifier(change.field, change.new)
    old = Identifier(change.field, change.old)
    kept = known if old in known else (*known, old)
    return tuple(dict.fromkeys(new if one == old else one for one in kept))
