"""The search page: typing, results, cards, examples, similar papers."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QRect, QSettings, Qt, QTimer
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import QApplication

from sciread_app.domain.paper import LibraryChanges, Order
from sciread_app.domain.query.parser import parse
from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.errors import SciReadError
from sciread_app.ui.query_state import QueryChip, SearchFilter, SearchRequest
from sciread_app.ui.search.view_mode import ViewMode
from tests.support.generate.papers import paper
from tests.support.ui.fakes.gateway import FakeGateway

PAPERS = (
    paper("Attention Is All You Need", abstract="We propose the Transformer. It is fast."),
    paper("On the Electrodynamics of Moving Bodies", abstract="Light and clocks."),
    paper("Attentive Readers", abstract="They read."),
)


def title_of(page, row=0):
    card = page.model.card(row)
    return card.paper.title if card else None


def type_in(qtbot, page, text):
    page.search_box.edit.clear()
    qtbot.keyClicks(page.search_box.edit, text)


def is_idle(page, jobs):
    """Return whether no search runs and no timer will start one."""
    timers = (timer for timer in page.findChildren(QTimer) if timer.isSingleShot())
    return not jobs.running() and not any(timer.isActive() for timer in timers)


def test_empty_query_shows_the_whole_library(show_page):
    page = show_page(FakeGateway(1234))
    assert page.model.rowCount() == 1234
    assert page.header.count.text() == "1,234 papers in the library"


def test_title_formulas_are_accessible_in_unicode(qtbot, show_page):
    page = show_page(FakeGateway(papers=[paper("On $x^2$")]))
    page.model.card(0)
    qtbot.waitUntil(lambda: page.model.index(0, 0).data().startswith("On x²"))


def test_keys_pressed_while_results_load_move_in_the_results(qtbot, show_page, jobs, hold):
    gateway = FakeGateway(50)
    page = show_page(gateway)
    page.result_list.setFocus()
    page.result_list.go_to(20)
    go_on = hold(gateway, "find")
    page.search()
    for key in (Qt.Key.Key_J, Qt.Key.Key_J, Qt.Key.Key_J, Qt.Key.Key_K):
        qtbot.keyClick(page.result_list, key)
    assert page.result_list.currentIndex().row() == 20
    go_on.set()
    qtbot.waitUntil(lambda: not jobs.running())
    assert page.result_list.currentIndex().row() == 2
    qtbot.keyClick(page.result_list, Qt.Key.Key_J)
    assert page.result_list.currentIndex().row() == 3


def test_down_and_j_right_after_typing_move_in_the_results(qtbot, show_page, jobs):
    page = show_page(FakeGateway(50))
    page.window().activateWindow()
    page.search_box.edit.setFocus()
    qtbot.keyClicks(page.search_box.edit, "paper")
    qtbot.keyClick(page.search_box.edit, Qt.Key.Key_Down)
    assert page.result_list.hasFocus() and page.view.query == ""
    qtbot.keyClick(page.result_list, Qt.Key.Key_J)
    qtbot.waitUntil(lambda: is_idle(page, jobs) and page.view.query == "paper")
    assert page.model.rowCount() > 1 and page.result_list.currentIndex().row() == 1


def test_focus_in_the_list_moves_to_the_offer_if_nothing_is_found(qtbot, show_page, jobs):
    page = show_page(FakeGateway(papers=PAPERS))
    page.window().activateWindow()
    page.search_box.edit.setFocus()
    qtbot.keyClicks(page.search_box.edit, "zzzz")
    qtbot.keyClick(page.search_box.edit, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: page.empty.isVisible())
    assert page.empty.buttons()[0].hasFocus()


def test_keys_pressed_before_a_failed_search_move_in_the_old_results(
    qtbot, show_page, jobs, monkeypatch
):
    gateway = FakeGateway(50)
    page = show_page(gateway)
    page.result_list.go_to(20)

    def fail(*args, **options):
        raise SciReadError("The index is damaged.")

    monkeypatch.setattr(gateway, "find", fail)
    page.search()
    qtbot.keyClick(page.result_list, Qt.Key.Key_J)
    qtbot.waitUntil(lambda: not jobs.running())
    assert page.result_list.currentIndex().row() == 21


def test_results_appear_while_typing(qtbot, show_page):
    page = show_page(FakeGateway(papers=PAPERS))
    type_in(qtbot, page, "attention")
    qtbot.waitUntil(lambda: title_of(page) == "Attention Is All You Need")
    assert page.header.count.text() == "1 paper"


def test_typing_searches_after_a_pause(qtbot, show_page, jobs):
    gateway = FakeGateway(papers=PAPERS)
    page = show_page(gateway)
    gateway.calls.clear()
    type_in(qtbot, page, "light")
    qtbot.waitUntil(lambda: gateway.calls != [] and is_idle(page, jobs))
    assert gateway.calls == ["light"]


def test_enter_searches_at_once_and_only_once(qtbot, show_page, jobs):
    gateway = FakeGateway(papers=PAPERS)
    page = show_page(gateway)
    gateway.calls.clear()
    page.search_box.edit.setText("light")
    qtbot.keyClick(page.search_box.edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: gateway.calls == ["light"] and is_idle(page, jobs))
    assert gateway.calls == ["light"]


def test_late_results_of_an_older_query_are_dropped(qtbot, show_page, jobs):
    gateway = FakeGateway(papers=PAPERS)
    gateway.hold["attention"] = threading.Event()
    page = show_page(gateway)
    page.search_box.set_text("attention")
    page.search_box.set_text("light")
    qtbot.waitUntil(lambda: page.view.query == "light")
    gateway.hold["attention"].set()
    qtbot.waitUntil(lambda: not jobs.running())
    assert page.view.query == "light"
    assert page.model.rowCount() == 1


def test_invalid_query_is_explained_and_earlier_results_are_hidden(qtbot, show_page):
    page = show_page(FakeGateway(papers=PAPERS))
    page.search_box.set_text("light")
    qtbot.waitUntil(lambda: page.view.query == "light")
    page.search_box.set_text("wrong:x")
    qtbot.waitUntil(lambda: page.search_box.wrong.isVisible())
    assert "Unknown search field “wrong”." in page.search_box.wrong.text()
    assert "Available fields: title, abstract, author" in page.search_box.wrong.text()
    assert page.model.rowCount() == 0 and page.empty.isVisible()
    assert not page.header.count.isVisible() and not page.details.isVisible()
    assert not page.header.compare.isVisible()
    page.search_box.set_text("clocks")
    qtbot.waitUntil(lambda: not page.search_box.wrong.isVisible())
    assert page.model.rowCount() == 1 and page.result_list.isVisible()


def test_note_of_the_results_is_shown(qtbot, show_page):
    page = show_page(FakeGateway(papers=PAPERS))
    page.search_box.set_text("light")
    qtbot.waitUntil(lambda: page.header.note.isVisible())
    assert page.header.note.text() == "Keyword results only: the model is loading"


def test_mode_follows_the_switch(qtbot, show_page):
    class ModeRecorder(FakeGateway):
        modes = []

        def find(self, query, mode, *more):
            self.modes.append(mode)
            return super().find(query, mode, *more)

    gateway = ModeRecorder(papers=PAPERS)
    page = show_page(gateway)
    page.search_box.set_text("light")
    qtbot.waitUntil(lambda: (gateway.calls[-1], gateway.modes[-1]) == ("light", SearchMode.hybrid))
    for mode in (SearchMode.text, SearchMode.meaning):
        page.search_box.set_mode(mode)
        qtbot.waitUntil(lambda mode=mode: gateway.modes[-1:] == [mode])


def test_empty_results_show_hints(qtbot, show_page):
    page = show_page(FakeGateway(papers=PAPERS))
    page.search_box.set_text("zzz")
    qtbot.waitUntil(lambda: page.empty.isVisible())
    assert page.empty.title.text() == "No results"
    assert "Meaning" in page.empty.text.text()


def test_placeholder_of_the_search_box_is_not_cut(qtbot, show_page):
    edit = show_page(FakeGateway(3)).search_box.edit
    shown = set()
    for width in (150, 300, 500, 900):
        edit.resize(width, edit.height())
        shown.add(edit.placeholderText())
        assert edit.fontMetrics().horizontalAdvance(edit.placeholderText()) < width
    assert len(shown) > 2


def test_long_note_wraps_in_a_narrow_window(qtbot, show_page):
    gateway = FakeGateway(0)
    page = show_page(gateway)
    narrow = page.minimumSizeHint().width()
    page.header.note.setText(
        "No results. The closest paper is “A very long title of a paper”. " * 3
    )
    page.header.note.show()
    page.resize(page.minimumSizeHint().width(), 700)
    qtbot.waitUntil(lambda: page.header.note.height() > 2 * page.header.note.fontMetrics().height())
    assert page.minimumSizeHint().width() <= narrow


def test_weak_matches_are_shown_on_request(qtbot, show_page):
    gateway = FakeGateway(5)
    gateway.weak = {2, 4, 5}
    page = show_page(gateway)
    type_in(qtbot, page, "paper")
    qtbot.waitUntil(lambda: list(page.view.listing.ids) == [1, 3])
    assert "2 papers" in page.header.count.text() and "3" in page.header.weaker.text()
    page.header.weaker.click()
    assert list(page.view.listing.ids) == [1, 3, 2, 4, 5]
    assert page.header.weaker.isHidden()
    assert "2 papers" in page.header.count.text() and "3 weaker" in page.header.count.text()


def test_nearest_papers_are_offered_without_matches(qtbot, show_page):
    gateway = FakeGateway(3)
    gateway.weak = {1, 2, 3}
    page = show_page(gateway)
    type_in(qtbot, page, "paper")
    qtbot.waitUntil(lambda: page.view.listing.weaker == [1, 2, 3])
    assert page.empty.isVisible() and page.header.weaker.isHidden()
    assert page.header.note.text() == page.empty.text.text() and page.header.note.isHidden()
    (button,) = page.empty.buttons()
    button.click()
    assert list(page.view.listing.ids) == [1, 2, 3] and page.result_list.currentIndex().row() == 0


def test_note_that_the_list_repeats_is_shown_on_the_map(qtbot, show_page):
    gateway = FakeGateway(3)
    gateway.weak = {1, 2, 3}
    page = show_page(gateway)
    type_in(qtbot, page, "paper")
    qtbot.waitUntil(lambda: page.view.listing.weaker == [1, 2, 3])
    page.header.show_mode(ViewMode.map)
    assert page.header.note.isVisible()


def test_empty_library_shows_how_to_add_papers(qtbot, show_page):
    page = show_page(FakeGateway(0))
    assert page.welcome.isVisible()
    qtbot.keyClick(page.search_box.edit, Qt.Key.Key_Down)  # moves into the list when there is one
    assert page.window().focusWidget() is page.welcome.choices[0]


def test_long_list_loads_only_visible_cards(qtbot, show_page, jobs):
    gateway = FakeGateway(150_000)
    page = show_page(gateway)
    bar = page.result_list.verticalScrollBar()
    for step in range(1, 21):
        bar.setValue(bar.maximum() * step // 20)
        qtbot.waitUntil(lambda: not jobs.running())
    qtbot.waitUntil(lambda: title_of(page, 149_999) == "Paper 1" and not jobs.running())
    assert page.model.rowCount() == 150_000
    assert len(set(gateway.loaded)) < 5_000


def test_card_is_a_placeholder_until_loaded(qtbot, show_page):
    asked, held = threading.Event(), threading.Event()

    class Slow(FakeGateway):
        def cards(self, ids):
            asked.set()
            held.wait(60)
            return super().cards(ids)

    page = show_page(Slow(100))
    qtbot.waitUntil(asked.is_set)
    assert title_of(page) is None
    held.set()
    qtbot.waitUntil(lambda: title_of(page) == "Paper 100")


def test_browsing_and_searching_have_separate_orders(qtbot, show_page):
    gateway = FakeGateway()
    page = show_page(gateway)
    page.sort_by(Order.year)
    qtbot.waitUntil(lambda: (gateway.calls[-1], gateway.orders[-1]) == ("", Order.year))
    assert page.header.order.text() == "Newest published"
    page.search_box.set_text("paper")
    qtbot.waitUntil(lambda: gateway.orders[-1] is Order.relevance)
    qtbot.waitUntil(lambda: page.header.order.text() == "Best match")
    page.sort_by(Order.rating)
    qtbot.waitUntil(lambda: gateway.orders[-1] is Order.rating)
    page.search_box.set_text("")
    qtbot.waitUntil(lambda: (gateway.calls[-1], gateway.orders[-1]) == ("", Order.year))


def test_order_is_restored(qtbot, show_page, tmp_path):
    settings = QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)
    page = show_page(FakeGateway())
    page.remember(settings)
    page.header.order.menu().actions()[4].trigger()
    gateway = FakeGateway()
    later = show_page(gateway)
    later.remember(settings)
    with qtbot.waitSignal(later.view_shown):
        later.search()
    assert later.header.order.text() == "Title" and gateway.orders[-1] is Order.title


def chip_texts(row):
    return [chip.text() for chip in row.chips]


def test_scope_is_a_chip_that_restricts_the_query_until_removed(qtbot, show_page):
    page = show_page(FakeGateway(papers=PAPERS))
    page.set_scope('in:"my thesis"', "my thesis")
    page.search_box.set_text("light")
    qtbot.waitUntil(lambda: page.view.query == 'in:"my thesis" light')
    assert chip_texts(page.header.scope) == ["my thesis"]
    assert [chip.fragment for chip in page.view.scope] == ['in:"my thesis"']
    qtbot.keyClick(page.header.scope.chips[0], Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: page.view.query == "light")
    page.set_scope("in:trash", "Trash")
    qtbot.waitUntil(lambda: page.view.of_trash)
    page.set_scope("")
    qtbot.waitUntil(lambda: page.view.query == "light")
    assert not page.header.scope.isVisible()


def test_back_from_similar_papers_restores_the_list(qtbot, show_page):
    gateway = FakeGateway(papers=PAPERS)
    page = show_page(gateway)
    page.set_scope("is:unread", "Unread")
    page.search_box.set_text("attention")
    qtbot.waitUntil(lambda: page.model.rowCount() == 1 and title_of(page) is not None)
    page.show_similar(page.selected())
    qtbot.waitUntil(lambda: page.header.back_button.isVisible())
    assert chip_texts(page.header.steering) == ["Attention Is All You Need"]
    assert page.search_box.text == "" and not page.header.scope.isVisible()
    assert "Refine" in page.search_box.edit.placeholderText()
    assert list(page.view.listing.ids) == [3, 2]
    page.back()
    assert not page.header.steering.isVisible()
    assert page.search_box.text == "attention" and chip_texts(page.header.scope) == ["Unread"]
    assert list(page.view.listing.ids) == [1]
    assert page.result_list.current() == 1


def test_keys_mark_examples_that_chips_show(qtbot, show_page):
    gateway = FakeGateway(10)
    page = show_page(gateway)
    page.search_box.set_text("paper")
    qtbot.waitUntil(lambda: page.view.query == "paper" and title_of(page, 2) == "Paper 3")
    page.result_list.go_to(1)
    qtbot.keyClicks(page.result_list, "+")
    qtbot.waitUntil(lambda: gateway.calls[-1] == "like:2 paper" == page.view.query)
    page.result_list.go_to(page.model.row_of(5))
    qtbot.keyClicks(page.result_list, "-")
    qtbot.waitUntil(lambda: page.view.query == "like:2 -like:5 paper")
    assert chip_texts(page.header.steering) == ["Paper 2", "Paper 5", "Clear all"]
    assert page.result_list.current() is not None
    page.less_like([2])
    qtbot.waitUntil(lambda: page.view.query == "-like:5 -like:2 paper")
    page.header.steering.chips[0].click()
    qtbot.waitUntil(lambda: page.view.query == "-like:2 paper")
    page.header.steering.chips[0].click()
    qtbot.waitUntil(lambda: page.view.query == "paper")
    assert not page.header.steering.isVisible()


def test_card_buttons_mark_examples_without_selecting(qtbot, show_page):
    gateway = FakeGateway(10)
    page = show_page(gateway)
    page.search_box.set_text("paper")
    qtbot.waitUntil(lambda: title_of(page, 1) == "Paper 2")
    cards = page.result_list.itemDelegate()
    for sign, like, unlike in (("+", (2,), ()), ("-", (2,), (9,))):
        card = page.result_list.visualRect(page.model.index(1, 0))
        places = [QPoint(x, y) for x in range(card.right() - 90, card.right(), 4)
                  for y in range(card.bottom() - 50, card.bottom(), 4)]  # fmt: skip
        place = next(place for place in places if cards.button_at(card, place) == sign)
        qtbot.mouseClick(page.result_list.viewport(), Qt.MouseButton.LeftButton, pos=place)
        steered = replace(page.view.request, like=like, unlike=unlike)
        qtbot.waitUntil(lambda steered=steered: page.view.request == steered)


def test_only_cards_with_remarks_have_a_line_more(show_page):
    page = show_page(FakeGateway(10))
    papers, listed = page.result_list, page.result_list.height_of_rows(1)
    papers.show_listing(replace(page.view.listing, remarks={1: "Like “Graphs”"}))
    assert papers.height_of_rows(1) > listed
    papers.viewport().grab()


def test_narrow_card_gives_the_room_to_the_title(qtbot, show_window, appearance):
    window = show_window(FakeGateway(papers=PAPERS))
    page = window.page
    page.result_list.setMaximumWidth(260)
    page.search_box.set_text("attention")
    qtbot.waitUntil(lambda: page.model.rowCount() == 1)
    page.result_list.go_to(0)

    def has_bar():
        """Return whether the accent colour occurs right of the title of the first card."""
        card = page.result_list.visualRect(page.model.index(0, 0))
        place = QRect(card.right() - 80, card.y() + 8, 70, 34)
        picture = page.result_list.viewport().grab(place).toImage()
        seen = (picture.pixelColor(x, y).name() for x in range(70) for y in range(34))
        return QColor(appearance.theme.accent).name() in seen

    qtbot.waitUntil(lambda: not has_bar())
    page.result_list.setMaximumWidth(2_000)
    window.resize(1600, 900)
    qtbot.waitUntil(has_bar)


@pytest.mark.parametrize("size", [(900, 600), (720, 450), (640, 450)], ids=str)
def test_narrow_window_hides_the_details(qtbot, show_window, size):
    window = show_window(FakeGateway(papers=PAPERS))
    page, sidebar = window.page, window.library_controller.sidebar
    window.resize(1240, 800)
    qtbot.waitUntil(lambda: page.details.isVisible() and sidebar.isVisible())
    window.resize(*size)
    qtbot.waitUntil(lambda: not page.details.isVisible() and page.result_list.width() >= 300)
    # The sidebar is hidden after the details.
    qtbot.waitUntil(lambda: sidebar.isVisible() == (size[0] > 800))
    page.result_list.go_to(0)
    page.result_list.setFocus()
    qtbot.keyClick(page.result_list, Qt.Key.Key_Space)
    assert page.details.isVisible() and not page.result_list.isVisible()
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Escape)
    assert page.result_list.isVisible() and not page.details.isVisible()
    qtbot.keyClick(page.result_list, Qt.Key.Key_Return)
    assert page.details.isVisible() and not page.result_list.isVisible()
    page.close_paper()
    window.resize(1240, 800)
    qtbot.waitUntil(lambda: page.details.isVisible() and page.result_list.isVisible())
    qtbot.waitUntil(sidebar.isVisible)


def test_filter_button_keeps_its_place(qtbot, show_page):
    page = show_page(FakeGateway(20))
    button = page.header.filter_button

    def place():
        QApplication.processEvents()
        return button.mapTo(page, button.rect().center())

    before = place()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert page.header.filters.isVisible()
    qtbot.waitUntil(lambda: place() == before)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert not page.header.filters.isVisible()
    qtbot.waitUntil(lambda: place() == before)


def test_unknown_example_titles_are_looked_up(qtbot, show_page):
    page = show_page(FakeGateway(5_000))
    page.show_similar([4], [6])
    qtbot.waitUntil(lambda: chip_texts(page.header.steering)[:2] == ["Paper 4", "Paper 6"])


def test_papers_of_another_page_are_shown_with_back(qtbot, show_page):
    page = show_page(FakeGateway(50))
    page.show_papers([3, 4], "New in a fetch")
    assert page.header.title.text() == "New in a fetch" and page.header.count.text() == "2 papers"
    page.more_like([3])
    qtbot.waitUntil(lambda: page.view.request.like == (3,))
    page.back()
    assert page.header.title.text() == "New in a fetch"
    page.back()
    assert page.model.rowCount() == 50 and not page.header.back_button.isVisible()


def test_papers_of_another_page_replace_a_search_in_flight(qtbot, show_page, jobs):
    gateway = FakeGateway(papers=PAPERS)
    hold = gateway.hold["attention"] = threading.Event()
    page = show_page(gateway)
    page.search_box.set_text("attention")
    qtbot.waitUntil(lambda: "attention" in gateway.calls)
    page.show_papers([3, 2], "Imported papers")
    hold.set()
    qtbot.waitUntil(lambda: is_idle(page, jobs))
    assert page.header.title.text() == "Imported papers"
    assert list(page.view.listing.ids) == [3, 2]
    qtbot.keyClick(page.result_list, Qt.Key.Key_J)
    assert page.result_list.currentIndex().row() == 1


def test_search_in_flight_outlives_a_change_of_the_library(qtbot, show_page, jobs):
    gateway = FakeGateway(papers=PAPERS)
    hold = gateway.hold["attention"] = threading.Event()
    page = show_page(gateway)
    page.show_papers([3, 2], "Imported papers")
    page.search_box.set_text("attention")
    qtbot.waitUntil(lambda: "attention" in gateway.calls)
    page.library_changed(LibraryChanges(papers=True))
    hold.set()
    qtbot.waitUntil(lambda: is_idle(page, jobs))
    assert page.view.query == "attention" and not page.view.title
    assert not page.result_list.holds_keys


def test_papers_of_another_page_leave_the_list_while_in_the_trash(qtbot, show_page):
    gateway = FakeGateway(50)
    page = show_page(gateway)
    page.show_papers([3, 4, 5], "Imported papers")
    gateway.editor.trash([4])
    page.library_changed(LibraryChanges(papers=True))
    qtbot.waitUntil(lambda: list(page.view.listing.ids) == [3, 5])
    assert page.header.title.text() == "Imported papers"
    gateway.editor.untrash([4])
    page.library_changed(LibraryChanges(papers=True))
    qtbot.waitUntil(lambda: list(page.view.listing.ids) == [3, 4, 5])


def test_refresh_keeps_selection_and_scroll_position(qtbot, show_page):
    gateway = FakeGateway(500)
    page = show_page(gateway)
    page.result_list.go_to(100)
    page.result_list.set_scroll_position(page.result_list.height_of_rows(98))
    reading = page.result_list.current()
    gateway.count += 7
    with qtbot.waitSignal(page.view_shown):
        page.library_changed(LibraryChanges(papers=True))
    assert page.result_list.current() == reading
    assert page.result_list.currentIndex().row() == 107
    assert page.result_list.top() == page.result_list.height_of_rows(105)


def test_changed_paper_is_reloaded(qtbot, show_page):
    gateway = FakeGateway(papers=PAPERS)
    page = show_page(gateway)
    qtbot.waitUntil(lambda: title_of(page) == "Attentive Readers")
    gateway.papers[3] = paper("Attentive Writers")
    page.library_changed(LibraryChanges(papers=True))
    qtbot.waitUntil(lambda: title_of(page) == "Attentive Writers")


def test_toggling_read_updates_card_and_library(qtbot, show_page, jobs):
    gateway = FakeGateway(5)
    page = show_page(gateway)
    qtbot.waitUntil(lambda: page.details.details is not None and page.model.card(0) is not None)
    page.details.toggle_read()
    assert page.model.card(0).read
    qtbot.waitUntil(lambda: gateway.editor.read == {5})
    page.details.toggle_read()
    qtbot.waitUntil(lambda: gateway.editor.read == set())


def test_selected_papers_are_copied_as_bibtex(qtbot, show_page):
    page = show_page(FakeGateway(5))
    page.result_list.selectAll()
    page.copy_selected()
    qtbot.waitUntil(lambda: "@article{paper1}" in QGuiApplication.clipboard().text())
    assert QGuiApplication.clipboard().text().startswith("@article{paper5}")


def test_keys_move_between_box_list_and_details(qtbot, show_page):
    page = show_page(FakeGateway(50))
    page.activateWindow()
    page.search_box.take_focus()
    qtbot.waitUntil(page.search_box.edit.hasFocus)
    qtbot.keyClick(page.search_box.edit, Qt.Key.Key_Down)
    assert page.result_list.hasFocus()
    assert page.result_list.currentIndex().row() == 0
    qtbot.keyClicks(page.result_list, "jjk")
    assert page.result_list.currentIndex().row() == 1
    qtbot.keyClick(page.result_list, Qt.Key.Key_Space)
    assert not page.details.isVisible()
    qtbot.keyClick(page.result_list, Qt.Key.Key_Return)
    assert page.details.isVisible()
    assert page.details.isAncestorOf(QGuiApplication.focusObject())
    qtbot.keyClick(QGuiApplication.focusObject(), Qt.Key.Key_Escape)
    assert page.result_list.hasFocus()
    qtbot.keyClick(page.result_list, Qt.Key.Key_Escape)
    assert page.search_box.edit.hasFocus()
    page.search_box.edit.setText("something")
    qtbot.keyClick(page.search_box.edit, Qt.Key.Key_Escape)
    assert page.search_box.edit.text() == ""


ENTRY = "@article{bees,\n title = {On Bees},\n abstract = {They fly.}}"


def test_pasted_entry_is_searched_without_import(qtbot, show_page):
    gateway = FakeGateway(papers=(*PAPERS, paper("On Bees that fly")))
    page = show_page(gateway)
    page.search_box.set_text("light")
    qtbot.waitUntil(lambda: page.view.query == "light")
    QGuiApplication.clipboard().setText(ENTRY)
    qtbot.keyClick(page.search_box.edit, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: page.view.query == "On Bees that fly")
    assert chip_texts(page.header.scope) == ["Similar to “On Bees”"] and page.search_box.text == ""
    page.back()
    assert page.search_box.text == "light"
    page.search_box.edit.setText(ENTRY)  # as when pasted from the context menu of the box
    qtbot.waitUntil(lambda: page.view.query == "On Bees that fly")


def test_files_are_searched_and_known_papers_are_examples(qtbot, show_page, tmp_path):
    page = show_page(FakeGateway(20))
    page.header.find_like([tmp_path / "two.bib"])
    qtbot.waitUntil(lambda: page.view.request.like == (2,))
    assert page.view.query == "like:2 On Wasps"
    page.header.find_like([tmp_path / "empty.bib"])
    qtbot.waitUntil(page.search_box.wrong.isVisible)
    assert "empty.bib" in page.search_box.wrong.text()
    assert page.view.request.like == (2,)


def test_search_is_saved_under_a_name(qtbot, show_page):
    page = show_page(FakeGateway(20))
    page.header.save_search()
    assert QApplication.activePopupWidget() is None  # the whole library cannot be saved
    page.set_scope("tag:maths", "maths")
    page.search_box.set_text("paper")
    qtbot.waitUntil(lambda: page.view.query == "tag:maths paper")
    page.header.save_search()
    popover = QApplication.activePopupWidget()
    assert popover.name.text() == "paper, maths"
    popover.name.setText("  ")
    assert not popover.save.isEnabled()
    popover.name.setText("My papers")
    with qtbot.waitSignal(page.header.save_requested) as saved:
        qtbot.keyClick(popover.name, Qt.Key.Key_Return)
    assert saved.args == ["My papers", "tag:maths paper"]


def test_long_text_keeps_scope_and_filters():
    long = QueryChip("words of an abstract " * 10, "Similar to “x”")
    request = SearchRequest(
        (long, QueryChip("in:thesis", "thesis")), (SearchFilter("year", ("2015..",)),), "more"
    )
    query = parse(request.query)
    assert [condition.field for condition in query.conditions] == ["year", "in"]
    assert query.pasted and query.meaning.endswith("more")


def test_search_history_is_offered_and_restored(qtbot, show_page, tmp_path):
    settings = QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)
    page = show_page(FakeGateway(20))
    page.remember(settings)
    for text in ("paper", "light and clocks", "paper"):
        type_in(qtbot, page, text)
        qtbot.keyClick(page.search_box.edit, Qt.Key.Key_Return)
    later = show_page(FakeGateway(20))
    later.remember(settings)
    later.activateWindow()
    later.search_box.take_focus()
    qtbot.keyClick(later.search_box.edit, Qt.Key.Key_Up)
    assert later.search_box.offered == ["paper", "light and clocks"]
    popup = QApplication.activePopupWidget()
    qtbot.keyClick(popup, Qt.Key.Key_Down)
    qtbot.keyClick(popup, Qt.Key.Key_Down)
    qtbot.keyClick(popup, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: later.view.query == "light and clocks")


def test_results_of_typed_query_offer_the_comparison_of_models(show_page, qtbot):
    page = show_page(FakeGateway(5))
    assert page.header.compare.isHidden()
    page.search_box.set_text("paper")
    qtbot.waitUntil(lambda: page.view.query == "paper")
    qtbot.waitUntil(lambda: not page.header.compare.isHidden())
    page.show_as(ViewMode.map)
    assert page.header.compare.isHidden()


def test_tab_reaches_the_search_box_before_the_list(show_page):
    page = show_page(FakeGateway(3))
    order, widget = [], page.nextInFocusChain()
    while widget is not page:
        order.append(widget)
        widget = widget.nextInFocusChain()
    assert order.index(page.search_box.edit) < order.index(page.result_list)
