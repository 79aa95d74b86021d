"""View models of the recommendations page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from sciread_app.domain.paper import PaperId
from sciread_app.domain.recommend import (
    FollowedTopic,
    SuggestedAction,
    TopicKind,
    TopicPreferences,
)
from sciread_app.domain.search_hit import SearchHit


class RecommendationTab(Enum):
    """The tabs of the recommendations."""

    new = "new"
    seen = "seen"
    far = "far"  # less similar
    dismissed = "dismissed"


@dataclass(frozen=True)
class TopicRecommendations:
    """Recommendations for a topic, each tab best first. `reasons` explains them by paper; `words`
    are those by which they were found."""

    subject: FollowedTopic
    parts: Mapping[RecommendationTab, Sequence[PaperId]] = field(default_factory=dict)
    evidence: Mapping[int, SearchHit] = field(default_factory=dict)
    words: Mapping[int, str] = field(default_factory=dict)
    reasons: Mapping[int, str] = field(default_factory=dict)
    note: str = ""
    hint: str = ""
    next: SuggestedAction = SuggestedAction.nothing
    preferences: TopicPreferences = field(default_factory=TopicPreferences)
    newest: float = 0.0  # when the latest of them was added

    @property
    def is_query(self) -> bool:
        """Whether these are the papers of a query, which are not ranked."""
        return self.subject.kind is TopicKind.query

    def part(self, part: RecommendationTab) -> Sequence[PaperId]:
        return self.parts.get(part, ())
