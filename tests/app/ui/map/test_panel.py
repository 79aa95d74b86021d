"""The map panel on a fake library."""

from __future__ import annotations

import re
import threading
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QEnterEvent, QImage, QMouseEvent
from PySide6.QtTest import QTest

from sciread_app.domain.paper import LibraryChanges, PaperId
from sciread_app.services.map.map_service import NO_GROUP
from sciread_app.ui.jobs.runner import JobQueue
from sciread_app.ui.map.canvas import density_raster, point_renderer
from sciread_app.ui.map.canvas.points import MapPoints
from sciread_app.ui.map.canvas.similar_papers import (
    SimilarPoint,
    caption,
    opacities,
    radius_for,
)
from sciread_app.ui.map.options import BY, ColorBy, Tool
from sciread_app.ui.map.panel import MapPanel
from tests.support.generate.papers import paper
from tests.support.ui.fakes.gateway import FakeGateway
from tests.support.ui.fakes.map import FakeMap, drawing


@pytest.fixture
def gateway():
    return FakeGateway(80)


@pytest.fixture
def show(qtbot, jobs, context):
    def show(gateway):
        panel = MapPanel(gateway.map, gateway, context)
        panel.view.animated = False
        panel.resize(1100, 700)
        qtbot.addWidget(panel)
        panel.show()
        qtbot.waitUntil(lambda: not jobs.running())
        return panel

    return show


def pixel(panel, paper):
    """Return the position of a paper in the view, in pixels."""
    points = panel.view.points
    place = points.places[points.numbers([paper])[0]]
    return panel.view.camera.point(tuple(place.tolist())).toPoint()


def drag(view, path, modifier=Qt.KeyboardModifier.NoModifier):
    QTest.mousePress(view, Qt.MouseButton.LeftButton, modifier, path[0])
    for at in path[1:]:
        # QTest.mouseMove does not keep the pressed button.
        move = QMouseEvent(
            QEvent.Type.MouseMove, QPointF(at), view.mapToGlobal(QPointF(at)),
            Qt.MouseButton.NoButton, Qt.MouseButton.LeftButton, modifier,
        )  # fmt: skip
        view.mouseMoveEvent(move)
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, modifier, path[-1])


def around(panel, papers, margin=12):
    """Return the corners of a rectangle around these papers."""
    at = np.array([[pixel(panel, p).x(), pixel(panel, p).y()] for p in papers])
    (left, top), (right, bottom) = at.min(axis=0) - margin, at.max(axis=0) + margin
    corners = ((left, top), (right, top), (right, bottom), (left, bottom))
    return [QPoint(int(x), int(y)) for x, y in corners]


CORNER = [n for n in range(1, 81) if n % 4 == 1]  # black holes


def test_stored_map_is_shown_without_drawing(show, gateway):
    panel = show(gateway)
    assert panel.empty_states.shows_map
    assert len(panel.view.points.ids) == 80
    assert panel.bar.isVisible()
    assert "draw" not in gateway.map.calls


def test_missing_map_is_drawn(show, gateway, qtbot):
    gateway.map.drawn = None
    panel = show(gateway)
    qtbot.waitUntil(lambda: panel.view.points is not None)
    assert gateway.map.calls[0] == "draw"
    assert panel.empty_states.shows_map


def test_new_papers_are_placed_while_the_old_map_is_shown(show, gateway, qtbot, jobs):
    panel = show(gateway)
    gateway.map.with_vector = gateway.map.count = 84
    gateway.map.go_on.clear()
    panel.library_changed(LibraryChanges(papers=True, vectors=True))
    qtbot.waitUntil(lambda: "Laying out" in panel.empty_states.line.text())
    assert panel.empty_states.shows_map
    assert panel.empty_states.bar.isVisible()

    gateway.map.go_on.set()
    qtbot.waitUntil(lambda: len(panel.view.points.ids) == 84)
    qtbot.waitUntil(lambda: not panel.empty_states.bar.isVisible())


def test_drawing_names_the_task_that_it_waits_for(show, gateway, qtbot, jobs):
    panel, go_on = show(gateway), threading.Event()
    jobs.run("Indexing papers", lambda task: go_on.wait(20), queue=JobQueue.long)
    panel.redraw()
    assert "Indexing papers" in panel.empty_states.line.text()
    go_on.set()
    qtbot.waitUntil(lambda: panel.layout_job.job is None)
    assert "Indexing papers" not in panel.empty_states.line.text()


