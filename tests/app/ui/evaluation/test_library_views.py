"""The views of the library by two models: neighbours of known papers, and two maps."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from sciread_app.domain.paper import PaperId
from sciread_app.errors import Cancelled
from sciread_app.services.evaluation.evaluation_service import EvaluationCandidate
from sciread_app.ui.evaluation.maps_view import scheme_like, turned
from sciread_app.ui.evaluation.model_pair_view import ModelPairPicker
from sciread_app.ui.evaluation.page import MAPS, NEIGHBOURS
from tests.support.ui.fakes.evaluation import drawing


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


def test_neighbours_of_the_first_known_paper_are_shown_for_two_models(neighbours, gateway):
    assert [side.title.text() for side in neighbours.sides] == ["Starter", "Specter-Ours"]
    assert gateway.calls[-2:] == ["like:1", "like:1"]
    found = [list(side.model.listing.ids) for side in neighbours.sides]
    assert found[0] and found[0] != found[1]
    assert "of the top" in neighbours.message.text()


def test_neighbours_are_marked_with_rank_changes(neighbours):
    moves = neighbours.sides[1].model.listing.moves
    assert moves[PaperId(999)].places is None
    assert any(each.places for paper, each in moves.items() if paper != 999)


def test_selected_paper_stays_selected_when_the_library_changes(neighbours, dashboard, settled):
    neighbours.papers.go_to(1)
    settled()
    dashboard.known = [PaperId(5), PaperId(1), PaperId(2)]
    neighbours.ask()
    settled()
    assert neighbours.papers.current() == 2


def test_typed_words_find_a_paper(neighbours, dashboard, gateway, qtbot, settled):
    qtbot.keyClicks(neighbours.search_field, "curie")
    qtbot.waitUntil(lambda: ("find", "curie") in dashboard.calls)
    settled()
    assert list(neighbours.papers.model().listing.ids) == [3]
    assert gateway.calls[-1] == "like:3"
    neighbours.search_field.clear()
    qtbot.waitUntil(lambda: list(neighbours.papers.model().listing.ids) == [1, 2])


def test_model_without_vectors_can_encode_the_library(neighbours, gateway, qtbot, settled):
    choose(neighbours, settled, "starter", "miread-ours")
    side = neighbours.sides[1]
    assert "not indexed with this model yet" in side.message.text()
    assert side.read_button.isVisible()
    qtbot.mouseClick(side.read_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: gateway.comparisons.read["miread-ours"] == gateway.count)
    settled()
    assert len(side.model.listing.ids) and not side.read_button.isVisible()


def test_broken_model_is_explained(neighbours, settled):
    choose(neighbours, settled, "starter", "broken")
    assert "The model broken is not whole. Fetch it again." in neighbours.message.text()


def test_neighbours_without_a_second_model_have_a_placeholder(neighbours, gateway, settled):
    gateway.comparisons.read.clear()
    neighbours.ask()
    settled()
    assert neighbours.empty.title.text() == "Only one model is installed"


@pytest.mark.parametrize("number", [NEIGHBOURS, MAPS])
def test_trained_model_that_is_not_in_models_can_be_added_and_compared(
    show, gateway, qtbot, settled, number
):
    gateway.comparisons.read.clear()
    gateway.comparisons.fresh = [EvaluationCandidate("my-run", "MiniLM tuned", "run", "cccc")]
    view = show(number)
    assert "MiniLM tuned" in view.empty.title.text()
    (button,) = view.empty.buttons()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    settled()
    assert "my-run" in gateway.comparisons.read
    assert view.selected_models() == ("starter", "my-run")


@pytest.mark.parametrize("number", [NEIGHBOURS, MAPS])
@pytest.mark.parametrize(
    ("place", "text"), [("training", "Train a model…"), ("models", "Add a model…")]
)
def test_placeholder_buttons_lead_to_training_and_models(
    show, gateway, window, qtbot, settled, number, place, text
):
    gateway.comparisons.read.clear()
    view = show(number)
    (button,) = (each for each in view.empty.buttons() if each.text() == text)
    assert button in view.tab_stops()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    settled()
    assert window.shows(place)


def test_neighbour_is_opened_from_the_list(neighbours, qtbot, window):
    hits = neighbours.sides[0].result_list
    hits.go_to(0)
    qtbot.keyClick(hits, Qt.Key.Key_Return)
    assert window.shows("search")


# Two maps


def test_both_maps_use_the_colours_of_the_first(maps):
    first, second = (side.view.points for side in maps.sides)
    assert len(first.ids) == len(second.ids) == 100
    assert np.array_equal(first.scheme.of, second.scheme.of)
    assert maps.sides[0].count.text() == "100 papers"


def test_turned_aligns_the_second_map_with_the_first():
    one, other = drawing(100), drawing(100, turn=2.0)
    assert np.abs(other.places - one.places).max() > 0.3
    assert np.allclose(turned(other, one).places, one.places, atol=1e-5)
    few = replace(one, ids=one.ids + 1_000)
    assert turned(few, one) is few


def test_scheme_like_separates_papers_missing_on_the_first_map():
    one, other = drawing(100), drawing(120)
    scheme = scheme_like(other, one)
    assert scheme.names[-1] == "Not on map A" and scheme.counts[-1] == 20


def test_group_is_highlighted_on_both_maps_until_escape(maps, qtbot):
    first, second = (side.view for side in maps.sides)
    first.group_requested.emit(1, 0)
    wanted = maps._drawings[0].ids[maps._drawings[0].coarse == 1]
    for view in (first, second):
        assert np.array_equal(view.points.ids[view.points.highlighted], wanted)
    qtbot.keyClick(second, Qt.Key.Key_Escape)
    assert first.points.highlighted is None and second.points.highlighted is None


def test_hovered_and_picked_papers_are_marked_on_both_maps(maps):
    first, second = (side.view for side in maps.sides)
    first.hovered.emit(4, QPoint(10, 10))
    assert second._rings.tolist() == [4]
    second.current_changed.emit(7)
    assert first._picked == second._picked == 7


def test_missing_map_is_drawn_on_request(maps, gateway, dashboard, qtbot, settled):
    choose(maps, settled, "starter", "miread-ours")
    side = maps.sides[1]
    assert side.empty.isVisible() and side.empty.title.text() == "No map of this model yet"
    (button,) = side.empty.buttons()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: side.view.isVisible())
    assert gateway.comparisons.read["miread-ours"] == gateway.count  # the library is encoded first
    assert ("draw", "miread-ours") in dashboard.calls


def test_maps_keep_their_region_when_the_library_changes(maps, settled):
    view = maps.sides[0].view
    view.zoom(4)
    camera = view.camera
    maps.ask()
    settled()
    assert view.camera == camera
    maps.pair.swap.click()
    settled()
    assert view.camera.scale < camera.scale  # other maps are shown whole


def test_two_missing_maps_can_be_drawn_at_once(maps, dashboard, qtbot, settled, monkeypatch):
    dashboard.maps.clear()
    maps.ask()
    settled()
    release, draw = threading.Event(), dashboard.draw

    def draw_slowly(model, task):
        assert release.wait(60)
        return draw(model, task)

    monkeypatch.setattr(dashboard, "draw", draw_slowly)
    for side in maps.sides:
        (button,) = side.empty.buttons()
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        assert not side.empty.buttons()
    release.set()
    qtbot.waitUntil(lambda: all(side.view.isVisible() for side in maps.sides))
    settled()


def test_model_pair_view_never_holds_the_same_model_twice(qtbot):
    pair = ModelPairPicker()
    qtbot.addWidget(pair)
    pair.offer({"a": "A"})
    assert pair.selected == ("a", "") and not pair.isEnabled()
    pair.offer({"a": "A", "b": "B", "c": "C"}, usual=("a", "b"))
    pair.boxes[1].setCurrentIndex(0)
    assert pair.selected == ("b", "a")


def test_late_neighbors_do_not_replace_cleared_lists(neighbours, gateway, settled, hold):
    release = hold(gateway.comparisons, "ask")
    first, _ = neighbours.pair.selected
    neighbours.pair.swap.click()
    neighbours.pair.choose(first, first)
    release.set()
    settled()
    assert all(not side.model.listing.ids for side in neighbours.sides)


def cancel(*arguments):
    raise Cancelled()


def test_canceled_search_for_neighbors_is_not_waited_for(neighbours, gateway, settled, monkeypatch):
    monkeypatch.setattr(gateway.comparisons, "ask", cancel)
    neighbours.pair.swap.click()
    settled()
    assert "canceled" in neighbours.message.text()


def test_slow_search_for_neighbors_shows_its_progress(neighbours, gateway, qtbot, monkeypatch):
    release, ask = threading.Event(), gateway.comparisons.ask

    def ask_slowly(name, query, mode, task):
        task.step(40, 100, "Building the index")
        assert release.wait(60)
        return ask(name, query, mode, task)

    monkeypatch.setattr(gateway.comparisons, "ask", ask_slowly)
    neighbours.pair.swap.click()
    qtbot.waitUntil(lambda: "40 of 100" in neighbours.message.text())
    release.set()
    qtbot.waitUntil(lambda: "of the top" in neighbours.message.text())


def test_canceled_loading_of_models_can_be_retried(
    neighbours, gateway, qtbot, settled, monkeypatch
):
    with monkeypatch.context() as patch:
        patch.setattr(gateway.comparisons, "models", cancel)
        neighbours.ask()
        settled()
    (retry,) = neighbours.empty.buttons()
    qtbot.mouseClick(retry, Qt.MouseButton.LeftButton)
    settled()
    assert not neighbours.empty.isVisible()


def test_late_maps_do_not_replace_the_offer_to_add_a_model(
    maps, gateway, dashboard, settled, qtbot, hold
):
    gateway.comparisons.fresh = [EvaluationCandidate("my-run", "MiniLM tuned", "run", "cccc")]
    maps.ask()
    settled()
    release = hold(dashboard, "drawing")
    maps.pair.swap.click()
    maps.pair.boxes[1].setCurrentIndex(maps.pair.boxes[1].count() - 1)
    assert "MiniLM tuned" in maps.empty.title.text()
    release.set()
    settled()
    assert maps.empty.isVisible() and "MiniLM tuned" in maps.empty.title.text()
