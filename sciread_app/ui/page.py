"""The base class of the pages of the main window."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from sciread_app.domain.paper import LibraryChanges, PaperId


@dataclass(frozen=True, eq=False)
class PaletteEntry:
    """An entry of the command palette. `key` identifies it between sessions; `unavailable_reason`
    is empty if it is available; `of_page`: whether it acts on the page that is shown."""

    key: str
    title: str
    kind: str
    do: Callable[[], object]
    keys: str = ""
    unavailable_reason: str = ""
    of_page: bool = False


class Page(QWidget):
    """A page; each overrides the methods it needs. It is built with its services and the
    `AppContext`, by which it shows messages, edits papers and leads to other pages."""

    actions_changed = Signal()  # `unavailable_reason` has changed

    def __init__(self, parent: QWidget | None = None) -> None:
        """`parent` is the stack of pages, `AppContext.pages`. A widget that gets its parent later
        is styled once more, with all its children."""
        super().__init__(parent)

    def refresh(self) -> None:
        """Update the contents; called before the page is shown."""

    def build_rest(self) -> None:
        """Build the parts that the constructor left out because they take as long as the rest;
        called some time after it if the page is not visited before (see PagePreloader)."""

    def take_focus(self) -> None:
        self.setFocus()

    def window_closes(self) -> bool:
        """Save what must be kept; called before the window closes, and must be short. Return False
        if something would be lost."""
        return True

    def find_here(self) -> bool:
        """Start a search in the contents of the page; False if it has none."""
        return False

    def shortcut_widget(self) -> QWidget:
        """The widget in which the keys of actions work that are not those of the window."""
        return self

    def panes(self) -> Sequence[QWidget]:
        """The parts of the page in the order of F6."""
        return (self,)

    def selected(self) -> Sequence[PaperId]:
        """The selected papers, which commands apply to."""
        return ()

    def palette_entries(self) -> Sequence[PaletteEntry]:
        """Further entries of the command palette."""
        return ()

    def unavailable_reason(self, action: str) -> str:
        """The reason why an action is unavailable for what is shown; empty if it is available."""
        return ""

    def library_changed(self, changes: LibraryChanges) -> None:
        """Handle a change of the library, whether or not the page is shown."""


class NavigationGroup(enum.Enum):
    """A part of the navigation bar, from top to bottom."""

    papers = "papers"
    add = "add"
    tools = "tools"  # below a line
    window = "window"  # at the bottom


class NavigationItem(NamedTuple):
    """An entry of the navigation bar, which leads to one page or several. `keys` is its shortcut,
    `what` its description. With `tabs`, each of its pages has a tab above the page."""

    key: str
    title: str
    icon: str
    keys: str
    what: str
    group: NavigationGroup = NavigationGroup.papers
    tabs: bool = False


class PageSpec(NamedTuple):
    """An entry of the table of pages. `item` is the key of its navigation item, `keys` its own
    shortcut, if any. `page` is its class, as "module:class" below sciread_app.ui, `services` the
    attributes of `WindowGateway` that it is built with, separated by spaces, and `actions` the
    module with its table `ACTIONS`, if any."""

    key: str
    item: str
    title: str
    page: str
    services: str
    keys: str = ""
    actions: str = ""
