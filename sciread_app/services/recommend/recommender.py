"""Recommendations: recently added papers, ranked for a followed collection or saved search; and
the papers that a followed query has fetched."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

import numpy as np

from sciread_app.domain.paper import PaperId
from sciread_app.domain.query.parser import Condition, parse
from sciread_app.domain.recommend import (
    DAY,
    CandidateScope,
    FollowedTopic,
    Recommendations,
    RecommendedPaper,
    TopicKind,
    TopicPreferences,
)
from sciread_app.language import tr, trn
from sciread_app.services.recommend import messages as words
from sciread_app.services.recommend.messages import StatusMessage
from sciread_app.services.recommend.ranker import TopicRanker, TrainingExamples
from sciread_app.services.search.embedding_index import EmbeddingIndex
from sciread_app.services.search.search import SearchService
from sciread_app.storage.id_sets import Ids
from sciread_app.storage.library import Library
from sciread_app.storage.organisation.relevance_feedback import AddedPapers, LastFetch
from sciread_app.tasks import Task

LATELY = 30  # days
# Number of papers from which on a collection defines its topic well enough.
ENOUGH = 5
# Number of the best results that represent a saved search.
_BEST = 25
# Results that score less than this share of the best one do not represent the search.
_RELEVANT = 0.4
# Number of the latest members used of a larger collection.
_MOST_MEMBERS = 1_000
_KEPT = 64  # cached feeds


@dataclass(frozen=True, slots=True)
class _CacheKey:
    """The cache key of a feed: all it depends on except the texts of the papers."""

    subject: FollowedTopic
    among: CandidateScope
    examples: TrainingExamples
    arrived: bytes
    candidates: bytes
    read: bytes  # those of the candidates that are marked as read
    vectors: tuple[str, int]  # the embedding space, and the number of papers with a vector
    today: int  # in days since 1970, since ages are in days
    limit: int


class _Request(NamedTuple):
    """A request for recommendations, with its candidates and the dismissed papers."""

    key: _CacheKey
    arrived: Ids  # all papers in the scope
    candidates: AddedPapers
    read: Ids  # those of the candidates that are marked as read
    dismissed: dict[PaperId, float]


class Recommender:
    """Recommends papers for followed topics. Blocks; safe to call from any thread. Without a model,
    works by words alone."""

    def __init__(self, library: Library, space: EmbeddingIndex | None) -> None:
        self._library = library
        self._feedback = library.feedback
        self._space = space
        self._search = SearchService(library, space)
        self._picker = TopicRanker(library, space)
        self._feeds: OrderedDict[_CacheKey, Recommendations] = OrderedDict()
        self._lock = threading.Lock()

    def subjects(self) -> list[FollowedTopic]:
        """All queries to online sources, then all collections by path, then all saved searches."""
        return self._feedback.subjects()

    def subject(self, name: str) -> FollowedTopic:
        """Return the topic with this key, path or name. Raises LibraryError if there is none."""
        return self._feedback.subject(name)

    def preferences(self, subject: FollowedTopic) -> TopicPreferences:
        return self._feedback.preferences().get(subject.key, TopicPreferences())

    # Each of these is an edit that can be undone.

    def set_preferences(self, subject: FollowedTopic, preferences: TopicPreferences) -> None:
        """Change the preferences for a topic. Raises BadQuery if they are no valid query."""
        _conditions_for(subject, preferences)
        what = tr("Changed the recommendation filters for “{name}”", name=subject.name)
        with self._library.edits.recording(what):
            self._feedback.set_preferences(subject.key, preferences)

    def seen(self, subject: FollowedTopic, until: float) -> None:
        """Mark papers added until then as seen."""
        what = tr("Marked all as seen for “{name}”", name=subject.name)
        with self._library.edits.recording(what):
            self._feedback.set_preferences(
                subject.key, replace(self.preferences(subject), seen=until)
            )

    def like(self, subject: FollowedTopic, papers: Sequence[int]) -> None:
        """Mark these papers as relevant to the topic, without adding them to a collection."""
        what = trn(
            "Liked {n:,} paper for “{name}”",
            "Liked {n:,} papers for “{name}”",
            len(papers),
            name=subject.name,
        )
        with self._library.edits.recording(what):
            self._feedback.set(subject.key, papers, liked=True)

    def dismiss(self, subject: FollowedTopic, papers: Sequence[int]) -> None:
        """Mark these papers as not relevant; the next list takes it into account."""
        what = trn(
            "Dismissed {n:,} paper for “{name}”",
            "Dismissed {n:,} papers for “{name}”",
            len(papers),
            name=subject.name,
        )
        with self._library.edits.recording(what):
            self._feedback.set(subject.key, papers, liked=False)

    def take_back(self, subject: FollowedTopic, papers: Sequence[int]) -> None:
        """Remove the feedback on these papers."""
        what = trn(
            "Removed the feedback on {n:,} paper for “{name}”",
            "Removed the feedback on {n:,} papers for “{name}”",
            len(papers),
            name=subject.name,
        )
        with self._library.edits.recording(what):
            self._feedback.remove(subject.key, papers)

    def new_for(
        self,
        subject: FollowedTopic,
        *,
        since: float | None = None,
        among: CandidateScope | None = None,
        limit: int = 100,
        task: Task | None = None,
    ) -> Recommendations:
        """Recommendations for a topic, best first: by default of the last 30 days, in the default
        scope. Raises BadQuery if the topic's query or its preferences are invalid.

        For a query to an online source, these are the papers that it has fetched, latest first.
        """
        task = task or Task()
        since = time.time() - LATELY * DAY if since is None else since
        request = self._ask(subject, since, among or self._feedback.default_scope(), limit)
        task.raise_if_cancelled()
        feed = self._known(request.key)
        if feed is None:
            feed = self._answer(request, since, task)
        if feed.picks:  # the reason for an empty feed depends on more than the key
            self._keep(request.key, feed)
        return replace(feed, since=since, dismissed=request.dismissed)

    def new_ids(self, subject: FollowedTopic, task: Task | None = None) -> frozenset[PaperId]:
        """Return the recent papers that fit this topic and are neither seen nor read.

        With vectors, no model is trained for this, so that they are available at once.
        """
        is_query = subject.kind is TopicKind.query
        if self._space is None and not is_query:
            picks = self.new_for(subject, task=task).picks
            return frozenset(pick.paper for pick in picks if pick.fits and pick.unseen)
        request = self._ask(subject, time.time() - LATELY * DAY, self._feedback.default_scope(), 0)
        if is_query:
            ids, came = request.candidates
            unseen = came > request.key.examples.preferences.seen
            return frozenset(ids[unseen & ~np.isin(ids, request.read)].tolist())
        found = self._picker.new_ids(request.key.examples, request.candidates, request.read)
        return frozenset(found.tolist())

    def _ask(
        self, subject: FollowedTopic, since: float, among: CandidateScope, limit: int
    ) -> _Request:
        preferences = self.preferences(subject)
        liked, dismissed = self._feedback.of(subject.key)
        arrivals = self._arrivals(subject, among, since)
        members = list(dict.fromkeys([*self._own(subject, arrivals.ids), *liked]))
        held = members if subject.kind is TopicKind.collection else liked
        candidates = self._candidates(subject, preferences, arrivals, [*held, *dismissed])
        read = np.intersect1d(candidates.ids, self._feedback.read(), assume_unique=True)
        key = _CacheKey(
            subject,
            among,
            TrainingExamples(tuple(members), tuple(dismissed), preferences),
            arrivals.ids.tobytes(),
            candidates.ids.tobytes(),
            read.tobytes(),
            (self._space.key, self._space.count()) if self._space else ("", 0),
            int(time.time() / DAY),
            limit,
        )
        return _Request(key, arrivals.ids, candidates, read, dismissed)

    def _arrivals(self, subject: FollowedTopic, among: CandidateScope, since: float) -> AddedPapers:
        if subject.kind is TopicKind.query:
            since = 0.0 if among is CandidateScope.library else since
            return self._feedback.fetched(since, subject.number)
        if among is CandidateScope.fetched:
            return self._feedback.fetched(since)
        if among is CandidateScope.added:
            return self._feedback.added(since)
        every = self._library.matching(())
        return AddedPapers(every, np.full(len(every), np.nan))

    def _own(self, subject: FollowedTopic, arrived: Ids) -> list[PaperId]:
        """The papers that define the topic."""
        if subject.kind is TopicKind.collection:
            return self._feedback.members(subject.number)[:_MOST_MEMBERS]
        if subject.kind is TopicKind.query:
            return []
        return self._best(subject.query, arrived)

    def _best(self, query: str, arrived: Ids) -> list[PaperId]:
        """The best results of a search among papers present before; among all, if those are too
        few to learn from."""
        hits = self._search.find(parse(query), limit=8 * _BEST).hits
        least = _RELEVANT * max((hit.score for hit in hits), default=0.0)
        found = [hit.paper for hit in hits if hit.score >= least]
        new = set(arrived.tolist())
        older = [paper for paper in found if paper not in new][:_BEST]
        return older if len(older) >= ENOUGH else found[:_BEST]

    def _candidates(
        self,
        subject: FollowedTopic,
        preferences: TopicPreferences,
        arrivals: AddedPapers,
        settled: Sequence[PaperId],
    ) -> AddedPapers:
        """The candidates: neither members nor dismissed, and meeting the preferences."""
        kept = ~np.isin(arrivals.ids, np.array(settled, np.int64))
        conditions = _conditions_for(subject, preferences)
        if conditions and kept.any():
            kept &= np.isin(arrivals.ids, self._library.matching(conditions), assume_unique=True)
        return AddedPapers(arrivals.ids[kept], arrivals.came[kept])

    def _answer(self, request: _Request, since: float, task: Task) -> Recommendations:
        key, is_query = request.key, request.key.subject.kind is TopicKind.query
        if not (key.examples.relevant or is_query) or not len(request.candidates.ids):
            why = self._nothing_found_reason(key, request.arrived, since)
            return Recommendations(key.subject, **why._asdict())
        if is_query:
            picks = _latest(request)
        else:
            picks = self._picker.pick(key.examples, request.candidates, key.limit, task)
        read = frozenset(request.read.tolist())
        picks = [replace(pick, unseen=pick.unseen and pick.paper not in read) for pick in picks]
        feed = Recommendations(key.subject, picks, len(request.candidates.ids))
        if not picks:
            why = words.only_versions(feed.candidates)
        elif not feed.fitting:
            why = words.none_fits(feed.candidates, key.subject)
        elif not any(pick.fits and pick.unseen for pick in picks):
            why = words.all_seen(self._last_fetch(key.subject), datetime.now().astimezone())
        elif not is_query and len(key.examples.relevant) < ENOUGH:
            why = words.few(key.subject, len(key.examples.relevant))
        else:
            why = StatusMessage("")
        return replace(feed, **why._asdict())

    def _nothing_found_reason(self, key: _CacheKey, arrived: Ids, since: float) -> StatusMessage:
        if not key.examples.relevant and key.subject.kind is not TopicKind.query:
            return words.too_few(key.subject)
        if not len(arrived):
            now, last = datetime.now().astimezone(), self._last_fetch(key.subject)
            is_query = key.subject.kind is TopicKind.query
            among = CandidateScope.fetched if is_query else key.among
            return words.nothing_new(among, since, last, now)
        held, dismissed = (
            int(np.isin(arrived, np.array(ids, np.int64)).sum())
            for ids in (key.examples.relevant, key.examples.irrelevant)
        )
        return words.nothing_left(len(arrived), held, dismissed, key.examples.preferences)

    def _last_fetch(self, subject: FollowedTopic) -> LastFetch | None:
        """The last run of a query; for other topics, that of any query."""
        is_query = subject.kind is TopicKind.query
        return self._feedback.last_fetch(subject.number if is_query else None)

    def _known(self, key: _CacheKey) -> Recommendations | None:
        with self._lock:
            if key in self._feeds:
                self._feeds.move_to_end(key)
            return self._feeds.get(key)

    def _keep(self, key: _CacheKey, feed: Recommendations) -> None:
        with self._lock:
            self._feeds[key] = feed
            if len(self._feeds) > _KEPT:
                self._feeds.popitem(last=False)


def _latest(request: _Request) -> list[RecommendedPaper]:
    """The candidates, latest first, without a ranking."""
    ids, came = request.candidates
    order = np.lexsort((ids, -came))[: request.key.limit].tolist()
    seen = request.key.examples.preferences.seen
    return [
        RecommendedPaper(
            PaperId(int(ids[row])), 1.0, float(came[row]), unseen=bool(came[row] > seen)
        )
        for row in order
    ]


def _conditions_for(subject: FollowedTopic, preferences: TopicPreferences) -> list[Condition]:
    """The conditions that a paper must meet to be recommended. Raises BadQuery."""
    conditions = _conditions(preferences.must)
    conditions += [one._replace(negated=not one.negated) for one in _conditions(preferences.never)]
    if subject.kind is TopicKind.search:
        conditions += parse(subject.query).conditions
    return conditions


def _conditions(fragment: str) -> list[Condition]:
    """A fragment of a query, of which every word counts."""
    query = parse(fragment)
    terms = (Condition("text", f"{one.text}*" if one.prefix else one.text) for one in query.terms)
    return list(dict.fromkeys([*query.conditions, *terms]))
