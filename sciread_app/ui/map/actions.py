"""The menu of the map."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu

from sciread_app.language import tr
from sciread_app.ui.actions import ActionRegistry, PageActions
from sciread_app.ui.map.options import BY, TOOLS, ColorBy, Tool

if TYPE_CHECKING:
    from sciread_app.ui.map.page import MapPage

WITH_PAPERS = ("search", "foryou", "reader", "duplicates", "intake")  # pages with a list of papers


class MapActions(PageActions["MapPage"]):
    """Each action is enabled on the pages where it applies."""

    def __init__(self, actions: ActionRegistry, menu: QMenu) -> None:
        super().__init__(actions, menu, "map", tr("Available on the Map page"))
        navigate, elsewhere = actions.navigate, tr("Available where papers can be selected")
        self.chosen = actions.add(
            menu,
            tr("&Show selected papers on the map"),
            navigate.show_chosen_on_map,
            "Ctrl+Shift+M",
            places=WITH_PAPERS,
            elsewhere=elsewhere,
        )
        actions.add(
            menu,
            tr("Show &results on the map"),
            navigate.show_found_on_map,
            places=("search",),
            elsewhere=elsewhere,
        )
        menu.addSeparator()
        self.add(tr("&Highlight similar papers"), lambda page: page.highlight_similar())
        self.add(tr("&Clear highlight"), lambda page: page.clear())
        self.add(tr("&Fit map"), lambda page: page.whole_map())
        self.add(tr("Re&draw map"), lambda page: page.redraw())
        menu.addSeparator()
        for by in ColorBy:
            self.add(BY[by].action, partial(_colour, by))
        menu.addSeparator()
        for tool in Tool:
            self.add(TOOLS[tool].action, partial(_take, tool))

    def offer(self, menu: QMenu) -> None:
        """Add the action for the selected papers to the context menu of a list."""
        menu.addAction(self.chosen)


def _colour(by: ColorBy, page: MapPage) -> None:
    page.colour_by(by)


def _take(tool: Tool, page: MapPage) -> None:
    page.take_tool(tool)