def test_drawing_is_stopped_and_resumed(show, gateway, qtbot):
    panel = show(gateway)
    gateway.map.go_on.clear()
    panel.redraw()
    qtbot.waitUntil(lambda: panel.empty_states.button.isVisible() and bool(gateway.map.calls))
    panel.empty_states.button.click()
    qtbot.waitUntil(lambda: panel.layout_job.job is None)
    assert panel.empty_states.button.text() == "Resume"
    assert panel.empty_states.shows_map

    gateway.map.go_on.set()
    panel.empty_states.button.click()
    qtbot.waitUntil(lambda: panel.layout_job.job is None)
    assert not panel.empty_states.button.isVisible()


def test_model_change_draws_a_map_after_a_stopped_drawing(show, gateway, qtbot):
    panel = show(gateway)
    gateway.map.go_on.clear()
    panel.redraw()
    qtbot.waitUntil(lambda: panel.empty_states.button.isVisible() and bool(gateway.map.calls))
    panel.empty_states.button.click()
    qtbot.waitUntil(lambda: panel.layout_job.job is None)
    gateway.map.go_on.set()
    gateway.map.drawn = None
    panel.library_changed(LibraryChanges(vectors=True))
    qtbot.waitUntil(lambda: not panel._jobs.running())
    assert gateway.map.drawn is None
    panel.library_changed(LibraryChanges(vectors=True, space=True))
    qtbot.waitUntil(lambda: gateway.map.drawn is not None)


def test_model_change_replaces_the_running_drawing(show, gateway, qtbot):
    panel = show(gateway)
    gateway.map.go_on.clear()
    panel.redraw()
    qtbot.waitUntil(lambda: gateway.map.calls[-1:] == ["draw anew"])
    gateway.map.drawn = None
    panel.library_changed(LibraryChanges(vectors=True, space=True))
    qtbot.waitUntil(lambda: gateway.map.calls[-1:] == ["draw"])
    gateway.map.go_on.set()
    qtbot.waitUntil(lambda: panel.layout_job.job is None)
    assert not panel.empty_states.button.isVisible()


@pytest.mark.parametrize(
    ("papers", "with_vector", "by_meaning", "expected"),
    [
        (0, 0, True, "A map needs at least 20 papers"),
        (19, 19, True, "A map needs at least 20 papers"),
        (100, 12, True, "Indexing your papers"),
        (100, 0, False, "No search model"),
    ],
)
def test_page_without_a_map_shows_the_reason(
    show, gateway, papers, with_vector, by_meaning, expected
):
    maps = gateway.map
    maps.drawn, maps.count, maps.with_vector, maps.by_meaning = (
        None, papers, with_vector, by_meaning,
    )  # fmt: skip
    panel = show(gateway)
    assert not panel.empty_states.shows_map
    assert not panel.bar.isVisible()
    assert panel.empty_states.empty.title.text() == expected
    assert "draw" not in maps.calls


def test_outgrown_map_can_be_redrawn(show, gateway, qtbot):
    gateway.map.drawn = drawing(range(1, 81), outgrown=True)
    gateway.map.drawn.fine[:7] = NO_GROUP
    gateway.map.drawn = replace(gateway.map.drawn, later=15)
    panel = show(gateway)
    assert panel.empty_states.button.isVisible()
    assert "15 of 80" in panel.empty_states.line.text() and "7 " in panel.empty_states.line.text()
    panel.empty_states.button.click()
    qtbot.waitUntil(lambda: "draw anew" in gateway.map.calls)
    qtbot.waitUntil(lambda: not panel.view.points.drawing.outgrown)


def test_groups_of_an_earlier_version_are_renamed_while_the_map_is_shown(show, gateway, qtbot):
    old = gateway.map.drawn
    groups = tuple(replace(one, name="Old name") for one in old.coarse_clusters)
    gateway.map.drawn = replace(old, coarse_clusters=groups, renamable=True)
    panel = show(gateway)
    qtbot.waitUntil(lambda: panel.view.groups == old.coarse_clusters)
    assert gateway.map.calls.count("draw") == 1 and "draw anew" not in gateway.map.calls
    assert all("Old name" not in entry.text() for entry in panel.legend.entries)


def test_click_requests_the_paper_and_draws_lines_to_similar_ones(show, gateway, qtbot):
    panel = show(gateway)
    panel.current_requested.connect(panel.show_current)
    with qtbot.waitSignal(panel.current_requested) as requested:
        QTest.mouseClick(panel.view, Qt.MouseButton.LeftButton, pos=pixel(panel, 7))
    assert requested.args == [7]
    before = panel.view.grab().toImage()
    qtbot.waitUntil(lambda: len(panel.view.similar) == 10)
    assert "similar 7" in gateway.map.calls
    numbers = [one.number for one in panel.view.similar]
    assert panel.view.points.ids[numbers].tolist() == [
        one.paper for one in gateway.map.similar(PaperId(7))
    ]
    assert panel.view.grab().toImage() != before
    QTest.keyClick(panel.view, Qt.Key.Key_Escape)
    panel.show_current(None)
    assert panel.view.similar == []


