"""New for you: what came lately, ranked by what a collection or a saved search is made of."""

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
from sciread_app.domain.query import Condition, parse
from sciread_app.domain.recommend import DAY, Among, Feed, Subject, SubjectKind, Wishes
from sciread_app.errors import LibraryError
from sciread_app.language import tr, trn
from sciread_app.services import recommend_words as words
from sciread_app.services.recommend_picks import Lesson, Picker
from sciread_app.services.recommend_words import Said
from sciread_app.services.search import Search
from sciread_app.services.space import Space
from sciread_app.storage.id_sets import Ids
from sciread_app.storage.library import Library
from sciread_app.storage.opinions import Arrivals
from sciread_app.tasks import Task

LATELY = 30  # days
# From so many papers on a collection says well enough what it is about.
ENOUGH = 5
# What a saved search is made of: so many of the papers that it finds best.
_BEST = 25
# What scores less than this share of the best one was found, but is not what was looked for.
_RELEVANT = 0.4
# A collection of more papers than this is what was put there last.
_MOST_MEMBERS = 1_000
_KEPT = 64  # feeds that are remembered


@dataclass(frozen=True, slots=True)
class _Question:
    """All that a feed depends on but the papers' texts: two that are equal have the same feed."""

    subject: Subject
    among: Among
    wishes: Wishes
    members: tuple[PaperId, ...]  # what the subject is made of, and what was liked
    waved: tuple[PaperId, ...]
    arrived: bytes
    candidates: bytes
    vectors: tuple[str, int]  # the space, and how many papers have one
    today: int  # age counts in days
    limit: int


class _Asked(NamedTuple):
    question: _Question
    arrived: Ids  # all that came
    candidates: Arrivals
    waved: dict[PaperId, float]

    @property
    def lesson(self) -> Lesson:
        return Lesson(self.question.members, self.question.waved, self.question.wishes)


