"""What is new for somebody: for which subject, how it is wanted, and what was found."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from sciread_app.domain.paper import PaperId

Scores = NDArray[np.float64]

DAY = 86_400.0


class SubjectKind(StrEnum):
    collection = "collection"
    search = "search"


@dataclass(frozen=True, slots=True)
class Subject:
    """What somebody follows. `key` stays when it is renamed; `query` finds what it is made of."""

    key: str  # "collection:12", "search:3"
    kind: SubjectKind
    name: str  # the path of a collection, the name of a search
    query: str
    papers: int = 0  # that a collection holds, with those in collections below it

    @property
    def number(self) -> int:
        return int(self.key.partition(":")[2])


@dataclass(frozen=True, slots=True)
class Wishes:
    """How a person wants what is new for a subject.

    `must` and `never` are in the language of the search box. A paper counts half after
    `half_life` days; 0: age does not matter. What came until `seen` was seen.
    """

    must: str = ""
    never: str = ""
    half_life: float = 0.0
    seen: float = 0.0


class Among(StrEnum):
    """Which papers are candidates."""

    fetched = "fetched"  # what fetches have brought lately
    added = "added"  # what came lately, by whichever way
    library = "library"  # all there are


class Next(StrEnum):
    """What somebody can do about a list that is empty."""

    nothing = ""
    collect = "collect"  # put papers into the collection
    fetch = "fetch"
    far = "far"  # look at papers that are less alike
    words = "words"  # change what must or must never be there


@dataclass(frozen=True, slots=True)
class Pick:
    """A paper that is recommended, and why.

    `like`: the papers of the subject that it is most like; `words` tell it from other papers.
    `fits`: it is as like the subject's papers as these are one another.
    """

    paper: PaperId
    score: float  # 0 to 1
    came: float
    fits: bool = True
    unseen: bool = True
    similarity: float | None = None  # to the nearest of the subject's papers
    percentile: float | None = None
    like: tuple[PaperId, ...] = ()
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Feed:
    """What is new for a subject, best first. `note`: what somebody should know of the list, and
    why it is empty if it is; `hint` and `next`: what can be done about it."""

    subject: Subject
    picks: Sequence[Pick] = ()
    candidates: int = 0  # papers that were looked at
    note: str = ""
    hint: str = ""
    next: Next = Next.nothing
    since: float = 0.0
    waved_away: Mapping[PaperId, float] = field(default_factory=dict)

    @property
    def fitting(self) -> int:
        return sum(pick.fits for pick in self.picks)


def standard(scores: Scores) -> Scores:
    """Scores with mean 0 and deviation 1, so that those of two models can be added."""
    spread = float(scores.std())
    return (scores - scores.mean()) / spread if spread > 1e-12 else np.zeros(len(scores))


def decay(ages: NDArray[np.float64], half_life: float) -> NDArray[np.float64]:
    """What is left of the weight of papers that are so many days old."""
    if half_life <= 0:
        return np.ones(len(ages))
    return np.exp(-math.log(2) * np.maximum(ages, 0.0) / half_life)
