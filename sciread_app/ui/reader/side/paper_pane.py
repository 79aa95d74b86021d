"""The pane beside the pages: details of the paper, and the highlights of its file."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLabel, QStackedWidget, QToolButton, QWidget

from sciread_app.language import tr
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, Theme, styled
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.segmented_control import SegmentedControl

DETAILS, HIGHLIGHTS = range(2)  # the parts
MARGIN = 16  # pixels around a text that fills the pane


class PaperPane(QFrame):
    """A switch for the two parts, and the widget of the current one. Details belong to the page,
    highlights to their document; the pane only shows them."""

    escaped = Signal()

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.switch = SegmentedControl(
            tr("Pane view"),
            (
                (tr("Details"), tr("Details, tags, and notes of the paper")),
                (tr("Highlights"), tr("Highlights and notes in the file")),
            ),
        )
        self.close_button = styled(QToolButton(), "link")
        self.close_button.setToolTip(tr("Close pane"))
        self.close_button.setAccessibleName(tr("Close pane"))
        # Instead of the highlights of a file that is not open
        hint = tr("Highlights are listed here once the file is open")
        self._nothing = styled(QLabel(hint, wordWrap=True, margin=MARGIN), "faint")
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._parts = QStackedWidget()
        self._parts.addWidget(self._nothing)
        head = row(1, self.switch, 1, self.close_button, margins=(8, 8, 8, 0))
        column(head, (self._parts, 1), parent=self, margins=0, spacing=4)
        appearance.follow(self._paint)

    def show_part(self, number: int, part: QWidget | None) -> None:
        """Show this widget, which the pane keeps, as the part with this number."""
        part = part or self._nothing
        self.switch.choose(number)
        if self._parts.indexOf(part) < 0:
            self._parts.addWidget(part)
        self._parts.setCurrentWidget(part)

    def take_focus(self) -> None:
        self.switch.tab_stops()[self.switch.current].setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
        else:
            super().keyPressEvent(event)

    def _paint(self, theme: Theme) -> None:
        self.close_button.setIcon(icon("close", theme.quiet))
