"""Keyboard use: every page can be walked through with Tab, and every control has a name."""

from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QApplication,
    QBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QWidget,
)

from sciread_app.ui.jobs.runner import JobQueue
from sciread_app.ui.shell.page_registry import PAGES
from sciread_app.ui.style import theme
from sciread_app.ui.widgets.focus import takes_focus
from tests.support.ui.controls import is_reached, name_of, walk
from tests.support.ui.fakes.gateway import FakeGateway

Key = Qt.Key


@pytest.fixture(params=["bundled font", "system font"])
def font_set(request, monkeypatch):
    """Run the test with the bundled font and with the font of the system."""
    if request.param == "system font":
        monkeypatch.setattr(theme, "ui_font", system_font)


def system_font():
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    font.setPointSizeF(max(font.pointSizeF(), 10.0))
    return font


@pytest.fixture
def window(show_window):
    window = show_window(FakeGateway(20))
    window.activateWindow()
    return window


def go_to(qtbot, window, place):
    window.go_to(place.key)
    qtbot.waitUntil(lambda: not window._jobs.running())


@pytest.mark.parametrize("place", PAGES, ids=lambda place: place.key)
def test_controls_of_a_page_are_reached_by_tab_and_named(qtbot, window, place):
    go_to(qtbot, window, place)
    seen = walk(qtbot, window)
    wanted = [w for w in window.findChildren(QWidget) if takes_focus(w)]
    unreached = [w for w in wanted if not is_reached(w, seen)]
    assert not unreached, [(w, name_of(w)) for w in unreached]
    nameless = [w for w in seen if not name_of(w).strip()]
    assert not nameless, [(w, w.objectName(), w.parent()) for w in nameless]


def test_tab_order_keeps_the_page_together(qtbot, window):
    for place in PAGES:
        go_to(qtbot, window, place)
        seen = walk(qtbot, window)
        page = window._pages.currentWidget()
        inside = [n for n, widget in enumerate(seen) if page.isAncestorOf(widget)]
        names = [name_of(widget) for widget in seen]
        assert inside and inside == list(range(inside[0], inside[-1] + 1)), (place.key, names)
        assert window.navigation_bar.activity in seen


@pytest.mark.parametrize("place", PAGES, ids=lambda place: place.key)
def test_shortcuts_enabled_on_a_page_are_unique(qtbot, window, place):
    go_to(qtbot, window, place)
    keys = Counter(
        keys.toString()
        for action in set(window.menus.actions())
        if action.isEnabled()
        for keys in action.shortcuts()
        if not keys.isEmpty()
    )
    assert [key for key, count in keys.items() if count > 1] == []


@pytest.mark.parametrize("place", PAGES, ids=lambda place: place.key)
def test_focused_control_looks_different(qtbot, window, place):
    go_to(qtbot, window, place)
    for widget in walk(qtbot, window):
        if isinstance(widget, QAbstractButton | QLineEdit):
            widget.setFocus(Qt.FocusReason.TabFocusReason)
            with_focus = widget.grab().toImage()
            widget.clearFocus()
            assert widget.grab().toImage() != with_focus, (widget, name_of(widget))


@pytest.mark.parametrize("key", [Key.Key_Return, Key.Key_Enter, Key.Key_Space])
def test_enter_presses_the_focused_button(qtbot, window, key):
    qtbot.waitUntil(lambda: not window._jobs.running())
    button = QPushButton("Press", window.centralWidget())
    button.show()
    button.setFocus(Qt.FocusReason.TabFocusReason)
    with qtbot.waitSignal(button.clicked):
        qtbot.keyClick(button, key)


def test_enter_that_moves_the_focus_to_a_button_does_not_press_it(qtbot, window):
    qtbot.waitUntil(lambda: not window._jobs.running())
    line, button = QLineEdit(window.centralWidget()), QPushButton("Press", window.centralWidget())
    line.show()
    button.show()
    pressed: list[bool] = []
    button.clicked.connect(pressed.append)
    line.returnPressed.connect(button.setFocus)
    line.setFocus()
    qtbot.keyClick(line, Key.Key_Return)
    assert window.focusWidget() is button and not pressed


