"""The parts of the map that need no window: density images, colour schemes, camera, points."""

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
from tests.support.ui.fakes.map import drawing

WHITE, RED, BLUE = QColor("#ffffff"), QColor("#c00000"), QColor("#0000c0")


def drawn(points, colours, radius=2.0, strength=0.5, on_top=0):
    inks = tones([RED, BLUE], WHITE)
    at = np.array(points, np.float32).reshape(-1, 2)
    return density_image(at, np.array(colours, np.uint8), (40, 30), radius, strength, inks, on_top)


def darkness(image, x, y):
    return 255 - image.pixelColor(x, y).lightness()


def test_density_image_of_a_point_is_a_disc_at_its_place(qapp):
    image = drawn([(10.5, 20.5)], [0])
    assert image.pixelColor(10, 20).red() > image.pixelColor(10, 20).blue()
    assert darkness(image, 10, 20) > 0
    assert darkness(image, 20, 10) == 0


def test_density_image_is_darker_where_points_are_dense(qapp):
    image = drawn([(10.5, 10.5), *[(30.5, 10.5)] * 5], [0] * 6)
    assert darkness(image, 30, 10) > darkness(image, 10, 10)


def test_density_image_accepts_points_on_and_beyond_the_edge(qapp):
    image = drawn([(0, 0), (39.9, 29.9), (-5, 10), (100, 10)], [0] * 4)
    assert darkness(image, 0, 0) > 0
    assert darkness(image, 39, 29) > 0


def test_density_image_paints_points_on_top_last(qapp):
    image = drawn([(11.5, 10.5), (10.5, 10.5)], [0, 1], on_top=1)
    assert image.pixelColor(10, 10).blue() > image.pixelColor(10, 10).red()
    assert image.pixelColor(11, 10).blue() > image.pixelColor(11, 10).red()


def test_tones_are_limited_to_256(qapp):
    assert len(tones([RED] * MOST_COLOURS, WHITE)) == 256
    with pytest.raises(AssertionError):
        tones([RED] * (MOST_COLOURS + 1), WHITE)


def test_year_spans_hold_similar_numbers_of_papers():
    ids = np.arange(1, 101)
    years = {2000 + n: ids[n * 5 : n * 5 + 5] for n in range(19)}  # the last five have no year
    scheme = by_year(ids, years)
    assert scheme.ordered
    assert scheme.names[0].startswith("2000")
    assert scheme.names[-1] == "No year"
    assert scheme.counts[-1] == 5
    assert max(scheme.counts[:-1]) <= 2 * min(scheme.counts[:-1])


def test_year_colours_go_from_blue_to_yellow_in_both_themes():
    scheme = by_year(np.arange(70), {2000 + n: np.arange(n * 10, n * 10 + 10) for n in range(7)})
    for theme in (LIGHT, DARK):
        warmth = [colour.red() - colour.blue() for colour in scheme.colours(theme)]
        assert warmth[0] < 0 < warmth[-1]


def test_single_year_is_named_without_a_span():
    scheme = by_year(np.arange(3), {2020: np.arange(3)})
    assert scheme.names == ("2020",)


def test_papers_without_years_form_one_category():
    assert by_year(np.arange(3), {}).names == ("No year",)


def test_ungrouped_papers_have_their_own_category_and_colour():
    whole = drawing(range(1, 41))
    assert "New, not yet grouped" not in by_group(whole).names
    coarse = whole.coarse.copy()
    coarse[:5] = NO_GROUP
    scheme = by_group(replace(whole, fine=coarse, coarse=coarse))
    assert scheme.names[-1] == "New, not yet grouped" and scheme.counts[-1] == 5
    for theme in (LIGHT, DARK):
        found = [colour.name() for colour in scheme.colours(theme)]
        assert len(set(found)) == len(found)


def test_paper_of_several_sets_belongs_to_the_smallest():
    ids = np.arange(1, 11)
    scheme = by_sets(ids, {"all": ids[:8], "few": ids[:2], "none": ids[:0]}, "Other")
    assert scheme.names == ("all", "few", "Other")
    assert scheme.counts == [6, 2, 2]
    assert scheme.rest == 2


def test_by_sets_merges_the_smallest_of_many_sets():
    ids = np.arange(1, 201)
    sets = {f"set {n}": ids[ids % 20 == n] for n in range(20)}
    scheme = by_sets(ids, sets, "Other")
    assert len(scheme.names) == 11
    assert scheme.names[-1] == "Other"


def test_camera_zoom_keeps_the_point_under_the_mouse():
    camera, at = Camera(), QPointF(100, 50)
    before = camera.world(at)
    after = camera.zoomed(3, at, 600).world(at)
    assert (after.x(), after.y()) == pytest.approx((before.x(), before.y()))


def test_camera_scale_and_position_are_limited():
    camera = Camera()
    for _ in range(200):
        camera = camera.zoomed(0.5, QPointF(0, 0), 600).panned(500, 500)
    assert camera.scale >= 300
    assert camera.x <= 1.1
    for _ in range(200):
        camera = camera.zoomed(2, QPointF(0, 0), 600)
    assert np.isfinite(camera.scale)


def test_camera_fits_the_extent_like_all_points():
    points = MapPoints(drawing(range(1, 81)))
    for covered in (0, 200):
        fitted = Camera().fitting(points.extent, covered, covered)
        assert fitted == Camera().fitting(points.places, covered, covered)
    assert Camera().fitting(extent(points.places[:0])) == Camera()


@pytest.mark.parametrize("across, down", [(1.0, 0.3), (0.3, 1.0)])
def test_camera_fits_points_beside_or_above_a_covered_corner(across, down):
    corners = np.array([[0, 0], [across, down], [0, down], [across, 0]], np.float32)
    camera = Camera().fitting(corners, left=300, below=300)
    (left, top), (right, bottom) = camera.screen(corners[:2]).tolist()
    assert left > 300 or bottom < 300  # pixels of 800 x 600
    assert left > 0 and top > 0 and right < 800 and bottom < 600
    assert max(right - left, bottom - top) > 420


def test_camera_fits_points_around_a_covered_corner_that_they_do_not_reach():
    places = np.array([[0, 0], [1, 0], [1, 1], [0.2, 0.4], [0.6, 0.8]], np.float32)
    camera = Camera().fitting(places, left=200, below=200)
    pixels = camera.screen(places)  # of 800 x 600
    assert ((pixels > 0) & (pixels < [800, 600])).all()
    assert not ((pixels[:, 0] < 200) & (pixels[:, 1] > 400)).any()
    assert camera.scale > 1.2 * Camera(width=800, height=400).fitting(places).scale


def test_within_returns_only_points_inside_the_polygon():
    points = MapPoints(drawing(range(1, 81)))
    triangle = np.array([[0.6, 0.0], [1.0, 0.0], [0.8, 0.5]])
    inside = points.ids[points.within(triangle)]
    assert len(inside)
    assert set(inside % 4) == {1}


def test_nearest_prefers_highlighted_points():
    points = MapPoints(drawing(range(1, 81)))
    one, other = points.numbers([5, 9])
    x, y = ((points.places[one] + points.places[other]) / 2).tolist()
    for highlighted in (5, 9):
        points.highlight([highlighted])
        assert points.ids[points.nearest(x, y, 0.2)] == highlighted
