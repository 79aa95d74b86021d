"""Services and view models of the recommendations page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from sciread_app.domain.paper import PaperId
from sciread_app.domain.recommend import (
    CandidateScope,
    FollowedTopic,
    SuggestedAction,
    TopicPreferences,
)
from sciread_app.domain.search_hit import SearchHit
from sciread_app.tasks import Task
from sciread_app.ui.paper_list.paper_list import CardSource


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
    looked_at: int = 0
    note: str = ""
    hint: str = ""
    next: SuggestedAction = SuggestedAction.nothing
    preferences: TopicPreferences = field(default_factory=TopicPreferences)
    newest: float = 0.0  # when the latest of them was added

    def part(self, part: RecommendationTab) -> Sequence[PaperId]:
        return self.parts.get(part, ())


class RecommendationServices(CardSource, Protocol):
    """Services for recommendations. All methods block; call them from worker threads."""

    def subjects(self) -> Sequence[FollowedTopic]: ...

    def suggest(
        self, subject: FollowedTopic, among: CandidateScope, days: int, task: Task
    ) -> TopicRecommendations:
        """Raises BadQuery if the topic's query is invalid."""
        ...

    def count_new(self, subject: FollowedTopic, task: Task) -> int: ...

    def like(self, subject: FollowedTopic, papers: Sequence[int]) -> None: ...

    def dismiss(self, subject: FollowedTopic, papers: Sequence[int]) -> None: ...

    def take_back(self, subject: FollowedTopic, papers: Sequence[int]) -> None: ...

    def seen(self, subject: FollowedTopic, until: float) -> None: ...

    def set_preferences(self, subject: FollowedTopic, preferences: TopicPreferences) -> None: ...
