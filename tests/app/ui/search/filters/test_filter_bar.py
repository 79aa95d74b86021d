"""The filter bar of the search page: values, counts, years."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt

from sciread_app.domain.query.facets import FacetCount
from sciread_app.ui.query_state import SearchFilter, SearchRequest
from sciread_app.ui.search.filters.filter_bar import field_words, filter_text
from sciread_app.ui.search.filters.value_filter import ValueList
from sciread_app.ui.widgets.charts.year_histogram import YearHistogram
from tests.support.ui.controls import filter_item, open_filter
from tests.support.ui.fakes.gateway import FakeGateway


@pytest.fixture
def gateway():
    return FakeGateway(40)


@pytest.fixture
def page(qtbot, show_page, gateway):
    page = show_page(gateway)
    page.header.toggle_filters()
    qtbot.waitUntil(lambda: gateway.counted != [])
    return page


def test_facets_are_counted_only_while_visible(qtbot, show_page, gateway, jobs):
    page = show_page(gateway)
    page.search_box.set_text("paper")
    qtbot.waitUntil(lambda: page.view.query == "paper")
    assert gateway.counted == []
    page.header.toggle_filters()
    qtbot.waitUntil(lambda: "paper" in gateway.counted)
    qtbot.waitUntil(lambda: page.header.filters.buttons["has"].text() == "Has PDF  40")


@pytest.mark.parametrize("field", ["year", "tag"])
def test_popover_is_on_the_screen(qtbot, page, field):
    screen = page.screen().availableGeometry()
    page.window().move(screen.right() - 400, screen.bottom() - 200)
    popover = open_filter(qtbot, page, field)
    assert screen.contains(popover.geometry())
    popover.close()


def test_popover_widens_to_long_names_within_limits(qtbot):
    values, name = ValueList("Venue", "Filter"), "Journal of the Royal Statistical Society: Series "
    qtbot.addWidget(values)
    widths = []
    for text in ("Nature", f"{name}B", name * 5):
        values.show_values([FacetCount(text, 3)], ())
        widths.append(values.width())
    assert widths[0] < widths[1] < widths[2] < 600


def test_popover_is_as_high_as_its_values_within_limits(qtbot):
    values = ValueList("Venue", "Filter")
    qtbot.addWidget(values)
    heights = []
    for many in (4, 9, 30, 60):
        values.show_values([FacetCount(f"Venue {n}", 3) for n in range(many)], ())
        values.adjustSize()
        heights.append(values.height())
    assert heights[0] < heights[1] < heights[2] == heights[3]


def test_values_of_one_filter_are_joined_by_or(qtbot, page, gateway):
    popover = open_filter(qtbot, page, "cat")
    filter_item(popover, "cs.CL").setCheckState(0, Qt.CheckState.Checked)
    filter_item(popover, "Oncology").setCheckState(0, Qt.CheckState.Checked)
    qtbot.waitUntil(lambda: page.view.query == "cat:cs.CL OR cat:Oncology")
    assert page.header.filters.buttons["cat"].text() == "cs.CL or Oncology"
    popover.clear.click()
    qtbot.waitUntil(lambda: page.view.query == "")


def test_filter_counts_ignore_its_own_values(qtbot, page, gateway):
    page.search_box.set_text("paper")
    popover = open_filter(qtbot, page, "author")
    filter_item(popover, "Curie").setCheckState(0, Qt.CheckState.Checked)
    qtbot.waitUntil(lambda: page.view.query == 'author:="Marie Curie" paper')
    popover.close()
    gateway.counted.clear()
    popover = open_filter(qtbot, page, "author")
    assert "paper" in gateway.counted
    assert popover.list.selected() == ("Marie Curie",)


def test_escape_moves_from_filters_to_results(qtbot, page):
    button = page.header.filters.buttons["year"]
    button.setFocus()
    qtbot.keyClick(button, Qt.Key.Key_Escape)
    assert page.window().focusWidget() is page.result_list and page.header.filters.isVisible()


def test_switches_toggle_with_one_press(qtbot, page):
    page.header.filters.buttons["has"].click()
    page.header.filters.buttons["is"].click()
    qtbot.waitUntil(lambda: page.view.query == "has:pdf is:unread")
    page.header.filters.buttons["has"].click()
    qtbot.waitUntil(lambda: page.view.query == "is:unread")
    page.header.filters.clear.click()
    qtbot.waitUntil(lambda: page.view.query == "")


def test_filters_are_chips_while_the_bar_is_hidden(qtbot, page):
    page.header.filters.buttons["is"].click()
    qtbot.waitUntil(lambda: page.view.query == "is:unread")
    assert not page.header.scope.isVisible()
    page.header.toggle_filters()
    assert [chip.text() for chip in page.header.scope.chips] == ["Unread"]
    page.header.scope.chips[0].click()
    qtbot.waitUntil(lambda: page.view.query == "")


def test_filters_without_results_can_be_cleared(qtbot, show_page):
    page = show_page(FakeGateway(40))
    page.header.change(filters=(SearchFilter("year", ("2001..2002",)),))
    page.search_box.set_text("nothing like it")
    qtbot.waitUntil(page.empty.isVisible)
    (button,) = page.empty.buttons()
    button.click()
    qtbot.waitUntil(lambda: page.view.query == "nothing like it")


def test_year_range_is_dragged_and_filters_the_list(qtbot, page):
    popover = open_filter(qtbot, page, "year")
    years = popover.years
    place = [QPoint(round(years._left(year) + 3), 40) for year in (2005, 2010)]
    qtbot.mousePress(years, Qt.MouseButton.LeftButton, pos=place[0])
    qtbot.mouseMove(years, place[1])
    qtbot.mouseRelease(years, Qt.MouseButton.LeftButton, pos=place[1])
    qtbot.waitUntil(lambda: page.view.query == "year:2005..2010")
    assert page.header.filters.buttons["year"].text() == "Years 2005–2010"


def test_year_range_is_set_by_keys(qtbot, page):
    popover = open_filter(qtbot, page, "year")
    for _ in range(3):
        qtbot.keyClick(popover.years, Qt.Key.Key_Left)
    qtbot.keyClick(popover.years, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert popover.years.range == (2000, 2017)
    assert popover.years.accessibleDescription() == "2000 to 2017, 189 papers"
    popover.close()  # applies the last range
    qtbot.waitUntil(lambda: page.view.query == "year:2000..2017")


def test_year_range_to_the_last_year_stays_open(qtbot, page):
    popover = open_filter(qtbot, page, "year")
    qtbot.keyClick(popover.years, Qt.Key.Key_PageDown)
    popover.close()
    qtbot.waitUntil(lambda: page.view.query == "year:..2010")


def test_very_old_years_are_in_the_first_bar(qtbot, appearance):
    years = YearHistogram(appearance)
    qtbot.addWidget(years)
    years.show_years([(1687, 1), (1905, 4), (2020, 7)], (0, 1950))
    assert years.limits == (1901, 2020)
    assert years.range == (1901, 1950)
    assert years.accessibleDescription() == "1901 to 1950, 5 papers"
    years.show_years([], None)
    years.grab()
    assert years.accessibleDescription() == "No publication years"


def test_value_list_is_narrowed_and_used_by_keys(qtbot):
    values = ValueList("Tag", "Filter the list of tags")
    qtbot.addWidget(values)
    values.show()
    values.show_values([FacetCount("to read", 5), FacetCount("maths", 2)], ("gone", "MATHS"))
    assert values.selected() == ("gone", "maths")
    qtbot.keyClicks(values.edit, "read")
    qtbot.keyClick(values.edit, Qt.Key.Key_Down)
    assert values.list.currentItem().text(0) == "to read"
    with qtbot.waitSignal(values.changed) as changed:
        qtbot.keyClick(values.list, Qt.Key.Key_Space)
    assert changed.args == [("gone", "maths", "to read")]


def test_filters_are_described_in_words():
    assert field_words("cs.CL") == "Computation and Language (cs.CL)"
    assert field_words("Oncology") == "Oncology"
    assert filter_text(SearchFilter("year", ("2015..2015",))) == "Years 2015"
    assert filter_text(SearchFilter("year", ("2015..",))) == "Years from 2015"
    assert filter_text(SearchFilter("tag", ("a", "b", "c"))) == "a or b or 1 more"
    assert (
        SearchRequest(filters=(SearchFilter("year", ("..2019",)),), typed="x").query
        == "year:..2019 x"
    )
