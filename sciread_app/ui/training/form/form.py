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
    QWidget,
)

from sciread_app.language import tr, trc
from sciread_app.services.training.training_service import (
    CheckLine,
    Remedy,
    TrainingCheck,
    TrainingPlan,
)
from sciread_app.ui.jobs.runner import JobError
from sciread_app.ui.setting_labels import setting_label
from sciread_app.ui.style.theme import Appearance, restyled, scaled, styled
from sciread_app.ui.training.form.data import DataPart
from sciread_app.ui.training.form.method import MethodPart
from sciread_app.ui.training.form.settings import SettingsPart, field_column
from sciread_app.ui.training.text import shown_value
from sciread_app.ui.training.view_models import TrainingChoices
from sciread_app.ui.widgets.layout.boxes import column, remove_widgets, row
from sciread_app.ui.widgets.layout.sections import ScrollContents
from sciread_app.ui.widgets.text.labels import ElidedLabel
from trainer.contract.corpus_stats import Level
from trainer.contract.errors import TrainerError

WIDTH = 780  # maximum line length in pixels
MARKS = {Level.enough: ("✓", "good"), Level.few: ("!", "warning"), Level.missing: ("✗", "wrong")}


class CheckPart(QWidget):
    """Shows whether the corpus meets the requirements of the method."""

    remedy_requested = Signal(object)  # CheckLine

    def __init__(self) -> None:
        super().__init__()
        self.lines: Sequence[CheckLine] = ()
        self.buttons: list[QPushButton] = []
        self._column = column(parent=self, margins=0, spacing=8)
        self.setAccessibleName(tr("Data check"))

    def show_lines(self, lines: Sequence[CheckLine]) -> None:
        if lines == self.lines and self.buttons:
            return  # keeps the focus on a button
        self._clear()
        self.lines = lines
        for line in lines:
            self._add(line)

    def show_problem(self, problem: JobError) -> None:
        """Show that the requirements could not be checked."""
        self._clear()
        self._add(CheckLine(Level.missing, problem.text))

    def show_text(self, text: str) -> None:
        self._clear()
        self._column.addWidget(styled(QLabel(text, wordWrap=True), "quiet"))

    def _clear(self) -> None:
        self.lines, self.buttons = (), []
        remove_widgets(self._column)

    def _add(self, line: CheckLine) -> None:
        mark, style = MARKS[line.level]
        sign = styled(QLabel(mark, alignment=Qt.AlignmentFlag.AlignCenter), f"mark-{style}")
        sign.setFont(scaled(self.font(), 0.9, QFont.Weight.Bold))
        sign.setFixedSize(20, 20)
        text = QLabel(line.text, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        holder = QWidget()
        line_row = row(
            (sign, 0, Qt.AlignmentFlag.AlignVCenter),
            (text, 1),
            parent=holder,
            margins=0,
            spacing=10,
        )
        if line.remedy:
            button = QPushButton(_remedy_text(line))
            if line.level is Level.enough:
                styled(button, "link")
            button.setAccessibleDescription(line.text)
            button.clicked.connect(lambda: self.remedy_requested.emit(line))
            self.buttons.append(button)
            line_row.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)
        self._column.addWidget(holder)


def _remedy_text(line: CheckLine) -> str:
    """The text of the remedy's button, with the names of settings instead of their keys."""
    if line.remedy is not Remedy.settings:
        return line.remedy_label
    values = ", ".join(
        f"{setting_label(key)} = {shown_value(key, value)}" for key, value in line.settings.items()
    )
    return tr("Set {values}", values=values)


