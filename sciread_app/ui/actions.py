"""The actions of the window: tables that declare them, and the reasons why they are unavailable."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu

from sciread_app.language import tr
from sciread_app.ui.page import Page

Keys = str | QKeySequence.StandardKey
CLOSED = tr("Available when the library is open")
UNAVAILABLE = tr("Not available here")
LINE = None  # in the rows of a section

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Action(Generic[T]):
    """A row of a table of actions.

    `do` is called with the target of the table, such as the page. `name` is its key in
    `ActionRegistry.named` and, if one page has it, the argument of its `unavailable_reason`. With
    `anywhere` the action of a page is available on all pages, and shows its own first. With
    `library` it needs an open library. `unavailable_text` replaces that of the table."""

    text: str
    do: Callable[[T], object]
    keys: Keys | tuple[Keys, ...] = ()
    name: str = ""
    anywhere: bool = False
    library: bool = True
    unavailable_text: str = ""


@dataclass(frozen=True, eq=False)
class Section(Generic[T]):
    """Successive rows of a menu. `place` is the menu and a section of it, see
    `sciread_app.ui.shell.commands.menu_bar.MENUS`.

    `submenu` is the title of the submenu that has the rows, if any; sections with the same title
    share it. Unless `titled`, the full names of its actions do not contain that title. If
    `shortcuts` is not the window, keys work only in `Page.shortcut_widget`."""

    place: str
    rows: Sequence[Action[T] | None]
    submenu: str = ""
    titled: bool = True
    shortcuts: Qt.ShortcutContext = Qt.ShortcutContext.WindowShortcut
    auto_repeat: bool = True


@dataclass(frozen=True, eq=False)
class ActionTable(Generic[T]):
    """The actions of a page, or of another target. A package declares those of its page as
    `ACTIONS`; the actions of other targets are limited to the pages with the keys `pages`, if any.
    `unavailable_text` is the reason on other pages."""

    sections: Sequence[Section[T]]
    unavailable_text: str = UNAVAILABLE
    pages: Collection[str] = ()


class _Condition(NamedTuple):
    library: bool
    pages: Collection[str]
    unavailable_text: str


class ActionRegistry:
    """Creates the actions of the window and decides which of them are available.

    Menus, command palette, list of shortcuts and context menus show the same objects. The property
    `unavailable_reason` of each is empty if it is available; its tool tip shows the reason,
    too."""

    def __init__(self) -> None:
        self.named: dict[str, QAction] = {}  # those of pages as "page/name"
        self._conditions: dict[QAction, _Condition] = {}
        self._reasons: dict[QAction, str] = {}  # as set by `set_unavailable_reason`
        self._decided: dict[str, dict[str, QAction]] = {}  # by page, name
        self._is_open = False
        self._page_key = ""

    def add(
        self,
        menu: QMenu,
        text: str,
        do: Callable[[], object],
        keys: Keys | tuple[Keys, ...] = (),
        *,
        library: bool = True,
        pages: Collection[str] = (),
        unavailable_text: str = UNAVAILABLE,
    ) -> QAction:
        """Add an action to a menu. With `library` it needs an open library. It is limited to the
        pages with the keys `pages`, if any; `unavailable_text` is the reason on other pages."""
        action = QAction(text, menu)
        every = keys if isinstance(keys, tuple) else (keys,)
        action.setShortcuts([QKeySequence(one) for one in every if one])
        action.triggered.connect(lambda: do())
        menu.addAction(action)
        self._conditions[action] = _Condition(library, pages, unavailable_text)
        self._update(action)
        return action

    def add_row(
        self,
        menu: QMenu,
        table: ActionTable[Any],
        section: Section[Any],
        row: Action[Any],
        do: Callable[[], object],
        page: str = "",
    ) -> None:
        """Add an action of a table to a menu; `page` is the key of the page that declares it."""
        action = self.add(
            menu,
            row.text,
            do,
            row.keys,
            library=row.library,
            pages=() if row.anywhere else (page,) if page else table.pages,
            unavailable_text=row.unavailable_text or table.unavailable_text,
        )
        action.setShortcutContext(section.shortcuts)
        action.setAutoRepeat(section.auto_repeat)
        if row.name:
            self.named[f"{page}/{row.name}" if page else row.name] = action
            if page or len(table.pages) == 1:
                decider = page or next(iter(table.pages))
                self._decided.setdefault(decider, {})[row.name] = action

    def follow(self, key: str, page: Page) -> None:
        """Let a page, now that it is built, decide which of its actions are available, and use the
        keys of those that are limited to its widget."""
        for action, needs in self._conditions.items():
            local = action.shortcutContext() is not Qt.ShortcutContext.WindowShortcut
            if local and key in needs.pages:
                page.shortcut_widget().addAction(action)

        def ask() -> None:
            for name, action in self._decided.get(key, {}).items():
                self.set_unavailable_reason(action, page.unavailable_reason(name))

        page.actions_changed.connect(ask)
        ask()

    def set_unavailable_reason(self, action: QAction, unavailable_reason: str) -> None:
        """Set the reason why an action is unavailable where its library and its page are shown;
        empty if it is available."""
        if self._reasons.get(action, "") != unavailable_reason:
            self._reasons[action] = unavailable_reason
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
            unavailable_reason = CLOSED
        elif needs.pages and self._page_key not in needs.pages:
            unavailable_reason = needs.unavailable_text
        else:
            unavailable_reason = self._reasons.get(action, "")
        action.setProperty("unavailable_reason", unavailable_reason)
        action.setToolTip(unavailable_reason)  # if empty, Qt shows the text
        action.setEnabled(not unavailable_reason)
