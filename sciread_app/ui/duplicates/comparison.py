"""A comparison of two papers by field, with their differences marked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import SequenceMatcher
from itertools import groupby
from typing import Any

from sciread_app.domain.matching.field_comparison import (
    CHOICES,
    DuplicatePair,
    FieldAgreement,
    PairMember,
    better,
    compare,
    names,
)
from sciread_app.domain.metadata.identifiers import IDENTIFIER_NAMES
from sciread_app.domain.metadata.item_types import KIND_NAMES
from sciread_app.domain.paper import Paper
from sciread_app.domain.text.tex import readable
from sciread_app.language import format_moment, tr, trc, trn

# Parts of a text, each with whether it is missing in the other paper's text.
Pieces = tuple[tuple[str, bool], ...]

_MOST_AUTHORS = 30
_MOST_WORDS = 800  # words of a text up to which it is compared
BOTH_KEPT = tr("Both kept")
DIFFERS = tr("Different")
_REMARKS = {
    FieldAgreement.same: "",
    FieldAgreement.alike: tr("Different format"),
    FieldAgreement.one_only: tr("Only in one paper"),
    FieldAgreement.different: DIFFERS,
}
_EXACT = ("kind", "published")
_SOURCE_NAMES = {
    "arxiv": "arXiv",
    "bibtex": "BibTeX",
    "crossref": "Crossref",
    "csl-json": "CSL-JSON",
    "datacite": "DataCite",
    "endnote": "EndNote",
    "europepmc": "Europe PMC",
    "jsonl": "JSON Lines",
    "mods": "MODS",
    "open_library": "Open Library",
    "openalex": "OpenAlex",
    "pdf": "PDF",
    "pubmed": "PubMed",
    "ris": "RIS",
    "semantic_scholar": "Semantic Scholar",
    "zotero": "Zotero",
}
_IDENTIFIERS = {**IDENTIFIER_NAMES, "citekey": tr("Citation key")}


@dataclass(frozen=True)
class ComparisonRow:
    """A row of the comparison. `choice`: the merged paper takes one of the two values."""

    field: str
    name: str
    likeness: FieldAgreement
    remark: str  # a description of the difference
    left: Pieces
    right: Pieces
    choice: bool = False


@dataclass(frozen=True)
class PairComparison:
    """`keep` is the side (0 or 1) that is merged into; `wins`: the default side of each choice."""

    pair: DuplicatePair
    sides: tuple[PairMember, PairMember]
    rows: Sequence[ComparisonRow]
    keep: int
    wins: Mapping[str, int]


def comparison(pair: DuplicatePair, sides: tuple[PairMember, PairMember]) -> PairComparison:
    a, b = sides[0].paper, sides[1].paper
    likeness = compare(a, b)
    keep = 0 if better(a, b) else 1
    rows = [_row(field, name, likeness[field], text(a), text(b)) for field, name, text in _FIELDS]
    rows += [_fact(name, *(text(side) for side in sides)) for name, text in _FACTS]
    wins = {row.field: _winner(row.field, a, b, keep) for row in rows if row.choice}
    return PairComparison(pair, sides, [row for row in rows if row.left or row.right], keep, wins)


def selected_values(found: PairComparison, wins: Mapping[str, int]) -> dict[str, Any]:
    """The values that differ from the default of a merge, by field."""
    return {
        field: getattr(found.sides[side].paper, field)
        for field, side in wins.items()
        if side != found.wins[field]
    }


def reason_words(pair: DuplicatePair) -> str:
    """The reason why both may be the same paper, as the beginning of a sentence."""
    return f"{pair.reason[:1].upper()}{pair.reason[1:]}"


def _winner(field: str, a: Paper, b: Paper, keep: int) -> int:
    """The default side of a field: the kept paper's, unless it has no value."""
    values = (getattr(a, field), getattr(b, field))
    kept, other = values[keep], values[1 - keep]
    if not kept or (field == "kind" and kept == "article"):
        return 1 - keep
    more_exact = field == "published" and len(other) > len(kept) and other.startswith(kept)
    return 1 - keep if more_exact else keep


