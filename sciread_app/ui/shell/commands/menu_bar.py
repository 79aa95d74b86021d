"""The menus of the window: every action with its shortcut."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar

from sciread_app.language import tr
from sciread_app.ui.actions import ActionRegistry, ActionTable, Section
from sciread_app.ui.library.actions import LIBRARY_ACTIONS
from sciread_app.ui.shell.commands.window_actions import (
    REDO,
    UNDO,
    WINDOW_ACTIONS,
    WindowCommands,
)
from sciread_app.ui.shell.page_registry import (
    NAVIGATION_ITEMS,
    PAGES,
    action_table,
    navigation_item_of,
    pages_of,
)
from sciread_app.ui.style.theme import ThemeChoice
from sciread_app.ui.widgets.rounded_popup import rounded

LINE = None
# The menus, and the sections that tables of actions fill, in order. A page may use any of them.
# Translators: & precedes the letter that is pressed with Alt; it must be unique in its menu
MENUS = {
    "file": (
        tr("&File"), ("add", LINE, "export", "exports", LINE, "backup", LINE, "quit"),
    ),
    "edit": (
        tr("&Edit"), ("undo", LINE, "copy", LINE, "reader", LINE, "find", "search"),
    ),
    "view": (
        tr("&View"), ("library", LINE, "search", "map", "reader", LINE, "window", "theme"),
    ),
    "paper": (
        tr("&Paper"),
        (
            "open", "read", "details", LINE, "similar", LINE, "edit", LINE, "organize", LINE,
            "merge", "split", "discover",
        ),
    ),
    "go": (tr("&Go"), ("pages", LINE, "search", LINE, "reader")),
    "tools": (tr("&Tools"), ("models", "compare")),
    "help": (tr("&Help"), ("search", "window")),
}  # fmt: skip
THEMES = {
    ThemeChoice.system: tr("&System"),
    ThemeChoice.light: tr("&Light"),
    ThemeChoice.dark: tr("&Dark"),
}


class MenuBar:
    """Fills the menu bar of a window with the actions of its pages, of the library and its own."""

    def __init__(
        self, window: WindowCommands, bar: QMenuBar, actions: ActionRegistry, theme: ThemeChoice
    ) -> None:
        self._bar = bar
        self._window = window
        self._actions = actions
        self._theme = theme
        self._items: dict[str, QAction] = {}  # by the key of the item
        self._pages: dict[str, QAction] = {}  # by the key of the page
        self._submenus: dict[tuple[str, str], QMenu] = {}  # by the menu's key and their title
        self._untitled: set[QMenu] = set()  # submenus with entries that need no title
        # Tables, their targets, and the pages that declare them
        self._tables: list[tuple[ActionTable[Any], Callable[[], Any], str]] = [
            (LIBRARY_ACTIONS, lambda: window.library_controller, ""),
            *((table, lambda: window, "") for table in WINDOW_ACTIONS),
            *(
                (table, partial(window.other_page, spec.key), spec.key)
                for spec in PAGES
                if (table := action_table(spec))
            ),
        ]
        for key, (title, names) in MENUS.items():
            menu = bar.addMenu(title)
            for name in names:
                if name is LINE:
                    menu.addSeparator()
                else:
                    self._fill(menu, key, name)
        if window.is_sample:
            actions.named["sample"].setText(tr("Close &sample library"))
        actions.set_unavailable_reason(
            actions.named["last import report"], tr("Available after an import")
        )
        for menu in bar.findChildren(QMenu):
            rounded(menu)

    def submenu(self, menu: str, title: str) -> QMenu:
        """Return the submenu with this title of the menu with this key, see MENUS."""
        return self._submenus[menu, title]

    def show_page(self, page: str) -> None:
        """Check the page with this key and its item, and update which actions are available."""
        for key, action in self._items.items():
            action.setChecked(key == navigation_item_of(page).key)
        for key, action in self._pages.items():
            action.setChecked(key == page)
        self._actions.show_page(page)

    def groups(self) -> list[tuple[str, list[tuple[str, QAction]]]]:
        """Return the names and actions of each menu. Undo and Redo are listed without the name of
        an edit."""
        named = self._actions.named
        constant = {named["undo"]: UNDO, named["redo"]: REDO}
        groups = []
        for menu in self._bar.findChildren(QMenu):
            rows = [
                (plain(constant.get(action, action.text())), action)
                for action in menu.actions()
                if action.text() and not action.menu()
            ]
            groups.append((plain(menu.title()), rows))
        return groups

    def entries(self) -> list[tuple[str, QAction]]:
        """Return every action with its full name, such as «Theme: Dark» or «Go to Lab»."""
        palette = self._actions.named["command palette"]
        named = []
        for menu in self._bar.findChildren(QMenu):
            titled = isinstance(menu.parent(), QMenu) and menu not in self._untitled
            over = f"{plain(menu.title())}: " if titled else ""
            for action in menu.actions():
                if action.text() and not action.menu() and action is not palette:
                    name = plain(action.text())
                    if action in (*self._items.values(), *self._pages.values()):
                        name = tr("Go to {page}", page=name)
                    named.append((over + name, action))
        return named

    def is_of_page(self, action: QAction) -> bool:
        """Whether an action is limited to some pages."""
        return bool(self._actions.pages_of_action(action))

    def actions(self) -> list[QAction]:
        """Every action, in the order of the menus."""
        return [
            action
            for menu in self._bar.findChildren(QMenu)
            for action in menu.actions()
            if action.text()
        ]

    def _fill(self, menu: QMenu, key: str, name: str) -> None:
        """Fill a section of a menu from all tables."""
        place = f"{key}/{name}"
        if place == "go/pages":
            self._add_pages(menu)
        elif place == "view/theme":
            self._add_themes(menu)
        for table, target, page in self._tables:
            for section in table.sections:
                if section.place == place:
                    shown = self._menu_of(section, menu, key)
                    for row in section.rows:
                        if row:
                            do = partial(self._run, row.do, target, page if row.anywhere else "")
                            self._actions.add_row(shown, table, section, row, do, page)
                        else:
                            shown.addSeparator()

    def _menu_of(self, section: Section[Any], menu: QMenu, key: str) -> QMenu:
        if not section.submenu:
            return menu
        if (key, section.submenu) not in self._submenus:
            submenu = self._submenus[key, section.submenu] = menu.addMenu(section.submenu)
            if not section.titled:
                self._untitled.add(submenu)
        return self._submenus[key, section.submenu]

    def _run(self, do: Callable[[Any], object], target: Callable[[], Any], page: str) -> None:
        """Show a page, if any is named, and apply an action to its target."""
        if page:
            self._window.go_to(page)
        do(target())

    def _add_themes(self, view: QMenu) -> None:
        themes, group = view.addMenu(tr("&Theme")), QActionGroup(view)
        for choice, name in THEMES.items():
            choose = partial(self._window.choose_theme, choice)
            action = self._actions.add(themes, name, choose, library=False)
            action.setCheckable(True)
            action.setChecked(choice is self._theme)
            group.addAction(action)

    def _add_pages(self, go: QMenu) -> None:
        """Add the items, and below them the pages that an item does not always lead to."""
        for item in NAVIGATION_ITEMS:
            pages = pages_of(item.key)
            title = item.title if item.tabs else pages[0].title
            to_item = partial(self._window.go_to_item, item.key)
            self._items[item.key] = self._actions.add(go, title, to_item, item.keys)
        go.addSeparator()
        for spec in PAGES:
            if navigation_item_of(spec.key).tabs or spec is not pages_of(spec.item)[0]:
                to_page = partial(self._window.go_to, spec.key)
                self._pages[spec.key] = self._actions.add(go, spec.title, to_page, spec.keys)
        for action in (*self._items.values(), *self._pages.values()):
            action.setCheckable(True)


def native(action: QAction) -> str:
    """The shortcut of an action as the operating system displays it."""
    return action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)


def plain(text: str) -> str:
    """The text of a menu without its mnemonic and its ellipsis."""
    return text.replace("&", "").rstrip("…")
