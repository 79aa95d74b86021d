"""What can be done on the map, and what can be shown on it, as the menus offer it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu

from sciread_app.language import tr
from sciread_app.ui.map.choices import BY, TOOLS, By, Tool

if TYPE_CHECKING:
    from sciread_app.ui.main_window import MainWindow
    from sciread_app.ui.map.page import MapPage


class MapVerbs:
    """A menu of which each part can be used where it makes sense."""

    def __init__(self, window: MainWindow, menu: QMenu) -> None:
        self._window = window
        self._menu = menu
        self._there: list[QAction] = []  # what needs the page with the map
        self._elsewhere: list[tuple[QAction, tuple[str, ...]]] = []  # and what needs others
        self._chosen = self._on_others(
            tr("&Show chosen papers on the map"),
            "Ctrl+Shift+M",
            window.show_chosen_on_map,
            ("search", "foryou", "reader", "duplicates", "intake"),
        )
        found = tr("Show &results on the map")
        self._on_others(found, "", window.show_found_on_map, ("search",))
        menu.addSeparator()
        self._on_map(tr("&Light up similar papers"), lambda page: page.light_up_similar())
        self._on_map(tr("Let &nothing stand out"), lambda page: page.clear())
        self._on_map(tr("See the &whole map"), lambda page: page.whole_map())
        self._on_map(tr("&Draw the map anew"), lambda page: page.draw_anew())
        menu.addSeparator()
        for by in By:
            self._on_map(BY[by].verb, partial(_colour, by))
        menu.addSeparator()
        for tool in Tool:
            self._on_map(TOOLS[tool].verb, partial(_take, tool))

    def show_place(self, place: str) -> None:
        for action in self._there:
            action.setEnabled(place == "map")
        for action, places in self._elsewhere:
            action.setEnabled(place in places)

    def offer(self, menu: QMenu) -> None:
        """In the menu of a list of papers."""
        menu.addAction(self._chosen)

    def _on_map(self, text: str, do: Callable[[MapPage], object]) -> None:
        action = self._add(text, tr("On the page Map"), lambda: do(_page(self._window)))
        self._there.append(action)

    def _on_others(
        self, text: str, keys: str, do: Callable[[], object], places: tuple[str, ...]
    ) -> QAction:
        action = self._add(text, tr("Where papers can be chosen"), do)
        action.setShortcut(QKeySequence(keys))
        self._elsewhere.append((action, places))
        return action

    def _add(self, text: str, why_not: str, do: Callable[[], object]) -> QAction:
        action = QAction(text, self._window)
        action.setEnabled(False)
        action.setProperty("why_not", why_not)
        action.triggered.connect(lambda: do())
        self._menu.addAction(action)
        return action


def _colour(by: By, page: MapPage) -> None:
    page.colour_by(by)


def _take(tool: Tool, page: MapPage) -> None:
    page.take_tool(tool)


def _page(window: MainWindow) -> MapPage:
    from sciread_app.ui.map.page import MapPage  # built only when somebody goes there

    page = window.other_page("map")
    assert isinstance(page, MapPage)
    return page
