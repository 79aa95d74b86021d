"""The menu of the map."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from sciread_app.language import tr
from sciread_app.ui.actions import add_action
from sciread_app.ui.app_context import AppContext
from sciread_app.ui.map.options import BY, TOOLS, ColorBy, Tool

if TYPE_CHECKING:
    from sciread_app.ui.map.page import MapPage


class MapActions:
    """Each action is enabled on the pages where it applies."""

    def __init__(self, context: AppContext, menu: QMenu) -> None:
        self._navigate = navigate = context.navigate
        self._menu = menu
        self._on_map_page: list[QAction] = []
        self._on_list_pages: list[tuple[QAction, tuple[str, ...]]] = []  # with the pages
        self._chosen = self._on_lists(
            tr("&Show chosen papers on the map"),
            "Ctrl+Shift+M",
            navigate.show_chosen_on_map,
            ("search", "foryou", "reader", "duplicates", "intake"),
        )
        found = tr("Show &results on the map")
        self._on_lists(found, "", navigate.show_found_on_map, ("search",))
        menu.addSeparator()
        self._on_map(tr("&Light up similar papers"), lambda page: page.highlight_similar())
        self._on_map(tr("Let &nothing stand out"), lambda page: page.clear())
        self._on_map(tr("See the &whole map"), lambda page: page.whole_map())
        self._on_map(tr("&Draw the map anew"), lambda page: page.redraw())
        menu.addSeparator()
        for by in ColorBy:
            self._on_map(BY[by].verb, partial(_colour, by))
        menu.addSeparator()
        for tool in Tool:
            self._on_map(TOOLS[tool].verb, partial(_take, tool))

    def show_place(self, place: str) -> None:
        for action in self._on_map_page:
            action.setEnabled(place == "map")
        for action, places in self._on_list_pages:
            action.setEnabled(place in places)

    def offer(self, menu: QMenu) -> None:
        """Add the action for the selected papers to the context menu of a list."""
        menu.addAction(self._chosen)

    def _on_map(self, text: str, do: Callable[[MapPage], object]) -> None:
        action = add_action(
            self._menu, text, lambda: do(self._page()), why_not=tr("On the page Map")
        )
        self._on_map_page.append(action)

    def _on_lists(
        self, text: str, keys: str, do: Callable[[], object], places: tuple[str, ...]
    ) -> QAction:
        why_not = tr("Where papers can be chosen")
        action = add_action(self._menu, text, do, keys, why_not=why_not)
        self._on_list_pages.append((action, places))
        return action

    def _page(self) -> MapPage:
        from sciread_app.ui.map.page import MapPage  # built only when shown

        page = self._navigate.other_page("map")
        assert isinstance(page, MapPage)
        return page


def _colour(by: ColorBy, page: MapPage) -> None:
    page.colour_by(by)


def _take(tool: Tool, page: MapPage) -> None:
    page.take_tool(tool)