def test_size_by_citations_enlarges_points_of_cited_papers_on_whole_map(show, gateway, qtbot):
    panel = show(gateway)
    before = panel.view.grab().toImage()
    panel.bar.sizes.trigger()
    qtbot.waitUntil(lambda: panel.view.points.added_radius is not None)
    added = panel.view.points.added_radius
    assert panel.view.points.ids[np.flatnonzero(added)].tolist() == [3]
    assert panel.view.grab().toImage() != before
    around_it = QRect(pixel(panel, 3) - QPoint(15, 15), QSize(30, 30))
    assert panel.view.grab(around_it).toImage() != before.copy(around_it)

    panel.bar.sizes.trigger()
    assert panel.view.points.added_radius is None
    assert panel.view.grab().toImage() == before


def test_points_stay_under_the_mouse_when_another_part_of_the_window_opens(show, gateway, qtbot):
    panel = show(gateway)
    view = panel.view
    view.setAttribute(Qt.WidgetAttribute.WA_UnderMouse)
    place = view.mapToGlobal(pixel(panel, 7))
    panel.bar.years.trigger()  # takes height
    qtbot.waitUntil(lambda: panel.timeline.isVisible())
    panel.layout().activate()
    assert (view.mapToGlobal(pixel(panel, 7)) - place).manhattanLength() <= 1

    view.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, False)
    panel.fit()
    panel.resize(700, 500)
    assert view.rect().adjusted(20, 20, -20, -20).contains(pixel(panel, 7))


def test_finest_groups_are_named_when_zoomed_in_furthest(show, gateway, qtbot):
    drawn = gateway.map.drawn
    parts = tuple(replace(one, name=f"{one.name}, nearest") for one in drawn.fine_clusters)
    gateway.map.drawn = replace(drawn, finest=drawn.fine, finest_clusters=parts)
    panel = show(gateway)
    levels = []
    for _ in range(12):
        panel.view.zoom(1.25, QPointF(pixel(panel, 1)))
        panel.view.grab()
        levels.append(panel.view.level)
    assert levels == sorted(levels) and set(levels) == {0, 1, 2}
    assert any("nearest" in label.text for label in panel.view.labels)
    with qtbot.waitSignal(panel.view.group_requested) as requested:
        panel.view.setFocus()
        QTest.keyClick(panel.view, Qt.Key.Key_Tab)
        QTest.keyClick(panel.view, Qt.Key.Key_Return)
    assert requested.args[1] == 2


def test_similar_points_are_sized_by_citations_and_lines_by_similarity():
    points = [SimilarPoint(1, 0.9, 1_000), SimilarPoint(2, 0.7, 0), SimilarPoint(3, 0.5, 10)]
    radii = [radius_for(point.citations, 3.0) for point in points]
    assert radii[0] > radii[2] > radii[1]
    assert radius_for(10**9, 3.0) < 15
    strong, middle, weak = opacities(points)
    assert 1 > strong > middle > weak > 0
    assert opacities(points[:1]) == [strong]
    assert "citations" in caption(points) and "citations" not in caption(points[1:2])


def test_lines_of_an_earlier_paper_are_not_drawn(show, gateway, qtbot, jobs):
    panel = show(gateway)
    QTest.mouseClick(panel.view, Qt.MouseButton.LeftButton, pos=pixel(panel, 7))
    panel.show_current(8)
    qtbot.waitUntil(lambda: "similar 7" in gateway.map.calls and not jobs.running())
    assert panel.view.similar == []


def test_double_click_opens_the_paper(show, gateway, qtbot):
    panel = show(gateway)
    with qtbot.waitSignal(panel.opened) as opened:
        QTest.mouseDClick(panel.view, Qt.MouseButton.LeftButton, pos=pixel(panel, 7))
    assert opened.args == [7]


def test_hovering_over_a_paper_shows_its_title(show, gateway, qtbot):
    panel = show(gateway)
    QTest.mouseMove(panel.view, pixel(panel, 7))
    qtbot.waitUntil(panel.hover.isVisible)
    assert panel.hover.title.text() == "Paper 7"
    QTest.mouseMove(panel.view, QPoint(2, 2))
    qtbot.waitUntil(lambda: not panel.hover.isVisible())


