"""A cell of the comparison: one paper's value, and whether the merged paper will take it."""

from __future__ import annotations

import re
from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import (
    QClipboard,
    QContextMenuEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QResizeEvent,
    QTextDocumentFragment,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QRadioButton

from sciread_app.language import tr
from sciread_app.ui.duplicates.comparison import Pieces
from sciread_app.ui.style.theme import Appearance, Theme, restyled, styled

# Translators: a paper says nothing in this field
NOTHING = tr("Nothing")
_BUTTON, _LEAST = 22, 80  # pixels
_LONG = re.compile(r"([^\W\d_]{16})(?=[^\W\d_]{4})")
_BREAK = "\u200b"  # zero-width space
_BREAKS = re.compile(r"(?<=[\s\u200b])|(?<=[-/])(?=[^\W\d_])")  # positions of possible line breaks


class CellText(QLabel):
    """Text that is copied without the break opportunities with which long words are shown."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self._copy()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if not self.textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByMouse:
            super().contextMenuEvent(event)
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("Copy"), self._copy).setEnabled(self.hasSelectedText())
        menu.addAction(tr("Select all"), self._select_all)
        menu.popup(event.globalPos())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if QGuiApplication.clipboard().supportsSelection() and self.hasSelectedText():
            self._copy(QClipboard.Mode.Selection)

    def _copy(self, mode: QClipboard.Mode = QClipboard.Mode.Clipboard) -> None:
        QGuiApplication.clipboard().setText(self.selectedText().replace(_BREAK, ""), mode)

    def _select_all(self) -> None:
        self.setSelection(0, len(QTextDocumentFragment.fromHtml(self.text()).toPlainText()))


class ComparisonCell(QFrame):
    """A cell with a radio button if there is a choice; a click anywhere selects it."""

    chosen = Signal()

    def __init__(self, name: str, appearance: Appearance) -> None:
        """`name` is the accessible name of its button."""
        super().__init__()
        self.setObjectName("cell")
        self._pieces: Pieces = ()
        self._appearance = appearance
        self.text = CellText(wordWrap=True, alignment=Qt.AlignmentFlag.AlignTop)
        self.text.setTextFormat(Qt.TextFormat.RichText)
        # Independent of its longest word, so that both sides have the same width
        self.text.setMinimumWidth(_LEAST)
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
        cut = whole != " ".join(text for text, _ in shown).replace(_BREAK, "")
        self.text.setToolTip(escape(whole) if cut else "")
        nothing = f'<span style="color: {theme.faint}">{NOTHING}</span>'
        self.text.setText(" ".join(pieces) or nothing)

    def _fit(self, text: str) -> str:
        """The text with words wider than the cell, such as file names, elided."""
        metrics, room = self.text.fontMetrics(), self._room()
        parts = _BREAKS.split(_LONG.sub(rf"\1{_BREAK}", text))
        middle = Qt.TextElideMode.ElideMiddle  # keeps the end, the file extension
        return "".join(metrics.elidedText(part, middle, room) for part in parts)

    def _room(self) -> int:
        """Width of a text line in pixels."""
        row = self.layout()
        assert row is not None
        edges = row.contentsMargins()
        button = 0 if self.button.isHidden() else _BUTTON + row.spacing()
        return max(_LEAST, self.width() - edges.left() - edges.right() - button)
