"""A fake of the service of digests; each change is recorded."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path

from sciread_app.domain.digest import (
    Digest,
    DigestEntry,
    DigestState,
    Frequency,
    Interval,
    TopicDigest,
)
from sciread_app.domain.paper import Paper, PaperId
from sciread_app.domain.recommend import FollowedTopic
from sciread_app.errors import SciReadError
from sciread_app.services.digest.digest_service import DigestResult
from sciread_app.services.digest.schedule import Timetable
from sciread_app.storage.organisation.digests import StoredDigest
from sciread_app.tasks import Task
from tests.support.generate.papers import paper
from tests.support.ui.fakes.recommendations import BEES, SWARMS

MADE = 1_795_680_000.0  # 26 November 2026


def _paper(number: int, title: str) -> Paper:
    values = {"abstract": "They dance. They fly.", "doi": f"10.1000/{number}"}
    return replace(paper(title, **values), id=PaperId(number))


def digest_of(number: int, *titles: str, subject: FollowedTopic = BEES) -> Digest:
    entries = [DigestEntry(_paper(n, title), ["A hive"]) for n, title in enumerate(titles, 1)]
    return Digest(datetime.fromtimestamp(MADE + number), [TopicDigest(subject, entries)], number)


class FakeTimer:
    """The timer of the system. `lost` are the folders of other timers, which hold no library."""

    def __init__(self) -> None:
        self.set: Timetable | None = None
        self.lost: list[Path] = []
        self.refuse = ""

    def install(self, timetable: Timetable) -> None:
        if self.refuse:
            raise SciReadError(self.refuse)
        self.set = timetable

    def remove(self) -> bool:
        self.set = None
        return True

    def timetable(self) -> Timetable | None:
        return self.set

    def homes(self) -> list[Path]:
        return list(self.lost)


class FakeDigests:
    """`made` are the digests so far, and `new` is what the next one lists."""

    makes_digests = True

    def __init__(self, *made: Digest) -> None:
        self.made = list(made)
        self.intervals = {BEES.key: Interval(Frequency.daily)} if made else {}
        self.new: list[str] = ["The dance of bees"]
        self.problems: list[str] = []
        self.due = False
        self.schedule = FakeTimer()
        self.calls: list[str] = []

    def latest(self, limit: int) -> list[StoredDigest]:
        stored = [StoredDigest(one.id, MADE + one.id, one.papers) for one in reversed(self.made)]
        return stored[:limit]

    def get(self, stored: StoredDigest) -> Digest:
        return next(one for one in self.made if one.id == stored.id)

    def has_topics(self) -> bool:
        return bool(self.intervals)

    def is_due(self) -> bool:
        return self.due

    def preview(self, task: Task) -> Digest:
        self.calls.append("preview")
        return digest_of(0, *self.new)

    def make(self, task: Task, *, due: bool = False, fetch: bool = False) -> DigestResult:
        self.calls.append("make due" if due else "make")
        self.due = self.due and bool(self.problems)
        made = digest_of(len(self.made) + 1, *self.new)
        if self.new:
            self.made.append(made)
        self.new = []
        return DigestResult(made, self.problems)

    def topics(self) -> list[tuple[FollowedTopic, DigestState]]:
        return [
            (topic, DigestState(self.intervals.get(topic.key, Interval())))
            for topic in (SWARMS, BEES)
        ]

    def set_interval(self, topic: FollowedTopic, interval: Interval) -> None:
        self.intervals[topic.key] = interval

    def timer(self, home: Path | None = None) -> FakeTimer:
        if home:
            self.schedule.lost.remove(home)  # the caller removes it
        return self.schedule
