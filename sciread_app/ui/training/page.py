"""The page of trainings: those there are, how each goes, and the form of a new one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from sciread_app.domain.paper import Changes
from sciread_app.language import tr, trn
from sciread_app.services.run_arrivals import Opened
from sciread_app.services.runs import Training
from sciread_app.tasks import Task
from sciread_app.ui.empty import EmptyState
from sciread_app.ui.jobs import Job, Jobs, Lane
from sciread_app.ui.page import Page
from sciread_app.ui.theme import Appearance, styled
from sciread_app.ui.training.asking import (
    LogDialog,
    ask_for_folder,
    ask_for_zip,
    ask_to_remove,
)
from sciread_app.ui.training.form import TrainingForm
from sciread_app.ui.training.list import TrainingList
from sciread_app.ui.training.planning import Planning
from sciread_app.ui.training.values import Teacher, Told
from sciread_app.ui.training.view import TrainingView

LOOKS_MS = 500  # between two looks at a training that goes on
ABOUT = tr(
    "The model that came with SciRead knows a little of everything. One that has learned from your "
    "own papers knows your field: who cites whom, which journals and subjects belong together."
)

T = TypeVar("T")


class TrainingPage(Page):
    said = Signal(str)  # what was done
    problem = Signal(object)  # Problem
    place_wanted = Signal(str)  # the key of another page
    activate_wanted = Signal(str, str)  # a model, and its title
    measure_wanted = Signal(str)  # the space of a model that is to be seen in the dashboard
    compare_wanted = Signal(str)  # a model
    came = Signal(object)  # Changes
    busy_changed = Signal(bool)  # whether a training goes on
    shown = Signal()  # something else stands there

    def __init__(self, teacher: Teacher, jobs: Jobs, appearance: Appearance) -> None:
        super().__init__()
        self._teacher = teacher
        self._jobs = jobs
        self.trainings: Sequence[Training] = ()
        self._looking: Job | None = None
        self._loading: Job | None = None
        self._loaded = self._was_busy = False
        self._appearance = appearance
        self._build(appearance)
        self._connect()

    @cached_property
    def form(self) -> TrainingForm:
        """Built when somebody first writes a training: it is most of the page."""
        form = TrainingForm(self._appearance)
        self._right.addWidget(form)
        form.closed.connect(self._close_form)
        return form

    @cached_property
    def planning(self) -> Planning:
        planning = Planning(self._teacher, self._jobs, self.form, self)
        planning.started.connect(self._started)
        planning.place_wanted.connect(self.place_wanted)
        planning.came.connect(self.came)
        planning.problem.connect(self.problem)
        return planning

    # What the window asks of a page.

    def refresh(self) -> None:
        self.load()
        if self.writes:
            self.planning.look()

    def take_focus(self) -> None:
        if self.writes:
            self.form.take_focus()
        elif self.trainings:
            self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def panes(self) -> Sequence[QWidget]:
        return (self.list, self.form if self.writes else self.view)

    def library_changed(self, changes: Changes) -> None:
        if changes.papers and self.isVisible() and self.writes:
            self.planning.look()

    # Verbs, from buttons, menus and keys.

    def begin(self) -> None:
        """Write a new training."""
        self._whole.setCurrentIndex(1)
        self._right.setCurrentWidget(self.form)
        self.planning.look()
        self.form.take_focus()
        self.shown.emit()

    def open_folder(self) -> None:
        if source := ask_for_folder(self):
            self.open(source)

    def open_zip(self) -> None:
        if source := ask_for_zip(self):
            self.open(source)

    def open(self, source: Path) -> None:
        """Bring in the training in a folder or a zip."""
        title = tr("Opening a training")
        self._jobs.run(title, lambda task: self._teacher.open(source, task), self._opened)

    def do(self, verb: str) -> None:
        """One of view.VERBS, to the training that is shown."""
        told = self.view.told
        if not told or self.writes or not self.view.can(verb):
            return
        name = told.training.name
        if verb == "stop":
            self._change(tr("Stopping a training"), lambda: self._teacher.stop(name))
        elif verb == "go_on":
            self._change(tr("Going on with a training"), lambda: self._teacher.go_on(name))
        elif verb == "remove":
            ask_to_remove(told, partial(self._remove, name), self)
        elif verb == "log":
            self._light(tr("Reading a log"), lambda task: self._teacher.log(name),
                        lambda text: LogDialog(name, text, self).show())  # fmt: skip
        elif verb == "folder":
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(told.training.folder)))
        elif verb == "measure":
            self.measure_wanted.emit(told.training.space)
        elif verb == "compare":
            self.compare_wanted.emit(told.model)
        else:
            self._take_model(name, activate=verb == "activate")

    @property
    def writes(self) -> bool:
        """Whether the form of a new training is shown."""
        shown = self._right.currentWidget()
        return isinstance(shown, TrainingForm) and self._whole.currentIndex() == 1

    def why_not(self, verb: str) -> str:
        """Why something cannot be done to the training that is shown; empty where it can."""
        can = not self.writes and self.view.can(verb)
        return "" if can else tr("Not to the training that is shown")

    # Looking.

    def load(self, choose: str = "") -> None:
        """Look at the trainings; `choose` names one that is to be shown then."""
        self._loading = self._light(
            tr("Looking at trainings"),
            lambda task: self._teacher.trainings(),
            partial(self._show, choose=choose),
            instead_of="trainings",
        )

    def _show(self, trainings: Sequence[Training], choose: str = "") -> None:
        self._loaded, self.trainings = True, trainings
        before = self.list.current
        self.list.show_trainings(trainings, choose)
        self.list.setVisible(bool(trainings))
        counted = trn("{n:,} training", "{n:,} trainings", len(trainings))
        self.count.setText(counted if trainings else "")
        if not self.writes or choose:
            self._whole.setCurrentIndex(1 if trainings else 0)
            self._right.setCurrentWidget(self.view)
        if trainings and self.list.current == before:
            self._look()
        self._tell_busy()
        self.shown.emit()

    def _tell_busy(self) -> None:
        busy = any(training.standing.goes_on for training in self.trainings)
        if busy != self._was_busy:
            self._was_busy = busy
            self.busy_changed.emit(busy)

    def _choose(self, name: str) -> None:
        if name and self._loaded:
            self._right.setCurrentWidget(self.view)
            self._look()

    def _look(self) -> None:
        """At the one that is chosen."""
        name = self.list.current
        if not name:
            self.view.clear()
            return
        title = tr("Looking at a training")
        self._looking = self._light(
            title, lambda task: self._teacher.look(name, task), self._show_told,
            instead_of="training",
        )  # fmt: skip

    def _show_told(self, told: Told) -> None:
        name = told.training.name
        if name != self.list.current:
            return
        changed = not self.view.told or self.view.told.training.standing != told.training.standing
        self.view.show_told(told)
        self.trainings = [told.training if one.name == name else one for one in self.trainings]
        self.list.show_trainings(self.trainings)
        self._tell_busy()
        if changed:
            self.shown.emit()

    def _tick(self) -> None:
        """Look again at what goes on, unless the last look is not over: it may be one that
        somebody has asked for."""
        going = any(training.standing.goes_on for training in self.trainings)
        looking = {self._looking, self._loading} & {*self._jobs.running(Lane.light)}
        if not going or not self.isVisible() or looking:
            return
        shown = self.view.told
        if shown and shown.training.standing.goes_on and not self.writes:
            self._look()
        else:
            self.load()

    # What is done to trainings.

    def _change(self, title: str, work: Callable[[], Training]) -> None:
        self._light(title, lambda task: work(), lambda training: self.load(training.name))

    def _remove(self, name: str) -> None:
        self._light(tr("Removing a training"), lambda task: self._teacher.remove(name),
                    lambda _: self._removed(name))  # fmt: skip

    def _removed(self, name: str) -> None:
        self.said.emit(tr("{name} is removed", name=name))
        self.view.clear()
        self.load()

    def _take_model(self, name: str, *, activate: bool) -> None:
        def done(model: str) -> None:
            if activate:
                self.activate_wanted.emit(model, name)
            else:
                self.said.emit(tr("Its model is among your models, as {name}", name=model))
            self.load(name)

        title = tr("Adding the model of {name}", name=name)
        self._jobs.run(title, lambda task: self._teacher.add_model(name, task), done)

    def _opened(self, opened: Opened) -> None:
        name = opened.training.name
        if not opened.new:
            self.said.emit(tr("{name} is here already", name=name))
        elif opened.model:
            self.said.emit(tr("{name} is here, and its model among your models", name=name))
        else:
            self.said.emit(tr("{name} is here", name=name))
        self.load(name)

    def _started(self, training: Training) -> None:
        self._right.setCurrentWidget(self.view)
        self.load(training.name)

    def _close_form(self) -> None:
        self._right.setCurrentWidget(self.view)
        self._whole.setCurrentIndex(1 if self.trainings else 0)
        self._look()
        self.shown.emit()

    def _light(
        self, title: str, work: Callable[[Task], T], done: Callable[[T], Any], **options: Any
    ) -> Job:
        return self._jobs.run(title, work, done, lane=Lane.light, **options)

    def _build(self, appearance: Appearance) -> None:
        self.count = styled(QLabel(), "quiet")
        self.open_button = QPushButton(tr("Open a training…"))
        self.open_button.setToolTip(tr("One that was made elsewhere, or a job that has come back"))
        self.new_button = styled(QPushButton(tr("New training")), "primary")
        self.list = TrainingList(appearance)
        self.view = TrainingView(appearance)
        self.nothing = EmptyState(appearance)
        self.nothing.say(
            "training", tr("Teach a model your field"), ABOUT,
            ((tr("New training"), self.begin), (tr("Open a training…"), self.open_folder)),
        )  # fmt: skip
        # From the outside in: a widget that is given a parent is styled anew with all it holds.
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        self._whole = QStackedWidget()
        whole.addWidget(self._whole)
        self._whole.addWidget(self.nothing)
        some = QWidget()
        self._whole.addWidget(some)
        column = QVBoxLayout(some)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        head = QHBoxLayout()
        column.addLayout(head)
        head.setContentsMargins(20, 12, 16, 8)
        head.addWidget(self.count)
        head.addStretch()
        head.setSpacing(8)
        head.addWidget(self.open_button)
        head.addWidget(self.new_button)
        split = QSplitter(Qt.Orientation.Horizontal, childrenCollapsible=False, handleWidth=10)
        column.addWidget(split, 1)
        self._right = QStackedWidget()
        split.addWidget(self.list)
        split.addWidget(self._right)
        split.setStretchFactor(1, 1)
        split.setSizes([300, 840])
        split.setContentsMargins(12, 0, 16, 12)
        self._right.addWidget(self.view)

    def _connect(self) -> None:
        self._ticks = QTimer(self, interval=LOOKS_MS)
        self._ticks.timeout.connect(self._tick)
        self._ticks.start()
        self.list.chosen.connect(self._choose)
        self.list.entered.connect(self.view.take_focus)
        self.view.wanted.connect(self.do)
        self.new_button.clicked.connect(self.begin)
        self.open_button.clicked.connect(self.open_folder)
