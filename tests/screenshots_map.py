"""What is done for the pictures of the map, on the sample library."""

from __future__ import annotations

from sciread_app.ui.main_window import MainWindow
from sciread_app.ui.map.choices import By
from sciread_app.ui.map.page import MapPage
from sciread_app.ui.theme import Choice


def _empty(window: MainWindow) -> None:
    window.go_to("map")


def _whole(window: MainWindow) -> None:
    window.go_to("map")
    page = _page(window)
    page.clear()
    page.colour_by(By.group)
    page.whole_map()


def _years(window: MainWindow) -> None:
    _whole(window)
    _page(window).colour_by(By.year)


def _near(window: MainWindow) -> None:
    _whole(window)
    page = _page(window)
    if page.view.points:
        page.view.fit(page.view.points.ids[:12].tolist())


def _picked(window: MainWindow) -> None:
    _whole(window)
    page = _page(window)
    page.colour_by(By.field)
    if page.view.points:
        page.view.picked.emit(7)


def _group(window: MainWindow) -> None:
    _whole(window)
    _page(window).view.group_wanted.emit(0, False)


def _page(window: MainWindow) -> MapPage:
    page = window.other_page("map")
    assert isinstance(page, MapPage)
    return page


EMPTY = ("map-empty", Choice.light, _empty)
PICTURES = [
    ("map", Choice.light, _whole),
    ("map-dark", Choice.dark, lambda window: None),
    ("map-years-dark", Choice.dark, _years),
    ("map-near", Choice.light, _near),
    ("map-picked", Choice.light, _picked),
    ("map-group", Choice.dark, _group),
]
AT_200_PERCENT = [
    ("map-at-200-percent", Choice.light, _whole),
    ("map-near-at-200-percent", Choice.dark, _near),
]
