"""The map page: papers as points, similar papers close together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from PySide6.QtCore import QPoint, QRectF, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QSplitter, QVBoxLayout, QWidget

from sciread_app.domain.paper import LibraryChanges, PaperId
from sciread_app.domain.text.tex import readable
from sciread_app.language import tr, trn
from sciread_app.services.map.map_service import MapLayout
from sciread_app.ui.app_context import AppContext
from sciread_app.ui.jobs.runner import JobQueue
from sciread_app.ui.map.canvas.hover_card import HoverCard
from sciread_app.ui.map.canvas.points import MapPoints
from sciread_app.ui.map.canvas.view import MapView
from sciread_app.ui.map.color_scheme import ColorScheme
from sciread_app.ui.map.empty_states import MapEmptyStates
from sciread_app.ui.map.layout_job import LayoutJob
from sciread_app.ui.map.legend import Legend
from sciread_app.ui.map.options import BY, ColorBy, Tool
from sciread_app.ui.map.organise_selection import SelectionOrganiser
from sciread_app.ui.map.side_pane import SidePane
from sciread_app.ui.map.toolbar import MapToolbar
from sciread_app.ui.map.view_models import MapServices, MapStatus
from sciread_app.ui.page import Page
from sciread_app.ui.paper.details_panel import DetailsPanel

SEEDS = 20  # maximum number of example papers for a search for similar ones
TITLE_SHOWN = 60
EDGE = 12  # pixels from the legend to the map's edge
LEGEND_SHARE = 0.25  # of the map's width that is kept free for the legend
LEGEND_MOST = 0.5  # of the map's width that the legend may cover at most


class MapPage(Page):
    papers_requested = Signal(object, str)  # ids to list, and a description
    paper_requested = Signal(object)  # PaperId, to open in the details
    found_requested = Signal()  # highlight the search results
    add_requested = Signal()
    fetch_requested = Signal()
    # Description of an edit, and its operation on an Organiser
    step_requested = Signal(str, object)
    busy_changed = Signal(bool)

    def __init__(self, desk: MapServices, context: AppContext) -> None:
        super().__init__()
        jobs, appearance = context.jobs, context.appearance
        self._desk = desk
        self._jobs = jobs
        self.by = ColorBy.group
        self._pending: tuple[tuple[PaperId, ...], str] | None = None  # until there is a map
        self._clicked: PaperId | None = None
        second = QApplication.doubleClickInterval()
        self._second_click = QTimer(self, singleShot=True, interval=second)
        self.view = MapView(desk, jobs, appearance)
        self.view.animated = True
        self.bar = MapToolbar()
        self.bar.hide()  # until a map is shown
        self.legend = Legend(appearance)
        self.legend.setParent(self.view)
        self.hover = HoverCard(desk, jobs, self.view)
        self.side_pane = SidePane(desk, jobs, appearance)
        self.selection = self.side_pane.selection
        self.layout_job = LayoutJob(desk.map, jobs, self)
        self.organiser = SelectionOrganiser(desk.organise, jobs, appearance, self)
        self.empty_states = MapEmptyStates(appearance, self.view)
        self._build()
        self._connect()
        self._connect_to(context)

    def _connect_to(self, context: AppContext) -> None:
        navigate = context.navigate

        def connect_details(details: DetailsPanel) -> None:
            details.connect_to(context)
            details.search_requested.connect(navigate.search_for)
            details.papers_requested.connect(navigate.show_papers)

        self.papers_requested.connect(navigate.show_papers)
        self.paper_requested.connect(lambda paper: navigate.open_paper(paper, tr("From the map")))
        self.found_requested.connect(navigate.show_found_on_map)
        self.add_requested.connect(navigate.add_files)
        self.fetch_requested.connect(lambda: navigate.go_to("intake"))
        self.step_requested.connect(context.edits.submit)
        self.side_pane.details_made.connect(connect_details)
        self.busy_changed.connect(lambda busy: navigate.show_busy("map", busy))

    # Interface of a page

    def refresh(self) -> None:
        self.layout_job.refresh()
        if self.by in (ColorBy.collection, ColorBy.read):
            self.colour_by(self.by)

    def panes(self) -> Sequence[QWidget]:
        return (self.bar, self.view, self.legend, self.side_pane)

    def take_focus(self) -> None:
        self.view.setFocus()

    def library_changed(self, changes: LibraryChanges) -> None:
        self.hover.clear_cache()
        self.view.titles.clear_cache()
        self.selection.model.forget()
        if changes.space:
            self.layout_job.restart()
        if self.isVisible():
            self.layout_job.refresh_soon()
            if changes.papers and self.by in (ColorBy.collection, ColorBy.read):
                self.colour_by(self.by)

    def show_papers(self, ids: Sequence[int], title: str) -> None:
        """Highlight these papers and fit the view to them."""
        self._pending = (tuple(map(PaperId, ids)), title)
        self._select_pending()

    def redraw(self) -> None:
        self.layout_job.draw(from_scratch=True)

    def whole_map(self) -> None:
        self.view.fit()

    def highlight_similar(self, ids: Sequence[PaperId] = ()) -> None:
        """Highlight papers similar to these, else to the current one or the highlighted ones."""
        seeds = tuple(ids or self._picked() or self.selection.ids)[:SEEDS]
        if seeds:
            title = self._show_similar(seeds)
            self._jobs.run(
                tr("Looking for similar papers"),
                lambda task: self._desk.map.similar(seeds),
                lambda found: self.select_papers((*seeds, *found), title),
                queue=JobQueue.short,
                replaces="map similar",
            )

    def select_papers(self, ids: Sequence[PaperId], title: str) -> None:
        """Highlight these papers and list them next to the map."""
        ids = tuple(dict.fromkeys(ids))
        points = self.view.points
        if not ids or points is None:
            self.clear()
            return
        self.view.highlight(ids, only=self.selection.only.isChecked())
        self.selection.show_papers(ids, title, len(ids) - len(points.numbers(ids)))
        self.side_pane.show_selection(True)

    def clear(self) -> None:
        """Clear the highlight and the current paper."""
        self._pending = None
        self._second_click.stop()
        if self.side_pane.has_focus():
            self.view.setFocus()
        self.view.highlight(None)
        self.view.pick(None)
        self.selection.only.setChecked(False)
        self.selection.show_papers((), "")
        self.side_pane.show_selection(False)
        self.side_pane.show_paper(None)

    def colour_by(self, by: ColorBy) -> None:
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
            tr("Colouring the map"),
            lambda task: self._desk.map.scheme(by, drawing.ids),
            lambda scheme: self._show_scheme(by, drawing, scheme),
            queue=JobQueue.short,
            replaces="map colours",
        )

    # Results

    def _show_status(self, status: MapStatus, points: MapPoints | None) -> None:
        if points is not None:
            self._show_points(points)
        self.bar.setVisible(self.view.points is not None)
        self.empty_states.show_status(status, self.view.points is not None)

    def _show_points(self, points: MapPoints) -> None:
        before = self.view.points
        if before and _same(before.drawing, points.drawing):
            return
        self.view.show_points(points)
        self.colour_by(self.by)
        if self.selection.ids:
            self.select_papers(self.selection.ids, self.selection.title.text())
        self._select_pending()

    def _show_scheme(self, by: ColorBy, drawing: MapLayout, scheme: ColorScheme) -> None:
        points = self.view.points
        if by is self.by and points and points.drawing is drawing:
            self.view.set_scheme(scheme)
            self.legend.show_scheme(BY[by].name, scheme)
            self._place_legend()

    def _select_pending(self) -> None:
        if self._pending and self.view.points:
            (ids, title), self._pending = self._pending, None
            self.select_papers(ids, title)
            if len(self.view.points.numbers(ids)):
                self.view.fit(ids)

    # User actions

    def _click(self, number: int | None) -> None:
        """Show the side pane only when no second click can follow, which would hit the pane instead
        of the point.
        """
        self._second_click.stop()
        if number is None or self.view.points is None or self.side_pane.isVisible():
            self._select(number)
        else:
            self.view.pick(number)
            self._clicked = PaperId(int(self.view.points.ids[number]))
            self._second_click.start()

    def _select_clicked(self) -> None:
        if self._clicked is not None:
            self._select_paper(self._clicked)

    def _select(self, number: int | None) -> None:
        points = self.view.points
        self.view.pick(number)
        if points is None or number is None:
            self.side_pane.show_paper(None)
            return
        paper = PaperId(int(points.ids[number]))
        self.side_pane.show_paper(paper)
        self._ring_similar(paper)

    def _select_paper(self, paper: PaperId) -> None:
        """Show the position of a paper that was selected in the list."""
        found = self.view.points.numbers([paper]).tolist() if self.view.points else []
        if found:
            self._select(found[0])
            self.view.bring_into_sight(found[0])
        else:
            self.side_pane.show_paper(paper)

    def _step(self, step: int) -> None:
        """Go to the next highlighted paper."""
        if self.selection.isVisible():
            self.selection.list.go_to(self.selection.list.currentIndex().row() + step)

    def _ring_similar(self, paper: PaperId) -> None:
        self._jobs.run(
            tr("Looking for similar papers"),
            lambda task: self._desk.map.similar((paper,)),
            self.view.ring,
            queue=JobQueue.short,
            replaces="map rings",
        )

    def _open(self, number: int) -> None:
        self._second_click.stop()
        if self.view.points:
            self.paper_requested.emit(PaperId(int(self.view.points.ids[number])))

    def _select_points(self, numbers: Sequence[int]) -> None:
        if self.view.points:
            self.select_papers(self.view.points.ids[numbers].tolist(), tr("Chosen on the map"))

    def _select_group(self, group: int, fine: bool) -> None:
        if self.view.points:
            drawing = self.view.points.drawing
            labels = drawing.fine if fine else drawing.coarse
            groups = drawing.fine_clusters if fine else drawing.coarse_clusters
            ids = drawing.ids[labels == group].tolist()
            self.select_papers(ids, groups[group].name or tr("A group without a name"))
            self.selection.list.setFocus()

    def _point_at(self, number: int | None, at: QPoint) -> None:
        points = self.view.points
        paper = PaperId(int(points.ids[number])) if points and number is not None else None
        self.hover.show_at(paper, at)

    def _picked(self) -> tuple[PaperId, ...]:
        paper = self.side_pane.picked
        return (paper.id,) if paper is not None and paper.id is not None else ()

    def _show_similar(self, seeds: Sequence[PaperId]) -> str:
        paper = self.side_pane.picked
        if len(seeds) > 1:
            return trn("Like {n:,} paper", "Like {n:,} papers", len(seeds))
        if paper is None or paper.id != seeds[0]:
            return tr("Like this paper")
        title = readable(paper.title)
        short = f"{title[:TITLE_SHOWN].rstrip()}…" if len(title) > TITLE_SHOWN else title
        return tr("Like “{title}”", title=short)

    def _place_legend(self) -> None:
        self.legend.adjustSize()
        self.legend.move(EDGE, self.view.height() - self.legend.height() - EDGE)
        across, down = self.legend.width(), self.legend.height() + 2 * EDGE
        fits = across < self.view.width() * LEGEND_MOST and down < self.view.height()
        self.bar.legend.setEnabled(fits)
        self.legend.setVisible(fits and bool(self.legend.boxes) and self.bar.legend.isChecked())
        if self.legend.isHidden():
            self.view.set_margin(0, QRectF())
        else:
            most = self.view.width() * LEGEND_SHARE
            self.view.set_margin(min(self.legend.width(), most), QRectF(self.legend.geometry()))

    def _build(self) -> None:
        split = QSplitter(Qt.Orientation.Horizontal, childrenCollapsible=False, handleWidth=10)
        split.addWidget(self.empty_states)
        split.addWidget(self.side_pane)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 0)
        split.setSizes([760, 400])
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 10)
        column.setSpacing(10)
        column.addWidget(self.bar)
        column.addWidget(split, 1)

    def _connect(self) -> None:
        view, bar, selection = self.view, self.bar, self.selection
        view.hovered.connect(self._point_at)
        view.current_changed.connect(self._click)
        self._second_click.timeout.connect(self._select_clicked)
        view.opened.connect(self._open)
        view.points_selected.connect(self._select_points)
        view.group_requested.connect(self._select_group)
        view.escaped.connect(self.clear)
        view.resized.connect(self._place_legend)
        bar.by_chosen.connect(self.colour_by)
        bar.tool_chosen.connect(self.take_tool)
        bar.zoomed.connect(view.zoom)
        bar.whole_requested.connect(self.whole_map)
        bar.found_requested.connect(self.found_requested)
        bar.legend_toggled.connect(self._place_legend)
        self.legend.visibility_changed.connect(view.hide_categories)
        selection.list_requested.connect(
            lambda: self.papers_requested.emit(selection.ids, selection.title.text())
        )
        selection.collect_requested.connect(partial(self._organise, "collection"))
        selection.tag_requested.connect(partial(self._organise, "tag"))
        selection.similar_requested.connect(lambda: self.highlight_similar(selection.ids))
        selection.only_requested.connect(lambda only: view.highlight(selection.ids, only=only))
        selection.cleared.connect(self.clear)
        selection.current_changed.connect(self._select_paper)
        self.side_pane.details_made.connect(self._connect_details)
        self.layout_job.status_loaded.connect(self._show_status)
        self.layout_job.progressed.connect(self.empty_states.show_progress)
        self.layout_job.stopped.connect(self.empty_states.show_stopped)
        self.layout_job.finished.connect(self.empty_states.show_done)
        self.layout_job.busy_changed.connect(self.busy_changed)
        self.empty_states.draw_requested.connect(lambda: self.layout_job.draw())
        self.empty_states.redraw_requested.connect(self.redraw)
        self.empty_states.cancel_requested.connect(self.layout_job.cancel)
        self.empty_states.add_requested.connect(self.add_requested)
        self.empty_states.fetch_requested.connect(self.fetch_requested)
        self.organiser.requested.connect(self.step_requested)

    def _connect_details(self, details: DetailsPanel) -> None:
        details.similar_requested.connect(self.highlight_similar)
        details.paper_requested.connect(self._select_paper)
        details.escaped.connect(self.view.setFocus)
        details.step_requested.connect(self._step)

    def take_tool(self, tool: Tool) -> None:
        self.view.tool = tool

    def _organise(self, what: str) -> None:
        button: QWidget = self.selection.tag if what == "tag" else self.selection.collect
        self.organiser.choose(what, self.selection.ids, button.mapToGlobal(QPoint(0, 0)))


def _same(one: MapLayout, other: MapLayout) -> bool:
    return (
        one.outgrown == other.outgrown
        and np.array_equal(one.ids, other.ids)
        and np.array_equal(one.places, other.places)
    )