def test_f6_goes_through_the_panes_and_around(qtbot, window):
    places = []
    window.navigation_bar.button("library").setFocus()
    for _ in range(12):
        qtbot.keyClick(window, Key.Key_F6)
        places.append(window.focusWidget())
        if window.navigation_bar.isAncestorOf(places[-1]):
            break
    assert len(places) >= 3 and window.navigation_bar.isAncestorOf(places[-1])
    page = window.page
    for pane in (page.search_box, page.result_list):
        assert any(pane is place or pane.isAncestorOf(place) for place in places)


@pytest.mark.parametrize("place", PAGES, ids=lambda place: place.key)
def test_nothing_is_cut_off_in_a_small_window(qtbot, font_set, window, place):
    window.resize(800, 500)  # 2,400 x 1,500 pixels of a screen
    go_to(qtbot, window, place)
    assert window.width() <= 900 and window.height() <= 560, (window.width(), window.height())
    # Layouts are recomputed later.
    qtbot.waitUntil(lambda: _cut_off(window) == [])


@pytest.mark.parametrize("place", PAGES, ids=lambda place: place.key)
def test_job_panel_does_not_enlarge_the_window(qtbot, font_set, window, place):
    window.resize(960, 600)
    for number in range(6):
        window._jobs.run(f"Counting {number}", lambda task: None, queue=JobQueue.long)
    go_to(qtbot, window, place)
    window.job_panel.toggle()
    qtbot.waitUntil(lambda: window.job_panel.height() > 0)
    QApplication.processEvents()
    assert (window.width(), window.height()) == (960, 600)


def test_job_panel_shows_all_jobs_in_a_large_window(qtbot, window):
    window.resize(1240, 800)
    for number in range(6):
        window._jobs.run(f"Counting {number}", lambda task: None, queue=JobQueue.long)
    qtbot.waitUntil(lambda: not window._jobs.running())
    window.job_panel.toggle()
    qtbot.waitUntil(lambda: window.job_panel.height() >= 300)


def _cut_off(window):
    """Return the texts and layouts that have too little room."""
    found = []
    for widget in window.findChildren(QAbstractButton):
        if widget.isVisible() and widget.text() and not _is_bare(widget):
            needed = widget.minimumSizeHint()
            if widget.width() < needed.width() - 1 or widget.height() < needed.height() - 1:
                found.append((widget.text(), widget.size(), needed))
    for label in window.findChildren(QLabel):
        if label.isVisible() and label.wordWrap() and label.text():
            needed = label.heightForWidth(label.width())
            if label.height() < needed - 1:
                found.append((label.text(), label.size(), needed))
    for widget in window.findChildren(QWidget):
        layout = widget.layout()
        if widget.isVisible() and isinstance(layout, QBoxLayout) and layout.hasHeightForWidth():
            needed = layout.minimumHeightForWidth(widget.width())
            if widget.height() < needed - 1:
                found.append((widget, widget.size(), needed))
    return found


def _is_bare(button):
    """Return whether the button shows only an icon; its text is its accessible name."""
    style = getattr(button, "toolButtonStyle", lambda: None)()
    return style is Qt.ToolButtonStyle.ToolButtonIconOnly


def test_lists_and_texts_have_accessible_names(window):
    for view in window.findChildren(QAbstractItemView) + window.findChildren(QAbstractScrollArea):
        if takes_focus(view):
            assert view.accessibleName(), view


def test_key_in_an_open_menu_is_not_a_shortcut_of_the_list(qtbot, window):
    go_to(qtbot, window, PAGES[0])
    window.page.focus_results()
    papers = next(menu for menu in window.menuBar().findChildren(QMenu) if menu.title() == "&Paper")
    shortcut = next(one for one in papers.actions() if one.shortcut().toString() == "Del")
    with qtbot.assertNotEmitted(shortcut.triggered):
        papers.popup(window.pos())
        qtbot.keyClick(papers, Key.Key_Delete)
    assert papers.isVisible()
    papers.close()
    with qtbot.waitSignal(shortcut.triggered):
        qtbot.keyClick(window.page.result_list, Key.Key_Delete)
