"""Responses parsed once for both validation and use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from sciread_app.formats.files.xml_stream import BadXml

T = TypeVar("T")


class ParsedResponse(Generic[T]):
    """Reads the response to one request with `parse`; `complain` returns why it is invalid, or
    ""."""

    def __init__(self, parse: Callable[[bytes], T], complain: Callable[[T], str]) -> None:
        self._parse = parse
        self._complain = complain
        self._last: tuple[bytes, T] | None = None

    def check(self, body: bytes) -> str:
        """The reason why a body is invalid, for the client."""
        try:
            parsed = self._parse(body)
        except BadXml as error:
            return str(error)
        self._last = body, parsed
        return self._complain(parsed)

    def read(self, body: bytes) -> T:
        """The parsed body. It was validated before: now, or when it was cached."""
        if self._last is not None and self._last[0] == body:
            return self._last[1]
        return self._parse(body)
