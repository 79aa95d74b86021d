"""Records of inputs: papers, citations between them, and problems."""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple


class InputRecord(NamedTuple):
    """A paper as in an input. Empty: unknown. `fields` begin with the primary one.

    `cites` and `second_hand` (citations of cited papers) are ids, of papers of any input.
    `no_values` names the fields that are NaN or another word for a missing value. `full_text` is
    that of a PDF, or of another source, with empty lines between pages or paragraphs.
    """

    id: str
    title: str = ""
    abstract: str = ""
    year: int = 0
    venue: str = ""
    fields: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    cites: tuple[str, ...] = ()
    second_hand: tuple[str, ...] = ()
    no_values: tuple[str, ...] = ()
    full_text: str = ""


class CitedIds(NamedTuple):
    """The citations of one paper, given separately from the paper; all are ids."""

    id: str
    cites: tuple[str, ...] = ()
    second_hand: tuple[str, ...] = ()


class Triple(NamedTuple):
    """A triplet of paper ids: query, positive (close to it) and negative."""

    query: str
    positive: str
    negative: str


class RecordProblem(NamedTuple):
    """A problem with one entry of a file; the rest of the file is read all the same.

    `paper`: the entry should have been a paper, which is missing now.
    """

    entry: str
    reason: str
    paper: bool = True


def id_of(record: InputRecord) -> str:
    """Return the id of a paper: its own, or one of its text."""
    return clean_id(record.id) or content_id(one_line(record.title), one_line(record.abstract))


def content_id(title: str, abstract: str) -> str:
    """Return an id for a paper without one: equal texts are one paper."""
    digest = blake2b(f"{title}\n{abstract}".encode("utf-8", "replace"), digest_size=8)
    return f"text:{digest.hexdigest()}"


def clean_id(text: str) -> str:
    """Normalize an id for storage and comparison: one line, without zero bytes, which would
    end it."""
    return one_line(text.replace("\0", " "))


def one_line(text: str) -> str:
    """Replace each run of white space by one space, as MIReAD does."""
    # A printable text has no other white space than spaces. Testing is faster than splitting.
    return text.strip() if text.isprintable() and "  " not in text else " ".join(text.split())
