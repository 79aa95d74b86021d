"""MEDLINE's text format (.nbib), in which PubMed saves citations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sciread_app.domain.metadata.identifiers import doi_as_written, identifiers
from sciread_app.domain.paper import Author, Identifier, Paper, Skipped
from sciread_app.formats.files.streams import decoded, open_bytes
from sciread_app.formats.pubmed import fields as medline
from sciread_app.formats.values import dates
from sciread_app.language import tr
from trainer.contract.files import numbered_lines

NAME = "nbib"
SUFFIXES = (".nbib", ".medline", ".txt")

_LINE = re.compile(r"([A-Z][A-Z0-9]{1,4}) *- ?(.*)")
_ONCE = frozenset(("PMID", "TI", "OWN", "STAT"))
_ID = re.compile(r"(\S+)\s*\[(\w+)\]")
_PMID = re.compile(r"PMID:\s*(\d+)")
_ISSN = re.compile(r"\d{4}-\d{3}[\dXx]")
_SUFFIX = re.compile(r"Jr|Sr|2nd|3rd|4th|II|III|IV")
_LINKS = {
    "CIN": "comment_in",
    "CON": "comment_on",
    "CRF": "corrected_and_republished_from",
    "CRI": "corrected_and_republished_in",
    "ECF": "expression_of_concern_for",
    "ECI": "expression_of_concern_in",
    "EIN": "erratum_in",
    "EFR": "erratum_for",
    "RIN": "retraction_in",
    "ROF": "retraction_of",
    "RPF": "republished_from",
    "RPI": "republished_in",
    "RRF": "retracted_and_republished_from",
    "RRI": "retracted_and_republished_in",
    "UIN": "update_in",
    "UOF": "update_of",
}
_KEPT = {
    "VI": "volume",
    "IP": "number",
    "TA": "shortjournal",
    "LA": "language",
    "TT": "origtitle",
    "CI": "copyright",
    "CTI": "series",
    "PB": "publisher",
    "EN": "edition",
    "GR": "grants",
    "AD": "affiliations",
}


class NbibField(NamedTuple):
    tag: str
    text: str


class NbibRecord(NamedTuple):
    line: int
    fields: list[NbibField]

    def all(self, tag: str) -> list[str]:
        return [field.text for field in self.fields if field.tag == tag]

    def first(self, *tags: str) -> str:
        """The first text under the first of these tags that has one."""
        return next((text for tag in tags for text in self.all(tag) if text), "")


def read(path: Path) -> Iterator[Paper | Skipped]:
    """Every paper in the file, and the records that could not be read."""
    empty = True
    for record in _records(path):
        empty = False
        yield _paper(record, path)
    if empty:
        yield Skipped(str(path), "", tr("The file contains no records in MEDLINE format."))


def _records(path: Path) -> Iterator[NbibRecord]:
    """The records. One starts at its PMID, or after a blank line where a field is repeated."""
    record, blank = NbibRecord(1, []), False
    with open_bytes(path) as stream:
        for number, line in numbered_lines(stream):
            text = decoded(line).rstrip()
            match = _LINE.match(text)
            if match:
                if not record.fields:
                    record = NbibRecord(number, [])
                elif _begins(match[1], record, blank):
                    yield record
                    record = NbibRecord(number, [])
                record.fields.append(NbibField(match[1], match[2].strip()))
                blank = False
            elif not text:
                blank = True
            elif record.fields and text[0].isspace() and not blank:
                tag, start = record.fields[-1]
                record.fields[-1] = NbibField(tag, f"{start} {text.strip()}")
    if record.fields:
        yield record


def _begins(tag: str, record: NbibRecord, blank: bool) -> bool:
    return tag in _ONCE and (blank or tag == "PMID") and bool(record.all(tag))


def _paper(record: NbibRecord, path: Path) -> Paper | Skipped:
    pmid = record.first("PMID").partition(" ")[0]
    title = medline.title_of(record.first("TI")) or medline.title_of(record.first("TT", "BTI"))
    abstract, notice = medline.abstract_of(record.first("AB", "OAB"))
    if not title and not abstract:
        why = tr("This record has neither a title nor an abstract.")
        return Skipped(str(path), pmid or tr("Line {number}", number=record.line), why)
    extra = _extra(record)
    if notice:
        extra.setdefault("copyright", notice)
    known = _identifiers(record, pmid)
    extra |= doi_as_written(known, *(value for value, kind in _ids(record) if kind == "doi"))
    return Paper(
        title=title,
        abstract=abstract,
        authors=_authors(record),
        kind=_kind(record),
        published=dates.parse(record.first("DP", "DEP")),
        venue=record.first("JT", "TA"),
        identifiers=known,
        fields=medline.major_first(_heading(text) for text in record.all("MH")),
        keywords=tuple(dict.fromkeys(text.lstrip("*") for text in record.all("OT"))),
        extra=extra,
        source="pubmed",
        source_id=pmid,
    )


def _kind(record: NbibRecord) -> str:
    if record.first("BTI"):
        return "chapter" if record.first("TI") else "book"
    return medline.kind_of(record.all("PT"))


def _identifiers(record: NbibRecord, pmid: str) -> tuple[Identifier, ...]:
    found = [("pmid", pmid), ("pmcid", record.first("PMC"))]
    found += [("doi", value) for value, kind in _ids(record) if kind == "doi"]
    found += [("isbn", text.rpartition("ISBN ")[2].split(" ")[0]) for text in record.all("ISBN")]
    return identifiers(*found)


def _ids(record: NbibRecord) -> list[tuple[str, str]]:
    texts = record.all("LID") + record.all("AID")
    return [(match[1], match[2].lower()) for text in texts if (match := _ID.match(text))]


def _authors(record: NbibRecord) -> tuple[Author, ...]:
    """Full names where there are any; a short name follows the full one it abbreviates."""
    found: list[Author] = []
    before = ""
    for tag, text in record.fields:
        if tag == "FAU" and text:
            found.append(_full(text))
        elif tag == "AU" and before != "FAU" and text:
            found.append(_short(text))
        elif tag == "CN" and text:
            found.append(Author(text, literal=True))
        before = tag
    return tuple(found)


def _full(name: str) -> Author:
    """ "Williams, J H Jr"."""
    family, _, given = name.partition(",")
    words = given.split()
    suffix = words.pop() if len(words) > 1 and _SUFFIX.fullmatch(words[-1]) else ""
    return medline.author(family.strip(), " ".join(words), suffix)


def _short(name: str) -> Author:
    """ "Williams JH Jr"."""
    words = name.split()
    suffix = words.pop() if len(words) > 2 and _SUFFIX.fullmatch(words[-1]) else ""
    initials = words.pop() if len(words) > 1 and words[-1].isupper() and len(words[-1]) < 4 else ""
    return medline.author(" ".join(words), " ".join(initials), suffix)


def _heading(text: str) -> tuple[str, bool]:
    return text.partition("/")[0].lstrip("*"), "*" in text


def _extra(record: NbibRecord) -> dict[str, str]:
    extra = {name: "; ".join(dict.fromkeys(record.all(tag))) for tag, name in _KEPT.items()}
    extra["pages"] = medline.pages_of(record.first("PG"))
    extra["publication_types"] = "; ".join(record.all("PT"))
    extra["pii"] = next((value for value, kind in _ids(record) if kind == "pii"), "")
    if issn := _ISSN.search(record.first("IS")):
        extra["issn"] = issn[0]
    if record.first("TI"):
        extra["booktitle"] = record.first("BTI")
    for tag, name in _LINKS.items():
        linked = [_PMID.search(text) for text in record.all(tag)]
        extra[name] = " ".join(match[1] for match in linked if match)
    return {name: text for name, text in extra.items() if text}
