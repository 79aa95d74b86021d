"""What a search answers with."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from sciread_app.domain.paper import PaperId
from sciread_app.domain.query import Query
from sciread_app.storage.id_sets import Ids


class Mode(StrEnum):
    """What to go by."""

    text = "text"
    meaning = "meaning"
    hybrid = "hybrid"


class Match(StrEnum):
    """How a paper holds what was typed."""

    other = ""
    all_words = "all words"
    in_title = "title"  # every word, in its title and in the same order


@dataclass(frozen=True, slots=True)
class Hit:
    """A paper in a result list, and how it came there.

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
    match: Match = Match.other
    weak: bool = False


@dataclass(frozen=True, slots=True)
class Results:
    """The best hits first, or in the order that was asked for.

    `ids` are all papers that answer, and `total` how many: they hold one of the rarer words of the
    query, or are among the nearest by meaning and not weak. `weaker` are the nearest of those that
    are weak, best first. `note` is for the person, empty if there is nothing to say. Where the list
    is `whole`, `ids` are in its order, and `hits` but its beginning; `further` are those of the
    ranked that come later in it.
    """

    hits: list[Hit]
    total: int
    note: str = ""
    query: Query = field(default_factory=lambda: Query(""))
    ids: Ids = field(default_factory=lambda: np.empty(0, np.int64))
    whole: bool = False
    further: list[Hit] = field(default_factory=list)
    weaker: list[Hit] = field(default_factory=list)
