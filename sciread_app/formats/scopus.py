"""Scopus's export as a table (CSV)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from sciread_app.domain.metadata.identifiers import DOI_IN_TEXT, identifiers
from sciread_app.domain.paper import Author, Paper, Skipped
from sciread_app.formats.files.tables import Row, rows
from sciread_app.formats.ris import record
from sciread_app.formats.ris.record import Fields
from sciread_app.formats.values import names
from sciread_app.language import tr

NAME = "scopus"
SUFFIXES = (".csv",)

# Columns by the RIS tag with the same meaning.
_TAGS = {
    "Title": "TI", "Source title": "T2", "Year": "PY", "Volume": "VL", "Issue": "IS",
    "Page start": "SP", "Page end": "EP", "DOI": "DO", "Abstract": "AB", "Publisher": "PB",
    "ISSN": "SN", "ISBN": "BN", "Language of Original Document": "LA", "Link": "UR",
    "Abbreviated Source Title": "JA", "Author Keywords": "KW", "Index Keywords": "KW",
}  # fmt: skip
# Columns under names of their own in `Paper.extra`.
_EXTRA = {
    "Document Type": "publication_types", "Affiliations": "affiliations",
    "Funding Details": "grants", "Conference name": "eventtitle",
    "Conference location": "event-place",
}  # fmt: skip
_TYPES = {
    "conference paper": "CPAPER", "conference review": "CPAPER", "book": "BOOK",
    "book chapter": "CHAP", "report": "RPRT", "dataset": "DATA",
}  # fmt: skip
_NONE = re.compile(r"\[No .+ available\]", re.I)
_NUMBER = re.compile(r"\s*\(\d+\)$")  # Scopus's own of an author
# "Lee A.B." and "van der Berg J.-P., Jr.": what is after the last blank are initials.
_INITIALS = re.compile(r"([^,]+?),?\s+((?:[^\W\d_]{1,3}\.-?)+)(?:,?\s*(Jr\.?|Sr\.?|I{2,3}|IV))?")
# Names in one list, separated by commas.
_BETWEEN = re.compile(r"(?<=\.),(?!\s*(?:Jr|Sr|I{2,3}|IV)\b)")


def read(path: Path) -> Iterator[Paper | Skipped]:
    """Every paper in the file, and the rows that could not be read."""
    for number, row in rows(path):
        if isinstance(row, Skipped):
            yield row
        else:
            yield _paper(row) or _without_title(row, number, path)


def _paper(row: Row) -> Paper | None:
    row = {name: text for name, text in row.items() if text and not _NONE.fullmatch(text)}
    document = row.get("Document Type", "").lower()
    fields: Fields = {"TY": [_TYPES.get(document, "JOUR")]}
    for column, tag in _TAGS.items():
        if column in row:
            fields.setdefault(tag, []).append(row[column])
    if "SP" not in fields and "Art. No." in row:
        fields["SP"] = [row["Art. No."]]
    if pmid := row.get("PubMed ID"):
        fields["U1"] = [f"{pmid.removesuffix('.0')}[pmid]"]
    paper = record.paper(fields, (), "scopus")
    if paper is None:
        return None
    extra = dict(paper.extra) | {
        name: row[column] for column, name in _EXTRA.items() if column in row
    }
    if document == "retracted":
        extra["publication_types"] = "Retracted Publication"
    cited = identifiers(*(("doi", doi) for doi in DOI_IN_TEXT.findall(row.get("References", ""))))
    if cited:
        extra["references"] = " ".join(":".join(one) for one in cited)
    if editors := _people(row.get("Editors", "")):
        extra["editor"] = " and ".join(map(names.to_plain, editors))
    return replace(paper, authors=_authors(row), extra=extra, source_id=row.get("EID", ""))


def _without_title(row: Row, number: int, path: Path) -> Skipped:
    why = tr("Line {number}: the row has no title. Export it again with titles.", number=number)
    return Skipped(str(path), row.get("EID") or row.get("DOI", ""), why)


def _authors(row: Row) -> tuple[Author, ...]:
    """The full names, where the export has them for all authors."""
    short = _people(row.get("Authors", ""))
    full = _people(row.get("Author full names", ""))
    return full if len(full) >= len(short) else short


def _people(text: str) -> tuple[Author, ...]:
    """The names in a list: "Lee A.B.; Roy C." or "Lee, Ann B. (123); Roy, Cy (45)" or, in exports
    before 2023, "Lee A.B., Roy C."."""
    parts = text.split(";")
    if len(parts) == 1 and not _NUMBER.search(text):
        parts = _BETWEEN.split(text)
    return tuple(
        _person(part) for part in (_NUMBER.sub("", part.strip()) for part in parts) if part
    )


def _person(name: str) -> Author:
    match = _INITIALS.fullmatch(name)
    return names.from_plain(", ".join(filter(None, match.groups())) if match else name)
