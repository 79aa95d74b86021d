"""Ways in which a library file is damaged: by a failing disk, a crash, another program."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

PAGE = 4096


def flip(path: Path, count: int = 40, seed: int = 1) -> None:
    """Change so many random bytes."""
    draw, content = random.Random(seed), bytearray(path.read_bytes())
    for _ in range(count):
        content[draw.randrange(len(content))] ^= draw.randrange(1, 256)
    path.write_bytes(content)


def cut(path: Path, share: float = 0.5) -> None:
    """Keep the beginning of the file only, in whole pages."""
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
    """Put other bytes in the place of a page, counted from 1."""
    with path.open("r+b") as file:
        file.seek((page - 1) * PAGE)
        file.write(content[:PAGE])


def root(path: Path, name: str) -> int:
    """The first page of a table or index."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as db:
        question = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        return int(db.execute(question, (name,)).fetchone()[0])
