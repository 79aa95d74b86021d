"""The snapshot of all arXiv metadata offered on Kaggle: one JSON object per line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sciread_app.domain.paper import Author, Paper, Skipped
from sciread_app.formats.arxiv import fields as arxiv_record
from sciread_app.formats.files.json_lines import objects, string
from sciread_app.formats.values.author_list import authors, split_particle
from sciread_app.formats.values.markup import prose
from sciread_app.language import tr

NAME = "arxiv_snapshot"
SUFFIXES = (".json",)

_KEPT = {
    "comments": "comment",
    "journal-ref": "journal_ref",
    "report-no": "number",
    "license": "license",
    "submitter": "submitter",
}


def read(path: Path) -> Iterator[Paper | Skipped]:
    """Every paper in the file, and the lines that could not be read."""
    for number, line in objects(path):
        yield line if isinstance(line, Skipped) else _paper(line, path, number)


def _paper(record: dict[str, Any], path: Path, number: int) -> Paper | Skipped:
    arxiv_id = string(record.get("id"))
    title = prose(string(record.get("title")))
    if not arxiv_id or not title:
        why = tr("This line has no title.") if arxiv_id else tr("This line has no arXiv ID.")
        return Skipped(str(path), arxiv_id or tr("Line {number}", number=number), why)
    abstract = prose(string(record.get("abstract")))
    created, version = _history(record)
    extra = {name: prose(string(record.get(key))) for key, name in _KEPT.items()}
    extra["version"] = version
    return arxiv_record.paper(
        arxiv_id,
        title,
        abstract,
        authors=_authors(record),
        published=created,
        dois=string(record.get("doi")),
        fields=tuple(string(record.get("categories")).split()),
        extra=extra,
    )


def _history(record: dict[str, Any]) -> tuple[str, str]:
    """The date of the first version, and the number of the newest."""
    listed = record.get("versions")
    versions = [v for v in listed if isinstance(v, dict)] if isinstance(listed, list) else []
    if not versions:
        return string(record.get("update_date")), ""
    created = arxiv_record.day_of(string(versions[0].get("created")))
    return created, string(versions[-1].get("version")).removeprefix("v")


def _authors(record: dict[str, Any]) -> tuple[Author, ...]:
    """The authors from `authors_parsed`, in which arXiv has already split names and
    affiliations."""
    parsed = record.get("authors_parsed")
    if not isinstance(parsed, list):
        return authors(record.get("authors"))
    found: list[Author] = []
    for parts in parsed:
        if not isinstance(parts, list):
            return authors(record.get("authors"))
        family, given, suffix = ([prose(string(part)) for part in parts] + ["", "", ""])[:3]
        if given:
            particle, family = split_particle(family)
            found.append(Author(family, given, particle, suffix))
        elif family:
            found += authors(family)
    return tuple(found)
