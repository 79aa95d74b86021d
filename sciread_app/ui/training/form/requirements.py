"""The part of the form that shows whether the corpus meets the method's requirements."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from sciread_app.language import tr
from sciread_app.services.training.training_service import CheckLine
from sciread_app.ui.jobs.runner import JobError
from sciread_app.ui.style.theme import scaled, styled
from sciread_app.ui.widgets.layout.boxes import remove_widgets
from trainer.contract.corpus_stats import Level

_MARKS = {Level.enough: ("✓", "good"), Level.few: ("!", "warning"), Level.missing: ("✗", "wrong")}


class CheckPart(QWidget):
    remedy_requested = Signal(object)  # CheckLine

    def __init__(self) -> None:
        super().__init__()
        self.lines: Sequence[CheckLine] = ()
        self.buttons: list[QPushButton] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        self.setAccessibleName(tr("Is there enough to learn from?"))

    def show_lines(self, lines: Sequence[CheckLine]) -> None:
        if lines == self.lines and self.buttons:
            return  # keeps the focus on a button
        self._clear()
        self.lines = lines
        for line in lines:
            self._add(line)

    def show_problem(self, problem: JobError) -> None:
        """Show that the requirements could not be checked."""
        self._clear()
        self._add(CheckLine(Level.missing, problem.text))

    def show_text(self, text: str) -> None:
        self._clear()
        self._column.addWidget(styled(QLabel(text, wordWrap=True), "quiet"))

    def _clear(self) -> None:
        self.lines, self.buttons = (), []
        remove_widgets(self._column)

    def _add(self, line: CheckLine) -> None:
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
            button = QPushButton(line.remedy_label) if line.level is not Level.enough else None
            button = button or styled(QPushButton(line.remedy_label), "link")
            button.setAccessibleDescription(line.text)
            button.clicked.connect(lambda: self.remedy_requested.emit(line))
            self.buttons.append(button)
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)
        self._column.addWidget(holder)
