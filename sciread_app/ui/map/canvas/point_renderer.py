"""Draws the points of the map: one density image of many points, else one by one.

While the view moves, the image may be coarser than the screen; it is rendered sharply, off the
window's thread, as soon as nothing moves. The first image of a large map is rendered there, too.
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
from sciread_app.ui.jobs.runner import JobRunner
from sciread_app.ui.map.canvas.camera import Camera
from sciread_app.ui.map.canvas.density_raster import Tones, density_image, tones
from sciread_app.ui.map.canvas.points import MapPoints
from sciread_app.ui.style.data_colours import dimmed
from sciread_app.ui.style.theme import Theme

T = TypeVar("T")

MAX_SINGLE_POINTS = 1_500  # points that are drawn one by one
MAX_PIXELS = 500_000  # of an image that is rendered on the window's thread
REST_MS = 90  # without a movement, after which the image is rendered sharply
MIN_RADIUS, MAX_RADIUS = 1.25, 5.5  # radius of a point, in pixels
OUTLINE_RADIUS = 2.5  # radius from which on a point has an outline


class RenderedPoints(NamedTuple):
    """The content of an image. Equal values describe the same image."""

    points: int  # version
    camera: Camera
    theme: bool
    ratio: float


class PointRenderer(QObject):
    """Paints the points of one map view. Images and the visible part are cached, so that a repaint
    without changes costs little."""

    rendered = Signal()  # a sharper image of the last view, or the first of a map, is ready

    def __init__(self, jobs: JobRunner) -> None:
        super().__init__()
        self._jobs = jobs
        self._rendered: RenderedPoints | None = None
        self._image: QImage | None = None
        self._points: MapPoints | None = None  # painted last, and its visible part
        self._viewport: tuple[int, Camera, Viewport] | None = None
        # The map and the image that a job is rendering for the first time
        self._pending_image: tuple[MapPoints, RenderedPoints] | None = None
        self._sprites: dict[tuple[str, float, bool, float], QPixmap] = {}
        self._pending: Callable[[], None] = lambda: None
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(lambda: self._pending())

    def paint(self, painter: QPainter, points: MapPoints, camera: Camera, theme: Theme) -> Viewport:
        """Paint the visible points and return them.

        Returns no points while the first image of a large map is rendered, which takes too long for
        the window's thread.
        """
        if points is not self._points and len(points.order) > MAX_SINGLE_POINTS:
            self._begin(painter, points, camera, theme)
            return NOTHING
        visible = self._visible(points, camera)
        if len(visible.numbers) <= MAX_SINGLE_POINTS:
            self._paint_few(painter, points, camera, theme, visible)
        else:
            self._paint_many(painter, points, camera, theme, visible)
            if points.added_radius is not None:
                largest = visible.largest(points.added_radius)
                self._paint_few(painter, points, camera, theme, largest)
            if 0 < visible.on_top <= MAX_SINGLE_POINTS:
                self._paint_few(painter, points, camera, theme, visible.highlighted())
        return visible

    def _visible(self, points: MapPoints, camera: Camera) -> Viewport:
        if points is not self._points:
            self._points, self._viewport, self._rendered = points, None, None
        if self._viewport is None or self._viewport[:2] != (points.version, camera):
            self._viewport = (points.version, camera, viewport_of(points, camera))
        return self._viewport[2]

    def _begin(self, painter: QPainter, points: MapPoints, camera: Camera, theme: Theme) -> None:
        """Render the first image in the background; until then the previous map is shown."""
        ratio = painter.device().devicePixelRatioF()
        now = RenderedPoints(points.version, camera, theme.dark, ratio)
        if self._image and self._rendered and self._rendered.camera == camera:
            painter.drawImage(QRectF(0, 0, camera.width, camera.height), self._image)
        if (
            self._pending_image
            and self._pending_image[0] is points
            and self._pending_image[1] == now
        ):
            return
        self._pending_image = (points, now)
        self._rest.stop()  # a pending image is of the previous map
        snapshot = copy(points)

        def render() -> tuple[Viewport, QImage]:
            visible = viewport_of(snapshot, camera)
            return visible, _image_renderer(visible, snapshot, camera, theme)(ratio)

        def keep(made: tuple[Viewport, QImage]) -> None:
            self._pending_image, self._points, self._rendered = None, points, now
            self._viewport, self._image = (now.points, camera, made[0]), made[1]
            self.rendered.emit()

        self._make(render, keep)

    def _sprite(
        self, colour: QColor, theme: Theme, radius: float, ratio: float, *, hollow: bool = False
    ) -> QPixmap:
        """An image of a single point, centered."""
        key = (colour.name() + theme.surface, radius, hollow, ratio)
        if key not in self._sprites:
            if len(self._sprites) > 400:
                self._sprites.clear()
            self._sprites[key] = sprite(colour, theme, radius, ratio, hollow)
        return self._sprites[key]

    def _paint_few(
        self, painter: QPainter, points: MapPoints, camera: Camera, theme: Theme, visible: Viewport
    ) -> None:
        ratio = painter.device().devicePixelRatioF()
        radius = radius_of(points, camera) + (0.75 if points.highlighted is not None else 0)
        colours = [*points.scheme.colours(theme), dimmed(theme)]
        added = np.zeros(len(visible.numbers), np.float32)
        if points.added_radius is not None:
            added = points.added_radius[visible.numbers]
            visible, added = (
                visible.sorted(order := np.argsort(-added, kind="stable")),
                added[order],
            )
        drawn = zip(visible.pixels.tolist(), visible.colours.tolist(), added.tolist(), strict=True)
        sprites: dict[tuple[int, float], tuple[QPixmap, float]] = {}
        for (x, y), kind, more in drawn:
            if (kind, more) not in sprites:
                hollow = kind in points.scheme.hollow
                image = self._sprite(colours[kind], theme, radius + more, ratio, hollow=hollow)
                sprites[kind, more] = image, image.width() / ratio / 2
            image, half = sprites[kind, more]
            painter.drawPixmap(QPointF(x - half, y - half), image)

    def _paint_many(
        self, painter: QPainter, points: MapPoints, camera: Camera, theme: Theme, visible: Viewport
    ) -> None:
        ratio = painter.device().devicePixelRatioF()
        now = RenderedPoints(points.version, camera, theme.dark, ratio)
        if now != self._rendered:
            area = camera.width * camera.height
            scale = min(ratio, math.sqrt(MAX_PIXELS / max(area, 1)))
            make = _image_renderer(visible, points, camera, theme)
            self._rendered, self._image = now, make(scale)
            if scale < ratio:
                self._pending = lambda: self._sharpen(now, lambda: make(ratio))
                self._rest.start()
        assert self._image
        painter.drawImage(QRectF(0, 0, camera.width, camera.height), self._image)

    def _sharpen(self, drawn: RenderedPoints, make: Callable[[], QImage]) -> None:
        def keep(sharp: QImage) -> None:
            if drawn == self._rendered:
                self._image = sharp
                self.rendered.emit()

        self._make(make, keep)

    def _make(self, make: Callable[[], T], keep: Callable[[T], None]) -> None:
        self._jobs.run(
            tr("Drawing the map"),
            lambda task: make(),
            keep,
            replaces=f"map ink {id(self)}",  # two maps may be shown side by side
        )


class Viewport(NamedTuple):
    """The visible points in painting order: numbers, pixel positions and colors."""

    numbers: NDArray[np.int64]
    pixels: NDArray[np.float32]
    colours: NDArray[np.uint8]
    on_top: int

    def highlighted(self) -> Viewport:
        """The highlighted points, painted above the others."""
        return self.sorted(np.arange(len(self.numbers) - self.on_top, len(self.numbers)))

    def largest(self, added: NDArray[np.float32]) -> Viewport:
        """The points that are enlarged most, as many as can be drawn one by one. `added` is what is
        added to the radius of each point."""
        order = np.argsort(-added[self.numbers], kind="stable")[:MAX_SINGLE_POINTS]
        return self.sorted(order[added[self.numbers[order]] > 0])

    def sorted(self, which: NDArray[np.int64]) -> Viewport:
        """Some of the points, in this order."""
        return Viewport(self.numbers[which], self.pixels[which], self.colours[which], 0)


NOTHING = Viewport(np.empty(0, np.int64), np.empty((0, 2), np.float32), np.empty(0, np.uint8), 0)


def viewport_of(points: MapPoints, camera: Camera) -> Viewport:
    """The points inside the camera's frame, or so near to it that a part of them is visible."""
    pixels = camera.screen(points.shown_places)
    x, y = pixels[:, 0], pixels[:, 1]
    edge = MAX_RADIUS
    inside = np.flatnonzero(
        (x > -edge) & (y > -edge)
        & (x < camera.width + edge) & (y < camera.height + edge)
    )  # fmt: skip
    on_top = int((inside >= len(pixels) - points.on_top).sum())
    return Viewport(points.order[inside], pixels[inside], points.colours[inside], on_top)


