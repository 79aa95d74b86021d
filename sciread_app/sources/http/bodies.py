"""Response bodies: bounded decompression and extraction of error messages."""

from __future__ import annotations

import html
import json
import re
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

from sciread_app.language import tr

PIECE = 256 << 10
# An element that is never closed extends to the end: searching on would take quadratic time.
_MARKUP = re.compile(
    r"(?is)<(script|style)\b.*?(?:</\1>|\Z)|<head\b.*?(?:</head>|(?=<body\b)|\Z)"
    r"|<!--.*?(?:-->|\Z)|<[^<>]*>"
)


class TooLong(Exception):
    """The body exceeds the limit."""


class BadCoding(Exception):
    """The body cannot be decompressed; the text is the reason."""


def whole(pieces: Iterable[bytes], coding: str, most: int) -> bytes:
    """The whole body, decompressed by its Content-Encoding `coding`.

    Never decompresses more than `most` bytes. Raises TooLong, BadCoding.
    """
    read = []
    size = 0
    for piece in _unpacked(pieces, coding):
        size += len(piece)
        if size > most:
            raise TooLong
        read.append(piece)
    return b"".join(read)


def message(body: bytes) -> str:
    """The first sentence of an error response in JSON, XML, HTML or plain text."""
    text = body.decode("utf-8", "replace")
    try:
        parsed = json.loads(text)
        if isinstance(parsed, dict):
            names = ("error", "message", "detail")
            text = next((str(parsed[name]) for name in names if parsed.get(name)), "")
    except (ValueError, RecursionError):
        pass
    text = " ".join(html.unescape(_MARKUP.sub(" ", text)).split())
    text = "".join(filter(str.isprintable, text))
    sentence = re.split(r"(?<=[^\d][.!?])\s", text, maxsplit=1)[0].rstrip(".")
    return sentence if len(sentence) <= 200 else sentence[:199] + "…"


def json_objects(body: bytes, *path: str) -> list[dict[str, Any]] | None:
    """The objects in the list at this path of a JSON response; None if there is no such list."""
    try:
        value = json.loads(body)
        for name in path:
            value = value[name]
    except (ValueError, RecursionError, TypeError, KeyError):
        return None
    if not isinstance(value, list):
        return None
    return [item for item in value if isinstance(item, dict)]


def missing_list_reason(objects: list[dict[str, Any]] | None) -> str:
    """The reason why a response of `json_objects` is invalid; empty if it is valid."""
    return tr("it is not a list of papers") if objects is None else ""


def _unpacked(pieces: Iterable[bytes], coding: str) -> Iterator[bytes]:
    if coding in ("", "identity"):
        yield from pieces
        return
    if coding not in ("gzip", "x-gzip", "deflate"):
        message = tr("it uses the unsupported compression {coding}", coding=repr(coding))
        raise BadCoding(message)
    packed = zlib.decompressobj(wbits=32 + zlib.MAX_WBITS)  # detects gzip and zlib
    try:
        for piece in pieces:
            out = None
            while out is None or piece or len(out) == PIECE:
                out = packed.decompress(piece, PIECE)
                piece = packed.unconsumed_tail
                yield out
    except zlib.error as error:
        raise BadCoding(tr("it could not be decompressed")) from error
    if not packed.eof:
        # Translators: a response that ends too early
        raise BadCoding(tr("it is incomplete"))
