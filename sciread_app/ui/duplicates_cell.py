"""What one of two papers says in a field, and whether a merged paper will say it."""

from __future__ import annotations

import re
from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QRadioButton

from sciread_app.language import tr
from sciread_app.ui.duplicates_values import Pieces
from sciread_app.ui.theme import Appearance, Theme, restyled, styled

# Translators: a paper says nothing in this field
NOTHING = tr("Nothing")
_BUTTON, _LEAST = 22, 80  # pixels
_LONG = re.compile(r"([^\W\d_]{16})(?=[^\W\d_]{4})")
_BREAKS = re.compile(r"(?<=[\s\u200b])|(?<=[-/])(?=[^\W\d_])")  # where a line may end


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

    def resizeEvent(self, event: QResizeEvent) -> None:
        if event.size().width() != event.oldSize().width():
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
        shown = [(self._fit(text), differs) for text, differs in self._pieces]
        pieces = (
            f"{marked}{escape(text)}</span>" if differs else escape(text) for text, differs in shown
        )
        whole = " ".join(text for text, _ in self._pieces)
        cut = whole != " ".join(text for text, _ in shown).replace("\u200b", "")
        self.text.setToolTip(escape(whole) if cut else "")
        nothing = f'<span style="color: {theme.faint}">{NOTHING}</span>'
        self.text.setText(" ".join(pieces) or nothing)

    def _fit(self, text: str) -> str:
        """The text with words that are wider than the cell, such as names of files, elided."""
        metrics, room = self.text.fontMetrics(), self._room()
        parts = _BREAKS.split(_LONG.sub("\\1\u200b", text))
        middle = Qt.TextElideMode.ElideMiddle  # the end of a name tells the kind of file
        return "".join(metrics.elidedText(part, middle, room) for part in parts)

    def _room(self) -> int:
        """Pixels that a line of the text has."""
        row = self.layout()
        assert row is not None
        edges = row.contentsMargins()
        button = 0 if self.button.isHidden() else _BUTTON + row.spacing()
        return max(_LEAST, self.width() - edges.left() - edges.right() - button)
