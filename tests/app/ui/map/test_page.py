"""The map page on a fake library."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from sciread_app.domain.paper import LibraryChanges
from sciread_app.services.map.map_service import NO_GROUP
from sciread_app.ui.map.canvas import density_raster, point_renderer
from sciread_app.ui.map.options import ColorBy, Tool
from sciread_app.ui.map.page import MapPage
from tests.support.generate.papers import paper
from tests.support.ui.fakes.gateway import FakeGateway
from tests.support.ui.fakes.map import FakeMap, drawing


@pytest.fixture
def gateway():
    return FakeGateway(80)


@pytest.fixture
def show(qtbot, jobs, context):
    def show(gateway):
        page = MapPage(gateway, context)
        page.view.animated = False
        page.resize(1100, 700)
        qtbot.addWidget(page)
        page.show()
        page.refresh()
        qtbot.waitUntil(lambda: not jobs.running())
        return page

    return show


@pytest.fixture
def long_double_click_interval(qapp):
    """Raise the double-click interval to a minute."""
    before = qapp.doubleClickInterval()
    qapp.setDoubleClickInterval(60_000)
    yield
    qapp.setDoubleClickInterval(before)


def pixel(page, paper):
    """Return the position of a paper in the view, in pixels."""
    points = page.view.points
    place = points.places[points.numbers([paper])[0]]
    return page.view.camera.point(tuple(place.tolist())).toPoint()


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


def around(page, papers, margin=12):
    """Return the corners of a rectangle around these papers."""
    at = np.array([[pixel(page, p).x(), pixel(page, p).y()] for p in papers])
    (left, top), (right, bottom) = at.min(axis=0) - margin, at.max(axis=0) + margin
    corners = ((left, top), (right, top), (right, bottom), (left, bottom))
    return [QPoint(int(x), int(y)) for x, y in corners]


CORNER = [n for n in range(1, 81) if n % 4 == 1]  # black holes


def test_stored_map_is_shown_without_drawing(show, gateway):
    page = show(gateway)
    assert page.empty_states.shows_map
    assert len(page.view.points.ids) == 80
    assert page.bar.isVisible()
    assert "draw" not in gateway.map.asked


def test_missing_map_is_drawn(show, gateway, qtbot):
    gateway.map.drawn = None
    page = show(gateway)
    qtbot.waitUntil(lambda: page.view.points is not None)
    assert gateway.map.asked[0] == "draw"
    assert page.empty_states.shows_map


def test_new_papers_are_placed_while_the_old_map_is_shown(show, gateway, qtbot, jobs):
    page = show(gateway)
    gateway.map.with_vector = gateway.map.count = 84
    gateway.map.go_on.clear()
    page.library_changed(LibraryChanges(papers=True, vectors=True))
    qtbot.waitUntil(lambda: "Laying out" in page.empty_states.line.text())
    assert page.empty_states.shows_map
    assert page.empty_states.bar.isVisible()

    gateway.map.go_on.set()
    qtbot.waitUntil(lambda: len(page.view.points.ids) == 84)
    qtbot.waitUntil(lambda: not page.empty_states.bar.isVisible())


def test_drawing_is_stopped_and_resumed(show, gateway, qtbot):
    page = show(gateway)
    gateway.map.go_on.clear()
    page.redraw()
    qtbot.waitUntil(lambda: page.empty_states.button.isVisible() and bool(gateway.map.asked))
    page.empty_states.button.click()
    qtbot.waitUntil(lambda: page.layout_job.job is None)
    assert page.empty_states.button.text() == "Resume"
    assert page.empty_states.shows_map

    gateway.map.go_on.set()
    page.empty_states.button.click()
    qtbot.waitUntil(lambda: page.layout_job.job is None)
    assert not page.empty_states.button.isVisible()


def test_model_change_draws_a_map_after_a_stopped_drawing(show, gateway, qtbot):
    page = show(gateway)
    gateway.map.go_on.clear()
    page.redraw()
    qtbot.waitUntil(lambda: page.empty_states.button.isVisible() and bool(gateway.map.asked))
    page.empty_states.button.click()
    qtbot.waitUntil(lambda: page.layout_job.job is None)
    gateway.map.go_on.set()
    gateway.map.drawn = None
    page.library_changed(LibraryChanges(vectors=True))
    qtbot.waitUntil(lambda: not page._jobs.running())
    assert gateway.map.drawn is None
    page.library_changed(LibraryChanges(vectors=True, space=True))
    qtbot.waitUntil(lambda: gateway.map.drawn is not None)


def test_model_change_replaces_the_running_drawing(show, gateway, qtbot):
    page = show(gateway)
    gateway.map.go_on.clear()
    page.redraw()
    qtbot.waitUntil(lambda: gateway.map.asked[-1:] == ["draw anew"])
    gateway.map.drawn = None
    page.library_changed(LibraryChanges(vectors=True, space=True))
    qtbot.waitUntil(lambda: gateway.map.asked[-1:] == ["draw"])
    gateway.map.go_on.set()
    qtbot.waitUntil(lambda: page.layout_job.job is None)
    assert not page.empty_states.button.isVisible()


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
    page = show(gateway)
    assert not page.empty_states.shows_map
    assert not page.bar.isVisible()
    assert page.empty_states.empty.title.text() == expected
    assert "draw" not in maps.asked


def test_outgrown_map_can_be_redrawn(show, gateway, qtbot):
    gateway.map.drawn = drawing(range(1, 81), outgrown=True)
    gateway.map.drawn.fine[:7] = NO_GROUP
    gateway.map.drawn = replace(gateway.map.drawn, later=15)
    page = show(gateway)
    assert page.empty_states.button.isVisible()
    assert "15 of 80" in page.empty_states.line.text() and "7 " in page.empty_states.line.text()
    page.empty_states.button.click()
    qtbot.waitUntil(lambda: "draw anew" in gateway.map.asked)
    qtbot.waitUntil(lambda: not page.view.points.drawing.outgrown)


def test_click_shows_the_paper_and_rings_similar_ones(show, gateway, qtbot):
    page = show(gateway)
    QTest.mouseClick(page.view, Qt.MouseButton.LeftButton, pos=pixel(page, 7))
    qtbot.waitUntil(lambda: page.side_pane.picked is not None)
    assert page.side_pane.isVisible()
    assert page.side_pane.picked.id == 7
    qtbot.waitUntil(lambda: len(page.view._rings) > 0)
    assert "similar [7]" in gateway.map.asked


def test_double_click_opens_the_paper(show, gateway, context):
    page = show(gateway)
    QTest.mouseDClick(page.view, Qt.MouseButton.LeftButton, pos=pixel(page, 7))
    assert ("open_paper", 7, "From the map") in context.navigate.calls


def test_side_panel_does_not_cover_a_point_during_a_double_click(
    long_double_click_interval, show, gateway, qtbot, jobs, context
):
    page = show(gateway)
    at = {paper: page.view.mapTo(page, pixel(page, paper)) for paper in range(1, 81)}
    rightmost = max(at, key=lambda paper: at[paper].x())
    QTest.mouseClick(page.view, Qt.MouseButton.LeftButton, pos=pixel(page, rightmost))
    QApplication.processEvents()
    qtbot.waitUntil(lambda: not jobs.running())
    assert page.childAt(at[rightmost]) is page.view
    QTest.mouseDClick(page.view, Qt.MouseButton.LeftButton, pos=pixel(page, rightmost))
    assert ("open_paper", rightmost, "From the map") in context.navigate.calls


def test_hovering_over_a_paper_shows_its_title(show, gateway, qtbot):
    page = show(gateway)
    QTest.mouseMove(page.view, pixel(page, 7))
    qtbot.waitUntil(page.hover.isVisible)
    assert page.hover.title.text() == "Paper 7"
    QTest.mouseMove(page.view, QPoint(2, 2))
    qtbot.waitUntil(lambda: not page.hover.isVisible())


def test_hover_card_has_room_for_long_texts(show, gateway, qtbot):
    names = "; ".join(f"Hohenstein-Braunschweig, Wilhelmina {n}" for n in range(4))
    long = "On the representation of documents learned from citations, in a title of many words "
    for number, times in ((7, 1), (8, 3), (9, 2)):
        gateway.papers[number] = paper(long * times, authors=names, venue=long, published="2020")
    page = show(gateway)
    for number in (7, 8, 9):
        QTest.mouseMove(page.view, pixel(page, number))
        qtbot.waitUntil(lambda n=number: page.hover.title.text() == gateway.papers[n].title.strip())
        title, below = page.hover.title, page.hover.below
        for label in (title, below):
            assert label.height() >= label.heightForWidth(label.width())
        assert title.geometry().bottom() < below.geometry().top()
        assert below.geometry().bottom() < page.hover.rect().bottom()


def test_drag_pans_the_map(show, gateway):
    page = show(gateway)
    before = pixel(page, 7)
    drag(page.view, [QPoint(300, 300), QPoint(340, 280), QPoint(400, 250)])
    moved = pixel(page, 7) - before
    assert abs(moved.x() - 100) <= 1
    assert abs(moved.y() + 50) <= 1


def test_zoom_keeps_the_point_under_the_mouse(show, gateway):
    page = show(gateway)
    at = pixel(page, 7)
    scale = page.view.camera.scale
    page.view.zoom(2.0, QPointF(at))
    assert page.view.camera.scale == pytest.approx(2 * scale)
    assert (pixel(page, 7) - at).manhattanLength() <= 2


def test_rectangle_selects_the_papers_inside(show, gateway):
    page = show(gateway)
    page.bar.tools.choose(1)
    page.bar.tools.chosen.emit(1)
    assert page.view.tool is Tool.box
    corners = around(page, CORNER)
    drag(page.view, [corners[0], corners[2]])
    assert sorted(page.selection.ids) == CORNER
    assert page.selection.isVisible()
    assert page.view.points.highlighted.sum() == len(CORNER)


def test_shift_drag_selects_with_a_lasso(show, gateway):
    page = show(gateway)
    drag(page.view, around(page, CORNER), Qt.KeyboardModifier.ShiftModifier)
    assert sorted(page.selection.ids) == CORNER


def test_lasso_ignores_papers_outside_isolated_categories(show, gateway):
    page = show(gateway)
    page.legend.entries[0].click()  # glaciers
    drag(page.view, around(page, CORNER), Qt.KeyboardModifier.ShiftModifier)
    assert page.selection.ids == ()


def test_selected_papers_are_added_to_a_collection(show, gateway, qtbot, context):
    page = show(gateway)
    page.select_papers([3, 5], "Selected on the map")
    page.selection.collect.click()
    qtbot.waitUntil(lambda: page.chooser is not None)
    page.chooser.line.setText("thesis")
    page.chooser.line.taken.emit()
    _, _, step = context.edits.calls[-1]
    step(gateway.organise)
    assert gateway.organise.collections["thesis"] == {3, 5}


def test_selected_papers_are_tagged(show, gateway, qtbot, context):
    page = show(gateway)
    page.select_papers([3, 5], "Selected on the map")
    page.selection.tag.click()
    qtbot.waitUntil(lambda: page.chooser is not None)
    page.chooser.line.setText("to read")
    page.chooser.line.taken.emit()
    _, _, step = context.edits.calls[-1]
    step(gateway.organise)
    assert gateway.organise.tags["to read"] == {3, 5}


def test_selected_papers_are_listed(show, gateway, context):
    page = show(gateway)
    page.select_papers([3, 5], "Selected on the map")
    page.selection.list_button.click()
    assert context.navigate.calls[-1] == ("show_papers", (3, 5), "Selected on the map")


def test_similar_papers_of_a_selection_are_highlighted(show, gateway, qtbot):
    page = show(gateway)
    page.select_papers([3], "Selected on the map")
    page.selection.similar.click()
    qtbot.waitUntil(lambda: len(page.selection.ids) > 1)
    assert page.selection.ids[0] == 3
    assert "similar [3]" in gateway.map.asked


def test_show_papers_highlights_and_frames_them(show, gateway):
    page = show(gateway)
    page.show_papers([1, 5, 9, 200], "My search")
    assert page.view.points.highlighted.sum() == 3
    assert "1 not on the map" in page.selection.count.text()
    frame = page.view.rect()
    assert all(frame.contains(pixel(page, n)) for n in (1, 5, 9))
    assert not frame.contains(pixel(page, 2))


def test_show_papers_before_loading_highlights_them_later(qtbot, jobs, context, gateway):
    page = MapPage(gateway, context)
    page.view.animated = False
    qtbot.addWidget(page)
    page.show()
    page.show_papers([1, 5], "My search")
    page.refresh()
    qtbot.waitUntil(lambda: page.selection.ids == (1, 5))


def test_escape_clears_the_selection(show, gateway):
    page = show(gateway)
    page.select_papers([3, 5], "Selected on the map")
    page.view.setFocus()
    QTest.keyClick(page.view, Qt.Key.Key_Escape)
    assert page.view.points.highlighted is None
    assert not page.selection.isVisible()


def test_tab_goes_through_groups_and_enter_selects_one(show, gateway, qtbot):
    page = show(gateway)
    page.view.setFocus()
    QTest.keyClick(page.view, Qt.Key.Key_Tab)
    assert "Glacier melt" in page.view.accessibleName()
    QTest.keyClick(page.view, Qt.Key.Key_Tab)
    assert "Black holes" in page.view.accessibleName()
    QTest.keyClick(page.view, Qt.Key.Key_Return)
    assert sorted(page.selection.ids) == CORNER
    assert page.selection.title.text() == "Black holes"


def test_tab_leaves_the_map_after_the_last_group(show, gateway, qtbot):
    page = show(gateway)
    page.activateWindow()
    page.view.setFocus()
    qtbot.waitUntil(page.view.hasFocus)
    for _ in range(5):
        QTest.keyClick(page.view, Qt.Key.Key_Tab)
    assert not page.view.hasFocus()


def test_keys_pan_zoom_and_reset_the_map(show, gateway):
    page = show(gateway)
    before, scale = pixel(page, 7), page.view.camera.scale
    QTest.keyClick(page.view, Qt.Key.Key_Right)
    assert pixel(page, 7).x() < before.x()
    QTest.keyClick(page.view, Qt.Key.Key_Plus)
    assert page.view.camera.scale > scale
    QTest.keyClick(page.view, Qt.Key.Key_0)
    assert page.view.camera.scale == pytest.approx(scale)


def test_group_list_is_operated_by_keyboard(show, gateway, qtbot):
    page = show(gateway)
    page.activateWindow()
    page.view.setFocus()
    QTest.keyClick(page.view, Qt.Key.Key_Tab)
    QTest.keyClick(page.view, Qt.Key.Key_Return)
    qtbot.waitUntil(page.selection.list.hasFocus)
    QTest.keyClick(page.selection.list, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: page.side_pane.picked is not None)
    QTest.keyClick(page.selection.list, Qt.Key.Key_Tab)
    assert page.side_pane.details.isAncestorOf(QApplication.focusWidget())
    page.selection.list.setFocus()
    QTest.keyClick(page.selection.list, Qt.Key.Key_Escape)
    qtbot.waitUntil(page.view.hasFocus)
    assert page.view.points.highlighted is None


def test_zoomed_map_shows_fine_group_names(show, gateway):
    page = show(gateway)
    assert page.view.groups[0].name == "Glacier melt"
    page.view.zoom(6)
    assert page.view.groups[0].name == "Glacier melt, near"


def test_group_labels_do_not_overlap(show, gateway):
    page = show(gateway)
    page.view.grab()
    boxes = [label.box for label in page.view.labels]
    assert len(boxes) > 1
    assert not any(a.intersects(b) for a in boxes for b in boxes if a is not b)


def test_group_label_lies_at_points_of_its_group(show, gateway):
    page = show(gateway)
    page.view.grab()
    drawing = page.view.points.drawing
    for label in page.view.labels:
        pixels = page.view.camera.screen(drawing.places)
        box = label.box.adjusted(-8, -8, 8, 8)
        below = [group for (x, y), group in zip(pixels.tolist(), drawing.coarse, strict=True)
                 if box.contains(x, y)]  # fmt: skip
        assert set(below) == {label.group}


def test_group_labels_move_with_the_map_while_panning(show, gateway):
    page = show(gateway)
    page.view.grab()
    before = {label.group: label.box for label in page.view.labels}
    QTest.keyClick(page.view, Qt.Key.Key_Left)
    page.view.grab()
    after = {label.group: label.box for label in page.view.labels}
    both = before.keys() & after.keys()
    assert both
    moves = {(after[n].x() - before[n].x(), after[n].y() - before[n].y()) for n in both}
    assert {(round(x), round(y)) for x, y in moves} == {(60, 0)}


@pytest.mark.parametrize("by", [ColorBy.field, ColorBy.year, ColorBy.collection, ColorBy.read])
def test_legend_names_the_colours(show, gateway, qtbot, by):
    page = show(gateway)
    page.colour_by(by)
    qtbot.waitUntil(lambda: page.view.points.scheme.names[0] not in ("Glacier melt",))
    labels = [entry.accessibleName() for entry in page.legend.entries]
    names = page.view.points.scheme.names
    assert all(name in text for name, text in zip(names, labels, strict=True))
    assert sum(page.view.points.scheme.counts) == 80


def bright(page):
    """Return the papers that are not dimmed."""
    points = page.view.points
    return sorted(points.ids[points.order[-points.on_top :]].tolist() if points.on_top else [])


def test_click_on_legend_isolates_and_second_click_clears(show, gateway):
    page = show(gateway)
    page.legend.entries[1].click()
    assert bright(page) == CORNER
    assert len(page.view.points.order) == 80  # the others are dimmed
    page.legend.entries[1].click()
    assert bright(page) == []
    assert page.legend.isolated == []


def test_another_click_on_legend_isolates_that_category_instead(show, gateway):
    page = show(gateway)
    page.legend.entries[0].click()
    page.legend.entries[1].click()
    assert bright(page) == CORNER


def test_ctrl_click_on_legend_adds_and_removes_category(show, gateway, qtbot):
    page = show(gateway)
    left, ctrl = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier
    page.legend.entries[1].click()
    qtbot.mouseClick(page.legend.entries[0], left, ctrl)
    assert page.legend.isolated == [0, 1]
    assert len(bright(page)) == 40
    qtbot.mouseClick(page.legend.entries[0], left, ctrl)
    assert bright(page) == CORNER


@pytest.mark.parametrize("where", ["entry", "map"])
def test_esc_ends_isolation(show, gateway, qtbot, where):
    page = show(gateway)
    page.legend.entries[1].click()
    qtbot.keyClick(page.legend.entries[1] if where == "entry" else page.view, Qt.Key.Key_Escape)
    assert bright(page) == []
    assert not page.legend.entries[1].isChecked()


def test_legend_button_shows_all_categories_again(show, gateway):
    page = show(gateway)
    page.legend.entries[1].click()
    page.legend.all_button.click()
    assert bright(page) == []
    assert not page.legend.all_button.isEnabled()


def test_other_colours_end_isolation(show, gateway, qtbot):
    page = show(gateway)
    page.legend.entries[1].click()
    page.colour_by(ColorBy.year)
    qtbot.waitUntil(lambda: page.view.points.scheme.ordered)
    assert page.legend.isolated == []
    assert bright(page) == []


def test_unread_papers_are_drawn_hollow(show, gateway, qtbot):
    page = show(gateway)
    page.colour_by(ColorBy.read)
    qtbot.waitUntil(lambda: page.view.points.scheme.names == ("Read", "Unread"))
    assert page.view.points.scheme.hollow == {1}


def test_refreshed_map_keeps_the_selection(show, gateway, qtbot):
    page = show(gateway)
    page.select_papers([3, 5], "Selected on the map")
    gateway.map.count = gateway.map.with_vector = 90
    page.refresh()
    qtbot.waitUntil(lambda: len(page.view.points.ids) == 90)
    assert page.selection.ids == (3, 5)
    assert page.view.points.highlighted.sum() == 2


def test_papers_that_cannot_be_placed_are_tried_once(show, gateway, qtbot, jobs):
    class UnchangedMaps(FakeMap):
        def draw(self, task, *, from_scratch):
            self.asked.append("draw")
            return self.drawn

    gateway.map = UnchangedMaps(80)
    gateway.map.with_vector = 85
    page = show(gateway)
    qtbot.waitUntil(lambda: page.layout_job.job is None and not jobs.running())
    page.refresh()
    qtbot.waitUntil(lambda: not jobs.running())
    assert gateway.map.asked.count("draw") == 1


def test_zoomed_map_shows_titles_beside_points(show, gateway, qtbot, jobs):
    page = show(gateway)
    page.view.fit([1, 5, 9])
    page.view.zoom(8, QPointF(pixel(page, 5)))
    page.view.grab()
    qtbot.waitUntil(lambda: page.view.titles._cache.get(5) == "Paper 5")
    page.view.grab()
    assert any(title.text == "Paper 5" for title in page.view.placed_titles)


def test_library_change_updates_the_colours(show, gateway, qtbot):
    page = show(gateway)
    page.colour_by(ColorBy.read)
    qtbot.waitUntil(lambda: page.view.points.scheme.names == ("Read", "Unread"))
    asked = gateway.map.asked.count("shades Read or not")
    page.library_changed(LibraryChanges(papers=True))
    qtbot.waitUntil(lambda: gateway.map.asked.count("shades Read or not") > asked)


def test_selected_papers_of_a_list_are_shown_on_the_map(show_window, qtbot, jobs):
    window = show_window(FakeGateway(80))
    window.page.result_list.go_to(3)
    (paper,) = window.page.result_list.chosen()
    window.menus.map.chosen.trigger()
    page = window.other_page("map")
    qtbot.waitUntil(lambda: page.selection.ids == (paper,))
    assert window.shows("map")


def test_search_results_are_highlighted(show_window, qtbot, jobs):
    window = show_window(FakeGateway(80))
    found = tuple(window.page.view.listing.ids)
    window.go_to("map")
    page = window.other_page("map")
    qtbot.waitUntil(lambda: page.view.points is not None)
    page.bar.found.click()
    qtbot.waitUntil(lambda: page.selection.ids == found)


def test_unselected_papers_are_hidden_until_cleared(show, gateway):
    page = show(gateway)
    page.select_papers([3, 5], "Selected on the map")
    page.selection.only.click()
    assert sorted(page.view.points.ids[page.view.points.order].tolist()) == [3, 5]
    page.clear()
    assert len(page.view.points.order) == 80


def test_camera_is_animated_to_its_target(show, gateway, qtbot):
    page = show(gateway)
    page.view.animated = True
    before = page.view.camera
    page.show_papers([1, 5, 9], "My search")
    assert page.view.camera.scale == before.scale
    goal = before.fitting(page.view.points.places[page.view.points.numbers([1, 5, 9])])
    qtbot.waitUntil(lambda: page.view.camera.scale > goal.scale * 0.5)
    frame = page.view.rect()
    qtbot.waitUntil(lambda: all(frame.contains(pixel(page, n)) for n in (1, 5, 9)))


def test_legend_can_be_hidden_and_hides_in_a_small_view(show, gateway, qtbot):
    page = show(gateway)
    assert page.legend.isVisible()
    page.bar.legend.click()
    assert not page.legend.isVisible()
    page.bar.legend.click()
    assert page.legend.isVisible()
    page.view.resize(260, 220)
    assert not page.legend.isVisible()


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
    page = MapPage(gateway, context)
    page.view.animated = False
    page.resize(1100, 700)
    qtbot.addWidget(page)
    page.show()
    page.refresh()
    qtbot.waitUntil(lambda: bool(painters.threads))
    return page


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
    show_large.refresh()
    qtbot.waitUntil(lambda: len(view.points.ids) == 9_000)
    view.grab()
    painters.go_on.set()
    qtbot.waitUntil(lambda: not black_holes_seen(view))
    qtbot.waitUntil(lambda: not jobs.running())
    assert not black_holes_seen(view)
