"""Actions of menus, and the reasons why they are unavailable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, Protocol, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu

from sciread_app.language import tr
from sciread_app.ui.app_context import AppContext

Keys = str | QKeySequence.StandardKey


def add_action(
    menu: QMenu,
    text: str,
    do: Callable[[], object],
    *keys: Keys,
    enabled: bool = False,
    why_not: str = "",
) -> QAction:
    """Add an action to a menu. Its property `why_not` is the reason why it is unavailable."""
    action = QAction(text, menu)
    action.setShortcuts([QKeySequence(key) for key in keys if key])
    action.setEnabled(enabled)
    action.setProperty("why_not", why_not)
    action.triggered.connect(lambda: do())
    menu.addAction(action)
    return action


def set_why_not(action: QAction, why_not: str) -> None:
    """Make an action unavailable for a reason, or available if the reason is empty."""
    action.setProperty("why_not", why_not)
    action.setEnabled(not why_not)


class ActionProvider(Protocol):
    """A page that decides which actions are available for what it shows."""

    shown: Any  # Signal: the contents have changed

    def why_not(self, verb: str) -> str:
        """The reason why an action is unavailable; empty if it is available."""
        ...

    def addActions(self, actions: Sequence[QAction]) -> None: ...


P = TypeVar("P", bound=ActionProvider)


class PageActions(Generic[P]):
    """Actions of a page: those that open it from anywhere, and those that need it to be shown."""

    def __init__(self, context: AppContext, menu: QMenu, place: str, here: str) -> None:
        self._context, self._menu = context, menu
        self._place, self._here = place, here
        self._page: P | None = None
        self._anywhere: list[QAction] = []
        self._on_page: dict[str, QAction] = {}

    def add_anywhere(self, text: str, do: Callable[[P], object]) -> None:
        why_not = tr("Once the library is open")
        self._anywhere.append(add_action(self._menu, text, lambda: self._do(do), why_not=why_not))

    def add_on_page(self, verb: str, text: str, do: Callable[[P], object], keys: str = "") -> None:
        action = add_action(self._menu, text, lambda: self._do(do), keys, why_not=self._here)
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self._on_page[verb] = action

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
            set_why_not(action, why)

    def _do(self, do: Callable[[P], object]) -> None:
        self._context.navigate.go_to(self._place)
        if self._page:
            do(self._page)
