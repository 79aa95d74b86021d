"""The app's library, read in one snapshot while the app may be writing to it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import groupby
from operator import itemgetter
from urllib.parse import quote

from trainer.contract.errors import TrainerError
from trainer.data.corpus.records import CitedIds, InputRecord, RecordProblem
from trainer.data.inputs.source import Source
from trainer.data.inputs.values import no_values, text

# Application id of SciRead's libraries, and the newest schema version supported here.
APPLICATION_ID = 0x53636952
NEWEST = 13
# The identifier used for a paper: the first of these that it has.
_PREFERRED = ("arxiv", "doi", "pmid", "pmcid")
_AT_ONCE = 1_000

_PAPERS = """
    SELECT id, title, abstract, year, venue FROM papers
    WHERE trashed IS NULL AND id > ? ORDER BY id LIMIT ?
"""
_FIELDS = "SELECT paper, field FROM fields WHERE paper BETWEEN ? AND ? ORDER BY paper, position"
_IDENTIFIERS = """
    SELECT paper, kind, value FROM identifiers WHERE paper BETWEEN ? AND ? ORDER BY paper, position
"""
_COLLECTION = "SELECT id FROM collections WHERE parent IS ? AND name = ?"
# Includes subcollections, as the application does.
_IN_COLLECTION = """
    WITH RECURSIVE below (id) AS (
        VALUES (?) UNION ALL SELECT c.id FROM collections AS c JOIN below ON c.parent = below.id)
    SELECT DISTINCT paper FROM collected WHERE collection IN (SELECT id FROM below)
"""
_FILES = """
    SELECT path, coalesce(problem, ''), coalesce(text, '') FROM attachments
    LEFT JOIN bodies ON bodies.sha256 = attachments.sha256 WHERE paper = ? ORDER BY id
"""
# Includes cited papers outside the library, by the identifier used in the citation.
_CITATIONS = """
    SELECT citing.paper, cited.paper, c.cited_kind, c.cited
    FROM citations AS c
    JOIN identifiers AS citing ON citing.kind = c.citing_kind AND citing.value = c.citing
    LEFT JOIN identifiers AS cited ON cited.kind = c.cited_kind AND cited.value = c.cited
"""


def read(source: Source) -> Iterator[InputRecord | CitedIds | RecordProblem]:
    """Iterate over all papers that are not in the trash, then over citations; with a `part`, those
    of the collection with this path ("thesis/methods").

    Full texts are those that the app has read from PDFs; files without text are problems. Raises
    TrainerError.
    """
    address = f"file:{quote(str(source.path.absolute()))}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True, isolation_level=None)) as db:
            _check(db, source)
            db.execute("BEGIN")  # One transaction: a snapshot, whatever is written meanwhile.
            names: dict[int, str] = {}
            yield from _papers(db, names, _members(db, source), source.full_text)
            yield from _citations(db, names)
    except sqlite3.Error as error:
        raise TrainerError(
            f"The library {source.path} could not be read: {error}.",
            "Close other programs that use the library, or copy it to another folder.",
        ) from error


def _check(db: sqlite3.Connection, source: Source) -> None:
    (application,) = db.execute("PRAGMA application_id").fetchone()
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION_ID:
        raise TrainerError(
            f"{source.path} is not a SciRead library.", "The file is usually named library.sqlite3."
        )
    if not 1 <= version <= NEWEST:
        raise TrainerError(
            f"The library {source.path} has format {version}; this version supports formats 1 "
            f"to {NEWEST}.",
            "Update the trainer.",
        )


def _members(db: sqlite3.Connection, source: Source) -> set[int] | None:
    """Return the papers of the requested collection; None: all."""
    wanted = [name for part in source.part.split("/") if (name := part.strip())]
    if not wanted:
        return None
    at = None
    for name in wanted:
        found = db.execute(_COLLECTION, (at, name)).fetchone()
        if not found:
            raise TrainerError(
                f"The library {source.path} has no collection {source.part!r}.",
                "Specify the full path of the collection, such as: thesis/methods",
            )
        (at,) = found
    return {paper for (paper,) in db.execute(_IN_COLLECTION, (at,))}


def _papers(
    db: sqlite3.Connection, names: dict[int, str], members: set[int] | None, full_text: bool
) -> Iterator[InputRecord | RecordProblem]:
    last = 0
    while rows := db.execute(_PAPERS, (last, _AT_ONCE)).fetchall():
        first, last = rows[0][0], rows[-1][0]
        fields = _grouped(db.execute(_FIELDS, (first, last)))
        identifiers = _grouped(db.execute(_IDENTIFIERS, (first, last)))
        for number, title, abstract, year, venue in rows:
            if members is not None and number not in members:
                continue
            names[number] = _name(number, identifiers.get(number, []))
            body = ""
            if full_text:
                body, unread = _body(db, number)
                yield from unread
            if title or abstract:
                kinds = tuple(field for (field,) in fields.get(number, ()))
                yield InputRecord(
                    names[number],
                    text(title),
                    text(abstract),
                    year or 0,
                    text(venue),
                    kinds,
                    no_values=no_values(title=title, abstract=abstract),
                    full_text=body,
                )
            else:
                yield RecordProblem(
                    names[number], "This paper has neither a title nor an abstract."
                )


def _body(db: sqlite3.Connection, number: int) -> tuple[str, list[RecordProblem]]:
    """Return the text of the paper's first file that has one; if there is none, its PDFs are
    problems."""
    files = db.execute(_FILES, (number,)).fetchall()
    for _, _, body in files:
        if body:
            return body, []
    return "", [
        RecordProblem(path, problem or "The PDF has not been read. Import it again.", paper=False)
        for path, problem, _ in files
        if path.lower().endswith(".pdf")
    ]


def _citations(db: sqlite3.Connection, names: dict[int, str]) -> Iterator[CitedIds]:
    for citing, cited, kind, value in db.execute(_CITATIONS):
        if citing in names:
            yield CitedIds(names[citing], (names.get(cited, f"{kind}:{value}"),))


def _grouped(rows: Iterator[tuple[int, ...]] | sqlite3.Cursor) -> dict[int, list[tuple[str, ...]]]:
    return {paper: [row[1:] for row in group] for paper, group in groupby(rows, key=itemgetter(0))}


def _name(number: int, identifiers: list[tuple[str, ...]]) -> str:
    known = {kind: value for kind, value in reversed(identifiers)}
    kind = next((kind for kind in _PREFERRED if kind in known), next(iter(known), ""))
    return f"{kind}:{known[kind]}" if kind else f"paper:{number}"
