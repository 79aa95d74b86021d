"""Tokenizer of BibTeX files: a stream of entries with the raw values of their fields.

Our own, since bibtexparser holds the whole file in memory several times over, loses entries without
a key, and runs fields together where a comma is missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from sciread_app.language import tr

_START = re.compile(r"(?<![\w.])@\s*([A-Za-z][\w-]*)\s*([{(])")
_FOLLOWING = re.compile(r"[})]\s*(?=@\s*[A-Za-z][\w-]*\s*[{(])")
_LINE_START = re.compile(r"\s*@\s*[A-Za-z][\w-]*\s*[{(]")
_ENTRY_TYPES = (
    "article|book|booklet|collection|conference|dataset|inbook|incollection|inproceedings|manual"
    "|mastersthesis|misc|online|phdthesis|proceedings|report|techreport|thesis|unpublished"
)
_NOT_OPENED = re.compile(rf"^[^\S\n]*(@\s*(?:{_ENTRY_TYPES}))\b(?!\s*[{{(])", re.I | re.M)
_NAME = re.compile(r"[\s,;%]*+([^\s=,{}()\"#%@]++)\s*+=\s*+")
# The words of the key, up to a comma, a closing bracket or the end of the line. Possessive, as a
# line of many spaces would be tried in all divisions.
_KEY_WORD = r"[^\s,={}\")]"
_KEY = re.compile(
    rf"\s*+(?:((?:{_KEY_WORD}++(?:[^\S\n]++(?={_KEY_WORD}))?+)*+)[^\S\n]*+(?:\s*+(?=[,}})])|\n))?"
)
_BARE = re.compile(r"[^\s,#{}\"()=]+")
_MORE = re.compile(r"\s*#\s*")
_MARKS = re.compile(r"[{}]")
_END = {"{": re.compile(r"[\s,;%]*\}"), "(": re.compile(r"[\s,;%]*\)")}


class _Quoting(NamedTuple):
    """Patterns of values in braces and in quotes; group 1 is the content."""

    braced: re.Pattern[str]
    quoted: re.Pattern[str]


def _quoting(other: str) -> _Quoting:
    """The patterns, where `other` matches all but braces and quotes; braces nest up to four
    deep."""
    group = rf"\{{(?:{other}|\")*+\}}"
    for _ in range(3):
        group = rf"\{{(?:{other}|\"|{group})*+\}}"
    braced = rf"\{{((?:{other}|\"|{group})*+)\}}"
    quoted = rf"\"((?:{other}|{group})*+)\""
    return _Quoting(re.compile(braced), re.compile(quoted))


# BibTeX itself counts every brace; people, and JabRef, take \{ for a character. The first match
# counts.
_QUOTINGS = (_quoting(r"[^{}\"]++"), _quoting(r"(?:[^{}\"\\]|\\.)++"))


@dataclass(slots=True)
class BibtexEntry:
    """`@type{key, ...}`, type and names in lower case, values as in the file."""

    type: str
    key: str
    fields: dict[str, str]
    line: int


class Broken(NamedTuple):
    """An entry that cannot be read: all about it except the reason is a guess."""

    key: str
    line: int
    reason: str


class Comment(NamedTuple):
    text: str


class _Unreadable(Exception):
    def __init__(self, why: str, position: int) -> None:
        super().__init__(why, position)
        self.reason, self.position = why, position


def blocks(lines: Iterable[str]) -> Iterator[BibtexEntry | Broken | Comment]:
    """All blocks, in the order of the file; text between them is left out, but an entry without its
    opening brace is Broken.

    A macro, `@string{name = value}`, takes effect from there on.
    """
    macros: dict[str, str] = {}  # by lower-case name
    for line, chunk in _chunks(lines):
        position, start = 0, _START.search(chunk)
        while start:
            yield from _not_opened(chunk, position, start.start(), line)
            at = line + chunk.count("\n", 0, start.start())
            block, position = _block(chunk, start, at, macros)
            if block:
                yield block
            start = _START.search(chunk, position)
        yield from _not_opened(chunk, position, len(chunk), line)


def _chunks(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The text from each line that begins a block up to the next such line, with its line
    number."""
    first = 1
    held: list[str] = []
    for number, line in enumerate(lines, start=1):
        if "@" in line and _LINE_START.match(line):
            if held:
                yield first, "".join(held)
            first, held = number, []
        elif not held and "@" not in line:
            # No block has begun: the text before the first need not be kept.
            continue
        if not held:
            first = number
        held.append(line)
    if held:
        yield first, "".join(held)


def _block(
    chunk: str, start: re.Match[str], line: int, macros: dict[str, str]
) -> tuple[BibtexEntry | Broken | Comment | None, int]:
    kind = start[1].lower()
    if kind in ("comment", "preamble"):
        end = _closing(chunk, start.end() - 1)
        return (Comment(chunk[start.end() : end]) if kind == "comment" else None), end
    failures = []
    for quoting in _QUOTINGS:
        try:
            if kind == "string":
                return None, _read_macro(chunk, start, quoting, macros)
            return _entry(chunk, start, line, quoting, macros)
        except _Unreadable as error:
            failures.append(error)
    return _broken(chunk, start, line, max(failures, key=lambda failure: failure.position))


