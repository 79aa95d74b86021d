"""Line charts: painting, accessible texts, keyboard and mouse."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from sciread_app.ui.evaluation.scores.bar_chart import tick_text
from sciread_app.ui.style.data_colours import hue
from sciread_app.ui.widgets.charts.line_chart import LineChart
from sciread_app.ui.widgets.charts.primitives import Axis, PlotLine, compact, smooth, ticks


@pytest.fixture
def chart(qtbot, appearance):
    made = LineChart("Loss", appearance, Axis("step"), Axis("loss"))
    qtbot.addWidget(made)
    made.resize(400, 300)
    made.show()
    return made


def rising(name="a", number=0, **more):
    x = np.arange(1.0, 101.0)
    return PlotLine(name, x, x / 100, number, **more)


@pytest.mark.parametrize(
    ("span", "found"),
    [
        ((0, 1), [0, 0.2, 0.4, 0.6, 0.8, 1]),
        ((-1.3, 1.1), [-1, -0.5, 0, 0.5, 1]),
        ((1_000, 52_000), [20_000, 40_000]),
        ((3, 3), []),
        ((0, float("nan")), []),
    ],
)
def test_ticks_are_round(span, found):
    assert ticks(*span) == pytest.approx(found)


def test_compact_shortens_large_numbers():
    assert [compact(value) for value in (0.05, 950, 12_000, 2_500_000)] == [
        *("0.05", "950", "12k", "2.5M")
    ]


def test_smooth_keeps_ends_and_mean():
    y = np.array([0.0, 1.0] * 50)
    found = smooth(y, 0.2)
    assert (found[0], found[-1]) == (0, 1)
    assert np.ptp(found[20:80]) < 0.1 and found.mean() == pytest.approx(0.5, abs=0.02)


def test_line_is_painted_in_its_colour_at_its_values(chart, appearance):
    chart.show_lines([rising(number=1)])
    picture = chart.grab().toImage()
    wanted = hue(1, appearance.theme)
    coloured = [
        (x, y)
        for x in range(picture.width())
        for y in range(picture.height())
        if QColor(picture.pixel(x, y)) == wanted
    ]
    left, right = min(coloured), max(coloured)
    assert left[1] > right[1] + 150  # it rises


def test_keys_move_along_the_chart_and_read_values(chart, qtbot):
    chart.show_lines([rising("a"), rising("b", 1, pale=True), rising("c", 2, dots=True)])
    qtbot.keyClick(chart, Qt.Key.Key_Right)
    assert chart.at == 1
    qtbot.keyClick(chart, Qt.Key.Key_Right)
    assert chart.accessibleDescription() == "a 0.02, c 0.02"
    qtbot.keyClick(chart, Qt.Key.Key_Left)
    assert chart.at == 1


@pytest.mark.parametrize(
    ("x", "shown"), [(0, "0.1"), (0.9, "0.1"), (1, "0.7"), (1.9, "0.7"), (2, "0.2"), (3, "0.2")]
)
def test_histogram_is_read_out_within_the_whole_bin(chart, x, shown):
    bins = PlotLine("bins", np.arange(4.0), np.array([0.1, 0.7, 0.2]), stairs=True)
    chart.show_lines([bins])
    chart.point_at(x)
    assert [text for _, text in chart.readout()] == [shown]
    chart.grab()


def test_isolated_points_are_read_out_only_nearby(chart):
    few = PlotLine("few", np.array([10.0, 90.0]), np.array([0.3, 0.2]), 1, dots=True)
    chart.show_lines([rising("a"), few])
    chart.point_at(50)
    assert [line.name for line, _ in chart.readout()] == ["a"]
    chart.point_at(90)
    assert [text for _, text in chart.readout()] == ["0.9", "0.2"]


def test_accessible_text_has_first_and_last_values(chart):
    chart.show_lines([rising("a")])
    assert chart.accessibleDescription() == "a: from 0.01 to 1"


def test_empty_chart_ignores_keys(chart, qtbot):
    chart.show_lines([PlotLine("none", np.empty(0), np.empty(0))])
    qtbot.keyClick(chart, Qt.Key.Key_Right)
    assert chart.at is None and not chart.readout()


@pytest.mark.parametrize("high", [0.001, 0.01, 0.1, 0.667, 1.0])
@pytest.mark.parametrize("percent", [True, False])
def test_grid_lines_have_different_labels(high, percent):
    texts = [tick_text(value, percent) for value in ticks(0.0, high)]
    assert len(set(texts)) == len(texts)


def test_shares_are_read_as_per_cent():
    assert [tick_text(value, True) for value in ticks(0.0, 1.0)] == [
        "0",
        "20",
        "40",
        "60",
        "80",
        "100",
    ]


def test_large_numbers_are_read_without_exponents():
    assert [tick_text(value, False) for value in ticks(0.0, 2_000)] == [
        *("0", "500", "1k", "1.5k", "2k")
    ]
