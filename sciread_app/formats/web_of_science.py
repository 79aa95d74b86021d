"""Web of Science's exports: tagged ("plain text", .ciw) and tab-delimited, with the same tags."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

from sciread_app.domain.metadata.identifiers import identifier
from sciread_app.domain.paper import Paper, Skipped
from sciread_app.formats.files.encoding import open_text
from sciread_app.formats.ris import record
from sciread_app.formats.ris.record import Fields
from sciread_app.language import tr

NAME = "web_of_science"
SUFFIXES = (".ciw", ".isi")

_LINE = re.compile(r"([A-Z][A-Z0-9])(?: (.*)|$)")
# Tags of RIS with the same meaning; those of other meaning are converted below.
_TAGS = {
    "TI": "TI", "SO": "T2", "SE": "T3", "LA": "LA", "DI": "DO", "AB": "AB", "PU": "PB",
    "PI": "CY", "SN": "SN", "EI": "SN", "BN": "BN", "JI": "JA", "PY": "PY", "PD": "DA",
    "VL": "VL", "IS": "IS", "UT": "AN",
}  # fmt: skip
# Fields under names of their own in `Paper.extra`.
_EXTRA = {
    "DT": "publication_types", "C1": "affiliations", "FU": "grants", "CT": "eventtitle",
    "CL": "event-place", "EA": "early_access", "SU": "supplement-number", "PN": "part-number",
}  # fmt: skip
# One value on each line of the tagged format, and between semicolons of the table. Other texts
# are broken wherever a line is full.
_LISTS = frozenset(("AU", "AF", "BA", "BF", "BE", "ED", "CA", "GP", "C1", "CR"))
_BRACKETS = re.compile(r";\s*(?![^\[\]]*\])")  # in addresses, "[Lee, A; Roy, B] Univ X"
_DOI = re.compile(r"\bDOI \[?(10\.\d{4,9}/[^\s,;\]]+)", re.I)
_BOOK_TYPES = {"book chapter": "CHAP", "proceedings paper": "CPAPER", "meeting abstract": "CPAPER"}
_TYPES = {"J": "JOUR", "B": "BOOK", "P": "PAT", "D": "DATA", "C": "CPAPER"}


def read(path: Path) -> Iterator[Paper | Skipped]:
    """Every paper in the file, and the records that could not be read."""
    with open_text(path) as stream:
        first = next(stream, "")
        lines = chain([first], stream)
        for number, fields in (_rows if "\t" in first else _records)(lines):
            yield _paper(fields) or _without_title(fields, number, path)


def _records(lines: Iterable[str]) -> Iterator[tuple[int, Fields]]:
    """Each record of the tagged format with the number of its first line.

    A record ends with ER, or with the next PT where that is missing.
    """
    fields: Fields = {}
    values: list[str] | None = None
    first = 0
    for number, line in enumerate(lines, start=1):
        line = line.lstrip("\ufeff").rstrip()
        match = _LINE.match(line)
        if not match:
            if values is not None and line[:1].isspace():
                values.append(line.strip())
            continue
        tag = match[1]
        if tag == "ER" or (tag == "PT" and fields):
            if fields:
                yield first, _joined(fields)
            fields, values = {}, None
        if tag in ("FN", "VR", "ER", "EF"):
            values = None
            continue
        if not fields:
            first = number
        values = fields.setdefault(tag, [])
        values.append((match[2] or "").strip())
    if fields:
        yield first, _joined(fields)


def _joined(fields: Fields) -> Fields:
    return {
        tag: values if tag in _LISTS else [" ".join(values).strip()]
        for tag, values in fields.items()
    }


def _rows(lines: Iterable[str]) -> Iterator[tuple[int, Fields]]:
    """Each row of the table with its number. Quotation marks are text there, unless a
    spreadsheet has saved the table again."""
    tags: list[str] = []
    for number, line in enumerate(lines, start=1):
        cells = [_unquoted(cell) for cell in line.lstrip("\ufeff").rstrip("\r\n").split("\t")]
        if not tags:
            tags = cells
        elif fields := {
            tag: _cell(tag, cell) for tag, cell in zip(tags, cells, strict=False) if tag and cell
        }:
            yield number, fields


def _unquoted(cell: str) -> str:
    cell = cell.strip()
    inner = cell[1:-1].replace('""', "")
    if len(cell) > 1 and cell[0] == cell[-1] == '"' and '"' not in inner:
        return cell[1:-1].replace('""', '"')
    return cell


def _cell(tag: str, cell: str) -> list[str]:
    if tag not in _LISTS:
        return [cell]
    return [part for part in _BRACKETS.split(cell) if part]


def _paper(fields: Fields) -> Paper | None:
    """The paper of a record in the tags of Web of Science."""
    found: Fields = {"TY": [_type(fields)], "AU": _people(fields, ("AU", "AF"), ("BA", "BF"))}
    found["AU"] += [f"{name.rstrip(',')}," for tag in ("CA", "GP") for name in fields.get(tag, ())]
    found["A2"] = _people(fields, ("BE", "BE"), ("ED", "ED"))
    for theirs, ris in _TAGS.items():
        if values := [value for value in fields.get(theirs, ()) if value]:
            found.setdefault(ris, []).extend(values)
    found["KW"] = [text for tag in ("DE", "ID") for text in fields.get(tag, ())]
    found["U1"] = [f"{pmid}[pmid]" for pmid in fields.get("PM", ())]
    if pages := "-".join(dict.fromkeys(_first(fields, tag) for tag in ("BP", "EP"))).strip("-"):
        found["SP"] = [pages]
    elif number := _first(fields, "AR"):
        found["SP"] = [number]
    paper = record.paper({tag: values for tag, values in found.items() if values}, (), "wos")
    if paper is None:
        return None
    extra = {name: "; ".join(filter(None, fields.get(tag, ()))) for tag, name in _EXTRA.items()}
    extra["references"] = _references(fields.get("CR", ()))
    areas = ";".join(fields.get("WC") or fields.get("SC") or ())
    return replace(
        paper,
        fields=tuple(dict.fromkeys(filter(None, map(str.strip, areas.split(";"))))),
        extra={**paper.extra, **{name: text for name, text in extra.items() if text}},
        source_id=_first(fields, "UT"),
    )


def _without_title(fields: Fields, number: int, path: Path) -> Skipped:
    entry = _first(fields, "UT") or _first(fields, "DI")
    why = tr(
        "Line {number}: the record has no title (TI). Export it again with its title.",
        number=number,
    )
    return Skipped(str(path), entry, why)


def _first(fields: Fields, tag: str) -> str:
    return next(iter(fields.get(tag, ())), "")


def _people(fields: Fields, *tags: tuple[str, str]) -> list[str]:
    """The names under these tags, in full where all are given in full."""
    found: list[str] = []
    for short, full in tags:
        names = [name for name in fields.get(short, ()) if name]
        in_full = [name for name in fields.get(full, ()) if name]
        found += in_full if len(in_full) >= len(names) else names
    return list(dict.fromkeys(found)) if len(tags) > 1 else found


def _type(fields: Fields) -> str:
    """The RIS type. A proceedings paper with PT J has appeared in a journal."""
    kind, document = _first(fields, "PT"), _first(fields, "DT").lower()
    if kind not in ("J", "P", "D"):
        for name, ris_type in _BOOK_TYPES.items():
            if name in document:
                return ris_type
    if kind == "S":
        return "CHAP" if _first(fields, "BP") else "BOOK"
    return _TYPES.get(kind, "JOUR")


def _references(lines: Iterable[str]) -> str:
    """The references that have a DOI, as "doi:10.1/x doi:10.1/y"."""
    texts = chain.from_iterable(_DOI.findall(line) for line in lines)
    found = (identifier("doi", text) for text in texts)
    return " ".join(dict.fromkeys(":".join(one) for one in found if one))
