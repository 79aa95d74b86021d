"""The menus of the window: every action with its shortcut."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar

from sciread_app.domain.clipboard_formats import CopyWhat
from sciread_app.language import tr
from sciread_app.ui.actions import ActionRegistry
from sciread_app.ui.app_context import Navigator
from sciread_app.ui.compare.actions import CompareActions
from sciread_app.ui.digest.actions import DigestActions
from sciread_app.ui.duplicates.actions import DuplicatesActions
from sciread_app.ui.evaluation.actions import EvaluationActions
from sciread_app.ui.library.actions import (
    ALL,
    BACK,
    EXPORT,
    ORGANIZE,
    PAPERS,
    STARS,
    VIEW,
    LibraryAction,
)
from sciread_app.ui.models.actions import ModelsActions
from sciread_app.ui.paper.copy_button import GROUPS, OTHER_STYLE
from sciread_app.ui.reader.actions import ReaderActions
from sciread_app.ui.recommendations.actions import RecommendationActions
from sciread_app.ui.search.actions import SearchActions
from sciread_app.ui.search.map_actions import MapActions
from sciread_app.ui.settings.actions import SettingsActions
from sciread_app.ui.shell.page_registry import PAGES, PLACES, pages_of, place_of
from sciread_app.ui.style.theme import ThemeChoice
from sciread_app.ui.training.actions import TrainingActions
from sciread_app.ui.widgets.rounded_popup import rounded

if TYPE_CHECKING:
    from sciread_app.ui.library.controller import LibraryController
    from sciread_app.ui.library.export import ExportController
    from sciread_app.ui.page import Page
    from sciread_app.ui.paper_list.paper_list import PaperList
    from sciread_app.ui.search.page import SearchPage
    from sciread_app.ui.shell.job_panel import JobPanel

StandardKey = QKeySequence.StandardKey
THEMES = {
    ThemeChoice.system: tr("System"),
    ThemeChoice.light: tr("Light"),
    ThemeChoice.dark: tr("Dark"),
}


class PageFollower(Protocol):
    """Actions that depend on what a page shows."""

    def follow(self, page: Any) -> None: ...


class WindowCommands(Navigator, Protocol):
    """The parts of the window that the menus use; the controllers exist once a library is open."""

    library_controller: LibraryController
    exports: ExportController
    job_panel: JobPanel
    is_sample: bool

    def go_to_place(self, place: str) -> None: ...

    def show_last_report(self) -> None: ...

    def close(self) -> bool: ...

    def find_here(self) -> None: ...

    def read_chosen(self) -> None: ...

    def save_notes(self) -> None: ...

    def save_copy(self) -> None: ...

    def show_palette(self) -> None: ...

    def go_to_paper(self) -> None: ...

    def next_pane(self) -> None: ...

    def show_shortcuts_of_page(self) -> None: ...

    def toggle_sample(self) -> None: ...

    def show_about(self) -> None: ...


class MenuBar:
    """Fills the menu bar of a window."""

    def __init__(
        self, window: WindowCommands, bar: QMenuBar, actions: ActionRegistry, theme: ThemeChoice
    ) -> None:
        self._bar = bar
        self._window = window
        self._actions = actions
        self._places: dict[str, QAction] = {}  # by the key of the place
        self._pages: dict[str, QAction] = {}  # by the key of the page
        self._untitled: set[QMenu] = set()  # submenus with entries that need no title
        # Translators: & precedes the letter that is pressed with Alt; it must be unique in its menu
        file, edit = bar.addMenu(tr("&File")), bar.addMenu(tr("&Edit"))
        view, papers = bar.addMenu(tr("&View")), bar.addMenu(tr("&Paper"))
        go, tools = bar.addMenu(tr("&Go")), bar.addMenu(tr("&Tools"))
        help = bar.addMenu(tr("&Help"))
        self.library_actions: dict[str, QAction] = {}  # by the name of the entry
        self.search = SearchActions(actions)
        read, add_file = self._fill_papers(papers)
        self.reader = ReaderActions(actions, read, add_file)
        self._fill_file(file)
        self._fill_edit(edit)
        self._fill_view(view, theme)
        self._fill_go(go)
        self.models = ModelsActions(actions, tools.addMenu(tr("&Models")))
        self.training = TrainingActions(actions, tools.addMenu(tr("&Training")))
        self.dashboard = EvaluationActions(actions, tools.addMenu(tr("&Evaluation")))
        compare = tools.addMenu(tr("&Compare models"))
        self.search.fill_compare(compare)
        self.compare = CompareActions(actions, compare)
        self._of_page: dict[str, Sequence[PageFollower]] = {
            "search": (self.search, self.map),
            "foryou": (self.discover,),
            "duplicates": (self.duplicates,),
            "models": (self.models,),
            "training": (self.training,),
            "dashboard": (self.dashboard,),
            "compare": (self.compare,),
        }
        syntax = tr("Search synta&x")
        self.search.of_page(help).add_anywhere(syntax, lambda page: page.search_box.show_syntax())
        shortcuts = window.show_shortcuts
        actions.add(help, tr("&Keyboard shortcuts"), shortcuts, StandardKey.HelpContents)
        actions.add(help, tr("S&hortcuts on this page"), window.show_shortcuts_of_page, "?")
        sample = tr("Close &sample library") if window.is_sample else tr("Open &sample library")
        actions.add(help, sample, window.toggle_sample)
        actions.add(help, tr("&About SciRead"), window.show_about)
        for menu in bar.findChildren(QMenu):
            rounded(menu)

    def follow(self, key: str, page: Page) -> None:
        """Let a page, now that it is built, decide which of its actions are available."""
        for actions in self._of_page.get(key, ()):
            actions.follow(page)

    def show_page(self, page: str) -> None:
        """Check the page with this key and its place, and update which actions are available."""
        for key, action in self._places.items():
            action.setChecked(key == place_of(page).key)
        for key, action in self._pages.items():
            action.setChecked(key == page)
        self._actions.show_page(page)

    def limit_shortcuts_to(self, papers: PaperList) -> None:
        """Limit the shortcuts of a single letter or digit to this list."""
        for entry in (*PAPERS, *STARS, ALL):
            action = self.library_actions[entry.name]
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            papers.addAction(action)

    def groups(self) -> list[tuple[str, list[tuple[str, QAction]]]]:
        """Return the names and actions of each menu. Undo and Redo are listed without the name of
        an edit."""
        constant = {self.library_actions[entry.name]: entry.text for entry in BACK}
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
        named = []
        for menu in self._bar.findChildren(QMenu):
            titled = isinstance(menu.parent(), QMenu) and menu not in self._untitled
            over = f"{plain(menu.title())}: " if titled else ""
            for action in menu.actions():
                if action.text() and not action.menu() and action is not self.palette:
                    name = plain(action.text())
                    if action in (*self._places.values(), *self._pages.values()):
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

    def _fill_file(self, file: QMenu) -> None:
        add, window = self._actions.add, self._window
        self.ways_to_add = file.addMenu(tr("&Add"))
        self._untitled.add(self.ways_to_add)
        self._fill_ways_to_add(self.ways_to_add)
        self.last_report = add(file, tr("&Last import report"), window.show_last_report)
        self._actions.set_why_not(self.last_report, tr("Available after an import"))
        file.addSeparator()
        self._add_entries(file, [EXPORT])
        papers = self.search.of_page(file)
        papers.add(tr("Export &notes of selected papers…"), lambda _: window.save_notes())
        copy = tr("Save annotated PDF of selected paper…")
        papers.add(copy, lambda _: window.save_copy())
        self.reader.fill_file(file)
        kept = tr("A&utomatic exports")
        add(file, kept, lambda: window.exports.list_auto_exports(), library=True)
        file.addSeparator()
        SettingsActions(self._actions, file)
        file.addSeparator()
        add(file, tr("&Quit"), window.close, "Ctrl+Q")

    def _fill_ways_to_add(self, menu: QMenu) -> None:
        """Fill the menu that File and the Add button of the navigation bar share."""
        add, window = self._actions.add, self._window
        add(menu, tr("Add by i&dentifier…"), window.add_by_identifier, library=True)
        add(menu, tr("&Import files…"), window.add_files, StandardKey.Open, library=True)
        add(menu, tr("Import &folder…"), window.add_folder, "Ctrl+Shift+O", library=True)
        add(menu, tr("Import from &Zotero"), window.import_zotero, library=True)
        add(menu, tr("&New query…"), window.new_query, library=True)
        menu.addSeparator()
        shown = tr("&Queries and imported files")
        add(menu, shown, lambda: window.go_to("intake"), library=True)

    def _fill_edit(self, edit: QMenu) -> None:
        self._add_entries(edit, BACK)
        edit.addSeparator()
        self._add_entries(edit, [ALL])
        page = self.search.of_page(edit)
        page.add(tr("&Copy citation"), lambda page: page.copy_chosen(), "Ctrl+Shift+C")
        self._add_copying(edit.addMenu(tr("Copy a&s")))
        edit.addSeparator()
        self.reader.fill_edit(edit)
        highlight = edit.addMenu(tr("&Highlight"))
        self.reader.fill_highlight(highlight)
        self._untitled.add(highlight)
        edit.addSeparator()
        self._actions.add(edit, tr("&Find"), self._window.find_here, StandardKey.Find, library=True)
        self.reader.fill_find(edit)
        self.search.fill_edit(edit)

    def _fill_papers(self, papers: QMenu) -> tuple[QAction, QAction]:
        """Return the actions that open and that add the PDF of the selected paper."""
        window, add = self._window, self.search.of_page(papers).add
        add(tr("&Open paper"), lambda page: page.open_paper(), "Ctrl+Return")
        read = add(tr("Read &PDF"), lambda _: window.read_chosen(), "Ctrl+Shift+Return")
        add(tr("&Write note"), lambda page: page.details.write_note(), StandardKey.New)
        add_file = add(tr("Attach &file…"), lambda page: page.details.add_file())
        add(tr("Fetch c&itations"), lambda page: page.details.fetch_citations())
        papers.addSeparator()
        self.search.fill_papers(papers)
        papers.addSeparator()
        self._add_entries(papers, PAPERS)
        self.rate = papers.addMenu(tr("&Rate"))
        self._add_entries(self.rate, STARS)
        papers.addSeparator()
        self._add_entries(papers, ORGANIZE)
        papers.addSeparator()
        self.duplicates = DuplicatesActions(self._actions, papers.addMenu(tr("Mer&ge and split")))
        recommendations = papers.addMenu(tr("Di&scover"))
        self.discover = RecommendationActions(self._actions, recommendations)
        recommendations.addSeparator()
        DigestActions(self._actions, recommendations)
        return read, add_file

    def _fill_view(self, view: QMenu, theme: ThemeChoice) -> None:
        add, window = self._actions.add, self._window
        self._add_entries(view, VIEW)
        page = self.search.of_page(view)
        page.add(tr("&Details"), lambda page: page.toggle_details(), "Ctrl+I")
        view.addSeparator()
        self.search.fill_view(view)
        self.map = MapActions(self._actions, view.addMenu(tr("&Map")))
        reader = view.addMenu(tr("&Reader"))
        self.reader.fill_view(reader)
        self._untitled.add(reader)
        view.addSeparator()
        self.palette = add(view, tr("&Command palette"), window.show_palette, "Ctrl+K")
        self.activity = add(view, tr("&Activity"), window.job_panel.toggle, "Ctrl+J")
        add(view, tr("&Next pane"), window.next_pane, "F6")
        themes, group = view.addMenu(tr("&Theme")), QActionGroup(view)
        for choice, name in THEMES.items():
            action = add(themes, name, partial(window.choose_theme, choice))
            action.setCheckable(True)
            action.setChecked(choice is theme)
            group.addAction(action)

    def _fill_go(self, go: QMenu) -> None:
        """Add the places, below them the pages that a place does not always lead to, and papers."""
        for place in PLACES:
            pages = pages_of(place.key)
            title = place.title if place.tabs else pages[0].title
            to_place = partial(self._window.go_to_place, place.key)
            self._places[place.key] = self._add_goal(go, title, to_place, place.keys)
        go.addSeparator()
        for spec in PAGES:
            if place_of(spec.key).tabs or spec is not pages_of(spec.place)[0]:
                to_page = partial(self._window.go_to, spec.key)
                self._pages[spec.key] = self._add_goal(go, spec.title, to_page, spec.keys)
        go.addSeparator()
        self._actions.add(go, tr("Go to p&aper…"), self._window.go_to_paper, "Ctrl+P", library=True)
        self.search.fill_go(go)
        go.addSeparator()
        self.reader.fill_go(go)

    def _add_goal(self, go: QMenu, title: str, do: Callable[[], object], keys: str) -> QAction:
        action = self._actions.add(go, title, do, keys, library=True)
        action.setCheckable(True)
        return action

    def _add_entries(self, menu: QMenu, wanted: Sequence[LibraryAction]) -> None:
        for entry in wanted:
            self.library_actions[entry.name] = self._actions.add(
                menu,
                entry.text,
                partial(self._do, entry),
                entry.keys,
                library=True,
                pages=() if entry in BACK else ("search",),
                unavailable_text=tr("Available on the Library page"),
            )

    def _do(self, entry: LibraryAction) -> None:
        entry.do(self._window.library_controller)

    def _add_copying(self, menu: QMenu) -> None:
        page = self.search.of_page(menu)
        for group in GROUPS:
            menu.addSeparator()
            for what, name in group:
                page.add(name, partial(_copy_as, what))
        menu.addSeparator()
        page.add(OTHER_STYLE, lambda page: page.choose_style())


def _copy_as(what: CopyWhat, page: SearchPage) -> None:
    page.copy_chosen(what)


def native(action: QAction) -> str:
    """The shortcut of an action as the operating system displays it."""
    return action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)


def plain(text: str) -> str:
    """The text of a menu without its mnemonic and its ellipsis."""
    return text.replace("&", "").rstrip("…")
