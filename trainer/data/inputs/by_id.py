"""SPECTER's metadata.json and data.json, and SciDocs' metadata: JSON objects with a key per paper.

They may have gigabytes; only one paper's entry is in memory at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainer.data.corpus.records import CitedIds, InputRecord, RecordProblem
from trainer.data.inputs.json_stream import BadJson, entries
from trainer.data.inputs.source import Source
from trainer.data.inputs.values import no_values, text, texts, year

# In data.json, 5 means that the query cites a paper, 1 that a paper cited by the query does
# (allenai/specter, issue 3).
_CITED = 5


def read_papers(source: Source) -> Iterator[InputRecord | RecordProblem]:
    """Iterate over the papers of SPECTER's metadata.json or one of SciDocs'
    paper_metadata_*.json."""
    for key, value in _entries(source):
        if isinstance(value, RecordProblem):
            yield value
        elif not isinstance(value, dict):
            yield RecordProblem(key, "This entry does not describe a paper.")
        else:
            record = InputRecord(
                id=text(value.get("paper_id")) or key,
                title=text(value.get("title")),
                abstract=text(value.get("abstract")),
                year=year(value.get("year")),
                venue=text(value.get("venue")),
                cites=texts(value.get("references")),
                no_values=no_values(title=value.get("title"), abstract=value.get("abstract")),
            )
            named = record.title or record.abstract
            yield (
                record
                if named
                else RecordProblem(key, "This paper has neither a title nor an abstract.")
            )


def read_counts(source: Source) -> Iterator[CitedIds | RecordProblem]:
    """Iterate over the citations, direct and second-hand, of SPECTER's data.json."""
    for key, value in _entries(source):
        if isinstance(value, RecordProblem):
            yield value
        elif not isinstance(value, dict):
            yield RecordProblem(key, "This entry does not list papers.", paper=False)
        else:
            counts = {other: _count(found) for other, found in value.items()}
            yield CitedIds(
                key,
                tuple(other for other, count in counts.items() if count >= _CITED),
                tuple(other for other, count in counts.items() if 0 < count < _CITED),
            )
            if wrong := sum(count <= 0 for count in counts.values()):
                yield RecordProblem(
                    key, f"{wrong:,} of the listed papers have no count.", paper=False
                )


def _entries(source: Source) -> Iterator[tuple[str, Any]]:
    number = 0
    try:
        for key, value in entries(source.pieces()):
            yield key, value
            number += 1
    except BadJson as error:
        yield "", RecordProblem(f"entry {number + 1}", str(error))


def _count(value: Any) -> int:
    count = value.get("count") if isinstance(value, dict) else value
    return count if isinstance(count, int) else 0
