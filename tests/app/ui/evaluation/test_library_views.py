"""The library as two models see it: neighbours of papers that one knows, and two maps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from sciread_app.domain.paper import PaperId
from sciread_app.ui.evaluation.maps_view import scheme_like, turned
from sciread_app.ui.evaluation.model_pair_picker import ModelPairPicker
from sciread_app.ui.evaluation.page import MAPS, NEIGHBOURS
from tests.support.ui.fake_evaluation import drawing


@pytest.fixture
def neighbours(show):
    return show(NEIGHBOURS)


@pytest.fixture
def maps(show, dashboard):
    dashboard.maps = {"starter": drawing(100), "specter-ours": drawing(100, turn=1.0)}
    return show(MAPS)


def choose(view, settled, first, second):
    view.pair.choose(first, second)
    settled()


# Neighbours


def test_the_first_known_paper_is_asked_of_two_models(neighbours, desk):
    assert [side.title.text() for side in neighbours.sides] == ["Starter", "Specter-Ours"]
    assert desk.asked[-2:] == ["like:1", "like:1"]
    found = [list(side.model.listing.ids) for side in neighbours.sides]
    assert found[0] and found[0] != found[1]
    assert "stand in both answers" in neighbours.message.text()


def test_what_stands_elsewhere_or_only_here_is_marked(neighbours):
    moved = neighbours.sides[1].model.listing.evidence
    assert moved[PaperId(999)].moved.places is None
    assert any(each.moved.places for paper, each in moved.items() if paper != 999)


def test_a_paper_is_found_by_its_words(neighbours, dashboard, desk, qtbot, settled):
    qtbot.keyClicks(neighbours.box, "curie")
    qtbot.waitUntil(lambda: ("find", "curie") in dashboard.asked)
    settled()
    assert list(neighbours.papers.model().listing.ids) == [3]
    assert desk.asked[-1] == "like:3"
    neighbours.box.clear()
    qtbot.waitUntil(lambda: list(neighbours.papers.model().listing.ids) == [1, 2])


def test_a_model_that_has_read_nothing_says_so_and_can_read(neighbours, desk, qtbot, settled):
    choose(neighbours, settled, "starter", "miread-ours")
    side = neighbours.sides[1]
    assert "has not read your papers yet" in side.message.text()
    assert side.read_button.isVisible()
    qtbot.mouseClick(side.read_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: desk.others.read["miread-ours"] == desk.count)
    settled()
    assert len(side.model.listing.ids) and not side.read_button.isVisible()


def test_a_model_that_cannot_be_opened_is_explained(neighbours, settled):
    choose(neighbours, settled, "starter", "broken")
    assert "The model broken is not whole. Fetch it again." in neighbours.message.text()


def test_without_a_second_model_it_says_what_to_do(neighbours, desk, settled):
    desk.others.read.clear()
    neighbours.ask()
    settled()
    assert neighbours.empty.title.text() == "There is no second model here yet"


@pytest.mark.parametrize("number", [NEIGHBOURS, MAPS])
@pytest.mark.parametrize(
    ("place", "text"), [("training", "Train one…"), ("models", "Add a model…")]
)
def test_without_a_second_model_a_button_leads_to_one(
    show, desk, window, qtbot, settled, number, place, text
):
    desk.others.read.clear()
    view = show(number)
    (button,) = (each for each in view.empty.buttons() if each.text() == text)
    assert button in view.tab_stops()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    settled()
    assert window.shows(place)


def test_a_neighbour_is_opened_from_the_list(neighbours, page, qtbot, window):
    hits = neighbours.sides[0].hits
    hits.go_to(0)
    with qtbot.waitSignal(page.paper_requested):
        qtbot.keyClick(hits, Qt.Key.Key_Return)
    assert window.shows("search")


# Two maps


def test_both_maps_stand_side_by_side_in_the_colours_of_the_first(maps):
    first, second = (side.view.points for side in maps.sides)
    assert len(first.ids) == len(second.ids) == 100
    assert np.array_equal(first.scheme.of, second.scheme.of)
    assert maps.sides[0].count.text() == "100 papers"


def test_the_second_is_turned_to_lie_like_the_first():
    one, other = drawing(100), drawing(100, turn=2.0)
    assert np.abs(other.places - one.places).max() > 0.3
    assert np.allclose(turned(other, one).places, one.places, atol=1e-5)
    few = replace(one, ids=one.ids + 1_000)
    assert turned(few, one) is few


def test_papers_that_the_first_map_has_not_are_told_apart():
    one, other = drawing(100), drawing(120)
    scheme = scheme_like(other, one)
    assert scheme.names[-1] == "Not on the first map" and scheme.counts[-1] == 20


def test_a_group_of_one_map_stands_out_on_both_and_esc_ends_that(maps, qtbot):
    first, second = (side.view for side in maps.sides)
    first.group_requested.emit(1, False)
    wanted = maps._drawings[0].ids[maps._drawings[0].coarse == 1]
    for view in (first, second):
        assert np.array_equal(view.points.ids[view.points.highlighted], wanted)
    qtbot.keyClick(second, Qt.Key.Key_Escape)
    assert first.points.highlighted is None and second.points.highlighted is None


def test_a_paper_is_pointed_at_and_picked_on_both(maps):
    first, second = (side.view for side in maps.sides)
    first.hovered.emit(4, QPoint(10, 10))
    assert second._rings.tolist() == [4]
    second.current_changed.emit(7)
    assert first._picked == second._picked == 7


def test_a_map_that_is_not_there_is_drawn_when_asked_for(maps, desk, dashboard, qtbot, settled):
    choose(maps, settled, "starter", "miread-ours")
    side = maps.sides[1]
    assert side.empty.isVisible() and side.empty.title.text() == "This model has no map yet"
    (button,) = side.empty.buttons()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: side.view.isVisible())
    assert desk.others.read["miread-ours"] == desk.count  # it has read them first
    assert ("draw", "miread-ours") in dashboard.asked


def test_two_models_are_never_the_same_and_one_alone_is_not_compared_with_itself(qtbot):
    pair = ModelPairPicker()
    qtbot.addWidget(pair)
    pair.offer({"a": "A"})
    assert pair.chosen == ("a", "") and not pair.isEnabled()
    pair.offer({"a": "A", "b": "B", "c": "C"}, usual=("a", "b"))
    pair.second.setCurrentIndex(0)
    pair.second.activated.emit(0)
    assert pair.chosen == ("b", "a")
