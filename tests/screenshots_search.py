"""Pictures of the search page: filters, steering, cards with all their marks."""

from __future__ import annotations

from sciread_app.ui.main_window import MainWindow
from sciread_app.ui.request import Filter
from sciread_app.ui.search_page import SearchPage
from sciread_app.ui.theme import Choice


def _page(window: MainWindow) -> SearchPage:
    window.go_to("search")
    assert window.page
    return window.page


def _found(window: MainWindow) -> None:
    page = _page(window)
    page.head.lift()
    page.box.set_text("learning to see")


def _marked(window: MainWindow) -> None:
    """Cards with tags, stars and papers that were read."""
    page, desk = _page(window), window.desk
    assert desk
    ids = list(page.view.listing.ids)[:3]
    desk.organise.tag(ids[:2], "to read")
    desk.organise.tag(ids[:1], "seminar")
    desk.organise.colour_tag("to read", "green")
    desk.organise.colour_tag("seminar", "purple")
    desk.organise.rate(ids[:1], 4)
    desk.organise.mark_read(ids[1:2], True)
    page.refresh()


def _filters(window: MainWindow) -> None:
    page = _page(window)
    if page.head.filters.isHidden():
        page.head.toggle_filters()
    page.set_scope('in:"Sample library"', "Sample library")
    page.box.set_text("learning")
    page.head.change(filters=(Filter("year", ("1990..2018",)), Filter("cat", ("cs.LG", "cs.CL"))))


def _years(window: MainWindow) -> None:
    page = _page(window)
    page.head.change(filters=())
    page.head.filters.open("year")


def _fields(window: MainWindow) -> None:
    page = _page(window)
    page.head.filters.open("cat")


def _steered(window: MainWindow) -> None:
    """A typed query with examples and a counterexample."""
    page = _page(window)
    page.head.toggle_filters()
    page.set_scope("")
    page.box.set_text("learning to see")
    ids = [int(paper) for paper in page.view.listing.ids[:4]]
    page.head.change(like=tuple(ids[:2]), unlike=tuple(ids[3:4]))


def _as_it_is(window: MainWindow) -> None:
    pass


PICTURES = [
    ("search-found", Choice.light, _found),
    ("search-marked", Choice.light, _marked),
    ("search-marked-dark", Choice.dark, _as_it_is),
    ("search-filters", Choice.light, _filters),
    ("search-filters-dark", Choice.dark, _as_it_is),
    ("search-years", Choice.light, _years),
    ("search-fields", Choice.dark, _fields),
    ("search-steered", Choice.light, _steered),
    ("search-steered-dark", Choice.dark, _as_it_is),
]
AT_200_PERCENT = [
    ("search-filters-at-200-percent", Choice.light, _filters),
    ("search-steered-at-200-percent", Choice.dark, _steered),
]
