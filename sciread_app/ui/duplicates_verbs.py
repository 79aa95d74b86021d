"""What can be done on the page of duplicates, as actions of a menu."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu

from sciread_app.domain.paper import PaperId
from sciread_app.language import tr

if TYPE_CHECKING:
    from sciread_app.ui.duplicates_page import DuplicatesPage
    from sciread_app.ui.main_window import MainWindow
    from sciread_app.ui.shelf.shelving import Shelving

HERE = tr("On the page of duplicates")


class DuplicatesVerbs:
    """The letters are keys on the page alone: elsewhere they are typed."""

    def __init__(self, window: MainWindow, menu: QMenu) -> None:
        self._window = window
        self._page: DuplicatesPage | None = None
        self._actions = [
            self._add(menu, tr("&Merge the two papers"), "M", lambda page: page.merge()),
            self._add(menu, tr("&Keep both papers"), "K", lambda page: page.keep_both()),
            self._add(
                menu, tr("Make them &versions of one work"), "V", lambda page: page.same_work()
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
        action = QAction(text, self._window)
        action.setShortcut(QKeySequence(key))
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        action.setAutoRepeat(False)  # a key that is held down decides one pair
        action.setProperty("why_not", HERE)
        action.triggered.connect(lambda: self._page and do(self._page))
        menu.addAction(action)
        return action

    def _to_chosen(
        self, menu: QMenu, text: str, do: Callable[[Shelving, list[PaperId]], object]
    ) -> QAction:
        action = QAction(text, self._window)
        action.triggered.connect(lambda: self._with_chosen(do))
        menu.addAction(action)
        return action

    def _with_chosen(self, do: Callable[[Shelving, list[PaperId]], object]) -> None:
        if (page := self._window.page) and (shelving := self._window.shelving):
            do(shelving, page.hits.chosen())

    def _merge(self, shelving: Shelving, chosen: list[PaperId]) -> None:
        if len(chosen) < 2:
            shelving.notice.say(tr("Choose two papers or more in the list first"))
        else:
            shelving.work.do(tr("Merged"), lambda organise: organise.make_one(chosen))

    def _unite(self, shelving: Shelving, chosen: list[PaperId]) -> None:
        if len(chosen) != 2:
            shelving.notice.say(tr("Choose two papers in the list first"))
        else:
            a, b = chosen
            shelving.work.do(tr("Made versions"), lambda organise: organise.same_work(a, b))

    def _take_apart(self, shelving: Shelving, chosen: list[PaperId]) -> None:
        if len(chosen) != 1:
            shelving.notice.say(tr("Choose one paper in the list first"))
        else:
            paper = chosen[0]
            shelving.work.do(tr("Took apart"), lambda organise: organise.split(paper))
