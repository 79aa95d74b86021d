"""The form of a new training: data, method, settings, requirements and start."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from sciread_app.language import tr, trc
from sciread_app.services.training.training_service import (
    TrainingCheck,
    TrainingEstimate,
    TrainingPlan,
)
from sciread_app.ui.jobs.runner import JobError
from sciread_app.ui.style.theme import Appearance, restyled, scaled, styled
from sciread_app.ui.training.form.data import DataPart
from sciread_app.ui.training.form.method import MethodPart
from sciread_app.ui.training.form.requirements import CheckPart
from sciread_app.ui.training.form.settings import SettingsPart
from sciread_app.ui.training.text import estimate_text
from sciread_app.ui.training.view_models import TrainingChoices
from sciread_app.ui.widgets.layout.sections import ScrollContents
from sciread_app.ui.widgets.text.labels import ElidedLabel
from trainer.contract.errors import TrainerError

WIDTH = 780  # maximum line length in pixels


class TrainingForm(QFrame):
    changed = Signal()  # the plan has changed
    remedy_requested = Signal(object)  # CheckLine
    start_requested = Signal()
    estimate_requested = Signal()
    job_requested = Signal()
    stop_requested = Signal()  # the job that the form waits for
    corpus_removed = Signal(object)  # CorpusChoice
    closed = Signal()

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("panel")
        self._able = False
        self._busy = False
        self.data = DataPart()
        self.method = MethodPart()
        self.check = CheckPart()
        self.settings = SettingsPart(appearance)
        self._build()
        self._connect()
        self.settings.show_recipe(self.method.name)
        self._allow()

    def plan(self) -> TrainingPlan | None:
        """The content of the form; None if some is missing or invalid, which the form shows."""
        data = self.data.data
        try:
            changes = self.settings.changes()
            seed = int(self.seed.text() or 1)
        except (TrainerError, ValueError):
            return None
        if data is None:
            return None
        name = self.name.text().strip()
        return TrainingPlan(
            data=data, recipe=self.method.name, changes=changes, seed=seed, name=name
        )

    def show_choices(self, choices: TrainingChoices) -> None:
        self.data.show_choices(choices)
        self.settings.offer_models(tuple(choices.models))

    def show_check(self, check: TrainingCheck) -> None:
        self._able = check.able
        self.data.show_stats(check)
        self.method.show_stats(check.data.stats)
        self.check.show_lines(check.lines)
        self.order_stops()
        self._allow()

    def show_problem(self, problem: JobError) -> None:
        """Show that the requirements could not be checked."""
        self._able = False
        self.data.show_stats(None)
        self.check.show_problem(problem)
        self._allow()

    def show_unchecked(self, why: str) -> None:
        self._able = False
        self.check.show_text(why)
        self._allow()

    def show_estimate(self, estimate: TrainingEstimate | None) -> None:
        self._say(estimate_text(estimate) if estimate else "")

    def show_note(self, text: str) -> None:
        """Show the result of an action."""
        self._say(text)

    def show_trouble(self, problem: JobError) -> None:
        """Show why an action failed."""
        self._say(problem.text, "wrong")

    def show_busy(self, what: str, share: float | None = None) -> None:
        """Show the running job; empty: none."""
        begun, self._busy = bool(what) and not self._busy, bool(what)
        for part in (self.bar, self.stop):
            part.setVisible(self._busy)
        if what:
            self._say(what)
            self.bar.setRange(0, 0 if share is None else 1000)
            self.bar.setValue(int(1000 * (share or 0)))
        if begun or not what:
            self.stop.setEnabled(True)
            self._allow()

    def take_focus(self) -> None:
        self.data.tab_stops()[self.data.kind.current].setFocus(Qt.FocusReason.OtherFocusReason)

    def order_stops(self) -> None:
        """Make the tab order follow the reading order."""
        tab_stops: Sequence[QWidget] = (
            self.name,
            self.close_it,
            *self.data.tab_stops(),
            *self.method.tab_stops(),
            *self.check.buttons,
            *self.settings.tab_stops(),
            self.seed,
            self.stop,
            self.estimate,
            self.job,
            self.start,
        )
        for one, next_one in pairwise(tab_stops):
            QWidget.setTabOrder(one, next_one)

    def _recipe_chosen(self) -> None:
        self.settings.show_recipe(self.method.name)
        self.name.setPlaceholderText(self.method.name)
        self.order_stops()
        self.changed.emit()

    def _allow(self) -> None:
        for button in (self.start, self.estimate, self.job):
            button.setEnabled(self._able and not self._busy)
            button.setProperty("why_not", "" if self._able else tr("Something is missing"))

    def _say(self, text: str, style: str = "quiet") -> None:
        restyled(self.said, style)
        self.said.setText(text)

    def _build(self) -> None:
        self.name = styled(QLineEdit(placeholderText=self.method.name), "field")
        self.name.setAccessibleName(tr("Name of the training"))
        self.name.setMaximumWidth(320)
        self.seed = styled(QLineEdit("1"), "field")
        self.seed.setAccessibleName(tr("Seed"))
        self.seed.setFixedWidth(130)
        self.close_it = styled(QPushButton(tr("Cancel")), "link")
        self.said = styled(ElidedLabel(), "quiet")
        self.bar = QProgressBar(textVisible=False)
        self.bar.setFixedSize(120, 6)
        self.bar.setAccessibleName(tr("How far it is"))
        self.stop = styled(QPushButton(tr("Stop")), "link")
        self.estimate = QPushButton(tr("Estimate"))
        self.estimate.setToolTip(tr("Try some steps, and say how long it takes on this computer"))
        self.job = QPushButton(tr("Write a job…"))
        self.job.setToolTip(
            tr("A folder in which one command trains this on another computer, such as one with a "
               "GPU")
        )  # fmt: skip
        self.start = styled(QPushButton(tr("Start training")), "primary")
        for part in (self.bar, self.stop):
            part.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 1)
        column.setSpacing(0)
        self.area = QScrollArea(widgetResizable=True, alignment=Qt.AlignmentFlag.AlignHCenter)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        column.addWidget(self.area, 1)
        column.addWidget(self._foot())
        self._fill_area()

    def _fill_area(self) -> None:
        inner = ScrollContents()
        self.area.setWidget(inner)
        inner.setMaximumWidth(WIDTH)
        column = QVBoxLayout(inner)
        column.setContentsMargins(24, 18, 24, 20)
        column.setSpacing(10)
        title = QLabel(tr("New training"))
        title.setFont(scaled(self.font(), 1.4, QFont.Weight.DemiBold))
        head = QHBoxLayout()
        head.addWidget(title)
        head.addSpacing(12)
        head.addWidget(self.name, 1)
        head.addStretch()
        head.addWidget(self.close_it)
        column.addLayout(head)
        for text, part in (
            (tr("What it learns from"), self.data),
            (tr("How it learns"), self.method),
            (tr("Is there enough?"), self.check),
            (trc("of a training", "Settings"), self.settings),
        ):
            column.addSpacing(10)
            heading = QLabel(text)
            heading.setFont(scaled(self.font(), 1.12, QFont.Weight.DemiBold))
            column.addWidget(heading)
            column.addWidget(part)
        column.addSpacing(6)
        column.addWidget(self._seed_row())
        column.addStretch()

    def _seed_row(self) -> QWidget:
        holder = QWidget()
        name = QLabel(tr("Seed"))
        name.setFont(scaled(self.font(), 1.0, QFont.Weight.Medium))
        help = styled(QLabel(tr("Of all chance: the same gives the same model."), wordWrap=True),
                      "quiet")  # fmt: skip
        help.setFont(scaled(self.font(), 0.92))
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(name)
        words.addWidget(help)
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.addLayout(words, 1)
        row.addWidget(self.seed, 0, Qt.AlignmentFlag.AlignVCenter)
        return holder

    def _foot(self) -> QFrame:
        foot = styled(QFrame(), "formfoot")
        row = QHBoxLayout(foot)
        row.setContentsMargins(20, 10, 16, 12)
        row.setSpacing(10)
        row.addWidget(self.said, 1)
        for part in (self.bar, self.stop, self.estimate, self.job, self.start):
            row.addWidget(part, 0, Qt.AlignmentFlag.AlignVCenter)
        return foot

    def _connect(self) -> None:
        self.data.changed.connect(self.changed)
        self.data.remove_requested.connect(self.corpus_removed)
        self.method.changed.connect(self._recipe_chosen)
        self.settings.changed.connect(self.changed)
        self.seed.editingFinished.connect(self.changed)
        self.check.remedy_requested.connect(self.remedy_requested)
        self.start.clicked.connect(self.start_requested)
        self.estimate.clicked.connect(self.estimate_requested)
        self.job.clicked.connect(self.job_requested)
        self.close_it.clicked.connect(self.closed)
        self.stop.clicked.connect(self._stop)

    def _stop(self) -> None:
        self.stop.setEnabled(False)
        self._say(tr("Stopping…"))
        self.stop_requested.emit()
