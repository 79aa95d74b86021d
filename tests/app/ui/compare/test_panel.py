"""Side-by-side comparison of two models, and blind votes on their answers."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QWidget

from sciread_app.domain.paper import LibraryChanges
from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.domain.votes import Question
from sciread_app.errors import Cancelled
from sciread_app.services.evaluation.evaluation_service import EvaluationCandidate
from sciread_app.ui.compare.panel import BY_WORDS, KNOWN, SAME, UNREAD
from sciread_app.ui.compare.view_models import in_common, with_moves
from sciread_app.ui.search import compare_page
from sciread_app.ui.view_models import Moved, ResultList
from sciread_app.ui.widgets.focus import takes_focus
from tests.support.ui.fakes.gateway import FakeGateway

ANONYMOUS = ["Left results", "Right results"]
_CTRL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def gateway():
    return FakeGateway(12)


@pytest.fixture
def window(show_window, gateway):
    window = show_window(gateway)
    window.activateWindow()
    return window


@pytest.fixture
def page(qtbot, window):
    window.go_to("compare")
    page = window.other_page("compare")
    qtbot.waitUntil(lambda: all(page.panel.chooser.selected))
    ask(qtbot, page, "paper")
    return page


@pytest.fixture
def blind(qtbot, page):
    """Show anonymous answers to a new query, with Starter on the left."""
    page.panel.trial._chance = lambda: 0.9
    page.panel.chooser.blind.setChecked(True)
    ask(qtbot, page, "about")
    return page


def ask(qtbot, page, text):
    page.search_box.set_text(text)
    qtbot.waitUntil(lambda: page.panel.trial.query == text and is_answered(page))


def is_answered(page):
    return "of the top" in page.panel.message.text()


def sides(page):
    return page.panel.sides


def titles(page):
    return [side.title.text() for side in sides(page)]


def choose(page, place, name):
    box = page.panel.chooser.boxes[place]
    box.setCurrentIndex(box.findData(name))


def evidence(side):
    listing = side.model.listing
    return [listing.evidence[paper] for paper in listing.ids]


def moves(side):
    listing = side.model.listing
    return [listing.moves[paper].places for paper in listing.ids]


def test_answers_are_marked_with_rank_changes(page):
    left, right = sides(page)
    assert titles(page) == ["Starter", "Specter-Ours"]
    assert moves(right) == [*[1] * 11, -11, None]
    assert moves(left) == [11, *[-1] * 11]
    assert page.panel.message.text().startswith("9 of the top 10")
    for side in sides(page):
        side.result_list.viewport().grab()


def test_rank_change_is_in_the_accessible_text(qtbot, page):
    right = sides(page)[1]
    qtbot.waitUntil(lambda: right.model.card(0) is not None)
    text = [right.model.data(right.model.index(row, 0)) for row in (0, 11)]
    assert "1 rank higher in this list" in text[0] and "11 ranks lower in this list" in text[1]


def test_new_query_is_answered_by_both_models(qtbot, page):
    ask(qtbot, page, "paper 1")
    assert sides(page)[1].model.rowCount() == sides(page)[0].model.rowCount() + 1
    page.search_box.set_text("like:3")
    qtbot.waitUntil(lambda: page.panel.trial.query == "like:3" and is_answered(page))
    page.search_box.set_text("")
    qtbot.waitUntil(lambda: page.panel.message.text().startswith("Search for something"))
    assert sides(page)[1].model.rowCount() == 0


def test_choosing_the_other_model_swaps_the_sides(qtbot, page):
    choose(page, 0, "same")
    qtbot.waitUntil(lambda: titles(page) == ["Same", "Specter-Ours"])
    choose(page, 1, "same")
    qtbot.waitUntil(lambda: titles(page) == ["Specter-Ours", "Same"])


def test_model_box_has_the_whole_title_as_tooltip(page):
    choose(page, 0, "same")
    assert page.panel.chooser.boxes[0].toolTip() == "Same"
    assert [box.toolTip() for box in page.panel.chooser.boxes] == [
        box.currentText() for box in page.panel.chooser.boxes
    ]


def test_text_mode_has_nothing_to_compare(qtbot, page):
    page.search_box.set_mode(SearchMode.text)
    qtbot.waitUntil(lambda: page.panel.message.text() == BY_WORDS)


def test_selection_on_one_side_is_copied_to_the_other(page):
    left, right = sides(page)
    right.result_list.go_to(3)
    assert left.result_list.selected() == right.result_list.selected() == page.selected()
    right.result_list.go_to(12)  # listed on this side only
    assert left.result_list.selected() == [] and page.selected() == right.result_list.selected()


def test_copied_selection_shows_no_cut_card_at_the_top(page):
    left, right = sides(page)
    for row in (5, 8, 6, 10):
        left.result_list.go_to(row)
        view = right.result_list
        assert view.rowViewportPosition(view.rowAt(0)) == 0 or view.top() == (
            view.verticalScrollBar().maximum()
        )
        cell = view.visualRect(view.model().index(view.currentIndex().row(), 0))
        assert view.viewport().rect().contains(cell)
    assert right.result_list.top() > 0


def test_paper_is_opened_in_the_library(qtbot, window, page):
    right = sides(page)[1]
    right.result_list.go_to(2)
    right.result_list.setFocus()
    qtbot.keyClick(right.result_list, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.shows("search") and window.page.details.details is not None)
    assert window.page.details.details.paper.id == 4
    window.go_to_item("lab")
    assert window.shows("compare") and is_answered(page)


def test_plus_and_minus_search_with_examples(qtbot, page):
    right = sides(page)[1].result_list
    right.go_to(2)
    qtbot.keyClick(right, Qt.Key.Key_Plus)
    qtbot.waitUntil(lambda: page.panel.trial.query == "like:4 paper" and is_answered(page))
    assert page.search_box.text == "like:4 paper"


def test_results_of_the_library_are_compared(qtbot, window):
    window.search_for("paper 1")
    qtbot.waitUntil(lambda: window.page.view.query == "paper 1")
    window.page.search_box.set_mode(SearchMode.meaning)
    qtbot.keyClick(window, Qt.Key.Key_K, _CTRL_SHIFT)
    page = window.other_page("compare")
    qtbot.waitUntil(lambda: page.panel.trial.query == "paper 1" and is_answered(page))
    assert window.shows("compare") and page.search_box.mode is SearchMode.meaning


def test_model_without_vectors_can_encode_the_library(qtbot, page, gateway):
    choose(page, 1, "miread-ours")
    right = sides(page)[1]
    qtbot.waitUntil(right.read_button.isVisible)
    assert right.message.text() == "Your papers are not indexed with this model yet."
    assert right.read_button.text() == "Index 12 papers"
    assert sides(page)[0].model.rowCount() == 12  # the other one answers meanwhile
    assert not sides(page)[0].model.listing.moves and not is_answered(page)
    right.read_button.click()
    qtbot.waitUntil(lambda: right.model.rowCount() == 13)
    assert gateway.comparisons.read["miread-ours"] == 12


def test_broken_model_is_explained_beside_a_working_one(qtbot, page):
    choose(page, 1, "broken")
    qtbot.waitUntil(lambda: "is not whole" in sides(page)[1].message.text())
    assert sides(page)[1].message.text().endswith("Fetch it again.")
    assert sides(page)[0].model.rowCount() == 12


def test_switch_button_requests_the_other_model(qtbot, page):
    assert not sides(page)[0].switch_button.isVisible()
    with qtbot.waitSignal(sides(page)[1].switch_requested) as wanted:
        sides(page)[1].switch_button.click()
    assert wanted.args == ["specter-ours", "Specter-Ours"]


def test_escape_returns_to_the_search_box(qtbot, page):
    sides(page)[1].result_list.setFocus()
    qtbot.keyClick(sides(page)[1].result_list, Qt.Key.Key_Escape)
    qtbot.waitUntil(page.search_box.edit.hasFocus)


def test_models_are_unloaded_after_the_page_was_left(qtbot, monkeypatch, window, gateway):
    monkeypatch.setattr(compare_page, "UNLOAD_MS", 10)
    window.go_to("compare")
    assert gateway.comparisons.closed == 0
    window.go_to("search")
    qtbot.waitUntil(lambda: gateway.comparisons.closed == 1)


def test_page_without_a_second_model_has_a_placeholder(qtbot, window, gateway):
    gateway.comparisons.read.clear()
    window.go_to("compare")
    panel = window.other_page("compare").panel
    qtbot.waitUntil(panel.nothing.isVisible)
    assert "Only one model" in panel.nothing.text.text()
    assert not panel.ballot.isVisible() and not panel.chooser.boxes[0].isVisible()
    for button, place in zip(panel.nothing.buttons(), ("training", "models"), strict=True):
        window.go_to("compare")
        qtbot.keyClick(button, Qt.Key.Key_Space)
        assert window.shows(place)

    window.go_to("compare")
    panel.nothing.buttons()[0].setFocus()
    gateway.comparisons.read["specter-ours"] = 3
    panel.look_again()
    qtbot.waitUntil(panel.chooser.boxes[0].isVisible)
    assert not panel.nothing.isVisible() and panel.sides[0].isVisible()
    qtbot.waitUntil(panel.sides[0].result_list.hasFocus)


def test_trained_model_is_offered_as_the_second_model_and_added(qtbot, window, gateway):
    gateway.comparisons.read.clear()
    gateway.comparisons.fresh = [EvaluationCandidate("my-run", "MiniLM tuned", "run", "cccc")]
    window.go_to("compare")
    panel = window.other_page("compare").panel
    qtbot.waitUntil(panel.nothing.isVisible)
    assert "MiniLM tuned" in panel.nothing.title.text()
    qtbot.mouseClick(panel.nothing.buttons()[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(panel.sides[0].isVisible)
    assert not panel.nothing.isVisible() and panel.chooser.selected == ("starter", "my-run")


def test_in_common_counts_shared_papers():
    assert in_common(ResultList((), 0), ResultList((), 0)) == "Neither model found any papers."
    text = in_common(ResultList((1, 2), 2), ResultList((3,), 1))
    assert text.startswith("0 of the top 2")
    assert with_moves(ResultList((1,), 1), ResultList((1,), 1)).moves == {1: Moved(0)}


def test_blind_answers_hide_the_models_until_the_vote(qtbot, blind, gateway):
    assert titles(blind) == ANONYMOUS
    for side in sides(blind):
        assert not side.switch_button.isVisible() and not side.message.text()
        assert side.result_list.accessibleName() == side.title.text()
        for one in evidence(side):
            assert (one.text_rank, one.meaning_rank, one.similarity, one.percentile) == (None,) * 4
    assert "Votes" not in blind.panel.ballot.text.text()
    blind.panel.ballot.right.click()
    qtbot.waitUntil(lambda: titles(blind) == ["Starter", "Specter-Ours"])
    assert gateway.comparisons.votes == [(Question("about"), "specter-ours")]
    text = blind.panel.ballot.text.text()
    assert "voted for Specter-Ours" in text and "specter-ours 1" in text
    assert evidence(sides(blind)[0])[0].percentile is not None
    assert not blind.panel.can_vote


@pytest.mark.parametrize(("drawn", "left"), [(0.1, "specter-ours"), (0.9, "starter")])
def test_blind_sides_are_drawn_at_random(qtbot, page, gateway, drawn, left):
    page.panel.trial._chance = lambda: drawn
    page.panel.chooser.blind.setChecked(True)
    ask(qtbot, page, "about")
    page.panel.vote(0)
    qtbot.waitUntil(lambda: titles(page)[0].casefold() == left)
    assert gateway.comparisons.votes == [(Question("about"), left)]


def test_vote_for_neither_is_stored(qtbot, blind, gateway):
    blind.panel.vote(None)
    qtbot.waitUntil(lambda: gateway.comparisons.votes == [(Question("about"), "")])
    qtbot.waitUntil(lambda: "neither 1" in blind.panel.ballot.text.text())
    qtbot.waitUntil(lambda: titles(blind) == ["Starter", "Specter-Ours"])


def test_vote_on_similar_papers_stores_the_paper(qtbot, blind, gateway):
    blind.search_box.set_text("like:3")
    qtbot.waitUntil(lambda: blind.panel.trial.query == "like:3" and blind.panel.can_vote)
    blind.panel.vote(0)
    qtbot.waitUntil(lambda: gateway.comparisons.votes == [(Question(paper=3), "starter")])


def test_new_papers_do_not_change_the_blind_sides(qtbot, jobs, blind):
    blind.panel.trial._chance = lambda: 0.1
    blind.library_changed(LibraryChanges(papers=True))
    qtbot.waitUntil(lambda: not jobs.running() and blind.panel.can_vote)
    assert blind.panel.trial.sides == ("starter", "specter-ours")


def test_answers_seen_with_names_cannot_be_voted_on(qtbot, window, blind, gateway):
    ballot = blind.panel.ballot
    ask(qtbot, blind, "paper")  # already shown with names
    qtbot.waitUntil(lambda: ballot.text.text().startswith(KNOWN))
    assert titles(blind) == ANONYMOUS and not blind.panel.can_vote
    blind.panel.vote(0)
    window.search_for("paper 2")  # answered by the active model alone
    qtbot.waitUntil(lambda: window.page.view.query == "paper 2")
    window.go_to("compare")
    ask(qtbot, blind, "paper 2")
    qtbot.waitUntil(lambda: ballot.text.text().startswith(KNOWN))
    ask(qtbot, blind, "paper 3")
    assert blind.panel.can_vote
    choose(blind, 1, "same")  # the answer that stays must be that of the first model
    qtbot.waitUntil(lambda: ballot.text.text().startswith(KNOWN))
    assert gateway.comparisons.votes == []


def test_search_in_the_library_ends_the_blind_test_of_its_query(qtbot, window, blind):
    assert blind.panel.can_vote
    window.search_for("about")
    qtbot.waitUntil(lambda: window.page.view.query == "about")
    window.go_to("compare")
    qtbot.waitUntil(lambda: blind.panel.ballot.text.text().startswith(KNOWN))


def test_equal_or_incomplete_answers_cannot_be_voted_on(qtbot, blind):
    ballot = blind.panel.ballot
    choose(blind, 1, "same")
    ask(qtbot, blind, "paper 4")
    qtbot.waitUntil(lambda: ballot.text.text().startswith(SAME))
    choose(blind, 1, "miread-ours")
    blind.search_box.set_text("paper 5")
    qtbot.waitUntil(lambda: ballot.text.text().startswith(UNREAD))
    assert [side.model.rowCount() for side in sides(blind)] == [0, 0]
    sides(blind)[1].read_button.click()
    qtbot.waitUntil(lambda: blind.panel.can_vote)  # the hidden answer was never shown


def test_withdrawn_vote_cannot_be_cast_again(qtbot, blind, gateway):
    blind.panel.vote(0)
    qtbot.waitUntil(blind.panel.ballot.back.isVisible)
    blind.panel.ballot.back.click()
    qtbot.waitUntil(lambda: gateway.comparisons.votes == [])
    qtbot.waitUntil(lambda: "“about” was undone" in blind.panel.ballot.text.text())
    assert not blind.panel.can_vote and not blind.panel.can_take_back


def test_failed_vote_keeps_the_models_hidden(qtbot, blind, gateway):
    gateway.comparisons.full = True
    blind.panel.vote(0)
    qtbot.waitUntil(lambda: "The disk is full." in blind.panel.message.text())
    assert titles(blind) == ANONYMOUS
    assert blind.panel.can_vote


def test_blind_box_hides_and_restores_the_names(qtbot, page):
    page.panel.trial._chance = lambda: 0.1
    page.panel.chooser.blind.setChecked(True)  # these answers were shown with names
    qtbot.waitUntil(lambda: titles(page) == ANONYMOUS)
    assert not page.panel.can_vote
    assert page.panel.trial.sides == ("specter-ours", "starter")  # drawn again
    for side in sides(page):
        assert not side.switch_button.isVisible()
        assert evidence(side)[0].percentile is None
    page.panel.chooser.blind.setChecked(False)
    qtbot.waitUntil(lambda: titles(page) == ["Starter", "Specter-Ours"])


def test_answer_with_a_note_cannot_be_voted_on(qtbot, blind, gateway):
    gateway.comparisons.notes["specter-ours"] = "Keyword results only."
    blind.search_box.set_text("paper 6")
    qtbot.waitUntil(lambda: blind.panel.ballot.text.text().startswith("Keyword results only."))
    assert not blind.panel.can_vote


def test_comparison_is_operated_by_keyboard(qtbot, window, gateway):
    actions = {name: action for name, action in window.menus.entries() if "Compare models" in name}
    left = actions["Compare models: Vote for the left results"]
    hide = actions["Compare models: Blind test"]
    assert not left.isEnabled() and not hide.isEnabled()
    assert hide.property("unavailable_reason") == "Available while you compare two models"
    key = Qt.Key
    qtbot.keyClick(window, key.Key_K, _CTRL_SHIFT)
    page = window.other_page("compare")
    panel = page.panel
    qtbot.waitUntil(lambda: panel.is_open and hide.isEnabled())
    qtbot.keyClick(window, key.Key_H, _CTRL_SHIFT)
    page.search_box.set_text("about")
    qtbot.waitUntil(left.isEnabled)
    window.go_to("foryou")
    assert not left.isEnabled()
    window.go_to("compare")
    qtbot.waitUntil(left.isEnabled)
    qtbot.keyClick(window, key.Key_F8)
    qtbot.waitUntil(lambda: len(gateway.comparisons.votes) == 1)
    assert gateway.comparisons.votes[0][1] == panel.trial.sides[1]
    assert not left.isEnabled()
    page.search_box.set_text("paper 7")
    qtbot.waitUntil(left.isEnabled)
    qtbot.keyClick(window, key.Key_F7, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: len(gateway.comparisons.votes) == 2)
    assert gateway.comparisons.votes[1][1] == ""


def test_comparison_panes_are_reached_by_f6_and_named(qtbot, window, page):
    seen = []
    for _ in range(8):
        qtbot.keyClick(window, Qt.Key.Key_F6)
        seen.append(window.focusWidget())
    assert {side.result_list for side in sides(page)} <= set(seen)
    for widget in page.findChildren(QWidget):
        if takes_focus(widget):
            text = widget.text() if isinstance(widget, QAbstractButton) else ""
            assert widget.accessibleName() or text, widget


def test_late_results_do_not_replace_the_message_of_text_mode(qtbot, jobs, page, gateway, hold):
    release = hold(gateway.comparisons, "ask")
    page.panel.look_again()
    qtbot.waitUntil(lambda: "Searching" in page.panel.message.text())
    page.search_box.set_mode(SearchMode.text)
    qtbot.waitUntil(lambda: page.panel.message.text() == BY_WORDS)
    release.set()
    qtbot.waitUntil(lambda: not jobs.running())
    assert page.panel.message.text() == BY_WORDS
    assert all(side.model.rowCount() == 0 for side in sides(page))


def test_vote_saved_after_the_results_were_cleared_is_kept(qtbot, jobs, blind, gateway, hold):
    release = hold(gateway.comparisons, "vote")
    blind.panel.vote(0)
    blind.search_box.set_mode(SearchMode.text)
    qtbot.waitUntil(lambda: blind.panel.message.text() == BY_WORDS)
    release.set()
    qtbot.waitUntil(lambda: not jobs.running())
    assert len(gateway.comparisons.votes) == 1 and blind.panel.message.text() == BY_WORDS


def test_canceled_search_is_not_waited_for(qtbot, jobs, page, gateway, monkeypatch):
    def ask_in_vain(*arguments):
        raise Cancelled()

    monkeypatch.setattr(gateway.comparisons, "ask", ask_in_vain)
    page.panel.look_again()
    qtbot.waitUntil(lambda: "canceled" in page.panel.message.text())


def test_slow_search_shows_its_progress(qtbot, jobs, page, gateway, monkeypatch):
    release, ask_model = threading.Event(), gateway.comparisons.ask

    def ask_slowly(name, query, mode, task):
        task.step(40, 100, "Building the index")
        assert release.wait(60)
        return ask_model(name, query, mode, task)

    monkeypatch.setattr(gateway.comparisons, "ask", ask_slowly)
    page.panel.look_again()
    qtbot.waitUntil(lambda: "of 2" in page.panel.message.text())
    release.set()
    qtbot.waitUntil(lambda: is_answered(page))
