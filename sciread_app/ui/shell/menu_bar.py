"""The menus: every verb of the window with its key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu

from sciread_app.domain.clipboard_formats import CopyWhat
from sciread_app.language import tr
from sciread_app.ui.duplicates.actions import DuplicatesActions
from sciread_app.ui.evaluation.actions import EvaluationActions
from sciread_app.ui.library.actions import BACK, PAPERS, SHELF, STARS, VIEW, LibraryAction
from sciread_app.ui.map.actions import MapActions
from sciread_app.ui.models.actions import ModelsActions
from sciread_app.ui.paper.copy_button import GROUPS, OTHER_STYLE
from sciread_app.ui.reader.actions import ReaderActions
from sciread_app.ui.recommendations.actions import RecommendationActions
from sciread_app.ui.search.actions import SearchActions
from sciread_app.ui.style.theme import ThemeChoice
from sciread_app.ui.training.actions import TrainingActions

if TYPE_CHECKING:
    from sciread_app.ui.library.export import ExportController
    from sciread_app.ui.page import PageSpec
    from sciread_app.ui.paper_list.paper_list import PaperList
    from sciread_app.ui.search.page import SearchPage
    from sciread_app.ui.shell.main_window import MainWindow

Keys = QKeySequence.StandardKey
THEMES = {
    ThemeChoice.system: tr("Like the system"),
    ThemeChoice.light: tr("Light"),
    ThemeChoice.dark: tr("Dark"),
}


class MenuBar:
    """Builds the menus of a window. What needs a library is disabled until `library_opened`."""

    def __init__(self, window: MainWindow, pages: Sequence[PageSpec]) -> None:
        self._window = window
        self._pages = pages
        context = window.context
        self._ready = False
        self._need_library: list[QAction] = []
        self._need_search_page: list[QAction] = []
        self._places: dict[str, QAction] = {}
        bar = window.menuBar()
        # Translators: & stands before the letter that is pressed with Alt, one of its own in a menu
        file, edit = bar.addMenu(tr("&File")), bar.addMenu(tr("&Edit"))
        papers, search = bar.addMenu(tr("&Papers")), bar.addMenu(tr("&Search"))
        view, reader = bar.addMenu(tr("&View")), bar.addMenu(tr("&Reader"))
        models, help = bar.addMenu(tr("&Models")), bar.addMenu(tr("&Help"))
        self.on_shelf: dict[str, QAction] = {}  # by the name of the verb
        self._fill_file(file)
        self._fill_edit(edit)
        self._fill_papers(papers)
        self._fill_view(view)
        self._fill_reader(reader)
        self.search = SearchActions(context, search)
        self.reader = ReaderActions(context, reader, self.read, self.add_file)
        self.models = ModelsActions(context, models)
        self.training = TrainingActions(context, models.addMenu(tr("&Training")))
        self.dashboard = EvaluationActions(context, models.addMenu(tr("&Scores")))
        self.foryou = RecommendationActions(context, papers.addMenu(tr("Recommendation&s")))
        self._action(help, tr("&Keyboard shortcuts"), Keys.HelpContents, window.show_keys)
        self._action(help, tr("&About SciRead"), "", window.show_about)

    def library_opened(self) -> None:
        self._ready = True
        for action in self._need_library:
            action.setEnabled(True)
        self.models.library_opened()
        self.training.library_opened()
        self.dashboard.library_opened()

    def show_place(self, place: str) -> None:
        """What is done to the paper that is read can be done where it is seen."""
        self._places[place].setChecked(True)
        for action in self._need_search_page:
            action.setEnabled(place == "search")
        self.search.show_place(place)
        self.reader.show_place(place)
        self.models.show_place(place)
        self.training.show_place(place)
        self.duplicates.show_place(place)
        self.foryou.show_place(place)
        self.map.show_place(place)

    def live_on(self, hits: PaperList) -> None:
        """Letters and digits are shortcuts in this list only: elsewhere they are typed."""
        for verb in (*PAPERS, *STARS):
            action = self.on_shelf[verb.name]
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            hits.addAction(action)

    def keys(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """What has a key, by menu. Undo and Redo stand there without the edit that they are for."""
        constant = {self.on_shelf[verb.name]: verb.text for verb in BACK}
        groups = []
        for menu in self._window.menuBar().findChildren(QMenu):
            rows = [
                (plain(constant.get(action, action.text())), native(action))
                for action in menu.actions()
                if not action.shortcut().isEmpty()
            ]
            if rows:
                groups.append((plain(menu.title()), rows))
        return groups

    def verbs(self) -> list[tuple[str, QAction]]:
        """Every verb with its full name: «Theme: Dark», «Go to Intake»."""
        menus = self._window.menuBar().findChildren(QMenu)
        named = []
        for menu in menus:
            over = plain(menu.title()) if isinstance(menu.parent(), QMenu) else ""
            for action in menu.actions():
                if action.text() and not action.menu() and action is not self.palette:
                    name = plain(action.text())
                    name = (
                        tr("Go to {page}", page=name) if action in self._places.values() else name
                    )
                    named.append((f"{over}: {name}" if over else name, action))
        return named

    def why_not(self, action: QAction) -> str:
        """Why an action that is disabled cannot be done just now. Whoever disables one for a
        reason of his own sets its property «why_not»."""
        if reason := action.property("why_not"):
            return str(reason)
        if action in self._need_search_page and self._ready:
            return tr("On the search page")
        if action in self._need_library and not self._ready:
            return tr("Once the library is open")
        return tr("After an import") if action is self.ledger else tr("Not just now")

    def actions(self) -> list[QAction]:
        """Every verb, in the order of the menus."""
        menus = self._window.menuBar().findChildren(QMenu)
        return [action for menu in menus for action in menu.actions() if action.text()]

    def _fill_file(self, file: QMenu) -> None:
        window = self._window
        self._in_library(file, tr("&Add files…"), Keys.Open, window.add_files)
        self._in_library(file, tr("Add a &folder…"), "Ctrl+Shift+O", window.add_folder)
        self._exchange(
            file, tr("Bring papers from &Zotero"), lambda exchange: exchange.import_zotero()
        )
        self._exchange(
            file, tr("Collections &kept as files"), lambda exchange: exchange.list_auto_exports()
        )
        self.ledger = self._action(file, tr("&Last import…"), "", window.show_last_ledger)
        self.ledger.setEnabled(False)
        file.addSeparator()
        self._action(file, tr("&Quit"), "Ctrl+Q", window.close)

    def _fill_edit(self, edit: QMenu) -> None:
        self._add_verbs(edit, BACK)
        edit.addSeparator()
        self._in_library(edit, tr("&Find"), Keys.Find, self._window.find_here)
        self._on_page(edit, tr("&Copy citation"), "Ctrl+Shift+C", lambda page: page.copy_chosen())
        self._add_copying(edit.addMenu(tr("Copy &as")))

    def _fill_papers(self, papers: QMenu) -> None:
        self._add_verbs(papers, PAPERS)
        self.rate = papers.addMenu(tr("&Rate"))
        self._add_verbs(self.rate, STARS)
        papers.addSeparator()
        self._add_verbs(papers, SHELF)
        papers.addSeparator()
        self._on_page(papers, tr("&Open the paper"), "Ctrl+Return", lambda page: page.open_paper())
        self._on_page(papers, tr("&Write a note"), Keys.New, lambda page: page.details.write_note())
        self.add_file = self._on_page(
            papers, tr("Add a &file to the paper…"), "", lambda page: page.details.add_file()
        )
        self._on_page(papers, tr("Fetch c&itations of the paper"), "", lambda p: p.details.ask())
        papers.addSeparator()
        self.duplicates = DuplicatesActions(papers.addMenu(tr("Merge and s&plit")))

    def _fill_view(self, view: QMenu) -> None:
        window = self._window
        self._add_places(view)
        view.addSeparator()
        self._add_verbs(view, VIEW)
        self._on_page(view, tr("Bac&k"), Keys.Back, lambda page: page.back())
        self._on_page(view, tr("&Details"), "Ctrl+I", lambda page: page.toggle_details())
        view.addSeparator()
        self.palette = self._action(view, tr("&Commands…"), "Ctrl+K", window.show_palette)
        self._action(view, tr("&Work in the background"), "Ctrl+J", window.toggle_work)
        self._action(view, tr("&Next pane"), "F6", window.next_pane)
        self.map = MapActions(window.context, view.addMenu(tr("&Map")))
        self._add_themes(view.addMenu(tr("&Theme")))

    def _fill_reader(self, reader: QMenu) -> None:
        window = self._window
        self.read = self._on_page(
            reader, tr("Read the &PDF"), "Ctrl+Shift+Return", lambda _: window.read_chosen()
        )
        self._on_page(reader, tr("Save notes on chosen papers…"), "", lambda _: window.save_notes())

    def _action(
        self, menu: QMenu, text: str, keys: str | Keys, do: Callable[[], object]
    ) -> QAction:
        action = QAction(text, self._window)
        action.setShortcut(QKeySequence(keys))
        action.triggered.connect(lambda: do())
        menu.addAction(action)
        return action

    def _in_library(
        self, menu: QMenu, text: str, keys: str | Keys, do: Callable[[], object]
    ) -> QAction:
        action = self._action(menu, text, keys, do)
        action.setEnabled(False)
        self._need_library.append(action)
        return action

    def _on_page(
        self, menu: QMenu, text: str, keys: str | Keys, do: Callable[[SearchPage], object]
    ) -> QAction:
        action = self._in_library(
            menu, text, keys, lambda: self._window.page and do(self._window.page)
        )
        self._need_search_page.append(action)
        return action

    def _add_verbs(self, menu: QMenu, wanted: Sequence[LibraryAction]) -> None:
        def do(verb: LibraryAction) -> None:
            if self._window.shelving:
                verb.do(self._window.shelving)

        for verb in wanted:
            action = self._in_library(menu, verb.text, verb.keys, partial(do, verb))
            self.on_shelf[verb.name] = action
            if verb not in BACK:
                self._need_search_page.append(action)

    def _exchange(self, menu: QMenu, text: str, do: Callable[[ExportController], object]) -> None:
        window = self._window
        self._in_library(menu, text, "", lambda: window.exchange and do(window.exchange))

    def _add_places(self, menu: QMenu) -> None:
        group = QActionGroup(self._window)
        for place in self._pages:
            action = self._in_library(
                menu, place.title, place.keys, partial(self._window.go_to, place.key)
            )
            action.setCheckable(True)
            group.addAction(action)
            self._places[place.key] = action

    def _add_copying(self, menu: QMenu) -> None:
        for group in GROUPS:
            menu.addSeparator()
            for what, name in group:
                self._on_page(menu, name, "", partial(_copy_as, what))
        menu.addSeparator()
        self._on_page(menu, OTHER_STYLE, "", lambda page: page.choose_style())

    def _add_themes(self, menu: QMenu) -> None:
        group = QActionGroup(self._window)
        for choice, name in THEMES.items():
            action = self._action(menu, name, "", partial(self._window.choose_theme, choice))
            action.setCheckable(True)
            action.setChecked(choice is self._window.appearance.choice)
            group.addAction(action)


def _copy_as(what: CopyWhat, page: SearchPage) -> None:
    page.copy_chosen(what)


def native(action: QAction) -> str:
    """The key of an action, as this system writes it."""
    return action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)


def plain(text: str) -> str:
    """The text of a menu without the mark of its letter."""
    return text.replace("&", "").rstrip("…")
