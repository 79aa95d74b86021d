"""The map widget: a pannable, zoomable plane of points, with hovering, clicks and lasso."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QChildEvent,
    QEasingCurve,
    QEvent,
    QObject,
    QPoint,
    QPointF,
    QRectF,
    QSize,
    QSizeF,
    Qt,
    QVariantAnimation,
    Signal,
)
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QColor,
    QFont,
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
from sciread_app.services.map.map_service import Cluster
from sciread_app.ui.jobs.runner import JobRunner
from sciread_app.ui.map.canvas.camera import Camera, Coordinates
from sciread_app.ui.map.canvas.drag import Drag
from sciread_app.ui.map.canvas.group_labels import (
    NEAR,
    LabelRenderer,
    description,
    paint_lines,
    reading_order,
)
from sciread_app.ui.map.canvas.label_placement import LabelPlacement, Placed
from sciread_app.ui.map.canvas.point_renderer import PointRenderer, Viewport, radius_of
from sciread_app.ui.map.canvas.points import MapPoints, extent
from sciread_app.ui.map.canvas.similar_papers import (
    SimilarPoint,
    caption,
    paint_caption,
    paint_similar,
)
from sciread_app.ui.map.canvas.title_labels import TitleLabels
from sciread_app.ui.map.color_scheme import ColorScheme
from sciread_app.ui.map.options import Tool
from sciread_app.ui.map.view_models import NearestPaper
from sciread_app.ui.paper_list.paper_list import CardSource
from sciread_app.ui.style.theme import Appearance

HIT_RADIUS = 9.0  # pixels within which a point is hit
PAN_STEP = 60.0  # pixels that an arrow key pans
ZOOM_STEP = 1.25  # zoom factor of a key or a wheel step
MOST_RINGS = 60
SMALL = 520  # pixels beside the legend, below which all labels have the small font
ANIMATION_MS = 260
CORNER = 9  # radius in pixels, inside the frame of the panel


class MapView(QWidget):
    """Paints the points of a map with labels, and reports what the user does with them by signals.
    Points are given by their number in `points`, levels of groups as in `level`."""

    hovered = Signal(object, QPoint)  # the number of the point under the mouse, or None
    current_changed = Signal(object)  # number of a point that was clicked, or None
    opened = Signal(int)  # number of a point
    points_selected = Signal(object)  # numbers of points inside a lasso or rectangle
    group_requested = Signal(int, int)  # a group to list, and its level
    escaped = Signal()
    resized = Signal()

    def __init__(self, source: CardSource, jobs: JobRunner, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self._renderer = PointRenderer(jobs)
        self._renderer.rendered.connect(self.update)
        self._label_renderer = LabelRenderer(self.font())
        self.titles = TitleLabels(source, jobs, self.font())
        self.titles.loaded.connect(self.update)
        self.points: MapPoints | None = None
        self.camera = Camera()
        self.tool = Tool.move
        self.labels: list[Placed] = []  # labels of groups, as painted last
        self._placements: dict[tuple[int, float], LabelPlacement] = {}  # by level and font size
        self.placed_titles: list[Placed] = []  # titles next to points
        self.fit_scale = 1.0  # the scale that shows the whole map
        self._goal: Coordinates | None = (
            None  # the region to keep in view until the next pan or zoom
        )
        self.animated = False  # animate to a new camera instead of jumping
        self._start = self.camera
        self._animation = QVariantAnimation(
            self, startValue=0.0, endValue=1.0, duration=ANIMATION_MS
        )
        self._animation.setEasingCurve(QEasingCurve.Type.InOutCubic)
        self._animation.valueChanged.connect(self._animate)
        self._corner = QSizeF(0, 0)  # the corner at the bottom left that the map is fitted around
        self._covered = QRectF()  # the rectangle that the legend covers
        self._place, self._window_size = QPoint(), QSize()  # of the map in its window, and of that
        self._hovered: int | None = None
        self._picked: int | None = None
        self._rings: NDArray[np.int64] = np.empty(0, np.int64)
        self.similar: list[SimilarPoint] = []  # to the current paper
        self._focus: tuple[int, int | None] = (0, None)  # level and number of the focused group
        self._drag: Drag | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setMinimumSize(240, 150)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.grabGesture(Qt.GestureType.PinchGesture)
        appearance.changed.connect(self.update)

    def show_points(self, points: MapPoints) -> None:
        """Show a map, keeping the visible region of the previous one."""
        before, self.points = self.points, points
        self._placements.clear()
        self._hovered = None
        self._focus = (0, None)
        self.pick(None)
        if before is None:
            self.fit()
        else:
            self._goal = None
            self._refit()

    def set_covered(self, corner: QSizeF, covered: QRectF) -> None:
        """Fit the map around the bottom left `corner`, and write no labels on what is `covered`."""
        self._covered = covered
        if corner != self._corner:
            self._corner = corner
            self._refit()
        self.update()

    def set_scheme(self, scheme: ColorScheme) -> None:
        if self.points:
            self.points.set_scheme(scheme)
            self.update()

    def isolate(self, categories: Sequence[int]) -> None:
        """Dim all other categories, or none if there are no `categories`."""
        if self.points:
            self.points.isolate(categories)
            self.update()

    def size_by(self, citations: NDArray[np.int64] | None) -> None:
        """Enlarge points by the citations of their papers; None: all have the same size."""
        if self.points:
            self.points.size_by(citations)
            self.update()

    def highlight(self, ids: Sequence[int] | None, *, only: bool = False) -> None:
        if self.points:
            self.points.highlight(ids, only=only)
            self.update()

    def filter(self, shown: NDArray[np.bool_] | None) -> None:
        """Hide all points but these; None hides none."""
        if self.points:
            self.points.filter(shown)
            self.update()

    def ring(self, ids: Sequence[int]) -> None:
        """Draw rings around these papers."""
        if self.points:
            self._rings = self.points.numbers(ids)[:MOST_RINGS]
            self.update()

    def show_similar(self, papers: Sequence[NearestPaper]) -> None:
        """Draw lines from the current paper to these, and dim all others."""
        if not self.points:
            return
        numbers = dict(zip(self.points.ids.tolist(), range(len(self.points.ids)), strict=True))
        self.similar = [
            SimilarPoint(numbers[one.paper], one.similarity, one.citations)
            for one in papers
            if one.paper in numbers
        ]
        self.update()

    def pick(self, number: int | None) -> None:
        """Mark the point of the current paper, and end its lines to similar papers."""
        self._picked = number
        self.similar = []
        self._rings = np.empty(0, np.int64)
        self.update()

    def fit(self, ids: Sequence[int] | None = None) -> None:
        """Show the whole map, or all these papers."""
        if not self.points:
            return
        places = self.points.places
        self._goal = self.points.extent if ids is None else extent(places[self.points.numbers(ids)])
        self._start = self.camera
        if self.animated and self.isVisible():
            self._animation.start()
        else:
            self._refit()

    def bring_into_sight(self, number: int) -> None:
        if self.points:
            x, y = self.points.places[number].tolist()
            at = self.camera.point((x, y))
            if not self.rect().adjusted(20, 20, -20, -20).contains(at.toPoint()):
                middle = self.rect().center()
                self.show_camera(self.camera.panned(at.x() - middle.x(), at.y() - middle.y()))

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        middle = QPointF(self.width() / 2, self.height() / 2)
        self.show_camera(self.camera.zoomed(factor, at or middle, self.fit_scale))

    @property
    def level(self) -> int:
        """The level of the groups that are labeled at this zoom; 0 is the coarsest."""
        if not self.points:
            return 0
        zoom = self.camera.scale / self.fit_scale
        return min(sum(zoom > one for one in NEAR), len(self.points.drawing.levels) - 1)

    @property
    def groups(self) -> tuple[Cluster, ...]:
        return self.points.drawing.levels[self.level][1] if self.points else ()

    @property
    def _group(self) -> int | None:
        """The focused group; None at other levels than its own."""
        level, group = self._focus
        return group if level == self.level else None

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
        visible = self._renderer.paint(painter, self.points, self.camera, theme)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.similar and self._picked is not None:
            self._paint_names(painter, visible)  # dimmed, below the lines
            paint_similar(
                painter, self.points, self.camera, theme, self.radius, self._picked, self.similar
            )
            self._paint_caption(painter, caption(self.similar))
            self._paint_rings(painter)
        else:
            self._paint_rings(painter)
            self._paint_names(painter, visible)
            if self.points.added_radius is not None:
                self._paint_caption(painter, tr("Larger points have more citations"))
        if self._drag:
            self._drag.paint(painter, theme)
        if self.hasFocus():
            painter.setPen(QPen(QColor(theme.accent), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            frame = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
            painter.drawRoundedRect(frame, CORNER, CORNER)
        painter.end()

    def _paint_caption(self, painter: QPainter, text: str) -> None:
        frame = QRectF(self.rect()).adjusted(self._covered.width(), 0, 0, 0)
        paint_caption(painter, frame, text, self.font(), self._appearance.theme)

    def _paint_names(self, painter: QPainter, visible: Viewport) -> None:
        assert self.points
        theme = self._appearance.theme
        is_small = self.width() - self._corner.width() < SMALL
        shown = self._label_renderer
        font = shown.small if self.level or is_small else shown.large
        self.labels = self._visible_labels(font)
        occupied = [self._covered, *(label.box for label in self.labels)]
        frame = QRectF(self.rect())
        self.placed_titles = self.titles.labels_for(
            self.points, visible, self.radius, frame, occupied
        )
        self.titles.paint(painter, self._label_renderer, self.placed_titles, theme)
        paint_lines(painter, self.labels, theme)
        for label in self.labels:
            ringed = label.group == self._group
            self._label_renderer.paint(painter, label, font, theme, ringed=ringed)

    def _visible_labels(self, font: QFont) -> list[Placed]:
        """Return the labels of groups in sight."""
        assert self.points
        level, size = self.level, font.pointSizeF()
        if (level, size) not in self._placements:
            self._placements[level, size] = LabelPlacement(
                self.groups,
                self.points.occupancies[level],
                self.points.extent,
                font,
                crowded=level == 0,
            )
        origin, frame = self.camera.point((0.0, 0.0)), QRectF(self.rect())
        corner = QRectF(QPointF(0, self.height() - self._corner.height()), self._corner)
        # No label moves while the map is panned.
        around = (corner.translated(-origin),) if self._goal is not None else ()
        placed = self._placements[level, size].at(self.camera.scale, self._group, *around)
        there = self.points.has_papers(level)
        moved = (label.moved(origin) for label in placed if there[label.group])
        return [
            label
            for label in moved
            if frame.intersects(label.box) and not self._covered.intersects(label.box)
        ]

    def _paint_rings(self, painter: QPainter) -> None:
        assert self.points
        theme, radius = self._appearance.theme, self.radius
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(theme.accent), 1.5))
        for x, y in self.camera.screen(self.points.places[self._rings]).tolist():
            painter.drawEllipse(QPointF(x, y), radius + 3, radius + 3)
        for number, extra in ((self._picked, 5), (self._hovered, 3)):
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
        panned = self._drag.move_to(event)
        if self._drag.active_tool is not None:
            self._point_at(None)
        if not panned.isNull():
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self.show_camera(self.camera.panned(-panned.x(), -panned.y()))
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        drag, self._drag = self._drag, None
        self.setCursor(Qt.CursorShape.ArrowCursor)
        if drag is None or not self.points:
            return
        if drag.active_tool is None:
            self._click(event.position())
        elif corners := drag.outline():
            on_map = [self.camera.world(corner) for corner in corners]
            outline = np.array([(corner.x(), corner.y()) for corner in on_map])
            self.points_selected.emit(self.points.within(outline))
        self.update()

    def _click(self, at: QPointF) -> None:
        """Handle a click on a point, else on a group label."""
        number = self._number_at(at)
        under = [label.group for label in self.labels if label.box.contains(at)]
        if number is None and under:
            self.group_requested.emit(under[0], self.level)
        else:
            self.current_changed.emit(number)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        number = self._number_at(event.position())
        if number is not None:
            self.opened.emit(number)
        else:
            self.zoom(ZOOM_STEP * ZOOM_STEP, event.position())

    def wheelEvent(self, event: QWheelEvent) -> None:
        notches = event.angleDelta().y() / 120
        if notches:
            self.zoom(ZOOM_STEP**notches, event.position())
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        self._point_at(None)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """End hovering when the mouse enters a widget on the map: that is no leave event."""
        if event.type() is QEvent.Type.Enter:
            self._point_at(None)
        return False

    def childEvent(self, event: QChildEvent) -> None:
        super().childEvent(event)
        if event.added():
            event.child().installEventFilter(self)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QNativeGestureEvent):
            if event.gestureType() is Qt.NativeGestureType.ZoomNativeGesture:
                self.zoom(1 + event.value(), event.position())
                return True
        elif isinstance(event, QGestureEvent):
            pinch = event.gesture(Qt.GestureType.PinchGesture)
            if isinstance(pinch, QPinchGesture):
                self.zoom(pinch.scaleFactor(), self.mapFromGlobal(pinch.centerPoint()))
                return True
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        window = self.window()
        place, size = self.mapTo(window, QPoint(0, 0)), window.size()
        if self.underMouse() and self.points and size == self._window_size:
            # Another part of the window has opened or closed: nothing moves under the mouse.
            shift = QPointF(self._place - place)
            self._goal = None
            self.camera = self.camera.framed(self.width(), self.height(), shift)
        else:
            self.camera = self.camera.resized(self.width(), self.height())
        self._place, self._window_size = place, size
        self._refit()
        self.resized.emit()

    # The keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        arrows = {
            Qt.Key.Key_Left: (-PAN_STEP, 0.0),
            Qt.Key.Key_Right: (PAN_STEP, 0.0),
            Qt.Key.Key_Up: (0.0, -PAN_STEP),
            Qt.Key.Key_Down: (0.0, PAN_STEP),
        }
        if key in arrows:
            self.show_camera(self.camera.panned(*arrows[key]))
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(ZOOM_STEP)
        elif key == Qt.Key.Key_Minus:
            self.zoom(1 / ZOOM_STEP)
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
        """Tab visits the groups in reading order, then leaves the map."""
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
            self.group_requested.emit(self._group, self.level)
        elif self._picked is not None:
            self.opened.emit(self._picked)

    def _go_to_group(self, group: int | None) -> None:
        self._focus = (self.level, group)
        if group is not None:
            at = self.camera.point(self.groups[group].heart)
            if not self.rect().adjusted(30, 30, -30, -30).contains(at.toPoint()):
                middle = self.rect().center()
                self.camera = self.camera.panned(at.x() - middle.x(), at.y() - middle.y())
        self._changed()

    def _refit(self) -> None:
        """Fit the kept region to a frame that may have changed."""
        if self.points:
            self.fit_scale = self._fitting(self.points.extent).scale
        if self._goal is not None:
            self.camera = self._fitting(self._goal)
        self._changed()

    def _fitting(self, places: Coordinates) -> Camera:
        return self.camera.fitting(places, self._corner.width(), self._corner.height())

    def _animate(self, part: float) -> None:
        self._refit()
        self.camera = self._start.towards(self.camera, part)

    def show_camera(self, camera: Camera) -> None:
        self._animation.stop()
        self.camera, self._goal = camera, None
        self._changed()

    def _changed(self) -> None:
        self._point_at(None)  # another point may be under the mouse now
        self._update_text()
        self.update()

    def _update_text(self) -> None:
        """Set the description for screen readers."""
        group = None if self._group is None else self.groups[self._group]
        name = description(len(self.points.ids), group) if self.points else tr("Map")
        if name != self.accessibleName():
            self.setAccessibleName(name)
            change = QAccessibleEvent(self, QAccessible.Event.NameChanged)
            QAccessible.updateAccessibility(change)

    def _number_at(self, at: QPointF) -> int | None:
        if not self.points:
            return None
        place, reach = self.camera.world(at), max(HIT_RADIUS, self.radius + 3) / self.camera.scale
        return self.points.nearest(place.x(), place.y(), reach)

    def _point_at(self, at: QPointF | None) -> None:
        number = self._number_at(at) if at is not None else None
        if number != self._hovered:
            self._hovered = number
            self.hovered.emit(number, at.toPoint() if at is not None else QPoint())
            self.update()
