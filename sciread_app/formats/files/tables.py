"""Tables in CSV files, with the names of their columns in the first row."""

from __future__ import annotations

import csv
import io
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path

from sciread_app.domain.paper import Skipped
from sciread_app.formats.files.encoding import open_text
from sciread_app.language import tr
from trainer.contract.files import LONGEST_LINE

# Python's own limit of a cell is shorter than some lists of references.
csv.field_size_limit(LONGEST_LINE)

Row = Mapping[str, str]

# The longest real cells are abstracts and notes.
_MOST_LINES = 2000
_DELIMITERS = ",;\t"  # spreadsheets write other ones where the comma is the decimal sign


def columns(text: str) -> list[str]:
    """The names of the columns of a table that starts with `text`."""
    line = text.lstrip("\ufeff").split("\n", 1)[0].rstrip("\r")
    return _cells(line, _delimiter(line))


def rows(path: Path) -> Iterator[tuple[int, Row | Skipped]]:
    """Each row that is not empty, by column name, with the number of its first line.

    A quotation mark that is never closed costs its own row only.
    """
    with open_text(path) as stream:
        header = next(stream, "").lstrip("\ufeff").rstrip("\n")
        delimiter = _delimiter(header)
        names = _cells(header, delimiter)
        again: deque[str] = deque()  # lines to read once more, before those of the stream
        number = 2
        while record := _record(again, stream):
            cells = _cells("".join(record), delimiter)
            if len(record) == 1 or len(cells) == len(names):
                if any(cells):
                    yield number, dict(zip(names, map(str.strip, cells), strict=False))
                number += len(record)
            else:
                why = tr("The row has a quotation mark that is not closed.")
                yield number, Skipped(str(path), tr("Line {number}", number=number), why)
                number += 1
                again.extendleft(reversed(record[1:]))


def _record(again: deque[str], stream: Iterator[str]) -> list[str]:
    """The lines of the next row: those up to the one that closes all quotation marks, if it is
    near. No lines at the end of the file."""
    record: list[str] = []
    marks = 0
    while line := again.popleft() if again else next(stream, ""):
        record.append(line)
        marks += line.count('"')
        if marks % 2 == 0 or len(record) == _MOST_LINES:
            break
    return record


def _cells(record: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader(io.StringIO(record, newline=""), delimiter=delimiter), [])
    except csv.Error:  # a cell of more than LONGEST_LINE characters
        return []


def _delimiter(header: str) -> str:
    return max(_DELIMITERS, key=header.count)
