"""The parts of the main window that features use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject, QSettings, Signal

from sciread_app.ui.jobs.runner import JobRunner
from sciread_app.ui.page import Page
from sciread_app.ui.style.theme import Appearance
from sciread_app.ui.widgets.messages.message_bar import MessageBar


class LibraryEvents(QObject):
    """Signals about the library that is open."""

    opened = Signal()
    library_changed = Signal(object)  # LibraryChanges
    edited = Signal()  # an edit that can be undone and that no list of papers shows


class Navigator(Protocol):
    """Opens pages by their keys, and papers on them."""

    def go_to(self, place: str) -> None: ...

    def other_page(self, place: str) -> Page:
        """The page with this key, which is built when it is first requested."""
        ...

    def shows(self, place: str) -> bool: ...

    def show_busy(self, place: str, busy: bool) -> None:
        """Mark a page in the navigation bar as busy."""
        ...

    def find_like(self, source: Sequence[Path] | str) -> None:
        """Search for papers similar to those in files, or to a text."""
        ...

    def show_chosen_on_map(self) -> None: ...

    def show_found_on_map(self) -> None: ...


@dataclass(frozen=True)
class AppContext:
    """The environment of a feature. `open_settings` returns the settings of the window, which are
    kept between sessions."""

    jobs: JobRunner
    appearance: Appearance
    navigate: Navigator
    messages: MessageBar
    events: LibraryEvents
    open_settings: Callable[[], QSettings]
