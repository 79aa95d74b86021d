"""Citations by identifier: most cited papers are not in the library, or not yet."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
from sqlalchemy import text

from sciread_app.domain.citations import NAMES, CitationEnd, Counts, Mention
from sciread_app.domain.paper import Identifier, PaperId
from sciread_app.storage import paper_rows
from sciread_app.storage.database import Database
from sciread_app.storage.id_sets import Ids

Pair = tuple[Identifier, Identifier]  # the first cites the second

_COLUMNS = ("citing_kind", "citing", "cited_kind", "cited", "source")
# SQLite's planner cannot know how short these lists of papers are: CROSS JOIN makes it start there.
_ENDS = """
    SELECT wanted.value AS paper, c.{far}_kind AS kind, c.{far} AS name,
        (SELECT min(papers.id) FROM identifiers AS far JOIN papers ON papers.id = far.paper
         WHERE far.kind = c.{far}_kind AND far.value = c.{far} AND papers.trashed IS NULL) AS other
    FROM json_each(:ids) AS wanted
    CROSS JOIN identifiers AS near ON near.paper = wanted.value
    CROSS JOIN citations AS c ON c.{near}_kind = near.kind AND c.{near} = near.value
"""
_ENDS_OF = {
    "citing": _ENDS.format(near="cited", far="citing"),
    "cited": _ENDS.format(near="citing", far="cited"),
}


# Papers in the trash are not missing: the user has removed them.
_MISSING = """
    SELECT c.cited_kind, c.cited, count(DISTINCT papers.id) AS number
    FROM citations AS c
    CROSS JOIN identifiers AS near ON near.kind = c.citing_kind AND near.value = c.citing
    CROSS JOIN papers ON papers.id = near.paper AND papers.trashed IS NULL
    WHERE NOT EXISTS (SELECT 1 FROM identifiers AS far
        WHERE far.kind = c.cited_kind AND far.value = c.cited)
    GROUP BY c.cited_kind, c.cited HAVING number >= :least
    ORDER BY number DESC, c.cited_kind, c.cited LIMIT :most
