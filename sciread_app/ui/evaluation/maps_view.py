"""The maps of two models side by side, to compare their groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QLabel,
    QPushButton,
    QSplitter,
    QWidget,
)

from sciread_app.domain.paper import PaperId
from sciread_app.language import tr, trn
from sciread_app.services.map.map_service import Cluster, MapLayout
from sciread_app.tasks import Task
from sciread_app.ui.compare.trial import Pair
from sciread_app.ui.evaluation.model_pair_view import InstalledPairView
from sciread_app.ui.jobs.runner import Job, JobQueue, JobRunner
from sciread_app.ui.map.canvas.hover_card import HoverCard
from sciread_app.ui.map.canvas.points import MapPoints
from sciread_app.ui.map.canvas.view import MapView
from sciread_app.ui.map.color_scheme import ColorScheme, by_group
from sciread_app.ui.style.theme import Appearance, scaled, styled
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.layout.page_stack import PageStack
from sciread_app.ui.widgets.messages.empty_state import EmptyState

if TYPE_CHECKING:
    from sciread_app.ui.compare.gateway import CompareGateway
    from sciread_app.ui.evaluation.gateway import EvaluationGateway
    from sciread_app.ui.paper_list.paper_list import CardSource

_ENOUGH = 3  # papers on both maps that are needed to align them

HOW = tr(
    "Both maps are colored by the groups of A. Map B is rotated and mirrored to match map A as "
    "closely as possible. Click a group or a paper to highlight it on both maps; press Esc to "
    "clear the highlight. Only small distances are meaningful on a map."
)


class MapsView(InstalledPairView):
    """Shows the maps of models A and B; a paper or group that is selected on one is highlighted on
    both. A missing map is drawn on request."""

    paper_requested = Signal(object)  # PaperId, to open in the details

    picture, loading = "map", "maps"
    without_second_model = tr("Add or train a second model to compare the maps of both.")

    def __init__(
        self,
        dashboard: EvaluationGateway,
        comparisons: CompareGateway,
        cards: CardSource,
        jobs: JobRunner,
        appearance: Appearance,
    ) -> None:
        super().__init__(comparisons, jobs, appearance)
        self._dashboard = dashboard
        self._drawings: list[MapLayout | None] = [None, None]
        self._drawing_jobs: dict[str, Job] = {}  # that draw a map, by model
        self._shown: tuple[Pair, list[bool]] | None = None  # the models, and which have a map
        self.sides = [MapSide(cards, jobs, appearance) for _ in "AB"]
        self.message = styled(QLabel(HOW, wordWrap=True), "faint")
        self._build()
        self._connect()

    def tab_stops(self) -> list[QWidget]:
        found: list[QWidget] = [*self.pair.tab_stops(), *self.empty.buttons()]
        for side in self.sides:
            found += [side.view, *side.empty.buttons()]
        return found

    def load(self) -> None:
        """Load the last layouts."""
        if (chosen := self.selected_models()) is None:
            self.show_message("map", tr("Select two models"), "")
            return
        one, other = chosen
        dashboard = self._dashboard

        def work(task: Task) -> list[MapLayout | None]:
            return [dashboard.drawing(one), dashboard.drawing(other)]

        self._jobs.run(
            tr("Loading two maps"), work, self._show, on_failed=self.explain, replaces=self.loading
        )

    def _show(self, drawings: Sequence[MapLayout | None]) -> None:
        one, other = drawings
        if one is not None and other is not None:
            other = turned(other, one)
        self._drawings = [one, other]
        self.show_content()
        shown = self.pair.selected, [drawing is not None for drawing in drawings]
        same, self._shown = shown == self._shown, shown
        for side, name, drawing in zip(self.sides, self.pair.selected, self._drawings, strict=True):
            scheme = scheme_like(drawing, one) if drawing is not None else None
            title, busy = self._models[name].title, name in self._drawing_jobs
            side.show_map(title, drawing, scheme, busy=busy, keeps_region=same)

    def _draw(self, place: int) -> None:
        name = self.pair.selected[place]
        dashboard, comparisons = self._dashboard, self._comparisons

        def work(task: Task) -> MapLayout | None:
            comparisons.encode(name, task)
            return dashboard.draw(name, task)

        self._drawing_jobs[name] = self._jobs.run(
            tr("Drawing the map of {model}", model=self._models[name].title),
            work,
            on_failed=self.explain,
            queue=JobQueue.long,
            replaces=f"draw {name} for comparing",
        )
        self.sides[place].say_drawing()

    def _finished(self, job: Job) -> None:
        for name in [name for name, drawing in self._drawing_jobs.items() if drawing is job]:
            del self._drawing_jobs[name]
            if job.problem is None:
                self._show_pair()

    # A highlight on one map is repeated on the other.

    def _point_at(self, place: int, number: int | None, at: QPoint) -> None:
        paper = self.sides[place].paper(number)
        self.sides[place].hover.show_at(paper, at)
        self.sides[1 - place].view.ring([] if paper is None else [paper])

    def _pick(self, place: int, number: int | None) -> None:
        paper = self.sides[place].paper(number)
        for side in self.sides:
            side.pick(paper)

    def _select_group(self, place: int, group: int, level: int) -> None:
        drawing = self._drawings[place]
        if drawing is not None:
            labels = drawing.levels[level][0]
            self._light(drawing.ids[labels == group].tolist())

    def _select(self, place: int, numbers: Sequence[int]) -> None:
        drawing = self._drawings[place]
        if drawing is not None:
            self._light(drawing.ids[np.asarray(numbers, np.int64)].tolist())

    def _light(self, ids: Sequence[int]) -> None:
        for side in self.sides:
            side.view.highlight(ids or None)

    def _clear(self) -> None:
        for side in self.sides:
            side.view.highlight(None)
            side.pick(None)

    def _open(self, place: int, number: int) -> None:
        if (paper := self.sides[place].paper(number)) is not None:
            self.paper_requested.emit(paper)

    def _build(self) -> None:
        content = QWidget(self._pages)
        split = QSplitter(
            Qt.Orientation.Horizontal, content, childrenCollapsible=False, handleWidth=12
        )
        column((split, 1), self.message, parent=content, margins=0, spacing=10)
        self._pages.addWidget(content)
        for side in self.sides:
            split.addWidget(side)

    def _connect(self) -> None:
        self._jobs.finished.connect(self._finished)
        for place, side in enumerate(self.sides):
            side.view.hovered.connect(partial(self._point_at, place))
            side.view.current_changed.connect(partial(self._pick, place))
            side.view.opened.connect(partial(self._open, place))
            side.view.group_requested.connect(partial(self._select_group, place))
            side.view.points_selected.connect(partial(self._select, place))
            side.view.escaped.connect(self._clear)
            side.draw_requested.connect(partial(self._draw, place))


class MapSide(QWidget):
    """One of the two maps, or why it is missing."""

    draw_requested = Signal()

    def __init__(self, cards: CardSource, jobs: JobRunner, appearance: Appearance) -> None:
        super().__init__()
        self.title = QLabel(textFormat=Qt.TextFormat.PlainText)
        self.title.setFont(scaled(self.font(), 1.0, QFont.Weight.DemiBold))
        self.count = styled(QLabel(), "quiet")
        self.view = MapView(cards, jobs, appearance)
        self.hover = HoverCard(cards, jobs, self.view)
        self.empty = EmptyState(appearance)
        self.whole = styled(QPushButton(tr("Fit")), "link")
        self.whole.clicked.connect(lambda: self.view.fit())
        self._pages = PageStack()
        self._pages.addWidget(self.empty)
        self._pages.addWidget(self.view)
        head = row(self.title, self.count, 0, self.whole)
        column(head, (self._pages, 1), parent=self, margins=0)

    def show_map(
        self,
        title: str,
        drawing: MapLayout | None,
        scheme: ColorScheme | None,
        *,
        busy: bool,
        keeps_region: bool,
    ) -> None:
        """Show a map; without one, offer to draw it, or say that one is being drawn if `busy`. With
        `keeps_region` a map that replaces another shows the same region."""
        self.title.setText(title)
        self.whole.setVisible(drawing is not None)
        if drawing is None or scheme is None:
            self.count.clear()
            if busy:
                self.say_drawing()
            else:
                self._invite()
            return
        self.count.setText(trn("{n:,} paper", "{n:,} papers", len(drawing.ids)))
        self.view.show_points(MapPoints(drawing))
        self.view.set_scheme(scheme)
        if not keeps_region:
            self.view.fit()
        self._pages.setCurrentIndex(1)

    def say_drawing(self) -> None:
        what = tr("The model indexes your papers first, in the background.")
        self.empty.show_message("wait", tr("Drawing the map"), what)
        self._pages.setCurrentIndex(0)

    def paper(self, number: int | None) -> PaperId | None:
        points = self.view.points
        return None if points is None or number is None else PaperId(int(points.ids[number]))

    def pick(self, paper: PaperId | None) -> None:
        points = self.view.points
        found = points.numbers([paper]).tolist() if points and paper is not None else []
        self.view.pick(found[0] if found else None)

    def _invite(self) -> None:
        self.empty.show_message(
            "map",
            tr("No map of this model yet"),
            tr("The model indexes your papers first. You can continue to work in the meantime."),
            ((tr("Draw map"), self.draw_requested.emit),),
        )
        self._pages.setCurrentIndex(0)


def scheme_like(drawing: MapLayout, first: MapLayout | None) -> ColorScheme:
    """Colors by the groups of the first map, for any other map."""
    if first is None or first is drawing:
        return by_group(drawing)
    groups = by_group(first)
    rest = len(groups.names)
    at = np.searchsorted(first.ids, drawing.ids).clip(max=len(first.ids) - 1)
    known = first.ids[at] == drawing.ids
    of = np.where(known, groups.of[at], rest).astype(np.uint8)
    if known.all():
        return replace(groups, of=of)
    names = (*groups.names, tr("Not on map A"))
    return ColorScheme(names, of, rest=rest, hollow=groups.hollow)


def turned(drawing: MapLayout, like: MapLayout) -> MapLayout:
    """`places` rotated and mirrored to match the other map as closely as possible; the orientation
    of a map carries no meaning.
    """
    shared, here, there = np.intersect1d(drawing.ids, like.ids, return_indices=True)
    if len(shared) < _ENOUGH:
        return drawing
    one = drawing.places[here].astype(np.float64)
    other = like.places[there].astype(np.float64)
    here_middle, there_middle = one.mean(axis=0), other.mean(axis=0)
    left, _, right = np.linalg.svd((one - here_middle).T @ (other - there_middle))
    turn = left @ right

    def place(at: np.ndarray) -> np.ndarray:
        found: np.ndarray = (at - here_middle) @ turn + there_middle
        return found

    def moved(clusters: Sequence[Cluster]) -> tuple[Cluster, ...]:
        hearts = [place(np.asarray(cluster.heart)) for cluster in clusters]
        return tuple(
            replace(cluster, heart=(float(heart[0]), float(heart[1])))
            for cluster, heart in zip(clusters, hearts, strict=True)
        )

    return replace(
        drawing,
        places=place(drawing.places.astype(np.float64)).astype(drawing.places.dtype),
        fine_clusters=moved(drawing.fine_clusters),
        coarse_clusters=moved(drawing.coarse_clusters),
        finest_clusters=moved(drawing.finest_clusters),
    )
