"""A fake of the recommendations' services; each call is recorded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sciread_app.domain.paper import PaperId
from sciread_app.domain.recommend import (
    CandidateScope,
    FollowedTopic,
    SuggestedAction,
    TopicKind,
    TopicPreferences,
)
from sciread_app.domain.search_hit import SearchHit
from sciread_app.errors import BadQuery
from sciread_app.tasks import Task
from sciread_app.ui.recommendations.view_models import RecommendationTab, TopicRecommendations

BEES = FollowedTopic("collection:1", TopicKind.collection, "bees", 'in:"bees"', 8)
DANCE = FollowedTopic("collection:2", TopicKind.collection, "bees/dance", 'in:"bees/dance"', 3)
SWARMS = FollowedTopic("query:7", TopicKind.query, "all:swarm")
HIVES = FollowedTopic("search:1", TopicKind.search, "Hives", "hive")


class FakeRecommendations:
    """Recommend papers 1 to 6 for each subject: 1 to 4 are new, 5 and 6 less similar."""

    def __init__(self, subjects: Sequence[FollowedTopic] = ()) -> None:
        self.followed = list(subjects)
        self.scope = CandidateScope.fetched
        self.come = list(range(1, 7))
        self.dismissed: dict[str, list[PaperId]] = {}
        self.preferences: dict[str, TopicPreferences] = {}
        self.calls: list[str] = []
        self.note, self.hint, self.next = "", "", SuggestedAction.nothing

    def subjects(self) -> list[FollowedTopic]:
        return self.followed

    def default_scope(self) -> CandidateScope:
        return self.scope

    def fetched(self, subject: FollowedTopic) -> list[PaperId]:
        return [PaperId(n) for n in self.come]

    def suggest(
        self, subject: FollowedTopic, among: CandidateScope, days: int, task: Task
    ) -> TopicRecommendations:
        self.calls.append(f"{subject.name} {among.value} {days}")
        preferences, dismissed = (
            self.preferences.get(subject.key, TopicPreferences()),
            self.dismissed.get(subject.key, []),
        )
        left = [PaperId(n) for n in self.come if n not in dismissed]
        near, far = [n for n in left if n <= 4], [n for n in left if n > 4]
        new = [n for n in near if n > preferences.seen]
        return TopicRecommendations(
            subject,
            {
                RecommendationTab.new: new,
                RecommendationTab.seen: [n for n in near if n not in new],
                RecommendationTab.far: far,
                RecommendationTab.dismissed: dismissed,
            },
            {n: SearchHit(n, similarity=0.6, percentile=100 - 0.3 * 1.8**n) for n in left},
            dict.fromkeys(left, "Its words: hive"),
            {n: f"Like “Paper {n + 10}”" for n in left},
            self.note,
            self.hint,
            self.next,
            preferences,
            newest=max(near, default=0),
        )

    def new_ids(self, subject: FollowedTopic, task: Task) -> frozenset[PaperId]:
        found = self.suggest(subject, CandidateScope.fetched, 30, task)
        return frozenset(found.part(RecommendationTab.new))

    def leave_digests(self, subject: FollowedTopic) -> None:
        self.calls.append(f"leave digests {subject.name}")

    def return_to_digests(self, subject: FollowedTopic) -> None:
        self.calls.append(f"return to digests {subject.name}")

    def like(self, subject: FollowedTopic, papers: Sequence[int]) -> None:
        self.calls.append(f"like {subject.name} {list(papers)}")

    def dismiss(self, subject: FollowedTopic, papers: Sequence[int]) -> None:
        self.dismissed.setdefault(subject.key, []).extend(map(PaperId, papers))

    def take_back(self, subject: FollowedTopic, papers: Sequence[int]) -> None:
        gone = set(papers)
        self.dismissed[subject.key] = [
            n for n in self.dismissed.get(subject.key, []) if n not in gone
        ]

    def seen(self, subject: FollowedTopic, until: float) -> None:
        self.preferences[subject.key] = replace(
            self.preferences.get(subject.key, TopicPreferences()), seen=until
        )

    def set_preferences(self, subject: FollowedTopic, preferences: TopicPreferences) -> None:
        if "year:" in preferences.must:
            raise BadQuery("“year:soon” is no year.", "Write year:2015.")
        self.preferences[subject.key] = preferences
