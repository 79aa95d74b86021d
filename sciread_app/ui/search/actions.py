"""The menu entries of the search page: search, filters, sort order and similar papers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtWidgets import QMenu

from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.language import tr
from sciread_app.ui.actions import ActionRegistry, PageActions
from sciread_app.ui.paper_list.density import DENSITIES, Density
from sciread_app.ui.search.query_box.search_box import MODES
from sciread_app.ui.search.sort_button import ORDERS
from sciread_app.ui.widgets.dialogs.file_dialogs import DialogPurpose, open_files

if TYPE_CHECKING:
    from sciread_app.domain.paper import Order
    from sciread_app.ui.search.page import SearchPage


class SearchActions:
    """The entries in the menus of the window; they are available while the search page is shown."""

    def __init__(self, actions: ActionRegistry) -> None:
        self._registry = actions

    def fill_edit(self, edit: QMenu) -> None:
        add = self.of_page(edit).add
        add(tr("Find similar to f&ile…"), self._choose_files)
        copied = tr("Find similar to cli&pboard text")
        add(copied, self._take_copied, "Ctrl+Shift+V")
        add(tr("Sav&e search…"), lambda page: page.header.save_search(), "Ctrl+S")

    def fill_view(self, view: QMenu) -> None:
        add = self.of_page(view).add
        add(tr("&Filters"), lambda page: page.header.toggle_filters(), "Ctrl+Shift+F")
        add(tr("C&lear filters"), lambda page: page.header.lift(), "Ctrl+Shift+L")
        orders = view.addMenu(tr("S&ort by"))
        for order, name in ORDERS.items():
            add(name, partial(_sort, order), menu=orders)
        modes = view.addMenu(tr("Searc&h mode"))
        for number, (mode, (name, _)) in enumerate(MODES.items(), start=1):
            add(name, partial(_set_mode, mode), f"Alt+{number}", menu=modes)
        columns = tr("Select table col&umns…")
        add(columns, lambda page: page.choose_columns())
        densities = view.addMenu(tr("List d&ensity"))
        for density, name in DENSITIES.items():
            add(name, partial(_set_density, density), menu=densities)

    def fill_papers(self, papers: QMenu) -> None:
        add = self.of_page(papers).add
        similar = tr("Simil&ar papers")
        self._of_chosen = (
            add(similar, lambda page: page.show_similar(page.chosen()), "Ctrl+L"),
            add(tr("More like this"), lambda page: page.more_like(page.chosen())),
            add(tr("&Not like this"), lambda page: page.less_like(page.chosen())),
        )

    def fill_go(self, go: QMenu) -> None:
        add = self.of_page(go).add
        add(tr("&Recent searches"), lambda page: page.header.recall(), "Ctrl+Shift+R")
        add(
            tr("&Back to previous results"), lambda page: page.back(), QKeySequence.StandardKey.Back
        )

    def fill_compare(self, compare: QMenu) -> None:
        beside, keys = tr("Compare results of t&wo models"), "Ctrl+Shift+K"
        compare_results = self._registry.navigate.compare_results
        self._beside = self._registry.add(compare, beside, compare_results, keys, library=True)

    def of_page(self, menu: QMenu) -> PageActions[SearchPage]:
        """Return the actions of the search page in a menu, to add to."""
        unavailable_text = tr("Available on the Library page")
        return PageActions(self._registry, menu, "search", unavailable_text, library=True)

    def follow(self, page: SearchPage) -> None:
        """Offer the entries in the context menu of the list, now that the page is built."""
        page.list_actions = (*self._of_chosen, self._beside)

    def _choose_files(self, page: SearchPage) -> None:
        window, title = page.window(), tr("Select files to find similar papers")
        if files := open_files(window, DialogPurpose.query, title):
            self._registry.navigate.find_like(files)

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
