"""Selects two models A and B, with a button that swaps them."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from sciread_app.language import tr
from sciread_app.ui.style.theme import styled


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


def _box(name: str) -> QComboBox:
    box = QComboBox()
    box.setAccessibleName(name)
    box.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
    box.setMinimumWidth(130)
    return box