class TrainingForm(QFrame):
    """Shows the plan of a training run, whether the data is sufficient, and the result of the last
    action. TrainingFormController checks the plan and starts the run."""

    changed = Signal()  # the plan has changed

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self._able = False
        self._busy = False
        self._estimate = ""
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
        self.name.setPlaceholderText(check.title)
        self.name.setToolTip(check.title)
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

    def show_estimate(self, text: str) -> None:
        """Show the estimated time and memory, wherever no action has a result to show."""
        shown = self.note.text() == self._estimate
        self._estimate = text
        if shown:
            self.show_note("")

    def show_trouble(self, problem: JobError) -> None:
        """Show why an action failed."""
        self.show_note(problem.text, "wrong")

    def show_busy(self, what: str, share: float | None = None) -> None:
        """Show the running job; empty: none."""
        begun, self._busy = bool(what) and not self._busy, bool(what)
        for part in (self.bar, self.stop):
            part.setVisible(self._busy)
        if what:
            self.show_note(what)
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
            self.job,
            self.start,
        )
        for one, next_one in pairwise(tab_stops):
            QWidget.setTabOrder(one, next_one)

    def _recipe_selected(self) -> None:
        self.settings.show_recipe(self.method.name)
        self.order_stops()
        self.changed.emit()

    def _allow(self) -> None:
        for button in (self.start, self.job):
            button.setEnabled(self._able and not self._busy)
            button.setProperty(
                "unavailable_reason", "" if self._able else tr("Complete the form first")
            )

    def show_note(self, text: str, style: str = "quiet") -> None:
        """Show the result of an action; without one, the estimate."""
        restyled(self.note, style)
        self.note.setText(text or self._estimate)

    def _build(self) -> None:
        self.name = styled(QLineEdit(), "field")
        self.name.setAccessibleName(tr("Name of the training run"))
        self.name.setMaximumWidth(460)
        self.seed = styled(QLineEdit("1"), "field")
        self.seed.setAccessibleName(tr("Seed"))
        self.close_it = styled(QPushButton(tr("Cancel")), "link")
        self.note = styled(ElidedLabel(), "quiet")
        self.bar = QProgressBar(textVisible=False)
        self.bar.setFixedSize(120, 6)
        self.bar.setAccessibleName(tr("Progress"))
        self.stop = styled(QPushButton(tr("Stop")), "link")
        self.job = QPushButton(tr("Export as job…"))
        self.job.setToolTip(
            tr("Export a folder or zip file that trains this model on another computer, such "
               "as a GPU server, with one command")
        )  # fmt: skip
        self.start = styled(QPushButton(tr("Start training")), "primary")
        for part in (self.bar, self.stop):
            part.hide()
        self.area = QScrollArea(self, widgetResizable=True, alignment=Qt.AlignmentFlag.AlignHCenter)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        column((self.area, 1), self._foot(), parent=self, margins=1, spacing=0)
        self._fill_area()

    def _fill_area(self) -> None:
        inner = ScrollContents()
        self.area.setWidget(inner)
        inner.setMaximumWidth(WIDTH)
        title = QLabel(tr("New training run"))
        title.setFont(scaled(self.font(), 1.4, QFont.Weight.DemiBold))
        title.setContentsMargins(0, 0, 12, 0)
        headings = [
            QLabel(tr("Training data")),
            QLabel(tr("Method")),
            QLabel(tr("Data check")),
            QLabel(trc("of a training", "Settings")),
        ]
        for heading in headings:
            heading.setFont(scaled(self.font(), 1.12, QFont.Weight.DemiBold))
            heading.setContentsMargins(0, 10, 0, 0)
        column(
            row(title, (self.name, 1), 0, self.close_it),
            *(headings[0], self.data, headings[1], self.method),
            *(headings[2], self.check, headings[3], self.settings),
            *(self._seed_row(), 0),
            parent=inner,
            margins=(24, 18, 24, 20),
            spacing=10,
        )

    def _seed_row(self) -> QHBoxLayout:
        name = QLabel(tr("Seed"))
        name.setFont(scaled(self.font(), 1.0, QFont.Weight.Medium))
        text = tr("Starts the random number generator: the same seed gives the same model.")
        help = styled(QLabel(text, wordWrap=True), "quiet")
        help.setFont(scaled(self.font(), 0.92))
        words = column(name, help, spacing=1)
        seed = (field_column(self.seed, narrow=True), 0, Qt.AlignmentFlag.AlignVCenter)
        return row((words, 1), seed, margins=(0, 6, 0, 0))

    def _foot(self) -> QFrame:
        foot = styled(QFrame(), "formfoot")
        parts = (self.bar, self.stop, self.job, self.start)
        middle = [(part, 0, Qt.AlignmentFlag.AlignVCenter) for part in parts]
        row((self.note, 1), *middle, parent=foot, margins=(20, 10, 16, 12), spacing=10)
        return foot

    def _connect(self) -> None:
        self.data.changed.connect(self.changed)
        self.method.changed.connect(self._recipe_selected)
        self.settings.changed.connect(self.changed)
        self.settings.completed.connect(self.order_stops)
        self.seed.editingFinished.connect(self.changed)
        self.stop.clicked.connect(self._stop)

    def _stop(self) -> None:
        self.stop.setEnabled(False)
        self.show_note(tr("Stopping…"))