def _row(field: str, name: str, likeness: FieldAgreement, left: str, right: str) -> ComparisonRow:
    choice = field in CHOICES and likeness is not FieldAgreement.same
    text = _REMARKS[likeness] if choice or likeness is FieldAgreement.different else ""
    if not choice and left != right:
        text = text or BOTH_KEPT
    if likeness in (FieldAgreement.same, FieldAgreement.one_only) or field in _EXACT:
        differs = likeness is FieldAgreement.different
        texts = (_whole(left, differs), _whole(right, differs))
        return ComparisonRow(field, name, likeness, text, *texts, choice)
    return ComparisonRow(field, name, likeness, text, *_marked(left, right), choice)


def _fact(name: str, left: str, right: str) -> ComparisonRow:
    """A row of attached items, all of which the merged paper gets."""
    return ComparisonRow("", name, FieldAgreement.same, "", _whole(left), _whole(right))


def _whole(text: str, differs: bool = False) -> Pieces:
    return ((text, differs),) if text else ()


def joined(texts: Iterable[str]) -> str:
    """The texts of pieces, or pieces as HTML, as one."""
    return " ".join(texts).replace(" ,", ",")


def _marked(left: str, right: str) -> tuple[Pieces, Pieces]:
    """Both texts, with the words marked that only one of them has."""
    ours, theirs = _words(left), _words(right)
    steps = SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes()
    first = (piece for kind, a, b, _, _ in steps for piece in _pieces(ours[a:b], kind))
    second = (piece for kind, _, _, c, d in steps for piece in _pieces(theirs[c:d], kind))
    return tuple(first), tuple(second)


def _words(text: str) -> list[str]:
    """The words of a text; a comma after one is a word of its own."""
    return re.sub(r",(?=\s|$)", " ,", text).split()[:_MOST_WORDS]


def _pieces(words: Sequence[str], kind: str) -> Iterator[tuple[str, bool]]:
    """Pieces with these words; commas between them are not marked."""
    for is_comma, part in groupby(words, ",".__eq__):
        yield " ".join(part), kind != "equal" and not is_comma


def _people(paper: Paper) -> str:
    more = len(paper.authors) - _MOST_AUTHORS
    listed = names(paper.authors[:_MOST_AUTHORS])
    if listed and paper.has_more_authors:
        return tr("{names} et al.", names=listed)
    if more <= 0:
        return listed
    return trn("{names} and {n:,} more", "{names} and {n:,} more", more, names=listed)


def _identifiers(paper: Paper) -> str:
    listed = ((_IDENTIFIERS.get(kind, kind), value) for kind, value in paper.written_identifiers)
    return ", ".join(f"{name}: {value}" for name, value in listed)


def _origin(side: PairMember) -> str:
    paper = side.paper
    name = _SOURCE_NAMES.get(paper.source, paper.source)
    source = " ".join(filter(None, (name, paper.source_id)))
    brought = (what.replace("\\", "/").rsplit("/", 1)[-1] for what in side.came)
    return " · ".join(dict.fromkeys(filter(None, (source, *brought))))


def _added(side: PairMember) -> str:
    return format_moment(datetime.fromtimestamp(side.added)) if side.added else ""


def _yours(side: PairMember) -> str:
    notes = trn("{n} note", "{n} notes", side.notes) if side.notes else ""
    marks = (trc("a paper", "read") if side.read else "", "★" * side.rating, notes)
    return " · ".join(filter(None, (*marks, *side.tags, *side.collections)))


_FIELDS: tuple[tuple[str, str, Callable[[Paper], str]], ...] = (
    ("title", tr("Title"), lambda paper: readable(paper.title)),
    ("authors", tr("Authors"), _people),
    ("published", tr("Date"), lambda paper: paper.published),
    # Translators: the journal or conference
    ("venue", tr("Venue"), lambda paper: paper.venue),
    ("kind", tr("Type"), lambda paper: KIND_NAMES.get(paper.kind, paper.kind)),
    ("identifiers", tr("Identifiers"), _identifiers),
    ("abstract", tr("Abstract"), lambda paper: paper.abstract),
    ("keywords", tr("Keywords"), lambda paper: ", ".join(paper.keywords)),
)
_FACTS: tuple[tuple[str, Callable[[PairMember], str]], ...] = (
    (tr("Files"), lambda side: ", ".join(side.paper.files)),
    # Translators: the source of a paper and the files that it was imported from
    (tr("Source"), _origin),
    (tr("Added"), _added),
    # Translators: the read state, rating, notes, tags and collections of a paper
    (tr("Notes and tags"), _yours),
)
LINES = (*((field, name) for field, name, _ in _FIELDS), *(("", name) for name, _ in _FACTS))
