"""Views of two models A and B, which are selected above them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from sciread_app.language import tr
from sciread_app.ui.compare.view_models import ComparableModel
from sciread_app.ui.evaluation.view_models import EvaluationServices
from sciread_app.ui.jobs.runner import JobError, JobQueue, JobRunner
from sciread_app.ui.style.theme import Appearance, styled
from sciread_app.ui.widgets.messages.empty_state import Actions, EmptyState, second_model_actions


class ModelPairPicker(QWidget):
    """Two different models: selecting the other one swaps them. With a single model, B is empty."""

    changed = Signal()  # by the user

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = _box(tr("First model, A")), _box(tr("Second model, B"))
        self.swap = QPushButton("⇄")
        self.swap.setToolTip(tr("The other way round"))
        self.swap.setAccessibleName(tr("The other way round"))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for letter, box in (("A", self.first), ("B", self.second)):
            row.addWidget(styled(QLabel(letter), "quiet"))
            row.addWidget(box, 1)
            if letter == "A":
                row.addWidget(self.swap)
        self.swap.clicked.connect(self._swap)
        self._before = ("", "")
        for box in (self.first, self.second):
            box.activated.connect(lambda _: self._choose())

    def offer(self, models: Mapping[str, str], *, usual: tuple[str, str] = ("", "")) -> None:
        """Offer models by key and name. The selection is kept where possible, else the default is
        selected.
        """
        kept = [
            now if now in models else wanted for now, wanted in zip(self.chosen, usual, strict=True)
        ]
        for box, key in zip((self.first, self.second), kept, strict=True):
            box.clear()
            for model, name in models.items():
                box.addItem(name, model)
            box.setCurrentIndex(max(box.findData(key), 0))
        if len(models) < 2:
            self.second.setCurrentIndex(-1)
        elif self.first.currentIndex() == self.second.currentIndex():
            self.second.setCurrentIndex(1 if self.first.currentIndex() == 0 else 0)
        self._before = self.chosen
        self.setEnabled(len(models) > 1)

    @property
    def chosen(self) -> tuple[str, str]:
        return str(self.first.currentData() or ""), str(self.second.currentData() or "")

    def choose(self, first: str, second: str) -> None:
        for box, key in ((self.first, first), (self.second, second)):
            box.setCurrentIndex(max(box.findData(key), 0))
        self._before = self.chosen
        self.changed.emit()

    def tab_stops(self) -> list[QWidget]:
        return [self.first, self.swap, self.second]

    def _choose(self) -> None:
        first, second = self.chosen
        if first == second:
            second, first = self._before
        self.choose(first, second)

    def _swap(self) -> None:
        first, second = self.chosen
        self.choose(second, first)


class ModelPairView(QWidget):
    """Shows something about the selected models, or a message in its place."""

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.pair = ModelPairPicker()
        self.empty = EmptyState(appearance)
        self._pages = QStackedWidget()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        column.addWidget(self.pair)
        column.addWidget(self._pages, 1)
        self._pages.addWidget(self.empty)

    def show_content(self) -> None:
        self._pages.setCurrentIndex(1)

    def show_message(self, picture: str, title: str, text: str, actions: Actions = ()) -> None:
        self.empty.show_message(picture, title, text, actions)
        self._pages.setCurrentIndex(0)


class InstalledPairView(ModelPairView):
    """A view of two installed models, whether or not they were evaluated."""

    place_requested = Signal(str)  # the key of another page

    picture = ""  # icon of messages
    without_second_model = ""  # message while only one model is installed

    def __init__(self, source: EvaluationServices, jobs: JobRunner, appearance: Appearance) -> None:
        super().__init__(appearance)
        self._source = source
        self._jobs = jobs
        self._models: dict[str, ComparableModel] = {}

    def ask(self) -> None:
        """Load the installed models, then what is shown about two of them."""
        self._jobs.run(
            tr("Looking for models"),
            lambda task: list(self._source.comparisons.models(task)),
            self._show_models,
            on_failed=self.explain,
            queue=JobQueue.short,
            replaces=f"models of {type(self).__name__}",
        )

    def chosen_models(self) -> tuple[str, str] | None:
        """The selected models; None unless they are installed and different."""
        one, other = self.pair.chosen
        return (one, other) if one != other and {one, other} <= self._models.keys() else None

    def explain(self, problem: JobError) -> None:
        actions = ((tr("Try again"), self.ask),)
        self.show_message(self.picture, problem.message, problem.hint, actions)

    def load(self) -> None:
        """Load what is shown about the selected models."""
        raise NotImplementedError

    def _show_models(self, models: Sequence[ComparableModel]) -> None:
        self._models = {one.name: one for one in models}
        names = list(self._models)
        usual = (names[0], names[1]) if len(names) > 1 else ("", "")
        self.pair.offer({one.name: one.title for one in models}, usual=usual)
        if len(names) > 1:
            self.load()
        else:
            self.show_message(
                self.picture,
                tr("There is no second model here yet"),
                self.without_second_model,
                second_model_actions(self.place_requested.emit),
            )


def _box(name: str) -> QComboBox:
    box = QComboBox()
    box.setAccessibleName(name)
    box.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
    box.setMinimumWidth(130)
    return box
