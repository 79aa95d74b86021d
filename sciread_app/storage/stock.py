"""What papers hold of what a model learns from, counted where they lie."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
from sqlalchemy import Connection, text

from sciread_app.domain.training import Stock
from sciread_app.storage.database import Database
from sciread_app.storage.id_sets import Ids

# To look up all citations of a large library takes half a minute; of so many papers, a second.
_COUNTED = 5_000

_AMONG = "id IN (SELECT value FROM json_each(:ids))"
_PAPERS = f"SELECT count(*), coalesce(sum(abstract != ''), 0) FROM papers WHERE {_AMONG}"
# As the trainer names papers: by their PMID only where they have neither an arXiv id nor a DOI.
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
# The planner cannot know how short these lists of papers are, and has to be told where to begin.
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


class Stocks:
    def __init__(self, database: Database) -> None:
        self._db = database

    def of(self, ids: Ids) -> Stock:
        """What these papers hold together."""
        every = json.dumps(ids.tolist())
        with self._db.reading() as db:
            papers, abstracts = db.execute(text(_PAPERS), {"ids": every}).one()
            venues = db.execute(text(_VENUES), {"ids": every})
            fields = db.execute(text(_FIELDS), {"ids": every})
            citations, citing = _citations(db, ids, every)
            return Stock(
                papers=papers,
                abstracts=abstracts,
                citations=citations,
                citing=citing,
                about=len(ids) > _COUNTED,
                venues=[(venue, year, bool(pubmed), n) for venue, year, pubmed, n in venues],
                fields={field: count for field, count in fields},
            )


def _citations(db: Connection, ids: Ids, every: str) -> Sequence[int]:
    """Citations between the papers, and how many of these cite; from a part of very many."""
    part = 1.0
    some = ids
    if len(ids) > _COUNTED:
        some = np.random.default_rng(1).choice(ids, _COUNTED, replace=False)
        part = len(ids) / _COUNTED
    asked = {"some": json.dumps(sorted(some.tolist())), "ids": every}
    return [round(count * part) for count in db.execute(text(_CITATIONS), asked).one()]
