"""Results of a search."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sciread_app.domain.query.parser import Query
from sciread_app.domain.search_hit import SearchHit
from sciread_app.storage.id_sets import Ids


@dataclass(frozen=True, slots=True)
class SearchResults:
    """The results of a search, best first or in the requested order.

    `ids`: all `total` matching papers; they contain one of the rarer words of the query, or are
    among the nearest by meaning and not weak. `weaker`: the nearest weak papers, best first.
    `note`: a message for the user, or empty. `whole`: `ids` are in the order of the list, and
    `hits` are its beginning; `further`: the ranked papers that come later in it.
    """

    hits: list[SearchHit]
    total: int
    note: str = ""
    query: Query = field(default_factory=lambda: Query(""))
    ids: Ids = field(default_factory=lambda: np.empty(0, np.int64))
    whole: bool = False
    further: list[SearchHit] = field(default_factory=list)
    weaker: list[SearchHit] = field(default_factory=list)
