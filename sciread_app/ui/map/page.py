"""The page with the map: papers as points, those alike together, to be wandered about in."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from PySide6.QtCore import QPoint, QRectF, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QSplitter, QVBoxLayout, QWidget

from sciread_app.domain.paper import Changes, PaperId
from sciread_app.domain.tex import readable
from sciread_app.language import tr, trn
from sciread_app.services.atlas import Drawing
from sciread_app.ui.details import DetailsPanel
from sciread_app.ui.jobs import Jobs, Lane
from sciread_app.ui.map.bar import MapBar
from sciread_app.ui.map.beside import Beside
from sciread_app.ui.map.choices import BY, By, Tool
from sciread_app.ui.map.choosing import Choosing
from sciread_app.ui.map.drafting import Drafting
from sciread_app.ui.map.hover import HoverCard
from sciread_app.ui.map.legend import Legend
from sciread_app.ui.map.points import Points
from sciread_app.ui.map.shades import Shades
from sciread_app.ui.map.states import States
from sciread_app.ui.map.values import MapDesk, Survey
from sciread_app.ui.map.view import MapView
from sciread_app.ui.page import Page
from sciread_app.ui.theme import Appearance

SEEDS = 20  # papers at most that others are compared with
TITLE_SHOWN = 60
EDGE = 12  # pixels from the legend to the map's edge
LEGEND_SHARE = 0.25  # of the map's width that is left to the legend alone
LEGEND_MOST = 0.5  # of it that a legend may cover


class MapPage(Page):
    papers_wanted = Signal(object, str)  # ids to list, and what they are
    paper_wanted = Signal(object)  # PaperId, to be read in full
    found_wanted = Signal()  # what was searched for is to stand out
    add_wanted = Signal()
    fetch_wanted = Signal()
    details_made = Signal(object)  # DetailsPanel, see Beside
    step_wanted = Signal(str, object)  # what is to be done, and the step on an Organiser
    busy_changed = Signal(bool)

    def __init__(self, desk: MapDesk, jobs: Jobs, appearance: Appearance) -> None:
        super().__init__()
        self._desk = desk
        self._jobs = jobs
        self.by = By.group
        self._wanted: tuple[tuple[PaperId, ...], str] | None = None  # till there is a map
        self._clicked: PaperId | None = None
        second = QApplication.doubleClickInterval()
        self._second_click = QTimer(self, singleShot=True, interval=second)
        self.view = MapView(desk, jobs, appearance)
        self.bar = MapBar()
        self.bar.hide()  # till there is something to be done with it
        self.legend = Legend(appearance)
        self.legend.setParent(self.view)
        self.hover = HoverCard(desk, jobs, self.view)
        self.beside = Beside(desk, jobs, appearance)
        self.gathered = self.beside.gathered
        self.drafting = Drafting(desk.map, jobs, self)
        self.choosing = Choosing(desk.organise, jobs, appearance, self)
        self.states = States(appearance, self.view)
        self._build()
        self._connect()

    # What the window asks

    def refresh(self) -> None:
        self.drafting.look()
        if self.by in (By.collection, By.read):
            self.colour_by(self.by)

    def panes(self) -> Sequence[QWidget]:
        return (self.bar, self.view, self.legend, self.beside)

    def take_focus(self) -> None:
        self.view.setFocus()

    def library_changed(self, changes: Changes) -> None:
        self.hover.forget()
        self.view.titles.forget()
        self.gathered.model.forget()
        if changes.space:
            self.drafting.begin_anew()
        if self.isVisible():
            self.drafting.look_soon()
            if changes.papers and self.by in (By.collection, By.read):
                self.colour_by(self.by)

    def show_papers(self, ids: Sequence[int], title: str) -> None:
        """Let these stand out from the rest, and bring them all into sight."""
        self._wanted = (tuple(map(PaperId, ids)), title)
        self._gather_wanted()

    def draw_anew(self) -> None:
        self.drafting.draw(anew=True)

    def whole_map(self) -> None:
        self.view.fit()

    def light_up_similar(self, ids: Sequence[PaperId] = ()) -> None:
        """Papers like these, else like the one that is picked or those that stand out."""
        seeds = tuple(ids or self._picked() or self.gathered.ids)[:SEEDS]
        if seeds:
            title = self._like(seeds)
            self._jobs.run(
                tr("Looking for similar papers"),
                lambda task: self._desk.map.similar(seeds),
                lambda found: self.gather((*seeds, *found), title),
                lane=Lane.light,
                instead_of="map similar",
            )

    def gather(self, ids: Sequence[PaperId], title: str) -> None:
        """Let these stand out, and list them beside the map."""
        ids = tuple(dict.fromkeys(ids))
        points = self.view.points
        if not ids or points is None:
            self.clear()
            return
        self.view.light(ids, only=self.gathered.only.isChecked())
        self.gathered.show_papers(ids, title, len(ids) - len(points.numbers(ids)))
        self.beside.show_gathered(True)

    def clear(self) -> None:
        """Nothing stands out, nothing is picked."""
        self._wanted = None
        self._second_click.stop()
        if self.beside.has_focus():
            self.view.setFocus()
        self.view.light(None)
        self.view.pick(None)
        self.gathered.only.setChecked(False)
        self.gathered.show_papers((), "")
        self.beside.show_gathered(False)
        self.beside.show_paper(None)

    def colour_by(self, by: By) -> None:
        self.by = by
        self.bar.show_by(by)
        points = self.view.points
        if points is None:
            return
        if by is By.group:
            self._show_shades(by, points.drawing, points.groups)
            return
        drawing = points.drawing
        self._jobs.run(
            tr("Colouring the map"),
            lambda task: self._desk.map.shades(by, drawing.ids),
            lambda shades: self._show_shades(by, drawing, shades),
            lane=Lane.light,
            instead_of="map colours",
        )

    # What comes back

    def _show_survey(self, survey: Survey, points: Points | None) -> None:
        if points is not None:
            self._show_points(points)
        self.bar.setVisible(self.view.points is not None)
        self.states.show_survey(survey, self.view.points is not None)

    def _show_points(self, points: Points) -> None:
        before = self.view.points
        if before and _same(before.drawing, points.drawing):
            return
        self.view.show_points(points)
        self.colour_by(self.by)
        if self.gathered.ids:
            self.gather(self.gathered.ids, self.gathered.title.text())
        self._gather_wanted()

    def _show_shades(self, by: By, drawing: Drawing, shades: Shades) -> None:
        points = self.view.points
        if by is self.by and points and points.drawing is drawing:
            self.view.shade(shades)
            self.legend.show_shades(BY[by].name, shades)
            self._place_legend()

    def _gather_wanted(self) -> None:
        if self._wanted and self.view.points:
            (ids, title), self._wanted = self._wanted, None
            self.gather(ids, title)
            if len(self.view.points.numbers(ids)):
                self.view.fit(ids)

    # What a person does

    def _click(self, number: int | None) -> None:
        """What stands beside the map comes when no second click can follow any more, which would
        meet it instead of the point."""
        self._second_click.stop()
        if number is None or self.view.points is None or self.beside.isVisible():
            self._pick(number)
        else:
            self.view.pick(number)
            self._clicked = PaperId(int(self.view.points.ids[number]))
            self._second_click.start()

    def _pick_clicked(self) -> None:
        if self._clicked is not None:
            self._pick_paper(self._clicked)

    def _pick(self, number: int | None) -> None:
        points = self.view.points
        self.view.pick(number)
        if points is None or number is None:
            self.beside.show_paper(None)
            return
        paper = PaperId(int(points.ids[number]))
        self.beside.show_paper(paper)
        self._ring_similar(paper)

    def _pick_paper(self, paper: PaperId) -> None:
        """From a list: where is it?"""
        found = self.view.points.numbers([paper]).tolist() if self.view.points else []
        if found:
            self._pick(found[0])
            self.view.bring_into_sight(found[0])
        else:
            self.beside.show_paper(paper)

    def _step(self, step: int) -> None:
        """To the next of those that stand out."""
        if self.gathered.isVisible():
            self.gathered.list.go_to(self.gathered.list.currentIndex().row() + step)

    def _ring_similar(self, paper: PaperId) -> None:
        self._jobs.run(
            tr("Looking for similar papers"),
            lambda task: self._desk.map.similar((paper,)),
            self.view.ring,
            lane=Lane.light,
            instead_of="map rings",
        )

    def _open(self, number: int) -> None:
        self._second_click.stop()
        if self.view.points:
            self.paper_wanted.emit(PaperId(int(self.view.points.ids[number])))

    def _gather_numbers(self, numbers: Sequence[int]) -> None:
        if self.view.points:
            self.gather(self.view.points.ids[numbers].tolist(), tr("Chosen on the map"))

    def _gather_group(self, group: int, fine: bool) -> None:
        if self.view.points:
            drawing = self.view.points.drawing
            labels = drawing.fine if fine else drawing.coarse
            groups = drawing.fine_clusters if fine else drawing.coarse_clusters
            ids = drawing.ids[labels == group].tolist()
            self.gather(ids, groups[group].name or tr("A group without a name"))
            self.gathered.list.setFocus()

    def _point_at(self, number: int | None, at: QPoint) -> None:
        points = self.view.points
        paper = PaperId(int(points.ids[number])) if points and number is not None else None
        self.hover.point_at(paper, at)

    def _picked(self) -> tuple[PaperId, ...]:
        paper = self.beside.picked
        return (paper.id,) if paper is not None and paper.id is not None else ()

    def _like(self, seeds: Sequence[PaperId]) -> str:
        paper = self.beside.picked
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
            self.view.leave_free(0, QRectF())
        else:
            most = self.view.width() * LEGEND_SHARE
            self.view.leave_free(min(self.legend.width(), most), QRectF(self.legend.geometry()))

    def _build(self) -> None:
        split = QSplitter(Qt.Orientation.Horizontal, childrenCollapsible=False, handleWidth=10)
        split.addWidget(self.states)
        split.addWidget(self.beside)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 0)
        split.setSizes([760, 400])
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 10)
        column.setSpacing(10)
        column.addWidget(self.bar)
        column.addWidget(split, 1)

    def _connect(self) -> None:
        view, bar, gathered = self.view, self.bar, self.gathered
        view.pointed.connect(self._point_at)
        view.picked.connect(self._click)
        self._second_click.timeout.connect(self._pick_clicked)
        view.opened.connect(self._open)
        view.gathered.connect(self._gather_numbers)
        view.group_wanted.connect(self._gather_group)
        view.escaped.connect(self.clear)
        view.resized.connect(self._place_legend)
        bar.by_chosen.connect(self.colour_by)
        bar.tool_chosen.connect(self.take_tool)
        bar.zoomed.connect(view.zoom)
        bar.whole_wanted.connect(self.whole_map)
        bar.found_wanted.connect(self.found_wanted)
        bar.legend_toggled.connect(self._place_legend)
        self.legend.hidden_changed.connect(view.hide_kinds)
        gathered.list_wanted.connect(
            lambda: self.papers_wanted.emit(gathered.ids, gathered.title.text())
        )
        gathered.collect_wanted.connect(partial(self._shelve, "collection"))
        gathered.tag_wanted.connect(partial(self._shelve, "tag"))
        gathered.similar_wanted.connect(lambda: self.light_up_similar(gathered.ids))
        gathered.only_wanted.connect(lambda only: view.light(gathered.ids, only=only))
        gathered.cleared.connect(self.clear)
        gathered.picked.connect(self._pick_paper)
        self.beside.details_made.connect(self._tie)
        self.drafting.surveyed.connect(self._show_survey)
        self.drafting.progressed.connect(self.states.show_progress)
        self.drafting.stopped.connect(self.states.show_stopped)
        self.drafting.finished.connect(self.states.show_done)
        self.drafting.busy_changed.connect(self.busy_changed)
        self.states.draw_wanted.connect(lambda: self.drafting.draw())
        self.states.anew_wanted.connect(self.draw_anew)
        self.states.cancel_wanted.connect(self.drafting.cancel)
        self.states.add_wanted.connect(self.add_wanted)
        self.states.fetch_wanted.connect(self.fetch_wanted)
        self.choosing.wanted.connect(self.step_wanted)

    def _tie(self, details: DetailsPanel) -> None:
        details.similar_wanted.connect(self.light_up_similar)
        details.paper_wanted.connect(self._pick_paper)
        details.left.connect(self.view.setFocus)
        details.step_wanted.connect(self._step)
        self.details_made.emit(details)

    def take_tool(self, tool: Tool) -> None:
        self.view.tool = tool

    def _shelve(self, what: str) -> None:
        button: QWidget = self.gathered.tag if what == "tag" else self.gathered.collect
        self.choosing.choose(what, self.gathered.ids, button.mapToGlobal(QPoint(0, 0)))


def _same(one: Drawing, other: Drawing) -> bool:
    return (
        one.outgrown == other.outgrown
        and np.array_equal(one.ids, other.ids)
        and np.array_equal(one.places, other.places)
    )
