"""The years of the papers on the map."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QGestureEvent, QPinchGesture

from sciread_app.domain.paper import LibraryChanges
from sciread_app.ui.map.panel import MapPanel
from sciread_app.ui.map.timeline import Timeline
from tests.support.ui.fakes.gateway import FakeGateway

YEARS = np.array([1999, 2003, 2003, 2010, 0, 0])


class Filtered:
    """The last mask of a timeline, as numbers of papers."""

    def __init__(self, timeline):
        self.shown = None
        timeline.filtered.connect(self._keep)

    def _keep(self, mask):
        self.shown = None if mask is None else np.flatnonzero(mask).tolist()


@pytest.fixture
def timeline(qtbot, appearance):
    timeline = Timeline(appearance)
    qtbot.addWidget(timeline)
    timeline.resize(500, 100)
    timeline.show()
    timeline.show_years(YEARS)
    return timeline


@pytest.fixture
def filtered(timeline):
    return Filtered(timeline)


@pytest.fixture
def panel(qtbot, jobs, context):
    gateway = FakeGateway(80)
    panel = MapPanel(gateway.map, gateway, context)
    panel.view.animated = False
    panel.resize(1100, 700)
    qtbot.addWidget(panel)
    panel.show()
    qtbot.waitUntil(lambda: panel.view.points is not None and not jobs.running())
    return panel


def shown(panel):
    points = panel.view.points
    return sorted(points.ids[points.order].tolist())


def test_range_shows_its_papers_and_those_without_a_year(timeline, filtered):
    timeline.histogram.select(2000, 2005)
    assert filtered.shown == [1, 2, 4, 5]
    assert "2 " in timeline.unknown.text()
    timeline.unknown.click()
    assert filtered.shown == [1, 2]


def test_papers_without_a_year_are_hidden_though_all_years_are_shown(timeline, filtered):
    timeline.unknown.click()
    assert filtered.shown == [0, 1, 2, 3]


def test_all_years_shows_everything_again(timeline, filtered):
    timeline.histogram.select(2000, 2005)
    timeline.unknown.click()
    timeline.all.click()
    assert filtered.shown is None
    assert timeline.unknown.isChecked() and not timeline.all.isEnabled()


def test_handles_are_moved_by_keys(timeline, filtered):
    QTest.keyClick(timeline.histogram, Qt.Key.Key_Left)
    assert filtered.shown == [0, 1, 2, 4, 5]
    QTest.keyClick(timeline.histogram, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert filtered.shown == [1, 2, 4, 5]
    QTest.keyClick(timeline.histogram, Qt.Key.Key_Delete)
    assert filtered.shown is None


def test_handles_are_dragged_from_the_ends(timeline, filtered):
    histogram = timeline.histogram
    end, middle = QPoint(histogram.width() - 2, 20), QPoint(histogram.width() // 2, 20)
    QTest.mousePress(histogram, Qt.MouseButton.LeftButton, pos=end)
    QTest.mouseMove(histogram, middle)
    QTest.mouseRelease(histogram, Qt.MouseButton.LeftButton, pos=middle)
    assert filtered.shown == [0, 1, 2, 4, 5]
    QTest.mousePress(histogram, Qt.MouseButton.LeftButton, pos=QPoint(2, 20))
    QTest.mouseMove(histogram, QPoint(histogram.width() // 4, 20))
    QTest.mouseRelease(histogram, Qt.MouseButton.LeftButton, pos=middle)
    assert filtered.shown == [1, 2, 4, 5]


def test_first_bar_of_a_long_time_has_all_older_papers(timeline, filtered):
    timeline.show_years(np.array([1687, 1905, 2020]))
    assert timeline.unknown.isHidden()
    timeline.histogram.select(1901, 1910)
    assert filtered.shown == [0, 1]


def test_play_adds_years_until_the_last(timeline, filtered, qtbot):
    timeline.unknown.click()
    timeline.play.click()
    assert filtered.shown == [0]
    qtbot.waitUntil(lambda: filtered.shown == [0, 1, 2])
    qtbot.waitUntil(lambda: filtered.shown == [0, 1, 2, 3])
    qtbot.waitUntil(lambda: timeline.play.text() == "Play")


def test_play_stops_when_paused_or_hidden(timeline, filtered):
    timeline.play.click()
    assert timeline.play.text() == "Pause"
    timeline.play.click()
    assert timeline.play.text() == "Play"
    timeline.play.click()
    timeline.hide()
    assert timeline.play.text() == "Play"


def test_other_papers_keep_the_range(timeline, filtered):
    timeline.histogram.select(2000, 2005)
    timeline.show_years(np.array([2001, 2010, 1990]))
    assert filtered.shown == [0]


def test_papers_without_any_year_stay_visible(timeline, filtered):
    timeline.show_years(np.zeros(3, np.int64))
    assert filtered.shown is None
    assert not timeline.play.isEnabled()


def test_map_shows_the_papers_of_the_selected_years(panel, qtbot):
    before = panel.view.camera.scale
    panel.bar.years.trigger()
    assert panel.timeline.isVisible()
    qtbot.waitUntil(lambda: panel.timeline.histogram.limits == (2001, 2019))
    panel.timeline.histogram.select(2001, 2002)
    panel.timeline.unknown.click()
    assert shown(panel) == [n for n in range(1, 81) if n % 20 in (1, 2)]
    panel.bar.years.trigger()
    assert not panel.timeline.isVisible()
    assert len(shown(panel)) == 80
    assert panel.view.camera.scale == pytest.approx(before, rel=0.3)


def test_redrawn_map_keeps_the_selected_years(panel, qtbot, jobs):
    panel.bar.years.trigger()
    qtbot.waitUntil(lambda: panel.timeline.histogram.limits == (2001, 2019))
    panel.timeline.histogram.select(2001, 2001)
    panel.timeline.unknown.click()
    panel._gateway.count = panel._gateway.with_vector = 90
    panel.library_changed(LibraryChanges(papers=True, vectors=True))
    qtbot.waitUntil(lambda: len(panel.view.points.ids) == 90 and not jobs.running())
    assert shown(panel) == [1, 21, 41, 61, 81]


def test_hidden_papers_are_not_under_the_mouse(panel, qtbot):
    panel.bar.years.trigger()
    qtbot.waitUntil(lambda: panel.timeline.histogram.limits == (2001, 2019))
    points = panel.view.points
    x, y = points.places[points.numbers([7])[0]].tolist()
    assert points.ids[points.nearest(x, y, 0.001)] == 7
    panel.timeline.histogram.select(2001, 2002)
    assert points.nearest(x, y, 0.001) is None


def test_years_of_the_previous_map_do_not_filter_the_next(panel, qtbot, jobs, hold):
    panel.bar.years.trigger()
    qtbot.waitUntil(lambda: panel.timeline.histogram.limits == (2001, 2019))
    go_on = hold(panel._gateway, "years")
    panel._gateway.count = panel._gateway.with_vector = 90
    panel.library_changed(LibraryChanges(papers=True, vectors=True))
    qtbot.waitUntil(lambda: len(panel.view.points.ids) == 90)
    panel.timeline.histogram.select(2001, 2002)  # as playing does
    panel.view.grab()
    go_on.set()
    qtbot.waitUntil(lambda: not jobs.running())
    assert {n for n in shown(panel) if n % 20} == {n for n in range(1, 91) if n % 20 in (1, 2)}


def test_pinch_zooms_around_the_fingers(panel):
    view = panel.view
    view.window().move(120, 90)
    fingers = QPointF(200, 150)
    under = view.camera.world(fingers)
    pinch = QPinchGesture()
    pinch.setScaleFactor(2.0)
    pinch.setCenterPoint(view.mapToGlobal(fingers))
    QApplication.sendEvent(view, QGestureEvent([pinch]))
    after = view.camera.point((under.x(), under.y()))
    assert (after.x(), after.y()) == pytest.approx((200, 150), abs=1)
