"""The list and the map as two views of the Library page."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from sciread_app.domain.paper import LibraryChanges
from sciread_app.ui.search.view_mode import ViewMode
from tests.support.ui.fakes.gateway import FakeGateway

Key = Qt.Key


@pytest.fixture
def window(show_window):
    return show_window(FakeGateway(80))


@pytest.fixture
def open_map(qtbot, jobs):
    """Return a function that shows the map of a window as its shortcut does."""

    def open_map(window):
        window.toggle_map()
        page = window.page
        qtbot.waitUntil(lambda: page.map is not None and page.map.view.points is not None)
        qtbot.waitUntil(lambda: not jobs.running())
        page.map.view.animated = False
        return page.map

    return open_map


def highlighted(shown):
    """Return the highlighted papers, or None if no paper is dimmed."""
    points = shown.view.points
    return None if points.highlighted is None else points.ids[points.highlighted].tolist()


def pixel(shown, paper):
    points = shown.view.points
    place = points.places[points.numbers([paper])[0]]
    return shown.view.camera.point(tuple(place.tolist())).toPoint()


def is_ringed(shown, paper):
    """Return whether the point of a paper is marked as the current one."""
    before = shown.view.grab().toImage()
    shown.view.pick(None)
    without = shown.view.grab().toImage()
    shown.show_current(paper)
    return before == shown.view.grab().toImage() != without


def type_in(qtbot, page, text):
    page.search_box.edit.clear()
    qtbot.keyClicks(page.search_box.edit, text)
    qtbot.waitUntil(lambda: page.view.query == text)


def test_switch_shows_the_map_in_place_of_the_list(qtbot, window):
    page = window.page
    assert page.map is None
    page.header.view_switch.choose(1)
    page.header.view_switch.selected.emit(1)
    qtbot.waitUntil(lambda: page.map is not None and page.map.isVisible())
    assert not page.result_list.isVisible() and page.details.isVisible()
    assert page.search_box.isVisible() and page.header.filter_button.isVisible()
    assert not page.header.order.isVisible() and not page.header.density.isVisible()
    page.header.view_switch.selected.emit(0)
    assert page.result_list.isVisible() and not page.map.isVisible()
    assert page.header.order.isVisible() and page.header.density.isVisible()


def test_shortcut_switches_the_view_from_any_page(qtbot, window, open_map):
    window.activateWindow()
    window.go_to("foryou")
    shown = open_map(window)
    assert window.shows("search") and shown.isVisible()
    assert window.page.header.view_switch.current == 1
    qtbot.waitUntil(shown.view.hasFocus)
    window.toggle_map()
    qtbot.waitUntil(window.page.result_list.hasFocus)
    window.toggle_map()
    assert shown.isVisible()
    window.go_to("foryou")
    window.go_to("search")
    assert shown.isVisible()


def test_map_highlights_the_results_of_a_query(qtbot, window, open_map):
    shown, page = open_map(window), window.page
    assert highlighted(shown) is None
    type_in(qtbot, page, "paper 7")
    qtbot.waitUntil(lambda: highlighted(shown) == sorted(page.view.listing.ids))
    assert 0 < len(highlighted(shown)) < 80
    page.search_box.edit.clear()
    qtbot.waitUntil(lambda: highlighted(shown) is None)


def test_map_highlights_papers_of_another_page_until_back(qtbot, window, open_map):
    shown, page = open_map(window), window.page
    window.show_papers([4, 7], "arXiv: bees")
    qtbot.waitUntil(lambda: highlighted(shown) == [4, 7])
    page.back()
    qtbot.waitUntil(lambda: highlighted(shown) is None)


def test_selection_of_the_list_is_highlighted_on_the_map(qtbot, window, open_map):
    window.page.result_list.select_only([3, 5, 9])
    shown = open_map(window)
    qtbot.waitUntil(lambda: highlighted(shown) == [3, 5, 9])
    assert is_ringed(shown, window.page.result_list.current())


def test_lasso_selects_the_papers_in_the_list(qtbot, window, open_map):
    shown, page = open_map(window), window.page
    shown.view.points_selected.emit(shown.view.points.numbers([5, 9, 13]))
    qtbot.waitUntil(lambda: highlighted(shown) == [5, 9, 13])
    assert sorted(page.selected()) == [5, 9, 13]
    assert (
        window.library_controller.bar.isVisible()
        and "3" in window.library_controller.bar.count.text()
    )
    window.toggle_map()
    assert page.result_list.isVisible() and sorted(page.selected()) == [5, 9, 13]


def test_lasso_selects_results_only(qtbot, window, open_map):
    shown, page = open_map(window), window.page
    window.show_papers([4, 5, 9], "arXiv: bees")
    shown.view.points_selected.emit(shown.view.points.numbers([5, 9, 13]))
    assert sorted(page.selected()) == [5, 9]
    shown.view.points_selected.emit(shown.view.points.numbers([20, 24]))
    assert sorted(page.selected()) == [5, 9]
    assert window.library_controller.notice.isVisible()


def test_escape_clears_the_selection_and_then_returns(qtbot, window, open_map):
    shown, page = open_map(window), window.page
    window.show_papers([4, 5, 9], "arXiv: bees")
    page.result_list.selectAll()
    shown.view.setFocus()
    QTest.keyClick(shown.view, Key.Key_Escape)
    assert page.selected() == [] and page.view.title
    QTest.keyClick(shown.view, Key.Key_Escape)
    assert not page.view.title


def test_click_on_a_point_shows_its_details(qtbot, window, open_map):
    shown, page = open_map(window), window.page
    QTest.mouseClick(shown.view, Qt.MouseButton.LeftButton, pos=pixel(shown, 7))
    assert page.result_list.current() == 7 and page.selected() == [7]
    qtbot.waitUntil(lambda: page.details.details is not None and page.details.details.whole)
    assert page.details.details.paper.id == 7 and page.details.isVisible()


def test_click_on_a_paper_outside_the_results_selects_nothing(qtbot, window, open_map):
    shown, page = open_map(window), window.page
    window.show_papers([4, 5], "arXiv: bees")
    qtbot.waitUntil(lambda: highlighted(shown) == [4, 5])
    QTest.mouseClick(shown.view, Qt.MouseButton.LeftButton, pos=pixel(shown, 7))
    assert page.selected() == []
    qtbot.waitUntil(lambda: page.details.details is not None)
    assert page.details.details.paper.id == 7


def test_double_click_opens_the_paper_until_escape(qtbot, window, open_map):
    shown, page = open_map(window), window.page
    QTest.mouseDClick(shown.view, Qt.MouseButton.LeftButton, pos=pixel(shown, 7))
    assert page.details.isVisible() and not shown.isVisible()
    assert page.result_list.current() == 7
    page.close_paper()
    assert shown.isVisible()


def test_next_paper_in_the_details_is_marked_on_the_map(qtbot, window, open_map):
    shown, page = open_map(window), window.page
    page.result_list.go_to(3)
    page.details.step_requested.emit(1)
    assert page.result_list.currentIndex().row() == 4
    assert is_ringed(shown, page.result_list.current())


def test_switching_keeps_query_selection_and_scroll_position(qtbot, window, open_map):
    page = window.page
    type_in(qtbot, page, "paper")
    qtbot.waitUntil(lambda: page.model.rowCount() > 40)
    page.result_list.go_to(20)
    page.result_list.set_scroll_position(page.result_list.height_of_rows(17))
    before = page.result_list.top(), page.selected(), page.view
    open_map(window)
    window.toggle_map()
    assert (page.result_list.top(), page.selected(), page.view) == before
    assert page.search_box.text == "paper"


def test_letters_act_on_the_selected_papers_of_the_map(qtbot, window, open_map):
    shown = open_map(window)
    shown.view.setFocus()
    qtbot.waitUntil(shown.view.hasFocus)
    window.page.result_list.select_only([5, 9])
    QTest.keyClick(shown.view, Key.Key_4)
    stars = window.gateway.editor.stars
    qtbot.waitUntil(lambda: stars.get(5) == stars.get(9) == 4)


def test_empty_results_are_explained_in_the_map_view(qtbot, window, open_map):
    shown, page = open_map(window), window.page
    type_in(qtbot, page, "zzz")
    qtbot.waitUntil(page.empty.isVisible)
    assert not shown.isVisible()
    page.search_box.edit.clear()
    qtbot.waitUntil(shown.isVisible)


def test_selected_papers_of_the_list_are_zoomed_to(qtbot, jobs, window):
    page = window.page
    page.result_list.go_to(3)
    (paper,) = page.selected()
    window.actions_by_name["show on map"].trigger()
    qtbot.waitUntil(lambda: page.map is not None and page.map.view.points is not None)
    qtbot.waitUntil(lambda: page.map.view.camera.scale > 2 * page.map.view.fit_scale)
    assert page.map.view.rect().contains(pixel(page.map, paper))
    assert page.model.rowCount() == 80


def test_papers_shown_on_the_map_are_the_results(qtbot, window):
    page = window.page
    window.show_on_map([1, 5, 9], "arXiv: bees")
    qtbot.waitUntil(lambda: page.map is not None and page.map.view.points is not None)
    qtbot.waitUntil(lambda: highlighted(page.map) == [1, 5, 9])
    assert page.header.title.text() == "arXiv: bees"


def test_commands_of_the_map_need_the_map(qtbot, window, open_map):
    fit = next(action for name, action in window.menus.entries() if name.endswith("Fit map"))
    assert not fit.isEnabled() and fit.property("unavailable_reason")
    open_map(window)
    assert fit.isEnabled()
    window.go_to("foryou")
    assert not fit.isEnabled()
    window.toggle_map()
    assert fit.isEnabled()
    window.toggle_map()
    assert not fit.isEnabled()


def test_view_is_remembered(qtbot, show_window, open_map):
    window = show_window(FakeGateway(80))
    open_map(window)
    window.close()
    again = show_window(FakeGateway(80))
    qtbot.waitUntil(lambda: again.page.map is not None and again.page.map.isVisible())
    assert again.page.mode is ViewMode.map and again.page.header.view_switch.current == 1
    again.toggle_map()
    again.close()
    assert show_window(FakeGateway(80)).page.mode is ViewMode.list


def test_changed_library_updates_the_map(qtbot, jobs, window, open_map):
    shown = open_map(window)
    window.gateway.map.with_vector = window.gateway.map.count = 84
    window.events.library_changed.emit(LibraryChanges(papers=True, vectors=True))
    qtbot.waitUntil(lambda: len(shown.view.points.ids) == 84)
    qtbot.waitUntil(lambda: not jobs.running())
