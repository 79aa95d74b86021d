"""Reader for the pages of an SQLite file without SQLite, so that damage to some hides no others.

The format is that of https://www.sqlite.org/fileformat2.html. A library has pages of 4096 bytes and
texts in UTF-8. Pages are counted from 1.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple

PAGE = 4096
_MAGIC = b"SQLite format 3\0"
_LOG_HEADER, _FRAME_HEADER = 32, 24  # bytes, of a write-ahead log
_TABLE_LEAF, _TABLE_INNER, _INDEX_LEAF, _INDEX_INNER = 13, 5, 10, 2
_FIXED = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 7: 8}  # bytes of a value, by its serial type

Value = None | int | float | str | bytes


class CorruptPage(Exception):
    """Bytes that do not match the file format."""


class SqliteRow(NamedTuple):
    """A row. `key` is its rowid; None in an index, and in a table that has no rowids."""

    key: int | None
    values: list[Value]
    altered: bool  # whether a text was not UTF-8: invalid bytes became U+FFFD


@dataclass
class UnreadableCount:
    """Counts of unreadable parts. `holes`: whether pages of the tree may have been missed."""

    pages: set[int] = field(default_factory=set)
    rows: int = 0
    holes: bool = False


class SqlitePages:
    """All pages of a file, each in its latest version from the file or the write-ahead log.

    Pages are read one at a time, so that a bad sector costs no other page. `unread` collects the
    pages that the disk could not read.
    """

    def __init__(self, file: BinaryIO, log: BinaryIO | None = None) -> None:
        """Raises OSError if the size of a file cannot be determined."""
        self.unread: set[int] = set()
        self._file, self._log = file, log
        self._size = file.seek(0, os.SEEK_END)
        self._logged = {} if log is None else _frames(log)
        self.count = max([-(-self._size // PAGE), *self._logged])

    @classmethod
    @contextmanager
    def of(cls, path: Path) -> Iterator[SqlitePages]:
        """Context manager that opens the pages of a file. Raises OSError."""
        log = path.with_name(path.name + "-wal")
        with ExitStack() as files:
            # Unbuffered: a buffer reads ahead and fails with any bad sector it meets.
            file = files.enter_context(path.open("rb", buffering=0))
            beside = files.enter_context(log.open("rb", buffering=0)) if log.exists() else None
            yield cls(file, beside)

    def page(self, number: int) -> bytes:
        """Raises CorruptPage if the page does not exist or the disk cannot read it."""
        if number < 1 or number in self.unread:  # a disk retries for seconds before it gives up
            raise CorruptPage
        file, start = self._file, (number - 1) * PAGE
        if self._log is not None and number in self._logged:
            file, start = self._log, self._logged[number]
        try:
            file.seek(start)
            found = file.read(PAGE)
        except OSError as error:
            self.unread.add(number)
            raise CorruptPage from error
        if len(found) < PAGE:
            raise CorruptPage
        return found

    def can_read(self, number: int) -> bool:
        try:
            self.page(number)
        except CorruptPage:
            return False
        return True

    def header(self, offset: int) -> int:
        """A number of four bytes in the header of the file; 0 if it is missing."""
        try:
            return int(struct.unpack_from(">I", self.page(1), offset)[0])
        except CorruptPage:
            return 0

    def free(self) -> set[int]:
        """The unused pages, as far as the list of them can be read.

        If the header is lost, they are found by the format of the list: their deleted rows must not
        be taken for rows of the library.
        """
        found: set[int] = set()
        try:
            lost = not self.page(1).startswith(_MAGIC)
        except CorruptPage:
            lost = True
        if lost:
            for number in range(2, self.count + 1):
                found |= self._free_listed(number)
            return found
        trunk = self.header(32)
        while trunk and trunk not in found:
            try:
                page = self.page(trunk)
            except CorruptPage:
                break
            found.add(trunk)
            trunk, leaves = struct.unpack_from(">II", page)
            leaves = min(leaves, PAGE // 4 - 2)
            found.update(struct.unpack_from(f">{leaves}I", page, 8))
        return found

    def _free_listed(self, number: int) -> set[int]:
        """The page and those it lists if it looks like a part of the list of unused pages."""
        try:
            page = self.page(number)
        except CorruptPage:
            return set()
        after, count = struct.unpack_from(">II", page)
        if not (0 < count <= PAGE // 4 - 2 and after != 1 and after <= self.count):
            return set()
        leaves = set(struct.unpack_from(f">{count}I", page, 8))
        if len(leaves) < count or min(leaves) < 2 or max(leaves) > self.count:
            return set()
        return {number, *leaves}

    def roots(self, numbers: Iterable[int], *, rowids: bool) -> list[int]:
        """Those of the pages that begin a tree, with rowids or without: no other refers to them."""
        kinds = (_TABLE_LEAF, _TABLE_INNER) if rowids else (_INDEX_LEAF, _INDEX_INNER)
        found, children = [], set()
        for number in numbers:
            try:
                page = self.page(number)
                kind, places, right = _layout(page, number)
                if kind not in kinds:
                    continue
                found.append(number)
                if kind in (_TABLE_INNER, _INDEX_INNER):
                    children |= {right, *(_number(page, place) for place in places)}
            except CorruptPage:
                continue
        return [number for number in found if number not in children]

    def tree(
        self,
        root: int,
        *,
        rowids: bool,
        seen: set[int],
        tally: UnreadableCount,
        values: bool = True,
    ) -> Iterator[SqliteRow]:
        """The rows of a table with rowids, or of an index or a table without them.

        `seen` collects the pages of the tree; pages already in it are not read again. Without
        `values`, which take the longest to read, records have none.
        """
        left = [root]
        while left:
            number = left.pop()
            if number in seen or not 0 < number <= self.count:
                tally.holes = True
                continue
            seen.add(number)
            try:
                page = self.page(number)
                kind, places, right = _layout(page, number)
            except CorruptPage:
                tally.pages.add(number)
                tally.holes = True
                continue
            if kind not in ((_TABLE_LEAF, _TABLE_INNER) if rowids else (_INDEX_LEAF, _INDEX_INNER)):
                tally.pages.add(number)
                tally.holes = True
                kind, right = (_TABLE_LEAF if rowids else _INDEX_LEAF), 0
            children = [right] if kind in (_TABLE_INNER, _INDEX_INNER) else []
            for place in places:
                if kind in (_TABLE_INNER, _INDEX_INNER):
                    try:
                        children.append(_number(page, place))
                    except CorruptPage:
                        tally.pages.add(number)
                        tally.holes = True
                        continue
                    if kind == _TABLE_INNER:
                        continue
                    place += 4
                try:
                    yield self._cell(page, place, rowids, seen, values)
                except CorruptPage:
                    tally.rows += 1
            left += reversed(children)

    def leaf(self, number: int, *, rowids: bool) -> list[SqliteRow]:
        """The readable rows of a single page; none if it is not a leaf of such a tree."""
        try:
            page = self.page(number)
            kind, places, _ = _layout(page, number)
        except CorruptPage:
            return []
        found = []
        if kind == (_TABLE_LEAF if rowids else _INDEX_LEAF):
            for place in places:
                try:
                    found.append(self._cell(page, place, rowids, set()))
                except CorruptPage:
                    continue
        return found

    def _cell(
        self, page: bytes, place: int, rowids: bool, seen: set[int], values: bool = True
    ) -> SqliteRow:
        size, place = _varint(page, place)
        key = None
        if rowids:
            key, place = _varint(page, place)
        payload = self._payload(page, place, size, rowids, seen)
        if not values:
            return SqliteRow(key, [], False)
        return SqliteRow(key, *_record(payload))

    def _payload(self, page: bytes, place: int, size: int, rowids: bool, seen: set[int]) -> bytes:
        """The bytes of a row, including those on overflow pages."""
        if size > self._size + PAGE * len(self._logged):
            raise CorruptPage
        most = PAGE - 35 if rowids else (PAGE - 12) * 64 // 255 - 23
        least = (PAGE - 12) * 32 // 255 - 23
        here = size
        if size > most:
            here = least + (size - least) % (PAGE - 4)
            here = here if here <= most else least
        parts = [page[place : place + here]]
        if len(parts[0]) < here:
            raise CorruptPage
        after = _number(page, place + here) if here < size else 0
        used: list[int] = []
        left = size - here
        while left > 0:
            if after in used or not 0 < after <= self.count:
                raise CorruptPage
            used.append(after)
            # Of a long abstract that cannot be read, the row still has the title.
            more = self.page(after) if self.can_read(after) else bytes(PAGE)
            after = _number(more, 0)
            parts.append(more[4 : 4 + left])
            left -= PAGE - 4
        seen.update(used)
        return b"".join(parts)


def _layout(page: bytes, number: int) -> tuple[int, list[int], int]:
    """The kind of a tree page, the places of its cells, and its last child.

    Raises CorruptPage.
    """
    start = 100 if number == 1 else 0
    kind, cells = page[start], struct.unpack_from(">H", page, start + 3)[0]
    inner = kind in (_TABLE_INNER, _INDEX_INNER)
    first = start + (12 if inner else 8)
    if kind not in (_TABLE_LEAF, _TABLE_INNER, _INDEX_LEAF, _INDEX_INNER) and not any(page):
        raise CorruptPage
    if first + 2 * cells > PAGE:
        raise CorruptPage
    places = struct.unpack_from(f">{cells}H", page, first)
    right = _number(page, start + 8) if inner else 0
    return kind, list(places), right


def _frames(log: BinaryIO) -> dict[int, int]:
    """Place in a write-ahead log of the last committed version of each page."""
    committed: dict[int, int] = {}
    open_: dict[int, int] = {}
    end = log.seek(0, os.SEEK_END) - _FRAME_HEADER - PAGE
    salts = _header(log, 0, _LOG_HEADER)[16:24]
    for start in range(_LOG_HEADER, end + 1, _FRAME_HEADER + PAGE):
        header = _header(log, start, _FRAME_HEADER)
        if not header:  # the page number cannot be read; later frames still count
            continue
        number, size = struct.unpack_from(">II", header)
        salts = salts or header[8:16]
        if header[8:16] != salts:  # from before the log was last reset
            break
        open_[number] = start + _FRAME_HEADER
        if size:  # the last frame of a transaction
            committed |= open_
            open_ = {}
    return committed


def _header(log: BinaryIO, start: int, size: int) -> bytes:
    """Read `size` bytes of a log; none if the disk cannot read them."""
    try:
        log.seek(start)
        return log.read(size)
    except OSError:
        return b""


def _number(page: bytes, place: int) -> int:
    if place + 4 > PAGE:
        raise CorruptPage
    return int.from_bytes(page[place : place + 4], "big")


def _varint(content: bytes, place: int) -> tuple[int, int]:
    """A varint of one to nine bytes, and the place after it."""
    value = 0
    for at in range(place, place + 9):
        if at >= len(content):
            raise CorruptPage
        byte = content[at]
        if at == place + 8:
            value = value << 8 | byte
            return (value - (1 << 64) if value >= 1 << 63 else value), at + 1
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + 1
    raise CorruptPage


def _record(payload: bytes) -> tuple[list[Value], bool]:
    """The values of a row, and whether a text was changed.

    Raises CorruptPage unless the lengths add up to the last byte.
    """
    end, place = _varint(payload, 0)
    if not 0 < end <= len(payload):
        raise CorruptPage
    kinds = []
    while place < end:
        kind, place = _varint(payload, place)
        if kind < 0 or kind in (10, 11):
            raise CorruptPage
        kinds.append(kind)
    if place != end or place + sum(map(_length, kinds)) != len(payload):
        raise CorruptPage
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
