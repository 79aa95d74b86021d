"""Frames on a pipe between the app and its processes: a JSON header, then raw bytes."""

from __future__ import annotations

import json
import os
import signal
import struct
import sys
from collections.abc import Generator, Iterator
from typing import Any, BinaryIO, NamedTuple, Protocol

# Distinguishes a frame from text that a library printed into the pipe.
_MAGIC = b"SRF1"
_LENGTHS = struct.Struct("<4sII")
MAX_BYTES = 1 << 30
_CLOSED = "the pipe was closed in the middle of a frame"


class BrokenFrame(Exception):
    """The data received is not a frame."""


class TruncatedFrame(BrokenFrame):
    """The pipe was closed in the middle of a frame."""


class Frame(NamedTuple):
    header: dict[str, Any]
    body: bytearray


class Readable(Protocol):
    def readinto(self, buffer: memoryview, /) -> int | None: ...


def send(stream: BinaryIO, header: dict[str, Any], body: bytes | bytearray = b"") -> None:
    """Write one frame and flush. Raises OSError if the reader has closed the pipe."""
    described = json.dumps(header, separators=(",", ":")).encode()
    if max(len(described), len(body)) > MAX_BYTES:
        raise ValueError("the frame is too large to send")
    stream.write(_LENGTHS.pack(_MAGIC, len(described), len(body)) + described)
    stream.write(body)
    stream.flush()


def receive(stream: Readable) -> Frame | None:
    """Return the next frame, or None if the other side has closed the pipe. Raises BrokenFrame."""
    return next(filter(None, frames(stream)), None)


def frames(stream: Readable, longest: int = MAX_BYTES) -> Iterator[Frame | None]:
    """Yield frames until the other side closes the pipe, and None before each read, where the
    caller may wait until there is something to read.

    `longest` limits the bytes of a header, and of a body. Raises BrokenFrame.
    """
    while start := (yield from _read(stream, _LENGTHS.size)):
        if len(start) < _LENGTHS.size:
            raise TruncatedFrame(_CLOSED)
        magic, header_length, body_length = _LENGTHS.unpack(start)
        if magic != _MAGIC:
            raise BrokenFrame(f"not a frame: {bytes(start)!r}")
        if max(header_length, body_length) > longest:
            raise BrokenFrame("the frame is longer than allowed")
        described = yield from _read(stream, header_length)
        body = yield from _read(stream, body_length)
        if len(described) + len(body) < header_length + body_length:
            raise TruncatedFrame(_CLOSED)
        yield Frame(_header(described), body)


def take_pipes() -> tuple[Readable, BinaryIO]:
    """Take over stdin and stdout, so that nothing else in this process can use them.

    Output of libraries, in Python or below it, goes to stderr: stdout carries frames only.
    """
    # Ctrl+C in a terminal reaches both processes; this one ends when the other one closes the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return os.fdopen(requests, "rb"), os.fdopen(answers, "wb")


def _read(stream: Readable, length: int) -> Generator[None, None, bytearray]:
    """Return the next bytes, fewer only if the pipe was closed; see `frames`."""
    part, filled = bytearray(length), 0
    while filled < length:
        yield None
        read = stream.readinto(memoryview(part)[filled:])
        if not read:
            return part[:filled]
        filled += read
    return part


def _header(described: bytearray) -> dict[str, Any]:
    try:
        header = json.loads(described)
    except (ValueError, RecursionError) as error:
        raise BrokenFrame(f"the header is not valid JSON: {error}") from error
    if not isinstance(header, dict):
        raise BrokenFrame("the header is not an object")
    return header
