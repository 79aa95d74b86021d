"""Digests: lists of the new papers of followed topics, made daily or weekly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from sciread_app.domain.paper import Paper
from sciread_app.domain.recommend import FollowedTopic


class Frequency(StrEnum):
    never = "never"
    daily = "daily"
    weekly = "weekly"


@dataclass(frozen=True, slots=True)
class Interval:
    """How often something happens; `weekday`, from 0 for Monday, counts if it is weekly."""

    frequency: Frequency = Frequency.never
    weekday: int = 0

    def is_due(self, last: float, now: datetime) -> bool:
        """Return whether a day of the interval has come since the day of `last`, in seconds since
        1970. Any number of missed days counts as one."""
        if self.frequency is Frequency.never:
            return False
        day = now.date()
        if self.frequency is Frequency.weekly:
            day -= timedelta(days=(day.weekday() - self.weekday) % 7)
        return datetime.fromtimestamp(last, now.tzinfo).date() < day


@dataclass(frozen=True, slots=True)
class DigestState:
    """The state of a topic with regard to digests, in seconds since 1970: papers added after
    `since` are new; `last` is when the topic was last due."""

    interval: Interval = Interval()
    since: float = 0.0
    last: float = 0.0

    def is_due(self, now: datetime) -> bool:
        """Return whether the topic is due at this time, which has a time zone."""
        return self.interval.is_due(self.last, now)


@dataclass(frozen=True, slots=True)
class DigestEntry:
    """A paper of a digest, with the reasons: titles of similar papers of the topic, and key terms.
    `listed` is when it was listed, in seconds since 1970."""

    paper: Paper
    like: Sequence[str] = ()
    words: Sequence[str] = ()
    listed: float = 0.0


@dataclass(frozen=True, slots=True)
class TopicDigest:
    """The new papers of a topic, most relevant first. `more` is how many others there are; `note`
    is why there is none."""

    subject: FollowedTopic
    entries: Sequence[DigestEntry] = ()
    more: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True)
class Digest:
    """`made` has a time zone. `id` is 0 if it is not stored."""

    made: datetime
    topics: Sequence[TopicDigest] = ()
    id: int = 0

    @property
    def papers(self) -> int:
        """The number of entries."""
        return sum(len(topic.entries) for topic in self.topics)
