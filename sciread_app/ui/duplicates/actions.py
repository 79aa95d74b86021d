"""The menu of duplicates."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from sciread_app.domain.paper import PaperId
from sciread_app.language import tr
from sciread_app.ui.actions import ActionRegistry, PageActions

if TYPE_CHECKING:
    from sciread_app.ui.duplicates.page import DuplicatesPage
    from sciread_app.ui.library.controller import LibraryController


class DuplicatesActions(PageActions["DuplicatesPage"]):
    """Actions on pairs, whose letter keys work only on the page, and actions on selected papers."""

    def __init__(self, actions: ActionRegistry, menu: QMenu) -> None:
        super().__init__(
            actions, menu, "duplicates", tr("Available on the Duplicates page"), local=True
        )
        self._controller: LibraryController | None = None
        versions = tr("Link as &versions")
        for action in (
            self.add(tr("&Merge this pair"), lambda page: page.merge(), "M"),
            self.add(tr("&Keep both papers"), lambda page: page.mark_not_duplicates(), "K"),
            self.add(versions, lambda page: page.mark_as_versions(), "V"),
            self.add(tr("Merge &all identical pairs"), lambda page: page.merge_agreeing()),
        ):
            action.setAutoRepeat(False)  # holding a key down must not decide several pairs
        menu.addSeparator()
        self.on_chosen = [
            self._to_chosen(tr("Merge &selected papers"), self._merge),
            self._to_chosen(tr("&Link selected papers as versions"), self._unite),
            self._to_chosen(tr("S&plit selected paper"), self._take_apart),
        ]

    def edit_with(self, library: LibraryController) -> None:
        """Apply the actions on selected papers with this controller."""
        self._controller = library

    def _to_chosen(
        self, text: str, do: Callable[[LibraryController, list[PaperId]], object]
    ) -> QAction:
        def act() -> None:
            if self._controller:
                do(self._controller, self._controller.chosen())

        return self.registry.add(self.menu, text, act, pages=("search",))

    def _merge(self, library: LibraryController, chosen: list[PaperId]) -> None:
        if len(chosen) < 2:
            library.notice.show_message(tr("Select at least two papers in the list first"))
        else:
            library.work.submit(tr("Merging papers"), lambda editor: editor.merge_into_best(chosen))

    def _unite(self, library: LibraryController, chosen: list[PaperId]) -> None:
        if len(chosen) != 2:
            library.notice.show_message(tr("Select two papers in the list first"))
        else:
            a, b = chosen
            library.work.submit(
                tr("Linking papers as versions"), lambda editor: editor.mark_as_versions(a, b)
            )

    def _take_apart(self, library: LibraryController, chosen: list[PaperId]) -> None:
        if len(chosen) != 1:
            library.notice.show_message(tr("Select one paper in the list first"))
        else:
            paper = chosen[0]
            library.work.submit(tr("Splitting a paper"), lambda editor: editor.split(paper))
