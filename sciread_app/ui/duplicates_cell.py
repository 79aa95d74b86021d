"""What one of two papers says in a field, and whether a merged paper will say it."""

from __future__ import annotations

import re
from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QRadioButton

from sciread_app.language import tr
from sciread_app.ui.duplicates_values import Pieces
from sciread_app.ui.theme import Appearance, Theme, restyled, styled

# Translators: a paper says nothing in this field
NOTHING = tr("Nothing")
_BUTTON, _LEAST = 22, 80  # pixels
_LONG = re.compile(r"([^\W\d_]{16})(?=[^\W\d_]{4})")


class Cell(QFrame):
    """With a choice it has a button, and a click anywhere in it chooses."""

    chosen = Signal()

    def __init__(self, name: str, appearance: Appearance) -> None:
        """`name` is what its button is called for who does not see it."""
        super().__init__()
        self.setObjectName("cell")
        self._pieces: Pieces = ()
        self._appearance = appearance
        self.text = QLabel(wordWrap=True, alignment=Qt.AlignmentFlag.AlignTop)
        self.text.setTextFormat(Qt.TextFormat.RichText)
        self.text.setMinimumWidth(_LEAST)  # whatever its longest word: both sides are as wide
        self.button = styled(QRadioButton(), "side")
        self.button.setFixedWidth(_BUTTON)
        self.button.setAccessibleName(name)
        self.button.toggled.connect(self._toggled)
        row = QHBoxLayout(self)
        row.setContentsMargins(7, 6, 9, 6)
        row.setSpacing(3)
        row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.text, 1)
        appearance.changed.connect(self._write)

    def say(self, pieces: Pieces, *, choice: bool) -> None:
        self._pieces = pieces
        self.button.setVisible(choice)
        reading = Qt.TextInteractionFlag.TextSelectableByMouse
        none = Qt.TextInteractionFlag.NoTextInteraction
        self.text.setTextInteractionFlags(none if choice else reading)
        self._style()
        self._write(self._appearance.theme)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if not self.button.isHidden():
            self.button.setChecked(True)
            self.button.setFocus()

    def _toggled(self, checked: bool) -> None:
        self._style()
        if checked:
            self.chosen.emit()

    def _style(self) -> None:
        if self.button.isHidden():
            restyled(self, "cell")
        else:
            restyled(self, "winner" if self.button.isChecked() else "choice")

    def _write(self, theme: Theme) -> None:
        marked = f'<span style="background-color: {theme.mark}; color: {theme.text}">'
        pieces = (
            f"{marked}{_breakable(text)}</span>" if differs else _breakable(text)
            for text, differs in self._pieces
        )
        nothing = f'<span style="color: {theme.faint}">{NOTHING}</span>'
        self.text.setText(" ".join(pieces) or nothing)


def _breakable(text: str) -> str:
    """As HTML, in which a line may end within a word that is too long for it."""
    return _LONG.sub("\\1\u200b", escape(text))
