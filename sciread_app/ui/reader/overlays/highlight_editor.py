"""The editor at a highlight: its note, its color, its copy, and its removal."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QToolButton, QWidget

from sciread_app.domain.annotations.annotations import Colour, Highlight
from sciread_app.language import tr
from sciread_app.ui.reader.highlight_colours import NAMES, colour_button
from sciread_app.ui.reader.overlays.overlay import Overlay
from sciread_app.ui.style.theme import styled
from sciread_app.ui.widgets.layout.boxes import column, row

PAUSE_MS = 2_000  # without typing, after which a note is saved
SIZE = (280, 92)  # pixels, of the note; it is as wide as the buttons if they are wider


class HighlightEditor(Overlay):
    """Edits one highlight, or none; then it is hidden."""

    recoloured = Signal(object, object)  # Highlight, Colour
    annotated = Signal(object, str)  # Highlight
    copied = Signal(object)  # Highlight
    removed = Signal(object)  # Highlight

    def __init__(self, parent: QWidget, pages: QWidget) -> None:
        super().__init__(parent, pages)
        self.setAccessibleName(tr("Highlight"))
        self.highlight: Highlight | None = None
        self.note = styled(_Note(), "notebox")
        self.note.setPlaceholderText(tr("Add note"))
        self.note.setAccessibleName(tr("Note on the highlight"))
        self.note.setMinimumWidth(SIZE[0])
        self.note.setFixedHeight(SIZE[1])
        self.note.setTabChangesFocus(True)
        self.note.paused.connect(self.save)
        self._colours = {colour: self._colour(colour) for colour in Colour}
        self.copy = styled(QPushButton(tr("Copy text")), "link")
        self.copy.clicked.connect(lambda: self.copied.emit(self.highlight))
        self.remove = styled(QPushButton(tr("Delete")), "link")
        self.remove.setToolTip(tr("Delete the highlight and its note"))
        self.remove.clicked.connect(lambda: self.removed.emit(self.highlight))
        buttons = row(*self._colours.values(), 1, self.copy, self.remove, spacing=0)
        column(self.note, buttons, parent=self, margins=8, spacing=4)

    def edit(self, highlight: Highlight | None) -> None:
        """Edit this highlight. The note of the previous one is saved."""
        self.save()
        before, self.highlight = self.highlight, highlight
        if highlight is None:
            self.hide()
            return
        # Keep the cursor position while the note is edited.
        if before is None or highlight.id != before.id or not self.note.hasFocus():
            self.note.setPlainText(highlight.note)
        self.copy.setText(tr("Copy image") if highlight.is_area else tr("Copy text"))
        for colour, button in self._colours.items():
            button.setChecked(colour is highlight.colour)

    def tab_stops(self) -> list[QWidget]:
        return [self.note, *self._colours.values(), self.copy, self.remove]

    def save(self) -> None:
        """Save the note if it was edited."""
        if unsaved := self.take_unsaved():
            self.annotated.emit(*unsaved)

    def take_unsaved(self) -> tuple[Highlight, str] | None:
        """Return the unsaved note with its highlight; the caller saves it."""
        note, highlight = self.note.toPlainText().strip(), self.highlight
        if highlight is None or note == highlight.note.strip():
            return None
        self.highlight = replace(highlight, note=note)
        return highlight, note

    def _colour(self, colour: Colour) -> QToolButton:
        button = colour_button(colour, NAMES[colour])
        button.setCheckable(True)
        button.clicked.connect(lambda: self.recoloured.emit(self.highlight, colour))
        return button


class _Note(QPlainTextEdit):
    """A text edit with a signal for a pause in typing and for its end."""

    paused = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self.paused)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._pause.stop()
        self.paused.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        super().keyPressEvent(event)
        self._pause.start()
