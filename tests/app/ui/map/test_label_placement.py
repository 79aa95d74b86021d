"""Positions of the labels of groups."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont, QFontMetricsF

from sciread_app.services.map.map_service import Cluster
from sciread_app.ui.map.canvas.label_placement import WRAPPED, LabelPlacement, Occupancy, wrapped
from sciread_app.ui.map.canvas.points import extent

GROUPS, PAPERS = 60, 3_000
SCALES = [800.0 * 1.25**step for step in range(8)]


@pytest.fixture(scope="module")
def crowd():
    """Return the places of papers in overlapping groups, and the group of each."""
    random = np.random.default_rng(0)
    hearts = random.random((GROUPS, 2))
    labels = random.integers(0, GROUPS, PAPERS).astype(np.int16)
    places = hearts[labels] + random.normal(0, 0.03, (PAPERS, 2))
    return places.astype(np.float32), labels, hearts


@pytest.fixture
def placement(qapp, crowd):
    places, labels, hearts = crowd
    sizes = np.bincount(labels, minlength=GROUPS).tolist()
    clusters = [
        Cluster(f"Group number {n}, of some", sizes[n], tuple(hearts[n].tolist()))
        for n in range(GROUPS)
    ]
    occupancy = Occupancy(places, labels, GROUPS)
    return LabelPlacement(clusters, occupancy, extent(places), QFont())


@pytest.mark.parametrize("scale", [300.0, 380.0, 800.0])
def test_crowded_map_labels_every_group_by_its_first_phrase_where_that_is_needed(qapp, scale):
    random = np.random.default_rng(4)
    hearts = random.random((12, 2))
    labels = random.integers(0, 12, PAPERS).astype(np.int16)
    places = (hearts[labels] + random.normal(0, 0.08, (PAPERS, 2))).astype(np.float32)
    names = [f"Complex networks {n}, community structure" for n in range(12)]
    clusters = [
        Cluster(name, int((labels == n).sum()), tuple(hearts[n].tolist()))
        for n, name in enumerate(names)
    ]
    occupancy, font = Occupancy(places, labels, 12), QFont()
    placed = LabelPlacement(clusters, occupancy, extent(places), font, crowded=True).at(scale)
    fewer = LabelPlacement(clusters, occupancy, extent(places), font).at(scale)
    assert {label.group for label in placed} == set(range(12)) and len(fewer) < 12
    for label in placed:
        shown = " ".join(label.text.split())
        assert shown in (names[label.group], names[label.group].partition(", ")[0])
        assert not any(label.box.intersects(o.box) for o in placed if o is not label)


@pytest.mark.parametrize("scale", SCALES)
def test_labels_do_not_overlap_at_any_scale(placement, scale):
    boxes = [label.box for label in placement.at(scale)]
    assert boxes
    assert not any(a.intersects(b) for a in boxes for b in boxes if a is not b)


@pytest.mark.parametrize("scale", SCALES)
def test_label_covers_mostly_points_of_its_group(placement, crowd, scale):
    places, labels, _ = crowd
    for label in placement.at(scale):
        box = label.box.adjusted(-8, -8, 8, 8)
        x, y = (places * scale).T
        inside = (x > box.left()) & (x < box.right()) & (y > box.top()) & (y < box.bottom())
        below = np.bincount(labels[inside], minlength=GROUPS)
        assert below[label.group] >= below.max() - 1  # points are counted in cells of a grid


def test_label_keeps_its_side_of_the_group_while_zooming(placement, crowd):
    hearts = crowd[2]
    sides = []
    for scale in np.linspace(2_000, 2_200, 9).tolist():
        sides.append(
            {
                label.group: (
                    label.box.center().x() - hearts[label.group][0] * scale,
                    label.box.center().y() - hearts[label.group][1] * scale,
                )
                for label in placement.at(scale)
            }
        )
    kept = moved = 0
    for before, after in pairwise(sides):
        for group in before.keys() & after.keys():
            if before[group] == pytest.approx(after[group], abs=4):  # at the edge
                kept += 1
            else:
                moved += 1
    assert kept > 20 * moved


def test_focused_group_is_labelled_first(placement):
    shown = {label.group for label in placement.at(SCALES[0])}
    hidden = next(n for n in range(GROUPS) if n not in shown)
    with_it = {label.group for label in placement.at(SCALES[0], hidden)}
    assert hidden in with_it or len(with_it) >= len(shown)


def test_map_without_named_groups_has_no_labels(qapp, crowd):
    places, labels, _ = crowd
    occupancy = Occupancy(places, labels, GROUPS)
    clusters = [Cluster("", 3, (0.5, 0.5))] * GROUPS
    assert LabelPlacement(clusters, occupancy, extent(places), QFont()).at(800.0) == []


def test_labels_lie_beside_the_points_of_small_groups(qapp):
    random = np.random.default_rng(1)
    hearts = np.array([[0.2, 0.2], [0.8, 0.2], [0.5, 0.5], [0.2, 0.8], [0.8, 0.8]])
    labels = np.repeat(np.arange(5), 12).astype(np.int16)
    places = (hearts[labels] + random.normal(0, 0.015, (60, 2))).astype(np.float32)
    clusters = [Cluster(f"Group {n}", 12, tuple(hearts[n].tolist())) for n in range(5)]
    placement = LabelPlacement(clusters, Occupancy(places, labels, 5), extent(places), QFont())
    placed = placement.at(700.0)
    assert {label.group for label in placed} == set(range(5))
    for label in placed:
        assert not any(label.box.contains(x, y) for x, y in (places * 700.0).tolist())
        near = label.box.adjusted(-40, -40, 40, 40)
        inside = [near.contains(x, y) for x, y in (places * 700.0).tolist()]
        assert set(labels[inside].tolist()) == {label.group}


def test_wide_name_takes_several_lines(qapp):
    metrics = QFontMetricsF(QFont())
    name = "Exchange and correlation effects of inhomogeneous electron gases, density"
    lines = wrapped(name, metrics).split("\n")
    assert len(lines) > 2 and lines[-1] == "density" and " ".join(lines) == name
    assert max(map(metrics.horizontalAdvance, lines)) <= WRAPPED


def test_labels_are_placed_beside_what_is_covered(placement):
    free = placement.at(SCALES[0])
    covered = QRectF(free[0].box)
    beside = placement.at(SCALES[0], None, covered)
    assert len(beside) > len(free) / 2
    assert not any(label.box.intersects(covered) for label in beside)


def test_label_without_room_beside_its_group_is_joined_by_a_line(qapp):
    random = np.random.default_rng(1)
    # A small group within a large one
    places = np.concatenate([random.normal(0, 0.04, (400, 2)), random.normal(0, 0.004, (20, 2))])
    corners = np.array([(-0.5, -0.5), (0.5, 0.5)])
    places = np.concatenate([places, corners]).astype(np.float32)
    labels = np.array([0] * 400 + [1] * 20 + [2, 2], np.int16)
    clusters = [
        Cluster("Outer group", 400, (0.0, 0.0)),
        Cluster("Inner group", 20, (0.0, 0.0)),
        Cluster("", 2, (0.5, 0.5)),
    ]
    placement = LabelPlacement(clusters, Occupancy(places, labels, 3), extent(places), QFont())
    inner = next(label for label in placement.at(600.0) if label.group == 1)
    assert inner.end is not None and not inner.box.contains(inner.end)
    x, y = (places * 600.0).T
    box = inner.box
    assert not ((x > box.left()) & (x < box.right()) & (y > box.top()) & (y < box.bottom())).any()
    assert inner.moved(QPointF(5, 0)).end == inner.end + QPointF(5, 0)
