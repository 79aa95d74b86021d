"""What can be done on one page of the window, as actions of a menu."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu

from sciread_app.language import tr

if TYPE_CHECKING:
    from sciread_app.ui.main_window import MainWindow


class OffersVerbs(Protocol):
    """A page of which the menus know what can be done to what it shows."""

    shown: Any  # Signal: something else stands there

    def why_not(self, verb: str) -> str:
        """Why something cannot be done to what is shown; empty where it can."""
        ...

    def addActions(self, actions: Sequence[QAction]) -> None: ...


P = TypeVar("P", bound=OffersVerbs)


class PageVerbs(Generic[P]):
    """Some begin a thing, from everywhere; others are done to what the page shows, there alone.

    An action that cannot be done says why (its property `why_not`)."""

    def __init__(self, window: MainWindow, menu: QMenu, place: str, here: str) -> None:
        self._window, self._menu = window, menu
        self._place, self._here = place, here
        self._page: P | None = None
        self._anywhere: list[QAction] = []
        self._on_page: dict[str, QAction] = {}

    def add_anywhere(self, text: str, do: Callable[[P], object]) -> None:
        action = self._action(text, do)
        action.setProperty("why_not", tr("Once the library is open"))
        self._anywhere.append(action)

    def add_on_page(self, verb: str, text: str, do: Callable[[P], object], keys: str = "") -> None:
        action = self._on_page[verb] = self._action(text, do)
        action.setShortcut(QKeySequence(keys))
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        action.setProperty("why_not", self._here)

    def library_opened(self) -> None:
        for action in self._anywhere:
            action.setEnabled(True)

    def live_on(self, page: P) -> None:
        self._page = page
        page.addActions([action for action in self._on_page.values() if action.shortcut()])
        page.shown.connect(lambda: self.show_place(self._place))

    def show_place(self, place: str) -> None:
        for verb, action in self._on_page.items():
            why = self._here if place != self._place or not self._page else self._page.why_not(verb)
            action.setProperty("why_not", why)
            action.setEnabled(not why)

    def _action(self, text: str, do: Callable[[P], object]) -> QAction:
        action = QAction(text, self._window)
        action.setEnabled(False)
        action.triggered.connect(lambda: self._do(do))
        self._menu.addAction(action)
        return action

    def _do(self, do: Callable[[P], object]) -> None:
        self._window.go_to(self._place)
        if self._page:
            do(self._page)
