"""Names and their values in two columns."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from sciread_app.ui.style.theme import styled
from sciread_app.ui.widgets.layout.boxes import remove_widgets
from sciread_app.ui.widgets.text.labels import plain_label


class FactTable(QWidget):
    """Names on the left, values on the right."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(20)
        self._grid.setVerticalSpacing(6)
        self._grid.setColumnStretch(1, 1)
        self.rows: Sequence[tuple[str, str]] = ()

    def show_facts(self, rows: Sequence[tuple[str, str]]) -> None:
        """Show these names and values; nothing is rebuilt if they are the same as before."""
        if rows == self.rows:
            return
        self.rows = rows
        remove_widgets(self._grid)
        for number, (name, value) in enumerate(rows):
            text = plain_label(value)
            text.setAccessibleName(f"{name}: {value}")
            top = Qt.AlignmentFlag.AlignTop
            self._grid.addWidget(styled(QLabel(name), "quiet"), number, 0, top)
            self._grid.addWidget(text, number, 1, top)
