"""The window: its pages, what hangs from the menus, and the work behind them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSettings, Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QMainWindow

from sciread_app.domain.paper import Changes, PaperId
from sciread_app.language import tr
from sciread_app.ui.choosing import choose_files, choose_folder
from sciread_app.ui.desk_protocol import Desk
from sciread_app.ui.dialogs import IN_LISTS, about_dialog, shortcuts_dialog
from sciread_app.ui.dropping import DropZone
from sciread_app.ui.exchange import Exchange
from sciread_app.ui.focus import next_pane
from sciread_app.ui.frame import Frame
from sciread_app.ui.icons import icon
from sciread_app.ui.importing import Importing, tell_imported, tell_stopped
from sciread_app.ui.job_centre_drawer import WorkDrawer
from sciread_app.ui.job_centre_log import WorkLog
from sciread_app.ui.jobs import Job, Jobs, Lane, Problem
from sciread_app.ui.ledger import LedgerDialog
from sciread_app.ui.menus import Menus
from sciread_app.ui.models.swap import Swapping, swapping_in
from sciread_app.ui.page import Page, search_panes
from sciread_app.ui.pages import build, prepare, tie_details
from sciread_app.ui.palette_offer import WindowOffer
from sciread_app.ui.reader.verbs import read_in, save_notes_of
from sciread_app.ui.search_page import SearchPage
from sciread_app.ui.theme import Appearance, Choice
from sciread_app.ui.undo_menu import UndoMenu
from sciread_app.ui.values import Ledger

if TYPE_CHECKING:
    from sciread_app.ui.palette import Palette
    from sciread_app.ui.shelf.shelving import Shelving
    from sciread_app.ui.shelf.work import Step

FIRST_SIZE = (1240, 800)


class MainWindow(QMainWindow):
    """Shown at once, with a library in it as soon as `open` is called."""

    opened = Signal()
    theme_chosen = Signal(object)  # Choice
    restart_wanted = Signal()  # of the program, for what it can only be told at its start
    reopen_wanted = Signal(object)  # Reopening: what can only be done to a closed library
    library_changed = Signal(object)  # Changes
    edited = Signal()  # something that can be taken back, and that no list of papers shows

    def __init__(self, home: Path, jobs: Jobs, appearance: Appearance) -> None:
        super().__init__()
        self._home = home
        self._jobs = jobs
        self.appearance = appearance
        self._desk: Desk | None = None
        self._last_ledger: Ledger | None = None
        self.page: SearchPage | None = None
        self._others: dict[str, Page] = {}  # each from when it is first looked at
        self._ready = False  # the library may be looked at
        self._palette: Palette | None = None  # from when it is first wanted
        self.work_log = WorkLog(jobs, self)
        self.offer = WindowOffer(self, self.memory())
        self.importing: Importing | None = None
        self.shelving: Shelving | None = None
        self.exchange: Exchange | None = None
        self.swapping: Swapping | None = None
        self.setWindowTitle("SciRead")
        self.setWindowIcon(icon("sciread"))
        self._build()
        self.menus = Menus(self)
        self._restore()
        jobs.failed.connect(self._failed)

    def open(self, desk: Desk, *, sample: bool = False) -> None:
        """Show this library. With `sample`, fill it with the sample first."""
        self._desk = desk
        self.page = SearchPage(desk, self._jobs, self.appearance)
        self.page.remember(self.memory())
        self.page.add_wanted.connect(self.add_files)
        self.page.save_wanted.connect(self._save_search)
        self.page.menu_opened.connect(self.menus.map.offer)
        self.menus.reader.live_on(self.page)
        tie_details(self, self.page.details)
        self._put_up_shelf(desk)
        self.importing = Importing(desk, self._jobs, self)
        self.page.shown.connect(lambda view: self.offer.was_searched(view.query))
        self.page.fetch_wanted.connect(lambda: self.go_to("intake"))
        self.page.compare.place_wanted.connect(self.go_to)
        self.page.sample_wanted.connect(self.importing.add_sample)
        self.importing.changed.connect(self.library_changed)
        self.importing.ended.connect(self._imported)
        self.importing.stopped.connect(partial(tell_stopped, self.banner))
        self.library_changed.connect(self._look_again)
        self.swapping = swapping_in(self, desk.swaps, self._jobs)
        if sample:
            what = tr("Preparing the sample library")
            self._wait.say("papers", what, tr("It takes some seconds."))
            self.importing.add_sample()
        else:
            self._begin()

    @property
    def desk(self) -> Desk | None:
        return self._desk

    @property
    def is_open(self) -> bool:
        """Whether there is a library that may be looked at."""
        return self._ready

    def wait_for(self, what: str) -> None:
        """Say what is done before the library can be opened."""
        self._wait.say("papers", what, tr("It may take some minutes where there are many papers."))

    def go_to(self, place: str) -> None:
        """Show the page with this key, see rail.PLACES."""
        if not self._ready or not self.page:
            return
        other = None if place == "search" else self.other_page(place)
        self._pages.setCurrentWidget(other or self.page)
        self.rail.choose(place)
        self.menus.show_place(place)
        if other:
            other.refresh()
            other.take_focus()

    def other_page(self, place: str) -> Page:
        """The page with this key, imported and built when it is first asked for: the window has no
        time to wait for it. The search page alone is there from the beginning."""
        if place not in self._others:
            assert self._desk
            page = build(place, self, self._desk, self._jobs)
            self._pages.addWidget(page)
            self._others[place] = page
        return self._others[place]

    def shows(self, place: str) -> bool:
        page = self.page if place == "search" else self._others.get(place)
        return page is not None and self._pages.currentWidget() is page

    def papers_came(self, changes: Changes) -> None:
        """The library has changed; what came in wants to be read by the model."""
        self.library_changed.emit(changes)
        if self.importing:
            self.importing.catch_up()

    def go_to_box(self) -> None:
        """To the box that is typed into, wherever one is."""
        self.go_to("search")
        if self.page:
            self.page.close_paper()
            self.page.box.take_focus()

    def find_here(self) -> None:
        """In what the page shows, or else in the library."""
        page = self._pages.currentWidget()
        if not (isinstance(page, Page) and page.find_here()):
            self.go_to_box()

    def read(self, paper: PaperId, path: Path) -> None:
        """Show a file of this paper in the reader."""
        self.go_to("reader")
        read_in(self.other_page("reader"), paper, path)

    def read_chosen(self) -> None:
        """The first PDF of the paper whose details are shown; without one the page stays."""
        desk, paper = self._desk, self.page.hits.current() if self.page else None
        if desk is None or paper is None:
            return

        def show(paths: Sequence[Path]) -> None:
            if paths:
                self.read(paper, paths[0])
            elif self.page:
                add = (tr("Add a file…"), self.page.details.add_file)
                self.banner.show_notice(tr("This paper has no PDF."), "", add, passes=True)

        self._jobs.run(
            tr("Looking for a file"),
            lambda task: desk.reading.files(paper),
            show,
            lane=Lane.light,
            instead_of="file to read",
        )

    def save_notes(self) -> None:
        """Of the chosen papers."""
        if self.page and (chosen := self.page.hits.chosen()):
            save_notes_of(self.other_page("reader"), chosen)

    def show_papers(self, papers: Sequence[PaperId], crumb: str) -> None:
        self.go_to("search")
        if self.page:
            self.page.show_papers(papers, crumb)

    def show_on_map(self, papers: Sequence[int], title: str = tr("Shown on the map")) -> None:
        """Let these papers stand out on the map, and bring them into sight."""
        from sciread_app.ui.map.page import MapPage

        self.go_to("map")
        page = self._others.get("map")
        if papers and isinstance(page, MapPage):
            page.show_papers(papers, title)

    def show_chosen_on_map(self) -> None:
        """What is chosen on the page that is looked at."""
        shown = self._pages.currentWidget()
        if isinstance(shown, Page):
            self.show_on_map(shown.chosen())
        elif self.page:
            self.show_on_map(self.page.hits.chosen())

    def show_found_on_map(self) -> None:
        """What stands on the search page now."""
        if self.page:
            view = self.page.view
            self.show_on_map(view.listing.ids, view.crumb or view.query or tr("The whole library"))

    def do_on_shelf(self, what: str, step: Step) -> None:
        """Do something to papers that can be taken back."""
        if self.shelving:
            self.shelving.work.do(what, step)

    def search_for(self, query: str) -> None:
        """Show what is found for a query, as if it had been typed."""
        self.go_to("search")
        if self.page:
            self.page.box.set_text(query)
            self.page.search()

    def show_palette(self) -> None:
        if not self._palette:
            from sciread_app.ui.palette import Palette  # who opens a window does not wait for it

            self._palette = Palette(self, self.offer, self._jobs, self.appearance)
        self._palette.open()

    def toggle_work(self) -> None:
        """Show or hide what goes on in the background."""
        self.work_drawer.toggle()

    def next_pane(self) -> None:
        """Move the focus on: the rail, the panes of the page, work, what the banner says."""
        page = self._pages.currentWidget()
        panes = page.panes() if isinstance(page, Page) else search_panes(self.page)
        next_pane([self.rail, *panes, *self.work_drawer.panes(), self.banner])

    def add(self, paths: list[Path]) -> None:
        """Take in these files and folders."""
        if paths and self.importing:
            self.importing.add(paths)

    def find_like(self, source: Sequence[Path] | str) -> None:
        """Find what is similar to papers in files, or in a text, without adding them."""
        if self.page:
            self.go_to("search")
            self.page.head.find_like(source)

    def add_files(self) -> None:
        self.add(choose_files(self))

    def add_folder(self) -> None:
        self.add(choose_folder(self))

    def show_ledger(self, ledger: Ledger) -> None:
        LedgerDialog(ledger, self).show()

    def show_last_ledger(self) -> None:
        if self._last_ledger:
            self.show_ledger(self._last_ledger)

    def show_keys(self) -> None:
        shortcuts_dialog([*self.menus.keys(), IN_LISTS], self).show()

    def show_about(self) -> None:
        about_dialog(str(self._home), self).show()

    def choose_theme(self, choice: Choice) -> None:
        self.appearance.choose(choice)
        self.theme_chosen.emit(choice)

    def cannot_open(self, problem: Problem) -> None:
        """The library could not be opened: all there is to show is why."""
        self._wait.say("papers", problem.message, problem.hint)
        if problem.report:
            self.banner.show_problem(problem)

    def closeEvent(self, event: QCloseEvent) -> None:
        self.memory().setValue("geometry", self.saveGeometry())
        if self.page:
            self.page.details.keep_drafts()
        if self.shelving:
            self.shelving.save(self.memory())
        for page in self._others.values():
            page.window_closes()
        super().closeEvent(event)

    def _begin(self) -> None:
        assert self.page
        self._ready = True
        self._pages.addWidget(self.page)
        self.rail.setEnabled(True)
        self.menus.library_opened()
        self.go_to_box()
        self.page.shown.connect(self._go_on, Qt.ConnectionType.SingleShotConnection)
        self.page.search()
        self.opened.emit()

    def _save_search(self, name: str, query: str) -> None:
        self.do_on_shelf(tr("Saved"), lambda organise: organise.save_search(name, query))

    def _put_up_shelf(self, desk: Desk) -> None:
        from sciread_app.ui.shelf.shelving import Shelving  # the window stands before it

        self.shelving = Shelving(self, desk.organise, self._jobs)
        self.shelving.restore(self.memory())
        self.exchange = Exchange(self, desk.exchange, self._jobs)
        self.shelving.export_wanted.connect(self.exchange.export_papers)
        self.shelving.scope_export_wanted.connect(self.exchange.export_found)
        self.shelving.sidebar.keep_wanted.connect(self.exchange.keep)
        self.shelving.duplicates_wanted.connect(lambda: self.go_to("duplicates"))
        on_shelf = self.menus.on_shelf
        undo = UndoMenu(on_shelf["undo"], on_shelf["redo"], desk.organise, self._jobs, self)
        self.library_changed.connect(undo.library_changed)
        self.edited.connect(undo.look)

    def _go_on(self) -> None:
        """With what would hold up the first papers; now there is something to look at."""
        assert self.importing
        self._wake()
        self._show_status()
        self.importing.catch_up()
        self._jobs.run(
            tr("Preparing pages"),
            lambda task: prepare(),
            lambda _: self._keep_safe(),
            lane=Lane.light,
        )

    def _wake(self) -> None:
        if self._desk:
            self._jobs.run(tr("Starting the model"), self._desk.wake, self._awake, lane=Lane.light)

    def _keep_safe(self) -> None:
        if self._desk:
            from sciread_app.ui.backups_daily import Safekeeping
            from sciread_app.ui.training.watch import TrainingWatch

            Safekeeping(self, self._desk.care, self._jobs).start()
            TrainingWatch(self, self._desk.training, self._jobs).look()

    def _awake(self, _: None) -> None:
        self._look_again(Changes(vectors=True))

    def _look_again(self, changes: Changes) -> None:
        assert self.page
        if not self._ready:
            self._begin()
            return
        if changes.papers or changes.vectors or changes.space:
            self.page.refresh()
            self._show_status()
        for page in self._others.values():
            page.library_changed(changes)

    def _show_status(self) -> None:
        if desk := self._desk:
            self._jobs.run(
                tr("Counting papers"),
                lambda task: desk.status(),
                self._foot.show_status,
                lane=Lane.light,
                instead_of="status",
            )

    def _failed(self, job: Job, problem: Problem) -> None:
        self.banner.show_problem(problem)
        if self.page and not self._ready:
            self._begin()  # the sample could not be prepared; an empty library says what to do

    def _imported(self, ledger: Ledger) -> None:
        self._last_ledger = ledger
        self.menus.ledger.setEnabled(True)
        tell_imported(self.banner, ledger, self.show_last_ledger)

    def _build(self) -> None:
        frame = self._frame = Frame(self._jobs, self.appearance)
        self.banner, self.rail = frame.banner, frame.rail
        self._wait, self._pages, self._foot = frame.wait, frame.pages, frame.foot
        self.rail.chosen.connect(self.go_to)
        self._foot.clicked.connect(self.toggle_work)
        self.setCentralWidget(frame)
        self.work_drawer = WorkDrawer(frame, self.work_log, self.appearance)
        self.work_drawer.ledger_wanted.connect(self.show_ledger)
        drops = DropZone(self, lambda: self.importing is not None)
        drops.dropped.connect(self.add)
        drops.alike_wanted.connect(self.find_like)

    def memory(self) -> QSettings:
        """What a window remembers until the next time."""
        return QSettings(str(self._home / "window.ini"), QSettings.Format.IniFormat)

    def _restore(self) -> None:
        self.resize(*FIRST_SIZE)
        if geometry := self.memory().value("geometry"):
            self.restoreGeometry(geometry)
