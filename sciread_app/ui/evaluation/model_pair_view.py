"""Views of two models A and B, which are selected above them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QLabel,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from sciread_app.language import tr
from sciread_app.services.evaluation.evaluation_service import EvaluationCandidate
from sciread_app.ui.compare.chooser import ModelPairBoxes
from sciread_app.ui.compare.trial import Pair
from sciread_app.ui.compare.view_models import ComparableModel
from sciread_app.ui.jobs.runner import Job, JobError, JobQueue, JobRunner
from sciread_app.ui.style.theme import Appearance, styled
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.layout.page_stack import PageStack
from sciread_app.ui.widgets.messages.empty_state import Actions, EmptyState, second_model_actions

if TYPE_CHECKING:
    from sciread_app.ui.compare.gateway import CompareGateway


class ModelPairPicker(ModelPairBoxes):
    """Two models, A and B, with a button that swaps them."""

    def __init__(self) -> None:
        super().__init__(tr("Model A"), tr("Model B"))
        for box in self.boxes:
            box.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            box.setMinimumWidth(130)
        self.swap = QPushButton("⇄")
        self.swap.setToolTip(tr("Swap A and B"))
        self.swap.setAccessibleName(tr("Swap A and B"))
        first, second = self.boxes
        a, b = (styled(QLabel(letter), "quiet") for letter in "AB")
        row(a, (first, 1), self.swap, b, (second, 1), parent=self, margins=0, spacing=8)
        self.swap.clicked.connect(lambda: self.choose(*reversed(self.selected)))

    def offer(self, models: Mapping[str, str], usual: Pair = ("", "")) -> None:
        super().offer(models, usual)
        self.setEnabled(len(models) > 1)

    def tab_stops(self) -> list[QWidget]:
        return [self.boxes[0], self.swap, self.boxes[1]]


class ModelPairView(QWidget):
    """Shows something about the selected models, or a message in its place."""

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.pair = ModelPairPicker()
        self.empty = EmptyState(appearance)
        self._pages = PageStack(self)
        column(self.pair, (self._pages, 1), parent=self, margins=0, spacing=10)
        self._pages.addWidget(self.empty)

    def show_content(self) -> None:
        self._pages.setCurrentIndex(1)

    def show_message(self, picture: str, title: str, text: str, actions: Actions = ()) -> None:
        self.empty.show_message(picture, title, text, actions)
        self._pages.setCurrentIndex(0)


class InstalledPairView(ModelPairView):
    """A view of two installed models, whether or not they were evaluated. Models that were trained
    here are offered too; selecting one offers to add it to Models."""

    page_requested = Signal(str)  # the key of another page

    picture = ""  # icon of messages
    without_second_model = ""  # message while only one model is installed
    loading = ""  # the name under which the job of `load` can be dropped

    def __init__(
        self, comparisons: CompareGateway, jobs: JobRunner, appearance: Appearance
    ) -> None:
        super().__init__(appearance)
        self._comparisons = comparisons
        self._jobs = jobs
        self._models: dict[str, ComparableModel] = {}
        self._trained: dict[str, EvaluationCandidate] = {}  # not installed, by key in the boxes
        self._adding: Job | None = None
        self.pair.changed.connect(self._show_pair)

    def ask(self) -> None:
        """Load the installed and the trained models, then what is shown about two of them."""
        comparisons = self._comparisons
        self._jobs.run(
            tr("Loading models"),
            lambda task: (comparisons.models(task), comparisons.trained()),
            lambda found: self._show_models(*found),
            on_failed=self.explain,
            replaces=f"models of {type(self).__name__}",
        )

    def selected_models(self) -> tuple[str, str] | None:
        """The selected models; None unless they are installed and different."""
        one, other = self.pair.selected
        return (one, other) if one != other and {one, other} <= self._models.keys() else None

    def explain(self, problem: JobError) -> None:
        actions = ((tr("Retry"), self.ask),)
        self.show_message(self.picture, problem.message, problem.hint, actions)

    def show_message(self, picture: str, title: str, text: str, actions: Actions = ()) -> None:
        self._jobs.drop(self.loading)  # it would replace the message
        super().show_message(picture, title, text, actions)

    def load(self) -> None:
        """Load what is shown about the selected models."""
        raise NotImplementedError

    def _show_models(
        self, models: Sequence[ComparableModel], trained: Sequence[EvaluationCandidate]
    ) -> None:
        self._models = {one.name: one for one in models}
        # No folder of a model has a slash in its name.
        self._trained = {f"run/{one.key}": one for one in trained}
        titles = {one.name: one.title for one in models}
        for key, one in self._trained.items():
            titles[key] = tr("{title} (not in Models)", title=one.title)
        names = list(titles)
        usual = (names[0], names[1]) if len(names) > 1 else ("", "")
        self.pair.offer(titles, usual=usual)
        if len(names) > 1:
            self._show_pair()
        else:
            self.show_message(
                self.picture,
                tr("Only one model is installed"),
                self.without_second_model,
                second_model_actions(self.page_requested.emit),
            )

    def _show_pair(self) -> None:
        key = next((one for one in self.pair.selected if one in self._trained), "")
        if not key:
            self.load()
        elif self._adding:
            title = self._trained[key].title
            self.show_message("wait", tr("Adding the model of {name}", name=title), "")
        else:
            self.show_message(
                self.picture,
                tr("{title} is not in Models yet", title=self._trained[key].title),
                tr("Add the trained model to Models to compare it with other models."),
                ((tr("Add to Models"), partial(self._add, key)),),
            )

    def _add(self, key: str) -> None:
        """Add a trained model to Models, and select it."""
        trained, comparisons = self._trained[key], self._comparisons

        def added(model: str) -> None:
            self._adding = None
            first, second = (model if one == key else one for one in self.pair.selected)
            self.pair.selected = first, second
            self.ask()

        def failed(problem: JobError) -> None:
            self._adding = None
            self.explain(problem)

        self._adding = self._jobs.run(
            tr("Adding the model of {name}", name=trained.title),
            lambda task: comparisons.add_trained(trained.key, task),
            added,
            on_failed=failed,
            on_cancelled=self._stopped,
            queue=JobQueue.long,
        )
        self._show_pair()

    def _stopped(self) -> None:
        self._adding = None
        self._show_pair()
