"""Two papers side by side: where they differ, and what of each a merged paper would say."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from sciread_app.ui.duplicates_cell import Cell
from sciread_app.ui.duplicates_values import DIFFERS, Comparison, Row, chosen_values
from sciread_app.ui.theme import Appearance, restyled, scaled, styled

KEYS = "M, K or V decides; the arrow keys choose a side and go on"
SIDES = ("First paper", "Second paper")


class PairPanel(QFrame):
    merge_wanted = Signal()
    keep_wanted = Signal()
    versions_wanted = Signal()
    paper_wanted = Signal(object)  # PaperId

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.setAccessibleName("The two papers")
        self._appearance = appearance
        self.found: Comparison | None = None
        self.cells: dict[str, tuple[Cell, Cell]] = {}  # those that can be chosen, by field
        self._groups: list[QButtonGroup] = []
        self._wins: dict[str, int] = {}
        self.reason = QLabel(wordWrap=True)
        self.reason.setTextFormat(Qt.TextFormat.PlainText)
        self.reason.setFont(scaled(self.font(), 1.08, QFont.Weight.DemiBold))
        self._scroll = QScrollArea(widgetResizable=True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.merge = styled(QPushButton("Merge"), "primary")
        self.keep = QPushButton("Keep both")
        self.versions = QPushButton("Versions of one work")
        self._lay_out()

    def show_pair(self, found: Comparison) -> None:
        self.found = found
        self._wins = dict(found.wins)
        reason = found.pair.reason
        self.reason.setText(f"{reason[:1].upper()}{reason[1:]}")
        self.keep.setText("Not one work" if found.pair.versions else "Keep both")
        self.versions.setVisible(not found.pair.versions)
        restyled(self.merge, "" if found.pair.versions else "primary")
        self._fill(found)
        self.allow(True)

    def allow(self, allowed: bool) -> None:
        """Whether something may be decided now."""
        for button in (self.merge, self.keep, self.versions):
            button.setEnabled(allowed)

    @property
    def chosen(self) -> dict[str, Any]:
        """The values that somebody chose otherwise than a merge would."""
        return chosen_values(self.found, self._wins) if self.found else {}

    def take_all(self, side: int) -> None:
        """Let this side win in all in which there is a choice."""
        for cells in self.cells.values():
            if button := cells[side].button:
                button.setChecked(True)

    def _fill(self, found: Comparison) -> None:
        body = styled(QWidget(), "column")
        grid = QGridLayout(body)
        grid.setContentsMargins(16, 4, 16, 12)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(2, 1)
        self.cells, self._groups = {}, []
        for side, title in enumerate(SIDES):
            grid.addWidget(self._heading(found, side, title), 0, side + 1)
        for line, row in enumerate(found.rows, start=1):
            self._add_row(grid, line, row, found)
        grid.setRowStretch(len(found.rows) + 1, 1)
        self._scroll.setWidget(body)

    def _heading(self, found: Comparison, side: int, title: str) -> QWidget:
        paper = found.sides[side].paper
        heading = styled(QPushButton(title), "flush")
        heading.setToolTip("Show this paper in the library")
        heading.setAccessibleName(f"{title}: show it in the library")
        heading.clicked.connect(lambda: self.paper_wanted.emit(paper.id))
        return heading

    def _add_row(self, grid: QGridLayout, line: int, row: Row, found: Comparison) -> None:
        grid.addWidget(self._name(row), line, 0, Qt.AlignmentFlag.AlignTop)
        cells = (
            Cell(row.left, f"{row.name} of the first paper", self._appearance, row.choice),
            Cell(row.right, f"{row.name} of the second paper", self._appearance, row.choice),
        )
        group = QButtonGroup(self._scroll)
        for side, cell in enumerate(cells):
            grid.addWidget(cell, line, side + 1)
            if cell.button:
                group.addButton(cell.button, side)
                cell.button.setChecked(side == found.wins[row.field])
                cell.chosen.connect(lambda f=row.field, s=side: self._wins.update({f: s}))
        if row.choice:
            self.cells[row.field] = cells
            self._groups.append(group)

    def _name(self, row: Row) -> QWidget:
        name = QWidget()
        column = QVBoxLayout(name)
        column.setContentsMargins(0, 7, 6, 0)
        column.setSpacing(1)
        label = QLabel(row.name)
        column.addWidget(label)
        if row.said:
            small = styled(QLabel(row.said), "wrong" if row.said == DIFFERS else "faint")
            small.setFont(scaled(self.font(), 0.86))
            column.addWidget(small)
        return name

    def _lay_out(self) -> None:
        for button, keys, means in (
            (self.merge, "M", "Make the two one paper, which has what is marked and all else"),
            (self.keep, "K", "They are two papers; they will not be shown here again"),
            (self.versions, "V", "Two versions of one work: both stay, and lists show one"),
        ):
            button.setToolTip(f"{means} ({keys})")
            button.setAccessibleDescription(means)
        self.merge.clicked.connect(self.merge_wanted)
        self.keep.clicked.connect(self.keep_wanted)
        self.versions.clicked.connect(self.versions_wanted)
        top = QVBoxLayout()
        top.setContentsMargins(16, 12, 16, 2)
        top.addWidget(self.reason)
        buttons = QHBoxLayout()
        buttons.setContentsMargins(16, 8, 16, 12)
        buttons.setSpacing(10)
        for button in (self.merge, self.keep, self.versions):
            buttons.addWidget(button)
        keys = styled(QLabel(KEYS, wordWrap=True), "faint")
        keys.setFont(scaled(self.font(), 0.86))
        keys.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        buttons.addWidget(keys, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self._scroll, 1)
        column.addLayout(buttons)
