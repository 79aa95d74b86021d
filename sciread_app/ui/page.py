"""The base class of the pages of the main window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from sciread_app.domain.paper import LibraryChanges, PaperId


class Page(QWidget):
    """A page; each overrides the methods it needs."""

    shown = Signal()  # the contents have changed, and with them which actions are available

    def refresh(self) -> None:
        """Update the contents; called before the page is shown."""

    def take_focus(self) -> None:
        self.setFocus()

    def window_closes(self) -> None:
        """Save what must be kept; called before the window closes, and must be short."""

    def find_here(self) -> bool:
        """Start a search in the contents of the page; False if it has none."""
        return False

    def panes(self) -> Sequence[QWidget]:
        """The parts of the page in the order of F6."""
        return (self,)

    def chosen(self) -> Sequence[PaperId]:
        """The selected papers, which commands apply to."""
        return ()

    def why_not(self, verb: str) -> str:
        """The reason why an action is unavailable for what is shown; empty if it is available."""
        return ""

    def library_changed(self, changes: LibraryChanges) -> None:
        """Handle a change of the library, whether or not the page is shown."""


class PageSpec(NamedTuple):
    """An entry of the page registry. `keys` is the shortcut of the page, `what` its description;
    `module` is where it is defined below sciread_app.ui, and `build` makes it and connects it."""

    key: str
    title: str
    icon: str
    keys: str
    what: str
    module: str
    build: Callable[..., Page]
