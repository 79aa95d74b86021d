"""Bytes to papers and back, for every kind of file that papers come in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from sciread_app.domain.paper import Paper, Skipped
from sciread_app.formats import (
    arxiv_atom,
    arxiv_snapshot,
    bibtex,
    csl_json,
    jsonl,
    nbib,
    pdf,
    pubmed_xml,
    ris,
    sniffing,
)
from sciread_app.formats.estimate import estimate
from sciread_app.formats.streams import UNREADABLE, open_bytes, why_unreadable
from sciread_app.formats.text import is_guessed
from sciread_app.language import tr

__all__ = ["FORMATS", "estimate", "read_file", "readable", "remark", "why_unread"]

FORMATS: tuple[ModuleType, ...] = (
    bibtex,
    ris,
    csl_json,
    pubmed_xml,
    nbib,
    arxiv_atom,
    arxiv_snapshot,
    jsonl,
    pdf,
)
_UNPACKING = (pubmed_xml, nbib, arxiv_atom, arxiv_snapshot, jsonl)
# Files of these names hold all kinds of things: only what stands in them tells.
_TELL_NOTHING = frozenset((".txt", ".xml", ".json"))
_HEAD = 1 << 16


def readable(path: Path) -> bool:
    """Whether a file is called like one that may hold papers."""
    suffix = _suffix(path)
    return any(suffix in format.SUFFIXES for format in FORMATS)


def why_unread(path: Path) -> str:
    """Why a bibliography in a format that is not read is left out; empty for all other files."""
    suffix = _suffix(path)
    return sniffing.refusal(suffix, b"") if sniffing.is_bibliography(suffix) else ""


def remark(path: Path) -> str:
    """What somebody should know of how a file is read; mostly nothing."""
    if _suffix(path) not in (*bibtex.SUFFIXES, *ris.SUFFIXES) or path.suffix.lower() == ".gz":
        return ""
    try:
        guessed = is_guessed(path)
    except OSError:  # read_file says so
        return ""
    said = tr(
        "The file does not say its encoding; it was read as Chinese (GBK). If names look wrong, "
        "save it as UTF-8 and add it again."
    )
    return said if guessed else ""


def read_file(path: Path) -> Iterator[Paper | Skipped]:
    """Every paper in a file of any format, and what could not be read.

    Raises nothing: of a file that breaks off, all comes that stands before, then why it ends.
    """
    try:
        yield from _read(path)
    except UNREADABLE as error:
        yield Skipped(str(path), "", why_unreadable(error))


def _read(path: Path) -> Iterator[Paper | Skipped]:
    with open_bytes(path) as stream:
        # One read only: a packed file that breaks off gives what it has, and fails at the next.
        head = stream.read1(_HEAD)
    if not head.strip():
        yield Skipped(str(path), "", tr("The file is empty."))
        return
    format = _format_of(path, head)
    if format is None:
        yield Skipped(str(path), "", sniffing.refusal(_suffix(path), head))
    elif format not in _UNPACKING and path.suffix.lower() == ".gz":
        why = tr("Files of this kind must be unpacked before they are read.")
        yield Skipped(str(path), "", why)
    else:
        yield from format.read(path)


def _format_of(path: Path, head: bytes) -> ModuleType | None:
    """By what stands in the file, where that tells; of two that fit, what its name says."""
    suffix = _suffix(path)
    named = [format for format in FORMATS if suffix in format.SUFFIXES]
    for format in (*named, *FORMATS):
        if sniffing.looks_like(format.__name__.rpartition(".")[2], head):
            return format
    return named[0] if named and suffix not in _TELL_NOTHING else None


def _suffix(path: Path) -> str:
    """The suffix in lower case; what stands before ".gz" if the file is packed."""
    if path.suffix.lower() == ".gz":
        path = path.with_suffix("")
    return path.suffix.lower()
