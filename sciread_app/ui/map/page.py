"""The map page: papers as points, similar papers close together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPoint, QRectF, Qt, QTimer
from PySide6.QtWidgets import QApplication, QSplitter, QWidget

from sciread_app.domain.library_tree import LibraryTree
from sciread_app.domain.paper import LibraryChanges, PaperId
from sciread_app.domain.text.tex import readable
from sciread_app.language import tr, trn
from sciread_app.services.map.map_service import MapLayout
from sciread_app.ui.app_context import AppContext
from sciread_app.ui.formatting import shortened
from sciread_app.ui.jobs.runner import JobQueue
from sciread_app.ui.library.picker_popup import PickerItem, PickerPopup
from sciread_app.ui.map.canvas.hover_card import HoverCard
from sciread_app.ui.map.canvas.points import MapPoints
from sciread_app.ui.map.canvas.view import MapView
from sciread_app.ui.map.color_scheme import ColorScheme
from sciread_app.ui.map.empty_states import MapEmptyStates
from sciread_app.ui.map.layout_job import LayoutJob
from sciread_app.ui.map.legend import Legend
from sciread_app.ui.map.options import BY, ColorBy, Tool
from sciread_app.ui.map.side_pane import SidePane
from sciread_app.ui.map.toolbar import MapToolbar
from sciread_app.ui.map.view_models import MapStatus
from sciread_app.ui.page import Page
from sciread_app.ui.paper.details_panel import DetailsPanel
from sciread_app.ui.widgets.focus import holds_focus
from sciread_app.ui.widgets.layout.boxes import column

if TYPE_CHECKING:
    from sciread_app.ui.map.gateway import MapServices

SEEDS = 20  # maximum number of example papers for a search for similar ones
TITLE_SHOWN = 61
EDGE = 12  # pixels from the legend to the map's edge
LEGEND_SHARE = 0.25  # of the map's width that is kept free for the legend
LEGEND_MOST = 0.5  # of the map's width that the legend may cover at most


class MapPage(Page):
    def __init__(self, gateway: MapServices, context: AppContext) -> None:
        super().__init__()
        jobs, appearance = context.jobs, context.appearance
        self._gateway = gateway
        self._jobs = jobs
        self._context = context
        self.by = ColorBy.group
        self._pending: tuple[tuple[PaperId, ...], str] | None = None  # until there is a map
        self._clicked: PaperId | None = None
        second = QApplication.doubleClickInterval()
        self._second_click = QTimer(self, singleShot=True, interval=second)
        self.view = MapView(gateway, jobs, appearance)
        self.view.animated = True
        self.bar = MapToolbar()
        self.bar.hide()  # until a map is shown
        self.legend = Legend(appearance)
        self.legend.setParent(self.view)
        self.hover = HoverCard(gateway, jobs, self.view)
        self.side_pane = SidePane(gateway, jobs, appearance)
        self.selection = self.side_pane.selection
        self.layout_job = LayoutJob(gateway.map, jobs, self)
        self.chooser: PickerPopup | None = None  # of a tag or a collection
        self.empty_states = MapEmptyStates(appearance, self.view)
        self._build()
        self._connect()

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
                tr("Finding similar papers"),
                lambda task: self._gateway.map.similar(seeds),
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
        if holds_focus(self.side_pane):
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
            tr("Coloring the map"),
            lambda task: self._gateway.map.scheme(by, drawing.ids),
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
        self._jobs.run(
            tr("Finding similar papers"),
            lambda task: self._gateway.map.similar((paper,)),
            self.view.ring,
            queue=JobQueue.short,
            replaces="map rings",
        )

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

    def _open(self, number: int) -> None:
        self._second_click.stop()
        if self.view.points:
            paper = PaperId(int(self.view.points.ids[number]))
            self._context.navigate.open_paper(paper, tr("From the map"))

    def _select_points(self, numbers: Sequence[int]) -> None:
        if self.view.points:
            self.select_papers(self.view.points.ids[numbers].tolist(), tr("Selected on the map"))

    def _select_group(self, group: int, fine: bool) -> None:
        if self.view.points:
            drawing = self.view.points.drawing
            labels = drawing.fine if fine else drawing.coarse
            groups = drawing.fine_clusters if fine else drawing.coarse_clusters
            ids = drawing.ids[labels == group].tolist()
            self.select_papers(ids, groups[group].name or tr("Unnamed group"))
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
            return trn("Similar to {n:,} paper", "Similar to {n:,} papers", len(seeds))
        if paper is None or paper.id != seeds[0]:
            return tr("Similar to this paper")
        title = readable(paper.title)
        return tr("Similar to “{title}”", title=shortened(title, TITLE_SHOWN))

    def _place_legend(self) -> None:
        self.legend.adjustSize()
        self.legend.move(EDGE, self.view.height() - self.legend.height() - EDGE)
        across, down = self.legend.width(), self.legend.height() + 2 * EDGE
        fits = across < self.view.width() * LEGEND_MOST and down < self.view.height()
        self.bar.legend.setEnabled(fits)
        self.legend.setVisible(fits and bool(self.legend.entries) and self.bar.legend.isChecked())
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
        column(self.bar, (split, 1), parent=self, margins=(16, 12, 16, 10), spacing=10)

    def _connect(self) -> None:
        view, bar, selection, job = self.view, self.bar, self.selection, self.layout_job
        empty, navigate = self.empty_states, self._context.navigate
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
        bar.whole.clicked.connect(self.whole_map)
        bar.found.clicked.connect(lambda: navigate.show_found_on_map())
        bar.legend.toggled.connect(self._place_legend)
        self.legend.isolated_changed.connect(view.isolate)
        view.escaped.connect(self.legend.clear)
        selection.list_button.clicked.connect(
            lambda: navigate.show_papers(selection.ids, selection.title.text())
        )
        selection.collect.clicked.connect(lambda: self._choose_name("collection"))
        selection.tag.clicked.connect(lambda: self._choose_name("tag"))
        selection.similar.clicked.connect(lambda: self.highlight_similar(selection.ids))
        selection.only.toggled.connect(lambda only: view.highlight(selection.ids, only=only))
        selection.close_button.clicked.connect(self.clear)
        selection.list.escaped.connect(self.clear)
        selection.current_changed.connect(self._select_paper)
        self.side_pane.details_made.connect(self._connect_details)
        job.status_loaded.connect(self._show_status)
        job.progressed.connect(empty.show_progress)
        job.stopped.connect(empty.show_stopped)
        job.finished.connect(empty.show_done)
        job.busy_changed.connect(lambda busy: navigate.show_busy("map", busy))
        empty.draw_requested.connect(lambda: job.draw())
        empty.redraw_requested.connect(self.redraw)
        empty.cancel_requested.connect(job.cancel)
        empty.add_requested.connect(lambda: navigate.add_files())
        empty.fetch_requested.connect(lambda: navigate.go_to("intake"))

    def _connect_details(self, details: DetailsPanel) -> None:
        details.connect_to(self._context)
        details.search_requested.connect(self._context.navigate.search_for)
        details.papers_requested.connect(self._context.navigate.show_papers)
        details.similar_requested.connect(self.highlight_similar)
        details.paper_requested.connect(self._select_paper)
        details.escaped.connect(self.view.setFocus)
        details.step_requested.connect(self._step)

    def take_tool(self, tool: Tool) -> None:
        self.view.tool = tool

    def _choose_name(self, kind: str) -> None:
        """Choose a "tag" or a "collection" for the highlighted papers, at its button."""
        papers, edits = self.selection.ids, self._context.edits
        tagging = kind == "tag"
        button = self.selection.tag if tagging else self.selection.collect

        def give(choice: PickerItem) -> None:
            if tagging:
                edits.submit(tr("Tagging papers"), lambda editor: editor.tag(papers, choice.name))
            else:
                edits.submit(
                    tr("Adding papers to a collection"),
                    lambda editor: editor.collect(papers, choice.name),
                )

        def ask(tree: LibraryTree) -> None:
            title = tr("Add tag") if tagging else tr("Add to collection")
            if tagging:
                choices = [PickerItem(tag.name, tag.colour, tag.count) for tag in tree.tags]
            else:
                choices = [PickerItem(one.path, papers=one.count) for one in tree.collections]
            self.chooser = PickerPopup(title, choices, self._context.appearance, self)
            self.chooser.taken.connect(give)
            self.chooser.open_at(button.mapToGlobal(QPoint(0, 0)))

        self._jobs.run(
            tr("Loading tags and collections"),
            lambda task: self._gateway.organise.shelf(),
            ask,
            queue=JobQueue.short,
            replaces="map names",
        )


def _same(one: MapLayout, other: MapLayout) -> bool:
    return (
        one.outgrown == other.outgrown
        and np.array_equal(one.ids, other.ids)
        and np.array_equal(one.places, other.places)
    )
