"""The card at a citation under the mouse: the cited paper or its reference."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QToolTip

from sciread_app.domain.annotations.annotations import Box, Link, PagePosition
from sciread_app.domain.paper import Identifier, LibraryChanges
from sciread_app.services.library.reader import CitedPaper
from sciread_app.ui.reader.document_view import DocumentView
from sciread_app.ui.reader.page import ReaderPage
from tests.support.generate.papers import paper
from tests.support.ui.fakes.reader import FakeFile, FakeReader
from tests.support.ui.reader import page_of

BEES, FRISCH = Path("/papers/bees.pdf"), Path("/papers/frisch.pdf")
LINK = Link(Box(20, 120, 60, 132), PagePosition(4, 50.0))
IN_LIBRARY = CitedPaper(
    "K. von Frisch, 1967", paper("The dance of bees", authors="von Frisch, Karl", id=2), FRISCH
)


@pytest.fixture
def reading() -> FakeReader:
    reading = FakeReader()
    reading.make = lambda paper, path: FakeFile(paper, path, links={0: LINK})
    return reading


@pytest.fixture
def page(open_book) -> ReaderPage:
    return page_of(open_book())


def place(book: DocumentView) -> QPoint:
    return book.view.box_rect(0, LINK.box).center()


def hover(qtbot, book: DocumentView) -> None:
    qtbot.mouseMove(book.view.viewport(), place(book) + QPoint(0, 80))
    qtbot.mouseMove(book.view.viewport(), place(book))


def test_card_shows_the_cited_paper_and_opens_its_file(qtbot, page, reading):
    reading.cited_papers[LINK] = IN_LIBRARY
    hover(qtbot, page.book)
    card = page.book.citations.card
    qtbot.waitUntil(card.isVisible)
    assert card.title.text() == "The dance of bees" and card.authors.isVisible()
    assert not card.missing.isVisible() and not card.add.isVisible()
    rect = page.book.view.box_rect(0, LINK.box)
    corner = page.book.view.viewport().mapTo(page.book, QPoint())
    assert not card.geometry().intersects(rect.translated(corner))
    qtbot.mouseClick(card.open, Qt.MouseButton.LeftButton)
    assert page.tab.path == FRISCH and not card.isVisible()
    qtbot.waitUntil(lambda: page.tab.book is not None)


def test_cited_paper_without_a_file_is_shown_in_the_library(qtbot, page, reading, context):
    reading.cited_papers[LINK] = CitedPaper("K. von Frisch", IN_LIBRARY.paper)
    hover(qtbot, page.book)
    qtbot.waitUntil(page.book.citations.card.isVisible)
    qtbot.mouseClick(page.book.citations.card.open, Qt.MouseButton.LeftButton)
    assert ("open_paper", 2, "The dance of bees") in context.navigate.calls


def test_reference_of_a_missing_paper_is_shown_and_can_be_added(qtbot, page, reading, context):
    name = Identifier("doi", "10.1000/a")
    reading.cited_papers[LINK] = CitedPaper("M. Lindauer, 1961", identifier=name)
    hover(qtbot, page.book)
    card = page.book.citations.card
    qtbot.waitUntil(card.isVisible)
    assert card.text.text() == "M. Lindauer, 1961" and card.missing.isVisible()
    assert not card.title.isVisible() and not card.open.isVisible()
    qtbot.mouseClick(card.add, Qt.MouseButton.LeftButton)
    assert ("add_by_identifier", "doi:10.1000/a") in context.navigate.calls


def test_card_closes_when_the_mouse_leaves_both(qtbot, page, reading):
    reading.cited_papers[LINK] = IN_LIBRARY
    hover(qtbot, page.book)
    card = page.book.citations.card
    qtbot.waitUntil(card.isVisible)
    qtbot.mouseMove(page.book.view.viewport(), place(page.book) + QPoint(0, 80))
    card.mouse_entered.emit()
    card.mouse_left.emit()
    qtbot.waitUntil(lambda: not card.isVisible())


def test_card_of_one_citation_gives_way_to_that_of_the_next(qtbot, page, reading):
    other = Link(Box(20, 150, 60, 162), PagePosition(4, 90.0))
    reading.cited_papers = {LINK: IN_LIBRARY, other: CitedPaper("M. Lindauer, 1961")}
    view, card = page.book.view, page.book.citations.card
    view.mouse.link_hovered.emit(0, LINK)
    qtbot.waitUntil(card.isVisible)
    view.mouse.link_hovered.emit(0, other)
    qtbot.waitUntil(lambda: card.isVisible() and card.text.text() == "M. Lindauer, 1961")


def test_card_gives_way_to_the_selection_of_an_area(qtbot, page, reading):
    reading.cited_papers[LINK] = IN_LIBRARY
    hover(qtbot, page.book)
    card, viewport = page.book.citations.card, page.book.view.viewport()
    qtbot.waitUntil(card.isVisible)
    page.book.select_area()
    at = place(page.book)
    qtbot.mousePress(viewport, Qt.MouseButton.LeftButton, pos=at)
    qtbot.mouseMove(viewport, at + QPoint(90, 60))
    assert not card.isVisible()
    qtbot.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=at + QPoint(90, 60))
    assert page.book.selection_bar.isVisible() and not card.isVisible()


def test_escape_in_the_pages_closes_the_card(qtbot, page, reading):
    reading.cited_papers[LINK] = IN_LIBRARY
    hover(qtbot, page.book)
    qtbot.waitUntil(page.book.citations.card.isVisible)
    qtbot.keyClick(page.book.view, Qt.Key.Key_Escape)
    assert not page.book.citations.card.isVisible()


def test_card_stays_while_the_mouse_is_on_it(qtbot, page, reading):
    reading.cited_papers[LINK] = IN_LIBRARY
    hover(qtbot, page.book)
    card = page.book.citations.card
    qtbot.waitUntil(card.isVisible)
    qtbot.mouseMove(page.book.view.viewport(), place(page.book) + QPoint(0, 80))
    card.mouse_entered.emit()
    with qtbot.assertNotEmitted(card.mouse_left, wait=500):
        pass
    assert card.isVisible()


def test_cards_of_citations_are_shown_one_after_another_by_keyboard(qtbot, page, reading):
    figure, second = (Link(Box(20, top, 60, top + 12), PagePosition(4, top)) for top in (150, 180))
    broken = Link(Box(20, 135, 60, 147), LINK.spot)  # the rest of the first citation
    page.book.file.links = {0: (LINK, broken, figure, second)}
    found = CitedPaper("K. von Frisch", IN_LIBRARY.paper)
    reading.cited_papers = {LINK: found, broken: found, second: CitedPaper("M. Lindauer, 1961")}
    page.book.pictures.rest()
    page.book.view.refresh()
    qtbot.waitUntil(lambda: len(page.book.view.visible_links()) == 4)
    card = page.book.citations.card
    page.book.show_cited()
    qtbot.waitUntil(card.isVisible)
    assert card.title.text() == "The dance of bees" and card.open.hasFocus()
    page.book.show_cited()
    qtbot.waitUntil(lambda: card.text.text() == "M. Lindauer, 1961")
    qtbot.keyClick(card, Qt.Key.Key_Escape)
    assert not card.isVisible() and page.book.view.hasFocus()


def test_tooltip_names_the_page_of_a_link_that_is_no_citation(qtbot, page, reading, monkeypatch):
    shown: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda at, text, *_: shown.append(text))
    hover(qtbot, page.book)
    qtbot.waitUntil(lambda: shown == ["Page 5"])
    assert not page.book.citations.card.isVisible()


def test_citation_is_looked_up_once_until_the_library_changes(qtbot, jobs, page, reading):
    reading.cited_papers[LINK] = CitedPaper("K. von Frisch")
    card = page.book.citations.card
    for _ in range(2):
        hover(qtbot, page.book)
        qtbot.waitUntil(card.isVisible)
        page.book.citations.hide()
    assert reading.looked_up == [LINK]
    reading.cited_papers[LINK] = IN_LIBRARY
    page.library_changed(LibraryChanges(papers=True))
    qtbot.waitUntil(lambda: not jobs.running())
    hover(qtbot, page.book)
    qtbot.waitUntil(card.isVisible)
    assert card.title.text() == "The dance of bees"
