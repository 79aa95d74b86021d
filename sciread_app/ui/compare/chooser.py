"""Selects the two models to compare, and blind or named display."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QWidget

from sciread_app.language import tr
from sciread_app.ui.compare.trial import Pair
from sciread_app.ui.compare.view_models import ComparableModel
from sciread_app.ui.style.theme import styled
from sciread_app.ui.widgets.form_rows import ComboBox
from sciread_app.ui.widgets.layout.boxes import row

NAME_LETTERS = 12  # characters of a title that are always visible


class ModelPairBoxes(QWidget):
    """Boxes with two different models: selecting the other one swaps them. Subclasses lay them
    out. With a single model, the other one is empty."""

    changed = Signal()  # by the user, or by `choose`

    def __init__(self, *names: str) -> None:
        super().__init__()
        self.boxes = [ComboBox() for _ in names]
        self.selected: Pair = ("", "")
        for box, name in zip(self.boxes, names, strict=True):
            box.setAccessibleName(name)
            box.currentIndexChanged.connect(self._choose)

    def offer(self, models: Mapping[str, str], usual: Pair = ("", "")) -> None:
        """Offer models by key and title. The selection is kept where possible, else `usual` is
        selected."""
        first, second = (now if now in models else "" for now in self.selected)
        known = [(name, *models) if name in models else (*models,) for name in usual]
        first = first or next((name for name in known[0] if name != second), "")
        second = second or next((name for name in known[1] if name != first), "")
        for box in self.boxes:
            with QSignalBlocker(box):
                box.clear()
                for name, title in models.items():
                    box.addItem(title, name)
        self._select(first, second)

    def choose(self, first: str, second: str) -> None:
        self._select(first, second)
        self.changed.emit()

    def _select(self, first: str, second: str) -> None:
        self.selected = first, second
        for box, name in zip(self.boxes, self.selected, strict=True):
            with QSignalBlocker(box):
                box.setCurrentIndex(box.findData(name))
            box.setToolTip(box.currentText())  # may be elided

    def _choose(self) -> None:
        first, second = (str(box.currentData() or "") for box in self.boxes)
        if first == second:
            second, first = self.selected
        if (first, second) != self.selected:
            self.choose(first, second)


class ModelPairSelector(ModelPairBoxes):
    """The models of a comparison, and whether their names are hidden."""

    def __init__(self) -> None:
        super().__init__(tr("First model to compare"), tr("Second model to compare"))
        self.models: dict[str, ComparableModel] = {}
        for box in self.boxes:
            box.setMinimumContentsLength(NAME_LETTERS)
            box.setSizeAdjustPolicy(
                QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
            )
        # Translators: between the names of two models that are compared
        self._beside = styled(QLabel(tr("vs.")), "quiet")
        self.blind = QCheckBox(tr("Blind test"))
        self.blind.setToolTip(tr("Model names stay hidden until you vote."))
        first, second = self.boxes
        models = ((first, 1), self._beside, (second, 1))
        layout = row(*models, self.blind, 0, parent=self, margins=0)
        layout.insertSpacing(len(models), 8)
        self.blind.toggled.connect(lambda _: self.changed.emit())

    def show_models(self, models: Sequence[ComparableModel]) -> None:
        """Offer these models, keeping the selection where possible."""
        self.models = {model.name: model for model in models}
        self.offer({model.name: model.title for model in models})
        for widget in (*self.boxes, self._beside, self.blind):
            widget.setVisible(len(models) > 1)

    def prefer(self, name: str) -> None:
        """When models are offered next, select this one and the first of the others."""
        self.selected = "", name

    def active(self) -> str:
        """The active model; empty if it is not offered."""
        return next((model.name for model in self.models.values() if model.is_active), "")
