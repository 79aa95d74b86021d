"""A row of buttons of which exactly one is checked."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLayout,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from sciread_app.ui.widgets.layout.flow_layout import FlowLayout


class SegmentedControl(QFrame):
    """A segmented control. The arrow keys move from one segment to the next."""

    selected = Signal(int)  # by the user, not by `choose`

    def __init__(
        self, name: str, choices: Sequence[tuple[str, str]] = (), *, wraps: bool = False
    ) -> None:
        """`choices`: the text and the tooltip of each segment. If it `wraps`, the segments take
        more than one line where they need it."""
        super().__init__()
        self.setObjectName("segments")
        self.setAccessibleName(name)
        self._row: QLayout = FlowLayout(0) if wraps else QHBoxLayout()
        self.setLayout(self._row)
        self._row.setContentsMargins(3, 3, 3, 3)
        self._row.setSpacing(0)
        self._group = QButtonGroup(self, exclusive=True)
        self._group.idClicked.connect(self.selected)
        if not wraps:
            self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Maximum)
        for choice in choices:
            self.add(*choice)

    def add(self, name: str, tip: str = "") -> None:
        """Add a segment; its number is that of the segments before it, and the first one is
        selected."""
        button = QPushButton(name)
        button.setCheckable(True)
        button.setAutoDefault(False)  # Enter in a text box of a dialog would press it
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

    def tab_stops(self) -> list[QWidget]:
        """The widgets that Tab stops at."""
        return [*self._group.buttons()]