@pytest.mark.parametrize("how", ["enter", "zoom"])
def test_card_is_hidden_when_the_mouse_leaves_for_the_legend_or_the_map_moves(
    show, gateway, qtbot, how
):
    panel = show(gateway)
    QTest.mouseMove(panel.view, pixel(panel, 13))
    qtbot.waitUntil(panel.hover.isVisible)
    if how == "enter":
        at = QPointF(5, 5)
        QCoreApplication.sendEvent(panel.legend, QEnterEvent(at, at, at))
    else:
        panel.view.zoom(2)
    qtbot.waitUntil(lambda: not panel.hover.isVisible())


def test_click_hides_the_card_over_the_lines(show, gateway, qtbot):
    panel = show(gateway)
    QTest.mouseMove(panel.view, pixel(panel, 7))
    qtbot.waitUntil(panel.hover.isVisible)
    QTest.mouseClick(panel.view, Qt.MouseButton.LeftButton, pos=pixel(panel, 7))
    assert not panel.hover.isVisible()


@pytest.mark.parametrize("by", list(ColorBy))
def test_menu_of_colors_marks_the_current_choice(show, gateway, by):
    panel = show(gateway)
    panel.colour_by(by)
    checked = [action.text() for action in panel.bar.by.menu().actions() if action.isChecked()]
    assert checked == [BY[by].name]


def test_hover_card_has_room_for_long_texts(show, gateway, qtbot):
    names = "; ".join(f"Hohenstein-Braunschweig, Wilhelmina {n}" for n in range(4))
    long = "On the representation of documents learned from citations, in a title of many words "
    for number, times in ((7, 1), (8, 3), (9, 2)):
        gateway.papers[number] = paper(long * times, authors=names, venue=long, published="2020")
    panel = show(gateway)
    for number in (7, 8, 9):
        QTest.mouseMove(panel.view, pixel(panel, number))
        qtbot.waitUntil(
            lambda n=number: panel.hover.title.text() == gateway.papers[n].title.strip()
        )
        title, below = panel.hover.title, panel.hover.below
        for label in (title, below):
            assert label.height() >= label.heightForWidth(label.width())
        assert title.geometry().bottom() < below.geometry().top()
        assert below.geometry().bottom() < panel.hover.rect().bottom()


def test_drag_pans_the_map(show, gateway):
    panel = show(gateway)
    before = pixel(panel, 7)
    drag(panel.view, [QPoint(300, 300), QPoint(340, 280), QPoint(400, 250)])
    moved = pixel(panel, 7) - before
    assert abs(moved.x() - 100) <= 1
    assert abs(moved.y() + 50) <= 1


def test_zoom_keeps_the_point_under_the_mouse(show, gateway):
    panel = show(gateway)
    at = pixel(panel, 7)
    scale = panel.view.camera.scale
    panel.view.zoom(2.0, QPointF(at))
    assert panel.view.camera.scale == pytest.approx(2 * scale)
    assert (pixel(panel, 7) - at).manhattanLength() <= 2


def test_rectangle_selects_the_papers_inside(show, gateway, qtbot):
    panel = show(gateway)
    panel.bar.tools.choose(1)
    panel.bar.tools.selected.emit(1)
    assert panel.view.tool is Tool.box
    corners = around(panel, CORNER)
    with qtbot.waitSignal(panel.papers_selected) as selected:
        drag(panel.view, [corners[0], corners[2]])
    assert sorted(selected.args[0]) == CORNER


def test_shift_drag_selects_with_a_lasso(show, gateway, qtbot):
    panel = show(gateway)
    with qtbot.waitSignal(panel.papers_selected) as selected:
        drag(panel.view, around(panel, CORNER), Qt.KeyboardModifier.ShiftModifier)
    assert sorted(selected.args[0]) == CORNER


def test_lasso_ignores_papers_outside_isolated_categories(show, gateway, qtbot):
    panel = show(gateway)
    panel.legend.entries[0].click()  # glaciers
    with qtbot.waitSignal(panel.papers_selected) as selected:
        drag(panel.view, around(panel, CORNER), Qt.KeyboardModifier.ShiftModifier)
    assert selected.args == [[]]


def test_highlight_counts_the_papers_that_are_not_on_the_map(show, gateway):
    panel = show(gateway)
    panel.highlight([1, 5, 9, 200])
    assert panel.view.points.highlighted.sum() == 3
    assert panel.bar.missing.isVisible() and "1 " in panel.bar.missing.text()
    panel.highlight(None)
    assert panel.view.points.highlighted is None
    assert not panel.bar.missing.isVisible() and not panel.bar.only.isEnabled()


