"""The rail at the left edge of the window, on which one goes from page to page."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QToolButton, QVBoxLayout

from sciread_app.ui.icons import icon
from sciread_app.ui.theme import Appearance, Theme, scaled

WIDTH, HEIGHT = 68, 58  # pixels of a button
PICTURE = 22


class Place(NamedTuple):
    """A page of the window, as one gets there."""

    key: str
    title: str
    icon: str
    keys: str
    what: str


# In the order of the rail, which is that of their keys.
PLACES = (
    Place("search", "Search", "search", "Ctrl+1", "Find papers in your library"),
    Place("reader", "Reader", "reader", "Ctrl+4", "Read and mark the files of papers"),
    Place("intake", "Intake", "intake", "Ctrl+6", "Fetch papers, add files, see what came in"),
)


class Rail(QFrame):
    """Up and Down go from page to page."""

    chosen = Signal(str)  # the key of a place, by a person

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("rail")
        self.setAccessibleName("Pages")
        self._buttons: dict[str, RailButton] = {}
        self._group = QButtonGroup(self, exclusive=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 12, 0, 8)
        column.setSpacing(4)
        for place in PLACES:
            button = RailButton(place, appearance)
            button.clicked.connect(lambda _=False, key=place.key: self.chosen.emit(key))
            self._buttons[place.key] = button
            self._group.addButton(button)
            column.addWidget(button)
        column.addStretch()

    def button(self, key: str) -> RailButton:
        return self._buttons[key]

    def choose(self, key: str) -> None:
        self._buttons[key].setChecked(True)

    def show_busy(self, key: str, busy: bool) -> None:
        """Whether something goes on there that takes a while."""
        self._buttons[key].show_busy(busy)


class RailButton(QToolButton):
    def __init__(self, place: Place, appearance: Appearance) -> None:
        super().__init__()
        self._place = place
        self._appearance = appearance
        self.busy = False
        self.setText(place.title)
        self.setFont(scaled(self.font(), 0.86))
        self.setToolTip(f"{place.what} ({place.keys})")
        self.setAccessibleDescription(place.what)
        self.setCheckable(True)
        self.setFixedSize(WIDTH, HEIGHT)
        self.setIconSize(QSize(PICTURE, PICTURE))
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.toggled.connect(self.paint_icon)
        appearance.changed.connect(self.paint_icon)
        self.show_busy(False)
        self.paint_icon()

    def show_busy(self, busy: bool) -> None:
        self.busy = busy
        self.setAccessibleName(f"{self._place.title}, working" if busy else self._place.title)
        self.update()

    def paint_icon(self) -> None:
        theme: Theme = self._appearance.theme
        colour = theme.accent if self.isChecked() else theme.quiet
        self.setIcon(icon(self._place.icon, colour))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.busy:
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self._appearance.theme.accent))
            painter.drawEllipse(QPointF(self.width() - 15.0, 13.0), 4, 4)
