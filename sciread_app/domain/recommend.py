"""Recommendations: followed topics, their preferences and results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from sciread_app.domain.paper import PaperId

DAY = 86_400.0


class TopicKind(StrEnum):
    query = "query"  # to an online source
    collection = "collection"
    search = "search"


@dataclass(frozen=True, slots=True)
class FollowedTopic:
    """A followed topic. `key` is stable when it is renamed. `query` finds the papers of a
    collection or a saved search; a query to an online source has none."""

    key: str  # "query:7", "collection:12", "search:3"
    kind: TopicKind
    name: str  # the text of a query, the path of a collection, the name of a search
    query: str = ""
    papers: int = 0  # in a collection, including its subcollections

    @property
    def number(self) -> int:
        return int(self.key.partition(":")[2])


@dataclass(frozen=True, slots=True)
class TopicPreferences:
    """Preferences for the recommendations of a topic.

    `must` and `never` are queries. A paper's weight halves every `half_life` days; 0: age does not
    matter. Papers that arrived up to the time `seen` were seen.
    """

    must: str = ""
    never: str = ""
    half_life: float = 0.0
    seen: float = 0.0


class CandidateScope(StrEnum):
    """The papers that are candidates."""

    fetched = "fetched"  # added by fetches lately
    added = "added"  # added lately, in any way
    library = "library"  # all papers


class SuggestedAction(StrEnum):
    """The suggested action for an empty list."""

    nothing = ""
    collect = "collect"  # add papers to the collection
    fetch = "fetch"
    far = "far"  # show less similar papers
    words = "words"  # change the required or excluded words


@dataclass(frozen=True, slots=True)
class RecommendedPaper:
    """A recommended paper, with the reasons.

    `like`: the most similar papers of the topic; `words` distinguish it from other papers. `fits`:
    it is as similar to the topic's papers as these are to one another.
    """

    paper: PaperId
    score: float  # 0 to 1
    came: float
    fits: bool = True
    unseen: bool = True
    similarity: float | None = None  # to the nearest of the topic's papers
    percentile: float | None = None
    like: tuple[PaperId, ...] = ()
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recommendations:
    """The recommendations of a topic, best first. `note` is a remark on the list, or the reason why
    it is empty; `hint` and `next` suggest what to do about it."""

    subject: FollowedTopic
    picks: Sequence[RecommendedPaper] = ()
    candidates: int = 0  # number of papers considered
    note: str = ""
    hint: str = ""
    next: SuggestedAction = SuggestedAction.nothing
    since: float = 0.0
    dismissed: Mapping[PaperId, float] = field(default_factory=dict)

    @property
    def fitting(self) -> int:
        return sum(pick.fits for pick in self.picks)
