"""Answers that the client tests, and we then read: parsed once for both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from sciread_app.formats.xml_stream import BadXml

T = TypeVar("T")


class Answer(Generic[T]):
    """Reads the answer to one request with `parse`; `complain` says why it is none, or ""."""

    def __init__(self, parse: Callable[[bytes], T], complain: Callable[[T], str]) -> None:
        self._parse = parse
        self._complain = complain
        self._last: tuple[bytes, T] | None = None

    def check(self, body: bytes) -> str:
        """What the client wants to know of a body."""
        try:
            parsed = self._parse(body)
        except BadXml as error:
            return str(error)
        self._last = body, parsed
        return self._complain(parsed)

    def read(self, body: bytes) -> T:
        """What the body says. It was tested before: today, or some day when it was cached."""
        if self._last is not None and self._last[0] == body:
            return self._last[1]
        return self._parse(body)
