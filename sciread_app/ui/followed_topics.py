"""The followed topics of Discover, and the number of new papers of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QObject, QTimer, Signal

from sciread_app.domain.paper import PaperId
from sciread_app.domain.recommend import CandidateScope, FollowedTopic
from sciread_app.language import tr
from sciread_app.tasks import Task
from sciread_app.ui.jobs.runner import JobRunner
from sciread_app.ui.jobs.saved_state import SavedState

UNFOLLOWED = "discover/unfollowed"  # setting: the keys of topics
PAUSE_MS = 1000  # after the last change of the library, until papers are counted again


class TopicServices(Protocol):
    """The services that find new papers; every method blocks."""

    def subjects(self) -> list[FollowedTopic]: ...

    def default_scope(self) -> CandidateScope: ...

    def new_ids(self, subject: FollowedTopic, task: Task) -> frozenset[PaperId]: ...

    def leave_digests(self, subject: FollowedTopic) -> None: ...

    def return_to_digests(self, subject: FollowedTopic) -> None: ...


class FollowedTopics(QObject):
    """Lists the followed topics and counts their new papers, all in background jobs.

    The topics that a user no longer follows are a setting of the window: their papers and the
    feedback on them stay in the library. `scope` is where new papers are looked for by default.
    """

    listed = Signal()
    counted = Signal(str)  # the key of a topic
    total_changed = Signal(int)  # the number of different papers that are new

    def __init__(
        self,
        services: TopicServices,
        jobs: JobRunner,
        open_settings: Callable[[], SavedState],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._jobs = jobs
        self._open_settings = open_settings
        self._known: list[FollowedTopic] = []
        self._unfollowed: set[str] = set()
        self._new: dict[str, frozenset[PaperId]] = {}  # by the key of the topic
        self._total = 0
        self.scope = CandidateScope.fetched
        self._later = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._later.timeout.connect(self.load)

    @property
    def topics(self) -> list[FollowedTopic]:
        """The followed topics in display order."""
        return [topic for topic in self._known if topic.key not in self._unfollowed]

    @property
    def unfollowed(self) -> list[FollowedTopic]:
        """The topics that the user no longer follows."""
        return [topic for topic in self._known if topic.key in self._unfollowed]

    def count_of(self, key: str) -> int:
        """Return the number of new papers of a topic; 0 until they are counted."""
        return len(self._new.get(key, ()))

    def load(self) -> None:
        """List the topics and count their new papers."""
        self._later.stop()
        self._jobs.run(
            tr("Loading followed topics"),
            lambda task: (self._services.subjects(), self._services.default_scope()),
            lambda found: self._list(*found),
            replaces="followed topics",
        )

    def load_later(self) -> None:
        """Do so when the library has not changed for a moment."""
        self._later.start()

    def show_new(self, key: str, papers: frozenset[PaperId]) -> None:
        """Take the new papers of a topic from its list."""
        if self._new.get(key) != papers:
            self._new[key] = papers
            self.counted.emit(key)
        self._add_up()

    def unfollow(self, topic: FollowedTopic) -> None:
        """Leave a topic out of the list, the total and digests."""
        self._set_unfollowed(self._unfollowed | {topic.key})
        self._change_digests(lambda: self._services.leave_digests(topic))

    def follow(self, topic: FollowedTopic) -> None:
        """Follow a topic again, also in digests if it was part of them."""
        self._set_unfollowed(self._unfollowed - {topic.key})
        self._change_digests(lambda: self._services.return_to_digests(topic))

    def _change_digests(self, change: Callable[[], None]) -> None:
        title = tr("Saving digest settings")
        self._jobs.run(title, lambda task: change())

    def _list(self, topics: list[FollowedTopic], scope: CandidateScope) -> None:
        self._known, self.scope = topics, scope
        kept = self._open_settings().value(UNFOLLOWED) or []
        keys = {kept} if isinstance(kept, str) else set(kept)
        self._unfollowed = keys & {topic.key for topic in topics}
        if self._unfollowed != keys:
            self._save()  # the id of a deleted topic may be assigned again
        self.listed.emit()
        self._add_up()
        self._count(self.topics)

    def _set_unfollowed(self, keys: set[str]) -> None:
        self._unfollowed = keys
        self._save()
        self.listed.emit()
        self._add_up()
        self._count([topic for topic in self.topics if topic.key not in self._new])

    def _save(self) -> None:
        self._open_settings().setValue(UNFOLLOWED, sorted(self._unfollowed))

    def _count(self, left: list[FollowedTopic]) -> None:
        """Count topic by topic, so that nothing else has to wait."""
        if not left:
            return
        topic, rest = left[0], left[1:]

        def show(papers: frozenset[PaperId]) -> None:
            self.show_new(topic.key, papers)
            self._count(rest)

        self._jobs.run(
            tr("Counting new papers"),
            lambda task: self._services.new_ids(topic, task),
            show,
            on_failed=lambda _: self._count(rest),  # the error is shown when the topic is opened
            replaces="new papers",
        )

    def _add_up(self) -> None:
        new = (self._new.get(topic.key, frozenset()) for topic in self.topics)
        total = len(frozenset().union(*new))  # a paper may be new for several topics
        if total != self._total:
            self._total = total
            self.total_changed.emit(total)
