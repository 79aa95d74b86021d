"""Tables of papers, pairs of texts or triplets of ids, as CSV, TSV or parquet: MIReAD's,
PhysBERT's.

Columns are recognized by name. A title (`title`) or an abstract (`abstr`, `abstract`, `text`) makes
a table of papers; two columns of texts a table of pairs; three columns of ids (`query_id`,
`positive_id`, `negative_id`) a table of triplets.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from trainer.contract.errors import TrainerError
from trainer.contract.files import LONGEST_LINE
from trainer.data.corpus.records import CitedIds, InputRecord, RecordProblem, Triple
from trainer.data.inputs.pairs import COLUMNS as PAIR_COLUMNS
from trainer.data.inputs.pairs import of_category, pair
from trainer.data.inputs.source import Source
from trainer.data.inputs.values import arxiv_id, first, no_values, text, words, year

_TITLE = ("title",)
_ABSTRACT = ("abstract", "abstr", "text", "paragraph")
# The query's column may have either name.
_QUERIES, _OTHERS = ("query_id", "query_paper_id"), ("positive_id", "negative_id")
_ROWS_AT_ONCE = 1_024
# For messages: which columns make a table of papers or of pairs.
LOOKED_FOR = (
    f"Papers require {' or '.join((*_TITLE, *_ABSTRACT))}; pairs require "
    f"{', or '.join(' and '.join(names) for names in PAIR_COLUMNS)}; triplets of IDs "
    f"require {', '.join((_QUERIES[0], *_OTHERS))}."
)
# Message for a truncated table.
BROKEN = "The rest of the file was skipped."


def read(source: Source) -> Iterator[InputRecord | CitedIds | Triple | RecordProblem]:
    """Iterate over the rows of the table. Raises TrainerError if the columns are not recognized."""
    category = of_category(source.path)
    for entry, row in _rows(source):
        if isinstance(row, RecordProblem):
            yield row
        elif ids := triple_columns(row):
            yield _triple(row, ids, entry)
        elif names := pair_columns(row):
            yield from pair(text(row[names[0]]), text(row[names[1]]), row, source.path, entry)
        else:
            yield _paper(row, entry, category)


def pair_columns(names: Iterable[str]) -> tuple[str, str] | None:
    """Return the two columns of a pair of texts, if these are the columns of such a table."""
    known = set(names)
    return next((names for names in PAIR_COLUMNS if known.issuperset(names)), None)


def triple_columns(names: Iterable[str]) -> tuple[str, ...] | None:
    """Return the three columns of a triplet of ids, if these are the columns of such a table."""
    known = set(names)
    return next(((query, *_OTHERS) for query in _QUERIES if known >= {query, *_OTHERS}), None)


def is_table(names: Sequence[str]) -> bool:
    """Whether these are names of columns that can be read."""
    known = {_column(name) for name in names}
    return bool(known & {*_TITLE, *_ABSTRACT} or pair_columns(known) or triple_columns(known))


def columns(header: str) -> tuple[list[str], str]:
    """Return the columns' names, none if this is no header, and the delimiter: a tab, a comma, or a
    semicolon, as in spreadsheets of locales with a decimal comma."""
    if "\t" in header:
        return _split(header, "\t"), "\t"
    found = [(_split(header, delimiter), delimiter) for delimiter in ",;"]
    return max(found, key=lambda one: (is_table(one[0]), len(one[0])))


def _split(header: str, delimiter: str) -> list[str]:
    try:
        return list(map(_column, next(csv.reader([header], delimiter=delimiter), [])))
    except csv.Error:
        return []


def _paper(row: Mapping[str, Any], entry: str, category: str) -> InputRecord | RecordProblem:
    title, abstract = text(first(row, *_TITLE)), text(first(row, *_ABSTRACT))
    if not title.strip() and not abstract.strip():
        return RecordProblem(entry, "This row has neither a title nor an abstract.")
    field = first(row, "field", "categories", "category", "primary", "subdomain")
    return InputRecord(
        id=_id(row),
        title=title,
        abstract=abstract,
        year=year(*(row.get(name) for name in ("year", "date", "published"))),
        venue=text(first(row, "journal", "venue")),
        # MIReAD's fields are names of several words, arXiv's categories are separated by spaces.
        fields=_fields(field) or ((category,) if category else ()),
        no_values=no_values(title=first(row, *_TITLE), abstract=first(row, *_ABSTRACT)),
    )


def _triple(row: Mapping[str, Any], names: Sequence[str], entry: str) -> Triple | RecordProblem:
    found = [text(row[name]).strip() for name in names]
    if not all(found):
        return RecordProblem(entry, "One of the three ids is missing.", paper=False)
    return Triple(*found)


def _id(row: Mapping[str, Any]) -> str:
    if named := text(first(row, "id", "paper_id")):
        return named
    if number := text(row.get("arxiv_id")):
        return arxiv_id(number.removeprefix("arxiv:"))
    kind = next((kind for kind in ("doi", "pmid") if text(row.get(kind))), "")
    return f"{kind}:{text(row[kind]).strip().lower()}" if kind else ""


def _fields(value: Any) -> tuple[str, ...]:
    if isinstance(value, str) and "." not in value and "-" not in value:
        return (value,) if text(value).strip() else ()
    return words(value)


def _column(name: str) -> str:
    return name.strip().strip("\ufeff").lower()


def _rows(source: Source) -> Iterator[tuple[str, Mapping[str, Any] | RecordProblem]]:
    with source.open() as stream:
        packed = stream.peek(4)[:4] == b"PAR1"
    return _parquet(source) if packed else _csv(source)


def _csv(source: Source) -> Iterator[tuple[str, Mapping[str, Any] | RecordProblem]]:
    csv.field_size_limit(LONGEST_LINE)
    with source.open() as stream:
        lines = io.TextIOWrapper(stream, "utf-8-sig", "replace", newline="")
        names, delimiter = columns(lines.readline(LONGEST_LINE))
        _check(names, source)
        rows = csv.reader(lines, delimiter=delimiter)
        try:
            for values in rows:
                entry = f"line {rows.line_num + 1}"
                if len(values) == len(names):
                    yield entry, dict(zip(names, values, strict=True))
                elif values:
                    why = f"This row has {len(values)} columns, not {len(names)}."
                    yield entry, RecordProblem(entry, why)
        except csv.Error as error:
            entry = f"line {rows.line_num + 1}"
            yield entry, RecordProblem(entry, _invalid(error))


def _invalid(error: Exception) -> str:
    return f"The table is invalid: {str(error).rstrip('.')}. {BROKEN}"


def _parquet(source: Source) -> Iterator[tuple[str, Mapping[str, Any] | RecordProblem]]:
    try:
        from pyarrow import ArrowException, parquet
    except ImportError as error:
        raise TrainerError(
            f"Reading {source.path.name} requires pyarrow.", "Run: pip install 'sciread[parquet]'"
        ) from error
    number = 0
    try:
        with parquet.ParquetFile(source.path) as table:
            names = [_column(name) for name in table.schema_arrow.names]
            _check(names, source)
            for batch in table.iter_batches(_ROWS_AT_ONCE):
                for row in batch.to_pylist():
                    number += 1
                    yield f"row {number}", {_column(name): value for name, value in row.items()}
    except ArrowException as error:
        yield "", RecordProblem(f"row {number + 1}", _invalid(error))


def _check(names: Sequence[str], source: Source) -> None:
    if not is_table(names):
        raise TrainerError(
            f"The table {source.path} has no column of titles or abstracts. The columns are: "
            f"{', '.join(names[:20]) or 'none'}.",
            f"{LOOKED_FOR} Rename the columns accordingly.",
        )
