"""The text index: FTS5 over all that is written in, about and around each paper.

It holds no text of its own but reads it from the view `searchable`, so it can be rebuilt at any
time. FTS5 must be told the old text of a row before that text changes: hence `forget` before and
`index` after every change, in one transaction. Papers in the trash stay in the index, so that a
hundred thousand of them come and go at once; whoever searches does not meet them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sqlalchemy import Connection, exc

from sciread_app.storage.conditions import Selection

# Columns, and how much a word in each counts (PRODUCT.md A3). What others wrote about a paper is
# worth less than what it says in front; a word somewhere in 30 pages says little.
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

# fold: domain/folding.py, which every connection of ours knows.
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
    """Make the view, the index and its list of words."""
    db.exec_driver_sql(_VIEW)
    db.exec_driver_sql(
        f"CREATE VIRTUAL TABLE fulltext USING fts5({_COLUMNS}, "
        f"content='searchable', content_rowid='id', tokenize='{TOKENIZER}')"
    )
    db.exec_driver_sql("CREATE VIRTUAL TABLE fulltext_words USING fts5vocab(fulltext, row)")


def include_trash(db: Connection) -> None:
    """Bring an index from before 0003, which left the trash out, to what it is now."""
    db.exec_driver_sql("DROP VIEW searchable")
    db.exec_driver_sql(_VIEW)
    db.exec_driver_sql(
        f"INSERT INTO fulltext (rowid, {_COLUMNS}) SELECT id, {_COLUMNS} FROM searchable "
        "WHERE id IN (SELECT id FROM papers WHERE trashed IS NOT NULL)"
    )


def renew(db: Connection) -> None:
    """Bring an index from before 0006, which did not fold, to what it is now."""
    db.exec_driver_sql("DROP VIEW searchable")
    db.exec_driver_sql(_VIEW)
    rebuild(db)


def index(db: Connection, ids: Sequence[int]) -> None:
    """Take in the text of these papers. They must not be in the index."""
    db.exec_driver_sql(
        f"INSERT INTO fulltext (rowid, {_COLUMNS}) "
        f"SELECT id, {_COLUMNS} FROM searchable WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(ids)),),
    )


def index_between(db: Connection, first: int, last: int) -> None:
    """Take in the text of all papers with ids from `first` to `last`, in one go."""
    db.exec_driver_sql(
        f"INSERT INTO fulltext (rowid, {_COLUMNS}) "
        f"SELECT id, {_COLUMNS} FROM searchable WHERE id BETWEEN ? AND ?",
        (first, last),
    )


def forget(db: Connection, ids: Sequence[int]) -> None:
    """Drop these papers from the index, while the library still says what it said when indexed."""
    db.exec_driver_sql(
        f"INSERT INTO fulltext (fulltext, rowid, {_COLUMNS}) SELECT 'delete', id, {_COLUMNS} "
        "FROM searchable WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(ids)),),
    )


@contextmanager
def changing(db: Connection, ids: Sequence[int]) -> Iterator[None]:
    """What these papers say changes within."""
    papers = int(db.exec_driver_sql("SELECT count(*) FROM papers").scalar_one())
    # Two papers in five take as long, one by one, as all of them at once.
    most = 5 * len(ids) > 2 * papers and len(ids) > _FEW
    if not most:
        forget(db, ids)
    yield
    if most:
        rebuild(db)
    else:
        index(db, ids)


def rebuild(db: Connection) -> None:
    db.exec_driver_sql("INSERT INTO fulltext (fulltext) VALUES ('rebuild')")


def fits(db: Connection) -> bool:
    """Whether the index says what the library says."""
    try:
        db.exec_driver_sql("INSERT INTO fulltext (fulltext, rank) VALUES ('integrity-check', 1)")
    except exc.DatabaseError as error:
        if "malformed" in str(error.orig):  # what FTS5 says of an index that does not fit
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


def document_frequencies(db: Connection, words: Sequence[str]) -> dict[str, int]:
    """In how many papers each word stands, in any of its forms; 0 for one that is in none."""
    stems = _stems(db, words)
    count = "SELECT coalesce((SELECT doc FROM fulltext_words WHERE term = ?), 0)"
    return {
        word: int(db.exec_driver_sql(count, (stem,)).scalar_one()) for word, stem in stems.items()
    }


def _stems(db: Connection, words: Sequence[str]) -> dict[str, str]:
    """Each word as it stands in the index. FTS5 is asked, so that both are stemmed alike."""
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
