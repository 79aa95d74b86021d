"""Finding and reaching the controls of a window."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QContextMenuEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QMenu,
    QTreeWidgetItem,
    QWidget,
)
from pytestqt.qtbot import QtBot

from sciread_app.ui.models.model_list import ModelList
from sciread_app.ui.search.filters.filter_bar import Popover
from sciread_app.ui.search.page import SearchPage
from sciread_app.ui.shell.main_window import MainWindow


def walk(qtbot: QtBot, window: MainWindow) -> list[QWidget]:
    """Press Tab until the focus returns, and return the widgets that had it; within a text it
    goes from link to link."""
    window.navigation_bar.button("library").setFocus()
    seen: list[QWidget] = []
    for _ in range(300):
        now = QApplication.focusWidget()
        if now in seen[:-1]:
            assert now is seen[0], f"Tab never leaves {[name_of(w) for w in seen[-3:]]}"
            return seen
        if now not in seen:
            seen.append(now)
        qtbot.keyClick(now, Qt.Key.Key_Tab)
    raise AssertionError(f"Tab never comes back: {[name_of(w) for w in seen[-3:]]}")


def name_of(widget: QWidget) -> str:
    if isinstance(widget.parent(), QAbstractSpinBox | QComboBox):
        widget = widget.parent()  # the line edit is a part of it
    text = widget.text() if isinstance(widget, QAbstractButton | QLabel) else ""
    return widget.accessibleName() or text


def is_reached(widget: QWidget, seen: Collection[QWidget]) -> bool:
    """Return whether Tab reaches the widget, or its button group, within which arrows move."""
    if isinstance(widget.parent(), QAbstractSpinBox | QComboBox):
        widget = widget.parent()
    group = widget.group() if isinstance(widget, QAbstractButton) else None
    return widget in seen or bool(group and any(other in seen for other in group.buttons()))


def menu_action(window: MainWindow, name: str) -> QAction:
    return next(a for a in window.menus.actions() if a.text().replace("&", "") == name)


def page_actions(window: MainWindow, page: str) -> dict[str, QAction]:
    """The actions that a page declares, by their names."""
    named = ((key.split("/", 1), action) for key, action in window.actions_by_name.items())
    return {name[1]: action for name, action in named if len(name) == 2 and name[0] == page}


def open_filter(qtbot: QtBot, page: SearchPage, field: str) -> Popover:
    page.header.filters.open(field)
    qtbot.waitUntil(lambda: page.header.filters.popover.wait.isHidden())
    return page.header.filters.popover


def filter_item(popover: Popover, text: str) -> QTreeWidgetItem:
    (found,) = popover.list.list.findItems(text, Qt.MatchFlag.MatchContains)
    return found


def open_row_menu(qtbot: QtBot, rows: ModelList, key: str) -> QMenu:
    """Right-click a row and return its menu, once it is shown."""
    right_click_row(rows, key)
    qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def right_click_row(rows: ModelList, key: str) -> None:
    row = [one.key for one in rows.rows].index(key)
    place = rows.visualRect(rows.model().index(row, 0)).center()
    viewport, reason = rows.viewport(), QContextMenuEvent.Reason.Mouse
    event = QContextMenuEvent(reason, place, viewport.mapToGlobal(place))
    QApplication.sendEvent(viewport, event)
