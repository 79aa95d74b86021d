"""The vote on two result lists, and the count so far."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton

from sciread_app.language import tr
from sciread_app.ui.style.theme import styled

LEFT_KEY, RIGHT_KEY, NEITHER_KEY = "F7", "F8", "Shift+F7"


class Ballot(QFrame):
    voted = Signal(object)  # 0: the left answer, 1: the right one, None: neither
    taken_back = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("note")
        self.text = QLabel(wordWrap=True)
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.left = _button(tr("The left one"), LEFT_KEY)
        self.neither = _button(tr("Neither"), NEITHER_KEY)
        self.right = _button(tr("The right one"), RIGHT_KEY)
        self.back = styled(QPushButton(tr("Take the last vote back")), "link")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 8, 8, 8)
        row.addWidget(self.text, 1)
        for button in (self.left, self.neither, self.right, self.back):
            row.addWidget(button)
        self.left.clicked.connect(lambda: self.voted.emit(0))
        self.right.clicked.connect(lambda: self.voted.emit(1))
        self.neither.clicked.connect(lambda: self.voted.emit(None))
        self.back.clicked.connect(self.taken_back)
        self.show_text("", back=False)

    def ask(self) -> None:
        self._show(tr("Which answer is better?"), votes=True)

    def show_text(self, *sentences: str, back: bool) -> None:
        """`back`: the last vote can be undone."""
        self._show(" ".join(filter(None, sentences)), back=back)

    @property
    def is_open(self) -> bool:
        """Whether voting is enabled."""
        return not self.left.isHidden() and not self.isHidden()

    def _show(self, text: str, *, votes: bool = False, back: bool = False) -> None:
        self.text.setText(text)
        for button in (self.left, self.neither, self.right):
            button.setVisible(votes)
        self.back.setVisible(back)
        self.setVisible(bool(text))


def _button(text: str, keys: str) -> QPushButton:
    button = QPushButton(text)
    native = QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
    button.setToolTip(native)
    return button
