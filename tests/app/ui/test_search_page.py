"""The search page: typing, answers, cards, similar papers."""

from __future__ import annotations

import threading

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from sciread_app.domain.order import Order
from sciread_app.ui.values import Listing, Mode
from tests.app.ui.fakes import FakeDesk
from tests.make import paper

PAPERS = (
    paper("Attention Is All You Need", abstract="We propose the Transformer. It is fast."),
    paper("On the Electrodynamics of Moving Bodies", abstract="Light and clocks."),
    paper("Attentive Readers", abstract="They read."),
)


def title_of(page, row=0):
    card = page.model.card(row)
    return card.paper.title if card else None


def type_in(qtbot, page, text):
    page.box.edit.clear()
    qtbot.keyClicks(page.box.edit, text)


def test_an_empty_box_shows_the_whole_library(show_page):
    page = show_page(FakeDesk(1234))
    assert page.model.rowCount() == 1234
    assert page.count.text() == "1,234 papers in the library"


def test_results_come_as_one_types(qtbot, show_page):
    page = show_page(FakeDesk(papers=PAPERS))
    type_in(qtbot, page, "attention")
    qtbot.waitUntil(lambda: title_of(page) == "Attention Is All You Need")
    assert page.count.text() == "1 paper"


def test_typing_asks_once_it_pauses(qtbot, show_page):
    desk = FakeDesk(papers=PAPERS)
    page = show_page(desk)
    desk.asked.clear()
    type_in(qtbot, page, "light")
    qtbot.waitUntil(lambda: desk.asked != [])
    qtbot.wait(250)
    assert desk.asked == ["light"]


def test_enter_does_not_wait_for_the_pause_nor_asks_twice(qtbot, show_page):
    desk = FakeDesk(papers=PAPERS)
    page = show_page(desk)
    desk.asked.clear()
    page.box.edit.setText("light")
    qtbot.keyClick(page.box.edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: desk.asked == ["light"])
    qtbot.wait(250)
    assert desk.asked == ["light"]


def test_a_late_answer_to_an_older_query_is_not_shown(qtbot, show_page, jobs):
    desk = FakeDesk(papers=PAPERS)
    desk.hold["attention"] = threading.Event()
    page = show_page(desk)
    page.box.set_text("attention")
    page.box.set_text("light")
    qtbot.waitUntil(lambda: page.view.query == "light")
    desk.hold["attention"].set()
    qtbot.waitUntil(lambda: not jobs.running())
    assert page.view.query == "light"
    assert page.model.rowCount() == 1


def test_a_wrong_query_is_explained_and_the_last_results_stay(qtbot, show_page):
    page = show_page(FakeDesk(papers=PAPERS))
    page.box.set_text("light")
    qtbot.waitUntil(lambda: page.view.query == "light")
    page.box.set_text("wrong:x")
    qtbot.waitUntil(lambda: page.box.wrong.isVisible())
    assert "There is no field “wrong:”." in page.box.wrong.text()
    assert "Use author: or year: instead." in page.box.wrong.text()
    assert page.model.rowCount() == 1
    page.box.set_text("clocks")
    qtbot.waitUntil(lambda: not page.box.wrong.isVisible())


def test_a_note_says_what_the_answer_lacks(qtbot, show_page):
    page = show_page(FakeDesk(papers=PAPERS))
    page.box.set_text("light")
    qtbot.waitUntil(lambda: page.note.isVisible())
    assert page.note.text() == "Searching by words only: the model is starting"


def test_the_mode_is_what_the_switch_says(qtbot, show_page):
    class Noting(FakeDesk):
        modes = []

        def find(self, query, mode, task):
            self.modes.append(mode)
            return super().find(query, mode, task)

    desk = Noting(papers=PAPERS)
    page = show_page(desk)
    page.box.set_text("light")
    qtbot.waitUntil(lambda: desk.modes == [Mode.hybrid])
    for mode in (Mode.text, Mode.meaning):
        page.box.set_mode(mode)
        qtbot.waitUntil(lambda mode=mode: desk.modes[-1:] == [mode])


def test_no_hits_come_with_hints(qtbot, show_page):
    page = show_page(FakeDesk(papers=PAPERS))
    page.box.set_text("zzz")
    qtbot.waitUntil(lambda: page.empty.isVisible())
    assert page.empty.title.text() == "Nothing found"
    assert "Meaning" in page.empty.text.text()


def test_an_empty_library_says_how_to_fill_it(qtbot, show_page):
    class Empty(FakeDesk):
        def browse(self, order, task):
            return Listing((), 0)

    page = show_page(Empty())
    assert page.empty.isVisible()
    assert page.empty.title.text() == "Your library is empty"