def _not_opened(chunk: str, begin: int, end: int, line: int) -> Iterator[Broken]:
    """The entries without an opening brace in the text between two blocks."""
    for found in _NOT_OPENED.finditer(chunk, begin, end):
        number = line + chunk.count("\n", 0, found.start())
        why = tr("{type} is not followed by {brace}", type=found[1], brace="{")
        yield Broken("", number, tr("Line {number}: {why}", number=number, why=why))


def _broken(
    chunk: str, start: re.Match[str], line: int, failure: _Unreadable
) -> tuple[Broken, int]:
    key = None if start[1].lower() == "string" else _KEY.match(chunk, start.end())
    where = line + chunk.count("\n", start.start(), failure.position)
    # The value continues, presumably, until a brace is followed by another entry.
    following = _FOLLOWING.search(chunk, start.end())
    end = following.end() if following else len(chunk)
    why = tr("Line {number}: {why}", number=where, why=failure.reason)
    return Broken((key and key[1]) or "", line, why), end


def _closing(chunk: str, start: int) -> int:
    """The index of the brace that closes the one at `start`; the end of the chunk if there is
    none."""
    if chunk[start] == "(":
        end = chunk.find(")", start)
        return end if end >= 0 else len(chunk)
    depth = 0
    for mark in _MARKS.finditer(chunk, start):
        depth += 1 if mark[0] == "{" else -1
        if depth == 0:
            return mark.start()
    return len(chunk)


def _read_macro(chunk: str, start: re.Match[str], quoting: _Quoting, macros: dict[str, str]) -> int:
    """Add the macro to `macros` and return the end of its block."""
    name = _NAME.match(chunk, start.end())
    if not name:
        raise _Unreadable(tr("@string needs a name, an equals sign (=), and a value"), start.end())
    value, end = _value(chunk, name.end(), quoting, macros)
    macros[name[1].lower()] = value
    closed = _END[start[2]].match(chunk, end)
    return closed.end() if closed else end


def _entry(
    chunk: str, start: re.Match[str], line: int, quoting: _Quoting, macros: Mapping[str, str]
) -> tuple[BibtexEntry, int]:
    closing = _END[start[2]]
    key = _KEY.match(chunk, start.end())
    position = key.end() if key else start.end()
    fields: dict[str, str] = {}
    while not (closed := closing.match(chunk, position)):
        name = _NAME.match(chunk, position)
        if not name:
            raise _Unreadable(_expected(chunk, position), position)
        value, position = _value(chunk, name.end(), quoting, macros)
        _add(fields, name[1].lower(), value)
    return BibtexEntry(start[1].lower(), (key and key[1]) or "", fields, line), closed.end()


def _expected(chunk: str, position: int) -> str:
    found = chunk[position : position + 200].split("\n")[0].strip()[:30]
    if not chunk[position:].strip(" \t\r\n,"):
        return tr("the entry is not closed; a {brace} is missing", brace="}")
    return tr(
        "expected a field such as  {example}  but found: {found}",
        example="title = {...}",
        found=found,
    )


def _add(fields: dict[str, str], name: str, value: str) -> None:
    """Add a field. Other values of a name are kept under numbered names; names and keywords are
    appended to the list."""
    joint = {"author": " and ", "editor": " and ", "keywords": ", ", "file": ";"}.get(name)
    if name in fields and joint:
        fields[name] += joint + value
        return
    numbered, number = name, 1
    while fields.setdefault(numbered, value) != value:
        number += 1
        numbered = f"{name}_{number}"


def _value(
    chunk: str, position: int, quoting: _Quoting, macros: Mapping[str, str]
) -> tuple[str, int]:
    piece, position = _piece(chunk, position, quoting, macros)
    while more := _MORE.match(chunk, position):
        next_piece, position = _piece(chunk, more.end(), quoting, macros)
        piece += next_piece
    return piece, position


def _piece(
    chunk: str, position: int, quoting: _Quoting, macros: Mapping[str, str]
) -> tuple[str, int]:
    opener = chunk[position : position + 1]
    if opener == "{":
        if match := quoting.braced.match(chunk, position):
            return match[1], match.end()
        # Nested deeper than the pattern matches, or never closed.
        end = _closing(chunk, position)
        if end == len(chunk):
            why = tr("the {brace} that opens a value is never closed", brace="{")
            raise _Unreadable(why, position)
        return chunk[position + 1 : end], end + 1
    if opener == '"':
        if match := quoting.quoted.match(chunk, position):
            return match[1], match.end()
        raise _Unreadable(tr('the " that opens a value is never closed'), position)
    if match := _BARE.match(chunk, position):
        return macros.get(match[0].lower(), match[0]), match.end()
    if opener in (",", "}", ")"):
        return "", position
    raise _Unreadable(tr("a field has no value"), position)
