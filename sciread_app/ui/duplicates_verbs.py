"""What can be done on the page of duplicates, as actions of a menu."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu

if TYPE_CHECKING:
    from sciread_app.ui.duplicates_page import DuplicatesPage
    from sciread_app.ui.main_window import MainWindow

HERE = "On the page of duplicates"


class DuplicatesVerbs:
    """The letters are keys on the page alone: elsewhere they are typed."""

    def __init__(self, window: MainWindow, menu: QMenu) -> None:
        self._window = window
        self._page: DuplicatesPage | None = None
        self._actions = [
            self._add(menu, "&Merge the two papers", "M", lambda page: page.merge()),
            self._add(menu, "&Keep both papers", "K", lambda page: page.keep_both()),
            self._add(menu, "Make them &versions of one work", "V", lambda page: page.same_work()),
            self._add(menu, "Merge &all that agree", "", lambda page: page.merge_agreeing()),
        ]
        menu.addSeparator()
        self._split = QAction("&Take the chosen paper apart", window)
        self._split.triggered.connect(self._take_apart)
        menu.addAction(self._split)
        self.show_place("")

    def live_on(self, page: DuplicatesPage) -> None:
        self._page = page
        page.addActions(self._actions)

    def show_place(self, place: str) -> None:
        for action in self._actions:
            action.setEnabled(place == "duplicates")
        self._split.setEnabled(place == "search")

    def _add(
        self, menu: QMenu, text: str, key: str, do: Callable[[DuplicatesPage], object]
    ) -> QAction:
        action = QAction(text, self._window)
        action.setShortcut(QKeySequence(key))
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        action.setProperty("why_not", HERE)
        action.triggered.connect(lambda: self._page and do(self._page))
        menu.addAction(action)
        return action

    def _take_apart(self) -> None:
        window = self._window
        if window.page and window.shelving and (chosen := window.page.hits.chosen()):
            paper = chosen[0]
            window.shelving.work.do("Took apart", lambda organise: organise.split(paper))
