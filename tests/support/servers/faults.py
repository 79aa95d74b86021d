"""Faults of answers: each takes a good answer and returns a bad one."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import replace

from tests.support.servers.local import Answer, Fault

MIB = 1 << 20


def too_many(retry_after: object = None) -> Fault:
    """429, with seconds or an HTTP date in Retry-After if given."""
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    return lambda good: Answer(b"Rate exceeded.", "text/plain", 429, headers)


def unavailable(retry_after: object = None) -> Fault:
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    return lambda good: Answer(b"<html>Service Unavailable</html>", "text/html", 503, headers)


def status(code: int, body: bytes = b"", content_type: str = "text/plain") -> Fault:
    return lambda good: Answer(body, content_type, code)


def dropped(after: int | None = None) -> Fault:
    """The connection breaks in the body, though its length was announced; by default half-way."""
    return lambda good: replace(good, cut=_size(good) // 2 if after is None else after)


def truncated(keep: float = 0.5) -> Fault:
    """The body ends early, with a Content-Length of the shorter body."""
    return lambda good: replace(good, body=_whole(good)[: int(_size(good) * keep)])


def malformed() -> Fault:
    """XML with an unclosed element in its middle; JSON with a control character."""

    def spoil(good: Answer) -> Answer:
        body = _whole(good)
        is_xml = body.startswith(b"<")
        middle = body.index(b"<" if is_xml else b'"', len(body) // 2)
        wrong = b"<lost & found <" if is_xml else b"\0"
        return replace(good, body=body[:middle] + wrong + body[middle:])

    return spoil


def entity_bomb() -> Fault:
    """A kilobyte of XML that expands to gigabytes of entities."""
    levels = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
    bomb = f'<?xml version="1.0"?><!DOCTYPE feed [<!ENTITY a0 "ha">{levels}]><feed>&a9;</feed>'
    return lambda good: replace(good, body=bomb.encode())


def gzip_bomb(unpacked: int = 1024 * MIB) -> Fault:
    """A small body that decompresses to `unpacked` bytes."""
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    # A block without back-references can be repeated any number of times.
    block = packer.compress(bytes(16 * MIB)) + packer.flush(zlib.Z_FULL_FLUSH)
    body = gzip.compress(b"")[:10] + block * (unpacked // (16 * MIB))
    return lambda good: replace(good, body=body, headers={"Content-Encoding": "gzip"})


def wrong_type(content_type: str = "text/html") -> Fault:
    page = b"<html><body>Please log in to this network. It is free.</body></html>"
    return lambda good: Answer(page, content_type)


def redirected(to: str, status: int = 302) -> Fault:
    return lambda good: Answer(b"", "text/plain", status, {"Location": to})


def huge(size: int = 200 * MIB) -> Fault:
    """A nearly endless body without Content-Length."""

    def pieces() -> Iterator[bytes]:
        for _ in range(size // MIB):
            yield bytes(MIB)

    return lambda good: replace(good, body=pieces())


def replaced(body: bytes) -> Fault:
    """Another body, such as a page without entries."""
    return lambda good: replace(good, body=body)


def _whole(answer: Answer) -> bytes:
    return answer.body if isinstance(answer.body, bytes) else b"".join(answer.body)


def _size(answer: Answer) -> int:
    return len(_whole(answer))
