"""The map of the library: papers as points, similar papers close together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QRect, QRectF, QSize, QSizeF, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from sciread_app.domain.paper import LibraryChanges, PaperId
from sciread_app.language import tr
from sciread_app.services.map.map_service import MapLayout
from sciread_app.ui.app_context import AppContext
from sciread_app.ui.map.canvas.hover_card import HoverCard
from sciread_app.ui.map.canvas.points import MapPoints
from sciread_app.ui.map.canvas.view import MapView
from sciread_app.ui.map.color_scheme import ColorScheme
from sciread_app.ui.map.empty_states import MapEmptyStates
from sciread_app.ui.map.layout_job import LayoutJob
from sciread_app.ui.map.legend import Legend
from sciread_app.ui.map.options import BY, ColorBy, Tool
from sciread_app.ui.map.timeline import Timeline, Years
from sciread_app.ui.map.toolbar import MapToolbar
from sciread_app.ui.map.view_models import MapStatus, NearestPaper
from sciread_app.ui.widgets.layout.boxes import column

if TYPE_CHECKING:
    from sciread_app.ui.map.gateway import MapGateway
    from sciread_app.ui.paper_list.paper_list import CardSource
from PySide6.QtWidgets import QFrame, QToolButton

from sciread_app.language import trc
from sciread_app.ui.map.canvas.view import ZOOM_STEP
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, Theme, styled

EDGE = 12  # pixels from the legend to the map's edge
LEGEND_MOST = 0.5  # of the map's width that the legend may cover at most


class MapPanel(QWidget):
    """Shows the papers of a list on the map, and which of them is current. It updates itself
    whenever it is shown."""

    current_requested = Signal(object)  # PaperId of a point that was clicked, or None
    papers_selected = Signal(object)  # list of PaperId, by lasso, rectangle or the label of a group
    opened = Signal(object)  # PaperId of a point that was double-clicked

    def __init__(self, gateway: MapGateway, cards: CardSource, context: AppContext) -> None:
        super().__init__()
        jobs, appearance = context.jobs, context.appearance
        self._gateway = gateway
        self._jobs, self._toast = jobs, context.toast
        self.by = ColorBy.group
        self._highlighted: Sequence[int] | None = None  # None: all papers
        self._current: PaperId | None = None
        self._to_fit: Sequence[int] | None = None  # until there is a map
        self.view = MapView(cards, jobs, appearance)
        self.view.animated = True
        self.bar = MapToolbar()
        self.bar.hide()  # until a map is shown
        self.legend = Legend(appearance)
        self.legend.setParent(self.view)
        self._corner = QSizeF(0, 0)  # that the legend covers with all its categories
        self.zoom = ZoomButtons(appearance, self.view)
        self.hover = HoverCard(cards, jobs, self.view)
        self.layout_job = LayoutJob(gateway, jobs, self)
        self.empty_states = MapEmptyStates(appearance, self.view)
        self.timeline = Timeline(appearance)
        self.timeline.hide()
        parts = (self.bar, (self.empty_states, 1), self.timeline)
        column(*parts, parent=self, margins=0, spacing=8)
        self._connect(context)

    def panes(self) -> Sequence[QWidget]:
        """The parts of the panel in the order of F6."""
        return (self.bar, self.view, self.legend, self.zoom, self.timeline)

    def take_focus(self) -> None:
        (self.view if self.empty_states.shows_map else self).setFocus()

    def highlight(self, papers: Sequence[int] | None) -> None:
        """Highlight these papers among the others; None highlights none and dims none."""
        self._highlighted = papers
        points = self.view.points
        if points is not None:
            self.view.highlight(papers, only=self.bar.only.isChecked())
            missing = len(papers) - len(points.numbers(papers)) if papers is not None else 0
            self.bar.show_highlight(papers is not None, missing)
            self._show_counts()

    def show_current(self, paper: PaperId | None) -> None:
        """Mark this paper as the current one."""
        self._current = paper
        self.view.pick(self._number(paper))

    def place_of_current(self) -> QRect | None:
        """Where the point of the current paper is on the screen; None if it is not in sight."""
        number, points = self._number(self._current), self.view.points
        if number is None or points is None:
            return None
        at = self.view.camera.point(tuple(points.places[number].tolist())).toPoint()
        if not self.view.rect().contains(at):
            return None
        return QRect(self.view.mapToGlobal(at), QSize()).adjusted(-12, -12, 12, 12)

    def bring_into_sight(self, paper: PaperId) -> None:
        number = self._number(paper)
        if number is not None:
            self.view.bring_into_sight(number)

    def fit(self, papers: Sequence[int] | None = None) -> None:
        """Fit the view to these papers, now or when the map is loaded; None: to the whole map."""
        self._to_fit = papers
        points = self.view.points
        if points is not None:
            self._to_fit = None
            if papers is None or len(points.numbers(papers)):
                self.view.fit(papers)

    def fit_highlighted(self) -> None:
        self.fit(self._highlighted)

    def library_changed(self, changes: LibraryChanges) -> None:
        self.hover.clear_cache()
        self.view.titles.clear_cache()
        if changes.space:
            self.layout_job.restart()
        if self.isVisible():
            self.layout_job.refresh_soon()
            if changes.papers:
                self._colour_again()
                self._load_years()
                self._load_citations()

    def redraw(self) -> None:
        self.layout_job.draw(from_scratch=True)

    def take_tool(self, tool: Tool) -> None:
        self.view.tool = tool

    def colour_by(self, by: ColorBy) -> None:
        """Color the points by this property, which is loaded in the background unless it is the
        group."""
        self.by = by
        self.bar.show_by(by)
        points = self.view.points
        if points is None:
            return
        if by is ColorBy.group:
            self._show_scheme(by, points.drawing, points.groups)
            return
        drawing = points.drawing
        self._jobs.run(
            tr("Coloring the map"),
            lambda task: self._gateway.scheme(by, drawing.ids),
            lambda scheme: self._show_scheme(by, drawing, scheme),
            replaces="map colours",
        )

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not event.spontaneous():
            self.layout_job.refresh()
            self._colour_again()
            self._load_years()

    # Results

    def _colour_again(self) -> None:
        """Update the colors that depend on what the user does with papers."""
        if self.by in (ColorBy.collection, ColorBy.read):
            self.colour_by(self.by)

    def _show_status(self, status: MapStatus, points: MapPoints | None) -> None:
        if points is not None:
            self._show_points(points)
        has_map = self.view.points is not None
        self.bar.setVisible(has_map)
        self.timeline.setVisible(has_map and self.bar.years.isChecked())
        self.empty_states.show_status(status, has_map)
        if has_map and self.hasFocus():
            self.take_focus()

    def _show_points(self, points: MapPoints) -> None:
        before = self.view.points
        if before and _same(before.drawing, points.drawing):
            return
        self.view.show_points(points)
        self.colour_by(self.by)
        self._load_years()
        self._load_citations()
        self.highlight(self._highlighted)
        self.show_current(self._current)
        if self._to_fit is not None:
            self.fit(self._to_fit)

    def _show_scheme(self, by: ColorBy, drawing: MapLayout, scheme: ColorScheme) -> None:
        points = self.view.points
        if by is self.by and points and points.drawing is drawing:
            self.view.set_scheme(scheme)
            self.legend.show_scheme(BY[by].name, scheme)
            self._place_legend()
            self._show_counts()

    def _load_years(self) -> None:
        points = self.view.points
        if points is None or not self.bar.years.isChecked():
            return
        drawing = points.drawing

        def show(years: Years) -> None:
            if self.view.points and self.view.points.drawing is drawing:
                self.timeline.show_years(years)

        self._jobs.run(
            tr("Loading publication years"),
            lambda task: self._gateway.years(drawing.ids),
            show,
            replaces="map years",
        )

    def _load_citations(self) -> None:
        """Enlarge points by citations, if the user wishes so."""
        points = self.view.points
        if points is None or not self.bar.sizes.isChecked():
            self.view.size_by(None)
            return

        def show(citations: NDArray[np.int64]) -> None:
            if self.view.points is points and self.bar.sizes.isChecked():
                self.view.size_by(citations)
                if not citations.any():
                    self._toast.show_message(tr("No citations of these papers are known yet"))

        self._jobs.run(
            tr("Counting citations"),
            lambda task: self._gateway.citations(points.ids),
            show,
            replaces="map citations",
        )

    # User actions

    def _show_timeline(self, shown: bool) -> None:
        self.timeline.setVisible(shown)
        if shown:
            self._load_years()
        else:
            self.timeline.reset()

    def _click(self, number: int | None) -> None:
        """Request the paper of a point, and draw lines to those similar to it."""
        if number is None:
            self.current_requested.emit(None)
            return
        self.hover.show_at(None, QPoint())  # else it covers the lines, and repeats the details
        paper = self._paper(number)
        self.current_requested.emit(paper)

        def show(similar: Sequence[NearestPaper]) -> None:
            if paper == self._current:
                self.view.show_similar(similar)

        self._jobs.run(
            tr("Finding similar papers"),
            lambda task: self._gateway.similar(paper),
            show,
            replaces="similar papers on the map",
        )

    def _select_points(self, numbers: Sequence[int]) -> None:
        assert self.view.points is not None
        self.papers_selected.emit(self.view.points.ids[numbers].tolist())

    def _select_group(self, group: int, level: int) -> None:
        assert self.view.points is not None
        drawing = self.view.points.drawing
        labels = drawing.levels[level][0]
        self.papers_selected.emit(drawing.ids[labels == group].tolist())

    def _point_at(self, number: int | None, at: QPoint) -> None:
        self.hover.show_at(None if number is None else self._paper(number), at)

    def _paper(self, number: int) -> PaperId:
        assert self.view.points is not None
        return PaperId(int(self.view.points.ids[number]))

    def _number(self, paper: PaperId | None) -> int | None:
        """The number of the point of a paper, if it is on the map."""
        if paper is None or self.view.points is None:
            return None
        found: list[int] = self.view.points.numbers([paper]).tolist()
        return found[0] if found else None

    def _place_legend(self) -> None:
        self.legend.fit(self.view.width())
        across, down = self.legend.width(), self.legend.full_height + 2 * EDGE
        fits = across < self.view.width() * LEGEND_MOST and down < self.view.height()
        self.bar.legend.setEnabled(fits)
        self.legend.setVisible(fits and bool(self.legend.entries) and self.bar.legend.isChecked())
        # As high as with all categories, so that a filter does not move the map.
        corner = QSizeF(0, 0) if self.legend.isHidden() else QSizeF(across + EDGE, down - EDGE)
        self._corner = corner
        self._move_legend()
        self.zoom.place()

    def _move_legend(self) -> None:
        """Move the legend to its corner, where its height may have changed."""
        self.legend.move(EDGE, self.view.height() - self.legend.height() - EDGE)
        covered = QRectF() if self.legend.isHidden() else QRectF(self.legend.geometry())
        self.view.set_covered(self._corner, covered)

    def _show_counts(self) -> None:
        """Show in the legend how many papers of each category are shown."""
        points = self.view.points
        if points is not None and points.scheme is self.legend.scheme:
            self.legend.show_counts(points.counts)
            self._move_legend()

    def _filter(self, shown: NDArray[np.bool_] | None) -> None:
        points = self.view.points
        if points is None or (shown is not None and len(shown) != len(points.ids)):
            return  # of the previous map: the years of this one are being loaded
        self.view.filter(shown)
        self._show_counts()

    def _connect(self, context: AppContext) -> None:
        view, bar, zoom, job = self.view, self.bar, self.zoom, self.layout_job
        empty, navigate = self.empty_states, context.navigate
        view.hovered.connect(self._point_at)
        view.current_changed.connect(self._click)
        view.opened.connect(lambda number: self.opened.emit(self._paper(number)))
        view.points_selected.connect(self._select_points)
        view.group_requested.connect(self._select_group)
        view.resized.connect(self._place_legend)
        bar.color_by_changed.connect(self.colour_by)
        bar.tool_selected.connect(self.take_tool)
        zoom.zoomed.connect(view.zoom)
        zoom.whole.clicked.connect(lambda: self.fit())
        bar.only.toggled.connect(lambda: self.highlight(self._highlighted))
        bar.years.toggled.connect(self._show_timeline)
        bar.sizes.toggled.connect(self._load_citations)
        self.timeline.filtered.connect(self._filter)
        bar.legend.toggled.connect(self._place_legend)
        self.legend.isolated_changed.connect(view.isolate)
        view.escaped.connect(self.legend.clear)
        job.status_loaded.connect(self._show_status)
        job.progressed.connect(empty.show_progress)
        job.stopped.connect(empty.show_stopped)
        job.finished.connect(empty.show_done)
        empty.draw_requested.connect(lambda: job.draw())
        empty.redraw_requested.connect(self.redraw)
        empty.cancel_requested.connect(job.cancel)
        empty.add_requested.connect(lambda: navigate.add_files())
        empty.fetch_requested.connect(lambda: navigate.new_query())


def _same(one: MapLayout, other: MapLayout) -> bool:
    return (
        one.outgrown == other.outgrown
        and one.renamable == other.renamable
        and np.array_equal(one.ids, other.ids)
        and np.array_equal(one.places, other.places)
    )


_RIGHT, _BELOW = 6, 12  # pixels to the right and bottom edges of the map
_SIDE, _ICON = 26, 16  # pixels: narrow enough for the margin around the points


class ZoomButtons(QFrame):
    """A column of buttons at the bottom right, in the margin that no point lies in."""

    zoomed = Signal(float)  # by a factor

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._map = parent
        self.setAccessibleName(tr("Zoom"))
        self.closer = _button(tr("Zoom in"), "+")
        self.out = _button(tr("Zoom out"), "\N{MINUS SIGN}")
        self.whole = _button(tr("Fit map"), trc("the key", "Home"))
        self.closer.clicked.connect(lambda: self.zoomed.emit(ZOOM_STEP))
        self.out.clicked.connect(lambda: self.zoomed.emit(1 / ZOOM_STEP))
        column(self.closer, self.out, self.whole, parent=self, margins=0, spacing=4)
        appearance.changed.connect(self._paint)
        self._paint(appearance.theme)
        self.adjustSize()

    def place(self) -> None:
        """Move to the corner of the map, which may have been resized."""
        frame = self._map.rect()
        self.move(frame.right() - self.width() - _RIGHT, frame.bottom() - self.height() - _BELOW)

    def _paint(self, theme: Theme) -> None:
        pictures = ((self.closer, "plus"), (self.out, "minus"), (self.whole, "fit"))
        for button, name in pictures:
            button.setIcon(icon(name, theme.text))


def _button(does: str, key: str) -> QToolButton:
    button = styled(QToolButton(), "small")
    button.setFixedSize(_SIDE, _SIDE)
    button.setIconSize(QSize(_ICON, _ICON))
    button.setToolTip(f"{does} ({key})")
    button.setAccessibleName(does)
    return button
