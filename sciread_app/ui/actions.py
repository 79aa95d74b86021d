"""The actions of the window, and the reasons why they are unavailable."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Generic, NamedTuple, TypeVar, cast

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu

from sciread_app.language import tr
from sciread_app.ui.app_context import Navigator
from sciread_app.ui.page import Page

Keys = str | QKeySequence.StandardKey
CLOSED = tr("Available when the library is open")
UNAVAILABLE = tr("Not available here")


class _Condition(NamedTuple):
    library: bool
    pages: Collection[str]
    unavailable_text: str


class ActionRegistry:
    """Creates the actions of the window and decides which of them are available.

    Menus, command palette, list of shortcuts and context menus show the same objects. The property
    `why_not` of each is the reason why it is unavailable, and empty if it is available."""

    def __init__(self, navigate: Navigator) -> None:
        self.navigate = navigate
        self._conditions: dict[QAction, _Condition] = {}
        self._reasons: dict[QAction, str] = {}  # as set by `set_why_not`
        self._is_open = False
        self._page_key = ""

    def add(
        self,
        menu: QMenu,
        text: str,
        do: Callable[[], object],
        *keys: Keys,
        library: bool = False,
        pages: Collection[str] = (),
        unavailable_text: str = UNAVAILABLE,
    ) -> QAction:
        """Add an action to a menu. With `library` it needs an open library. It is limited to the
        pages with the keys `pages`, if any; `unavailable_text` is the reason on other pages."""
        action = QAction(text, menu)
        action.setShortcuts([QKeySequence(key) for key in keys if key])
        action.triggered.connect(lambda: do())
        menu.addAction(action)
        self._conditions[action] = _Condition(library, pages, unavailable_text)
        self._update(action)
        return action

    def set_why_not(self, action: QAction, why_not: str) -> None:
        """Set the reason why an action is unavailable where its library and its page are shown;
        empty if it is available."""
        self._reasons[action] = why_not
        self._update(action)

    def pages_of_action(self, action: QAction) -> Collection[str]:
        """Return the keys of the pages that an action is limited to; none if it is on all."""
        return self._conditions[action].pages

    def library_opened(self) -> None:
        self._is_open = True
        self._update_all()

    def show_page(self, page: str) -> None:
        """Update the actions for the page with this key."""
        self._page_key = page
        self._update_all()

    def _update_all(self) -> None:
        for action in self._conditions:
            self._update(action)

    def _update(self, action: QAction) -> None:
        needs = self._conditions[action]
        if needs.library and not self._is_open:
            why_not = CLOSED
        elif needs.pages and self._page_key not in needs.pages:
            why_not = needs.unavailable_text
        else:
            why_not = self._reasons.get(action, "")
        action.setProperty("why_not", why_not)
        action.setEnabled(not why_not)


P = TypeVar("P", bound=Page)


class PageActions(Generic[P]):
    """The actions of one page in a menu. `unavailable_text` is the reason why they are unavailable
    on other pages; with `local` their shortcuts are active on the page alone."""

    def __init__(
        self,
        actions: ActionRegistry,
        menu: QMenu,
        page: str,
        unavailable_text: str = UNAVAILABLE,
        *,
        local: bool = False,
        library: bool = False,
    ) -> None:
        """`page` is its key; `library` as in `ActionRegistry.add`."""
        self.registry, self.menu = actions, menu
        self._page_key, self._unavailable_text = page, unavailable_text
        self._local, self._library = local, library
        self.on_page: list[QAction] = []
        self.anywhere: list[QAction] = []
        self.by_name: dict[str, QAction] = {}

    def add(
        self,
        text: str,
        do: Callable[[P], object],
        *keys: Keys,
        name: str = "",
        menu: QMenu | None = None,
    ) -> QAction:
        """Add an action that is available while the page is shown. `name` is its name in the
        page's `why_not`, if that decides too; `menu` is a submenu to add it to."""
        action = self.registry.add(
            menu or self.menu,
            text,
            lambda: do(self._page()),
            *keys,
            library=self._library,
            pages=(self._page_key,),
            unavailable_text=self._unavailable_text,
        )
        if self._local:
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self.on_page.append(action)
        if name:
            self.by_name[name] = action
        return action

    def add_anywhere(self, text: str, do: Callable[[P], object], *, name: str = "") -> QAction:
        """Add an action that opens the page first."""

        def run() -> None:
            self.registry.navigate.go_to(self._page_key)
            do(self._page())

        action = self.registry.add(self.menu, text, run, library=True)
        self.anywhere.append(action)
        if name:
            self.by_name[name] = action
        return action

    def follow(self, page: P) -> None:
        """Let the page, now that it is built, decide which actions are available."""
        if self._local:
            page.addActions([action for action in self.on_page if action.shortcut()])
        page.actions_changed.connect(lambda: self._ask(page))
        self._ask(page)

    def _ask(self, page: P) -> None:
        for name, action in self.by_name.items():
            self.registry.set_why_not(action, page.why_not(name))

    def _page(self) -> P:
        return cast(P, self.registry.navigate.other_page(self._page_key))
