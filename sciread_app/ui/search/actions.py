"""The menu of the search page: what limits, sorts and steers the list."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QMenu

from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.language import tr
from sciread_app.ui.actions import add_action
from sciread_app.ui.app_context import AppContext
from sciread_app.ui.compare.actions import CompareActions
from sciread_app.ui.search.search_box import MODES
from sciread_app.ui.search.sort_button import ORDERS
from sciread_app.ui.widgets.file_dialogs import DialogPurpose, open_files

if TYPE_CHECKING:
    from sciread_app.domain.paper import Order
    from sciread_app.ui.search.page import SearchPage

Do = Callable[["SearchPage"], object]


class SearchActions:
    """Builds the menu; its verbs can be done while the search page is looked at."""

    def __init__(self, context: AppContext, menu: QMenu) -> None:
        self._navigate = context.navigate
        self._page: SearchPage | None = None
        self.actions: list[QAction] = []
        self._add(menu, tr("&Filters"), "Ctrl+Shift+F", lambda page: page.head.toggle_filters())
        self._add(menu, tr("&Save this search…"), "Ctrl+S", lambda page: page.head.save_search())
        self._add(menu, tr("&Recent searches"), "Ctrl+Shift+R", lambda page: page.head.recall())
        self._add(menu, tr("&Lift all limits"), "Ctrl+Shift+L", lambda page: page.head.lift())
        menu.addSeparator()
        self._add(menu, tr("Similar &papers"), "Ctrl+L", lambda page: page.similar_to_chosen())
        self._add(menu, tr("&More like this"), "", lambda page: page.more_like(page.hits.chosen()))
        self._add(menu, tr("&Not like this"), "", lambda page: page.less_like(page.hits.chosen()))
        self._add(menu, tr("Similar to a f&ile…"), "", self._choose_files)
        copied = tr("Similar to what was &copied")
        self._add(menu, copied, "Ctrl+Shift+V", self._take_copied)
        menu.addSeparator()
        for number, (mode, (name, _)) in enumerate(MODES.items(), start=1):
            text = tr("Search: {mode}", mode=name)
            self._add(menu, text, f"Alt+{number}", partial(_set_mode, mode))
        models = menu.addMenu(tr("Compare mo&dels"))
        beside = tr("&Two models side by side")
        self._add(models, beside, "Ctrl+Shift+K", lambda page: page.toggle_compare())
        self._compare = CompareActions(models)
        orders = menu.addMenu(tr("S&ort by"))
        for order, name in ORDERS.items():
            self._add(orders, name, "", partial(_sort, order))

    def live_on(self, page: SearchPage) -> None:
        self._page = page
        self._compare.live_on(page.compare)

    def show_place(self, place: str) -> None:
        for action in self.actions:
            action.setEnabled(place == "search")
        self._compare.show_place(place)

    def _add(self, menu: QMenu, text: str, keys: str, do: Do) -> None:
        why_not = tr("On the search page")
        run = partial(self._do, do)
        self.actions.append(add_action(menu, text, run, keys, why_not=why_not))

    def _do(self, do: Do) -> None:
        if self._page:
            do(self._page)

    def _choose_files(self, page: SearchPage) -> None:
        window, title = page.window(), tr("Find what is similar to")
        if files := open_files(window, DialogPurpose.query, title):
            self._navigate.find_like(files)

    def _take_copied(self, page: SearchPage) -> None:
        """An entry, a DOI or an abstract: the box knows what it is."""
        text = QGuiApplication.clipboard().text().strip()
        if text:
            page.box.search_for_text(text)


def _sort(order: Order, page: SearchPage) -> None:
    page.sort_by(order)


def _set_mode(mode: SearchMode, page: SearchPage) -> None:
    page.box.set_mode(mode)
