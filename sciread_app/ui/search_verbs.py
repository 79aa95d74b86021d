"""The menu of the search page: what limits, sorts and steers the list."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QMenu

from sciread_app.language import tr
from sciread_app.ui.compare.verbs import CompareVerbs
from sciread_app.ui.file_dialogs import Purpose, open_files
from sciread_app.ui.search_box import MODES
from sciread_app.ui.sorting import ORDERS
from sciread_app.ui.values import Mode

if TYPE_CHECKING:
    from sciread_app.domain.order import Order
    from sciread_app.ui.main_window import MainWindow
    from sciread_app.ui.search_page import SearchPage

Do = Callable[["SearchPage"], object]


class SearchVerbs:
    """Builds the menu; its verbs can be done while the search page is looked at."""

    def __init__(self, window: MainWindow, menu: QMenu) -> None:
        self._window = window
        self.actions: list[QAction] = []
        self._add(menu, tr("&Filters"), "Ctrl+Shift+F", lambda page: page.head.toggle_filters())
        self._add(menu, tr("&Save this search…"), "Ctrl+S", lambda page: page.head.save_search())
        self._add(menu, tr("&Recent searches"), "Ctrl+Shift+R", lambda page: page.head.recall())
        self._add(menu, tr("&Lift all limits"), "Ctrl+Shift+L", lambda page: page.head.lift())
        menu.addSeparator()
        self._add(menu, tr("Similar &papers"), "Ctrl+L", lambda page: page.similar_to_chosen())
        self._add(menu, tr("&More like this"), "", lambda page: page.more_like(page.hits.chosen()))
        self._add(menu, tr("&Not like this"), "", lambda page: page.less_like(page.hits.chosen()))
        self._add(menu, tr("Similar to a f&ile…"), "", lambda page: self._choose_files())
        copied = tr("Similar to what was &copied")
        self._add(menu, copied, "Ctrl+Shift+V", lambda page: self._take_copied(page))
        menu.addSeparator()
        for number, (mode, (name, _)) in enumerate(MODES.items(), start=1):
            text = tr("Search: {mode}", mode=name)
            self._add(menu, text, f"Alt+{number}", partial(_set_mode, mode))
        models = menu.addMenu(tr("Compare mo&dels"))
        beside = tr("&Two models side by side")
        self._add(models, beside, "Ctrl+Shift+K", lambda page: page.toggle_compare())
        self._compare = CompareVerbs(window, models)
        orders = menu.addMenu(tr("S&ort by"))
        for order, name in ORDERS.items():
            self._add(orders, name, "", partial(_sort, order))

    def show_place(self, place: str) -> None:
        for action in self.actions:
            action.setEnabled(place == "search")
        self._compare.show_place(place)

    def _add(self, menu: QMenu, text: str, keys: str, do: Do) -> None:
        action = QAction(text, self._window)
        action.setShortcut(QKeySequence(keys))
        action.setEnabled(False)
        action.setProperty("why_not", tr("On the search page"))
        action.triggered.connect(lambda: self._window.page and do(self._window.page))
        menu.addAction(action)
        self.actions.append(action)

    def _choose_files(self) -> None:
        if files := open_files(self._window, Purpose.query, tr("Find what is similar to")):
            self._window.find_like(files)

    def _take_copied(self, page: SearchPage) -> None:
        """An entry, a DOI or an abstract: the box knows what it is."""
        text = QGuiApplication.clipboard().text().strip()
        if text:
            page.box.take_text(text)


def _sort(order: Order, page: SearchPage) -> None:
    page.sort_by(order)


def _set_mode(mode: Mode, page: SearchPage) -> None:
    page.box.set_mode(mode)