def _image_renderer(
    visible: Viewport, points: MapPoints, camera: Camera, theme: Theme
) -> Callable[[float], QImage]:
    """A function that renders the image at a scale, with all data it needs on a worker thread."""
    levels: Tones = tones([*points.scheme.colours(theme), dimmed(theme)], QColor(theme.surface))
    radius, strength = radius_of(points, camera), _strength(points, camera)

    def make(scale: float) -> QImage:
        size = (max(1, round(camera.width * scale)), max(1, round(camera.height * scale)))
        rounded = max(round(radius * scale * 4) / 4, 0.75)
        pixels = visible.pixels * np.float32(scale)
        return density_image(
            pixels, visible.colours, size, rounded, strength, levels, visible.on_top
        )

    return make


def _spacing(points: MapPoints, camera: Camera) -> float:
    """Mean distance between points in pixels, if they were spread evenly over the map."""
    return camera.scale / math.sqrt(max(len(points.order), 1))


def radius_of(points: MapPoints, camera: Camera) -> float:
    radius = min(max(0.3 * _spacing(points, camera), MIN_RADIUS), MAX_RADIUS)
    return round(radius * 4) / 4


def _strength(points: MapPoints, camera: Camera) -> float:
    """Opacity of one point: lower where points are dense, so that density shows."""
    return round(min(max(_spacing(points, camera) / 9, 0.35), 0.9), 1)


def sprite(
    colour: QColor, theme: Theme, radius: float, ratio: float, hollow: bool = False
) -> QPixmap:
    """An image of a disc or a ring, with an edge that separates it from points below."""
    side = math.ceil(radius) * 2 + 4
    drawn = QPixmap(QSize(math.ceil(side * ratio), math.ceil(side * ratio)))
    drawn.setDevicePixelRatio(ratio)
    drawn.fill(Qt.GlobalColor.transparent)
    painter = QPainter(drawn)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    middle = QPointF(drawn.width() / ratio / 2, drawn.height() / ratio / 2)
    painter.setPen(Qt.PenStyle.NoPen)
    if radius > OUTLINE_RADIUS:
        painter.setBrush(QColor(theme.surface))
        painter.drawEllipse(middle, radius + 0.8, radius + 0.8)
    painter.setBrush(colour)
    painter.drawEllipse(middle, radius, radius)
    if hollow:
        painter.setBrush(QColor(theme.surface))
        painter.drawEllipse(middle, radius * 0.55, radius * 0.55)
    painter.end()
    return drawn
