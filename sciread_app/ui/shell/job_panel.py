"""The panel of background tasks: queued, running and finished ones, each with its actions."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFont, QGuiApplication, QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QPushButton,
    QScrollArea,
    QToolButton,
    QWidget,
)

from sciread_app.language import tr
from sciread_app.ui.shell.job_history import JobHistory, JobRecord, JobState
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, Theme, scaled, styled
from sciread_app.ui.view_models import ImportSummary
from sciread_app.ui.widgets.focus import FocusRestorer
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.progress_bar import ProgressBar

LEAST, HEIGHT = 110, 320  # pixels
NOTHING = tr("No background tasks yet")


class JobPanel(QFrame):
    """A panel above the status bar. It takes the focus when it opens and returns it when it closes.
    Esc closes it."""

    ledger_requested = Signal(object)  # ImportSummary

    def __init__(self, log: JobHistory, appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("foot")
        self.setAccessibleName(tr("Activity"))
        self._log = log
        self._rows: dict[JobRecord, JobRow] = {}
        self._wanted = LEAST
        self._came_from = FocusRestorer()
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
        else:
            self._came_from.remember(self)
            self.show()
            self._take_focus()

    def row(self, work: JobRecord) -> JobRow:
        return self._rows[work]

    def _take_focus(self) -> None:
        """Focus the first available button of a job, or the close button."""
        buttons = self._list.findChildren(QPushButton)
        shown = [button for button in buttons if not button.isHidden() and button.isEnabled()]
        (shown[0] if shown else self.close_button).setFocus(Qt.FocusReason.ShortcutFocusReason)

    def showEvent(self, event: QShowEvent) -> None:
        self._fit()

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
        row = self._rows[work] = JobRow(work, self._log, self.ledger_requested.emit)
        self._column.insertWidget(0, row)
        # The tab order follows the layout: the newest row comes first.
        before: QWidget = self.close_button
        for button in row.buttons:
            self.setTabOrder(before, button)
            before = button
        self._nothing.hide()
        self._fit()

    def _change(self, work: JobRecord) -> None:
        self._rows[work].show_state()
        self._fit()

    def _drop(self, work: JobRecord) -> None:
        row = self._rows.pop(work)
        row.hide()
        row.deleteLater()

    def _build(self) -> None:
        title = QLabel(tr("Activity"))
        title.setFont(scaled(self.font(), 1.0, QFont.Weight.DemiBold))
        self.close_button = styled(QToolButton(), "link")
        self.close_button.setAccessibleName(tr("Close Activity"))
        self.close_button.setToolTip(tr("Close (Esc)"))
        self.close_button.clicked.connect(self.toggle)
        self._head = row(title, 0, self.close_button)
        self._list = styled(QWidget(), "column")
        self._nothing = styled(QLabel(NOTHING), "quiet")
        self._column = column(self._nothing, 0, parent=self._list, margins=(0, 0, 8, 0), spacing=8)
        scroll = QScrollArea(widgetResizable=True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(self._list)
        column(self._head, (scroll, 1), parent=self, margins=(20, 8, 14, 10), spacing=6)

    def _paint(self, theme: Theme) -> None:
        self.close_button.setIcon(icon("close", theme.quiet))


class JobRow(QFrame):
    def __init__(
        self, work: JobRecord, log: JobHistory, show_ledger: Callable[[ImportSummary | None], None]
    ) -> None:
        super().__init__()
        self.setObjectName("panel")
        self._work = work
        self._log = log
        self._stopping = False
        self.title = QLabel(work.title, wordWrap=True)
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        self.status = styled(QLabel(wordWrap=True), "quiet")
        self.status.setTextFormat(Qt.TextFormat.PlainText)
        self.bar = ProgressBar(work.title)
        self.pause = self._button(tr("Pause"), self._hold)
        stopping = work.job.stopping
        self.cancel = self._button(tr("Stop"), self._stop)
        self.cancel.setToolTip(stopping)
        self.skipped = self._button(tr("Show import report"), lambda: show_ledger(work.ledger))
        self.report = self._button(tr("Copy report"), self._copy)
        self.again = self._button(tr("Resume") if stopping else tr("Retry"), self._start_again)
        self.buttons = (self.skipped, self.report, self.pause, self.cancel, self.again)
        words = column(self.title, self.status, self.bar, spacing=3)
        buttons = ((button, 0, Qt.AlignmentFlag.AlignVCenter) for button in self.buttons)
        row((words, 1), *buttons, parent=self, margins=(12, 8, 8, 8))
        self.show_state()

    def show_state(self) -> None:
        work, state = self._work, self._work.state
        going = not state.ended
        self.status.setText(tr("Stopping…") if self._stopping and going else work.status_text())
        self.bar.setVisible(going and state is not JobState.waiting)
        self.bar.show_progress(work.done, work.total)
        if state is JobState.held and not work.total:
            self.bar.setRange(0, 1000)  # without activity
        self.pause.setVisible(going and work.job.can_pause)
        self.pause.setText(tr("Resume") if state is JobState.held else tr("Pause"))
        self.pause.setEnabled(not self._stopping)
        self.cancel.setVisible(going)
        self.cancel.setEnabled(not self._stopping)
        ledger = work.ledger
        self.skipped.setVisible(bool(ledger and ledger.listed))
        self.report.setVisible(bool(work.job.problem and work.job.problem.report))
        self.again.setVisible(state in (JobState.failed, JobState.stopped))
        self.setAccessibleName(f"{work.title}: {self.status.text()}")

    def _button(self, text: str, do: Callable[[], None]) -> QPushButton:
        button = styled(QPushButton(text), "link")
        button.setAccessibleDescription(self._work.title)
        button.clicked.connect(do)
        return button

    def _hold(self) -> None:
        self._log.hold(self._work, self._work.state is not JobState.held)

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
