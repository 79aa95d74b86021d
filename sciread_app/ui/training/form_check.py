"""The part of the form that says whether there is enough to learn from."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from sciread_app.language import tr
from sciread_app.services.training import Line
from sciread_app.ui.jobs import Problem
from sciread_app.ui.theme import scaled, styled
from trainer.contract.holdings import Level

_MARKS = {Level.enough: ("✓", "good"), Level.few: ("!", "care"), Level.missing: ("✗", "wrong")}


class CheckPart(QWidget):
    remedy_wanted = Signal(object)  # Line

    def __init__(self) -> None:
        super().__init__()
        self.lines: Sequence[Line] = ()
        self.buttons: list[QPushButton] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        self.setAccessibleName(tr("Is there enough to learn from?"))

    def show_lines(self, lines: Sequence[Line]) -> None:
        if lines == self.lines and self.buttons:
            return  # a button that has the focus stays
        self._clear()
        self.lines = lines
        for line in lines:
            self._add(line)

    def show_problem(self, problem: Problem) -> None:
        """It cannot be told."""
        self._clear()
        self._add(Line(Level.missing, f"{problem.message} {problem.hint}".strip()))

    def say(self, text: str) -> None:
        self._clear()
        self._column.addWidget(styled(QLabel(text, wordWrap=True), "quiet"))

    def _clear(self) -> None:
        self.lines, self.buttons = (), []
        while item := self._column.takeAt(0):
            if widget := item.widget():
                widget.hide()
                widget.deleteLater()

    def _add(self, line: Line) -> None:
        mark, style = _MARKS[line.level]
        sign = styled(QLabel(mark, alignment=Qt.AlignmentFlag.AlignCenter), f"mark-{style}")
        sign.setFont(scaled(self.font(), 0.9, QFont.Weight.Bold))
        sign.setFixedSize(20, 20)
        text = QLabel(line.text, wordWrap=True)
        text.setTextFormat(Qt.TextFormat.PlainText)
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(10)
        row.addWidget(sign, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(text, 1)
        if line.remedy:
            button = QPushButton(line.verb) if line.level is not Level.enough else None
            button = button or styled(QPushButton(line.verb), "link")
            button.setAccessibleDescription(line.text)
            button.clicked.connect(lambda: self.remedy_wanted.emit(line))
            self.buttons.append(button)
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)
        self._column.addWidget(holder)
