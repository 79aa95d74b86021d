"""The services of the recommendations page, from an open workspace."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sciread_app.domain.digest import DigestState, Frequency, Interval
from sciread_app.domain.paper import PaperId
from sciread_app.domain.recommend import (
    DAY,
    CandidateScope,
    FollowedTopic,
    Recommendations,
    RecommendedPaper,
    TopicKind,
    TopicPreferences,
)
from sciread_app.domain.search_hit import SearchHit
from sciread_app.domain.text.tex import readable
from sciread_app.language import format_list, tr
from sciread_app.tasks import Task
from sciread_app.ui.formatting import shortened
from sciread_app.ui.recommendations.view_models import RecommendationTab, TopicRecommendations
from sciread_app.workspace import Workspace

if TYPE_CHECKING:
    from sciread_app.services.recommend.recommender import Recommender

MOST = 200  # papers that are ranked for a topic
ALL = 1_000_000  # the papers of a query are only listed
TITLES_SHOWN = 70  # characters of the titles among the reasons


class RecommendationsGateway:
    """Every method blocks; call them from worker threads."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._left: dict[str, Interval] = {}  # intervals of topics that left digests

    def subjects(self) -> list[FollowedTopic]:
        return self._workspace.library.feedback.subjects()

    def default_scope(self) -> CandidateScope:
        return self._workspace.library.feedback.default_scope()

    def fetched(self, subject: FollowedTopic) -> list[PaperId]:
        """All papers that a query has fetched, latest first."""
        ids = self._workspace.library.feedback.fetched(0.0, subject.number).ids
        return [PaperId(id) for id in ids[::-1].tolist()]

    def suggest(
        self, subject: FollowedTopic, among: CandidateScope, days: int, task: Task
    ) -> TopicRecommendations:
        """Raises BadQuery if the topic's query is invalid."""
        since = time.time() - days * DAY
        limit = ALL if subject.kind is TopicKind.query else MOST
        with self._recommending() as recommender:
            feed = recommender.new_for(subject, since=since, among=among, limit=limit, task=task)
            preferences = recommender.preferences(subject)
        return TopicRecommendations(
            subject,
            _parts(feed),
            {
                pick.paper: SearchHit(
                    pick.paper,
                    similarity=pick.similarity,
                    percentile=pick.percentile,
                    weak=not pick.fits,
                )
                for pick in feed.picks
            },
            {
                pick.paper: tr("Key terms: {words}", words=", ".join(pick.words))
                for pick in feed.picks
                if pick.words
            },
            self._reasons(feed.picks),
            feed.note,
            feed.hint,
            feed.next,
            preferences,
            max((pick.came for pick in feed.picks), default=0.0),
        )

    def new_ids(self, subject: FollowedTopic, task: Task) -> frozenset[PaperId]:
        with self._recommending() as recommender:
            return recommender.new_ids(subject, task)

    def leave_digests(self, subject: FollowedTopic) -> None:
        """Make a topic no part of digests."""
        state = self._workspace.library.digests.states().get(subject.key, DigestState())
        if state.interval.frequency is not Frequency.never:
            self._left[subject.key] = state.interval
            self._workspace.digests.set_interval(subject, Interval())

    def return_to_digests(self, subject: FollowedTopic) -> None:
        """Undo this if it was done since the library was opened."""
        if interval := self._left.pop(subject.key, None):
            self._workspace.digests.set_interval(subject, interval)

    def like(self, subject: FollowedTopic, papers: Sequence[int]) -> None:
        with self._recommending() as recommender:
            recommender.like(subject, papers)

    def dismiss(self, subject: FollowedTopic, papers: Sequence[int]) -> None:
        with self._recommending() as recommender:
            recommender.dismiss(subject, papers)

    def take_back(self, subject: FollowedTopic, papers: Sequence[int]) -> None:
        with self._recommending() as recommender:
            recommender.take_back(subject, papers)

    def seen(self, subject: FollowedTopic, until: float) -> None:
        with self._recommending() as recommender:
            recommender.seen(subject, until)

    def set_preferences(self, subject: FollowedTopic, preferences: TopicPreferences) -> None:
        with self._recommending() as recommender:
            recommender.set_preferences(subject, preferences)

    @contextmanager
    def _recommending(self) -> Iterator[Recommender]:
        with self._workspace.active_model.use() as now:
            yield self._workspace.recommender(now)

    def _reasons(self, picks: Sequence[RecommendedPaper]) -> dict[int, str]:
        """Similar to “one title” and “another”"""
        named = {paper for pick in picks for paper in pick.like}
        titles = {
            paper: readable(title)
            for paper, (title, _) in zip(named, self._workspace.library.texts(named), strict=True)
        }
        return {pick.paper: _reason(pick, titles) for pick in picks}


def _parts(feed: Recommendations) -> dict[RecommendationTab, list[PaperId]]:
    return {
        RecommendationTab.new: [pick.paper for pick in feed.picks if pick.fits and pick.unseen],
        RecommendationTab.seen: [
            pick.paper for pick in feed.picks if pick.fits and not pick.unseen
        ],
        RecommendationTab.far: [pick.paper for pick in feed.picks if not pick.fits],
        RecommendationTab.dismissed: list(feed.dismissed),
    }


def _reason(pick: RecommendedPaper, titles: dict[PaperId, str]) -> str:
    if not pick.like:
        return ""
    named = list(dict.fromkeys(titles[paper] for paper in pick.like))
    most = TITLES_SHOWN // len(named)
    listed = format_list(tr("“{title}”", title=shortened(title, most)) for title in named)
    # Translators: this paper is similar to “the title of another”, or several
    return tr("Similar to {titles}", titles=listed)