def test_fit_zooms_to_papers(show, gateway):
    panel = show(gateway)
    panel.fit([1, 5, 9, 200])
    frame = panel.view.rect()
    assert all(frame.contains(pixel(panel, n)) for n in (1, 5, 9))
    assert not frame.contains(pixel(panel, 2))


def test_papers_are_highlighted_and_fitted_once_the_map_is_loaded(qtbot, jobs, context, gateway):
    panel = MapPanel(gateway.map, gateway, context)
    panel.view.animated = False
    panel.resize(1100, 700)
    qtbot.addWidget(panel)
    panel.highlight([1, 5, 9])
    panel.show_current(5)
    panel.fit([1, 5, 9])
    panel.show()
    qtbot.waitUntil(lambda: panel.view.points is not None)
    assert panel.view.points.highlighted.sum() == 3
    frame = panel.view.rect()
    assert all(frame.contains(pixel(panel, n)) for n in (1, 5, 9))
    assert not frame.contains(pixel(panel, 2))


def test_escape_is_reported(show, gateway, qtbot):
    panel = show(gateway)
    panel.view.setFocus()
    with qtbot.waitSignal(panel.view.escaped):
        QTest.keyClick(panel.view, Qt.Key.Key_Escape)


def test_tab_goes_through_groups_and_enter_selects_one(show, gateway, qtbot):
    panel = show(gateway)
    panel.view.setFocus()
    QTest.keyClick(panel.view, Qt.Key.Key_Tab)
    assert "Glacier melt" in panel.view.accessibleName()
    QTest.keyClick(panel.view, Qt.Key.Key_Tab)
    assert "Black holes" in panel.view.accessibleName()
    with qtbot.waitSignal(panel.papers_selected) as selected:
        QTest.keyClick(panel.view, Qt.Key.Key_Return)
    assert sorted(selected.args[0]) == CORNER


@pytest.mark.parametrize("key", [Qt.Key.Key_0, Qt.Key.Key_Home])
def test_whole_map_is_shown_after_a_fine_group_was_focused(show, gateway, key):
    panel = show(gateway)
    panel.view.setFocus()
    before = panel.view.accessibleName()
    while panel.view.level == 0:
        QTest.keyClick(panel.view, Qt.Key.Key_Plus)
    for _ in panel.view.groups:
        QTest.keyClick(panel.view, Qt.Key.Key_Tab)
    QTest.keyClick(panel.view, key)
    panel.view.grab()
    assert panel.view.level == 0 and panel.view.accessibleName() == before


def test_focused_group_is_forgotten_when_another_map_is_shown(show, gateway):
    panel = show(gateway)
    panel.view.setFocus()
    before = panel.view.accessibleName()
    for _ in panel.view.groups:
        QTest.keyClick(panel.view, Qt.Key.Key_Tab)
    drawn = gateway.map.drawn
    one = replace(
        drawn, coarse=np.minimum(drawn.coarse, 0), coarse_clusters=drawn.coarse_clusters[:1]
    )
    panel.view.show_points(MapPoints(one))
    panel.view.grab()
    assert panel.view.accessibleName() == before


def test_tab_leaves_the_map_after_the_last_group(show, gateway, qtbot):
    panel = show(gateway)
    panel.activateWindow()
    panel.view.setFocus()
    qtbot.waitUntil(panel.view.hasFocus)
    for _ in range(5):
        QTest.keyClick(panel.view, Qt.Key.Key_Tab)
    assert not panel.view.hasFocus()


def test_keys_pan_zoom_and_reset_the_map(show, gateway):
    panel = show(gateway)
    before, scale = pixel(panel, 7), panel.view.camera.scale
    QTest.keyClick(panel.view, Qt.Key.Key_Right)
    assert pixel(panel, 7).x() < before.x()
    QTest.keyClick(panel.view, Qt.Key.Key_Plus)
    assert panel.view.camera.scale > scale
    QTest.keyClick(panel.view, Qt.Key.Key_Home)
    assert panel.view.camera.scale == pytest.approx(scale)


def test_zoomed_map_shows_fine_group_names(show, gateway):
    panel = show(gateway)
    assert panel.view.groups[0].name == "Glacier melt"
    panel.view.zoom(6)
    assert panel.view.groups[0].name == "Glacier melt, near"


def test_group_labels_do_not_overlap(show, gateway):
    panel = show(gateway)
    panel.view.grab()
    boxes = [label.box for label in panel.view.labels]
    assert len(boxes) > 1
    assert not any(a.intersects(b) for a in boxes for b in boxes if a is not b)


