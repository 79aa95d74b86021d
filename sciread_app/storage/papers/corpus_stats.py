"""Statistics of papers as a training corpus, counted in the database."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
from sqlalchemy import Connection, text

from sciread_app.storage.database import Database
from sciread_app.storage.id_sets import Ids
from trainer.contract.corpus_stats import CorpusStats, VenueYear

# Looking up all citations of a large library takes half a minute; of this many papers, a second.
_COUNTED = 5_000

_AMONG = "id IN (SELECT value FROM json_each(:ids))"
_PAPERS = f"SELECT count(*), coalesce(sum(abstract != ''), 0) FROM papers WHERE {_AMONG}"
# Identifiers as the trainer uses them: a PMID only without an arXiv id or DOI.
_VENUES = f"""
    SELECT venue, coalesce(year, 0),
        EXISTS (SELECT 1 FROM identifiers WHERE paper = papers.id AND kind = 'pmid')
        AND NOT EXISTS
            (SELECT 1 FROM identifiers WHERE paper = papers.id AND kind IN ('arxiv', 'doi')),
        count(*)
    FROM papers WHERE {_AMONG} AND abstract != '' AND venue != '' GROUP BY 1, 2, 3
"""
_FIELDS = """
    SELECT field, count(*) FROM fields AS f
    WHERE paper IN (SELECT value FROM json_each(:ids))
    AND position = (SELECT min(position) FROM fields WHERE paper = f.paper) GROUP BY field
"""
_HAS_TEXT = "EXISTS (SELECT 1 FROM bodies WHERE bodies.sha256 = attachments.sha256)"
_FULL_TEXTS = f"""
    SELECT count(DISTINCT paper) FROM attachments
    WHERE paper IN (SELECT value FROM json_each(:ids)) AND {_HAS_TEXT}
"""
# Of papers none of whose files have a text.
_WITHOUT_TEXT = f"""
    SELECT path FROM attachments WHERE paper IN (
        SELECT paper FROM attachments WHERE paper IN (SELECT value FROM json_each(:ids))
        GROUP BY paper HAVING NOT max({_HAS_TEXT}))
    AND lower(path) LIKE '%.pdf' ORDER BY path
"""
# SQLite's planner cannot know how short these lists of papers are: CROSS JOIN makes it start there.
_CITATIONS = """
    SELECT count(*), count(DISTINCT citing) FROM (
        SELECT DISTINCT near.paper AS citing, far.paper AS cited
        FROM json_each(:some) AS wanted
        CROSS JOIN identifiers AS near ON near.paper = wanted.value
        CROSS JOIN citations AS c ON c.citing_kind = near.kind AND c.citing = near.value
        CROSS JOIN identifiers AS far ON far.kind = c.cited_kind AND far.value = c.cited
        WHERE far.paper != near.paper
        -- With the plus it is looked up in that list, instead of the whole list in an index.
        AND +far.paper IN (SELECT value FROM json_each(:ids)))
"""


class CorpusStatsStore:
    """Counts what a selection of papers offers a training, without building a corpus."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def of(self, ids: Ids) -> tuple[CorpusStats, bool]:
        """The statistics of these papers together, and whether the numbers of citations are
        estimated from a sample."""
        every = json.dumps(ids.tolist())
        with self._db.reading() as db:
            papers, abstracts = db.execute(text(_PAPERS), {"ids": every}).one()
            venues = db.execute(text(_VENUES), {"ids": every})
            fields = db.execute(text(_FIELDS), {"ids": every})
            citations, citing = _citations(db, ids, every)
            stats = CorpusStats(
                papers=papers,
                abstracts=abstracts,
                citations=citations,
                citing=citing,
                full_texts=db.execute(text(_FULL_TEXTS), {"ids": every}).scalar_one(),
                venues=[
                    VenueYear(venue, year, bool(pubmed), n) for venue, year, pubmed, n in venues
                ],
                fields={field: count for field, count in fields},
            )
            return stats, len(ids) > _COUNTED

    def pdfs_without_text(self, ids: Ids) -> list[str]:
        """The paths of PDFs of those papers whose files have no text: damaged files, scans and
        files that were never read."""
        with self._db.reading() as db:
            values = {"ids": json.dumps(ids.tolist())}
            return list(db.execute(text(_WITHOUT_TEXT), values).scalars())


def _citations(db: Connection, ids: Ids, every: str) -> Sequence[int]:
    """Number of citations between the papers and of citing papers; estimated from a sample of very
    many."""
    part = 1.0
    some = ids
    if len(ids) > _COUNTED:
        some = np.random.default_rng(1).choice(ids, _COUNTED, replace=False)
        part = len(ids) / _COUNTED
    asked = {"some": json.dumps(sorted(some.tolist())), "ids": every}
    return [round(count * part) for count in db.execute(text(_CITATIONS), asked).one()]
