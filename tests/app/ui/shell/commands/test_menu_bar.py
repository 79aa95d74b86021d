"""The menu bar and the context menus: they can be reopened, and mnemonics are unique."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QActionGroup, QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from sciread_app.domain.paper import PaperId
from sciread_app.ui.library.actions import LIBRARY_ACTIONS
from sciread_app.ui.shell.commands.menu_bar import MENUS
from sciread_app.ui.shell.commands.window_actions import WINDOW_ACTIONS
from sciread_app.ui.shell.page_registry import PAGES, action_table
from tests.support.ui.controls import menu_action
from tests.support.ui.fakes.duplicates import ONE, OTHER
from tests.support.ui.fakes.gateway import FakeGateway
from tests.support.ui.fakes.recommendations import BEES, FakeRecommendations

LISTS = ("search", "sidebar", "foryou", "duplicates", "reader")


@pytest.fixture
def window(qtbot, show_window):
    gateway = FakeGateway(20)
    gateway.editor.collections = {"thesis": {2}, "thesis/methods": set()}
    gateway.editor.tags = {"to read": {1}}
    gateway.duplicates.add(ONE, OTHER)
    gateway.duplicates.add(replace(ONE, title="Wasps"), replace(OTHER, title="Wasps"), agree=True)
    gateway.recommendations = FakeRecommendations([BEES])
    gateway.reader.paths = {n: [Path(f"/papers/{n}.pdf")] for n in range(1, 21)}
    window = show_window(gateway)
    window.activateWindow()
    return window


def test_menus_have_rounded_corners(qtbot, window):
    for menu in (window.menuBar().actions()[0].menu(), window.page.header.order.menu()):
        menu.popup(window.mapToGlobal(QPoint(100, 100)))
        qtbot.waitUntil(menu.isVisible)
        assert menu.mask().contains(menu.rect().center())
        assert not menu.mask().contains(menu.rect().topLeft())
        assert not menu.mask().contains(menu.rect().bottomRight())
        menu.close()


def settle(qtbot, window):
    qtbot.waitUntil(lambda: not window._jobs.running())


def go_to_list(qtbot, window, name) -> tuple[QWidget, QPoint]:
    """Go to a list; return the widget with its context menu and a point in it."""
    if name == "reader":
        window.read(PaperId(1), Path("/papers/1.pdf"))
        page = window.other_page("reader")
        qtbot.waitUntil(lambda: page.book is not None)
        settle(qtbot, window)
        return page.book, page.book.rect().center()
    window.go_to("search" if name == "sidebar" else name)
    settle(qtbot, window)
    if name == "sidebar":
        view = window.library_controller.sidebar.tree
        qtbot.waitUntil(lambda: bool(window.library_controller.work.library_tree.collections))
    elif name == "search":
        view = window.page.result_list
    else:
        view = window.other_page(name).list
    qtbot.waitUntil(lambda: view.model().rowCount() > 0)
    index = view.model().index(0, 0)
    view.setCurrentIndex(index)
    settle(qtbot, window)
    return view.viewport(), view.visualRect(index).center()


def open_menu(qtbot, widget: QWidget, place: QPoint) -> QMenu:
    qtbot.mouseClick(widget, Qt.MouseButton.RightButton, pos=place)
    reason = QContextMenuEvent.Reason.Mouse
    QApplication.sendEvent(widget, QContextMenuEvent(reason, place, widget.mapToGlobal(place)))
    qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    return QApplication.activePopupWidget()


def close_menu(qtbot, menu: QMenu) -> None:
    with qtbot.waitSignal(menu.destroyed):
        qtbot.keyClick(menu, Qt.Key.Key_Escape)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def texts(menu: QMenu) -> list[object]:
    """Return the texts of a menu; an entry with a submenu is a pair of its text and the list."""
    return [
        (action.text(), texts(sub)) if (sub := action.menu()) else action.text()
        for action in menu.actions()
    ]


@pytest.mark.parametrize("name", LISTS)
def test_context_menu_has_the_same_entries_each_time(qtbot, window, name):
    widget, place = go_to_list(qtbot, window, name)
    offered = []
    for _ in range(3):
        menu = open_menu(qtbot, widget, place)
        offered.append(texts(menu))
        close_menu(qtbot, menu)
    assert offered[0] and offered[1:] == offered[:1] * 2
    settle(qtbot, window)


def test_rating_menu_works_after_a_context_menu(qtbot, window):
    widget, place = go_to_list(qtbot, window, "search")
    ids = window.page.result_list.selected()
    menu = open_menu(qtbot, widget, place)
    assert "rate" in " ".join(str(text) for text in texts(menu)).lower()
    close_menu(qtbot, menu)
    next(a for a in window.menus.submenu("paper", "&Rate").actions() if "3" in a.text()).trigger()
    qtbot.waitUntil(lambda: window.gateway.editor.stars == dict.fromkeys(ids, 3))
    settle(qtbot, window)


def test_context_menu_of_results_compares_models(qtbot, window):
    menu = open_menu(qtbot, *go_to_list(qtbot, window, "search"))
    action = next(a for a in menu.actions() if a.shortcut().toString() == "Ctrl+Shift+K")
    close_menu(qtbot, menu)
    action.trigger()
    assert window.shows("compare")
    settle(qtbot, window)


def shared_mnemonics(menu: QMenu) -> list[str]:
    """Return the mnemonic letters that several entries of a menu have."""
    letters = Counter(
        letter
        for action in menu.actions()
        if (letter := action.text().replace("&&", "").partition("&")[2][:1].casefold())
    )
    return [letter for letter, count in letters.items() if count > 1]


def test_mnemonics_of_each_menu_are_unique(qtbot, window):
    bar = window.menuBar()
    menus = [bar, *bar.findChildren(QMenu)]
    for name in LISTS:
        open_menu(qtbot, *go_to_list(qtbot, window, name))
    menus += window.findChildren(QMenu)
    assert len(menus) > 20
    shared = {
        tuple(action.text() for action in menu.actions()): letters
        for menu in menus
        if (letters := shared_mnemonics(menu))
    }
    assert not shared, "\n".join(f"{letters} {names}" for names, letters in shared.items())


def test_themes_have_mnemonics(window):
    [group] = window.menuBar().findChildren(QActionGroup)
    assert len(group.actions()) == 3
    assert all("&" in action.text() for action in group.actions())


def test_sections_of_all_tables_are_in_the_menus():
    places = {f"{menu}/{name}" for menu, (_, names) in MENUS.items() for name in names}
    of_pages = [table for spec in PAGES if (table := action_table(spec))]
    assert len(of_pages) == len(PAGES) - 1  # Add papers has the menu of the window
    for table in (LIBRARY_ACTIONS, *WINDOW_ACTIONS, *of_pages):
        assert {section.place for section in table.sections} <= places


def test_tool_tip_of_an_unavailable_action_is_the_reason(window):
    tag = menu_action(window, "Tag…")
    assert tag.isEnabled() and tag.toolTip() == "Tag"
    window.go_to("settings")
    assert not tag.isEnabled() and tag.toolTip() == tag.property("unavailable_reason") != ""


def test_menu_bar_has_the_usual_menus(window):
    titles = [action.text().replace("&", "") for action in window.menuBar().actions()]
    assert titles == ["File", "Edit", "View", "Paper", "Go", "Tools", "Help"]


def test_names_of_all_actions_differ(window):
    names = Counter(name for name, _ in window.menus.entries())
    assert [name for name, count in names.items() if count > 1] == []
    assert {"Zoom in", "Find in file", "Similar papers", "Search mode: Meaning"} <= names.keys()
