"""The box that is typed into, with the switch for how to look, and the answer to a wrong query."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from sciread_app.ui.icons import icon
from sciread_app.ui.jobs import Problem
from sciread_app.ui.theme import Appearance, Theme, scaled, styled
from sciread_app.ui.values import Mode

PAUSE_MS = 150  # of no typing before a search starts
EXAMPLES = "Describe what you look for, or author:curie year:2015..2019, a DOI, a whole abstract"
MODES = {
    Mode.hybrid: ("Hybrid", "Words and meaning together (Ctrl+1)"),
    Mode.text: ("Words", "Only papers that hold the words (Ctrl+2)"),
    Mode.meaning: ("Meaning", "Only by what papers are about (Ctrl+3)"),
}


class QueryEdit(QLineEdit):
    """Down goes into the results, Esc empties the box or, if it is empty, goes back."""

    down = Signal()
    escaped = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_PageDown):
            self.down.emit()
        elif event.key() == Qt.Key.Key_Escape:
            if self.text():
                self.clear()
            else:
                self.escaped.emit()
        else:
            super().keyPressEvent(event)


class SearchBox(QWidget):
    asked = Signal()  # typing has paused, Enter was pressed or the mode was changed
    down = Signal()
    escaped = Signal()

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.edit = styled(QueryEdit(placeholderText=EXAMPLES), "query")
        self.edit.setAccessibleName("Search")
        self.edit.setAcceptDrops(False)
        self.edit.setClearButtonEnabled(True)
        self.edit.setFont(scaled(self.font(), 1.15))
        self._lens = QAction(self)
        self.edit.addAction(self._lens, QLineEdit.ActionPosition.LeadingPosition)
        self.wrong = styled(QLabel(wordWrap=True), "wrong")
        self.wrong.hide()
        self.wrong.setContentsMargins(6, 0, 6, 0)
        self.wrong.setTextFormat(Qt.TextFormat.PlainText)
        self._modes, switch = self._build_switch()

        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(self.edit, 1)
        row.addWidget(switch)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(row)
        column.addWidget(self.wrong)

        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self.asked)
        self.edit.textChanged.connect(self._pause.start)
        self.edit.returnPressed.connect(self.ask)
        self.edit.down.connect(self.down)
        self.edit.escaped.connect(self.escaped)
        self._modes.buttonClicked.connect(self.ask)
        appearance.changed.connect(self._paint)
        self._paint(appearance.theme)

    @property
    def text(self) -> str:
        """What was typed or pasted, on one line."""
        return " ".join(self.edit.text().split())

    def set_text(self, text: str) -> None:
        """Search for `text` now, without waiting for more."""
        self.edit.setText(text)
        self.ask()

    @property
    def mode(self) -> Mode:
        return list(MODES)[self._modes.checkedId()]

    def set_mode(self, mode: Mode) -> None:
        self._modes.button(list(MODES).index(mode)).setChecked(True)
        self.ask()

    def ask(self) -> None:
        self._pause.stop()
        self.asked.emit()

    def forget_typing(self) -> None:
        """Do not search for what was typed last: something else is to be shown."""
        self._pause.stop()

    def explain(self, problem: Problem | None) -> None:
        """Say under the box what cannot be understood; None takes it away."""
        self.wrong.setVisible(problem is not None)
        if problem:
            self.wrong.setText(f"{problem.message}\n{problem.hint}".strip())

    def take_focus(self) -> None:
        self.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.edit.selectAll()

    def _build_switch(self) -> tuple[QButtonGroup, QFrame]:
        frame = styled(QFrame(), "segments")
        frame.setAccessibleName("How to search")
        row = QHBoxLayout(frame)
        row.setContentsMargins(3, 3, 3, 3)
        row.setSpacing(0)
        group = QButtonGroup(self, exclusive=True)
        for number, (name, tip) in enumerate(MODES.values()):
            button = QPushButton(name)
            button.setCheckable(True)
            button.setChecked(number == 0)
            button.setToolTip(tip)
            button.setAccessibleDescription(tip)
            group.addButton(button, number)
            row.addWidget(button)
        frame.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Maximum)
        return group, frame

    def _paint(self, theme: Theme) -> None:
        self._lens.setIcon(icon("search", theme.faint))

    def sizeHint(self) -> QSize:
        return super().sizeHint().expandedTo(QSize(480, 0))
