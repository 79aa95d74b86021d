"""The main window: its pages, the methods behind its menus, and its background tasks."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QCloseEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QMainWindow, QPushButton

from sciread_app.domain.metadata.identifiers import identifier_link, pasted_identifier
from sciread_app.domain.paper import LibraryChanges, PaperId
from sciread_app.language import tr, trn
from sciread_app.paths import Home
from sciread_app.ui.actions import ActionRegistry
from sciread_app.ui.activation_controller import ActivationController
from sciread_app.ui.add_papers.imports.controller import (
    ImportController,
    report_import,
    report_stopped,
)
from sciread_app.ui.add_papers.imports.report import ImportReportDialog
from sciread_app.ui.app_context import AppContext, AppEvents
from sciread_app.ui.followed_topics import FollowedTopics
from sciread_app.ui.jobs.runner import Job, JobError, JobQueue, JobRunner
from sciread_app.ui.jobs.saved_state import SavedState
from sciread_app.ui.library.actions import RATE
from sciread_app.ui.library.edit_queue import EditQueue
from sciread_app.ui.library.export import ExportController
from sciread_app.ui.page import Page
from sciread_app.ui.search.page import SearchPage
from sciread_app.ui.search.view_mode import ViewMode
from sciread_app.ui.shell.commands.command_palette_entries import PaletteSource
from sciread_app.ui.shell.commands.custom_shortcuts import CustomShortcuts
from sciread_app.ui.shell.commands.menu_bar import MenuBar
from sciread_app.ui.shell.commands.shortcuts_dialog import ALL, ON_PAGE, ShortcutsDialog
from sciread_app.ui.shell.commands.undo_actions import UndoMenu
from sciread_app.ui.shell.commands.window_actions import ADD
from sciread_app.ui.shell.dialogs import about_dialog
from sciread_app.ui.shell.drop_zone import DropZone
from sciread_app.ui.shell.job_history import JobHistory
from sciread_app.ui.shell.main_layout import MainLayout
from sciread_app.ui.shell.page_registry import build, key_of, prepare
from sciread_app.ui.shell.type_ahead import LoadingKeys, TypeAhead
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, ThemeChoice
from sciread_app.ui.view_models import ImportSummary, PaletteTarget
from sciread_app.ui.widgets.build_queue import BuildQueue
from sciread_app.ui.widgets.dialogs.confirmation import confirm
from sciread_app.ui.widgets.dialogs.file_dialogs import DialogPurpose, choose_folder, open_files
from sciread_app.ui.widgets.focus import EnterKeyFilter, next_pane
from sciread_app.ui.widgets.layout.boxes import row
from sciread_app.ui.widgets.messages.toast import Toast

if TYPE_CHECKING:
    from sciread_app.ui.add_papers.imports.identifier_dialog import IdentifierDialog
    from sciread_app.ui.add_papers.page import AddPapersPage
    from sciread_app.ui.library.controller import LibraryController
    from sciread_app.ui.reader.page import ReaderPage
    from sciread_app.ui.search.compare_page import ComparePage
    from sciread_app.ui.shell.commands.command_palette import CommandPalette
    from sciread_app.ui.shell.commands.paper_popup import PaperPopup
    from sciread_app.ui.shell.gateway import WindowGateway
    from sciread_app.ui.shell.job_panel import JobPanel

P = TypeVar("P", bound=Page)
FIRST_SIZE = (1240, 800)
LONGEST_IDENTIFIER = 500  # characters, also of a link
PAPER_FILES = (
    tr("Papers") + " (*.bib *.ris *.json *.xml *.nbib *.jsonl *.gz *.pdf *.txt *.enw *.ciw *.isi"
    " *.csv *.tsv *.rdf *.mods);;"
    "BibTeX (*.bib);;RIS (*.ris);;EndNote (*.enw *.xml);;Web of Science (*.ciw *.isi *.txt);;"
    "Scopus (*.csv);;Zotero (*.rdf *.csv);;MODS (*.mods *.xml);;PDF (*.pdf);;"
    + tr("All files")
    + " (*)"
)


class MainWindow(QMainWindow):
    """The main window. It is shown at once; `open` shows a library in it."""

    # Set by `open`
    gateway: WindowGateway
    context: AppContext
    page: SearchPage
    importing: ImportController
    library_controller: LibraryController
    exports: ExportController
    activation: ActivationController

    def __init__(self, home: Path, jobs: JobRunner, appearance: Appearance) -> None:
        super().__init__()
        self._home = home
        self.is_sample = Home(home).is_sample
        self._jobs = jobs
        self._state = SavedState(home / "window.ini", jobs, self)
        # The part of it that the sample library shares with the user's own.
        self._shared_state = (
            SavedState(Home(home).owner.folder / "window.ini", jobs, self)
            if self.is_sample
            else self._state
        )
        self.appearance = appearance
        self._last_summary: ImportSummary | None = None
        self._page_of: dict[str, Page] = {}  # those in use, by key
        self._preloaded: dict[str, Page] = {}  # built, but not requested so far
        self.events = AppEvents(self)
        self._opened = False  # there is a library
        self._ready = False  # it is shown
        self._opening = BuildQueue(self)
        self._type_ahead = TypeAhead()
        self._loading_keys = LoadingKeys(jobs, self)
        self._palette: CommandPalette | None = None  # created when first opened
        self._loses_text = False  # the user has accepted to lose a text that cannot be saved
        self._lookup: IdentifierDialog | None = None  # created when first opened
        self._papers: PaperPopup | None = None  # likewise
        self.work_log = JobHistory(jobs, self)
        self.setWindowTitle("SciRead")
        self.setWindowIcon(icon("sciread", large=True))
        self._build()
        self._actions = ActionRegistry()
        self.actions_by_name = self._actions.named
        self.menus = MenuBar(self, self.menuBar(), self._actions, appearance.choice)
        self.navigation_bar.set_add_menu(self.menus.submenu("file", ADD))
        palette = (tr("Command palette"), self.actions_by_name["command palette"])
        named = [*self.menus.entries(), palette]
        self.shortcuts = CustomShortcuts(named, self._actions, self._shared_state, self)
        self.palette_source = PaletteSource(
            self.menus, self.search_for, self._palette_targets, self.memory()
        )
        self.events.papers_added.connect(self.index_new_papers)
        EnterKeyFilter(self)
        self._restore()
        jobs.failed.connect(self._failed)

    def open(self, gateway: WindowGateway, *, sample: bool = False) -> None:
        """Show this library once all parts of its page are built, one in each pass of the event
        loop. With `sample`, fill it with the sample first."""
        self.gateway = gateway
        self._edits = EditQueue(gateway.workspace.editor, self._jobs)
        self.activation = ActivationController(
            gateway.workspace.active_model, self._jobs, self.messages, self
        )
        topics = FollowedTopics(gateway.recommendations, self._jobs, self.memory, self)
        once = tr("A paper that is new in several topics counts once.")
        topics.total_changed.connect(partial(self._navigation.show_count, "foryou", once))
        self.context = AppContext(
            jobs=self._jobs,
            appearance=self.appearance,
            navigate=self,
            messages=self.messages,
            toast=Toast(self._frame, self.appearance),
            events=self.events,
            edits=self._edits,
            activation=self.activation,
            topics=topics,
            actions=self.actions_by_name,
            open_settings=self.memory,
            pages=self._pages,
        )
        self.importing = ImportController(gateway.workspace, self._jobs, self)
        self.importing.changed.connect(self.events.library_changed)
        self.importing.ended.connect(self._imported)
        self.importing.stopped.connect(partial(report_stopped, self.messages))
        self.events.library_changed.connect(self._library_changed)
        self.activation.changed.connect(self.index_new_papers)
        self.events.opened.connect(self.activation.start)
        self._opening.start(
            [
                self._open_search_page,
                lambda: self.page.build_rest(),
                self._open_library_tree,
                self._fill_with_sample if sample else self._begin,
            ]
        )

    @property
    def is_open(self) -> bool:
        """Whether there is a library that may be looked at."""
        return self._ready

    @property
    def is_opening(self) -> bool:
        """Whether parts of the page of a library are still to be built."""
        return self._opening.is_active

    def wait_for(self, what: str) -> None:
        """Show the work that is done before the library can be opened."""
        self._loading_page.show_message(
            "papers", what, tr("A large library can take several minutes.")
        )

    def wait_in_place_of_library(self, what: str) -> None:
        """Show this while the tasks of the library end. It is painted at once, since the event loop
        has ended."""
        self.wait_for(what)
        self._pages.setCurrentWidget(self._loading_page)
        self.navigation_bar.enable_places(False)
        self.repaint()

    def go_to(self, key: str) -> None:
        """Show the page with this key, see PAGES."""
        if not self._ready:
            return
        first, others = key not in self._page_of, self._jobs.running()
        page = self.other_page(key)
        self._pages.setCurrentWidget(page)
        self._navigation.show_page(key)
        self.menus.show_page(key)
        page.refresh()
        page.take_focus()
        if first:
            self._loading_keys.hold(page, others)
        else:
            self._loading_keys.drop()

    def go_to_item(self, item: str) -> None:
        """Show the page of the item with this key that was shown last, see NAVIGATION_ITEMS."""
        self.go_to(self._navigation.page_of(item))

    def other_page(self, key: str) -> Page:
        """The page with this key, built when it is first requested unless it is preloaded."""
        if key not in self._page_of:
            self._pages.addWidget(self._add_page(key))
        return self._page_of[key]

    def page_of(self, page_class: type[P]) -> P:
        """Return the page of this class, built when it is first requested unless it is
        preloaded."""
        page = self.other_page(key_of(page_class))
        assert isinstance(page, page_class)
        return page

    def preload(self, key: str) -> Page | None:
        """Build the page with this key before it is requested; None if it is in use already."""
        if key in self._page_of:
            return None
        if key not in self._preloaded:
            self._preloaded[key] = build(key, self.gateway, self.context)
        return self._preloaded[key]

    def shows(self, key: str) -> bool:
        page = self._page_of.get(key)
        return page is not None and self._pages.currentWidget() is page

    def show_busy(self, key: str, busy: bool) -> None:
        """Mark a page and its item in the navigation bar as busy."""
        self._navigation.show_busy(key, busy)

    def index_new_papers(self, changes: LibraryChanges) -> None:
        """The library has changed; the model indexes the new papers."""
        self.events.library_changed.emit(changes)
        self.importing.encode_missing()

    def go_to_box(self) -> None:
        """Move the focus to the search box, from any page."""
        self.go_to("search")
        self.page.close_paper()
        self.page.search_box.take_focus()

    def find_here(self) -> None:
        """Search in the page, or in the library if the page has no search of its own."""
        page = self._pages.currentWidget()
        if not (isinstance(page, Page) and page.find_here()):
            self.go_to_box()

    def read(self, paper: PaperId, path: Path) -> None:
        """Show a file of this paper in the reader."""
        self.go_to("reader")
        self._reader().read(paper, path)

    def read_selected(self) -> None:
        """Open the first PDF of the paper whose details are shown, if it has one."""
        self._with_pdf(self.read)

    def save_copy(self) -> None:
        """Save a copy of the first PDF of this paper with its highlights and notes."""
        self._with_pdf(lambda *file: self._reader().save_copy(*file))

    def _with_pdf(self, use: Callable[[PaperId, Path], None]) -> None:
        """Call `use` with the paper whose details are shown and its first PDF, if it has one."""
        paper = self.page.result_list.current()
        if paper is None:
            return

        def found(paths: Sequence[Path]) -> None:
            if paths:
                use(paper, paths[0])
            else:
                add = (tr("Attach file…"), self.page.details.add_file)
                self.messages.show_notice(tr("This paper has no PDF."), "", add, passes=True)

        self._jobs.run(
            tr("Finding the PDF file"),
            lambda task: self.gateway.workspace.reader.files(paper),
            found,
            replaces="file to read",
        )

    def save_notes(self) -> None:
        """Export the notes of the selected papers."""
        if chosen := self.page.result_list.selected():
            self._reader().export(chosen)

    def _reader(self) -> ReaderPage:
        from sciread_app.ui.reader.page import ReaderPage

        return self.page_of(ReaderPage)

    def show_papers(self, papers: Sequence[PaperId], title: str) -> None:
        self.go_to("search")
        self.page.show_papers(papers, title)

    def open_paper(self, paper: PaperId, title: str) -> None:
        """List one paper on the search page, and show its details there as a page."""
        self.show_papers([paper], title)
        self.page.open_paper()

    def show_similar(self, papers: Sequence[PaperId]) -> None:
        self.go_to("search")
        self.page.show_similar(papers)

    def compare_model(self, model: str) -> None:
        """Compare a model with the active one on the Compare page."""
        self._compare_page().panel.prefer(model)
        self.go_to("compare")

    def compare_results(self) -> None:
        """Show the results of two models, for the query of the search page if it is shown."""
        if self.shows("search") and (query := self.page.request.query):
            self._compare_page().show_query(query, self.page.search_box.mode)
        self.go_to("compare")

    def _compare_page(self) -> ComparePage:
        from sciread_app.ui.search.compare_page import ComparePage

        return self.page_of(ComparePage)

    def evaluate_model(self, space: str) -> None:
        """Show the scores of a vector space on the evaluation page, or offer to measure them."""
        from sciread_app.ui.evaluation.page import EvaluationPage

        self.go_to("dashboard")
        self.page_of(EvaluationPage).show_or_measure(space)

    def toggle_map(self) -> None:
        """Switch between the list and the map of the search page; from another page, show the
        map."""
        on_map = self.shows("search") and self.page.mode is ViewMode.map
        self.go_to("search")
        self.page.show_as(ViewMode.list if on_map else ViewMode.map)
        self.page.focus_results()

    def show_on_map(self, papers: Sequence[PaperId], title: str = tr("Selected papers")) -> None:
        """List these papers on the search page, and show them there on the map."""
        self.show_papers(papers, title)
        self.page.show_on_map(papers)

    def show_selected_on_map(self) -> None:
        """Show the selected papers of the current page on the map."""
        shown = self._pages.currentWidget()
        if shown is self.page:
            self.page.show_on_map(self.page.selected())
            self.page.focus_results()
        elif isinstance(shown, Page) and (chosen := shown.selected()):
            self.show_on_map(chosen)

    def search_for(self, query: str) -> None:
        """Search for a query as if it had been typed."""
        self.go_to("search")
        self.page.search_box.set_text(query)
        self.page.search()

    def _palette_targets(self) -> Sequence[PaletteTarget]:
        return self.gateway.goals() if self._ready else ()

    def show_palette(self) -> None:
        if not self._palette:
            from sciread_app.ui.shell.commands.command_palette import (
                CommandPalette,  # imported late for a faster start
            )

            self._palette = CommandPalette(self, self.palette_source, self._jobs, self.appearance)
        self._palette.over = self.page and self.page.search_box.edit
        self._palette.open()

    def go_to_paper(self) -> None:
        """Let the user find a paper by its title, and open it."""
        if not self._papers:
            from sciread_app.ui.shell.commands.paper_popup import (
                PaperPopup,  # imported late for a faster start
            )

            find = self.gateway.find_papers
            self._papers = PaperPopup(self, find, self, self._jobs, self.appearance)
        self._papers.over = self.page and self.page.search_box.edit
        self._papers.open()

    def next_pane(self) -> None:
        """Move the focus to the next part: navigation bar, tabs, panes of the page, and so on."""
        page = self._pages.currentWidget()
        panes = page.panes() if isinstance(page, Page) else ()
        next_pane(
            [self.navigation_bar, self._navigation.tabs, *panes, self.job_panel, self.messages]
        )

    def add(self, paths: list[Path]) -> None:
        """Import these files and folders."""
        if paths and self._opened and self._takes_papers(lambda window: window.add(paths)):
            self.importing.add(paths)

    def find_like(self, source: Sequence[Path] | str) -> None:
        """Find papers similar to those in files or in a text, without importing them."""
        self.go_to("search")
        self.page.header.find_like(source)

    def add_by_identifier(self, identifier: str = "") -> None:
        """Look up the paper with this identifier and add it; without one, ask for an identifier or
        a title first."""
        if self._takes_papers(lambda window: window.add_by_identifier(identifier)):
            self._identifier_dialog().ask(identifier)

    def add_by_text(self, text: str) -> None:
        """Offer to look up the papers that a text names, line by line."""
        if self._takes_papers(lambda window: window.add_by_text(text)):
            self._identifier_dialog().offer(text)

    def _identifier_dialog(self) -> IdentifierDialog:
        if not self._lookup:
            from sciread_app.ui.add_papers.imports.identifier_dialog import IdentifierDialog

            self._lookup = IdentifierDialog(self.gateway.intake, self.context, self)
            self._lookup.added.connect(self._show_added)
        return self._lookup

    def _show_added(self, papers: Sequence[PaperId]) -> None:
        self.index_new_papers(LibraryChanges(papers=True))
        self.show_papers(papers, trn("Added paper", "Added papers", len(papers)))

    def add_files(self) -> None:
        self.add(open_files(self, DialogPurpose.papers, tr("Import files"), PAPER_FILES))

    def add_folder(self, *, watch: bool = False) -> None:
        title = tr("Import folder")
        if folder := choose_folder(self, DialogPurpose.paper_folder, title):
            self.add([folder])
            if watch and not self.is_sample:
                self._watch(folder)

    def _watch(self, folder: Path) -> None:
        """Keep watching a folder that is imported."""
        self._jobs.run(
            tr("Adding a watched folder"),
            lambda task: self.gateway.workspace.watch_folder(folder),
            lambda _: self.events.watched_folders_edited.emit(),
        )

    def show_imports(self) -> None:
        """Show the history of imports."""
        self.go_to("intake")
        self._add_papers_page().show_files()

    def import_zotero(self) -> None:
        if self._takes_papers(lambda window: window.import_zotero()):
            self.exports.import_zotero()

    def new_query(self) -> None:
        """Show the form for a query to an online source."""
        self.go_to("intake")
        self._add_papers_page().new_query()

    def refresh_query(self, query: int) -> None:
        """Fetch the new papers of a stored query in the background."""
        self._add_papers_page().refresh_query(query)

    def _add_papers_page(self) -> AddPapersPage:
        from sciread_app.ui.add_papers.page import AddPapersPage

        return self.page_of(AddPapersPage)

    def toggle_sample(self) -> None:
        """Open the sample library, or close it if it is the one that is open."""
        (self.close_sample if self.is_sample else self.open_sample)()

    def open_sample(self) -> None:
        """Open the sample library, made if it does not exist, in place of the user's own."""
        if self.is_sample:  # the sample was not completed
            self.importing.add_sample()
            return
        there = Home(self._home).sample.folder

        def go() -> None:
            self.events.library_requested.emit(there, lambda window: None)

        long = [job for job in self._jobs.running() if job.queue is not JobQueue.short]
        if busy := [job for job in long if job.visible and job is not self.importing.indexing]:
            self.messages.show_notice(
                # Translators: {task} is "Importing papers.bib" or the like
                tr("A task is running: {task}.", task=busy[0].title),
                tr("Opening the sample library stops the task."),
                (tr("Stop and open"), go),
            )
        else:
            go()

    def close_sample(self, then: Callable[[MainWindow], object] = lambda window: None) -> None:
        """Return to the user's own library, and call `then` with its window."""
        self.events.library_requested.emit(Home(self._home).owner.folder, then)

    def _takes_papers(self, adding: Callable[[MainWindow], object]) -> bool:
        """Return whether papers may be added here. The sample library offers to call `adding` with
        the window of the user's own library instead."""
        if self.is_sample:
            self.messages.show_notice(
                tr("Papers cannot be added to the sample library."),
                tr("Close the sample library to add them to your own library."),
                (tr("Close sample library and add"), lambda: self.close_sample(adding)),
            )
        return not self.is_sample

    def show_import_report(self, summary: ImportSummary) -> None:
        ImportReportDialog(summary, self).show()

    def show_last_report(self) -> None:
        if self._last_summary:
            self.show_import_report(self._last_summary)

    def show_shortcuts(self) -> None:
        self._shortcuts_dialog().open_for(ALL)

    def show_shortcuts_of_page(self) -> None:
        self._shortcuts_dialog().open_for(ON_PAGE)

    def _shortcuts_dialog(self) -> ShortcutsDialog:
        groups, page = self.menus.groups(), self._navigation.page
        return ShortcutsDialog(groups, self.shortcuts, self._actions, page, self)

    def show_about(self) -> None:
        about_dialog(str(self._home), self).show()

    def choose_theme(self, choice: ThemeChoice) -> None:
        self.appearance.choose(choice)
        self.events.theme_selected.emit(choice)

    def cannot_open(self, problem: JobError) -> None:
        """Show why the library could not be opened."""
        self._loading_page.show_message("papers", problem.message, problem.hint)
        if problem.report:
            self.messages.show_problem(problem)

    def remember(self) -> bool:
        """Save the state of the window and of texts being typed for the next start. Return whether
        all of it is saved."""
        self._shared_state.setValue("geometry", self.saveGeometry())
        if self._opened:
            self.library_controller.sidebar.save(self.memory())
        saved = all([page.window_closes() for page in self._page_of.values()])
        for state in (self._state, self._shared_state):
            state.save()
        return saved

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keep keys that cannot be handled before the library is open. An identifier that is
        pasted outside a text field is offered to be added."""
        if not self._ready:
            self._type_ahead.keep(event)
        elif event.matches(QKeySequence.StandardKey.Paste):
            self._offer_to_add(QApplication.clipboard().text())
        else:
            super().keyPressEvent(event)

    def _offer_to_add(self, text: str) -> None:
        name = pasted_identifier(text[:LONGEST_IDENTIFIER])
        if name:
            shown = identifier_link(name)[0]
            self.messages.show_notice(
                tr("The clipboard contains the identifier of a paper."),
                "",
                # Translators: {name} is an identifier, such as 10.1000/xyz
                (
                    tr("Add {name}", name=shown),
                    lambda: self.add_by_identifier(f"{name.kind}:{name.value}"),
                ),
                passes=True,
            )

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.remember() or self._loses_text:
            super().closeEvent(event)
            return
        event.ignore()
        self._confirm_loss(self._close_anyway)

    def leave(self, end: Callable[[], object]) -> None:
        """Call `end`, which ends the session of this window, unless the user keeps the window
        because of a note that could not be saved."""
        if self.remember():
            end()
        else:
            self._confirm_loss(end)

    def _confirm_loss(self, end: Callable[[], object]) -> None:
        confirm(
            self,
            tr("Close window"),
            tr("A note that you have not finished could not be saved."),
            tr(
                "Free up disk space and close the window again, or copy the text to another "
                "program. If you close the window now, the text is lost."
            ),
            tr("Close and lose the text"),
            end,
        )

    def _close_anyway(self) -> None:
        self._loses_text = True
        self.close()

    def _fill_with_sample(self) -> None:
        what = tr("Preparing the sample library")
        self._loading_page.show_message("papers", what, tr("Takes a few seconds."))
        self._opened = True
        self.importing.add_sample()

    def _begin(self) -> None:
        self._opened = self._ready = True
        self._pages.addWidget(self.page)
        self.navigation_bar.enable_places(True)
        self._actions.library_opened()
        self.go_to_box()
        self.page.view_shown.connect(self._load_rest, Qt.ConnectionType.SingleShotConnection)
        self.page.search()
        self.events.opened.emit()
        self._type_ahead.deliver(self)

    def _open_search_page(self) -> None:
        page = self._add_page("search")
        assert isinstance(page, SearchPage)
        self.page = page
        page.remember(self.memory())
        page.view_shown.connect(lambda view: self.palette_source.was_searched(view.query))

    def _add_page(self, key: str) -> Page:
        page = self._preloaded.pop(key, None) or build(key, self.gateway, self.context)
        self._page_of[key] = page
        self._actions.follow(key, page)
        self.palette_source.more.append(page.palette_entries)
        return page

    def _open_library_tree(self) -> None:
        from sciread_app.ui.library.controller import (
            LibraryController,  # imported after the window is shown
        )

        gateway, page, named = self.gateway, self.page, self.actions_by_name
        self.exports = ExportController(self.context, gateway.workspace, self.importing, self)
        self.library_controller = LibraryController(
            self.context, page, gateway.workspace, gateway.card_loader, named,
            self.menus.submenu("paper", RATE), self._edits, self.exports, self,
        )  # fmt: skip
        self.library_controller.sidebar.restore(self.memory())
        undo, redo = named["undo"], named["redo"]
        UndoMenu(self._actions, undo, redo, gateway.workspace.editor, self.context, self)

    def _load_rest(self) -> None:
        """Start what would have delayed the first papers."""
        self._jobs.run(
            tr("Loading the model"),
            self.gateway.load_model,
            lambda _: self._library_changed(LibraryChanges(vectors=True)),
        )
        self._show_status()
        self.importing.encode_missing()
        self._jobs.run(
            tr("Preparing pages"), lambda task: prepare(), lambda _: self._pages_imported()
        )

    def _pages_imported(self) -> None:
        # Modules stay: keep the collector from traversing them again.
        gc.freeze()
        self._start_background_tasks()
        self.events.modules_loaded.emit()

    def _start_background_tasks(self) -> None:
        from sciread_app.ui.digest.notifier import DigestNotifier
        from sciread_app.ui.settings.backup_scheduler import BackupScheduler
        from sciread_app.ui.shell.library_watcher import LibraryWatcher
        from sciread_app.ui.training.completion_notifier import CompletionNotifier
        from sciread_app.ui.watched_folders.watcher import FolderWatcher

        BackupScheduler(self.context, self.gateway.workspace, self).start()
        FolderWatcher(self.context, self.gateway.workspace, self._edits.undo, self).start()
        CompletionNotifier(self.context, self.gateway.workspace.training.runs, self).look()
        DigestNotifier(self.context, self.gateway.workspace.digests, self).start()
        watcher = LibraryWatcher(self.context, self.gateway.workspace.library, self)
        watcher.counts_changed.connect(self._edits.load)
        watcher.counts_changed.connect(self._show_status)
        watcher.start()

    def _library_changed(self, changes: LibraryChanges) -> None:
        if not self._ready:
            self._begin()
            return
        for page in self._page_of.values():
            page.library_changed(changes)
        if changes.papers or changes.vectors or changes.space:
            self._show_status()
            self.context.topics.load_later()

    def _show_status(self) -> None:
        self._jobs.run(
            tr("Counting papers"),
            lambda task: self.gateway.status(),
            self._status_bar.show_status,
            replaces="status",
        )

    def _failed(self, job: Job, problem: JobError) -> None:
        self.messages.show_problem(problem)
        if self._opened and not self._ready:
            self._begin()  # the sample failed: an empty library offers actions

    def _imported(self, summary: ImportSummary) -> None:
        self._last_summary = summary
        self._actions.set_unavailable_reason(self.actions_by_name["last import report"], "")
        report_import(
            self.messages,
            summary,
            self.show_last_report,
            lambda: self.show_papers(summary.papers, tr("Imported papers")),
            self._watch,
        )

    def _build(self) -> None:
        frame = self._frame = MainLayout(self._jobs, self.work_log, self.appearance)
        self.messages = frame.messages
        self.job_panel: JobPanel = frame.job_panel
        self._navigation, self.navigation_bar = frame.navigation, frame.navigation.bar
        self._loading_page, self._pages = frame.loading_page, frame.pages
        self._status_bar = frame.status_bar
        self._navigation.selected.connect(self.go_to)
        self.job_panel.report_requested.connect(self.show_import_report)
        self.job_panel.papers_requested.connect(self.show_papers)
        if self.is_sample:
            bar = SampleBar()
            bar.button.clicked.connect(lambda: self.close_sample())
            frame.show_above(bar)
        self.setCentralWidget(frame)
        # Not on a button, which would take the spaces of a text typed while the library opens.
        self._loading_page.setFocus()
        drops = DropZone(self, lambda: self._opened)
        drops.dropped.connect(self.add)
        drops.text_dropped.connect(self.add_by_text)
        drops.alike_requested.connect(self.find_like)

    def memory(self) -> SavedState:
        """Return the state that the window keeps for the next start."""
        return self._state

    def _restore(self) -> None:
        self.resize(*FIRST_SIZE)
        if geometry := self._shared_state.value("geometry"):
            self.restoreGeometry(geometry)


class SampleBar(QFrame):
    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("samplebar")
        text = QLabel(tr("You are viewing the sample library"))
        self.button = QPushButton(tr("Close sample library"))
        self.button.setToolTip(tr("Return to your own library"))
        row(text, 0, self.button, parent=self, margins=(16, 6, 12, 6), spacing=12)
