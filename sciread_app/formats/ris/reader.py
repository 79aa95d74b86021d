"""Reader of RIS files, as exchanged by reference managers and databases."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from string import ascii_uppercase, digits

from sciread_app.domain.paper import Paper, Skipped
from sciread_app.formats.files.encoding import open_text
from sciread_app.formats.ris import record
from sciread_app.formats.ris.record import Fields
from sciread_app.formats.ris.writer import write
from sciread_app.language import tr

__all__ = ["SUFFIXES", "read", "write"]

NAME = "ris"
SUFFIXES = (".ris",)

_TAGS = frozenset(a + b for a in ascii_uppercase for b in ascii_uppercase + digits)
# Tolerates small deviations from the format.
_LINE = re.compile(r"\s{0,3}([A-Z][A-Z0-9]) {1,2}-(?: |$)\s*(.*)")


def read(path: Path) -> Iterator[Paper | Skipped]:
    """The papers of a file in order. Text between them without a tag is left out."""
    folders = (path.absolute().parent,)
    with open_text(path) as lines:
        for number, fields in _records(lines):
            if paper := record.paper(fields, folders, "ris"):
                yield paper
            else:
                yield Skipped(str(path), record.name(fields), _missing_title(number, fields))


def _records(lines: Iterable[str]) -> Iterator[tuple[int, Fields]]:
    """Each record with the number of its first line.

    A record ends with ER, with the next TY, or with the file. It need not begin with TY: without
    that it is still a record if it contains a title.
    """
    fields: Fields = {}
    first, values = 0, None
    for number, line in enumerate(lines, start=1):
        if line[2:6] == "  - " and (tag := line[:2]) in _TAGS:
            value = line[6:].strip()
        elif match := _LINE.match(line):
            tag, value = match[1], match[2].rstrip()
        else:
            if values is not None and (text := line.strip()):
                values[-1] += f"\n{text}"
            continue
        if tag == "ER" or (tag == "TY" and fields):
            if fields:
                yield first, fields
            fields, values = {}, None
            if tag == "ER":
                continue
        if not fields:
            first = number
        if (values := fields.get(tag)) is None:
            values = fields[tag] = [value]
        else:
            values.append(value)
    if fields:
        yield first, fields


def _missing_title(number: int, fields: Fields) -> str:
    if "TY" not in fields:
        return tr(
            "Line {number}: the record has neither a type (TY) nor a title (TI). Add both "
            "and import the file again.",
            number=number,
        )
    return tr(
        "Line {number}: the record has no title (TI). Add a title and import the file again.",
        number=number,
    )
