"""Papers as one JSON object a line: SciRead's own, and the snapshot of all arXiv metadata."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from trainer.data.inputs.source import LONGEST_LINE, Source, numbered_lines
from trainer.data.inputs.values import (
    arxiv_id,
    first,
    no_values,
    text,
    texts,
    venue_of,
    words,
    year,
)
from trainer.data.record import Problem, Record

_OF_SNAPSHOT = frozenset(("authors_parsed", "journal-ref", "update_date", "versions"))


def read(source: Source) -> Iterator[Record | Problem]:
    """Every paper in the file, and what was wrong with the lines that hold none."""
    with source.open() as stream:
        for number, line in numbered_lines(stream):
            if found := line.strip():
                yield _line(found, f"line {number}")


def paper(record: Mapping[str, Any], entry: str) -> Record | Problem:
    """The paper that a JSON object describes; `entry` names it where it has no id."""
    found = _of_snapshot(record) if _OF_SNAPSHOT & record.keys() else _ours(record)
    if not (found.title or found.abstract):
        return Problem(found.id or entry, "This paper has neither a title nor an abstract.")
    return found


def _line(line: bytes, entry: str) -> Record | Problem:
    if len(line) >= LONGEST_LINE:
        return Problem(entry, f"The line is longer than {LONGEST_LINE >> 20} MB.")
    try:
        record = json.loads(line.decode("utf-8", "replace").removeprefix("\ufeff"))
    except ValueError as error:
        return Problem(entry, f"The line is not valid JSON: {error}.")
    except RecursionError:
        return Problem(entry, "The line nests deeper than any paper does.")
    if not isinstance(record, dict):
        return Problem(entry, "The line holds no JSON object.")
    return paper(record, entry)


def _ours(record: Mapping[str, Any]) -> Record:
    extra = record.get("extra")
    cited = text(extra.get("references")).split() if isinstance(extra, dict) else ()
    return Record(
        id=text(first(record, "id", "paper_id")),
        title=text(record.get("title")),
        abstract=text(first(record, "abstract", "abstr")),
        year=year(*(record.get(name) for name in ("created", "published", "date", "year"))),
        venue=text(first(record, "venue", "journal")),
        fields=(*texts(record.get("primary")), *words(first(record, "categories", "field"))),
        labels=texts(first(record, "labels", "mesh")),
        questions=(*texts(record.get("question")), *texts(record.get("tldr"))),
        cites=(*texts(first(record, "cites", "references")), *cited),
        no_values=no_values(title=record.get("title"), abstract=first(record, "abstract", "abstr")),
    )


def _of_snapshot(record: Mapping[str, Any]) -> Record:
    versions = record.get("versions")
    began = versions[0] if isinstance(versions, list) and versions else {}
    created = began.get("created") if isinstance(began, dict) else ""
    name = text(record.get("id"))
    return Record(
        id=arxiv_id(name) if name else "",
        title=text(record.get("title")),
        abstract=text(record.get("abstract")),
        year=year(created, record.get("update_date")),
        venue=venue_of(text(record.get("journal-ref"))),
        fields=words(record.get("categories")),
        no_values=no_values(title=record.get("title"), abstract=record.get("abstract")),
    )
