"""The training page: runs, their progress, and the form for a new one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import Qt, QTimer, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QLabel,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QWidget,
)

from sciread_app.domain.paper import LibraryChanges
from sciread_app.language import tr, trn
from sciread_app.services.training.run_import import OpenedRun
from sciread_app.services.training.runs import TrainingRun
from sciread_app.tasks import Task
from sciread_app.ui.app_context import AppContext
from sciread_app.ui.jobs.runner import Job, JobError, JobQueue
from sciread_app.ui.page import Page
from sciread_app.ui.style.theme import Appearance, styled
from sciread_app.ui.training.dialogs import (
    ask_for_folder,
    ask_for_zip,
    ask_to_remove,
)
from sciread_app.ui.training.form.controller import TrainingFormController
from sciread_app.ui.training.form.form import TrainingForm
from sciread_app.ui.training.run_list import TrainingList
from sciread_app.ui.training.run_view import TrainingView
from sciread_app.ui.training.view_models import TrainingDetails
from sciread_app.ui.widgets.dialogs.log_dialog import LogDialog
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.messages.empty_state import EmptyState

if TYPE_CHECKING:
    from sciread_app.ui.training.gateway import TrainingGateway

POLL_MS = 500  # between two updates of a running training
ABOUT = tr(
    "The model included with SciRead covers every field a little. One trained on your own "
    "papers knows your field: which papers cite each other, and which journals and "
    "subjects belong together."
)

T = TypeVar("T")


class TrainingPage(Page):
    """Lists the training runs, and shows the selected one or the form for a new run. While a run is
    active, the page is updated twice a second."""

    def __init__(self, gateway: TrainingGateway, context: AppContext) -> None:
        super().__init__(context.pages)
        jobs, appearance = context.jobs, context.appearance
        self._gateway = gateway
        self._context = context
        self._runs = gateway.service.runs
        self._jobs = jobs
        self.trainings: Sequence[TrainingRun] = ()
        self._looking: Job | None = None
        self._loading: Job | None = None
        self._loaded = self._was_busy = False
        self._appearance = appearance
        self._build(appearance)
        self._connect()
        jobs.started.connect(self._load_if_external)

    @cached_property
    def form(self) -> TrainingForm:
        """The form, built on first use: it is most of the page."""
        form = TrainingForm(self._appearance, self._right)
        self._right.addWidget(form)
        form.close_it.clicked.connect(self._close_form)
        return form

    @cached_property
    def planning(self) -> TrainingFormController:
        planning = TrainingFormController(self._gateway, self._context, self.form, self)
        planning.started.connect(self._started)
        return planning

    # Interface of a page

    def build_rest(self) -> None:
        _ = self.form

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

    def library_changed(self, changes: LibraryChanges) -> None:
        if changes.papers and self.isVisible() and self.writes:
            self.planning.look()

    # Actions

    def begin(self) -> None:
        """Show the form for a new training."""
        self._whole.setCurrentIndex(1)
        self._right.setCurrentWidget(self.form)
        self.planning.look()
        self.form.take_focus()
        self.actions_changed.emit()

    def open_folder(self) -> None:
        if source := ask_for_folder(self):
            self.open(source)

    def open_zip(self) -> None:
        if source := ask_for_zip(self):
            self.open(source)

    def open(self, source: Path) -> None:
        """Import the run in a folder or a zip."""
        title = tr("Opening a training run")
        self._jobs.run(
            title, lambda task: self._gateway.open(source, task), self._opened, queue=JobQueue.long
        )

    def do(self, action: str) -> None:
        """Apply one of view.ACTIONS to the current run."""
        details = self.view.details
        if not details or self.writes or not self.view.can(action):
            return
        name = details.training.name
        if action == "stop":
            self._change(tr("Stopping a training run"), lambda: self._runs.stop(name))
        elif action == "resume":
            self._change(tr("Resuming a training run"), lambda: self._runs.resume(name))
        elif action == "remove":
            ask_to_remove(details, partial(self._remove, name), self)
        elif action == "log":
            self._light(tr("Loading the log"), lambda task: self._runs.log(name),
                        lambda text: LogDialog(name, text, self).show())  # fmt: skip
        elif action == "folder":
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(details.training.folder)))
        elif action == "measure":
            self._context.navigate.evaluate_model(details.training.space)
        elif action == "compare":
            self._context.navigate.compare_model(details.model)
        else:
            self._take_model(name, activate=action == "activate")

    @property
    def writes(self) -> bool:
        """Whether the form is shown."""
        shown = self._right.currentWidget()
        return isinstance(shown, TrainingForm) and self._whole.currentIndex() == 1

    def unavailable_reason(self, action: str) -> str:
        """Why an action on the current run is unavailable; empty if it is available."""
        can = not self.writes and self.view.can(action)
        return "" if can else tr("Not available for the selected training run")

    # Loading

    def load(self, choose: str = "") -> None:
        """Load the runs; `choose` names one to show."""
        self._loading = self._light(
            tr("Loading training runs"),
            lambda task: self._runs.all(),
            partial(self._show, choose=choose),
            replaces="trainings",
        )

    def _load_if_external(self, job: Job) -> None:
        """List a run that was started outside this page."""
        if job.is_external and self.isVisible():
            self.load()

    def _show(self, trainings: Sequence[TrainingRun], choose: str = "") -> None:
        self._loaded, self.trainings = True, trainings
        before = self.list.current
        if not self.writes or choose:
            self._whole.setCurrentIndex(1 if trainings else 0)
            self._right.setCurrentWidget(self.view)
        self.list.show_trainings(trainings, choose)
        self.list.setVisible(bool(trainings))
        counted = trn("{n:,} training run", "{n:,} training runs", len(trainings))
        self.count.setText(counted if trainings else "")
        if choose and self.isVisible():  # else it would go to the navigation bar with the form
            self.take_focus()
        if trainings and self.list.current == before:
            self._look()
        self._report_busy()
        self.actions_changed.emit()

    def _report_busy(self) -> None:
        busy = any(training.status.is_active for training in self.trainings)
        if busy != self._was_busy:
            self._was_busy = busy
            self._context.navigate.show_busy("training", busy)

    def _choose(self, name: str) -> None:
        # While the form is shown, loading the runs selects one, too, as the list gets its first.
        if name and self._loaded and (self.list.hasFocus() or not self.writes):
            self._right.setCurrentWidget(self.view)
            self._look()

    def _look(self) -> None:
        """Load the selected run."""
        name = self.list.current
        if not name:
            self.view.clear()
            return
        title = tr("Loading a training run")
        self._looking = self._light(
            title, lambda task: self._gateway.look(name, task), self._show_details,
            on_failed=self._not_shown, on_cancelled=self.list.forget_menu, replaces="training",
        )  # fmt: skip

    def _not_shown(self, problem: JobError) -> None:
        self.list.forget_menu()
        self._context.messages.show_problem(problem)

    def _show_details(self, details: TrainingDetails) -> None:
        name = details.training.name
        if name != self.list.current:
            return
        changed = (
            not self.view.details or self.view.details.training.status != details.training.status
        )
        self.view.show_details(details)
        self.trainings = [details.training if one.name == name else one for one in self.trainings]
        self.list.show_trainings(self.trainings)
        self._report_busy()
        self._offer_actions()
        if changed:
            self.actions_changed.emit()

    def _offer_actions(self) -> None:
        """Show the menu of the current run, if it was requested, once its details are loaded."""
        details = self.view.details
        if details and details.training.name == self.list.current:
            self.list.show_menu(self.view.buttons.values())

    def _leave_form(self) -> None:
        """Show the clicked run in place of the form, which keeps its contents."""
        if self.writes:
            self._close_form()

    def _show_form_state(self) -> None:
        self.new_button.setDisabled(self._right.currentWidget() is not self.view)

    def _tick(self) -> None:
        """Update the running training unless an earlier update is not finished, which may be one
        that the user requested.
        """
        going = any(training.status.is_active for training in self.trainings)
        looking = {self._looking, self._loading} & {*self._jobs.running(JobQueue.short)}
        if not going or not self.isVisible() or looking:
            return
        shown = self.view.details
        if shown and shown.training.status.is_active and not self.writes:
            self._look()
        else:
            self.load()

    # Actions on runs

    def _change(self, title: str, work: Callable[[], TrainingRun]) -> None:
        self._light(title, lambda task: work(), lambda training: self.load(training.name))

    def _remove(self, name: str) -> None:
        self._light(tr("Deleting a training run"), lambda task: self._runs.remove(name),
                    lambda _: self._removed(name))  # fmt: skip

    def _removed(self, name: str) -> None:
        self._context.toast.show_message(tr("{name} was deleted", name=name))
        self.view.clear()
        self.load()

    def _take_model(self, name: str, *, activate: bool) -> None:
        def done(model: str) -> None:
            if activate:
                self._context.activation.activate(model, name)
            else:
                self._context.toast.show_message(
                    tr("The model of “{name}” was added to Models", name=name)
                )
            self.load(name)

        title = tr("Adding the model of {name}", name=name)
        self._jobs.run(
            title,
            lambda task: self._gateway.importer.add_model(name, task),
            done,
            queue=JobQueue.long,
        )

    def _opened(self, opened: OpenedRun) -> None:
        name = opened.training.name
        if not opened.new:
            self._context.toast.show_message(tr("{name} is already in the list", name=name))
        elif opened.model:
            self._context.toast.show_message(
                tr("{name} was added, and its model was added to Models", name=name)
            )
        else:
            self._context.toast.show_message(tr("{name} was added", name=name))
        self.load(name)

    def _started(self, training: TrainingRun) -> None:
        self._right.setCurrentWidget(self.view)
        self.load(training.name)

    def _close_form(self) -> None:
        self._right.setCurrentWidget(self.view)
        self._whole.setCurrentIndex(1 if self.trainings else 0)
        self._look()
        self.actions_changed.emit()

    def _light(
        self, title: str, work: Callable[[Task], T], done: Callable[[T], Any], **options: Any
    ) -> Job:
        return self._jobs.run(title, work, done, **options)

    def _build(self, appearance: Appearance) -> None:
        self.count = styled(QLabel(), "quiet")
        self.open_button = QPushButton(tr("Open a training run…"))
        self.open_button.setToolTip(
            tr("Open a run from another computer, or a finished training job")
        )
        self.new_button = styled(QPushButton(tr("New training run")), "primary")
        self.list = TrainingList(appearance)
        self.nothing = EmptyState(appearance)
        self.nothing.show_message(
            "training", tr("Train a model on your papers"), ABOUT,
            ((tr("New training run"), self.begin), (tr("Open a training run…"), self.open_folder)),
        )  # fmt: skip
        # Outer widgets first: setting a parent restyles a widget with all its children.
        self._whole = QStackedWidget(self)
        column(self._whole, parent=self, margins=0)
        self._whole.addWidget(self.nothing)
        some = QWidget(self._whole)
        self._whole.addWidget(some)
        split = QSplitter(
            Qt.Orientation.Horizontal, some, childrenCollapsible=False, handleWidth=10
        )
        buttons = (self.open_button, self.new_button)
        head = row(self.count, 0, *buttons, margins=(20, 12, 16, 8), spacing=8)
        column(head, (split, 1), parent=some, margins=0, spacing=0)
        split.addWidget(self.list)
        self._right = QStackedWidget(split)
        self.view = TrainingView(appearance, self._right)
        split.setStretchFactor(1, 1)
        split.setSizes([300, 840])
        split.setContentsMargins(12, 0, 16, 12)
        self._right.addWidget(self.view)

    def _connect(self) -> None:
        self._ticks = QTimer(self, interval=POLL_MS)
        self._ticks.timeout.connect(self._tick)
        self._ticks.start()
        self.list.selected.connect(self._choose)
        self.list.activated.connect(self.view.take_focus)
        self.list.clicked.connect(self._leave_form)
        self.list.menu_requested.connect(self._leave_form)
        self.list.menu_requested.connect(self._offer_actions)
        self._right.currentChanged.connect(self._show_form_state)
        self.view.action_requested.connect(self.do)
        self.new_button.clicked.connect(self.begin)
        self.open_button.clicked.connect(self.open_folder)
