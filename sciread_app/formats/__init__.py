"""Readers and writers of all supported file formats."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from sciread_app.domain.paper import Paper, Skipped
from sciread_app.formats import jsonl, mods, pdf, scopus, web_of_science
from sciread_app.formats.arxiv import atom, snapshot
from sciread_app.formats.bibtex import reader as bibtex
from sciread_app.formats.csl import reader as csl_json
from sciread_app.formats.endnote import tagged as endnote_tagged
from sciread_app.formats.endnote import xml as endnote_xml
from sciread_app.formats.files import sniffing
from sciread_app.formats.files.encoding import (
    CHINESE,
    JAPANESE,
    KOREAN,
    guessed_encoding,
    is_undeclared,
)
from sciread_app.formats.files.streams import open_bytes, unreadable_reason
from sciread_app.formats.pubmed import nbib
from sciread_app.formats.pubmed import xml as pubmed_xml
from sciread_app.formats.ris import reader as ris
from sciread_app.formats.zotero import rdf as zotero_rdf
from sciread_app.formats.zotero import table as zotero_csv
from sciread_app.language import tr
from trainer.contract.files import UNREADABLE

__all__ = ["FORMATS", "estimate", "is_known", "read_file", "remark", "unread_reason"]

log = logging.getLogger(__name__)

FORMATS: tuple[ModuleType, ...] = (
    bibtex,
    ris,
    csl_json,
    pubmed_xml,
    nbib,
    atom,
    snapshot,
    jsonl,
    endnote_tagged,
    endnote_xml,
    web_of_science,
    scopus,
    zotero_csv,
    zotero_rdf,
    mods,
    pdf,
)
_SUFFIXES = frozenset(suffix for format in FORMATS for suffix in format.SUFFIXES)
_GZIP_FORMATS = (pubmed_xml, nbib, atom, snapshot, jsonl)
_IN_ANY_ENCODING = frozenset(
    suffix
    for format in (bibtex, ris, endnote_tagged, web_of_science, scopus, zotero_csv)
    for suffix in format.SUFFIXES
)
_MAY_BE_EMPTY = (bibtex, csl_json)  # programs write such files for empty libraries
_EMPTY = tr("The file is empty.")
# Generic suffixes, by which no format is known: only the content decides.
_GENERIC_SUFFIXES = frozenset((".txt", ".xml", ".json", ".csv", ".rdf"))
_HEAD = 1 << 16
# A marker that occurs once per entry, by suffix.
_MARKS = {
    ".bib": b"\n@",
    ".ris": b"\nTY  -",
    ".nbib": b"\nPMID-",
    ".enw": b"\n%T ",
    ".ciw": b"\nER",
    ".isi": b"\nER",
    ".rdf": b"<z:itemType>",
    ".xml": b"<PubmedArticle>",
    ".atom": b"<entry>",
    ".json": b'"title"',
    ".jsonl": b"\n",
    ".csv": b"\n",
}
_BLOCK = 1 << 20


def is_known(path: Path) -> bool:
    """Whether files with this extension can hold papers."""
    return _suffix(path) in _SUFFIXES


def unread_reason(path: Path) -> str:
    """The reason why a file found in a folder is not tried; empty if it is.

    The name decides, and the content of files whose names say little, such as tables of
    measurements (.csv).
    """
    suffix = _suffix(path)
    if not is_known(path):
        return sniffing.refusal_by_name(suffix)
    if suffix not in _GENERIC_SUFFIXES:
        return ""
    try:
        head = _head(path)
    except UNREADABLE as error:
        return unreadable_reason(error)
    if not head.strip():
        return _EMPTY
    return "" if _format_of(path, head) else sniffing.refusal(suffix, head)


def remark(path: Path) -> str:
    """A remark on how a file is read; mostly empty."""
    if _suffix(path) not in _IN_ANY_ENCODING or path.suffix.lower() == ".gz":
        return ""
    try:
        guessed = guessed_encoding(path) or ("cp1252" if is_undeclared(path) else "")
    except OSError:  # reported by read_file
        return ""
    if not guessed:
        return ""
    names = {
        CHINESE: tr("Chinese (GBK)"),
        JAPANESE: tr("Japanese (EUC-JP)"),
        KOREAN: tr("Korean (EUC-KR)"),
        "cp1251": tr("Cyrillic (Windows-1251)"),
        "koi8_r": tr("Cyrillic (KOI8-R)"),
        "cp1253": tr("Greek (Windows-1253)"),
        "cp1255": tr("Hebrew (Windows-1255)"),
        "cp1256": tr("Arabic (Windows-1256)"),
        "cp932": tr("Japanese (Shift JIS)"),
        "big5": tr("Chinese (Big5)"),
        "cp1252": tr("Western European (Windows-1252)"),
    }
    return tr(
        "The file does not specify its text encoding and was read as {encoding}. If "
        "names look wrong, save the file as UTF-8 and import it again.",
        encoding=names[guessed],
    )


def read_file(path: Path) -> Iterator[Paper | Skipped]:
    """Every paper in a file of any format, and the records that could not be read.

    Raises nothing: a truncated file yields all records before the end, then the reason, and so does
    a file with a record that its reader fails on.
    """
    try:
        yield from _read(path)
    except UNREADABLE as error:
        yield Skipped(str(path), "", unreadable_reason(error))
    except (ValueError, LookupError, TypeError, RecursionError):
        log.exception("a record in %s could not be read", path)
        why = tr(
            "A record of the file could not be read, and the rest of the file was skipped. Remove "
            "the first record that is missing from the library, and import the file again."
        )
        yield Skipped(str(path), "", why)


def estimate(path: Path) -> int:
    """The approximate number of entries, for progress bars; 0 if unknown."""
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    mark = _MARKS.get(suffixes[-1]) if suffixes else None
    if mark is None:
        return 0
    count = 0
    try:
        with open_bytes(path) as stream:
            while block := stream.read(_BLOCK):
                count += block.count(mark)
    except UNREADABLE:
        return count  # the reader reports the error
    return count


def _read(path: Path) -> Iterator[Paper | Skipped]:
    head = _head(path)
    if not head.strip():
        yield Skipped(str(path), "", _EMPTY)
        return
    format = _format_of(path, head)
    if format is None:
        yield Skipped(str(path), "", sniffing.refusal(_suffix(path), head))
    elif format not in _GZIP_FORMATS and path.suffix.lower() == ".gz":
        why = tr(
            "SciRead cannot import compressed files of this type. Unpack the file and "
            "import the result."
        )
        yield Skipped(str(path), "", why)
    else:
        empty = True
        for record in format.read(path):
            empty = False
            yield record
        if empty and format not in _MAY_BE_EMPTY:
            yield Skipped(str(path), "", tr("The file contains no records."))


def _head(path: Path) -> bytes:
    with open_bytes(path) as stream:
        # One read only: a truncated gzip file returns what it has, and fails at the next read.
        return stream.read1(_HEAD)


def _format_of(path: Path, head: bytes) -> ModuleType | None:
    """The format by content, where that decides; of two that match, the one of the suffix."""
    suffix = _suffix(path)
    named = [format for format in FORMATS if suffix in format.SUFFIXES]
    for format in (*named, *FORMATS):
        if sniffing.looks_like(format.NAME, head):
            return format
    return named[0] if named and suffix not in _GENERIC_SUFFIXES else None


def _suffix(path: Path) -> str:
    """The suffix in lower case, without ".gz"."""
    if path.suffix.lower() == ".gz":
        path = path.with_suffix("")
    return path.suffix.lower()
