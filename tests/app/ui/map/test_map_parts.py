"""What points look like, which kinds there are, and what a camera sees: no window is needed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor

from sciread_app.services.map.map_service import NO_GROUP
from sciread_app.ui.map.canvas.camera import Camera
from sciread_app.ui.map.canvas.density_raster import MOST_COLOURS, density_image, tones
from sciread_app.ui.map.canvas.points import MapPoints, extent
from sciread_app.ui.map.color_scheme import by_group, by_sets, by_year
from sciread_app.ui.style.theme import DARK, LIGHT
from tests.support.ui.fake_map import drawing

WHITE, RED, BLUE = QColor("#ffffff"), QColor("#c00000"), QColor("#0000c0")


def drawn(points, colours, radius=2.0, strength=0.5, on_top=0):
    inks = tones([RED, BLUE], WHITE)
    at = np.array(points, np.float32).reshape(-1, 2)
    return density_image(at, np.array(colours, np.uint8), (40, 30), radius, strength, inks, on_top)


def darkness(image, x, y):
    return 255 - image.pixelColor(x, y).lightness()


def test_a_point_is_a_disc_where_it_lies(qapp):
    image = drawn([(10.5, 20.5)], [0])
    assert image.pixelColor(10, 20).red() > image.pixelColor(10, 20).blue()
    assert darkness(image, 10, 20) > 0
    assert darkness(image, 20, 10) == 0


def test_where_points_are_dense_the_colour_is_stronger(qapp):
    image = drawn([(10.5, 10.5), *[(30.5, 10.5)] * 5], [0] * 6)
    assert darkness(image, 30, 10) > darkness(image, 10, 10)


def test_points_at_the_edge_and_beyond_do_no_harm(qapp):
    image = drawn([(0, 0), (39.9, 29.9), (-5, 10), (100, 10)], [0] * 4)
    assert darkness(image, 0, 0) > 0
    assert darkness(image, 39, 29) > 0


def test_what_lies_on_top_is_not_painted_over(qapp):
    image = drawn([(11.5, 10.5), (10.5, 10.5)], [0, 1], on_top=1)
    assert image.pixelColor(10, 10).blue() > image.pixelColor(10, 10).red()
    assert image.pixelColor(11, 10).blue() > image.pixelColor(11, 10).red()


def test_as_many_colours_as_there_may_be(qapp):
    assert len(tones([RED] * MOST_COLOURS, WHITE)) == 256
    with pytest.raises(AssertionError):
        tones([RED] * (MOST_COLOURS + 1), WHITE)


def test_spans_of_years_hold_about_as_many_papers():
    ids = np.arange(1, 101)
    years = {2000 + n: ids[n * 5 : n * 5 + 5] for n in range(19)}  # the last five have none
    scheme = by_year(ids, years)
    assert scheme.ordered
    assert scheme.names[0].startswith("2000")
    assert scheme.names[-1] == "No year"
    assert scheme.counts[-1] == 5
    assert max(scheme.counts[:-1]) <= 2 * min(scheme.counts[:-1])


def test_years_go_from_blue_to_yellow_on_both_themes():
    scheme = by_year(np.arange(70), {2000 + n: np.arange(n * 10, n * 10 + 10) for n in range(7)})
    for theme in (LIGHT, DARK):
        warmth = [colour.red() - colour.blue() for colour in scheme.colours(theme)]
        assert warmth[0] < 0 < warmth[-1]


def test_a_single_year_needs_no_span():
    scheme = by_year(np.arange(3), {2020: np.arange(3)})
    assert scheme.names == ("2020",)


def test_without_years_all_are_without_a_year():
    assert by_year(np.arange(3), {}).names == ("No year",)


def test_papers_of_no_group_are_a_kind_of_their_own():
    whole = drawing(range(1, 41))
    assert "New, not yet grouped" not in by_group(whole).names
    coarse = whole.coarse.copy()
    coarse[:5] = NO_GROUP
    scheme = by_group(replace(whole, fine=coarse, coarse=coarse))
    assert scheme.names[-1] == "New, not yet grouped" and scheme.counts[-1] == 5
    for theme in (LIGHT, DARK):
        found = [colour.name() for colour in scheme.colours(theme)]
        assert len(set(found)) == len(found)


def test_the_largest_sets_are_kinds_and_the_smaller_wins():
    ids = np.arange(1, 11)
    scheme = by_sets(ids, {"all": ids[:8], "few": ids[:2], "none": ids[:0]}, "Other")
    assert scheme.names == ("all", "few", "Other")
    assert scheme.counts == [6, 2, 2]
    assert scheme.rest == 2


def test_many_sets_leave_the_smallest_to_the_rest():
    ids = np.arange(1, 201)
    sets = {f"set {n}": ids[ids % 20 == n] for n in range(20)}
    scheme = by_sets(ids, sets, "Other")
    assert len(scheme.names) == 11
    assert scheme.names[-1] == "Other"


def test_a_zoom_keeps_what_is_under_the_mouse():
    camera, at = Camera(), QPointF(100, 50)
    before = camera.world(at)
    after = camera.zoomed(3, at, 600).world(at)
    assert (after.x(), after.y()) == pytest.approx((before.x(), before.y()))


def test_one_can_not_zoom_or_move_away_from_the_map():
    camera = Camera()
    for _ in range(200):
        camera = camera.zoomed(0.5, QPointF(0, 0), 600).panned(500, 500)
    assert camera.scale >= 300
    assert camera.x <= 1.1
    for _ in range(200):
        camera = camera.zoomed(2, QPointF(0, 0), 600)
    assert np.isfinite(camera.scale)


def test_a_camera_sees_by_two_corners_what_it_sees_by_all_points():
    points = MapPoints(drawing(range(1, 81)))
    assert Camera().fitting(points.extent) == Camera().fitting(points.places)
    assert Camera().fitting(extent(points.places[:0])) == Camera()


def test_a_polygon_holds_what_is_inside_and_no_more():
    points = MapPoints(drawing(range(1, 81)))
    triangle = np.array([[0.6, 0.0], [1.0, 0.0], [0.8, 0.5]])
    inside = points.ids[points.within(triangle)]
    assert len(inside)
    assert set(inside % 4) == {1}


def test_what_stands_out_is_meant_rather_than_what_is_dimmed():
    points = MapPoints(drawing(range(1, 81)))
    one, other = points.numbers([5, 9])
    x, y = ((points.places[one] + points.places[other]) / 2).tolist()
    for highlighted in (5, 9):
        points.highlight([highlighted])
        assert points.ids[points.nearest(x, y, 0.2)] == highlighted
