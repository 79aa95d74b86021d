"""A pill with a count, such as that of new papers."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter

from sciread_app.ui.style.theme import Theme
from sciread_app.ui.widgets.painting import paint_box, paint_text

COUNTED_TO = 99
LEAST, AIR = 22, 12  # pixels: the least width, and the padding left and right together


def paint_count(painter: QPainter, place: QRect, count: int, font: QFont, theme: Theme) -> int:
    """Paint the pill at the right edge of `place`, centered from top to bottom; return its width.

    Numbers above 99 are painted as 99+. Without a count, nothing is painted.
    """
    if not count:
        return 0
    text = f"{count}" if count <= COUNTED_TO else f"{COUNTED_TO}+"
    metrics = QFontMetrics(font)
    width, height = max(metrics.horizontalAdvance(text) + AIR, LEAST), metrics.height() + 2
    pill = QRectF(0, 0, width, height)
    pill.moveCenter(QRectF(place).center())
    pill.moveRight(place.right())
    paint_box(painter, pill, height / 2, theme.accent)
    paint_text(painter, pill, text, font, theme.on_accent, Qt.AlignmentFlag.AlignCenter)
    return width
