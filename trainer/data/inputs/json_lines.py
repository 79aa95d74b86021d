"""Papers as one JSON object per line: SciRead's own format, and the snapshot of arXiv metadata."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from trainer.contract.files import LONGEST_LINE, numbered_lines
from trainer.data.corpus.records import InputRecord, RecordProblem
from trainer.data.inputs.source import Source
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

_OF_SNAPSHOT = frozenset(("authors_parsed", "journal-ref", "update_date", "versions"))


def read(source: Source) -> Iterator[InputRecord | RecordProblem]:
    """Iterate over the papers in the file, and the problems of unreadable lines."""
    with source.open() as stream:
        for number, line in numbered_lines(stream):
            if line := line.strip():
                found = paper_of_line(line, f"line {number}")
                if isinstance(found, InputRecord) and not source.full_text:
                    found = found._replace(full_text="")
                yield found


def paper(record: Mapping[str, Any], entry: str) -> InputRecord | RecordProblem:
    """Return the paper described by a JSON object; `entry` names it in messages if it has no id."""
    found = _of_snapshot(record) if _OF_SNAPSHOT & record.keys() else _ours(record)
    if not (found.title or found.abstract):
        return RecordProblem(found.id or entry, "This paper has neither a title nor an abstract.")
    return found


def paper_of_line(line: bytes, entry: str) -> InputRecord | RecordProblem:
    """Return the paper described by a line; `entry` names it in messages if it has no id."""
    if len(line) >= LONGEST_LINE:
        return RecordProblem(entry, f"The line is longer than {LONGEST_LINE >> 20} MB.")
    try:
        record = json.loads(line.decode("utf-8", "replace").removeprefix("\ufeff"))
    except ValueError as error:
        return RecordProblem(entry, f"The line is not valid JSON: {error}.")
    except RecursionError:
        return RecordProblem(entry, "The line is too deeply nested.")
    if not isinstance(record, dict):
        return RecordProblem(entry, "The line is not a JSON object.")
    return paper(record, entry)


def _ours(record: Mapping[str, Any]) -> InputRecord:
    extra = record.get("extra")
    cited = text(extra.get("references")).split() if isinstance(extra, dict) else ()
    return InputRecord(
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
        full_text="\n\n".join(texts(record.get("full_text"))),
    )


def _of_snapshot(record: Mapping[str, Any]) -> InputRecord:
    versions = record.get("versions")
    began = versions[0] if isinstance(versions, list) and versions else {}
    created = began.get("created") if isinstance(began, dict) else ""
    name = text(record.get("id"))
    return InputRecord(
        id=arxiv_id(name) if name else "",
        title=text(record.get("title")),
        abstract=text(record.get("abstract")),
        year=year(created, record.get("update_date")),
        venue=venue_of(text(record.get("journal-ref"))),
        fields=words(record.get("categories")),
        no_values=no_values(title=record.get("title"), abstract=record.get("abstract")),
    )
