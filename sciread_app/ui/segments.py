"""A switch of a few words side by side, of which one holds."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QHBoxLayout, QPushButton, QSizePolicy, QWidget


class Segments(QFrame):
    """The arrow keys go from one to the next."""

    chosen = Signal(int)  # by a person, not by `choose`

    def __init__(self, name: str, choices: Sequence[tuple[str, str]] = ()) -> None:
        """`choices`: what each is called, and what it does."""
        super().__init__()
        self.setObjectName("segments")
        self.setAccessibleName(name)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(3, 3, 3, 3)
        self._row.setSpacing(0)
        self._group = QButtonGroup(self, exclusive=True)
        self._group.idClicked.connect(self.chosen)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Maximum)
        for choice in choices:
            self.add(*choice)

    def add(self, name: str, tip: str = "") -> None:
        button = QPushButton(name)
        button.setCheckable(True)
        button.setToolTip(tip)
        button.setAccessibleDescription(tip)
        number = self._row.count()
        button.setChecked(number == 0)
        self._group.addButton(button, number)
        self._row.addWidget(button)

    def choose(self, number: int) -> None:
        self._group.button(number).setChecked(True)

    @property
    def current(self) -> int:
        return self._group.checkedId()

    def stops(self) -> list[QWidget]:
        """Where Tab may stop."""
        return [*self._group.buttons()]
