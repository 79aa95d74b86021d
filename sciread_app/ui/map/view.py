"""The map itself: a plane of points that one moves about on, points at, and gathers from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QEasingCurve,
    QEvent,
    QPoint,
    QPointF,
    QRectF,
    Qt,
    QVariantAnimation,
    Signal,
)
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QColor,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QGestureEvent, QPinchGesture, QWidget

from sciread_app.language import tr
from sciread_app.services.atlas import Cluster
from sciread_app.ui.jobs import Jobs
from sciread_app.ui.map.camera import Camera, Places
from sciread_app.ui.map.choices import Tool
from sciread_app.ui.map.drag import Drag
from sciread_app.ui.map.ink import Ink, Seen, radius_of
from sciread_app.ui.map.labels import NEAR, Lettering, Placed, place
from sciread_app.ui.map.points import Points, extent
from sciread_app.ui.map.shades import Shades
from sciread_app.ui.map.speech import reading_order, spoken
from sciread_app.ui.map.titles import Titles
from sciread_app.ui.papers import CardSource
from sciread_app.ui.theme import Appearance, Theme

REACH = 9.0  # pixels from a point within which it is meant
STEP = 60.0  # pixels that an arrow key moves the map
CLOSER = 1.25  # by a key or a notch of the wheel
MOST_RINGS = 60
GLIDE_MS = 260


class MapView(QWidget):
    pointed = Signal(object, QPoint)  # the number of the point under the mouse, or None
    picked = Signal(object)  # number of a point that was clicked, or None
    opened = Signal(int)  # number of a point
    gathered = Signal(object)  # numbers of points that were drawn around
    group_wanted = Signal(int, bool)  # a group to list, and whether it is a fine one
    escaped = Signal()
    resized = Signal()

    def __init__(self, source: CardSource, jobs: Jobs, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self._ink = Ink(jobs)
        self._ink.sharper.connect(self.update)
        self._letters = Lettering(self.font())
        self.titles = Titles(source, jobs, self.font())
        self.titles.came.connect(self.update)
        self.points: Points | None = None
        self.camera = Camera()
        self.tool = Tool.move
        self.labels: list[Placed] = []  # names of groups as they were painted last
        self.written: list[Placed] = []  # titles beside points
        self.whole = 1.0  # the scale at which all is seen
        self._goal: Places | None = None  # what was brought into sight, till somebody moves about
        self.glides = False  # to where it is told to go, instead of jumping there
        self._start = self.camera
        self._flight = QVariantAnimation(self, startValue=0.0, endValue=1.0, duration=GLIDE_MS)
        self._flight.setEasingCurve(QEasingCurve.Type.InOutCubic)
        self._flight.valueChanged.connect(self._fly)
        self._left = 0.0  # pixels that are left to something else
        self._covered = QRectF()  # by it
        self._pointed: int | None = None
        self._picked: int | None = None
        self._rings: NDArray[np.int64] = np.empty(0, np.int64)
        self._group: int | None = None  # where Tab has come to
        self._drag: Drag | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setMinimumSize(240, 200)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.grabGesture(Qt.GestureType.PinchGesture)
        appearance.changed.connect(self._repaint)

    def _repaint(self, theme: Theme) -> None:
        self.update()

    def show_points(self, points: Points) -> None:
        """Show a map; where one was shown, what is seen of it stays in sight."""
        before, self.points = self.points, points
        self._picked, self._pointed, self._rings = None, None, np.empty(0, np.int64)
        if before is None:
            self.fit()
        else:
            self._goal = None
            self._refit()

    def leave_free(self, left: float, covered: QRectF) -> None:
        """All is shown right of so many pixels, and nothing written where something covers it."""
        self._left, self._covered = left, covered
        self._refit()

    def shade(self, shades: Shades) -> None:
        if self.points:
            self.points.shade(shades)
            self.update()

    def hide_kinds(self, kinds: Sequence[int]) -> None:
        if self.points:
            self.points.hide(kinds)
            self.update()

    def light(self, ids: Sequence[int] | None, *, only: bool = False) -> None:
        if self.points:
            self.points.light(ids, only=only)
            self.update()

    def ring(self, ids: Sequence[int]) -> None:
        """Draw a ring around these papers."""
        if self.points:
            self._rings = self.points.numbers(ids)[:MOST_RINGS]
            self.update()

    def pick(self, number: int | None) -> None:
        self._picked = number
        self._rings = np.empty(0, np.int64)
        self.update()

    def fit(self, ids: Sequence[int] | None = None) -> None:
        """See the whole map, or these papers."""
        if not self.points:
            return
        places = self.points.places
        self._goal = self.points.extent if ids is None else extent(places[self.points.numbers(ids)])
        self._start = self.camera
        if self.glides and self.isVisible():
            self._flight.start()
        else:
            self._refit()

    def bring_into_sight(self, number: int) -> None:
        if self.points:
            x, y = self.points.places[number].tolist()
            at = self.camera.point((x, y))
            if not self.rect().adjusted(20, 20, -20, -20).contains(at.toPoint()):
                middle = self.rect().center()
                self.show_camera(self.camera.moved(at.x() - middle.x(), at.y() - middle.y()))

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        middle = QPointF(self.width() / 2, self.height() / 2)
        self.show_camera(self.camera.zoomed(factor, at or middle, self.whole))

    @property
    def fine(self) -> bool:
        """Whether one is so near that groups are named finely."""
        return self.camera.scale > NEAR * self.whole

    @property
    def groups(self) -> tuple[Cluster, ...]:
        if not self.points:
            return ()
        drawing = self.points.drawing
        return drawing.fine_clusters if self.fine else drawing.coarse_clusters

    @property
    def radius(self) -> float:
        return radius_of(self.points, self.camera) if self.points else 0.0

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._appearance.theme
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.surface))
        if not self.points:
            return
        seen = self._ink.paint(painter, self.points, self.camera, theme)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_rings(painter)
        self._paint_names(painter, seen)
        if self._drag:
            self._drag.paint(painter, theme)
        if self.hasFocus():
            painter.setPen(QPen(QColor(theme.accent), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def _paint_names(self, painter: QPainter, seen: Seen) -> None:
        assert self.points
        theme = self._appearance.theme
        font = self._letters.small if self.fine else self._letters.large
        self.labels = place(self.groups, self.camera, font, self._covered, self._group)
        taken = [self._covered, *(label.box for label in self.labels)]
        frame = QRectF(self.rect())
        self.written = self.titles.beside(self.points, seen, self.radius, frame, taken)
        self.titles.paint(painter, self._letters, self.written, theme)
        for label in self.labels:
            ringed = label.group == self._group
            self._letters.paint(painter, label, font, theme, ringed=ringed)

    def _paint_rings(self, painter: QPainter) -> None:
        assert self.points
        theme, radius = self._appearance.theme, self.radius
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(theme.accent), 1.5))
        for x, y in self.camera.screen(self.points.places[self._rings]).tolist():
            painter.drawEllipse(QPointF(x, y), radius + 3, radius + 3)
        for number, extra in ((self._picked, 5), (self._pointed, 3)):
            if number is not None:
                at = self.camera.point(tuple(self.points.places[number].tolist()))
                painter.setPen(QPen(QColor(theme.surface), 4))
                painter.drawEllipse(at, radius + extra, radius + extra)
                painter.setPen(QPen(QColor(theme.text), 2))
                painter.drawEllipse(at, radius + extra, radius + extra)

    # The mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._drag = Drag(event.position(), self.tool)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drag is None:
            self._point_at(event.position())
            return
        moved = self._drag.go_on(event)
        if self._drag.does is not None:
            self._point_at(None)
        if not moved.isNull():
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self.show_camera(self.camera.moved(-moved.x(), -moved.y()))
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        drag, self._drag = self._drag, None
        self.setCursor(Qt.CursorShape.ArrowCursor)
        if drag is None or not self.points:
            return
        if drag.does is None:
            self._click(event.position())
        elif corners := drag.outline():
            on_map = [self.camera.world(corner) for corner in corners]
            outline = np.array([(corner.x(), corner.y()) for corner in on_map])
            self.gathered.emit(self.points.within(outline))
        self.update()

    def _click(self, at: QPointF) -> None:
        """On a point, or else on the name of a group."""
        number = self._number_at(at)
        under = [label.group for label in self.labels if label.box.contains(at)]
        if number is None and under:
            self.group_wanted.emit(under[0], self.fine)
        else:
            self.picked.emit(number)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        number = self._number_at(event.position())
        if number is not None:
            self.opened.emit(number)
        else:
            self.zoom(CLOSER * CLOSER, event.position())

    def wheelEvent(self, event: QWheelEvent) -> None:
        notches = event.angleDelta().y() / 120
        if notches:
            self.zoom(CLOSER**notches, event.position())
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        self._point_at(None)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QNativeGestureEvent):
            if event.gestureType() is Qt.NativeGestureType.ZoomNativeGesture:
                self.zoom(1 + event.value(), event.position())
                return True
        elif isinstance(event, QGestureEvent):
            pinch = event.gesture(Qt.GestureType.PinchGesture)
            if isinstance(pinch, QPinchGesture):
                self.zoom(pinch.scaleFactor(), pinch.centerPoint())
                return True
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.camera = self.camera.resized(self.width(), self.height())
        self._refit()
        self.resized.emit()

    # The keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        arrows = {
            Qt.Key.Key_Left: (-STEP, 0.0),
            Qt.Key.Key_Right: (STEP, 0.0),
            Qt.Key.Key_Up: (0.0, -STEP),
            Qt.Key.Key_Down: (0.0, STEP),
        }
        if key in arrows:
            self.show_camera(self.camera.moved(*arrows[key]))
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(CLOSER)
        elif key == Qt.Key.Key_Minus:
            self.zoom(1 / CLOSER)
        elif key in (Qt.Key.Key_0, Qt.Key.Key_Home):
            self.fit()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._enter()
        elif key == Qt.Key.Key_Escape:
            self._go_to_group(None)
            self.escaped.emit()
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab goes from group to group in the order one reads, and on from the last."""
        order = reading_order(self.groups)
        at = order.index(self._group) if self._group in order else (-1 if forward else len(order))
        after = at + (1 if forward else -1)
        if self.points and 0 <= after < len(order):
            self._go_to_group(order[after])
            return True
        self._go_to_group(None)
        return super().focusNextPrevChild(forward)

    def _enter(self) -> None:
        if self._group is not None:
            self.group_wanted.emit(self._group, self.fine)
        elif self._picked is not None:
            self.opened.emit(self._picked)

    def _go_to_group(self, group: int | None) -> None:
        self._group = group
        if group is not None:
            at = self.camera.point(self.groups[group].heart)
            if not self.rect().adjusted(30, 30, -30, -30).contains(at.toPoint()):
                middle = self.rect().center()
                self.camera = self.camera.moved(at.x() - middle.x(), at.y() - middle.y())
        self._changed()

    def _refit(self) -> None:
        """The frame may have changed: what was brought into sight stays there."""
        if self.points:
            self.whole = self.camera.fitting(self.points.extent, self._left).scale
        if self._goal is not None:
            self.camera = self.camera.fitting(self._goal, self._left)
        self._changed()

    def _fly(self, part: float) -> None:
        self._refit()
        self.camera = self._start.towards(self.camera, part)

    def show_camera(self, camera: Camera) -> None:
        self._flight.stop()
        was_fine = self.fine
        self.camera, self._goal = camera, None
        if self.fine != was_fine:
            self._group = None
        self._changed()

    def _changed(self) -> None:
        self._say()
        self.update()

    def _say(self) -> None:
        """What a screen reader is told."""
        group = None if self._group is None else self.groups[self._group]
        name = spoken(len(self.points.ids), group) if self.points else tr("Map")
        if name != self.accessibleName():
            self.setAccessibleName(name)
            change = QAccessibleEvent(self, QAccessible.Event.NameChanged)
            QAccessible.updateAccessibility(change)

    def _number_at(self, at: QPointF) -> int | None:
        if not self.points:
            return None
        place, reach = self.camera.world(at), max(REACH, self.radius + 3) / self.camera.scale
        return self.points.nearest(place.x(), place.y(), reach)

    def _point_at(self, at: QPointF | None) -> None:
        number = self._number_at(at) if at is not None else None
        if number != self._pointed:
            self._pointed = number
            self.pointed.emit(number, at.toPoint() if at is not None else QPoint())
            self.update()
