"""Selects the two models to compare, and blind or named display."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLabel, QToolButton, QWidget

from sciread_app.language import tr
from sciread_app.ui.compare.trial import Pair
from sciread_app.ui.compare.view_models import ComparableModel
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, Theme, styled

NAME_LETTERS = 12  # characters of a title that are always visible


class ModelPairSelector(QWidget):
    """Two different models: selecting the other one swaps them."""

    changed = Signal()
    closed = Signal()

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.models: dict[str, ComparableModel] = {}
        self.boxes = [_box(tr("First model to compare")), _box(tr("Second model to compare"))]
        self._pair: Pair = ("", "")
        self.blind = QCheckBox(tr("Hide the names, to vote"))
        self.blind.setToolTip(tr("Nobody knows which answer is whose until he has voted."))
        self.close_button = styled(QToolButton(), "link")
        self.close_button.setToolTip(tr("Stop comparing"))
        self.close_button.setAccessibleName(tr("Stop comparing"))
        self._build()
        for box in self.boxes:
            box.currentIndexChanged.connect(self._choose)
        self.blind.toggled.connect(lambda _: self.changed.emit())
        self.close_button.clicked.connect(self.closed)
        appearance.follow(self._paint)

    def offer(self, models: Sequence[ComparableModel]) -> None:
        """Offer these models, keeping the selection where possible."""
        self.models = {model.name: model for model in models}
        spare = iter([name for name in self.models if name not in self._pair])
        first, second = (name if name in self.models else next(spare, "") for name in self._pair)
        self._pair = first, second
        for box in self.boxes:
            box.blockSignals(True)
            box.clear()
            for model in models:
                box.addItem(model.title, model.name)
            box.blockSignals(False)
        self._show_pair()
        for widget in (*self.boxes, self._beside, self.blind):
            widget.setVisible(len(models) > 1)

    def prefer(self, name: str) -> None:
        """When models are offered next, select this one and the first of the others."""
        self._pair = "", name

    def pair(self) -> Pair:
        return self._pair

    def active(self) -> str:
        """The active model; empty if it is not offered."""
        return next((model.name for model in self.models.values() if model.answers), "")

    def _choose(self) -> None:
        first, second = (str(box.currentData()) for box in self.boxes)
        if first == second:
            first, second = self._pair[1], self._pair[0]
        if (first, second) != self._pair:
            self._pair = first, second
            self._show_pair()
            self.changed.emit()

    def _show_pair(self) -> None:
        for box, name in zip(self.boxes, self._pair, strict=True):
            box.blockSignals(True)
            box.setCurrentIndex(box.findData(name))
            box.blockSignals(False)

    def _build(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.boxes[0], 1)
        # Translators: between the names of two models that are compared
        self._beside = styled(QLabel(tr("beside")), "quiet")
        row.addWidget(self._beside)
        row.addWidget(self.boxes[1], 1)
        row.addSpacing(8)
        row.addWidget(self.blind)
        row.addStretch()
        row.addWidget(self.close_button)

    def _paint(self, theme: Theme) -> None:
        self.close_button.setIcon(icon("close", theme.quiet))


def _box(name: str) -> QComboBox:
    box = QComboBox()
    box.setAccessibleName(name)
    box.setMinimumContentsLength(NAME_LETTERS)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    return box
