"""The search page: typing, answers, cards, similar papers."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QRect, QSettings, Qt, QTimer
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import QApplication

from sciread_app.domain.order import Order
from sciread_app.domain.query import parse
from sciread_app.ui.request import Chip, Filter, Request
from sciread_app.ui.suggestions import Half, half_typed
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


def is_idle(page, jobs):
    """No search is running, and no timer will begin one."""
    timers = (timer for timer in page.findChildren(QTimer) if timer.isSingleShot())
    return not jobs.running() and not any(timer.isActive() for timer in timers)


def test_an_empty_box_shows_the_whole_library(show_page):
    page = show_page(FakeDesk(1234))
    assert page.model.rowCount() == 1234
    assert page.head.count.text() == "1,234 papers in the library"


def test_formulas_of_a_title_are_spoken_in_unicode(qtbot, show_page):
    page = show_page(FakeDesk(papers=[paper("On $x^2$")]))
    page.model.card(0)
    qtbot.waitUntil(lambda: page.model.index(0, 0).data().startswith("On x²"))


def test_results_come_as_one_types(qtbot, show_page):
    page = show_page(FakeDesk(papers=PAPERS))
    type_in(qtbot, page, "attention")
    qtbot.waitUntil(lambda: title_of(page) == "Attention Is All You Need")
    assert page.head.count.text() == "1 paper"


def test_typing_asks_once_it_pauses(qtbot, show_page, jobs):
    desk = FakeDesk(papers=PAPERS)
    page = show_page(desk)
    desk.asked.clear()
    type_in(qtbot, page, "light")
    qtbot.waitUntil(lambda: desk.asked != [] and is_idle(page, jobs))
    assert desk.asked == ["light"]


def test_enter_does_not_wait_for_the_pause_nor_asks_twice(qtbot, show_page, jobs):
    desk = FakeDesk(papers=PAPERS)
    page = show_page(desk)
    desk.asked.clear()
    page.box.edit.setText("light")
    qtbot.keyClick(page.box.edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: desk.asked == ["light"] and is_idle(page, jobs))
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
    qtbot.waitUntil(lambda: page.head.note.isVisible())
    assert page.head.note.text() == "Searching by words only: the model is starting"


def test_the_mode_is_what_the_switch_says(qtbot, show_page):
    class Noting(FakeDesk):
        modes = []

        def find(self, query, mode, *more):
            self.modes.append(mode)
            return super().find(query, mode, *more)

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


def test_weaker_matches_are_shown_when_they_are_asked_for(qtbot, show_page):
    desk = FakeDesk(5)
    desk.weak = {2, 4, 5}
    page = show_page(desk)
    type_in(qtbot, page, "paper")
    qtbot.waitUntil(lambda: list(page.view.listing.ids) == [1, 3])
    assert "2 papers" in page.head.count.text() and "3" in page.head.weaker.text()
    page.head.weaker.click()
    assert list(page.view.listing.ids) == [1, 3, 2, 4, 5]
    assert page.head.weaker.isHidden()
    assert "2 papers" in page.head.count.text() and "3 weaker" in page.head.count.text()


def test_where_nothing_matches_the_nearest_papers_are_offered(qtbot, show_page):
    desk = FakeDesk(3)
    desk.weak = {1, 2, 3}
    page = show_page(desk)
    type_in(qtbot, page, "paper")
    qtbot.waitUntil(lambda: page.view.listing.weaker == [1, 2, 3])
    assert page.empty.isVisible() and page.head.weaker.isHidden()
    (button,) = page.empty.buttons()
    button.click()
    assert list(page.view.listing.ids) == [1, 2, 3] and page.hits.currentIndex().row() == 0


def test_an_empty_library_says_how_to_fill_it(qtbot, show_page):
    class Empty(FakeDesk):
        def browse(self, order, task):
            return Listing((), 0)

    page = show_page(Empty())
    assert page.empty.isVisible()
    assert page.empty.title.text() == "Your library is empty"
    qtbot.keyClick(page.box.edit, Qt.Key.Key_Down)  # as it leads into a list
    assert page.window().focusWidget() is page.empty.buttons()[0]


def test_of_a_hundred_thousand_papers_only_those_that_are_seen_are_loaded(qtbot, show_page, jobs):
    desk = FakeDesk(150_000)
    page = show_page(desk)
    bar = page.hits.verticalScrollBar()
    for step in range(1, 21):
        bar.setValue(bar.maximum() * step // 20)
        qtbot.waitUntil(lambda: not jobs.running())
    qtbot.waitUntil(lambda: title_of(page, 149_999) == "Paper 1" and not jobs.running())
    assert page.model.rowCount() == 150_000
    assert len(set(desk.loaded)) < 5_000


def test_a_card_is_a_placeholder_until_its_paper_is_there(qtbot, show_page):
    asked, held = threading.Event(), threading.Event()

    class Slow(FakeDesk):
        def cards(self, ids):
            asked.set()
            held.wait(60)
            return super().cards(ids)

    page = show_page(Slow(100))
    qtbot.waitUntil(asked.is_set)
    assert title_of(page) is None
    held.set()
    qtbot.waitUntil(lambda: title_of(page) == "Paper 100")


def test_the_order_can_be_chosen_for_what_is_listed_and_for_what_is_found(qtbot, show_page):
    desk = FakeDesk()
    page = show_page(desk)
    page.sort_by(Order.year)
    qtbot.waitUntil(lambda: desk.asked[-1] == "browse year")
    assert page.head.order.text() == "Newest published"
    page.box.set_text("paper")
    qtbot.waitUntil(lambda: desk.orders == [Order.relevance])
    qtbot.waitUntil(lambda: page.head.order.text() == "Relevance")
    page.sort_by(Order.rating)
    qtbot.waitUntil(lambda: desk.orders[-1] is Order.rating)
    page.box.set_text("")
    qtbot.waitUntil(lambda: desk.asked[-1] == "browse year")


def test_the_chosen_order_is_remembered(qtbot, show_page, tmp_path):
    settings = QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)
    page = show_page(FakeDesk())
    page.remember(settings)
    page.head.order.menu().actions()[4].trigger()
    desk = FakeDesk()
    later = show_page(desk)
    later.remember(settings)
    with qtbot.waitSignal(later.shown):
        later.search()
    assert later.head.order.text() == "Title" and desk.asked[-1] == "browse title"


def chip_texts(row):
    return [chip.text() for chip in row.chips]


def test_a_scope_is_a_chip_joined_with_what_is_typed_until_it_is_taken_away(qtbot, show_page):
    page = show_page(FakeDesk(papers=PAPERS))
    page.set_scope('in:"my thesis"', "my thesis")
    page.box.set_text("light")
    qtbot.waitUntil(lambda: page.view.query == 'in:"my thesis" light')
    assert chip_texts(page.head.scope) == ["my thesis"]
    assert [chip.fragment for chip in page.view.scope] == ['in:"my thesis"']
    qtbot.keyClick(page.head.scope.chips[0], Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: page.view.query == "light")
    page.set_scope("in:trash", "Trash")
    qtbot.waitUntil(lambda: page.view.of_trash)
    page.set_scope("")
    qtbot.waitUntil(lambda: page.view.query == "light")
    assert not page.head.scope.isVisible()


def test_similar_papers_lead_back_to_where_one_was(qtbot, show_page):
    desk = FakeDesk(papers=PAPERS)
    page = show_page(desk)
    page.set_scope("is:unread", "Unread")
    page.box.set_text("attention")
    qtbot.waitUntil(lambda: page.model.rowCount() == 1 and title_of(page) is not None)
    page.similar_to_chosen()
    qtbot.waitUntil(lambda: page.head.back_button.isVisible())
    assert chip_texts(page.head.steering) == ["Attention Is All You Need"]
    assert page.box.text == "" and not page.head.scope.isVisible()
    assert "Add words" in page.box.edit.placeholderText()
    assert list(page.view.listing.ids) == [3, 2]
    page.back()
    assert not page.head.steering.isVisible()
    assert page.box.text == "attention" and chip_texts(page.head.scope) == ["Unread"]
    assert list(page.view.listing.ids) == [1]
    assert page.hits.current() == 1


def test_keys_steer_the_list_and_chips_say_by_what(qtbot, show_page):
    desk = FakeDesk(10)
    page = show_page(desk)
    page.box.set_text("paper")
    qtbot.waitUntil(lambda: page.view.query == "paper" and title_of(page, 2) == "Paper 3")
    page.hits.go_to(1)
    qtbot.keyClicks(page.hits, "+")
    qtbot.waitUntil(lambda: desk.asked[-1] == "like:2 paper" == page.view.query)
    page.hits.go_to(page.model.row_of(5))
    qtbot.keyClicks(page.hits, "-")
    qtbot.waitUntil(lambda: page.view.query == "like:2 -like:5 paper")
    assert chip_texts(page.head.steering) == ["Paper 2", "Paper 5", "Clear all"]
    assert page.hits.current() is not None
    page.less_like([2])
    qtbot.waitUntil(lambda: page.view.query == "-like:5 -like:2 paper")
    page.head.steering.chips[0].click()
    qtbot.waitUntil(lambda: page.view.query == "-like:2 paper")
    page.head.steering.chips[0].click()
    qtbot.waitUntil(lambda: page.view.query == "paper")
    assert not page.head.steering.isVisible()


def test_buttons_on_a_card_steer_without_choosing_it(qtbot, show_page):
    desk = FakeDesk(10)
    page = show_page(desk)
    page.box.set_text("paper")
    qtbot.waitUntil(lambda: title_of(page, 1) == "Paper 2")
    cards = page.hits.itemDelegate()
    for sign, like, unlike in (("+", (2,), ()), ("-", (2,), (9,))):
        card = page.hits.visualRect(page.model.index(1, 0))
        places = [QPoint(x, y) for x in range(card.right() - 90, card.right(), 4)
                  for y in range(card.bottom() - 50, card.bottom(), 4)]  # fmt: skip
        place = next(place for place in places if cards.button_at(card, place) == sign)
        qtbot.mouseClick(page.hits.viewport(), Qt.MouseButton.LeftButton, pos=place)
        steered = replace(page.view.request, like=like, unlike=unlike)
        qtbot.waitUntil(lambda steered=steered: page.view.request == steered)


def test_cards_of_what_was_found_are_higher_by_the_line_that_says_why(qtbot, show_page):
    page = show_page(FakeDesk(10))
    listed = page.hits.height_of(1)
    page.box.set_text("paper")
    qtbot.waitUntil(lambda: page.view.query == "paper")
    assert page.hits.height_of(1) > listed
    page.hits.viewport().grab()


def test_on_a_narrow_card_the_title_has_the_room(qtbot, show_window, appearance):
    window = show_window(FakeDesk(papers=PAPERS))
    page = window.page
    page.hits.setMaximumWidth(260)
    page.box.set_text("attention")
    qtbot.waitUntil(lambda: page.model.rowCount() == 1)
    page.hits.go_to(0)

    def has_bar():
        """Right of the title of the first card."""
        card = page.hits.visualRect(page.model.index(0, 0))
        place = QRect(card.right() - 80, card.y() + 8, 70, 34)
        picture = page.hits.viewport().grab(place).toImage()
        seen = (picture.pixelColor(x, y).name() for x in range(70) for y in range(34))
        return QColor(appearance.theme.accent).name() in seen

    qtbot.waitUntil(lambda: not has_bar())
    page.hits.setMaximumWidth(2_000)
    window.resize(1600, 900)
    qtbot.waitUntil(has_bar)


@pytest.mark.parametrize("size", [(900, 600), (720, 450), (640, 450)], ids=str)
def test_a_narrow_window_has_no_details_beside_the_list(qtbot, show_window, size):
    window = show_window(FakeDesk(papers=PAPERS))
    page, sidebar = window.page, window.shelving.sidebar
    window.resize(1240, 800)
    qtbot.waitUntil(lambda: page.details.isVisible() and sidebar.isVisible())
    window.resize(*size)
    qtbot.waitUntil(lambda: not page.details.isVisible() and page.hits.width() >= 300)
    assert sidebar.isVisible() == (size[0] > 680)  # it goes after the details
    page.hits.go_to(0)
    page.hits.setFocus()
    qtbot.keyClick(page.hits, Qt.Key.Key_Space)
    assert page.details.isVisible() and not page.hits.isVisible()
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Escape)
    assert page.hits.isVisible() and not page.details.isVisible()
    qtbot.keyClick(page.hits, Qt.Key.Key_Return)
    assert page.details.isVisible() and not page.hits.isVisible()
    page.close_paper()
    window.resize(1240, 800)
    qtbot.waitUntil(lambda: page.details.isVisible() and page.hits.isVisible())
    qtbot.waitUntil(sidebar.isVisible)


def test_the_button_that_shows_the_filters_stays_where_it_is(qtbot, show_page):
    page = show_page(FakeDesk(20))
    button = page.head.filter_button

    def place():
        QApplication.processEvents()
        return button.mapTo(page, button.rect().center())

    before = place()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert page.head.filters.isVisible()
    qtbot.waitUntil(lambda: place() == before)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert not page.head.filters.isVisible()
    qtbot.waitUntil(lambda: place() == before)


def test_titles_of_examples_that_no_list_has_shown_are_looked_up(qtbot, show_page):
    page = show_page(FakeDesk(5_000))
    page.show_similar([4], [6])
    qtbot.waitUntil(lambda: chip_texts(page.head.steering)[:2] == ["Paper 4", "Paper 6"])


def test_papers_of_another_page_are_shown_with_a_way_back(qtbot, show_page):
    page = show_page(FakeDesk(50))
    page.show_papers([3, 4], "New in a fetch")
    assert page.head.crumb.text() == "New in a fetch" and page.head.count.text() == "2 papers"
    page.more_like([3])
    qtbot.waitUntil(lambda: page.view.request.like == (3,))
    page.back()
    assert page.head.crumb.text() == "New in a fetch"
    page.back()
    assert page.model.rowCount() == 50 and not page.head.back_button.isVisible()


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
    qtbot.waitUntil(lambda: desk.organise.read == {5})
    page.details.toggle_read()
    qtbot.waitUntil(lambda: desk.organise.read == set())


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


ENTRY = "@article{bees,\n title = {On Bees},\n abstract = {They fly.}}"


def test_a_pasted_entry_is_looked_for_without_being_added(qtbot, show_page):
    desk = FakeDesk(papers=(*PAPERS, paper("On Bees that fly")))
    page = show_page(desk)
    page.box.set_text("light")
    qtbot.waitUntil(lambda: page.view.query == "light")
    QGuiApplication.clipboard().setText(ENTRY)
    qtbot.keyClick(page.box.edit, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: page.view.query == "On Bees that fly")
    assert chip_texts(page.head.scope) == ["Like “On Bees”"] and page.box.text == ""
    page.back()
    assert page.box.text == "light"
    page.box.edit.setText(ENTRY)  # as the menu of the box pastes it
    qtbot.waitUntil(lambda: page.view.query == "On Bees that fly")


def test_files_are_looked_for_and_what_is_known_of_them_is_an_example(qtbot, show_page, tmp_path):
    page = show_page(FakeDesk(20))
    page.head.find_like([tmp_path / "two.bib"])
    qtbot.waitUntil(lambda: page.view.request.like == (2,))
    assert page.view.query == "like:2 On Wasps"
    page.head.find_like([tmp_path / "empty.bib"])
    qtbot.waitUntil(page.box.wrong.isVisible)
    assert "No paper was found in empty.bib." in page.box.wrong.text()
    assert page.view.request.like == (2,)


def test_a_search_is_saved_under_a_name(qtbot, show_page):
    page = show_page(FakeDesk(20))
    page.head.save_search()
    assert QApplication.activePopupWidget() is None  # all papers are no search
    page.set_scope("tag:maths", "maths")
    page.box.set_text("paper")
    qtbot.waitUntil(lambda: page.view.query == "tag:maths paper")
    page.head.save_search()
    popover = QApplication.activePopupWidget()
    assert popover.name.text() == "paper, maths"
    popover.name.setText("  ")
    assert not popover.save.isEnabled()
    popover.name.setText("My papers")
    with qtbot.waitSignal(page.save_wanted) as saved:
        qtbot.keyClick(popover.name, Qt.Key.Key_Return)
    assert saved.args == ["My papers", "tag:maths paper"]


def test_behind_a_long_text_scopes_and_filters_still_hold():
    long = Chip("words of an abstract " * 10, "Like “x”")
    request = Request((long, Chip("in:thesis", "thesis")), (Filter("year", ("2015..",)),), "more")
    query = parse(request.query)
    assert [condition.field for condition in query.conditions] == ["year", "in"]
    assert query.pasted and query.meaning.endswith("more")


def test_names_are_offered_while_a_field_is_typed_and_taken_with_the_keyboard(qtbot, show_page):
    page = show_page(FakeDesk(20))
    page.box.take_focus()
    type_in(qtbot, page, "rays author:cur")
    qtbot.waitUntil(lambda: page.box.offered == ["Marie Curie   7", "Pierre Curie   7"])
    popup = QApplication.activePopupWidget()
    qtbot.keyClick(popup, Qt.Key.Key_Down)
    qtbot.keyClick(popup, Qt.Key.Key_Return)
    assert page.box.edit.text() == 'rays author:="Marie Curie" '
    qtbot.waitUntil(lambda: page.view.query == 'rays author:="Marie Curie"')
    qtbot.keyClicks(page.box.edit, 'tag:"to')
    qtbot.waitUntil(lambda: page.box.offered == ["to read   7"])
    qtbot.keyClick(page.box.edit, Qt.Key.Key_Backspace)
    qtbot.keyClick(page.box.edit, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: page.box.offered == [])


def test_what_was_searched_for_is_offered_in_the_empty_box_and_remembered(
    qtbot, show_page, tmp_path
):
    settings = QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)
    page = show_page(FakeDesk(20))
    page.remember(settings)
    for text in ("paper", "light and clocks", "paper"):
        type_in(qtbot, page, text)
        qtbot.keyClick(page.box.edit, Qt.Key.Key_Return)
    later = show_page(FakeDesk(20))
    later.remember(settings)
    later.activateWindow()
    later.box.take_focus()
    qtbot.keyClick(later.box.edit, Qt.Key.Key_Up)
    assert later.box.offered == ["paper", "light and clocks"]
    popup = QApplication.activePopupWidget()
    qtbot.keyClick(popup, Qt.Key.Key_Down)
    qtbot.keyClick(popup, Qt.Key.Key_Down)
    qtbot.keyClick(popup, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: later.view.query == "light and clocks")


@pytest.mark.parametrize(
    ("typed", "half"),
    [
        ("author:cur", Half("author", "cur", 0)),
        ('x -tag:"to re', Half("tag", "to re", 2, True)),
        ("journal:=na", Half("venue", "na", 0)),
        ("in:", Half("in", "", 0)),
        ("author:curie ", None),
        ("coauthor:cur", None),
        ("year:20", None),
    ],
)
def test_a_field_is_known_while_it_is_typed(typed, half):
    assert half_typed(typed, len(typed)) == half
