"""A paper in a list of search results."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sciread_app.domain.paper import PaperId


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
    word of the query, and its similarity is below the relevance floor; of a recommendation, it is
    less similar to the papers of the topic than they are to each other.
    """

    paper: PaperId
    score: float = 0.0
    text_rank: int | None = None
    meaning_rank: int | None = None
    similarity: float | None = None
    percentile: float | None = None
    match: MatchInfo = MatchInfo.other
    weak: bool = False
