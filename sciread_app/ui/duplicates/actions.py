"""The menu of duplicates."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from sciread_app.domain.paper import PaperId
from sciread_app.language import tr
from sciread_app.ui.actions import add_action

if TYPE_CHECKING:
    from sciread_app.ui.duplicates.page import DuplicatesPage
    from sciread_app.ui.library.controller import LibraryController

HERE = tr("On the page of duplicates")


class DuplicatesActions:
    """Actions on pairs, whose letter keys work only on the page, and actions on selected papers."""

    def __init__(self, menu: QMenu) -> None:
        self._library: LibraryController | None = None
        self._page: DuplicatesPage | None = None
        self._actions = [
            self._add(menu, tr("&Merge the two papers"), "M", lambda page: page.merge()),
            self._add(menu, tr("&Keep both papers"), "K", lambda page: page.mark_not_duplicates()),
            self._add(
                menu,
                tr("Make them &versions of one work"),
                "V",
                lambda page: page.mark_as_versions(),
            ),
            self._add(menu, tr("Merge &all that agree"), "", lambda page: page.merge_agreeing()),
        ]
        menu.addSeparator()
        self._on_chosen = [
            self._to_chosen(menu, tr("Merge the &chosen papers"), self._merge),
            self._to_chosen(menu, tr("Make the chosen &two versions of one work"), self._unite),
            self._to_chosen(menu, tr("Take the chosen &paper apart"), self._take_apart),
        ]
        self.show_place("")

    def edit_with(self, library: LibraryController) -> None:
        """Apply the actions on chosen papers with this controller."""
        self._library = library

    def live_on(self, page: DuplicatesPage) -> None:
        self._page = page
        page.addActions(self._actions)

    def show_place(self, place: str) -> None:
        for action in self._actions:
            action.setEnabled(place == "duplicates")
        for action in self._on_chosen:
            action.setEnabled(place == "search")

    def _add(
        self, menu: QMenu, text: str, key: str, do: Callable[[DuplicatesPage], object]
    ) -> QAction:
        def run() -> None:
            if self._page:
                do(self._page)

        action = add_action(menu, text, run, key, why_not=HERE)
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        action.setAutoRepeat(False)  # holding a key down must not decide several pairs
        return action

    def _to_chosen(
        self, menu: QMenu, text: str, do: Callable[[LibraryController, list[PaperId]], object]
    ) -> QAction:
        return add_action(menu, text, lambda: self._with_chosen(do))

    def _with_chosen(self, do: Callable[[LibraryController, list[PaperId]], object]) -> None:
        if self._library:
            do(self._library, self._library.chosen())

    def _merge(self, shelving: LibraryController, chosen: list[PaperId]) -> None:
        if len(chosen) < 2:
            shelving.notice.say(tr("Choose two papers or more in the list first"))
        else:
            shelving.work.do(tr("Merged"), lambda organise: organise.merge_into_best(chosen))

    def _unite(self, shelving: LibraryController, chosen: list[PaperId]) -> None:
        if len(chosen) != 2:
            shelving.notice.say(tr("Choose two papers in the list first"))
        else:
            a, b = chosen
            shelving.work.do(tr("Made versions"), lambda organise: organise.mark_as_versions(a, b))

    def _take_apart(self, shelving: LibraryController, chosen: list[PaperId]) -> None:
        if len(chosen) != 1:
            shelving.notice.say(tr("Choose one paper in the list first"))
        else:
            paper = chosen[0]
            shelving.work.do(tr("Took apart"), lambda organise: organise.split(paper))