def test_of_a_hundred_thousand_papers_only_those_that_are_seen_are_loaded(qtbot, show_page, jobs):
    desk = FakeDesk(150_000)
    page = show_page(desk)
    bar = page.hits.verticalScrollBar()
    for step in range(1, 21):
        bar.setValue(bar.maximum() * step // 20)
        qtbot.wait(20)
    qtbot.waitUntil(lambda: title_of(page, 149_999) == "Paper 1" and not jobs.running())
    assert page.model.rowCount() == 150_000
    assert len(set(desk.loaded)) < 5_000


def test_a_card_is_a_placeholder_until_its_paper_is_there(qtbot, show_page):
    held = threading.Event()

    class Slow(FakeDesk):
        def cards(self, ids):
            held.wait(60)
            return super().cards(ids)

    page = show_page(Slow(100))
    qtbot.wait(30)
    assert title_of(page) is None
    held.set()
    qtbot.waitUntil(lambda: title_of(page) == "Paper 100")


def test_the_order_of_browsing_can_be_chosen(qtbot, show_page):
    desk = FakeDesk()
    page = show_page(desk)
    page.browse_by(Order.year)
    qtbot.waitUntil(lambda: desk.asked[-1] == "browse year")
    assert page.order.text() == "Newest published"


def test_similar_papers_lead_back_to_where_one_was(qtbot, show_page):
    desk = FakeDesk(papers=PAPERS)
    page = show_page(desk)
    page.box.set_text("attention")
    qtbot.waitUntil(lambda: page.model.rowCount() == 1 and title_of(page) is not None)
    page.similar_to_chosen()
    qtbot.waitUntil(lambda: page.crumb.isVisible())
    assert page.crumb.text() == "Similar to “Attention Is All You Need”"
    assert list(page.view.listing.ids) == [3, 2]
    page.back()
    assert not page.crumb.isVisible()
    assert list(page.view.listing.ids) == [1]
    assert page.hits.current() == 1


def test_similar_papers_can_be_steered_away_from_some(qtbot, show_page):
    desk = FakeDesk(10)
    page = show_page(desk)
    qtbot.waitUntil(lambda: title_of(page) == "Paper 10")
    page.show_similar([4, 5], [6])
    qtbot.waitUntil(lambda: page.crumb.isVisible())
    assert desk.asked[-1] == "similar [4, 5] [6]"
    assert page.crumb.text().startswith("Similar to 2 papers, not like “Paper 6”")


def test_when_papers_come_in_the_reader_stays_where_he_is(qtbot, show_page):
    desk = FakeDesk(500)
    page = show_page(desk)
    page.hits.go_to(100)
    page.hits.set_top(page.hits.height_of(98))
    reading = page.hits.current()
    desk.count += 7
    with qtbot.waitSignal(page.shown):
        page.refresh()
    assert page.hits.current() == reading
    assert page.hits.currentIndex().row() == 107
    assert page.hits.top() == page.hits.height_of(105)


def test_a_changed_paper_is_loaded_again(qtbot, show_page):
    desk = FakeDesk(papers=PAPERS)
    page = show_page(desk)
    qtbot.waitUntil(lambda: title_of(page) == "Attentive Readers")
    desk.papers[3] = paper("Attentive Writers")
    page.refresh()
    qtbot.waitUntil(lambda: title_of(page) == "Attentive Writers")


def test_reading_is_noted_on_the_card_and_in_the_library(qtbot, show_page, jobs):
    desk = FakeDesk(5)
    page = show_page(desk)
    qtbot.waitUntil(lambda: page.details.details is not None and page.model.card(0) is not None)
    page.details.toggle_read()
    assert page.model.card(0).read
    qtbot.waitUntil(lambda: desk.read == {5})
    page.details.toggle_read()
    qtbot.waitUntil(lambda: desk.read == set())


def test_chosen_papers_are_copied_as_bibtex(qtbot, show_page):
    page = show_page(FakeDesk(5))
    page.hits.selectAll()
    page.copy_chosen()
    qtbot.waitUntil(lambda: "@article{paper1}" in QGuiApplication.clipboard().text())
    assert QGuiApplication.clipboard().text().startswith("@article{paper5}")


def test_the_keys_lead_from_the_box_through_the_list_into_the_details_and_back(qtbot, show_page):
    page = show_page(FakeDesk(50))
    page.activateWindow()
    page.box.take_focus()
    qtbot.waitUntil(page.box.edit.hasFocus)
    qtbot.keyClick(page.box.edit, Qt.Key.Key_Down)
    assert page.hits.hasFocus()
    assert page.hits.currentIndex().row() == 0
    qtbot.keyClicks(page.hits, "jjk")
    assert page.hits.currentIndex().row() == 1
    qtbot.keyClick(page.hits, Qt.Key.Key_Space)
    assert not page.details.isVisible()
    qtbot.keyClick(page.hits, Qt.Key.Key_Return)
    assert page.details.isVisible()
    assert page.details.isAncestorOf(QGuiApplication.focusObject())
    qtbot.keyClick(QGuiApplication.focusObject(), Qt.Key.Key_Escape)
    assert page.hits.hasFocus()
    qtbot.keyClick(page.hits, Qt.Key.Key_Escape)
    assert page.box.edit.hasFocus()
    page.box.edit.setText("something")
    qtbot.keyClick(page.box.edit, Qt.Key.Key_Escape)
    assert page.box.edit.text() == ""
