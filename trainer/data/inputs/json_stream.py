"""Streaming parser for JSON objects and arrays of any size: one entry is in memory at a time."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable, Iterator
from json.decoder import JSONDecodeError
from typing import Any

_LARGEST = 64 << 20  # characters in one entry
_BLANK = re.compile(r"[ \t\n\r\ufeff]*")
_AFTER_VALUE = tuple(" \t\n\r,:]}")
# Parsing of a piece that is cut inside a word or an escape fails at most this far from its end.
_LONGEST_WORD = 16


class BadJson(Exception):
    """Invalid JSON. The message is a sentence for the user."""


def entries(pieces: Iterable[bytes]) -> Iterator[tuple[str, Any]]:
    """Iterate over the keys and values of an object, or the numbers from 1 and values of an array.
    Raises BadJson."""
    text = _Text(pieces)
    opened = text.next_character()
    if opened not in "{[" or not opened:
        raise BadJson("The file contains neither a JSON object nor a JSON array.")
    closing = "}" if opened == "{" else "]"
    text.skip(opened)
    number = 0
    while (character := text.next_character()) != closing:
        if number:
            text.skip(",")
        elif character == "":
            raise BadJson("The JSON data is incomplete.")
        number += 1
        key = str(number)
        if opened == "{":
            key = text.value()
            if not isinstance(key, str):
                raise BadJson(f"Entry {number:,} has no name.")
            text.skip(":")
        yield key, text.value()


class _Text:
    """A text in pieces, read on demand."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._parse = json.JSONDecoder().raw_decode
        self._text = ""
        self._at = 0
        self._ended = False

    def next_character(self) -> str:
        """Return the next character that is not white space, without consuming it; empty at the
        end."""
        while True:
            blank = _BLANK.match(self._text, self._at)
            self._at = blank.end() if blank else self._at
            if self._at < len(self._text) or not self._more():
                return self._text[self._at : self._at + 1]

    def skip(self, character: str) -> None:
        found = self.next_character()
        if found != character:
            raise BadJson(
                f"The JSON data is invalid: {found!r} instead of {character!r}."
                if found
                else "The JSON data is incomplete."
            )
        self._at += 1

    def value(self) -> Any:
        """Consume and return the next JSON value, reading on as far as needed. Raises BadJson."""
        self.next_character()
        while True:
            try:
                value, end = self._parse(self._text, self._at)
                # A number may continue in the next piece: "0" and ".5".
                certain = self._text[end : end + 1] in _AFTER_VALUE
                if certain or end < len(self._text) - _LONGEST_WORD or not self._more():
                    self._at = end
                    return value
            except JSONDecodeError as error:
                within = error.msg.startswith("Unterminated")
                if not within and error.pos < len(self._text) - _LONGEST_WORD:
                    raise BadJson(f"The JSON data is invalid: {error.msg}.") from error
                if not self._more():
                    raise BadJson("The JSON data is incomplete.") from error
            except RecursionError as error:
                raise BadJson("The JSON data is too deeply nested.") from error

    def _more(self) -> bool:
        """Read on, as much again as is buffered, so that long entries are parsed few times."""
        if self._ended:
            return False
        rest = self._text[self._at :]
        if len(rest) > _LARGEST:
            raise BadJson(f"An entry has more than {_LARGEST >> 20} million characters.")
        found: list[str] = []
        while not self._ended and sum(map(len, found)) <= len(rest):
            piece = next(self._pieces, b"")
            self._ended = not piece
            found.append(self._decode(piece, self._ended))
        self._text, self._at = rest + "".join(found), 0
        return True
