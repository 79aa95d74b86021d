"""A rating of one to five stars."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from sciread_app.language import tr, trn
from sciread_app.ui.style.theme import Appearance

MOST = 5


class StarRating(QWidget):
    """A rating editor. A click on a star sets that many; a click on the last star set clears the
    rating. Keys: 0 to 5, Left and Right."""

    rated = Signal(int)  # by the user

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self._stars = 0
        self._under_mouse = 0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setToolTip(tr("Click, or press 0 to 5, to rate this paper"))
        appearance.changed.connect(self.update)
        self.show_rating(0)

    def show_rating(self, stars: int) -> None:
        self._stars = stars
        text = tr("Rating: not rated")
        if stars:
            text = trn(
                "Rating: {n} of {most} stars", "Rating: {n} of {most} stars", stars, most=MOST
            )
        self.setAccessibleName(text)
        self.update()

    @property
    def stars(self) -> int:
        return self._stars

    def sizeHint(self) -> QSize:
        return QSize(self._step() * MOST + 4, self._step() + 4)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        star = self._at(event)
        self._rate(0 if star == self._stars else star)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._under_mouse = self._at(event)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._under_mouse = 0
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if Qt.Key.Key_0 <= key <= Qt.Key.Key_5:
            self._rate(key - Qt.Key.Key_0)
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            step = 1 if key == Qt.Key.Key_Right else -1
            self._rate(min(max(self._stars + step, 0), MOST))
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, step = self._appearance.theme, self._step()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.hasFocus():
            painter.setPen(QPen(QColor(theme.accent)))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
        shown = self._under_mouse or self._stars
        for number in range(MOST):
            given = number < shown
            painter.setPen(QPen(QColor(theme.accent if given else theme.faint), 1.2))
            painter.setBrush(QColor(theme.accent) if given else Qt.BrushStyle.NoBrush)
            middle = QPointF(2 + step * (number + 0.5), 2 + step * 0.53)
            painter.drawPolygon(_star(middle, step * 0.40))

    def _rate(self, stars: int) -> None:
        if stars != self._stars:
            self.show_rating(stars)
            self.rated.emit(stars)

    def _at(self, event: QMouseEvent) -> int:
        return min(max(int((event.position().x() - 2) / self._step()) + 1, 1), MOST)

    def _step(self) -> int:
        return round(QFontMetrics(self.font()).height() * 1.25)


def _star(middle: QPointF, radius: float) -> QPolygonF:
    points = []
    for corner in range(10):
        angle = math.pi * corner / 5 - math.pi / 2
        reach = radius if corner % 2 == 0 else radius * 0.45
        points.append(middle + QPointF(math.cos(angle) * reach, math.sin(angle) * reach))
    return QPolygonF(points)
