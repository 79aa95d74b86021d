"""The full-text index: FTS5 over title, abstract, authors, notes, files and more.

The index holds no text of its own but reads it from the view `searchable`, so it can be rebuilt at
any time. FTS5 needs the old text of a row before it changes: hence `remove` before and `index`
after every change, in one transaction. Papers in the trash stay in the index, so that moving a
hundred thousand of them is immediate; searches leave them out. Queries become FTS5 expressions in
`domain/query/ast.py`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from sqlalchemy import Connection, exc

from sciread_app.storage.filter_sql import Selection

# Columns and their BM25 weights. Notes count less than the paper's own title and abstract; a word
# somewhere in 30 pages counts little.
WEIGHTS = {
    "title": 3.0,
    "abstract": 1.0,
    "authors": 2.0,
    "venue": 0.5,
    "keywords": 1.0,
    "notes": 1.0,
    "body": 0.25,
}
_COLUMNS = ", ".join(WEIGHTS)
_FEW = 1_000
_LIVE = "+rowid NOT IN (SELECT id FROM papers WHERE trashed IS NOT NULL)"
TOKENIZER = "porter unicode61 remove_diacritics 2"

# fold: domain/text/folding.py, registered as an SQL function on every connection.
_VIEW = """
CREATE VIEW searchable AS SELECT
    id, fold(title) AS title, fold(abstract) AS abstract,
    fold((SELECT group_concat(given || ' ' || particle || ' ' || family || ' ' || suffix, '; ')
        FROM authors WHERE paper = papers.id)) AS authors,
    fold(venue) AS venue,
    fold(keywords || char(10) || coalesce(
        (SELECT group_concat(field, char(10)) FROM fields WHERE paper = papers.id), ''))
        AS keywords,
    fold((SELECT group_concat(text, char(10)) FROM notes WHERE paper = papers.id)) AS notes,
    fold((SELECT group_concat(text, char(10)) FROM bodies WHERE sha256 IN
        (SELECT sha256 FROM attachments WHERE paper = papers.id))) AS body
