"""The menu of the search page: filters, sort order, search modes and similar papers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu

from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.language import tr
from sciread_app.ui.actions import ActionRegistry, PageActions
from sciread_app.ui.compare.actions import CompareActions
from sciread_app.ui.paper_list.density import DENSITIES, Density
from sciread_app.ui.search.search_box import MODES
from sciread_app.ui.search.sort_button import ORDERS
from sciread_app.ui.widgets.dialogs.file_dialogs import DialogPurpose, open_files

if TYPE_CHECKING:
    from sciread_app.domain.paper import Order
    from sciread_app.ui.search.page import SearchPage


class SearchActions(PageActions["SearchPage"]):
    """The menu; its actions are available while the search page is shown."""

    def __init__(
        self, actions: ActionRegistry, menu: QMenu, compare: QMenu, densities: QMenu
    ) -> None:
        """`compare` and `densities` are the menus for two models and for the list density."""
        super().__init__(actions, menu, "search", tr("Available on the Library page"))
        self.add(tr("&Filters"), lambda page: page.header.toggle_filters(), "Ctrl+Shift+F")
        self.add(tr("&Save search…"), lambda page: page.header.save_search(), "Ctrl+S")
        self.add(tr("&Recent searches"), lambda page: page.header.recall(), "Ctrl+Shift+R")
        self.add(tr("C&lear filters"), lambda page: page.header.lift(), "Ctrl+Shift+L")
        menu.addSeparator()
        similar = tr("Simil&ar papers")
        self._of_chosen = (
            self.add(similar, lambda page: page.show_similar(page.chosen()), "Ctrl+L"),
            self.add(tr("More like t&his"), lambda page: page.more_like(page.chosen())),
            self.add(tr("&Not like this"), lambda page: page.less_like(page.chosen())),
        )
        self.add(tr("Find similar to f&ile…"), self._choose_files)
        copied = tr("Find similar to &clipboard text")
        self.add(copied, self._take_copied, "Ctrl+Shift+V")
        menu.addSeparator()
        for number, (mode, (name, _)) in enumerate(MODES.items(), start=1):
            text = tr("Search mode: {mode}", mode=name)
            self.add(text, partial(_set_mode, mode), f"Alt+{number}")
        beside = tr("Sho&w results of two models")
        self._beside = self.add(
            beside, lambda page: page.toggle_compare(), "Ctrl+Shift+K", menu=compare
        )
        self._compare = CompareActions(actions, compare)
        orders = menu.addMenu(tr("S&ort by"))
        for order, name in ORDERS.items():
            self.add(name, partial(_sort, order), menu=orders)
        for density, name in DENSITIES.items():
            self.add(name, partial(_set_density, density), menu=densities)

    def follow(self, page: SearchPage) -> None:
        super().follow(page)
        page.list_actions = (*self._of_chosen, self._beside)
        self._compare.follow(page.compare)

    def _choose_files(self, page: SearchPage) -> None:
        window, title = page.window(), tr("Select files to find similar papers")
        if files := open_files(window, DialogPurpose.query, title):
            self.registry.navigate.find_like(files)

    def _take_copied(self, page: SearchPage) -> None:
        """Search for the clipboard text: an entry, a DOI or an abstract."""
        text = QGuiApplication.clipboard().text().strip()
        if text:
            page.search_box.search_for_text(text)


def _sort(order: Order, page: SearchPage) -> None:
    page.sort_by(order)


def _set_density(density: Density, page: SearchPage) -> None:
    page.set_density(density)


def _set_mode(mode: SearchMode, page: SearchPage) -> None:
    page.search_box.set_mode(mode)
