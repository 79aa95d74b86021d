"""Screenshots of the map of the sample library."""

from __future__ import annotations

from sciread_app.ui.map.options import ColorBy
from sciread_app.ui.map.page import MapPage
from sciread_app.ui.shell.main_window import MainWindow
from tests.screenshots.scene import EVERYWHERE, Scene


def _whole(window: MainWindow) -> None:
    window.go_to("map")
    page = _page(window)
    page.clear()
    page.colour_by(ColorBy.group)
    page.whole_map()


def _years(window: MainWindow) -> None:
    _whole(window)
    _page(window).colour_by(ColorBy.year)


def _near(window: MainWindow) -> None:
    _whole(window)
    page = _page(window)
    if page.view.points:
        page.view.fit(page.view.points.ids[:12].tolist())


def _picked(window: MainWindow) -> None:
    _whole(window)
    page = _page(window)
    page.colour_by(ColorBy.field)
    if page.view.points:
        page.view.current_changed.emit(7)


def _group(window: MainWindow) -> None:
    _whole(window)
    _page(window).view.group_requested.emit(0, False)


def _page(window: MainWindow) -> MapPage:
    page = window.other_page("map")
    assert isinstance(page, MapPage)
    return page


SCENES = (
    Scene("map", _whole, EVERYWHERE),
    Scene("map-years", _years),
    Scene("map-near", _near, EVERYWHERE),
    Scene("map-picked", _picked, EVERYWHERE),
    Scene("map-group", _group),
)