FROM papers
"""


def create(db: Connection) -> None:
    """Create the view, the index and the table of its words."""
    db.exec_driver_sql(_VIEW)
    db.exec_driver_sql(
        f"CREATE VIRTUAL TABLE fulltext USING fts5({_COLUMNS}, "
        f"content='searchable', content_rowid='id', tokenize='{TOKENIZER}')"
    )
    db.exec_driver_sql("CREATE VIRTUAL TABLE fulltext_words USING fts5vocab(fulltext, row)")


def migrate_trash(db: Connection) -> None:
    """Migrate an index from before 0003, which left out the trash."""
    db.exec_driver_sql("DROP VIEW searchable")
    db.exec_driver_sql(_VIEW)
    db.exec_driver_sql(
        f"INSERT INTO fulltext (rowid, {_COLUMNS}) SELECT id, {_COLUMNS} FROM searchable "
        "WHERE id IN (SELECT id FROM papers WHERE trashed IS NOT NULL)"
    )


def migrate_folding(db: Connection) -> None:
    """Migrate an index from before 0006, which did not fold spellings."""
    db.exec_driver_sql("DROP VIEW searchable")
    db.exec_driver_sql(_VIEW)
    rebuild(db)


def index(db: Connection, ids: Sequence[int]) -> None:
    """Index these papers. They must not be in the index."""
    db.exec_driver_sql(
        f"INSERT INTO fulltext (rowid, {_COLUMNS}) "
        f"SELECT id, {_COLUMNS} FROM searchable WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(ids)),),
    )


def index_between(db: Connection, first: int, last: int) -> None:
    """Index all papers with ids from `first` to `last` in one statement."""
    db.exec_driver_sql(
        f"INSERT INTO fulltext (rowid, {_COLUMNS}) "
        f"SELECT id, {_COLUMNS} FROM searchable WHERE id BETWEEN ? AND ?",
        (first, last),
    )


def remove(db: Connection, ids: Sequence[int]) -> None:
    """Remove these papers from the index. Their text must still be as it was when indexed."""
    db.exec_driver_sql(
        f"INSERT INTO fulltext (fulltext, rowid, {_COLUMNS}) SELECT 'delete', id, {_COLUMNS} "
        "FROM searchable WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(ids)),),
    )


@contextmanager
def reindexing(db: Connection, ids: Sequence[int]) -> Iterator[None]:
    """Reindex these papers around a change of their text, made inside the `with` block."""
    most = False
    if len(ids) > _FEW:
        papers = int(db.exec_driver_sql("SELECT count(*) FROM papers").scalar_one())
        # Reindexing two papers in five one by one takes as long as a full rebuild.
        most = 5 * len(ids) > 2 * papers
    if not most:
        remove(db, ids)
    yield
    if most:
        rebuild(db)
    else:
        index(db, ids)


def rebuild(db: Connection, step: Callable[[int, int], None] = lambda done, all: None) -> None:
    """Rebuild the index of all papers.

    `step` is called with the number of papers indexed and their total; it may raise to stop.
    """
    db.exec_driver_sql("INSERT INTO fulltext (fulltext) VALUES ('delete-all')")
    ids = db.exec_driver_sql("SELECT id FROM papers ORDER BY id").scalars().all()
    for done in range(0, len(ids), _FEW):
        step(done, len(ids))
        few = ids[done : done + _FEW]
        index_between(db, few[0], few[-1])


def is_consistent(db: Connection) -> bool:
    """Return whether the index agrees with the stored texts."""
    try:
        db.exec_driver_sql("INSERT INTO fulltext (fulltext, rank) VALUES ('integrity-check', 1)")
    except exc.DatabaseError as error:
        if "malformed" in str(error.orig):  # FTS5's message for an index that does not match
            return False
        raise
    return True


def search(
    db: Connection, expression: str, limit: int, among: Sequence[Selection] = ()
) -> list[tuple[int, float]]:
    """Papers that match an FTS5 expression, best first, with BM25 as a positive number."""
    weights = ", ".join(map(str, WEIGHTS.values()))
    tests = "".join(f" AND {selection.test}" for selection in among)
    values = [value for selection in among for value in selection.values]
    rows = db.exec_driver_sql(
        f"SELECT rowid, -bm25(fulltext, {weights}) AS score FROM fulltext "
        f"WHERE fulltext MATCH ?{tests} AND {_LIVE} ORDER BY score DESC, rowid LIMIT ?",
        (expression, *values, limit),
    )
    return [(row[0], row[1]) for row in rows]


def newest(db: Connection, expression: str, limit: int) -> list[int]:
    """Papers that match an FTS5 expression, those added last first: much faster than `search` where
    many papers match."""
    rows = db.exec_driver_sql(
        f"SELECT rowid FROM fulltext WHERE fulltext MATCH ? AND {_LIVE} "
        "ORDER BY rowid DESC LIMIT ?",
        (expression, limit),
    )
    return [row[0] for row in rows]


def document_frequencies(db: Connection, words: Sequence[str]) -> dict[str, int]:
    """Number of papers that contain each word in any of its forms; 0 if none does."""
    stems = _stems(db, words)
    count = "SELECT coalesce((SELECT doc FROM fulltext_words WHERE term = ?), 0)"
    return {
        word: int(db.exec_driver_sql(count, (stem,)).scalar_one()) for word, stem in stems.items()
    }


def _stems(db: Connection, words: Sequence[str]) -> dict[str, str]:
    """The stem of each word, computed by FTS5 itself so that it matches the index."""
    db.exec_driver_sql(
        f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.stemmer USING fts5(word, tokenize='{TOKENIZER}')"
    )
    db.exec_driver_sql(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.stems USING fts5vocab(stemmer, instance)"
    )
    words = list(dict.fromkeys(words))
    for n, word in enumerate(words, start=1):
        db.exec_driver_sql("INSERT INTO stemmer (rowid, word) VALUES (?, ?)", (n, word))
    found: dict[int, str] = dict(db.exec_driver_sql("SELECT doc, term FROM stems").all())
    db.exec_driver_sql("DELETE FROM stemmer")
    return {word: found[n] for n, word in enumerate(words, start=1) if n in found}
