"""The sort orders of lists as SQL."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from sqlalchemy import Connection, func, select

from sciread_app.domain.paper import Order
from sciread_app.storage import schema
from sciread_app.storage.id_sets import Ids


def listed(db: Connection, order: Order, which: Any) -> Ids:
    """The papers that meet a clause, in this order."""
    rows = db.execute(select(schema.papers.c.id).where(which).order_by(*_by(order)))
    return np.fromiter(chain.from_iterable(rows), np.int64)


def _by(order: Order) -> Sequence[Any]:
    """ORDER BY expressions: unknown values last, newest first among equals."""
    papers, authors = schema.papers.c, schema.authors.c
    newest = (papers.added.desc(), papers.id.desc())
    first_author = (
        select(func.lower(authors.family))
        .where(authors.paper == papers.id, authors.position == 0)
        .scalar_subquery()
    )
    return {
        Order.relevance: newest,
        Order.added: newest,
        Order.year: (papers.published.desc(), papers.id.desc()),
        Order.oldest: (papers.published == "", papers.published, papers.id),
        Order.title: (func.lower(papers.title), papers.id),
        Order.author: (first_author.nulls_last(), papers.published.desc(), papers.id),
        Order.venue: (papers.venue == "", func.lower(papers.venue), *newest),
        Order.rating: (papers.rating.desc(), *newest),
        Order.unread: (papers.read, *newest),
    }[order]
