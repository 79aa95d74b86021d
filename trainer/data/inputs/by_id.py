"""SPECTER's metadata.json and data.json, and SciDocs' metadata: JSON objects with a key a paper.

They may have gigabytes; only one paper's entry is in memory at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainer.data.inputs.json_stream import BadJson, entries
from trainer.data.inputs.source import Source
from trainer.data.inputs.values import no_values, text, texts, year
from trainer.data.record import Citations, Problem, Record

# In data.json: 5 says that the query cites a paper, 1 that a paper which it cites does
# (allenai/specter, issue 3).
_CITED = 5


def read_papers(source: Source) -> Iterator[Record | Problem]:
    """Papers of SPECTER's metadata.json or one of SciDocs' paper_metadata_*.json."""
    for key, value in _entries(source):
        if isinstance(value, Problem):
            yield value
        elif not isinstance(value, dict):
            yield Problem(key, "This entry describes no paper.")
        else:
            record = Record(
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
                record if named else Problem(key, "This paper has neither a title nor an abstract.")
            )


def read_counts(source: Source) -> Iterator[Citations | Problem]:
    """Who cites whom, directly or at second hand, of SPECTER's data.json."""
    for key, value in _entries(source):
        if isinstance(value, Problem):
            yield value
        elif not isinstance(value, dict):
            yield Problem(key, "This entry names no papers.", paper=False)
        else:
            counts = {other: _count(found) for other, found in value.items()}
            yield Citations(
                key,
                tuple(other for other, count in counts.items() if count >= _CITED),
                tuple(other for other, count in counts.items() if 0 < count < _CITED),
            )
            if wrong := sum(count <= 0 for count in counts.values()):
                yield Problem(key, f"{wrong:,} of its papers have no count.", paper=False)


def _entries(source: Source) -> Iterator[tuple[str, Any]]:
    number = 0
    try:
        for key, value in entries(source.pieces()):
            yield key, value
            number += 1
    except BadJson as error:
        yield "", Problem(f"entry {number + 1}", str(error))


def _count(value: Any) -> int:
    count = value.get("count") if isinstance(value, dict) else value
    return count if isinstance(count, int) else 0
