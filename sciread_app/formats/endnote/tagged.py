"""EndNote's tagged format (.enw), also known as Refer, in which many web sites export citations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from sciread_app.domain.paper import Paper, Skipped
from sciread_app.formats.endnote.types import complete
from sciread_app.formats.files.encoding import open_text
from sciread_app.formats.ris import record
from sciread_app.formats.ris.record import Fields
from sciread_app.language import tr

NAME = "endnote_tagged"
SUFFIXES = (".enw",)

# The tags of RIS with the same meaning. The last modification (%=) is not one of the paper.
_TAGS = {
    "0": "TY", "A": "AU", "B": "T2", "C": "CY", "D": "PY", "E": "A2", "F": "ID", "G": "LA",
    "H": "TA", "I": "PB", "J": "JF", "K": "KW", "L": "CN", "M": "AN", "N": "IS", "O": "N1",
    "P": "SP", "Q": "TT", "R": "DO", "S": "T3", "T": "TI", "U": "UR", "V": "VL", "W": "DP",
    "X": "AB", "Y": "A3", "Z": "N1", "1": "C1", "2": "C2", "3": "C3", "4": "C4", "#": "C5",
    "$": "C6", "]": "C7", "6": "NV", "7": "ET", "8": "DA", "9": "M3", "?": "A4", "@": "SN",
    "!": "ST", "&": "SE", "(": "OP", ")": "RP", "*": "RI", "+": "AD", "^": "CA", ">": "L1",
    "<": "N1", "[": "Y2", "~": "DB",
}  # fmt: skip
_ONE_NAME = frozenset(("AU", "A2", "A3", "A4", "TA"))


def read(path: Path) -> Iterator[Paper | Skipped]:
    """Every paper in the file, and the records that could not be read."""
    folders = (path.absolute().parent,)
    with open_text(path) as lines:
        for number, fields in _records(lines):
            type_name = " ".join(fields.pop("TY", ()))
            if paper := record.paper(complete(fields, type_name), folders, "endnote"):
                yield paper
            else:
                why = tr(
                    "Line {number}: the record has no title (%T). Add a title and import the "
                    "file again.",
                    number=number,
                )
                yield Skipped(str(path), record.name(fields), why)


def _records(lines: Iterable[str]) -> Iterator[tuple[int, Fields]]:
    """Each record with the number of its first line.

    A record begins with its type (%0), or else after a blank line: programs that write the older
    Refer format leave the type out. A blank line within a record belongs to an abstract.
    """
    fields: Fields = {}
    values: list[str] | None = None
    first, blank = 0, False
    for number, line in enumerate(lines, start=1):
        text = line.strip("\ufeff \t\r\n")
        if not text:
            blank = True
            continue
        if text[0] != "%" or not (len(text) == 2 or text[2:3].isspace()):
            if values is not None:
                values[-1] = f"{values[-1]}\n{text}".lstrip()
                blank = False  # it separated paragraphs
            continue
        tag = _TAGS.get(text[1:2])
        begins = tag == "TY" and (blank or "TY" in fields)
        if fields and (begins or (blank and "TY" not in fields)):
            yield first, fields
            fields = {}
        if not fields:
            first = number
        blank = False
        value = text[2:].strip()
        values = None
        if tag is None:
            continue
        if tag in _ONE_NAME and value.count(";") and "," in value:
            fields.setdefault(tag, []).extend(filter(None, map(str.strip, value.split(";"))))
        else:
            values = fields.setdefault(tag, [])
            values.append(value)
    if fields:
        yield first, fields
