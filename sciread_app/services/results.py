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


@dataclass(frozen=True, slots=True)
class Hit:
    """A paper in a result list, and how it came there.

    Ranks count from 1; None where that leg did not find it among its best. `percentile`: how many
    of 100 random pairs of papers in this library are less alike than this paper and the query.
    """

    paper: PaperId
    score: float = 0.0
    text_rank: int | None = None
    meaning_rank: int | None = None
    similarity: float | None = None
    percentile: float | None = None


@dataclass(frozen=True, slots=True)
class Results:
    """The best hits first, or in the order that was asked for. `ids` are all papers that were
    ranked, or listed, and `total` how many; `note` is for the person, empty if there is nothing to
    say. Where the list is `whole`, `ids` are in its order, and `hits` but its beginning; `further`
    are those of the ranked that come later in it."""

    hits: list[Hit]
    total: int
    note: str = ""
    query: Query = field(default_factory=lambda: Query(""))
    ids: Ids = field(default_factory=lambda: np.empty(0, np.int64))
    whole: bool = False
    further: list[Hit] = field(default_factory=list)
