"""Input formats of a corpus, recognized by content."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from trainer.contract.errors import TrainerError
from trainer.contract.files import UNREADABLE
from trainer.data.corpus.records import CitedIds, InputRecord, RecordProblem, Triple
from trainer.data.inputs import by_id, json_lines, library, pairs, pubmed_xml, tables
from trainer.data.inputs.json_stream import BadJson, entries
from trainer.data.inputs.source import Source, unreadable_reason


class InputKind(NamedTuple):
    """An input format. `read` is None for plain lists of citations, which are read last."""

    key: str
    title: str
    read: Callable[[Source], Iterator[InputRecord | CitedIds | Triple | RecordProblem]] | None


KINDS: tuple[InputKind, ...] = (
    InputKind("library", "SciRead library", library.read),
    InputKind("jsonl", "JSON Lines (SciRead, arXiv snapshot)", json_lines.read),
    InputKind("pubmed", "PubMed XML", pubmed_xml.read),
    InputKind("papers", "papers by ID (SPECTER metadata.json, SciDocs)", by_id.read_papers),
    InputKind("counts", "citations by ID (SPECTER data.json)", by_id.read_counts),
    InputKind("table", "table (MIReAD, PhysBERT, triplets of IDs; CSV, TSV, Parquet)", tables.read),
    InputKind("array", "JSON array (PhysBERT)", pairs.read),
    InputKind(
        "pairs",
        "pairs and triplets of texts by line (sentence-transformers, Tevatron)",
        pairs.read_lines,
    ),
    InputKind(
        "retrieval", "questions and passages (PhysBERT ir_dataset.json)", pairs.read_retrieval
    ),
    InputKind("citations", "citations (citing TAB cited)", None),
)


_OF_A_PAPER = ("id", "paper_id", "title", "abstract", "abstr", "question")


def kind_named(key: str) -> InputKind:
    """Return the format with this key. Raises TrainerError, naming the known ones."""
    for kind in KINDS:
        if kind.key == key:
            return kind
    known = ", ".join(kind.key for kind in KINDS)
    raise TrainerError(f"{key!r} is not a known input format.", f"Available: {known}.")


def kind_of(source: Source) -> InputKind:
    """Detect the format of this file. Raises TrainerError if it is unknown."""
    try:
        key = _key(source)
    except UNREADABLE as error:
        raise TrainerError(f"{source.path}: {unreadable_reason(error)}") from error
    if not key:
        raise _unknown(source)
    return kind_named(key)


def _unknown(source: Source) -> TrainerError:
    start = _start(source.head())
    if not start:
        return TrainerError(f"{source.path} is empty.", "Omit the file, or export it again.")
    names, delimiter = tables.columns(_first_line(start))
    if len(names) > 1:
        citations = ""
        if delimiter == "\t":
            citations = (
                f" If the file contains citations (citing, tab, cited): citations={source.path}"
            )
        return TrainerError(
            f"The columns of the table {source.path} contain neither papers nor pairs of texts. "
            f"The columns are: {', '.join(name[:40] for name in names[:20])}.",
            f"{tables.LOOKED_FOR}{citations}",
        )
    return TrainerError(
        f"The format of {source.path} was not recognized.",
        f"Specify the format, for example: {KINDS[1].key}={source.path}. Formats: "
        f"{', '.join(kind.key for kind in KINDS)}. A list of citations has two IDs per "
        "line, separated by a tab: citing, tab, cited.",
    )


def _key(source: Source) -> str:
    head = source.head()
    start = _start(head)
    if head.startswith(b"SQLite format 3\x00"):
        return "library"
    if head.startswith(b"PAR1"):
        return "table"
    if start.startswith(b"<"):
        return "pubmed" if b"<Pubmed" in head or b"<MedlineCitation" in head else ""
    if start.startswith(b"["):
        first, _, rest = start.partition(b"\n")
        by_line = rest.lstrip().startswith(b"[") and pairs.is_line(_value(first))
        return "pairs" if by_line else "array"
    if start.startswith(b"{"):
        return _json_key(source, start)
    header = _first_line(start)
    if header.lower().startswith("citing\tcited"):
        return "citations"
    return "table" if tables.is_table(tables.columns(header)[0]) else ""


def _start(head: bytes) -> bytes:
    return head.removeprefix(b"\xef\xbb\xbf").lstrip()


def _first_line(start: bytes) -> str:
    return start.partition(b"\n")[0].decode("utf-8", "replace").rstrip("\r")


def _value(line: bytes) -> Any:
    """Parse a line of JSON; None if it is invalid."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _json_key(source: Source, start: bytes) -> str:
    line, newline, _ = start.partition(b"\n")
    record = _value(line) if newline or len(line) < 1 << 16 else None
    if isinstance(record, dict):
        if not record.keys() & {"title", "abstract"} and pairs.is_line(record):
            return "pairs"
        if any(isinstance(record.get(key), str) for key in _OF_A_PAPER):
            return "jsonl"
    try:
        key, value = next(entries(source.pieces()))
    except (BadJson, StopIteration):
        return ""
    if key in pairs.RETRIEVAL:
        return "retrieval"
    if isinstance(value, dict):
        return "papers" if value.keys() & {"title", "abstract", "paper_id"} else "counts"
    return "jsonl" if isinstance(record, dict) else ""
