"""Results of a search."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from sciread_app.domain.paper import PaperId
from sciread_app.domain.query.parser import Query
from sciread_app.storage.id_sets import Ids


class MatchInfo(StrEnum):
    """The occurrence of the words of a query in a paper."""

    other = ""
    all_words = "all words"
    in_title = "title"  # every word, in its title and in the same order


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A paper in a result list, with its scores and ranks.

    Ranks count from 1; None if that method did not find it among its best. `percentile`: the
    percentage of random pairs of papers in this library that are less similar than this paper and
    the query; None if it is not comparable, as for queries of a few words. `weak`: it contains no
    word of the query, and its similarity is below the relevance floor.
    """

    paper: PaperId
    score: float = 0.0
    text_rank: int | None = None
    meaning_rank: int | None = None
    similarity: float | None = None
    percentile: float | None = None
    match: MatchInfo = MatchInfo.other
    weak: bool = False


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