def test_group_label_lies_at_points_of_its_group(show, gateway):
    panel = show(gateway)
    panel.view.grab()
    drawing = panel.view.points.drawing
    for label in panel.view.labels:
        pixels = panel.view.camera.screen(drawing.places)
        box = label.box.adjusted(-30, -30, 30, 30)
        near = [group for (x, y), group in zip(pixels.tolist(), drawing.coarse, strict=True)
                if box.contains(x, y)]  # fmt: skip
        assert set(near) == {label.group}


def test_group_labels_move_with_the_map_while_panning(show, gateway):
    panel = show(gateway)
    panel.view.grab()
    before = {label.group: label.box for label in panel.view.labels}
    QTest.keyClick(panel.view, Qt.Key.Key_Left)
    panel.view.grab()
    after = {label.group: label.box for label in panel.view.labels}
    both = before.keys() & after.keys()
    assert both
    moves = {(after[n].x() - before[n].x(), after[n].y() - before[n].y()) for n in both}
    assert {(round(x), round(y)) for x, y in moves} == {(60, 0)}


@pytest.mark.parametrize("by", [ColorBy.field, ColorBy.year, ColorBy.collection, ColorBy.read])
def test_legend_names_the_colours(show, gateway, qtbot, by):
    panel = show(gateway)
    panel.colour_by(by)
    qtbot.waitUntil(lambda: panel.view.points.scheme.names[0] not in ("Glacier melt",))
    labels = [entry.accessibleName() for entry in panel.legend.entries]
    names = panel.view.points.scheme.names
    assert all(name in text for name, text in zip(names, labels, strict=True))
    assert sum(panel.view.points.scheme.counts) == 80


def shown_counts(panel):
    """Return the number of papers of each category in the legend, by name."""
    names = panel.view.points.scheme.names
    entries = zip(names, panel.legend.entries, strict=True)
    numbers = {name: re.search(r"(\d+) paper", entry.accessibleName()) for name, entry in entries}
    shown = [not entry.isHidden() for entry in panel.legend.entries]
    return {name: int(n[1]) for (name, n), there in zip(numbers.items(), shown, strict=True)
            if there}  # fmt: skip


def test_legend_counts_the_highlighted_papers_without_empty_categories(show, gateway):
    panel = show(gateway)
    assert set(shown_counts(panel).values()) == {20}
    place, size = panel.view.camera, panel.legend.size()
    panel.highlight([1, 5, 9, 2])
    assert shown_counts(panel) == {"Black holes": 3, "Gene editing": 1}
    assert panel.view.camera == place  # nothing moves
    panel.highlight(None)
    assert len(shown_counts(panel)) == 4 and panel.legend.size() == size


def test_legend_counts_the_papers_of_the_selected_years(show, gateway):
    panel = show(gateway)
    panel.timeline.filtered.emit(panel.view.points.ids <= 6)
    assert sorted(shown_counts(panel).values()) == [1, 1, 2, 2]
    panel.timeline.filtered.emit(panel.view.points.ids % 4 == 1)
    assert list(shown_counts(panel)) == ["Black holes"]
    panel.view.grab()
    assert [label.text for label in panel.view.labels] == ["Black holes"]


