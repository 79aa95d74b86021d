"""The recommendations page: tabs, commands, their undo, and placeholders."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import patch

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QPushButton

from sciread_app.domain.paper import LibraryChanges
from sciread_app.domain.recommend import CandidateScope, SuggestedAction
from sciread_app.errors import LibraryError
from sciread_app.ui.followed_topics import FollowedTopics
from sciread_app.ui.recommendations.page import RecommendationsPage
from sciread_app.ui.recommendations.topic_list import COUNT, SUBJECT
from sciread_app.ui.recommendations.view_models import RecommendationTab
from tests.support.ui.fakes.context import CallRecorder
from tests.support.ui.fakes.gateway import FakeGateway
from tests.support.ui.fakes.recommendations import (
    BEES,
    DANCE,
    HIVES,
    SWARMS,
    FakeRecommendations,
)


@pytest.fixture
def show(qtbot, jobs, context, qapp):
    """Return a function that shows the page with these subjects and waits for its jobs."""

    def show(*subjects) -> tuple[RecommendationsPage, FakeRecommendations]:
        gateway = FakeGateway(30)
        gateway.recommendations = FakeRecommendations(subjects)
        topics = FollowedTopics(gateway.recommendations, jobs, context.open_settings, qapp)
        page = RecommendationsPage(
            gateway.recommendations, gateway, gateway.about, replace(context, topics=topics)
        )
        page.resize(1150, 700)
        qtbot.addWidget(page)
        page.show()
        page.refresh()
        qtbot.waitUntil(lambda: not jobs.running())
        return page, gateway.recommendations

    return show


def listed(page):
    return list(page.model.listing.ids)


def counts(page):
    """The numbers beside the topics."""
    items = [page.subjects.item(row) for row in range(page.subjects.count())]
    return {item.text(): item.data(COUNT) for item in items if item.data(SUBJECT)}


def settle(qtbot, jobs):
    qtbot.waitUntil(lambda: not jobs.running())


def edit(context):
    """The calls of the last edit that was submitted."""
    editor = CallRecorder()
    _, _, step = context.edits.calls[-1]
    step(editor)
    return editor.calls


def buttons(empty):
    return [button.text() for button in empty.findChildren(QPushButton)]


def test_first_subject_is_shown_with_new_papers_and_reasons(show):
    page, _ = show(BEES, HIVES)
    assert page.subjects.current() == BEES
    assert listed(page) == [1, 2, 3, 4]
    assert page.list.current() == 1
    card = page.model.card(0)
    assert card and card.paper.abstract == "Like “Paper 11”"
    assert counts(page) == {"bees": 4, "Hives": 4}
    assert page.head.switch.tab_stops()[0].text() == "New  4"


def test_narrow_head_puts_the_buttons_below_the_title(show, qtbot):
    page, _ = show(BEES)
    title, choices = page.head.title, page.head.refine_button

    def top_of(widget):
        return widget.mapTo(page, QPoint(0, 0)).y()

    page.head.show_subject(replace(BEES, name="Sample library of physics and more"))
    page.resize(700, 600)  # without the list of topics
    page.resize(page.minimumSizeHint().width(), 600)
    qtbot.waitUntil(lambda: title.width() >= title.sizeHint().width(), timeout=5000)
    assert top_of(choices) > top_of(title) + title.height()
    page.resize(1600, 600)
    qtbot.waitUntil(lambda: top_of(choices) < top_of(title) + title.height())


def test_chosen_subject_shows_its_papers(show, qtbot, jobs):
    page, _ = show(BEES, HIVES)
    page.subjects.choose(HIVES.key)
    settle(qtbot, jobs)
    assert page.found.subject == HIVES
    assert page.head.title.text() == "Hives"


def test_more_like_this_moves_a_paper_into_the_collection(show, qtbot, context):
    page, _ = show(BEES)
    page.list.setFocus()
    qtbot.keyClicks(page.list, "+")
    assert edit(context) == [("collect", [1], "bees")]
    assert listed(page) == [2, 3, 4]
    assert page.list.current() == 2


def test_more_like_this_adds_an_example_to_a_saved_search(show, qtbot, jobs):
    page, services = show(HIVES)
    page.keep()
    settle(qtbot, jobs)
    assert "like Hives [1]" in services.calls


def test_dismissed_paper_can_be_restored(show, qtbot, jobs, context):
    page, services = show(BEES)
    page.list.go_to(1)
    qtbot.keyClicks(page.list, "-")
    settle(qtbot, jobs)
    _, _, undo = context.toast.calls[-1]
    assert listed(page) == [1, 3, 4]
    page.show_part(RecommendationTab.dismissed)
    assert listed(page) == [2]
    page.take_back()
    settle(qtbot, jobs)
    assert services.dismissed[BEES.key] == []
    page.show_part(RecommendationTab.new)
    page.list.go_to(0)
    page.dismiss()
    settle(qtbot, jobs)
    undo()  # of the first message: paper 2 is listed already
    settle(qtbot, jobs)
    assert services.dismissed[BEES.key] == [1]


def test_read_later_key_requests_a_tag(show, qtbot, context):
    page, _ = show(BEES)
    qtbot.keyClick(page.list, Qt.Key.Key_L)
    assert edit(context) == [("tag", [1], "read later")]


def test_marking_as_seen_empties_the_list_and_can_be_undone(show, qtbot, jobs, context):
    page, _ = show(BEES)
    page.mark_seen()
    settle(qtbot, jobs)
    _, _, undo = context.toast.calls[-1]
    assert listed(page) == []
    assert page.empty.title.text() == "You are up to date"
    assert counts(page) == {"bees": 0}
    page.show_part(RecommendationTab.seen)
    assert listed(page) == [1, 2, 3, 4]
    undo()
    settle(qtbot, jobs)
    page.show_part(RecommendationTab.new)
    assert listed(page) == [1, 2, 3, 4]


def test_preferences_are_saved_and_invalid_ones_explained(show, qtbot, jobs):
    page, services = show(BEES)
    page.head.refine()
    page.head.must.setText("honey")
    page.head.must.editingFinished.emit()
    settle(qtbot, jobs)
    assert services.preferences[BEES.key].must == "honey"
    page.head.must.setText("year:soon")
    page.head.must.editingFinished.emit()
    settle(qtbot, jobs)
    assert "year:soon" in page.head.problem.text() and not page.head.problem.isHidden()
    assert listed(page) == [1, 2, 3, 4]


def test_escape_closes_the_preferences_unless_they_are_set(show, qtbot, jobs):
    page, services = show(BEES)
    head = page.head
    head.refine()
    qtbot.keyClick(head.must, Qt.Key.Key_Escape)
    assert not head.must.isVisible()
    head.refine()
    head.must.setText("honey")
    head.must.editingFinished.emit()
    settle(qtbot, jobs)
    qtbot.keyClick(head.must, Qt.Key.Key_Escape)
    assert head.must.isVisible() and services.preferences[BEES.key].must == "honey"


def test_preferences_close_when_another_topic_is_chosen(show, qtbot, jobs):
    page, _ = show(BEES, HIVES)
    page.head.refine()
    page.subjects.choose(HIVES.key)
    settle(qtbot, jobs)
    assert not page.head.must.isVisible()


def test_candidate_scope_is_chosen_from_the_menu(show, qtbot, jobs):
    page, services = show(BEES)
    page.head.among.menu().actions()[4].trigger()
    settle(qtbot, jobs)
    assert services.calls[-1] == "bees library 0"


def test_page_without_subjects_has_a_placeholder(show, context):
    page, _ = show()
    assert page.no_topics.isVisible()
    assert len(buttons(page.no_topics)) == 2
    page.take_focus()
    assert page.window().focusWidget() is page.no_topics.buttons()[0]
    for button in page.no_topics.findChildren(QPushButton):
        button.click()
    assert context.navigate.calls == [("new_query",), ("go_to", "search")]


@pytest.mark.parametrize(
    ("next_step", "button"),
    [
        (SuggestedAction.fetch, "Follow a query…"),
        (SuggestedAction.far, "Show 2 weaker matches"),
        (SuggestedAction.collect, "Go to library"),
        (SuggestedAction.words, "Edit filter words"),
    ],
)
def test_empty_list_explains_the_reason_and_offers_a_next_step(
    show, qtbot, jobs, next_step, button
):
    page, services = show(BEES)
    services.come, services.note, services.next = [5, 6], "No papers fetched yet.", next_step
    page.library_changed(LibraryChanges(papers=True))
    settle(qtbot, jobs)
    assert page.empty.title.text() == "No papers fetched yet"
    assert button in buttons(page.empty)


def test_topics_are_listed_by_kind_with_counts(show):
    page, _ = show(SWARMS, BEES, HIVES)
    texts = [page.subjects.item(row).text() for row in range(page.subjects.count())]
    assert texts == ["Queries", "all:swarm", "Collections", "bees", "Saved searches", "Hives"]
    assert counts(page) == {"all:swarm": 4, "bees": 4, "Hives": 4}


def test_keys_move_between_topics_past_headings(show, qtbot):
    page, _ = show(SWARMS, BEES, HIVES)
    page.subjects.setFocus()
    for key, topic in (
        (Qt.Key.Key_Down, BEES),
        (Qt.Key.Key_End, HIVES),
        (Qt.Key.Key_Up, BEES),
        (Qt.Key.Key_Home, SWARMS),
    ):
        qtbot.keyClick(page.subjects, key)
        assert page.subjects.current() == topic


def test_count_goes_down_when_a_paper_is_dismissed(show, qtbot, jobs):
    page, _ = show(BEES)
    page.dismiss()
    settle(qtbot, jobs)
    assert counts(page) == {"bees": 3}


def test_query_can_be_checked_and_has_no_weaker_matches(show, context):
    page, _ = show(SWARMS, BEES)
    tabs = page.head.switch.tab_stops()
    assert [tab.isVisible() for tab in tabs] == [True, True, False, True]
    page.keep()  # a query learns nothing from examples
    assert not page.head.keep.isVisible() and listed(page) == [1, 2, 3, 4]
    page.refresh_query()
    assert context.navigate.calls == [("refresh_query", 7)]
    page.follow(BEES.key)
    assert page.unavailable_reason("refresh query") and all(tab.isVisible() for tab in tabs)


def test_topic_is_shown_in_the_library(show, qtbot, jobs, context):
    page, _ = show(SWARMS, BEES)
    page.show_in_library()
    settle(qtbot, jobs)
    page.follow(BEES.key)
    page.show_in_library()
    papers = [1, 2, 3, 4, 5, 6]
    calls = [("show_papers", papers, "all:swarm"), ("search_for", 'in:"bees"')]
    assert context.navigate.calls == calls


def test_unfollowed_topic_is_followed_again_from_the_message(show, qtbot, jobs, context):
    page, services = show(SWARMS, BEES)
    page.unfollow()
    _, _, undo = context.toast.calls[-1]
    assert page.subjects.current() == BEES and "all:swarm" not in counts(page)
    page.unfollow()
    assert page.no_topics.isVisible()
    page.no_topics.buttons()[0].click()
    assert len(counts(page)) == 2
    page.follow(SWARMS.key)
    page.unfollow()
    page.refresh()
    settle(qtbot, jobs)
    assert list(counts(page)) == ["bees"]
    undo()
    assert list(counts(page)) == ["all:swarm", "bees"]
    settle(qtbot, jobs)
    assert [asked for asked in services.calls if "digests" in asked] == [
        "leave digests all:swarm",
        "leave digests bees",
        "return to digests all:swarm",
        "return to digests bees",
        "leave digests all:swarm",
        "return to digests all:swarm",
    ]


def test_topic_menu_offers_its_commands(show, qtbot):
    page, _ = show(SWARMS, BEES)

    def open_menu():
        page.subjects.setFocus()
        place = QPoint(1, 1)
        event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, place, place)
        QApplication.sendEvent(page.subjects.viewport(), event)
        menu = QApplication.activePopupWidget()
        texts = [action.text() for action in menu.actions() if action.text()]
        menu.close()
        return texts

    query = open_menu()
    page.subjects.choose(BEES.key)
    assert set(query) - set(open_menu()) == {"Check now"}
    page.unfollow()
    assert "Follow again" in open_menu()


def test_narrow_page_offers_topics_in_the_scope_menu(show, qtbot):
    page, _ = show(SWARMS, BEES)
    menu = page.head.among.menu()
    menu.aboutToShow.emit()
    wide = [action.text() for action in menu.actions()]
    page.resize(700, 600)
    assert not page.subjects.isVisible()
    menu.aboutToShow.emit()
    narrow = {action.text(): action for action in menu.actions()}
    assert [text for text in narrow if text in wide] == wide
    assert narrow["all:swarm\t4"].isChecked()
    narrow["bees\t4"].trigger()
    assert page.subjects.current() == BEES
    page.list.setFocus()
    qtbot.keyClick(page.list, Qt.Key.Key_Escape)
    assert page.head.among.hasFocus()
    page.resize(1150, 700)
    assert page.subjects.isVisible()


def test_default_scope_is_that_of_the_library_until_one_is_chosen(show, qtbot, jobs):
    page, services = show(BEES)
    services.scope = CandidateScope.added
    page.refresh()
    settle(qtbot, jobs)
    assert "bees added 30" in services.calls
    services.calls.clear()
    page.head.among.menu().actions()[4].trigger()
    page.refresh()
    settle(qtbot, jobs)
    assert "bees library 0" in services.calls and "bees added 30" not in services.calls


def test_navigation_bar_counts_each_new_paper_once(show_window, qtbot, jobs):
    gateway = FakeGateway(30)
    gateway.recommendations.followed = [BEES, HIVES]
    window = show_window(gateway)
    button = window.navigation_bar.button("discover")
    qtbot.waitUntil(lambda: button.count == 4)
    assert "4" in button.accessibleName()
    window.go_to("foryou")
    page = window.other_page("foryou")
    for topic, left in ((BEES, 4), (HIVES, 3)):
        page.subjects.choose(topic.key)
        qtbot.waitUntil(lambda: page.model.rowCount() == 4)
        page.dismiss()
        qtbot.waitUntil(lambda n=left: not jobs.running() and button.count == n)
        assert window.context.topics.count_of(topic.key) == 3


def test_library_change_adds_subjects_and_keeps_the_current_row(show, qtbot, jobs):
    page, services = show(BEES, DANCE)
    page.list.go_to(2)
    services.followed = [BEES, DANCE, HIVES]
    services.come = [1, 2, 3, 4, 0]
    page.library_changed(LibraryChanges(papers=True))
    settle(qtbot, jobs)
    assert len(counts(page)) == 3
    assert page.list.currentIndex().row() == 2


def test_controls_have_accessible_names(show):
    page, _ = show(BEES)
    for widget in (page.subjects, page.list, *page.head.tab_stops()):
        assert widget.accessibleName() or widget.text(), widget


def test_window_adds_kept_papers_to_the_collection(show_window, qtbot, jobs):
    gateway = FakeGateway(30)
    gateway.recommendations.followed = [BEES]
    window = show_window(gateway)
    window.go_to("foryou")
    page = window.other_page("foryou")
    qtbot.waitUntil(lambda: not jobs.running() and page.model.rowCount() == 4)
    with patch.object(gateway.editor, "collect", wraps=gateway.editor.collect) as collect:
        page.keep()
        qtbot.waitUntil(lambda: not jobs.running())
    collect.assert_called_once_with([1], "bees")
    assert window.library_controller.notice.isVisible()
    names = [name for name, _ in window.menus.entries()]
    assert "Discover: Dismiss" in names


def test_details_panel_steps_to_the_next_paper(show):
    page, _ = show(BEES)
    page.details.step_requested.emit(1)
    assert page.list.current() == 2


def test_scope_menu_marks_the_chosen_scope(show):
    page, _ = show(BEES)
    among = page.head.among
    actions = among.menu().actions()
    assert [action.isChecked() for action in actions].index(True) == among.number
    actions[-1].trigger()
    assert [n for n, action in enumerate(actions) if action.isChecked()] == [len(actions) - 1]


def test_refine_button_keeps_its_place(show, qtbot, jobs):
    page, services = show(BEES)
    button = page.head.refine_button

    def place():
        return button.mapTo(page, QPoint(0, 0))

    QApplication.sendPostedEvents()  # layouts
    before = place()
    for come in ([], [1, 2]):
        services.come = come
        page.library_changed(LibraryChanges(papers=True))
        settle(qtbot, jobs)
        qtbot.waitUntil(lambda: bool(listed(page)) == bool(come))  # noqa: B023
        QApplication.sendPostedEvents()  # layouts
        assert place() == before


def test_refine_button_keeps_its_place_in_a_header_without_buttons(show, jobs, qtbot):
    page, services = show(BEES)
    services.come = []
    page.library_changed(LibraryChanges(papers=True))
    settle(qtbot, jobs)
    qtbot.waitUntil(lambda: not listed(page))
    head = page.head
    places = set()
    for extra in (0, 24, 80):
        head.resize(507, head.sizeHint().height() + extra)
        QApplication.sendPostedEvents()  # layouts
        places.add(head.refine_button.mapTo(head, QPoint(0, 0)).y())
    assert len(places) == 1


def test_home_and_end_keys_go_to_the_first_and_last_paper(show, qtbot):
    page, _ = show(BEES)
    page.list.setFocus()
    qtbot.keyClick(page.list, Qt.Key.Key_End)
    assert page.list.selected() == [4]
    qtbot.keyClick(page.list, Qt.Key.Key_Home)
    assert page.list.selected() == [1]
    qtbot.keyClick(page.list, Qt.Key.Key_End, Qt.KeyboardModifier.ShiftModifier)
    assert page.list.selected() == [1, 2, 3, 4]


@pytest.mark.parametrize(("action", "call"), [("dismiss", "dismiss"), ("keep", "like")])
def test_papers_are_listed_again_if_the_feedback_was_not_saved(
    show, qtbot, jobs, context, monkeypatch, action, call
):
    def fail(*_):
        raise LibraryError("The disk is full.")

    page, services = show(HIVES)
    before = listed(page)
    monkeypatch.setattr(services, call, fail)
    getattr(page, action)()
    settle(qtbot, jobs)
    assert listed(page) == before
    assert context.messages.calls[-1][1].message == "The disk is full."
    assert not [call for call in context.toast.calls if call[0] == "show_message"]
