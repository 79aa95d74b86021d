"""How points are put on the screen: as one picture where they are many, else one by one.

While one moves about, the picture may be coarser than the screen; it is made sharp, off the
window's thread, as soon as nothing moves. The first picture of a large map is made there, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import copy
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPixmap

from sciread_app.language import tr
from sciread_app.ui.jobs import Jobs, Lane
from sciread_app.ui.map.camera import Camera
from sciread_app.ui.map.palette import colours, dimmed
from sciread_app.ui.map.points import Points
from sciread_app.ui.map.raster import Tones, picture, tones
from sciread_app.ui.theme import Theme

T = TypeVar("T")

FEW = 1_500  # points that are drawn one by one
MOST_PIXELS = 1_000_000  # of a picture that is made while one waits for it
REST_MS = 90  # without a movement, after which the picture is made sharp
SMALLEST, LARGEST = 1.25, 5.5  # radius of a point, in pixels
OUTLINED = 2.5  # from which on it has an edge


class Drawn(NamedTuple):
    """What a picture shows. Two that are equal are the same picture."""

    points: int  # version
    camera: Camera
    theme: bool
    ratio: float


class Ink(QObject):
    sharper = Signal()  # a better picture of what was drawn last is there, or the first of a map

    def __init__(self, jobs: Jobs) -> None:
        super().__init__()
        self._jobs = jobs
        self._drawn: Drawn | None = None
        self._picture: QImage | None = None
        self._points: Points | None = None  # what was painted last, and what was seen of it
        self._sight: tuple[int, Camera, Seen] | None = None
        self._begun: tuple[Points, Drawn] | None = None  # the first picture that is being made
        self._sprites: dict[tuple[str, float, bool, float], QPixmap] = {}
        self._wanted: Callable[[], None] = lambda: None
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(lambda: self._wanted())

    def paint(self, painter: QPainter, points: Points, camera: Camera, theme: Theme) -> Seen:
        """Paint the points in sight, and say which they are: none yet of a large map that is
        painted for the first time, which takes longer than the window has."""
        if points is not self._points and len(points.order) > FEW:
            self._begin(painter, points, camera, theme)
            return NOTHING
        seen = self._seen(points, camera)
        if len(seen.numbers) <= FEW:
            self._paint_few(painter, points, camera, theme, seen)
        else:
            self._paint_many(painter, points, camera, theme, seen)
            if 0 < seen.on_top <= FEW:
                self._paint_few(painter, points, camera, theme, seen.lit())
        return seen

    def _seen(self, points: Points, camera: Camera) -> Seen:
        if points is not self._points:
            self._points, self._sight, self._drawn = points, None, None
        if self._sight is None or self._sight[:2] != (points.version, camera):
            self._sight = (points.version, camera, sight(points, camera))
        return self._sight[2]

    def _begin(self, painter: QPainter, points: Points, camera: Camera, theme: Theme) -> None:
        """Have the first picture made; the map of before stays till it comes."""
        ratio = painter.device().devicePixelRatioF()
        now = Drawn(points.version, camera, theme.dark, ratio)
        if self._picture and self._drawn and self._drawn.camera == camera:
            painter.drawImage(QRectF(0, 0, camera.width, camera.height), self._picture)
        if self._begun and self._begun[0] is points and self._begun[1] == now:
            return
        self._begun = (points, now)
        self._rest.stop()  # what waits there is of the map of before
        as_they_are = copy(points)

        def look_and_make() -> tuple[Seen, QImage]:
            seen = sight(as_they_are, camera)
            return seen, _maker(seen, as_they_are, camera, theme)(ratio)

        def keep(made: tuple[Seen, QImage]) -> None:
            self._begun, self._points, self._drawn = None, points, now
            self._sight, self._picture = (now.points, camera, made[0]), made[1]
            self.sharper.emit()

        self._make(look_and_make, keep)

    def _sprite(
        self, colour: QColor, theme: Theme, radius: float, ratio: float, *, hollow: bool = False
    ) -> QPixmap:
        """A point by itself; its middle is the middle of the picture."""
        key = (colour.name() + theme.surface, radius, hollow, ratio)
        if key not in self._sprites:
            if len(self._sprites) > 200:
                self._sprites.clear()
            self._sprites[key] = sprite(colour, theme, radius, ratio, hollow)
        return self._sprites[key]

    def _paint_few(
        self, painter: QPainter, points: Points, camera: Camera, theme: Theme, seen: Seen
    ) -> None:
        ratio = painter.device().devicePixelRatioF()
        radius = radius_of(points, camera) + (0.75 if points.lit is not None else 0)
        inks = [*colours(points.shades, theme), dimmed(theme)]
        sprites = [
            self._sprite(ink, theme, radius, ratio, hollow=kind in points.shades.hollow)
            for kind, ink in enumerate(inks)
        ]
        half = sprites[0].width() / ratio / 2
        drawn = zip((seen.pixels - half).tolist(), seen.colours.tolist(), strict=True)
        for (x, y), kind in drawn:
            painter.drawPixmap(QPointF(x, y), sprites[kind])

    def _paint_many(
        self, painter: QPainter, points: Points, camera: Camera, theme: Theme, seen: Seen
    ) -> None:
        ratio = painter.device().devicePixelRatioF()
        now = Drawn(points.version, camera, theme.dark, ratio)
        if now != self._drawn:
            area = camera.width * camera.height
            scale = min(ratio, math.sqrt(MOST_PIXELS / max(area, 1)))
            make = _maker(seen, points, camera, theme)
            self._drawn, self._picture = now, make(scale)
            if scale < ratio:
                self._wanted = lambda: self._sharpen(now, lambda: make(ratio))
                self._rest.start()
        assert self._picture
        painter.drawImage(QRectF(0, 0, camera.width, camera.height), self._picture)

    def _sharpen(self, drawn: Drawn, make: Callable[[], QImage]) -> None:
        def keep(sharp: QImage) -> None:
            if drawn == self._drawn:
                self._picture = sharp
                self.sharper.emit()

        self._make(make, keep)

    def _make(self, make: Callable[[], T], keep: Callable[[T], None]) -> None:
        self._jobs.run(
            tr("Drawing the map"),
            lambda task: make(),
            keep,
            lane=Lane.light,
            instead_of=f"map ink {id(self)}",  # two maps may lie side by side
        )


class Seen(NamedTuple):
    """The points in sight, in the order they are painted: numbers, pixels and colours."""

    numbers: NDArray[np.int64]
    pixels: NDArray[np.float32]
    colours: NDArray[np.uint8]
    on_top: int

    def lit(self) -> Seen:
        """Those that lie upon the others."""
        which = slice(len(self.numbers) - self.on_top, None)
        return Seen(self.numbers[which], self.pixels[which], self.colours[which], 0)


NOTHING = Seen(np.empty(0, np.int64), np.empty((0, 2), np.float32), np.empty(0, np.uint8), 0)


def sight(points: Points, camera: Camera) -> Seen:
    pixels = camera.screen(points.shown_places)
    x, y = pixels[:, 0], pixels[:, 1]
    edge = LARGEST
    inside = np.flatnonzero(
        (x > -edge) & (y > -edge)
        & (x < camera.width + edge) & (y < camera.height + edge)
    )  # fmt: skip
    on_top = int((inside >= len(pixels) - points.on_top).sum())
    return Seen(points.order[inside], pixels[inside], points.colours[inside], on_top)


def _maker(seen: Seen, points: Points, camera: Camera, theme: Theme) -> Callable[[float], QImage]:
    """Draws the picture at a scale; takes with it all that it needs, for another thread."""
    inks: Tones = tones([*colours(points.shades, theme), dimmed(theme)], QColor(theme.surface))
    radius, strength = radius_of(points, camera), _strength(points, camera)

    def make(scale: float) -> QImage:
        size = (
            max(1, round(camera.width * scale)),
            max(1, round(camera.height * scale)),
        )
        rounded = max(round(radius * scale * 4) / 4, 0.75)
        pixels = seen.pixels * np.float32(scale)
        return picture(pixels, seen.colours, size, rounded, strength, inks, seen.on_top)

    return make


def _room(points: Points, camera: Camera) -> float:
    """Pixels from one point to the next, were they spread evenly over the map."""
    return camera.scale / math.sqrt(max(len(points.order), 1))


def radius_of(points: Points, camera: Camera) -> float:
    radius = min(max(0.3 * _room(points, camera), SMALLEST), LARGEST)
    return round(radius * 4) / 4


def _strength(points: Points, camera: Camera) -> float:
    """How strongly one point shows: where they are crowded, the crowd is what should show."""
    return round(min(max(_room(points, camera) / 9, 0.35), 0.9), 1)


def sprite(
    colour: QColor, theme: Theme, radius: float, ratio: float, hollow: bool = False
) -> QPixmap:
    """A disc, or a ring, with an edge by which it is told from one that lies under it."""
    side = math.ceil(radius) * 2 + 4
    drawn = QPixmap(QSize(math.ceil(side * ratio), math.ceil(side * ratio)))
    drawn.setDevicePixelRatio(ratio)
    drawn.fill(Qt.GlobalColor.transparent)
    painter = QPainter(drawn)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    middle = QPointF(drawn.width() / ratio / 2, drawn.height() / ratio / 2)
    painter.setPen(Qt.PenStyle.NoPen)
    if radius > OUTLINED:
        painter.setBrush(QColor(theme.surface))
        painter.drawEllipse(middle, radius + 0.8, radius + 0.8)
    painter.setBrush(colour)
    painter.drawEllipse(middle, radius, radius)
    if hollow:
        painter.setBrush(QColor(theme.surface))
        painter.drawEllipse(middle, radius * 0.55, radius * 0.55)
    painter.end()
    return drawn
