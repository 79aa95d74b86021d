"""The visible part of the map and its scale."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF

Coordinates = NDArray[np.float32]

MARGIN = 36  # pixels around the whole map
CLEARANCE = 14  # pixels between points and the covered corner
STEPS = 10  # to find the scale
MAX_ZOOM = 400.0  # maximum zoom, relative to the scale that shows the whole map


@dataclass(frozen=True)
class Camera:
    """The map point (`x`, `y`) at the center of the frame, and `scale` in pixels per map unit."""

    x: float = 0.5
    y: float = 0.5
    scale: float = 600.0
    width: float = 800.0
    height: float = 600.0

    def fitting(self, places: Coordinates, left: float = 0.0, below: float = 0.0) -> Camera:
        """A camera that shows all these points, at most at life size for a single one.

        The bottom left corner, `left` pixels wide and `below` pixels high, is covered by something
        else: the points are shown around it, as large as possible.
        """
        if not len(places):
            return self
        whole = self._filled(places)
        if not left or self._clears(whole, places, left, below):
            return whole
        beside, above = self._beside(places, left), self._above(places, below)
        best = above if above.scale > beside.scale else beside
        least, most = best.scale, whole.scale
        for _ in range(STEPS):
            scale = (least + most) / 2
            if around := self._around(whole, places, scale, left, below):
                best, least = around, scale
            else:
                most = scale
        return best

    def _around(
        self, whole: Camera, places: Coordinates, scale: float, left: float, below: float
    ) -> Camera | None:
        """A camera of this scale that moves the points off the corner, if there is one."""
        low, high = places.min(axis=0).tolist(), places.max(axis=0).tolist()
        right = (self.width - 2 * MARGIN) / scale - (high[0] - low[0])
        up = (self.height - 2 * MARGIN) / scale - (high[1] - low[1])
        for part in (0.0, 0.25, 0.5):
            x, y = whole.x - part * right, whole.y + part * up
            camera = replace(whole, x=x, y=y, scale=scale)
            if self._clears(camera, places, left, below):
                return camera
        return None

    def _clears(self, camera: Camera, places: Coordinates, left: float, below: float) -> bool:
        """Whether the corner covers none of the points."""
        x, y = camera.screen(places).T
        return not ((x < left + CLEARANCE) & (y > self.height - below - CLEARANCE)).any()

    def _beside(self, places: Coordinates, left: float) -> Camera:
        shown = replace(self, width=self.width - left)._filled(places)
        return replace(shown, x=shown.x - left / 2 / shown.scale, width=self.width)

    def _above(self, places: Coordinates, below: float) -> Camera:
        shown = replace(self, height=self.height - below)._filled(places)
        return replace(shown, y=shown.y + below / 2 / shown.scale, height=self.height)

    def _filled(self, places: Coordinates) -> Camera:
        """A camera whose frame these points fill."""
        low, high = places.min(axis=0).tolist(), places.max(axis=0).tolist()
        across, down = max(high[0] - low[0], 0.05), max(high[1] - low[1], 0.05)
        room = (self.width - 2 * MARGIN, self.height - 2 * MARGIN)
        scale = max(50.0, min(room[0] / across, room[1] / down))
        return replace(self, x=(low[0] + high[0]) / 2, y=(low[1] + high[1]) / 2, scale=scale)

    def towards(self, goal: Camera, part: float) -> Camera:
        """The camera at fraction `part` of the way to `goal`, in steps that look even."""
        scale = self.scale * (goal.scale / self.scale) ** part
        x, y = self.x + (goal.x - self.x) * part, self.y + (goal.y - self.y) * part
        return replace(goal, x=x, y=y, scale=scale)

    def resized(self, width: float, height: float) -> Camera:
        """The same part of the map in a frame of another size."""
        grown = max(min(width, height), 1) / max(min(self.width, self.height), 1)
        return replace(self, width=width, height=height, scale=self.scale * grown)

    def framed(self, width: float, height: float, shift: QPointF) -> Camera:
        """The camera of a frame of another size, in which each point is moved by `shift` pixels."""
        right = (width - self.width) / 2 - shift.x()
        down = (height - self.height) / 2 - shift.y()
        x, y = self.x + right / self.scale, self.y + down / self.scale
        return replace(self, x=x, y=y, width=width, height=height)

    def panned(self, right: float, down: float) -> Camera:
        """The camera after a pan by pixels, kept within the map."""
        x, y = self.x + right / self.scale, self.y + down / self.scale
        return replace(self, x=min(max(x, -0.1), 1.1), y=min(max(y, -0.1), 1.1))

    def zoomed(self, factor: float, at: QPointF, fit_scale: float) -> Camera:
        """The camera zoomed around this pixel. `fit_scale` is the scale of the whole map."""
        scale = min(max(self.scale * factor, fit_scale * 0.6), fit_scale * MAX_ZOOM)
        under = self.world(at)
        right = (at.x() - self.width / 2) / scale
        down = (at.y() - self.height / 2) / scale
        return replace(self, x=under.x() - right, y=under.y() - down, scale=scale)

    def screen(self, places: Coordinates) -> Coordinates:
        """Pixel coordinates of map positions."""
        # Single precision would make pixels jitter at high zoom.
        shift = np.array([self.x, self.y])
        middle = np.array([self.width / 2, self.height / 2])
        pixels: Coordinates = ((places - shift) * self.scale + middle).astype(np.float32)
        return pixels

    def point(self, place: tuple[float, float]) -> QPointF:
        return QPointF(
            (place[0] - self.x) * self.scale + self.width / 2,
            (place[1] - self.y) * self.scale + self.height / 2,
        )

    def world(self, at: QPointF) -> QPointF:
        return QPointF(
            self.x + (at.x() - self.width / 2) / self.scale,
            self.y + (at.y() - self.height / 2) / self.scale,
        )
