"""Digests: what is new for each topic since the last one, listed once."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock

from sciread_app.domain.digest import (
    Digest,
    DigestEntry,
    DigestState,
    Frequency,
    Interval,
    TopicDigest,
)
from sciread_app.domain.fetch import Fetch, FetchState
from sciread_app.domain.paper import Paper, PaperId
from sciread_app.domain.recommend import DAY, FollowedTopic, RecommendedPaper, TopicKind
from sciread_app.domain.text.tex import readable
from sciread_app.errors import BadQuery, Cancelled, SciReadError
from sciread_app.language import tr
from sciread_app.paths import Home, find_home
from sciread_app.services.digest import formats
from sciread_app.services.digest.schedule import Scheduler, scheduler
from sciread_app.services.export.export import write_text
from sciread_app.storage.library import Library
from sciread_app.storage.organisation.digests import DigestRow, StoredDigest
from sciread_app.tasks import Task, exclusive

if TYPE_CHECKING:
    from sciread_app.services.ingest.fetcher import Fetcher
    from sciread_app.services.recommend.recommender import Recommender

MOST = 20  # papers of a topic
FIRST_DAYS = 7  # that the first digest of a topic covers
KEPT = 200  # entries of the feed
_RANKED = 500  # papers of a topic
_DIGESTS_OF_FEED = 100  # at most


@dataclass(frozen=True, slots=True)
class DigestResult:
    """A digest, and the failures on the way as messages for the user."""

    digest: Digest
    problems: Sequence[str] = ()


class DigestService:
    """Creates digests. Every method blocks, and may be called from any thread and any process."""

    def __init__(
        self,
        library: Library,
        home: Home,
        recommending: Callable[[], AbstractContextManager[Recommender]],
        fetcher: Callable[[], Fetcher],
        encode: Callable[[Task], object],
    ) -> None:
        """`recommending` holds the active model; `encode` indexes new papers with it."""
        self._library = library
        self._home = home
        self._recommending = recommending
        self._fetcher = fetcher
        self._encode = encode
        self._lock = FileLock(home.digest_feed.with_suffix(".lock"))

    @property
    def makes_digests(self) -> bool:
        """Whether digests are made by themselves; the sample library has none."""
        return not self._home.is_sample

    def timer(self, home: Path | None = None) -> Scheduler:
        """The timer of the system for this library, or for the one in another folder."""
        return scheduler(find_home(home) if home else self._home)

    def topics(self) -> list[tuple[FollowedTopic, DigestState]]:
        """All topics, each with its state."""
        states = self._library.digests.states()
        subjects = self._library.feedback.subjects()
        return [(subject, states.get(subject.key, _first_state())) for subject in subjects]

    def set_interval(self, subject: FollowedTopic, interval: Interval) -> None:
        """Set how often a topic is part of a digest; an edit that can be undone.

        The first digest is due on the next day of the interval, and covers the week before now.
        """
        before = self._library.digests.states().get(subject.key, DigestState())
        state = replace(before, interval=interval)
        if before.interval.frequency is Frequency.never:
            state = replace(_first_state(), interval=interval)
            state = replace(state, since=max(state.since, before.since))
        what = tr("Changed the digest of “{name}”", name=subject.name)
        with self._library.edits.recording(what):
            self._library.digests.set_state(subject.key, state)

    def has_topics(self) -> bool:
        """Return whether a topic is part of digests."""
        return bool(self._wanted(()))

    def is_due(self) -> bool:
        """Return whether a topic is due."""
        now = datetime.now().astimezone()
        return any(state.is_due(now) for _, state in self._wanted(()))

    def preview(
        self,
        task: Task,
        keys: Collection[str] = (),
        *,
        since: float | None = None,
        most: int = MOST,
    ) -> Digest:
        """Return a digest of these topics, else of all that have an interval, without storing it.

        `since` replaces the time of the last digest. Raises Cancelled.
        """
        return self._collect(self._wanted(keys), time.time(), since, most, task)[0]

    def make(
        self,
        task: Task,
        keys: Collection[str] = (),
        *,
        due: bool = False,
        fetch: bool = False,
        since: float | None = None,
        most: int = MOST,
        write: Callable[[DigestResult], object] = lambda result: None,
    ) -> DigestResult:
        """Create a digest for these topics, else for all that have an interval; only of those that
        are due if `due`.

        With `fetch`, the queries are fetched first. A digest with papers is written to the feed,
        then passed to `write`, and stored only when both have succeeded: if one raises, or the
        process is killed, the next digest lists the same papers. A topic without new papers waits
        for its next day, unless a query could not be fetched. Only one process at a time creates a
        digest.
        Raises SciReadError and Cancelled.
        """
        with exclusive(self._lock, task, tr("Waiting for another digest")):
            wanted = self._wanted(keys)
            if due:
                today = datetime.now().astimezone()
                wanted = [one for one in wanted if one[1].is_due(today)]
            if not wanted:
                return DigestResult(Digest(datetime.now(UTC)))
            problems = self._fetch([subject for subject, _ in wanted], task) if fetch else []
            now = self._library.digests.moment()
            digest, failed = self._collect(wanted, now, since, most, task)
            digest = replace(digest, topics=[topic for topic in digest.topics if topic.entries])
            result = DigestResult(
                digest,
                [*problems, *(f"{subject.name}: {error}" for subject, error in failed.items())],
            )
            if digest.papers:
                write_text(self.feed(digest), self._home.digest_feed)
                write(result)
            listed = {topic.subject.key for topic in digest.topics}
            states = {
                subject.key: replace(state, since=now, last=now)
                for subject, state in wanted
                if subject.key in listed or not problems
            }
            for subject, state in wanted:
                if subject in failed:  # waits for its next day, but loses no papers
                    states[subject.key] = replace(state, last=now)
            id = self._library.digests.add(now, _rows(digest), states)
            return replace(result, digest=replace(digest, id=id))

    def latest(self, limit: int = KEPT) -> list[StoredDigest]:
        """The digests that were created, latest first."""
        return self._library.digests.latest(limit)

    def get(self, stored: StoredDigest) -> Digest:
        """A digest that was created, without the papers and topics that were deleted since."""
        subjects = {subject.key: subject for subject in self._library.feedback.subjects()}
        rows = self._library.digests.rows(stored.id)
        papers = _papers(self._library, (row.paper for row in rows))
        entries: dict[str, list[DigestEntry]] = {}
        for row in rows:
            if row.subject in subjects and row.paper in papers:
                entry = DigestEntry(papers[row.paper], row.like, row.words, stored.made)
                entries.setdefault(row.subject, []).append(entry)
        topics = [TopicDigest(subjects[key], listed) for key, listed in entries.items()]
        return Digest(datetime.fromtimestamp(stored.made, UTC).astimezone(), topics, stored.id)

    def feed(self, made: Digest) -> str:
        """The latest digests as an Atom feed, the first of which is `made`."""
        earlier = (one for one in self._stored() if one.id != made.id)
        return formats.as_atom([made, *earlier], self._library.digests.feed(), KEPT)

    def _stored(self) -> list[Digest]:
        """The digests that the feed has room for, latest first."""
        found, entries = [], 0
        for stored in self.latest(_DIGESTS_OF_FEED):
            if entries < KEPT:
                found.append(self.get(stored))
                entries += stored.papers
        return found

    def _wanted(self, keys: Collection[str]) -> list[tuple[FollowedTopic, DigestState]]:
        return [
            (subject, state)
            for subject, state in self.topics()
            if subject.key in keys or (not keys and state.interval.frequency is not Frequency.never)
        ]

    def _collect(
        self,
        wanted: Sequence[tuple[FollowedTopic, DigestState]],
        now: float,
        since: float | None,
        most: int,
        task: Task,
    ) -> tuple[Digest, dict[FollowedTopic, BadQuery]]:
        """The digest, and the topics whose queries are invalid."""
        topics, failed = [], {}
        with self._recommending() as recommender:
            for done, (subject, state) in enumerate(wanted):
                task.step(done, len(wanted), subject.name)
                begin = state.since if since is None else since
                try:
                    topics.append(self._topic(recommender, subject, begin, now, most, task))
                except BadQuery as error:
                    failed[subject] = error
                    topics.append(TopicDigest(subject, note=f"{error} {error.hint}".strip()))
        task.step(len(wanted), len(wanted))
        return Digest(datetime.fromtimestamp(now, UTC).astimezone(), topics), failed

    def _topic(
        self,
        recommender: Recommender,
        subject: FollowedTopic,
        since: float,
        now: float,
        most: int,
        task: Task,
    ) -> TopicDigest:
        found = recommender.new_for(subject, since=since, limit=_RANKED, task=task)
        known = self._library.digests.listed(subject.key)
        new = [p for p in found.picks if p.fits and p.unseen and p.paper not in known]
        entries = entries_of(self._library, new[:most], now)
        note = "" if entries else tr("No new papers.")
        return TopicDigest(subject, entries, len(new) - len(entries), note)

    def _fetch(self, subjects: Sequence[FollowedTopic], task: Task) -> list[str]:
        """Fetch the new papers of these topics: of their own queries, or of all if one is a
        collection or a saved search. Return what failed."""
        own = {one.number for one in subjects if one.kind is TopicKind.query}
        problems = []
        for fetch in self._library.fetches.all():
            if _can_refresh(fetch) and (fetch.id in own or len(own) < len(subjects)):
                try:
                    self._fetcher().run(fetch.id, task)
                except Cancelled:
                    raise
                except SciReadError as error:
                    problems.append(f"{fetch.query.text}: {error} {error.hint}".strip())
        try:
            self._encode(task)
        except Cancelled:
            raise
        except SciReadError as error:  # new papers are found by words
            problems.append(f"{error} {error.hint}".strip())
        return problems


def entries_of(
    library: Library, picks: Sequence[RecommendedPaper], listed: float | None = None
) -> list[DigestEntry]:
    """The entries for recommended papers, listed at this time, else when they were added."""
    papers = _papers(library, (id for pick in picks for id in (pick.paper, *pick.like)))
    return [
        DigestEntry(
            papers[pick.paper],
            [readable(papers[like].title) for like in pick.like if like in papers],
            pick.words,
            pick.came if listed is None else listed,
        )
        for pick in picks
        if pick.paper in papers
    ]


def _papers(library: Library, ids: Iterable[PaperId]) -> dict[PaperId, Paper]:
    found = library.get(dict.fromkeys(ids))
    return {paper.id: paper for paper in found if paper.id is not None}


def _can_refresh(fetch: Fetch) -> bool:
    """Return whether a query finds new papers. Not one whose first run was stopped by the user,
    which may go on for hours."""
    stopped = fetch.state is FetchState.unfinished and not fetch.query.changed_since
    return not fetch.query.until and not stopped


def _first_state() -> DigestState:
    now = time.time()
    return DigestState(since=now - FIRST_DAYS * DAY, last=now)


def _rows(digest: Digest) -> list[DigestRow]:
    return [
        DigestRow(topic.subject.key, entry.paper.id, entry.like, entry.words)
        for topic in digest.topics
        for entry in topic.entries
        if entry.paper.id is not None
    ]
