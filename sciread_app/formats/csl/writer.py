"""Writer of CSL-JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, TextIO

from sciread_app.domain.metadata.identifiers import other_fields
from sciread_app.domain.paper import Author, Paper
from sciread_app.formats.csl.fields import (
    DATES,
    NUMBERED_KINDS,
    PEOPLE,
    SAME,
    VARIABLES,
    kind_of,
)
from sciread_app.formats.values import dates, keywords, names
from sciread_app.formats.values.institutions import as_publisher, is_institution, thesis_type
from sciread_app.formats.values.markup import escaped


def write(papers: Iterable[Paper], stream: TextIO) -> None:
    """Write a list of items, one by one, deterministically."""
    between = "[\n"
    for number, paper in enumerate(papers, start=1):
        stream.write(between + json.dumps(item(paper, number), ensure_ascii=False, indent=2))
        between = ",\n"
    stream.write("[]\n" if between == "[\n" else "\n]\n")


def item(paper: Paper, number: int) -> dict[str, Any]:
    """A paper as a CSL-JSON item.

    CSL cannot say that a list of names is truncated, and a placeholder would become a person of
    this name. So `custom` says it, as BibTeX's fields do.
    """
    original = paper.extra.get("csltype", "")
    item: dict[str, Any] = {
        "id": paper.identifier("citekey") or str(number),
        "type": original if original and kind_of(original) == paper.kind else paper.kind,
        "title": escaped(paper.title),
        "author": [_name(author) for author in paper.authors],
        "container-title": escaped(paper.venue),
        "issued": _issued(paper),
        "abstract": escaped(paper.abstract),
        "keyword": keywords.join(map(escaped, paper.keywords)),
    }
    item["publisher"], by_name = as_publisher(paper.kind, paper.extra)
    custom: dict[str, Any] = {"fields": list(paper.fields), "files": list(paper.files), **by_name}
    dated = () if paper.published else ("year",)
    if paper.published and len(item["issued"]["date-parts"]) > 1:
        dated = ("date",)
    fields = other_fields(paper)
    for name in sorted(fields.keys() - {"csltype", *dated}):
        if not is_institution(paper.kind, name):
            _put(item, custom, paper.kind, name, fields[name])
    if genre := thesis_type(paper):
        item.setdefault("genre", genre)
    _put_identifiers(item, custom, paper)
    item["custom"] = {name: value for name, value in custom.items() if value}
    return {name: value for name, value in item.items() if value}


def _name(author: Author) -> dict[str, str]:
    if author.literal:
        return {"literal": author.family}
    name = {
        "family": author.family,
        "given": author.given,
        "non-dropping-particle": author.particle,
        "suffix": author.suffix,
    }
    return {part: text for part, text in name.items() if text}


def _issued(paper: Paper) -> dict[str, Any]:
    if not paper.published:
        words = paper.extra.get("year")
        return {"literal": words} if words else {}
    begin, _, end = paper.extra.get("date", "").partition("/")
    ends = end and begin == paper.published and dates.parse(end) == end
    return _date_parts(paper.published, *([end] if ends else []))


def _date_parts(*iso_dates: str) -> dict[str, Any]:
    return {"date-parts": [[int(part) for part in date.split("-")] for date in iso_dates]}


def _put(item: dict[str, Any], custom: dict[str, Any], kind: str, name: str, text: str) -> None:
    """Set a field of `extra` under its CSL name, or under `custom` if it has none."""
    variable = VARIABLES.get(name, name)
    if name == "number" and kind in NUMBERED_KINDS:
        variable = "number"
    if variable in DATES and (date := dates.parse(text)) and date == text:
        item[variable] = _date_parts(date)
    elif variable in PEOPLE:
        people, more = names.split_people(text)
        item[variable] = [_name(names.from_plain(person)) for person in people]
        if more:
            custom[name] = text
    elif variable not in DATES and (name in VARIABLES or name in SAME):
        item[variable] = text
    else:
        custom[name] = text


def _put_identifiers(item: dict[str, Any], custom: dict[str, Any], paper: Paper) -> None:
    named: Mapping[str, str] = {"pmid": "PMID", "pmcid": "PMCID"}
    item |= {variable: paper.identifier(kind) for kind, variable in named.items()}
    item["DOI"] = paper.written_doi
    isbns = [value for kind, value in paper.identifiers if kind == "isbn"]
    item["ISBN"] = " ".join(isbns)
    item["citation-key"] = paper.identifier("citekey")
    if arxiv := paper.identifier("arxiv"):
        if "number" in item:
            custom["arxiv"] = arxiv
        else:
            item["number"] = f"arXiv:{arxiv}"
        if paper.kind == "article":
            item["publisher"] = item["publisher"] or "arXiv"
    custom["identifiers"] = _further(paper)


def _further(paper: Paper) -> list[str]:
    """Identifiers after the first of their kind, for which CSL has no variable."""
    first = {kind: paper.identifier(kind) for kind, _ in paper.identifiers}
    return [
        f"{kind}:{value}"
        for kind, value in paper.identifiers
        if kind != "isbn" and value != first[kind]
    ]