def test_legend_counts_end_at_the_same_edge(show, gateway):
    panel = show(gateway)
    spaces = set()
    for count in (4, 44, 444):
        panel.legend.show_counts([count] * 4)
        picture = panel.legend.entries[0].grab().toImage()
        width, height = picture.width(), picture.height()
        background = picture.pixelColor(width - 1, height // 2)
        inked = [x for x in range(width)
                 if any(picture.pixelColor(x, y) != background for y in range(4, height - 4))
                 ]  # fmt: skip
        spaces.add(width - inked[-1])
    assert len(spaces) == 1


def test_toolbar_of_a_narrow_map_has_one_line(show, gateway):
    panel = show(gateway)
    panel.highlight([3, 5])
    assert panel.bar.heightForWidth(500) == panel.bar.heightForWidth(2_000)


def test_zoom_buttons_lie_in_the_margin_around_the_points(show, gateway, qtbot):
    panel = show(gateway)
    for width in (1100, 800):
        panel.resize(width, 700)
        panel.fit()
        box = panel.zoom.geometry()
        assert panel.view.rect().contains(box)
        assert not any(box.contains(pixel(panel, n)) for n in range(1, 81))
    before = panel.view.camera.scale
    panel.zoom.closer.click()
    assert panel.view.camera.scale > before
    panel.zoom.whole.click()
    qtbot.waitUntil(lambda: panel.view.camera.scale == pytest.approx(before))


def bright(panel):
    """Return the papers that are not dimmed."""
    points = panel.view.points
    return sorted(points.ids[points.order[-points.on_top :]].tolist() if points.on_top else [])


def test_click_on_legend_isolates_and_second_click_clears(show, gateway):
    panel = show(gateway)
    panel.legend.entries[1].click()
    assert bright(panel) == CORNER
    assert len(panel.view.points.order) == 80  # the others are dimmed
    panel.legend.entries[1].click()
    assert bright(panel) == []
    assert panel.legend.isolated == []


def test_another_click_on_legend_isolates_that_category_instead(show, gateway):
    panel = show(gateway)
    panel.legend.entries[0].click()
    panel.legend.entries[1].click()
    assert bright(panel) == CORNER


def test_ctrl_click_on_legend_adds_and_removes_category(show, gateway, qtbot):
    panel = show(gateway)
    left, ctrl = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier
    panel.legend.entries[1].click()
    qtbot.mouseClick(panel.legend.entries[0], left, ctrl)
    assert panel.legend.isolated == [0, 1]
    assert len(bright(panel)) == 40
    qtbot.mouseClick(panel.legend.entries[0], left, ctrl)
    assert bright(panel) == CORNER


@pytest.mark.parametrize("where", ["entry", "map"])
def test_esc_ends_isolation(show, gateway, qtbot, where):
    panel = show(gateway)
    panel.legend.entries[1].click()
    qtbot.keyClick(panel.legend.entries[1] if where == "entry" else panel.view, Qt.Key.Key_Escape)
    assert bright(panel) == []
    assert not panel.legend.entries[1].isChecked()


def test_legend_button_shows_all_categories_again(show, gateway):
    panel = show(gateway)
    panel.legend.entries[1].click()
    panel.legend.all_button.click()
    assert bright(panel) == []
    assert not panel.legend.all_button.isEnabled()


def test_other_colours_end_isolation(show, gateway, qtbot):
    panel = show(gateway)
    panel.legend.entries[1].click()
    panel.colour_by(ColorBy.year)
    qtbot.waitUntil(lambda: panel.view.points.scheme.ordered)
    assert panel.legend.isolated == []
    assert bright(panel) == []


def test_unread_papers_are_drawn_hollow(show, gateway, qtbot):
    panel = show(gateway)
    panel.colour_by(ColorBy.read)
    qtbot.waitUntil(lambda: panel.view.points.scheme.names == ("Read", "Unread"))
    assert panel.view.points.scheme.hollow == {1}


def test_redrawn_map_keeps_the_highlight(show, gateway, qtbot):
    panel = show(gateway)
    panel.highlight([3, 5])
    gateway.map.count = gateway.map.with_vector = 90
    panel.hide()
    panel.show()
    qtbot.waitUntil(lambda: len(panel.view.points.ids) == 90)
    assert panel.view.points.highlighted.sum() == 2


def test_papers_that_cannot_be_placed_are_tried_once(show, gateway, qtbot, jobs):
    class UnchangedMaps(FakeMap):
        def draw(self, task, *, from_scratch):
            self.calls.append("draw")
            return self.drawn

    gateway.map = UnchangedMaps(80)
    gateway.map.with_vector = 85
    panel = show(gateway)
    qtbot.waitUntil(lambda: panel.layout_job.job is None and not jobs.running())
    panel.hide()
    panel.show()
    qtbot.waitUntil(lambda: not jobs.running())
    assert gateway.map.calls.count("draw") == 1


def test_zoomed_map_shows_titles_beside_points(show, gateway, qtbot, jobs):
    panel = show(gateway)
    panel.view.fit([1, 5, 9])
    panel.view.zoom(8, QPointF(pixel(panel, 5)))
    panel.view.grab()
    qtbot.waitUntil(lambda: panel.view.titles._cache.get(5) == "Paper 5")
    panel.view.grab()
    assert any(title.text == "Paper 5" for title in panel.view.placed_titles)


def test_library_change_updates_the_colours(show, gateway, qtbot):
    panel = show(gateway)
    panel.colour_by(ColorBy.read)
    qtbot.waitUntil(lambda: panel.view.points.scheme.names == ("Read", "Unread"))
    asked = gateway.map.calls.count("shades Read or not")
    panel.library_changed(LibraryChanges(papers=True))
    qtbot.waitUntil(lambda: gateway.map.calls.count("shades Read or not") > asked)


def test_other_papers_are_hidden_while_papers_are_highlighted(show, gateway):
    panel = show(gateway)
    panel.highlight([3, 5])
    panel.bar.only.trigger()
    assert sorted(panel.view.points.ids[panel.view.points.order].tolist()) == [3, 5]
    panel.highlight(None)
    assert len(panel.view.points.order) == 80


def test_camera_is_animated_to_its_target(show, gateway, qtbot):
    panel = show(gateway)
    panel.view.animated = True
    before = panel.view.camera
    panel.fit([1, 5, 9])
    assert panel.view.camera.scale == before.scale
    goal = before.fitting(panel.view.points.places[panel.view.points.numbers([1, 5, 9])])
    qtbot.waitUntil(lambda: panel.view.camera.scale > goal.scale * 0.5)
    frame = panel.view.rect()
    qtbot.waitUntil(lambda: all(frame.contains(pixel(panel, n)) for n in (1, 5, 9)))


def test_legend_of_a_narrow_map_shows_first_phrases_and_full_names_as_tooltips(show, gateway):
    groups = gateway.map.drawn.coarse_clusters
    named = tuple(replace(one, name=f"{one.name}, sea level") for one in groups)
    gateway.map.drawn = replace(gateway.map.drawn, coarse_clusters=named)
    panel = show(gateway)
    wide = panel.legend.width()
    assert [entry.text() for entry in panel.legend.entries] == [one.name for one in named]
    panel.resize(600, 700)
    assert [entry.text() for entry in panel.legend.entries] == [one.name for one in groups]
    assert all("sea level" in entry.toolTip() for entry in panel.legend.entries)
    assert panel.legend.width() < wide


def test_legend_can_be_hidden_and_hides_in_a_small_view(show, gateway, qtbot):
    panel = show(gateway)
    assert panel.legend.isVisible()
    panel.bar.legend.trigger()
    assert not panel.legend.isVisible()
    panel.bar.legend.trigger()
    assert panel.legend.isVisible()
    panel.view.resize(260, 220)
    assert not panel.legend.isVisible()


@pytest.fixture
def painters(monkeypatch):
    """Record the threads that paint density images; worker threads wait for `go_on`."""
    found = Painters()

    def picture(*what):
        found.threads.append(threading.current_thread())
        if threading.current_thread() is not threading.main_thread():
            assert found.go_on.wait(30)
        return density_raster.density_image(*what)

    monkeypatch.setattr(point_renderer, "density_image", picture)
    yield found
    found.go_on.set()


class Painters:
    def __init__(self):
        self.threads = []
        self.go_on = threading.Event()


def black_holes_seen(view):
    """Return whether the view has more orange, the colour of the group, than the legend alone."""
    image = view.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1, 4)
    blue, red = pixels[..., 0].astype(int), pixels[..., 2].astype(int)
    return (red > blue + 80).sum() > 400


