"""The parts of the main window that features use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from sciread_app.domain.paper import PaperId
from sciread_app.ui.activation_controller import ActivationController
from sciread_app.ui.followed_topics import FollowedTopics
from sciread_app.ui.jobs.runner import JobRunner
from sciread_app.ui.jobs.saved_state import SavedState
from sciread_app.ui.page import Page
from sciread_app.ui.style.theme import Appearance, ThemeChoice
from sciread_app.ui.widgets.messages.message_bar import MessageBar
from sciread_app.ui.widgets.messages.toast import Toast

P = TypeVar("P", bound=Page)


class AppEvents(QObject):
    """Signals about the open library and the window."""

    opened = Signal()
    modules_loaded = Signal()  # of all pages
    library_changed = Signal(object)  # LibraryChanges
    papers_added = Signal(object)  # LibraryChanges, with papers that the model has to index
    watched_folders_edited = Signal()  # added, removed, or to be scanned now
    folders_scanned = Signal()  # watched ones
    edited = Signal()  # an edit that can be undone and that no list of papers shows
    theme_selected = Signal(object)  # ThemeChoice
    citation_style_selected = Signal()  # the default style
    restart_requested = Signal()  # of the program, for settings that are read at its start
    reopen_requested = Signal(object)  # Reopening: work that needs a closed library
    # The home folder of another library to open, and a function that is then called with its window
    library_requested = Signal(object, object)


class Navigator(Protocol):
    """Opens pages by their keys, and papers on them."""

    def go_to(self, key: str) -> None: ...

    def page_of(self, page_class: type[P]) -> P:
        """Return the page of this class, which is built when it is first requested."""
        ...

    def shows(self, key: str) -> bool: ...

    def show_busy(self, key: str, busy: bool) -> None:
        """Mark a page and its place in the navigation bar as busy."""
        ...

    def compare_results(self) -> None:
        """Show the results of two models, for the query of the search page if it is shown."""
        ...

    def find_like(self, source: Sequence[Path] | str) -> None:
        """Search for papers similar to those in files, or to a text."""
        ...

    def search_for(self, query: str) -> None: ...

    def show_papers(self, papers: Sequence[PaperId], title: str) -> None:
        """List these papers on the search page."""
        ...

    def open_paper(self, paper: PaperId, title: str) -> None:
        """List one paper on the search page, and show its details there as a page."""
        ...

    def show_similar(self, papers: Sequence[PaperId]) -> None: ...

    def read(self, paper: PaperId, path: Path) -> None:
        """Show a file of a paper in the reader."""
        ...

    def show_shortcuts(self) -> None:
        """Show the keyboard shortcuts of all actions, to find, run or change them."""
        ...

    def show_on_map(self, papers: Sequence[PaperId], title: str = ...) -> None:
        """List these papers on the search page, and show them there on the map."""
        ...

    def compare_model(self, model: str) -> None:
        """Compare a model with the active one on the Compare page."""
        ...

    def evaluate_model(self, space: str) -> None:
        """Show the scores of a vector space on the evaluation page, or offer to measure them."""
        ...

    def add_by_identifier(self, identifier: str = "") -> None:
        """Look up the paper with this identifier and add it; without one, ask for an identifier or
        a title first."""
        ...

    def add_files(self) -> None: ...

    def add_folder(self, *, watch: bool = False) -> None:
        """Import a folder, and keep watching it if `watch` is set."""
        ...

    def show_imports(self) -> None:
        """Show the history of imports."""
        ...

    def import_zotero(self) -> None: ...

    def new_query(self) -> None:
        """Show the form for a query to an online source."""
        ...

    def refresh_query(self, query: int) -> None:
        """Fetch the new papers of a stored query in the background."""
        ...

    def open_sample(self) -> None:
        """Open the sample library in place of the user's own."""
        ...

    def choose_theme(self, choice: ThemeChoice) -> None: ...


class Edits(Protocol):
    """Runs edits in the background; implemented by `EditQueue`."""

    def submit(self, title: str, *steps: Callable[..., Any], done: str = "") -> None: ...


@dataclass(frozen=True)
class AppContext:
    """The environment of a page or another feature, once the library is open. `actions` are those
    of the menus that have a name, see `ActionRegistry.named`; `open_settings` returns the settings
    of the window, which are kept between sessions; `pages` is the parent of the pages."""

    jobs: JobRunner
    appearance: Appearance
    navigate: Navigator
    messages: MessageBar
    toast: Toast
    events: AppEvents
    edits: Edits
    activation: ActivationController
    topics: FollowedTopics
    actions: Mapping[str, QAction]
    open_settings: Callable[[], SavedState]
    pages: QWidget | None = None
