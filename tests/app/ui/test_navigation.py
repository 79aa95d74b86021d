"""Navigation between the pages of the window."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from sciread_app.domain.fetch import SourceQuery
from sciread_app.ui.add_papers.page import AddPapersPage
from sciread_app.ui.jobs.runner import JobError
from sciread_app.ui.shell.main_window import MainWindow
from sciread_app.ui.shell.navigation import PageTabs
from sciread_app.ui.shell.page_registry import NAVIGATION_ITEMS, PAGES, navigation_item_of, pages_of
from tests.support.ui.controls import menu_action
from tests.support.ui.fakes.add_papers import BUSY
from tests.support.ui.fakes.gateway import FakeGateway


def to_intake(qtbot, window, jobs) -> None:
    window.go_to("intake")
    qtbot.waitUntil(lambda: not jobs.running())


def goal(window, title):
    """Return an action of the Go menu."""
    go = next(a.menu() for a in window.menuBar().actions() if a.text().replace("&", "") == "Go")
    return next(action for action in go.actions() if action.text() == title)


@pytest.mark.parametrize("place", NAVIGATION_ITEMS, ids=lambda place: place.key)
def test_place_has_a_rail_button_an_action_and_a_shortcut(qtbot, show_window, place):
    window = show_window(FakeGateway(3))
    page = pages_of(place.key)[0]
    button = window.navigation_bar.button(place.key)
    action = goal(window, place.title if place.tabs else page.title)
    assert action.shortcut().toString() == place.keys
    assert button.accessibleName() == place.title
    assert place.keys in button.toolTip()
    if place.key == "add":
        action.trigger()
    else:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    shown = window.other_page(page.key)
    assert shown.isVisible() and button.isChecked() and action.isChecked()


def test_add_button_opens_the_menu_of_ways_to_add_papers(qtbot, show_window, jobs):
    window = show_window(FakeGateway(3))
    button, menu = window.navigation_bar.button("add"), window.menus.submenu("file", "&Add")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(menu.isVisible)
    assert not button.isChecked() and window.navigation_bar.button("library").isChecked()
    names = [action.text().replace("&", "") for action in menu.actions() if action.text()]
    assert names[:5] == [
        "Add by identifier…",
        "Import files…",
        "Import folder…",
        "Import from Zotero",
        "New query…",
    ]
    menu.setActiveAction(menu.actions()[4])
    qtbot.keyClick(menu, Qt.Key.Key_Return)
    assert window.shows("intake") and button.isChecked() and not menu.isVisible()
    assert not window.navigation_bar.button("library").isChecked()
    qtbot.mouseClick(window.navigation_bar.button("library"), Qt.MouseButton.LeftButton)
    assert window.shows("search") and not button.isChecked()
    qtbot.waitUntil(lambda: not jobs.running())


def test_arrow_keys_in_the_bar_open_no_menu(qtbot, show_window, jobs):
    window = show_window(FakeGateway(3))
    window.activateWindow()
    window.go_to("reader")
    window.navigation_bar.button("reader").setFocus()
    qtbot.keyClick(window.navigation_bar.button("reader"), Qt.Key.Key_Down)
    assert (
        window.navigation_bar.button("lab").isChecked()
        and window.navigation_bar.button("lab").hasFocus()
    )
    assert not window.menus.submenu("file", "&Add").isVisible()
    qtbot.waitUntil(lambda: not jobs.running())


@pytest.mark.parametrize("spec", PAGES, ids=lambda spec: spec.key)
def test_page_is_in_the_go_menu_and_marks_its_place(qtbot, show_window, jobs, spec):
    window = show_window(FakeGateway(3))
    action = goal(window, spec.title)
    action.trigger()
    assert window.shows(spec.key) and action.isChecked()
    assert window.navigation_bar.button(spec.item).isChecked()
    tabs = window.findChild(PageTabs)
    assert tabs.isVisible() == navigation_item_of(spec.key).tabs
    if tabs.isVisible():
        assert tabs.tabText(tabs.currentIndex()) == spec.title
    qtbot.waitUntil(lambda: not jobs.running())


def test_shortcuts_switch_places(qtbot, show_window, jobs):
    window = show_window(FakeGateway(3))
    window.activateWindow()
    qtbot.keyClick(window, Qt.Key.Key_4, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: window.other_page("intake").isVisible())
    qtbot.waitUntil(lambda: not jobs.running())
    assert window.other_page("intake").identifiers.text.hasFocus()
    qtbot.keyClick(window, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    assert window.page.isVisible() and not window.other_page("intake").isVisible()


def test_place_opens_the_page_shown_last(qtbot, show_window, jobs):
    window = show_window(FakeGateway(3))
    window.go_to("training")
    window.go_to("reader")
    qtbot.mouseClick(window.navigation_bar.button("lab"), Qt.MouseButton.LeftButton)
    assert window.shows("training")
    qtbot.mouseClick(window.navigation_bar.button("lab"), Qt.MouseButton.LeftButton)
    assert window.shows("training")
    qtbot.waitUntil(lambda: not jobs.running())


def test_open_place_without_tabs_returns_to_its_first_page(qtbot, show_window, jobs):
    window = show_window(FakeGateway(3))
    window.go_to("duplicates")
    button = window.navigation_bar.button("library")
    assert button.isChecked()
    window.go_to("reader")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert window.shows("duplicates")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert window.shows("search") and button.isChecked()
    qtbot.waitUntil(lambda: not jobs.running())


def test_click_on_a_tab_opens_its_page(qtbot, show_window, jobs):
    window = show_window(FakeGateway(3))
    window.go_to("models")
    tabs = window.findChild(PageTabs)
    assert [tabs.tabText(n) for n in range(tabs.count())] == [
        "Models",
        "Training",
        "Dashboard",
        "Compare",
    ]
    qtbot.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=tabs.tabRect(2).center())
    assert window.shows("dashboard") and not tabs.hasFocus()
    qtbot.waitUntil(lambda: not jobs.running())


def test_arrow_keys_move_through_the_tabs(qtbot, show_window, jobs):
    window = show_window(FakeGateway(3))
    window.activateWindow()
    window.go_to("models")
    tabs = window.findChild(PageTabs)
    tabs.setFocus(Qt.FocusReason.TabFocusReason)
    for page in ("training", "dashboard"):
        qtbot.keyClick(tabs, Qt.Key.Key_Right)
        assert window.shows(page) and tabs.hasFocus()
    qtbot.waitUntil(lambda: not jobs.running())


def test_place_is_busy_while_one_of_its_pages_is(show_window):
    window = show_window(FakeGateway(3))
    window.go_to("models")
    button, tabs = window.navigation_bar.button("lab"), window.findChild(PageTabs)
    window.show_busy("training", True)
    window.show_busy("dashboard", True)
    assert button.accessibleName() == "Lab, busy"
    assert tabs.accessibleTabName(0) == "Models"
    assert tabs.accessibleTabName(1) == "Training, busy"
    window.show_busy("training", False)
    assert button.busy and tabs.accessibleTabName(1) == "Training"
    window.show_busy("dashboard", False)
    assert not button.busy


def test_count_of_a_place_is_explained_in_its_tooltip_while_shown(show_window):
    window = show_window(FakeGateway(3))
    button = window.navigation_bar.button("discover")
    plain = button.toolTip()
    window.context.topics.total_changed.emit(3)
    assert button.count == 3
    assert button.toolTip().startswith(plain) and "once" in button.toolTip()
    window.context.topics.total_changed.emit(0)
    assert button.toolTip() == plain


def test_intake_page_is_built_on_its_first_visit(show_window):
    gateway = FakeGateway(3)
    window = show_window(gateway)
    assert window.findChild(AddPapersPage) is None
    assert gateway.intake.calls == []


def test_navigation_is_disabled_without_a_library(qtbot, jobs, appearance, tmp_path):
    window = MainWindow(tmp_path, jobs, appearance)
    qtbot.addWidget(window)
    window.go_to("intake")
    assert window.findChild(AddPapersPage) is None
    assert not any(
        window.navigation_bar.button(place.key).isEnabled() for place in NAVIGATION_ITEMS
    )
    assert (
        window.navigation_bar.activity.isEnabled()
        and not menu_action(window, "Add papers").isEnabled()
    )


def test_paper_actions_are_disabled_on_other_pages(qtbot, show_window, jobs):
    window = show_window(FakeGateway(3))
    to_intake(qtbot, window, jobs)
    assert not menu_action(window, "Similar papers").isEnabled()
    assert menu_action(window, "Import files…").isEnabled()
    menu_action(window, "Find").trigger()
    assert window.page.isVisible() and window.page.search_box.edit.hasFocus()
    assert menu_action(window, "Similar papers").isEnabled()


def test_fetched_papers_are_listed_and_encoded(qtbot, show_window, jobs):
    gateway = FakeGateway(10)
    window = show_window(gateway)
    encoded = gateway.encoded
    to_intake(qtbot, window, jobs)
    gateway.count = 50
    window.other_page("intake").work.fetch(SourceQuery("arxiv", "bees"))
    qtbot.waitUntil(lambda: window.page.model.rowCount() == 50)
    qtbot.waitUntil(lambda: gateway.encoded > encoded and not jobs.running())
    assert "50 papers" in window._status_bar.status.text()


def test_papers_fetched_during_encoding_are_encoded_next(qtbot, show_window, jobs):
    gateway = FakeGateway(10)
    window = show_window(gateway)
    encoded = gateway.encoded
    to_intake(qtbot, window, jobs)
    gateway.go_on_encoding.clear()
    for text in ("bees", "wasps", "ants"):
        window.other_page("intake").work.fetch(SourceQuery("arxiv", text))
    qtbot.waitUntil(
        lambda: (
            len(window.other_page("intake").list.cards) == 3
            and not window.other_page("intake").work.busy
        )
    )
    qtbot.waitUntil(lambda: gateway.encoded == encoded + 1)
    gateway.go_on_encoding.set()
    qtbot.waitUntil(lambda: not jobs.running())
    assert gateway.encoded == encoded + 2


def test_rail_button_is_busy_during_a_fetch(qtbot, show_window, jobs):
    gateway = FakeGateway(3)
    gateway.intake.go_on.clear()
    window = show_window(gateway)
    to_intake(qtbot, window, jobs)
    window.other_page("intake").work.fetch(SourceQuery("arxiv", "bees"))
    button = window.navigation_bar.button("add")
    qtbot.waitUntil(lambda: button.busy)
    assert button.accessibleName() == "Add, busy"
    gateway.intake.go_on.set()
    qtbot.waitUntil(lambda: not button.busy and not jobs.running())


def test_failed_fetch_is_shown_as_a_banner_on_other_pages(qtbot, show_window, jobs):
    gateway = FakeGateway(3)
    gateway.intake.trouble = BUSY
    window = show_window(gateway)
    to_intake(qtbot, window, jobs)
    window.other_page("intake").work.fetch(SourceQuery("arxiv", "bees"))
    qtbot.waitUntil(lambda: not jobs.running() and bool(window.other_page("intake").list.cards))
    assert not window.messages.isVisible()  # the card of the fetch shows it
    window.go_to("search")
    window.other_page("intake").work.failed.emit(JobError(BUSY.message, BUSY.hint))
    assert window.messages.message.text() == BUSY.message


def test_papers_of_a_fetch_are_listed_until_back(qtbot, show_window, jobs):
    window = show_window(FakeGateway(30))
    to_intake(qtbot, window, jobs)
    window.show_papers([4, 7], "arXiv: bees")
    assert window.page.isVisible()
    assert list(window.page.view.listing.ids) == [4, 7]
    assert window.page.header.title.text() == "arXiv: bees"
    assert window.page.header.count.text() == "2 papers"
    window.page.back()
    assert window.page.model.rowCount() == 30
    qtbot.waitUntil(lambda: not jobs.running())


def test_paper_opened_from_another_page_fills_the_page(qtbot, show_window, jobs):
    window = show_window(FakeGateway(30))
    window.activateWindow()
    window.go_to("foryou")
    window.open_paper(7, "Recommended")
    details = window.page.details
    qtbot.waitUntil(lambda: details.details is not None and details.details.whole)
    assert details.details.paper.id == 7
    assert details.isVisible() and not window.page.result_list.isVisible()
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Escape)
    assert window.page.result_list.isVisible()


def test_import_history_is_updated_after_an_import(qtbot, show_window, jobs):
    gateway = FakeGateway(3)
    window = show_window(gateway)
    to_intake(qtbot, window, jobs)
    loaded = []
    window.other_page("intake").files.model.modelReset.connect(lambda: loaded.append(True))
    window.importing.add([window._home / "papers.bib"])
    qtbot.waitUntil(lambda: bool(loaded) and not jobs.running())
