"""The protocol between the window and the rendering process.

A message is two lengths of four bytes, then JSON, then a binary body.
"""

from __future__ import annotations

import json
import struct
from typing import Any, BinaryIO

HEAD = struct.Struct(">II")
LONGEST_FIELDS = 16 << 20
LONGEST_BODY = 64 << 20


def packed(fields: dict[str, Any], body_length: int = 0) -> bytes:
    """A message up to its body."""
    text = json.dumps(fields).encode()
    return HEAD.pack(len(text), body_length) + text


def send(stream: BinaryIO, fields: dict[str, Any], body: bytes | bytearray = b"") -> None:
    stream.write(packed(fields, len(body)))
    stream.write(body)
    stream.flush()


def receive(stream: BinaryIO) -> dict[str, Any] | None:
    """The next message, which has no body; None when the other side is gone."""
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    fields: dict[str, Any] = json.loads(stream.read(HEAD.unpack(head)[0]))
    return fields
