"""Where the words of a query stand in a text, found by FTS5 as it finds papers."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing

from sciread_app.storage.fulltext import TOKENIZER

Span = tuple[int, int]  # first character, and the one behind the last

_OPEN, _CLOSE = "\x02", "\x03"
_NOT_OURS = str.maketrans({_OPEN: " ", _CLOSE: " ", "\0": " "})


def highlights(expression: str, texts: Sequence[str]) -> list[list[Span]]:
    """For each text, where it holds what an FTS5 expression names, in whatever form of the word."""
    found: list[list[Span]] = [[] for _ in texts]
    if not expression:
        return found
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute(f"CREATE VIRTUAL TABLE texts USING fts5(text, tokenize='{TOKENIZER}')")
        db.executemany(
            "INSERT INTO texts (rowid, text) VALUES (?, ?)",
            ((n, text.translate(_NOT_OURS)) for n, text in enumerate(texts)),
        )
        rows = db.execute(
            "SELECT rowid, highlight(texts, 0, ?, ?) FROM texts WHERE texts MATCH ?",
            (_OPEN, _CLOSE, expression),
        )
        for n, marked in rows:
            found[n] = _spans(marked)
    return found


def _spans(marked: str) -> list[Span]:
    before, *pieces = marked.split(_OPEN)
    spans, position = list[Span](), len(before)
    for piece in pieces:
        inside, _, behind = piece.partition(_CLOSE)
        spans.append((position, position + len(inside)))
        position += len(inside) + len(behind)
    return spans
