"""The menu of the map on the search page."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu

from sciread_app.language import tr
from sciread_app.ui.actions import ActionRegistry, PageActions
from sciread_app.ui.map.options import BY, TOOLS, ColorBy, Tool
from sciread_app.ui.search.view_mode import SWITCH_KEYS

if TYPE_CHECKING:
    from collections.abc import Callable

    from sciread_app.ui.map.panel import MapPanel
    from sciread_app.ui.search.page import SearchPage

# Pages with a list of papers
WITH_PAPERS = ("search", "foryou", "reader", "duplicates", "intake", "compare")


class MapActions(PageActions["SearchPage"]):
    """Most are available while the map is shown."""

    def __init__(self, actions: ActionRegistry, menu: QMenu) -> None:
        super().__init__(actions, menu, "search", tr("Available on the Library page"))
        navigate = actions.navigate
        switch = tr("Switch between &list and map")
        actions.add(menu, switch, navigate.toggle_map, SWITCH_KEYS, library=True)
        self.chosen = actions.add(
            menu,
            tr("&Show selected papers on the map"),
            navigate.show_chosen_on_map,
            "Ctrl+Shift+M",
            pages=WITH_PAPERS,
            unavailable_text=tr("Available where papers can be selected"),
        )
        menu.addSeparator()
        self._add(tr("&Fit map"), lambda shown: shown.fit())
        self._add(tr("&Zoom to highlighted papers"), lambda shown: shown.fit_highlighted())
        self._add(tr("Re&draw map"), lambda shown: shown.redraw())
        menu.addSeparator()
        for by in ColorBy:
            self._add(BY[by].action, partial(_colour, by))
        sizes = tr("Size points by cit&ations")
        self._add(sizes, lambda shown: shown.bar.sizes.toggle())
        menu.addSeparator()
        for tool in Tool:
            self._add(TOOLS[tool].action, partial(_take, tool))

    def offer(self, menu: QMenu) -> None:
        """Add the action for the selected papers to the context menu of a list."""
        menu.addAction(self.chosen)

    def _add(self, text: str, do: Callable[[MapPanel], object]) -> None:
        """Add an action that is available while the map is shown."""
        self.add(text, lambda page: do(page.map) if page.map else None, name=text)


def _colour(by: ColorBy, shown: MapPanel) -> None:
    shown.colour_by(by)


def _take(tool: Tool, shown: MapPanel) -> None:
    shown.take_tool(tool)
