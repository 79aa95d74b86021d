"""The services of the digest page, from an open workspace."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sciread_app.domain.digest import Digest, DigestState, Interval
from sciread_app.domain.recommend import FollowedTopic
from sciread_app.paths import find_home
from sciread_app.services.digest.digest_service import DigestResult
from sciread_app.services.digest.schedule import Timetable, lost_homes, scheduler
from sciread_app.storage.organisation.digests import StoredDigest
from sciread_app.tasks import Task
from sciread_app.workspace import Workspace

LISTED = 50  # digests that can be selected


class DigestGateway:
    """Every method blocks; call them from worker threads."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    @property
    def makes_digests(self) -> bool:
        """Whether digests are made by themselves; the sample library has none."""
        return not self._workspace.home.is_sample

    def digests(self) -> Sequence[StoredDigest]:
        """The digests that were created, latest first."""
        return self._workspace.digests.latest(LISTED)

    def digest(self, stored: StoredDigest) -> Digest:
        return self._workspace.digests.get(stored)

    def has_topics(self) -> bool:
        """Whether a topic is part of digests."""
        return self._workspace.digests.has_topics()

    def is_due(self) -> bool:
        """Whether a topic is due, and no timer of the system makes its digest."""
        return self._workspace.digests.is_due() and self.timetable() is None

    def preview(self, task: Task) -> Digest:
        return self._workspace.digests.preview(task)

    def make(self, task: Task, *, due: bool) -> DigestResult:
        """Fetch new papers, and create a digest of all topics, or of those that are due."""
        return self._workspace.digests.make(task, due=due, fetch=True)

    def topics(self) -> Sequence[tuple[FollowedTopic, DigestState]]:
        return self._workspace.digests.topics()

    def set_interval(self, topic: FollowedTopic, interval: Interval) -> None:
        self._workspace.digests.set_interval(topic, interval)

    def timetable(self) -> Timetable | None:
        """When the timer of the system creates digests; None if there is none."""
        return scheduler(self._workspace.home).timetable()

    def set_timetable(self, timetable: Timetable | None) -> Timetable | None:
        """Add, change or remove the timer. Return when it runs. Raises SciReadError."""
        timer = scheduler(self._workspace.home)
        if timetable:
            timer.install(timetable)
        else:
            timer.remove()
        return timer.timetable()

    def lost_homes(self) -> Sequence[Path]:
        """The folders of other timers that hold no library, such as those of moved libraries."""
        return lost_homes(scheduler(self._workspace.home))

    def remove_timer(self, home: Path) -> None:
        """Remove the timer of the library in this folder. Raises SciReadError."""
        scheduler(find_home(home)).remove()
