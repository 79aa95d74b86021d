"""Names of the colors of highlights, and the buttons that select them."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QToolButton

from sciread_app.domain.annotations.annotations import COLOURS, Colour
from sciread_app.language import tr
from sciread_app.ui.style.theme import styled

NAMES = {
    Colour.yellow: tr("Yellow"),
    Colour.green: tr("Green"),
    Colour.blue: tr("Blue"),
    Colour.pink: tr("Pink"),
    Colour.purple: tr("Purple"),
}
WORDS = {  # in lower case, for use within a sentence
    Colour.yellow: tr("yellow"),
    Colour.green: tr("green"),
    Colour.blue: tr("blue"),
    Colour.pink: tr("pink"),
    Colour.purple: tr("purple"),
}
HIGHLIGHT_IN = {
    Colour.yellow: tr("Highlight in yellow"),
    Colour.green: tr("Highlight in green"),
    Colour.blue: tr("Highlight in blue"),
    Colour.pink: tr("Highlight in pink"),
    Colour.purple: tr("Highlight in purple"),
}


def colour_button(colour: Colour, name: str) -> QToolButton:
    """A button with the color as its icon. `name` describes what it does."""
    button = styled(QToolButton(), "link")
    button.setIcon(swatch(colour))
    button.setToolTip(name)
    button.setAccessibleName(name)
    return button


def swatch(colour: Colour) -> QIcon:
    """A disc in the color of a highlight, as an icon for buttons and menus."""
    picture = QPixmap(32, 32)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QColor("#7d7d7d"))
    painter.setBrush(QColor(COLOURS[colour]))
    painter.drawEllipse(QRectF(2, 2, 28, 28))
    painter.end()
    return QIcon(picture)
