"""Another model asked the same, side by side."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from sciread_app.ui.compare import in_common, with_moves
from sciread_app.ui.values import Listing
from tests.app.ui.fakes import FakeDesk


@pytest.fixture
def desk():
    return FakeDesk(12)


@pytest.fixture
def page(qtbot, show_page, desk):
    page = show_page(desk)
    page.box.set_text("paper")
    qtbot.waitUntil(lambda: page.view.query == "paper")
    page.toggle_compare()
    qtbot.waitUntil(lambda: page.compare.model.rowCount() > 0)
    return page


def moves(page):
    listing = page.compare.model.listing
    return [listing.evidence[paper].moved for paper in listing.ids]


def test_papers_are_marked_by_where_they_stand_in_the_other_list(page):
    assert moves(page) == [*["▲ 1"] * 11, "▼ 11", "new"]
    assert page.compare.message.text() == "9 of the first 10 are the same."
    assert not page.details.isVisible()
    page.compare.hits.viewport().grab()


def test_the_other_model_is_asked_whatever_is_asked_next(qtbot, page):
    page.box.set_text("paper 1")
    qtbot.waitUntil(lambda: page.view.query == "paper 1")
    qtbot.waitUntil(lambda: page.compare.model.rowCount() == page.model.rowCount() + 1)
    page.box.set_text("")
    qtbot.waitUntil(lambda: page.compare.message.text().startswith("Search for something"))
    assert page.compare.model.rowCount() == 0


def test_a_paper_chosen_in_one_list_is_chosen_in_the_other(page):
    page.compare.hits.go_to(3)
    assert page.hits.current() == page.compare.hits.current()


def test_a_model_that_has_read_nothing_can_be_let_to(qtbot, page, desk):
    page.compare.models.setCurrentText("miread-ours")
    qtbot.waitUntil(page.compare.read_button.isVisible)
    assert page.compare.message.text() == "miread-ours has not read your papers yet."
    assert page.compare.read_button.text() == "Let it read 12 papers"
    page.compare.read_button.click()
    qtbot.waitUntil(lambda: page.compare.model.rowCount() == 13)
    assert desk.others.read["miread-ours"] == 12


def test_a_model_that_cannot_be_opened_is_explained(qtbot, page):
    page.compare.models.setCurrentText("broken")
    qtbot.waitUntil(lambda: "is not whole" in page.compare.message.text())
    assert page.compare.message.text().endswith("Fetch it again.")


def test_comparing_ends_with_esc_and_the_model_is_stopped(qtbot, page, desk):
    page.compare.hits.setFocus()
    qtbot.keyClick(page.compare.hits, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: desk.others.closed == 1)
    assert not page.compare.isVisible() and page.details.isVisible()


def test_without_another_model_that_is_said(qtbot, show_page):
    desk = FakeDesk(3)
    desk.others.read.clear()
    page = show_page(desk)
    page.toggle_compare()
    qtbot.waitUntil(lambda: "no other model here" in page.compare.message.text())


def test_lists_that_share_nothing_say_so():
    assert in_common(Listing((), 0), Listing((), 0)) == "Neither found anything."
    assert in_common(Listing((1, 2), 2), Listing((3,), 1)) == "0 of the first 2 are the same."
    (moved,) = with_moves(Listing((1,), 1), Listing((1,), 1)).evidence.values()
    assert moved.moved == "same place"
