"""Frames on a pipe between the app and the model process: a JSON header, then raw bytes."""

from __future__ import annotations

import json
import struct
from typing import Any, BinaryIO, NamedTuple

# Distinguishes a frame from text that a library printed into the pipe.
_MAGIC = b"SRF1"
_LENGTHS = struct.Struct("<4sII")
MAX_BYTES = 1 << 30


class BrokenFrame(Exception):
    """The data received is not a frame, or is cut off."""


class Frame(NamedTuple):
    header: dict[str, Any]
    body: bytes = b""


def send(stream: BinaryIO, header: dict[str, Any], body: bytes | memoryview = b"") -> None:
    """Write one frame and flush. Raises OSError if the reader has closed the pipe."""
    described = json.dumps(header, separators=(",", ":")).encode()
    if max(len(described), len(body)) > MAX_BYTES:
        raise ValueError("the frame is too large to send")
    stream.write(_LENGTHS.pack(_MAGIC, len(described), len(body)) + described)
    stream.write(body)
    stream.flush()


def receive(stream: BinaryIO) -> Frame | None:
    """Return the next frame, or None if the other side has closed the pipe. Raises BrokenFrame."""
    start = stream.read(_LENGTHS.size)
    if not start:
        return None
    if len(start) < _LENGTHS.size or not start.startswith(_MAGIC):
        raise BrokenFrame(f"not a frame: {start!r}")
    _, header_length, body_length = _LENGTHS.unpack(start)
    if max(header_length, body_length) > MAX_BYTES:
        raise BrokenFrame("the frame is longer than allowed")
    header = _header(_exactly(stream, header_length))
    return Frame(header, _exactly(stream, body_length))


def _exactly(stream: BinaryIO, length: int) -> bytes:
    found = stream.read(length)
    if len(found) < length:
        raise BrokenFrame("the pipe was closed in the middle of a frame")
    return found


def _header(described: bytes) -> dict[str, Any]:
    try:
        header = json.loads(described)
    except (ValueError, RecursionError) as error:
        raise BrokenFrame(f"the header is not valid JSON: {error}") from error
    if not isinstance(header, dict):
        raise BrokenFrame("the header is not an object")
    return header
