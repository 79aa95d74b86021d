"""Icons drawn in the colors of the theme."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from sciread_app.paths import resource

# Pixels on a screen at 100 %; Qt picks the size that fits.
SIZES = (16, 20, 24, 32)
LARGE_SIZES = (48, 64)  # to draw takes twice as long as all others


@lru_cache(maxsize=128)
def icon(name: str, colour: str = "#000000", *, large: bool = False) -> QIcon:
    """The icon in `resources/icons/NAME.svg`, its lines drawn in `colour`. With `large`, up to 64
    pixels wide, else up to 32."""
    svg = resource(f"icons/{name}.svg").read_text("utf-8").replace("currentColor", colour)
    renderer = QSvgRenderer(QByteArray(svg.encode()))
    result = QIcon()
    app = QGuiApplication.instance()
    assert isinstance(app, QGuiApplication)
    sizes = SIZES + LARGE_SIZES if large else SIZES
    scale = app.devicePixelRatio()  # of the screen with the highest resolution
    for size in (round(scale * size) for size in sizes):
        picture = QPixmap(size, size)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        renderer.render(painter, QRectF(0, 0, size, size))
        painter.end()
        result.addPixmap(picture)
    return result
