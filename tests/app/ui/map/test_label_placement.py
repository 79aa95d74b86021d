"""Positions of the labels of groups."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtGui import QFont

from sciread_app.services.map.map_service import Cluster
from sciread_app.ui.map.canvas.label_placement import LabelPlacement, Occupancy
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
            if before[group] == pytest.approx(after[group], abs=0.01):
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
