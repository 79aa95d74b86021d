"""Results of a search."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from sciread_app.domain.paper import PaperId
from sciread_app.domain.query.parser import Query
from sciread_app.storage.id_sets import Ids


class MatchInfo(StrEnum):
    """How the words of a query occur in a paper."""

    other = ""
    all_words = "all words"
    in_title = "title"  # every word, in its title and in the same order


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A paper in a result list, with its scores and ranks.

    Ranks count from 1; None where that leg did not find it among its best. `percentile`: how many
    of 100 random pairs of papers in this library are less alike than this paper and the query;
    None where that says nothing, as of queries of a few words. `weak`: no word of the query finds
    it, and it is no more like the query than a paper is like unrelated text.
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

    `ids` are all papers that answer, and `total` how many: they hold one of the rarer words of the
    query, or are among the nearest by meaning and not weak. `weaker` are the nearest of those that
    are weak, best first. `note` is for the person, empty if there is nothing to say. Where the list
    is `whole`, `ids` are in its order, and `hits` but its beginning; `further` are those of the
    ranked that come later in it.
    """

    hits: list[SearchHit]
    total: int
    note: str = ""
    query: Query = field(default_factory=lambda: Query(""))
    ids: Ids = field(default_factory=lambda: np.empty(0, np.int64))
    whole: bool = False
    further: list[SearchHit] = field(default_factory=list)
    weaker: list[SearchHit] = field(default_factory=list)