class Recommender:
    """Blocks, and may be called from any thread. Works without a model by words alone."""

    def __init__(self, library: Library, space: Space | None) -> None:
        self._library = library
        self._opinions = library.opinions
        self._space = space
        self._search = Search(library, space)
        self._picker = Picker(library, space)
        self._feeds: OrderedDict[_Question, Feed] = OrderedDict()
        self._lock = threading.Lock()

    def subjects(self) -> list[Subject]:
        """All collections by path, then all saved searches."""
        return self._opinions.subjects()

    def subject(self, name: str) -> Subject:
        """The subject with this key, path or name. Raises LibraryError if there is none."""
        known = self.subjects()
        for subject in known:
            if name in (subject.key, subject.name):
                return subject
        for subject in known:
            if name.casefold().strip("/ ") == subject.name.casefold():
                return subject
        raise LibraryError(
            tr("There is no collection and no saved search “{name}”.", name=name),
            tr("`sciread recommend` without a name lists those there are."),
        )

    def wishes(self, subject: Subject) -> Wishes:
        return self._opinions.wishes().get(subject.key, Wishes())

    # Each of these is an edit that can be taken back.

    def wish(self, subject: Subject, wishes: Wishes) -> None:
        """Change how somebody wants what is new. Raises BadQuery if its words are no query."""
        _wanted(subject, wishes)
        what = tr("Changed what comes for “{name}”", name=subject.name)
        with self._library.edits.recording(what):
            self._opinions.wish(subject.key, wishes)

    def seen(self, subject: Subject, until: float) -> None:
        """Note that what came until then was seen."""
        what = tr("Saw what is new for “{name}”", name=subject.name)
        with self._library.edits.recording(what):
            self._opinions.wish(subject.key, replace(self.wishes(subject), seen=until))

    def like(self, subject: Subject, papers: Sequence[int]) -> None:
        """These are what is meant, also where no collection holds them."""
        what = trn(
            "Liked {n:,} paper for “{name}”",
            "Liked {n:,} papers for “{name}”",
            len(papers),
            name=subject.name,
        )
        with self._library.edits.recording(what):
            self._opinions.say(subject.key, papers, liked=True)

    def wave_away(self, subject: Subject, papers: Sequence[int]) -> None:
        """These are not what is meant; the next list has learnt it."""
        what = trn(
            "Waved {n:,} paper away for “{name}”",
            "Waved {n:,} papers away for “{name}”",
            len(papers),
            name=subject.name,
        )
        with self._library.edits.recording(what):
            self._opinions.say(subject.key, papers, liked=False)

    def take_back(self, subject: Subject, papers: Sequence[int]) -> None:
        """Forget what was said of these papers."""
        what = trn(
            "Took back {n:,} paper for “{name}”",
            "Took back {n:,} papers for “{name}”",
            len(papers),
            name=subject.name,
        )
        with self._library.edits.recording(what):
            self._opinions.take_back(subject.key, papers)

    def new_for(
        self,
        subject: Subject,
        *,
        since: float | None = None,
        among: Among = Among.fetched,
        limit: int = 100,
        task: Task | None = None,
    ) -> Feed:
        """What is new for this subject, best first: by default what fetches brought in the last
        30 days. Raises BadQuery if the subject's query or its wishes cannot be understood."""
        task = task or Task()
        since = time.time() - LATELY * DAY if since is None else since
        asked = self._ask(subject, since, among, limit)
        task.check()
        feed = self._known(asked.question)
        if feed is None:
            feed = self._answer(asked, since, task)
        if feed.picks:  # why there are none depends on more than the question
            self._keep(asked.question, feed)
        return replace(feed, since=since, waved_away=asked.waved)

    def count_new(self, subject: Subject, task: Task | None = None) -> int:
        """How many papers are new for this subject, unseen, and as like it as its own papers.
        Nothing is learnt for it where there are vectors, so that it is known at once."""
        if self._space is None:
            return sum(pick.fits and pick.unseen for pick in self.new_for(subject, task=task).picks)
        asked = self._ask(subject, time.time() - LATELY * DAY, Among.fetched, 0)
        return self._picker.count(asked.lesson, asked.candidates)

    def _ask(self, subject: Subject, since: float, among: Among, limit: int) -> _Asked:
        wishes = self.wishes(subject)
        liked, waved = self._opinions.of(subject.key)
        arrivals = self._arrivals(among, since)
        members = list(dict.fromkeys([*self._own(subject, arrivals.ids), *liked]))
        held = members if subject.kind is SubjectKind.collection else liked
        candidates = self._candidates(subject, wishes, arrivals, [*held, *waved])
        question = _Question(
            subject,
            among,
            wishes,
            tuple(members),
            tuple(waved),
            arrivals.ids.tobytes(),
            candidates.ids.tobytes(),
            (self._space.key, self._space.count()) if self._space else ("", 0),
            int(time.time() / DAY),
            limit,
        )
        return _Asked(question, arrivals.ids, candidates, waved)

    def _arrivals(self, among: Among, since: float) -> Arrivals:
        if among is Among.fetched:
            return self._opinions.fetched(since)
        if among is Among.added:
            return self._opinions.added(since)
        every = self._library.matching(())
        return Arrivals(every, np.full(len(every), np.nan))

    def _own(self, subject: Subject, arrived: Ids) -> list[PaperId]:
        """The papers that show what is meant."""
        if subject.kind is SubjectKind.collection:
            return self._opinions.members(subject.number)[:_MOST_MEMBERS]
        return self._best(subject.query, arrived)

    def _best(self, query: str, arrived: Ids) -> list[PaperId]:
        """What a search finds best of the papers that were there before; of all, if those are too
        few to learn from."""
        hits = self._search.find(query, limit=8 * _BEST).hits
        least = _RELEVANT * max((hit.score for hit in hits), default=0.0)
        found = [hit.paper for hit in hits if hit.score >= least]
        new = set(arrived.tolist())
        older = [paper for paper in found if paper not in new][:_BEST]
        return older if len(older) >= ENOUGH else found[:_BEST]

    def _candidates(
        self, subject: Subject, wishes: Wishes, arrivals: Arrivals, settled: Sequence[PaperId]
    ) -> Arrivals:
        """What may be recommended: neither held nor waved away, and as it is wanted."""
        kept = ~np.isin(arrivals.ids, np.array(settled, np.int64))
        conditions = _wanted(subject, wishes)
        if conditions and kept.any():
            kept &= np.isin(arrivals.ids, self._library.matching(conditions), assume_unique=True)
        return Arrivals(arrivals.ids[kept], arrivals.came[kept])

    def _answer(self, asked: _Asked, since: float, task: Task) -> Feed:
        question = asked.question
        if not question.members or not len(asked.candidates.ids):
            why = self._why_nothing(question, asked.arrived, since)
            return Feed(question.subject, note=why.note, hint=why.hint, next=why.next)
        picks = self._picker.pick(asked.lesson, asked.candidates, question.limit, task)
        feed = Feed(question.subject, picks, len(asked.candidates.ids))
        if not picks:
            why = words.only_versions(feed.candidates)
        elif not feed.fitting:
            why = words.none_fits(feed.candidates, question.subject)
        elif not any(pick.fits and pick.unseen for pick in picks):
            why = words.all_seen(self._opinions.last_fetch(), datetime.now().astimezone())
        elif len(question.members) < ENOUGH:
            why = words.few(question.subject, len(question.members))
        else:
            why = Said("")
        return replace(feed, note=why.note, hint=why.hint, next=why.next)

    def _why_nothing(self, question: _Question, arrived: Ids, since: float) -> Said:
        if not question.members:
            return words.too_few(question.subject)
        if not len(arrived):
            now, last = datetime.now().astimezone(), self._opinions.last_fetch()
            return words.nothing_new(question.among, since, last, now)
        held, waved = (
            int(np.isin(arrived, np.array(ids, np.int64)).sum())
            for ids in (question.members, question.waved)
        )
        return words.nothing_wanted(len(arrived), held, waved, question.wishes)

    def _known(self, question: _Question) -> Feed | None:
        with self._lock:
            if question in self._feeds:
                self._feeds.move_to_end(question)
            return self._feeds.get(question)

    def _keep(self, question: _Question, feed: Feed) -> None:
        with self._lock:
            self._feeds[question] = feed
            if len(self._feeds) > _KEPT:
                self._feeds.popitem(last=False)


def _wanted(subject: Subject, wishes: Wishes) -> list[Condition]:
    """What a paper must meet to be recommended. Raises BadQuery."""
    conditions = _conditions(wishes.must)
    conditions += [one._replace(negated=not one.negated) for one in _conditions(wishes.never)]
    if subject.kind is SubjectKind.search:
        conditions += parse(subject.query).conditions
    return conditions


def _conditions(fragment: str) -> list[Condition]:
    """A fragment of a query, of which every word counts."""
    query = parse(fragment)
    terms = (Condition("text", f"{one.text}*" if one.prefix else one.text) for one in query.terms)
    return list(dict.fromkeys([*query.conditions, *terms]))
