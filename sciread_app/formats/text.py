"""Opening text files whose encoding nobody wrote down."""

from __future__ import annotations

import codecs
import re
from pathlib import Path
from typing import TextIO

_HEAD = 4096
_HINT = re.compile(rb"^%?\s*Encoding:\s*([\w-]+)", re.I | re.M)
_BLOCK = 1 << 20
CHINESE = "gb18030"
_HIGH = re.compile(rb"[\x80-\xff]+")
_GB_SIGNS = re.compile(rb"(?:[\xa1-\xf7][\xa1-\xfe])+")


def open_text(path: Path) -> TextIO:
    """Open a text file for reading by line; no byte in it is ever an error."""
    encoding = encoding_of(path)
    return path.open(encoding=encoding, errors="cp1252" if encoding == "utf-8-sig" else "replace")


def encoding_of(path: Path) -> str:
    """The encoding to read this file with; "utf-8-sig" stands for UTF-8 mixed with Windows bytes.

    A byte order mark decides, then zero bytes betray UTF-16. A header such as JabRef's
    `% Encoding: MacRoman` counts only where the file is not UTF-8, since such headers often lie.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if head[:400].count(0) * 3 > len(head[:400]):
        return "utf-16-be" if head[0] == 0 else "utf-16-le"
    if is_guessed(path):
        return CHINESE
    hint = _HINT.search(head)
    if hint and (named := _single_byte(hint[1].decode("ascii"))) and not _is_utf8(path):
        return named
    return "utf-8-sig"


def is_guessed(path: Path) -> bool:
    """Whether the file is read as Chinese, because its bytes look so and nothing says otherwise.

    In GBK each sign has two bytes, both high; in a text of the West a high byte stands alone.
    """
    with path.open("rb") as file:
        runs = _HIGH.findall(file.read(_BLOCK))
    if len(runs) < 2 or not all(_GB_SIGNS.fullmatch(run) for run in runs):
        return False
    return not _is_utf8(path)


def _single_byte(name: str) -> str:
    """Python's name of the encoding that a header claims, where it says more than UTF-8 would."""
    try:
        found = codecs.lookup(name).name
    except LookupError:
        return ""
    return "" if found in ("utf-8", "ascii", "cp1252", "iso8859-1") or "utf" in found else found


def _is_utf8(path: Path) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _as_windows(error: UnicodeError) -> tuple[str, int]:
    """Read what is not UTF-8 as Windows-1252, or Latin-1 for the bytes that has no letter for.

    Byte by byte, so that one pasted line in a file of another encoding spoils nothing else.
    """
    if not isinstance(error, UnicodeDecodeError):
        raise error
    found = error.object[error.start : error.end]
    return "".join(_WINDOWS[byte] for byte in found), error.end


_WINDOWS = [
    bytes([b]).decode("cp1252", "ignore") or bytes([b]).decode("latin-1") for b in range(256)
]
codecs.register_error("cp1252", _as_windows)
