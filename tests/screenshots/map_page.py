"""Screenshots of the map of the sample library."""

from __future__ import annotations

from sciread_app.ui.map.options import ColorBy
from sciread_app.ui.map.panel import MapPanel
from sciread_app.ui.search.view_mode import ViewMode
from sciread_app.ui.shell.main_window import MainWindow
from tests.screenshots.scene import EVERYWHERE, Scene, wait


def _whole(window: MainWindow) -> None:
    window.go_to("search")
    window.page.show_as(ViewMode.map)
    wait(lambda: window.page.map is not None)
    window.search_for("")
    wait(lambda: not window.page.view.query)
    shown = _map(window)
    shown.colour_by(ColorBy.group)
    shown.fit()
    shown.bar.years.setChecked(False)


def _years(window: MainWindow) -> None:
    _whole(window)
    _map(window).colour_by(ColorBy.year)


def _timeline(window: MainWindow) -> None:
    _whole(window)
    shown = _map(window)
    shown.bar.years.setChecked(True)
    histogram = shown.timeline.histogram
    wait(lambda: histogram.limits != (0, 0))
    histogram.select(2005, 2015)


def _near(window: MainWindow) -> None:
    _whole(window)
    shown = _map(window)
    if shown.view.points:
        shown.fit(shown.view.points.ids[:12].tolist())


def _found(window: MainWindow) -> None:
    _whole(window)
    window.search_for("neural networks")


def _picked(window: MainWindow) -> None:
    _whole(window)
    shown = _map(window)
    shown.colour_by(ColorBy.field)
    if shown.view.points:
        shown.view.current_changed.emit(7)


def _group(window: MainWindow) -> None:
    _whole(window)
    _map(window).view.group_requested.emit(0, 0)


def _map(window: MainWindow) -> MapPanel:
    assert window.page.map is not None
    return window.page.map


SCENES = (
    Scene("map", _whole, EVERYWHERE),
    Scene("map-years", _years),
    Scene("map-timeline", _timeline, EVERYWHERE),
    Scene("map-near", _near, EVERYWHERE),
    Scene("map-results", _found, EVERYWHERE),
    Scene("map-picked", _picked, EVERYWHERE),
    Scene("map-group", _group),
)
