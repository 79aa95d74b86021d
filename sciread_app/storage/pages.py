"""The pages of an SQLite file, read without SQLite, so that damage to some hides no others.

The format is that of https://www.sqlite.org/fileformat2.html. A library has pages of 4096 bytes and
texts in UTF-8. Pages are counted from 1.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

PAGE = 4096
_LOG_HEADER, _FRAME_HEADER = 32, 24  # bytes, of a write-ahead log
_TABLE_LEAF, _TABLE_INNER, _INDEX_LEAF, _INDEX_INNER = 13, 5, 10, 2
_FIXED = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 7: 8}  # bytes of a value, by its serial type

Value = None | int | float | str | bytes


class Unreadable(Exception):
    """These bytes are not what should be there."""


class Record(NamedTuple):
    """A row. `key` is its rowid; None in an index, and in a table that has no rowids."""

    key: int | None
    values: list[Value]
    altered: bool  # whether some text was not UTF-8: its wrong bytes became U+FFFD


@dataclass
class Tally:
    """What could not be read. `holes`: whether pages of the tree may have been missed."""

    pages: int = 0
    rows: int = 0
    holes: bool = False


@dataclass
class Pages:
    """All pages of a file, with those that its write-ahead log holds in a newer state."""

    content: bytes
    log: dict[int, bytes] = field(default_factory=dict)

    @classmethod
    def of(cls, path: Path) -> Pages:
        """Raises OSError."""
        log = path.with_name(path.name + "-wal")
        return cls(path.read_bytes(), _frames(log.read_bytes()) if log.exists() else {})

    def __post_init__(self) -> None:
        self.count = max([-(-len(self.content) // PAGE), *self.log])

    def page(self, number: int) -> bytes:
        """Raises Unreadable for a page that is not there."""
        if number in self.log:
            return self.log[number]
        found = self.content[(number - 1) * PAGE : number * PAGE] if number > 0 else b""
        if len(found) < PAGE:
            raise Unreadable
        return found

    def header(self, offset: int) -> int:
        """A number of four bytes in the header of the file; 0 where there is none."""
        try:
            return int(struct.unpack_from(">I", self.page(1), offset)[0])
        except Unreadable:
            return 0

    def free(self) -> set[int]:
        """The pages that are in no use, as far as the list of them can be read."""
        found: set[int] = set()
        trunk = self.header(32)
        while trunk and trunk not in found:
            try:
                page = self.page(trunk)
            except Unreadable:
                break
            found.add(trunk)
            trunk, leaves = struct.unpack_from(">II", page)
            leaves = min(leaves, PAGE // 4 - 2)
            found.update(struct.unpack_from(f">{leaves}I", page, 8))
        return found

    def tree(self, root: int, *, rowids: bool, seen: set[int], tally: Tally) -> Iterator[Record]:
        """The rows of a table with rowids, or of an index or a table without them.

        `seen` takes the pages that belong to it; one that is there already is not read again.
        """
        left = [root]
        while left:
            number = left.pop()
            if number in seen or not 0 < number <= self.count:
                tally.holes = True
                continue
            seen.add(number)
            try:
                kind, places, right = self._layout(number)
            except Unreadable:
                tally.pages += 1
                tally.holes = True
                continue
            if kind not in ((_TABLE_LEAF, _TABLE_INNER) if rowids else (_INDEX_LEAF, _INDEX_INNER)):
                tally.pages += 1
                tally.holes = True
                kind, right = (_TABLE_LEAF if rowids else _INDEX_LEAF), 0
            children = [right] if kind in (_TABLE_INNER, _INDEX_INNER) else []
            page = self.page(number)
            for place in places:
                if kind in (_TABLE_INNER, _INDEX_INNER):
                    children.append(_number(page, place))
                    if kind == _TABLE_INNER:
                        continue
                    place += 4
                try:
                    yield self._cell(page, place, rowids, seen)
                except Unreadable:
                    tally.rows += 1
            left += reversed(children)

    def leaf(self, number: int, *, rowids: bool) -> list[Record]:
        """The rows that can be read of a page by itself; none if it is no leaf of such a tree."""
        try:
            kind, places, _ = self._layout(number)
        except Unreadable:
            return []
        found = []
        if kind == (_TABLE_LEAF if rowids else _INDEX_LEAF):
            for place in places:
                try:
                    found.append(self._cell(self.page(number), place, rowids, set()))
                except Unreadable:
                    continue
        return found

    def _layout(self, number: int) -> tuple[int, list[int], int]:
        """The kind of a page of a tree, where its cells begin, and its last child."""
        page, start = self.page(number), 100 if number == 1 else 0
        kind, cells = page[start], struct.unpack_from(">H", page, start + 3)[0]
        inner = kind in (_TABLE_INNER, _INDEX_INNER)
        first = start + (12 if inner else 8)
        if kind not in (_TABLE_LEAF, _TABLE_INNER, _INDEX_LEAF, _INDEX_INNER) and not any(page):
            raise Unreadable
        if first + 2 * cells > PAGE:
            raise Unreadable
        places = struct.unpack_from(f">{cells}H", page, first)
        right = _number(page, start + 8) if inner else 0
        return kind, list(places), right

    def _cell(self, page: bytes, place: int, rowids: bool, seen: set[int]) -> Record:
        size, place = _varint(page, place)
        key = None
        if rowids:
            key, place = _varint(page, place)
        values, altered = _record(self._payload(page, place, size, rowids, seen))
        return Record(key, values, altered)

    def _payload(self, page: bytes, place: int, size: int, rowids: bool, seen: set[int]) -> bytes:
        """The bytes of a row, those on pages of their own included."""
        if size > len(self.content) + PAGE * len(self.log):
            raise Unreadable
        most = PAGE - 35 if rowids else (PAGE - 12) * 64 // 255 - 23
        least = (PAGE - 12) * 32 // 255 - 23
        here = size
        if size > most:
            here = least + (size - least) % (PAGE - 4)
            here = here if here <= most else least
        parts = [page[place : place + here]]
        if len(parts[0]) < here:
            raise Unreadable
        after = _number(page, place + here) if here < size else 0
        used: list[int] = []
        left = size - here
        while left > 0:
            if after in used or not 0 < after <= self.count:
                raise Unreadable
            used.append(after)
            more = self.page(after)
            after = _number(more, 0)
            parts.append(more[4 : 4 + left])
            left -= PAGE - 4
        seen.update(used)
        return b"".join(parts)


def _frames(log: bytes) -> dict[int, bytes]:
    """The last committed state of each page in a write-ahead log."""
    committed: dict[int, bytes] = {}
    open_: dict[int, bytes] = {}
    salts = log[16:24]
    for start in range(_LOG_HEADER, len(log) - _FRAME_HEADER - PAGE + 1, _FRAME_HEADER + PAGE):
        number, size = struct.unpack_from(">II", log, start)
        if log[start + 8 : start + 16] != salts:  # of an earlier use of the log
            break
        open_[number] = log[start + _FRAME_HEADER : start + _FRAME_HEADER + PAGE]
        if size:  # the last frame of a transaction
            committed |= open_
            open_ = {}
    return committed


def _number(page: bytes, place: int) -> int:
    if place + 4 > PAGE:
        raise Unreadable
    return int.from_bytes(page[place : place + 4], "big")


def _varint(content: bytes, place: int) -> tuple[int, int]:
    """A number of one to nine bytes, and where it ends."""
    value = 0
    for at in range(place, place + 9):
        if at >= len(content):
            raise Unreadable
        byte = content[at]
        if at == place + 8:
            value = value << 8 | byte
            return (value - (1 << 64) if value >= 1 << 63 else value), at + 1
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + 1
    raise Unreadable


def _record(payload: bytes) -> tuple[list[Value], bool]:
    """The values of a row, and whether a text had to be altered. Raises Unreadable unless lengths
    add up to the last byte."""
    end, place = _varint(payload, 0)
    if not 0 < end <= len(payload):
        raise Unreadable
    kinds = []
    while place < end:
        kind, place = _varint(payload, place)
        if kind < 0 or kind in (10, 11):
            raise Unreadable
        kinds.append(kind)
    if place != end or place + sum(map(_length, kinds)) != len(payload):
        raise Unreadable
    values: list[Value] = []
    altered = False
    for kind in kinds:
        content = payload[place : place + _length(kind)]
        place += len(content)
        values.append(_value(kind, content))
        altered |= kind >= 13 and kind % 2 == 1 and not _is_text(content)
    return values, altered


def _length(kind: int) -> int:
    return (kind - 12) // 2 if kind >= 12 else _FIXED.get(kind, 0)


def _value(kind: int, content: bytes) -> Value:
    if kind == 0:
        return None
    if kind == 7:
        return float(struct.unpack(">d", content)[0])
    if kind < 7:
        return int.from_bytes(content, "big", signed=True)
    if kind < 10:
        return kind - 8
    return content.decode("utf-8", "replace") if kind % 2 else content


def _is_text(content: bytes) -> bool:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
