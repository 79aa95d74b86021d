"""Icons drawn in the colours of the theme."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from sciread_app.paths import resource

SIZES = (16, 20, 24, 32, 48, 64)  # pixels on a screen at 100 %; Qt picks the size that fits


@lru_cache(maxsize=128)
def icon(name: str, colour: str = "#000000") -> QIcon:
    """The icon in `resources/icons/NAME.svg`, its lines drawn in `colour`."""
    svg = resource(f"icons/{name}.svg").read_text("utf-8").replace("currentColor", colour)
    renderer = QSvgRenderer(QByteArray(svg.encode()))
    result = QIcon()
    app = QGuiApplication.instance()
    assert isinstance(app, QGuiApplication)
    scale = app.devicePixelRatio()  # of the screen with the highest resolution
    for size in (round(scale * size) for size in SIZES):
        picture = QPixmap(size, size)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        renderer.render(painter, QRectF(0, 0, size, size))
        painter.end()
        result.addPixmap(picture)
    return result
