"""What one of two papers says in a field, and whether a merged paper will say it."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QRadioButton

from sciread_app.ui.duplicates_values import Pieces
from sciread_app.ui.theme import Appearance, Theme, restyled, styled

NOTHING = "Nothing"


class Cell(QFrame):
    """With a choice it has a button, and a click anywhere in it chooses."""

    chosen = Signal()

    def __init__(self, pieces: Pieces, name: str, appearance: Appearance, choice: bool) -> None:
        """`name` is what its button is called for who does not see it."""
        super().__init__()
        self.setObjectName("choice" if choice else "cell")
        self._pieces = pieces
        self.text = QLabel(wordWrap=True, alignment=Qt.AlignmentFlag.AlignTop)
        self.text.setTextFormat(Qt.TextFormat.RichText)
        self.button: QRadioButton | None = None
        row = QHBoxLayout(self)
        row.setContentsMargins(9, 6, 9, 6)
        row.setSpacing(8)
        if choice:
            self.button = QRadioButton()
            self.button.setAccessibleName(name)
            self.button.toggled.connect(self._toggled)
            row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignTop)
        else:
            flags = Qt.TextInteractionFlag.TextSelectableByMouse
            self.text.setTextInteractionFlags(flags)
        row.addWidget(self.text, 1)
        if not pieces:
            styled(self.text, "faint")
        appearance.changed.connect(self._write)
        self._write(appearance.theme)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.button:
            self.button.setChecked(True)
            self.button.setFocus()

    def _toggled(self, checked: bool) -> None:
        restyled(self, "winner" if checked else "choice")
        if checked:
            self.chosen.emit()

    def _write(self, theme: Theme) -> None:
        marked = f'<span style="background-color: {theme.mark}; color: {_on(theme)}">'
        pieces = (
            f"{marked}{escape(text)}</span>" if differs else escape(text)
            for text, differs in self._pieces
        )
        self.text.setText(" ".join(pieces) or NOTHING)


def _on(theme: Theme) -> str:
    """The colour of letters on a mark."""
    return theme.text
