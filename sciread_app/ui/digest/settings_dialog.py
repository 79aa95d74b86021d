"""The settings of digests: their topics, and the timer of the system. Changes are saved at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QDialog, QPushButton, QWidget

from sciread_app.domain.digest import DigestState, Frequency, Interval
from sciread_app.domain.recommend import FollowedTopic, TopicKind
from sciread_app.language import format_moment, tr
from sciread_app.services.digest.schedule import Timetable, lost_homes
from sciread_app.tasks import Task
from sciread_app.ui.jobs.runner import JobError, JobRunner
from sciread_app.ui.widgets.dialogs.window_placement import keep_on_screen
from sciread_app.ui.widgets.form_rows import ComboBox, FormRow, FormSection
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.layout.sections import ScrollContents, scrolling
from sciread_app.ui.widgets.text.labels import plain_label

if TYPE_CHECKING:
    from sciread_app.services.digest.digest_service import DigestService
from sciread_app.language import weekday_name

SIZE = (640, 620)
FIRST_TIME = time(8, 0)
TIMES = [time(hour, minute) for hour in range(24) for minute in (0, 30)]
KINDS = {
    TopicKind.query: tr("Query"),
    TopicKind.collection: tr("Collection"),
    TopicKind.search: tr("Saved search"),
}
NOT_SCHEDULED = tr(
    "Also while SciRead is not running: a timer of the system fetches the new papers of your "
    "queries, creates digests that are due, and shows a notification."
)


_Loaded = tuple[Sequence[tuple[FollowedTopic, DigestState]], Timetable | None, Sequence[Path]]


class DigestSettingsDialog(QDialog):
    """Sets how often each topic is listed, and when the system's timer creates digests. Timers of
    libraries that no longer exist can be removed. `changed` is called after each edit of the
    topics, also when the dialog has been closed meanwhile."""

    def __init__(
        self,
        digests: DigestService,
        jobs: JobRunner,
        changed: Callable[[], None],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Digest settings"))
        self._changed = changed
        self._digests = digests
        self._jobs = jobs
        self._closed = False
        self.boxes: dict[str, IntervalBox] = {}  # by the key of the topic
        self._build()
        self._load()

    def done(self, result: int) -> None:
        self._closed = True
        super().done(result)

    def _load(self) -> None:
        def load(task: Task) -> _Loaded:
            timer = self._digests.timer()
            return self._digests.topics(), timer.timetable(), lost_homes(timer)

        self._jobs.run(
            tr("Loading digest settings"),
            load,
            lambda found: self._show(*found),
            on_failed=self._explain_load,
        )

    def _explain_load(self, problem: JobError) -> None:
        if not self._closed:
            self._schedule_row.show_error(problem.text)

    def _show(
        self,
        topics: Sequence[tuple[FollowedTopic, DigestState]],
        timetable: Timetable | None,
        lost: Sequence[Path],
    ) -> None:
        if self._closed:
            return
        self._show_timetable(timetable)
        before: QWidget = self.time
        for home in lost:
            button = QPushButton(tr("Remove timer"))
            text = tr(
                "A timer creates digests of the library in {folder}, which is not there.",
                folder=home,
            )
            line = FormRow(tr("Timer of a missing library"), text, button)
            button.clicked.connect(partial(self._remove_timer, home, line))
            self._timer.add(line)
            self.setTabOrder(before, button)
            before = button
        for topic, state in topics:
            box = IntervalBox()
            box.choose(state.interval)
            box.activated.connect(partial(self._set_interval, topic, box))
            self._topics.add(FormRow(topic.name, KINDS[topic.kind], box))
            self.setTabOrder(before, box)
            before = box
            self.boxes[topic.key] = box
        self.setTabOrder(before, self.close_button)
        if not topics:
            nothing = tr("No topics yet. Follow a query, create a collection, or save a search.")
            self._topics.add(plain_label(nothing))

    def _set_interval(self, topic: FollowedTopic, box: IntervalBox, _: int) -> None:
        interval = box.interval()
        self._jobs.run(
            tr("Saving digest settings"),
            lambda task: self._digests.set_interval(topic, interval),
            lambda _: self._changed(),
        )

    def _remove_timer(self, home: Path, line: FormRow) -> None:
        self._jobs.run(
            tr("Removing the timer"),
            lambda task: self._digests.timer(home).remove(),
            lambda _: None if self._closed else line.hide(),
            on_failed=lambda problem: None if self._closed else line.show_error(problem.text),
        )

    def _set_timetable(self) -> None:
        interval, at = self.schedule.interval(), self.time.currentData()
        wanted = None if interval.frequency is Frequency.never else Timetable(interval, at)
        self._schedule_row.show_error("")

        def change(task: Task) -> Timetable | None:
            timer = self._digests.timer()
            if wanted:
                timer.install(wanted)
            else:
                timer.remove()
            return timer.timetable()

        self._jobs.run(
            tr("Changing the timer"),
            change,
            self._show_timetable,
            on_failed=self._explain,
            replaces="digest timer",
        )

    def _explain(self, problem: JobError) -> None:
        if not self._closed:
            self._show_timetable(None)
            self._schedule_row.show_error(problem.text)

    def _show_timetable(self, timetable: Timetable | None) -> None:
        if self._closed:
            return
        at = timetable.at if timetable else self.time.currentData()
        if self.time.findData(at) < 0:  # set on the command line
            self.time.addItem(f"{at:%H:%M}", at)
        self.time.setCurrentIndex(self.time.findData(at))
        self.schedule.choose(timetable.interval if timetable else Interval())
        self.time.setEnabled(timetable is not None)
        text = NOT_SCHEDULED
        if timetable:
            moment = format_moment(timetable.next(datetime.now()))
            text = tr("Next digest: {moment}", moment=moment)
        self._schedule_row.help.setText(text)

    def _build(self) -> None:
        self.schedule = IntervalBox(tr("Off"))
        self.time = ComboBox()
        for at in TIMES:
            self.time.addItem(f"{at:%H:%M}", at)
        self.time.setCurrentIndex(TIMES.index(FIRST_TIME))
        self.time.setAccessibleName(tr("Time"))
        self._schedule_row = FormRow(
            tr("Create digests automatically"), NOT_SCHEDULED, self.schedule, self.time
        )
        self._timer = FormSection(tr("Schedule"))
        self._timer.add(self._schedule_row)
        self._topics = FormSection(tr("Topics"))
        body = ScrollContents()
        column(self._timer, self._topics, 1, parent=body, margins=(4, 4, 4, 4), spacing=12)
        self.close_button = QPushButton(tr("Close"))
        self.close_button.clicked.connect(self.accept)
        column(
            (scrolling(body, self), 1),
            row(1, self.close_button),
            parent=self,
            margins=(16, 16, 16, 14),
            spacing=12,
        )
        self.schedule.activated.connect(lambda _: self._set_timetable())
        self.time.activated.connect(lambda _: self._set_timetable())
        self.resize(*SIZE)
        keep_on_screen(self)


class IntervalBox(ComboBox):
    """Never, daily, or weekly on a day."""

    def __init__(self, never: str = tr("Never")) -> None:
        super().__init__()
        self._choices = [
            Interval(),
            Interval(Frequency.daily),
            *(Interval(Frequency.weekly, day) for day in range(7)),
        ]
        # Translators: {day} is the name of a day, such as Monday
        weekly = [tr("Weekly on {day}", day=weekday_name(day)) for day in range(7)]
        self.addItems([never, tr("Daily"), *weekly])

    def interval(self) -> Interval:
        return self._choices[self.currentIndex()]

    def choose(self, interval: Interval) -> None:
        if interval.frequency is not Frequency.weekly:
            interval = Interval(interval.frequency)
        self.setCurrentIndex(self._choices.index(interval))
