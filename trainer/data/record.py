"""What an input says: papers, citations between them, and what could not be read."""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple


class Record(NamedTuple):
    """One paper as an input has it. Empty: unknown. `fields` begin with the primary one.

    `cites` and `second_hand` (what cited papers cite) are ids, of papers of any input. `no_values`
    names what the input has as NaN or another word for a missing value.
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


class Citations(NamedTuple):
    """What one paper cites, told apart from the paper itself; both in ids."""

    id: str
    cites: tuple[str, ...] = ()
    second_hand: tuple[str, ...] = ()


class Triple(NamedTuple):
    """Three papers by their ids: one, one that is close to it, and one that is not."""

    query: str
    positive: str
    negative: str


class Problem(NamedTuple):
    """What is wrong with one entry of a file; the rest of the file is read all the same.

    `paper` says that the entry should have been a paper, which is missing now.
    """

    entry: str
    why: str
    paper: bool = True


def content_id(title: str, abstract: str) -> str:
    """An id for a paper that has none: equal texts are one paper."""
    digest = blake2b(f"{title}\n{abstract}".encode("utf-8", "replace"), digest_size=8)
    return f"text:{digest.hexdigest()}"


def clean_id(text: str) -> str:
    """An id as it is kept and compared: one line, without the zero bytes that would end it."""
    return one_line(text.replace("\0", " "))


def one_line(text: str) -> str:
    """The text with each run of blanks as one space, as MIReAD reads it."""
    # What is all printable has no other blanks than spaces. Looking is quicker than splitting.
    return text.strip() if text.isprintable() and "  " not in text else " ".join(text.split())
