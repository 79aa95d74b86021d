"""The navigation bar at the left edge of the window: a button for each page."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QToolButton, QVBoxLayout

from sciread_app.language import tr, trc
from sciread_app.ui.page import PageSpec
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, Theme, scaled

WIDTH, HEIGHT = 68, 58  # pixels of a button
LEAST, GAP, TOP = 30, 4, 12  # pixels: a button without its name, between buttons, above the first
PICTURE, SMALLEST, AROUND = 22, 15, 17  # icon sizes: maximum, beside a name; and the padding


class NavigationBar(QFrame):
    """The list of pages. Up and Down select the page."""

    chosen = Signal(str)  # the key of a page, selected by the user

    def __init__(self, pages: Sequence[PageSpec], appearance: Appearance) -> None:
        super().__init__()
        self._pages = pages
        self.setObjectName("rail")
        self.setAccessibleName(trc("of the window", "Pages"))
        self._buttons: dict[str, NavigationButton] = {}
        self._group = QButtonGroup(self, exclusive=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, TOP, 0, 8)
        column.setSpacing(GAP)
        for place in pages:
            if place.key == "settings":
                column.addStretch()  # at the bottom
            button = NavigationButton(place, appearance)
            button.clicked.connect(lambda _=False, key=place.key: self.chosen.emit(key))
            self._buttons[place.key] = button
            self._group.addButton(button)
            column.addWidget(button)

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()  # as high as its place

    def minimumSizeHint(self) -> QSize:
        return QSize(WIDTH + 8, TOP + 8 + len(self._pages) * (LEAST + GAP))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shrink the icons or hide their names if there is little room, as at 300 %."""
        room = (self.height() - TOP - 8) // len(self._pages) - GAP
        for button in self._buttons.values():
            button.fit(min(HEIGHT, max(LEAST, room)))

    def button(self, key: str) -> NavigationButton:
        return self._buttons[key]

    def choose(self, key: str) -> None:
        self._buttons[key].setChecked(True)

    def show_busy(self, key: str, busy: bool) -> None:
        """Show whether a page is busy."""
        if busy != self._buttons[key].busy:
            self._buttons[key].show_busy(busy)


class NavigationButton(QToolButton):
    def __init__(self, place: PageSpec, appearance: Appearance) -> None:
        super().__init__()
        self._place = place
        self._appearance = appearance
        self.busy = False
        self.setText(place.title)
        self.setFont(scaled(self.font(), 0.86))
        self.setToolTip(f"{place.what} ({place.keys})")
        self.setAccessibleDescription(place.what)
        self.setCheckable(True)
        self.fit(HEIGHT)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.toggled.connect(self.paint_icon)
        appearance.changed.connect(self.paint_icon)
        self.show_busy(False)
        self.paint_icon()

    def fit(self, height: int) -> None:
        style = Qt.ToolButtonStyle
        picture = min(PICTURE, height - self.fontMetrics().height() - AROUND)
        named = picture >= SMALLEST
        self.setIconSize(QSize(1, 1) * (picture if named else PICTURE))
        self.setFixedSize(WIDTH, height)
        self.setToolButtonStyle(
            style.ToolButtonTextUnderIcon if named else style.ToolButtonIconOnly
        )

    def show_busy(self, busy: bool) -> None:
        self.busy = busy
        title = self._place.title
        self.setAccessibleName(tr("{page}, busy", page=title) if busy else title)
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