@pytest.fixture
def show_large(painters, gateway, jobs, context, qtbot):
    """Show a large map that workers do not paint before `painters.go_on` is set."""
    gateway.map = FakeMap(8_000)
    panel = MapPanel(gateway.map, gateway, context)
    panel.view.animated = False
    panel.resize(1100, 700)
    qtbot.addWidget(panel)
    panel.show()
    qtbot.waitUntil(lambda: bool(painters.threads))
    return panel


def test_large_map_is_painted_in_a_worker_and_zooms_at_once(painters, show_large, qtbot):
    view = show_large.view
    assert show_large.empty_states.shows_map
    assert not black_holes_seen(view)
    painters.go_on.set()
    qtbot.waitUntil(lambda: black_holes_seen(view))
    assert threading.main_thread() not in painters.threads

    view.zoom(1.25)
    assert black_holes_seen(view)
    assert painters.threads[-1] is threading.main_thread()


def test_category_dimmed_during_painting_stays_dimmed(painters, show_large, qtbot, jobs):
    view = show_large.view
    show_large.legend.entries[0].click()
    painters.go_on.set()
    qtbot.waitUntil(lambda: not jobs.running())
    qtbot.waitUntil(lambda: view.grab() and not jobs.running())
    assert not black_holes_seen(view)
    show_large.legend.all_button.click()
    assert black_holes_seen(view)


def test_new_large_map_replaces_the_old_one(painters, show_large, gateway, qtbot, jobs):
    painters.go_on.set()
    view = show_large.view
    qtbot.waitUntil(lambda: black_holes_seen(view))
    painters.go_on.clear()
    without = np.arange(1, 12_001)
    gateway.map.drawn = drawing(without[without % 4 != 1])
    gateway.map.count = gateway.map.with_vector = 9_000
    show_large.hide()
    show_large.show()
    qtbot.waitUntil(lambda: len(view.points.ids) == 9_000)
    view.grab()
    painters.go_on.set()
    qtbot.waitUntil(lambda: not black_holes_seen(view))
    qtbot.waitUntil(lambda: not jobs.running())
    assert not black_holes_seen(view)
