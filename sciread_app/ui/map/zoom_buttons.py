"""The buttons on the map that change its zoom."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QFrame, QToolButton, QWidget

from sciread_app.language import tr, trc
from sciread_app.ui.map.canvas.view import ZOOM_STEP
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, Theme, styled
from sciread_app.ui.widgets.layout.boxes import column

EDGE, BELOW = 6, 12  # pixels to the right and bottom edges of the map
_SIDE, _ICON = 26, 16  # pixels: narrow enough for the margin around the points


class ZoomButtons(QFrame):
    """A column of buttons at the bottom right, in the margin that no point lies in."""

    zoomed = Signal(float)  # by a factor

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._map = parent
        self.setAccessibleName(tr("Zoom"))
        self.closer = _button(tr("Zoom in"), "+")
        self.out = _button(tr("Zoom out"), "\N{MINUS SIGN}")
        self.whole = _button(tr("Fit map"), trc("the key", "Home"))
        self.closer.clicked.connect(lambda: self.zoomed.emit(ZOOM_STEP))
        self.out.clicked.connect(lambda: self.zoomed.emit(1 / ZOOM_STEP))
        column(self.closer, self.out, self.whole, parent=self, margins=0, spacing=4)
        appearance.changed.connect(self._paint)
        self._paint(appearance.theme)
        self.adjustSize()

    def place(self) -> None:
        """Move to the corner of the map, which may have been resized."""
        frame = self._map.rect()
        self.move(frame.right() - self.width() - EDGE, frame.bottom() - self.height() - BELOW)

    def _paint(self, theme: Theme) -> None:
        pictures = ((self.closer, "plus"), (self.out, "minus"), (self.whole, "fit"))
        for button, name in pictures:
            button.setIcon(icon(name, theme.text))


def _button(does: str, key: str) -> QToolButton:
    button = styled(QToolButton(), "small")
    button.setFixedSize(_SIDE, _SIDE)
    button.setIconSize(QSize(_ICON, _ICON))
    button.setToolTip(f"{does} ({key})")
    button.setAccessibleName(does)
    return button
