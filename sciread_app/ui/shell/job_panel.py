"""The Activity panel: every background task with its state and its actions."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFont, QGuiApplication, QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QLabel,
    QPushButton,
    QScrollArea,
    QToolButton,
    QWidget,
)

from sciread_app.language import tr
from sciread_app.ui.jobs.runner import TaskState
from sciread_app.ui.shell.job_history import JobHistory, JobRecord
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import LIGHT, Appearance, Theme, scaled, styled
from sciread_app.ui.widgets.dialogs.log_dialog import LogDialog
from sciread_app.ui.widgets.focus import FocusRestorer, holds_focus
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.progress_bar import ProgressBar

LEAST, HEIGHT = 110, 320  # pixels
ICON = 20  # pixels
TICK_MS = 1_000  # between two updates of the elapsed times
# The icon of each state, its color in the theme, and its name
STATES = {
    TaskState.queued: ("wait", "quiet", tr("Queued")),
    TaskState.running: ("running", "accent", tr("Running")),
    TaskState.paused: ("paused", "quiet", tr("Paused")),
    TaskState.done: ("done", "good", tr("Finished")),
    TaskState.partial: ("warning", "caution", tr("Finished with errors")),
    TaskState.failed: ("failed", "danger", tr("Failed")),
    TaskState.stopped: ("stopped", "quiet", tr("Stopped")),
}
NOTHING = tr("No background tasks yet")


class JobPanel(QFrame):
    """A panel above the status bar. It takes the focus when it opens and returns it when it closes.
    Esc closes it."""

    report_requested = Signal(object)  # ImportSummary
    papers_requested = Signal(object, str)  # the papers that a task added, and its title
    toggled = Signal(bool)  # whether the panel is open

    def __init__(self, log: JobHistory, appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("foot")
        self.setAccessibleName(tr("Activity"))
        self._log = log
        self._rows: dict[JobRecord, JobRow] = {}
        self._wanted = LEAST
        self._came_from = FocusRestorer()
        self._theme = appearance.theme
        self._clock = QTimer(self, interval=TICK_MS)
        self._clock.timeout.connect(self._show_elapsed)
        self.hide()
        self.setMinimumHeight(LEAST)
        self._build()
        for work in log.works:
            self._add(work)
        log.added.connect(self._add)
        log.changed.connect(self._change)
        log.dropped.connect(self._drop)
        appearance.follow(self._paint)

    def toggle(self) -> None:
        """Show or hide the panel."""
        if self.isVisible():
            self.hide()
            self._came_from.restore()
            self.toggled.emit(False)
        else:
            self._came_from.remember(self)
            self.show()
            self._take_focus()
            self.toggled.emit(True)

    def row(self, work: JobRecord) -> JobRow:
        return self._rows[work]

    def _take_focus(self) -> None:
        """Focus the first available button of a job, or the close button."""
        buttons = self._list.findChildren(QAbstractButton)
        shown = [button for button in buttons if not button.isHidden() and button.isEnabled()]
        (shown[0] if shown else self.close_button).setFocus(Qt.FocusReason.ShortcutFocusReason)

    def showEvent(self, event: QShowEvent) -> None:
        self._fit()
        self._clock.start()

    def hideEvent(self, event: QHideEvent) -> None:
        self._clock.stop()

    def _show_elapsed(self) -> None:
        for work in self._log.going():
            self._rows[work].show_state()

    def _fit(self) -> None:
        """Fit the height to the list, limited to 40 % of the window."""
        rows = self._list.sizeHint().height() + self._head.sizeHint().height() + 40
        self._wanted = max(LEAST, min(rows, HEIGHT, self.window().height() * 2 // 5))
        self.setMaximumHeight(self._wanted)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self._wanted)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.toggle()
        else:
            super().keyPressEvent(event)

    def _add(self, work: JobRecord) -> None:
        row = self._rows[work] = JobRow(work, self._log, self)
        row.paint_icons(self._theme)
        self._column.insertWidget(0, row)
        # The tab order follows the layout: the newest row comes first.
        before: QWidget = self.close_button
        for button in row.buttons:
            self.setTabOrder(before, button)
            before = button
        self._show_rest()

    def _change(self, work: JobRecord) -> None:
        self._rows[work].show_state()
        self._show_rest()

    def _drop(self, work: JobRecord) -> None:
        row = self._rows.pop(work)
        focused = holds_focus(row)
        self._column.removeWidget(row)
        row.hide()
        row.deleteLater()
        self._show_rest()
        if focused:
            self._take_focus()

    def _show_rest(self) -> None:
        self._nothing.setVisible(not self._rows)
        self.clear.setEnabled(bool(self._log.settled()))
        self._fit()

    def _build(self) -> None:
        title = QLabel(tr("Activity"))
        title.setFont(scaled(self.font(), 1.0, QFont.Weight.DemiBold))
        self.close_button = styled(QToolButton(), "link")
        self.close_button.setAccessibleName(tr("Close Activity"))
        self.close_button.setToolTip(tr("Close (Esc)"))
        self.close_button.clicked.connect(self.toggle)
        self.clear = styled(QPushButton(tr("Clear finished")), "link")
        self.clear.setToolTip(tr("Tasks with errors stay until you dismiss them"))
        self.clear.clicked.connect(self._log.clear_finished)
        self.clear.setEnabled(False)
        self._head = row(title, 0, self.clear, self.close_button)
        self._list = styled(QWidget(), "column")
        self._nothing = styled(QLabel(NOTHING), "quiet")
        self._column = column(self._nothing, 0, parent=self._list, margins=(0, 0, 8, 0), spacing=8)
        scroll = QScrollArea(widgetResizable=True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(self._list)
        column(self._head, (scroll, 1), parent=self, margins=(20, 8, 14, 10), spacing=6)

    def _paint(self, theme: Theme) -> None:
        self._theme = theme
        self.close_button.setIcon(icon("close", theme.quiet))
        for task_row in self._rows.values():
            task_row.paint_icons(theme)


class JobRow(QFrame):
    """One task: the icon of its state, its title, its progress or outcome, and what can be done."""

    def __init__(self, work: JobRecord, log: JobHistory, panel: JobPanel) -> None:
        super().__init__()
        self.setObjectName("panel")
        self._work = work
        self._history = log
        self._stopping = False
        self._theme = LIGHT
        self.state = QLabel()
        self.state.setFixedSize(ICON, ICON)
        self.title = QLabel(work.title, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.status = styled(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "quiet")
        self.bar = ProgressBar(work.title)
        self.link = self._button("", self._follow_link)
        self.papers = self._button(
            tr("Show papers"),
            lambda: panel.papers_requested.emit(
                work.summary.papers if work.summary else (), work.title
            ),
        )
        self.skipped = self._button(
            tr("Show import report"), lambda: panel.report_requested.emit(work.summary)
        )
        self.report = self._button(tr("Copy report"), self._copy)
        self.log = self._button(tr("Log"), self._show_log)
        self.pause = self._button(tr("Pause"), self._pause)
        self.cancel = self._button(tr("Stop"), self._stop)
        self.again = self._button(tr("Retry"), self._start_again)
        self.dismiss = styled(QToolButton(), "link")
        self.dismiss.setToolTip(tr("Dismiss"))
        self.dismiss.setAccessibleName(tr("Dismiss {task}", task=work.title))
        self.dismiss.clicked.connect(lambda: log.dismiss(work))
        self.buttons: tuple[QAbstractButton, ...] = (
            *(self.link, self.papers, self.skipped, self.log, self.report),
            *(self.pause, self.cancel, self.again, self.dismiss),
        )
        words = column(self.title, self.status, self.bar, spacing=3)
        buttons = ((button, 0, Qt.AlignmentFlag.AlignVCenter) for button in self.buttons)
        mark = (self.state, 0, Qt.AlignmentFlag.AlignTop)
        row(mark, (words, 1), *buttons, parent=self, margins=(12, 8, 8, 8))
        self.show_state()

    def show_state(self) -> None:
        """Show the state, progress and outcome of the task, and the actions that it allows now."""
        work, job, state = self._work, self._work.job, self._work.state
        going = not state.is_over
        self.status.setText(tr("Stopping…") if self._stopping and going else work.status_text())
        self.bar.setVisible(going and state is not TaskState.queued)
        self.bar.show_progress(job.progress.done, job.progress.total)
        if state is TaskState.paused and not job.progress.total:
            self.bar.setRange(0, 1000)  # without activity
        self.link.setVisible(work.link is not None)
        if work.link:
            self.link.setText(work.link[0])
        self.pause.setVisible(going and job.can_pause)
        self.pause.setText(tr("Resume") if state is TaskState.paused else tr("Pause"))
        self.pause.setEnabled(not self._stopping)
        self.cancel.setVisible(going)
        self.cancel.setToolTip(job.stopping)
        self.cancel.setEnabled(not self._stopping)
        summary = work.summary
        self.papers.setVisible(bool(summary and summary.papers))
        self.skipped.setVisible(bool(summary and summary.listed))
        self.report.setVisible(bool(job.problem and job.problem.report))
        self.log.setVisible(bool(job.show_log or work.lines))
        self.again.setVisible(state.is_over and state is not TaskState.done)
        self.again.setText(tr("Resume") if job.stopping else tr("Retry"))
        self.dismiss.setVisible(state.is_over)
        self.setAccessibleName(f"{work.title}: {self.status.text()}")
        self.paint_icons(self._theme)

    def paint_icons(self, theme: Theme) -> None:
        """Draw the icons in the colors of a theme."""
        self._theme = theme
        name, colour, tip = STATES[self._work.state]
        picture = icon(name, getattr(theme, colour))
        self.state.setPixmap(picture.pixmap(QSize(ICON, ICON), self.devicePixelRatioF()))
        self.state.setToolTip(tip)
        self.state.setAccessibleName(tip)
        self.dismiss.setIcon(icon("close", theme.quiet))

    def _button(self, text: str, do: Callable[[], None]) -> QPushButton:
        button = styled(QPushButton(text), "link")
        button.setAccessibleDescription(self._work.title)
        button.clicked.connect(do)
        return button

    def _follow_link(self) -> None:
        if link := self._work.link:
            link[1]()

    def _show_log(self) -> None:
        if show := self._work.job.show_log:
            show(self.window())
        else:
            LogDialog(self._work.title, self._work.log_text(), self.window()).show()

    def _pause(self) -> None:
        self._history.pause(self._work, self._work.state is not TaskState.paused)

    def _stop(self) -> None:
        self._stopping = True
        self._work.job.cancel()
        self.show_state()

    def _start_again(self) -> None:
        if again := self._work.job.retry:
            again()
        self.again.setEnabled(False)

    def _copy(self) -> None:
        if problem := self._work.job.problem:
            QGuiApplication.clipboard().setText(problem.report)
