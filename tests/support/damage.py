"""Damage to a library file as by a failing disk, a crash or another program."""

from __future__ import annotations

import errno
import io
import os
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

PAGE = 4096


def flip(path: Path, count: int = 40, seed: int = 1) -> None:
    """Change `count` random bytes."""
    draw, content = random.Random(seed), bytearray(path.read_bytes())
    for _ in range(count):
        content[draw.randrange(len(content))] ^= draw.randrange(1, 256)
    path.write_bytes(content)


def cut(path: Path, share: float = 0.5) -> None:
    """Keep only the beginning of the file, in whole pages."""
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share) // PAGE * PAGE])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def not_sqlite(path: Path) -> None:
    path.write_bytes(b"This was a library once. " * 1000)


def drop_table(path: Path, table: str = "notes") -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA foreign_keys = OFF")
        db.execute(f"DROP TABLE {table}")
        db.commit()


def overwrite(path: Path, page: int, content: bytes = b"\xff" * PAGE) -> None:
    """Replace the content of a page, counted from 1."""
    with path.open("r+b") as file:
        file.seek((page - 1) * PAGE)
        file.write(content[:PAGE])


def root(path: Path, name: str) -> int:
    """Return the first page of a table or index."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as db:
        question = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        return int(db.execute(question, (name,)).fetchone()[0])


def schema_pages(path: Path) -> list[int]:
    """Return the first page, and those below it that hold the schema."""
    content = path.read_bytes()
    starts = range(PAGE, len(content), PAGE)
    table_leaf = 13
    return [1] + [
        start // PAGE + 1
        for start in starts
        if content[start] == table_leaf and b"CREATE TABLE" in content[start : start + PAGE]
    ]


class _Failing(io.FileIO):
    """A file on a disk of which some pages cannot be read."""

    def __init__(self, path: Path, pages: set[int]) -> None:
        super().__init__(path)
        self._pages = pages

    def read(self, size: int | None = -1) -> bytes:
        start = self.tell()
        size = os.fstat(self.fileno()).st_size - start if size is None or size < 0 else size
        if any(page * PAGE > start and (page - 1) * PAGE < start + size for page in self._pages):
            raise OSError(errno.EIO, os.strerror(errno.EIO), self.name)
        return super().read(size)

    def readall(self) -> bytes:
        return self.read()


@contextmanager
def failing(path: Path, pages: set[int]) -> Iterator[None]:
    """Within, reading these pages, counted from 1, raises the error of a failing disk. SQLite,
    which opens its files itself, is not affected."""
    real = Path.open

    def opened(self: Path, mode: str = "r", *more: Any, **options: Any) -> Any:
        if self == path and mode == "rb":
            return _Failing(path, pages)
        return real(self, mode, *more, **options)

    with patch.object(Path, "open", opened):
        yield
