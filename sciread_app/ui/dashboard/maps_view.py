"""Two maps side by side: where do the papers that lie together for one model lie for another?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from sciread_app.domain.paper import PaperId
from sciread_app.language import tr, trn
from sciread_app.services.atlas import Cluster, Drawing
from sciread_app.tasks import Task
from sciread_app.ui.compare.values import Candidate
from sciread_app.ui.dashboard.pair import Pair
from sciread_app.ui.dashboard.values import DashboardSource
from sciread_app.ui.empty import EmptyState
from sciread_app.ui.jobs import Job, Jobs, Lane, Problem
from sciread_app.ui.map.hover import HoverCard
from sciread_app.ui.map.points import Points
from sciread_app.ui.map.shades import Shades, by_group
from sciread_app.ui.map.view import MapView
from sciread_app.ui.theme import Appearance, scaled, styled

_ENOUGH = 3  # papers on both maps, to turn one by the other

HOW = tr(
    "Colours are the groups of A on both maps. B is turned and mirrored so that papers lie as near "
    "to their place on A as can be. Click a group or a paper, and it stands out on both; Esc ends "
    "that. Far apart says little on such a map: who lies together counts."
)


class MapsView(QWidget):
    paper_wanted = Signal(object)  # PaperId, to be read in full

    def __init__(self, source: DashboardSource, jobs: Jobs, appearance: Appearance) -> None:
        super().__init__()
        self._source = source
        self._jobs = jobs
        self._models: dict[str, Candidate] = {}
        self._drawings: list[Drawing | None] = [None, None]
        self._job: Job | None = None
        self.pair = Pair()
        self.sides = [MapSide(source, jobs, appearance) for _ in "AB"]
        self.message = styled(QLabel(HOW, wordWrap=True), "faint")
        self.empty = EmptyState(appearance)
        self._build()
        self._connect()

    def ask(self) -> None:
        self._jobs.run(
            tr("Looking for models"),
            lambda task: list(self._source.others.models(task)),
            self._show_models,
            on_failed=self._explain,
            lane=Lane.light,
            instead_of="maps models",
        )

    def stops(self) -> list[QWidget]:
        found: list[QWidget] = [*self.pair.stops()]
        for side in self.sides:
            found += [side.view, *side.empty.buttons()]
        return found

    def _show_models(self, models: Sequence[Candidate]) -> None:
        self._models = {one.name: one for one in models}
        names = list(self._models)
        usual = (names[0], names[1]) if len(names) > 1 else ("", "")
        self.pair.offer({one.name: one.title for one in models}, usual=usual)
        if len(names) < 2:
            self._say(
                tr("There is no second model here yet"),
                tr("Add or train one: then its map of your papers stands beside this one's."),
            )
            return
        self._load()

    def _load(self) -> None:
        """The maps as they were drawn last."""
        one, other = self.pair.chosen
        if one == other or not {one, other} <= self._models.keys():
            self._say(tr("Choose two models"), "")
            return
        dashboard = self._source.dashboard

        def work(task: Task) -> list[Drawing | None]:
            return [dashboard.drawing(one), dashboard.drawing(other)]

        self._jobs.run(
            tr("Looking at two maps"),
            work,
            self._show,
            on_failed=self._explain,
            lane=Lane.light,
            instead_of="maps",
        )

    def _show(self, drawings: Sequence[Drawing | None]) -> None:
        one, other = drawings
        if one is not None and other is not None:
            other = turned(other, one)
        self._drawings = [one, other]
        self.message.show()
        self._pages.setCurrentIndex(1)
        for side, name, drawing in zip(self.sides, self.pair.chosen, self._drawings, strict=True):
            shades = shades_like(drawing, one) if drawing is not None else None
            side.show_map(self._models[name].title, drawing, shades, busy=self._job is not None)

    def _draw(self, place: int) -> None:
        name = self.pair.chosen[place]
        dashboard, others = self._source.dashboard, self._source.others

        def work(task: Task) -> Drawing | None:
            others.encode(name, task)
            return dashboard.draw(name, task)

        self._job = self._jobs.run(
            tr("Drawing the map of {model}", model=self._models[name].title),
            work,
            on_failed=self._explain,
            lane=Lane.heavy,
            instead_of="draw for comparing",
        )
        for side in self.sides:
            side.say_drawing()

    def _finished(self, job: Job) -> None:
        if job is self._job:
            self._job = None
            if job.problem is None:
                self._load()

    # What stands out on one map stands out on both.

    def _point_at(self, place: int, number: int | None, at: QPoint) -> None:
        paper = self.sides[place].paper(number)
        self.sides[place].hover.point_at(paper, at)
        self.sides[1 - place].view.ring([] if paper is None else [paper])

    def _pick(self, place: int, number: int | None) -> None:
        paper = self.sides[place].paper(number)
        for side in self.sides:
            side.pick(paper)

    def _gather_group(self, place: int, group: int, fine: bool) -> None:
        drawing = self._drawings[place]
        if drawing is not None:
            labels = drawing.fine if fine else drawing.coarse
            self._light(drawing.ids[labels == group].tolist())

    def _gather(self, place: int, numbers: Sequence[int]) -> None:
        drawing = self._drawings[place]
        if drawing is not None:
            self._light(drawing.ids[np.asarray(numbers, np.int64)].tolist())

    def _light(self, ids: Sequence[int]) -> None:
        for side in self.sides:
            side.view.light(ids or None)

    def _clear(self) -> None:
        for side in self.sides:
            side.view.light(None)
            side.pick(None)

    def _open(self, place: int, number: int) -> None:
        if (paper := self.sides[place].paper(number)) is not None:
            self.paper_wanted.emit(paper)

    def _say(self, title: str, text: str) -> None:
        self.empty.say("map", title, text)
        self.message.hide()  # it is of maps
        self._pages.setCurrentIndex(0)

    def _explain(self, problem: Problem) -> None:
        self._say(problem.message, problem.hint)

    def _build(self) -> None:
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(10)
        whole.addWidget(self.pair)
        self._pages = QStackedWidget()
        whole.addWidget(self._pages, 1)
        whole.addWidget(self.message)
        split = QSplitter(Qt.Orientation.Horizontal, childrenCollapsible=False, handleWidth=12)
        self._pages.addWidget(self.empty)
        self._pages.addWidget(split)
        for side in self.sides:
            split.addWidget(side)

    def _connect(self) -> None:
        self.pair.changed.connect(self._load)
        self._jobs.finished.connect(self._finished)
        for place, side in enumerate(self.sides):
            side.view.pointed.connect(partial(self._point_at, place))
            side.view.picked.connect(partial(self._pick, place))
            side.view.opened.connect(partial(self._open, place))
            side.view.group_wanted.connect(partial(self._gather_group, place))
            side.view.gathered.connect(partial(self._gather, place))
            side.view.escaped.connect(self._clear)
            side.draw_wanted.connect(partial(self._draw, place))


class MapSide(QWidget):
    """One of the two, or why it is not there."""

    draw_wanted = Signal()

    def __init__(self, source: DashboardSource, jobs: Jobs, appearance: Appearance) -> None:
        super().__init__()
        self.title = QLabel()
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        self.title.setFont(scaled(self.font(), 1.0, QFont.Weight.DemiBold))
        self.count = styled(QLabel(), "quiet")
        self.view = MapView(source, jobs, appearance)
        self.hover = HoverCard(source, jobs, self.view)
        self.empty = EmptyState(appearance)
        self.whole = styled(QPushButton(tr("Whole map")), "link")
        self.whole.clicked.connect(lambda: self.view.fit())
        head = QHBoxLayout()
        head.addWidget(self.title)
        head.addWidget(self.count)
        head.addStretch()
        head.addWidget(self.whole)
        self._pages = QStackedWidget()
        self._pages.addWidget(self.empty)
        self._pages.addWidget(self.view)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(head)
        column.addWidget(self._pages, 1)

    def show_map(
        self, title: str, drawing: Drawing | None, shades: Shades | None, *, busy: bool
    ) -> None:
        self.title.setText(title)
        self.whole.setVisible(drawing is not None)
        if drawing is None or shades is None:
            self.count.clear()
            self._invite(busy)
            return
        self.count.setText(trn("{n:,} paper", "{n:,} papers", len(drawing.ids)))
        self.view.show_points(Points(drawing))
        self.view.shade(shades)
        self.view.fit()
        self._pages.setCurrentIndex(1)

    def say_drawing(self) -> None:
        if self.view.points is None or self._pages.currentIndex() == 0:
            self._invite(busy=True)

    def paper(self, number: int | None) -> PaperId | None:
        points = self.view.points
        return None if points is None or number is None else PaperId(int(points.ids[number]))

    def pick(self, paper: PaperId | None) -> None:
        points = self.view.points
        found = points.numbers([paper]).tolist() if points and paper is not None else []
        self.view.pick(found[0] if found else None)

    def _invite(self, busy: bool) -> None:
        if busy:
            what = tr("Reading papers comes first; it goes on in the background.")
            self.empty.say("wait", tr("A map is being drawn"), what)
        else:
            self.empty.say(
                "map",
                tr("This model has no map yet"),
                tr("It reads your papers, then its map is drawn. You can go on meanwhile."),
                ((tr("Draw the map"), self.draw_wanted.emit),),
            )
        self._pages.setCurrentIndex(0)


def shades_like(drawing: Drawing, first: Drawing | None) -> Shades:
    """The groups of the first map, on any other."""
    if first is None or first is drawing:
        return by_group(drawing)
    groups = by_group(first)
    rest = len(groups.names)
    at = np.searchsorted(first.ids, drawing.ids).clip(max=len(first.ids) - 1)
    known = first.ids[at] == drawing.ids
    of = np.where(known, groups.of[at], rest).astype(np.uint8)
    if known.all():
        return replace(groups, of=of)
    names = (*groups.names, tr("Not on the first map"))
    return Shades(names, of, rest=rest, hollow=groups.hollow)


def turned(drawing: Drawing, like: Drawing) -> Drawing:
    """Turned and mirrored so that its papers lie as near as can be to where they lie on the other
    map: which way a map is turned says nothing."""
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
    )