"""


class CitationStore:
    """A paper's citations are those of all its identifiers. Papers in the trash count as papers
    outside the library."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def put(
        self, pairs: Iterable[Pair], source: str, *, queried: Iterable[tuple[PaperId, str]] = ()
    ) -> None:
        """Record that the first of each pair cites the second, according to `source`.

        `queried` are papers whose lookup is thereby complete, each with its source; both are stored
        in one transaction.
        """
        # In the order of the table, which is much faster than any other.
        rows = sorted({(*citing, *cited, source) for citing, cited in pairs})
        now = time.time()
        marks = [{"paper": int(paper), "source": by, "at": now} for paper, by in queried]
        with self._db.writing() as db:
            paper_rows.insert(db, "citations", _COLUMNS, rows)
            if marks:
                db.execute(
                    # Only for papers that still exist.
                    text(
                        "INSERT OR REPLACE INTO asked (paper, source, at)"
                        " SELECT id, :source, :at FROM papers WHERE id = :paper"
                    ),
                    marks,
                )

    def references_of(self, paper: PaperId) -> list[CitationEnd]:
        """The references of a paper, each once, those in the library first."""
        return self._neighbours(paper, "cited")

    def citing(self, paper: PaperId) -> list[CitationEnd]:
        """The papers that cite this one, each once, those in the library first."""
        return self._neighbours(paper, "citing")

    def missing(self, most: int, least: int = 1) -> list[tuple[Identifier, int]]:
        """The papers outside the library that are cited by at least `least` papers of the library,
        and by how many; the most cited ones first."""
        with self._db.reading() as db:
            rows = db.execute(text(_MISSING), {"most": most, "least": least})
            return [(Identifier(kind, value), citing) for kind, value, citing in rows]

    def counts(self, papers: Iterable[PaperId]) -> dict[PaperId, Counts]:
        """Number of known references and citations of each paper."""
        ids = list(papers)
        references, citations = self._numbers(ids, "cited"), self._numbers(ids, "citing")
        return {id: Counts(references.get(id, 0), citations.get(id, 0)) for id in ids}

    def citation_counts(self, papers: Iterable[PaperId]) -> dict[PaperId, int]:
        """Number of known citations of those of these papers that are cited."""
        return self._numbers(list(papers), "citing")

    def known_identifiers(self, names: Iterable[Identifier]) -> set[Identifier]:
        """Those of these identifiers that papers in the library have."""
        by_kind: dict[str, list[str]] = defaultdict(list)
        for kind, value in names:
            by_kind[kind].append(value)
        known = (
            "SELECT value FROM identifiers"
            " WHERE kind = :kind AND value IN (SELECT value FROM json_each(:values))"
        )
        with self._db.reading() as db:
            return {
                Identifier(kind, value)
                for kind, values in by_kind.items()
                for (value,) in db.execute(
                    text(known), {"kind": kind, "values": json.dumps(values)}
                )
            }

    def papers_to_look_up(self, source: str, older_than: float = 0.0) -> Ids:
        """The papers never looked up in this source, or not since `older_than` (seconds since
        1970).

        Only papers that have an identifier to look up and are not in the trash, ids ascending.
        """
        kinds = ", ".join(f"'{kind}'" for kind in NAMES)
        wanted = (
            "SELECT id FROM papers WHERE trashed IS NULL"
            " AND NOT EXISTS (SELECT 1 FROM asked"
            "  WHERE asked.paper = papers.id AND source = :source AND at >= :older_than)"
            " AND EXISTS (SELECT 1 FROM identifiers"
            f"  WHERE identifiers.paper = papers.id AND kind IN ({kinds}))"
            " ORDER BY id"
        )
        with self._db.reading() as db:
            found = db.execute(text(wanted), {"source": source, "older_than": older_than})
            return np.fromiter(found.scalars(), dtype=np.int64)

    def lookup_times(self, paper: PaperId) -> dict[str, float]:
        """The sources in which this paper's citations were looked up, and when last."""
        with self._db.reading() as db:
            found = db.execute(
                text("SELECT source, at FROM asked WHERE paper = :paper"), {"paper": int(paper)}
            )
            return {source: at for source, at in found}

    def store_mentions(self, mentions: Iterable[Mention]) -> None:
        """Store titles and authors of papers that are not in the library."""
        rows = [
            m.name._asdict() | {name: text for name, text in m._asdict().items() if name != "name"}
            for m in mentions
        ]
        if not rows:
            return
        put = (
            "INSERT OR REPLACE INTO mentions (kind, value, title, authors, venue, year)"
            " VALUES (:kind, :value, :title, :authors, :venue, :year)"
        )
        with self._db.writing() as db:
            db.execute(text(put), rows)

    def mentions(self, names: Iterable[Identifier]) -> dict[Identifier, Mention]:
        """The stored titles and authors of those of these papers that were looked up."""
        wanted = json.dumps([list(name) for name in names])
        with self._db.reading() as db:
            rows = db.execute(
                text(
                    "SELECT m.kind, m.value, m.title, m.authors, m.venue, m.year"
                    " FROM json_each(:wanted) AS w CROSS JOIN mentions AS m"
                    " ON m.kind = w.value ->> 0 AND m.value = w.value ->> 1"
                ),
                {"wanted": wanted},
            )
            found = (Mention(Identifier(kind, value), *rest) for kind, value, *rest in rows)
            return {mention.name: mention for mention in found}

    def _neighbours(self, paper: PaperId, end: str) -> list[CitationEnd]:
        ends = text(
            f"SELECT kind, name, other FROM ({_ENDS_OF[end]})"
            " WHERE other IS NOT :paper ORDER BY other IS NULL, other, kind, name"
        )
        with self._db.reading() as db:
            rows = db.execute(ends, {"ids": json.dumps([int(paper)]), "paper": int(paper)})
            found = {
                other if other is not None else (kind, name): CitationEnd(
                    Identifier(kind, name), None if other is None else PaperId(other)
                )
                for kind, name, other in rows
            }
        return list(found.values())

    def _numbers(self, papers: Sequence[PaperId], end: str) -> dict[PaperId, int]:
        numbers = text(
            "SELECT paper, count(DISTINCT coalesce(other, kind || ' ' || name))"
            f" FROM ({_ENDS_OF[end]}) WHERE other IS NOT paper GROUP BY paper"
        )
        with self._db.reading() as db:
            rows = db.execute(numbers, {"ids": json.dumps([int(id) for id in papers])})
            return {PaperId(paper): count for paper, count in rows}
