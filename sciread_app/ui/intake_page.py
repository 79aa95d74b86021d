"""The page where papers come in: from queries to sources, from files, and with their citations."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Protocol

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from sciread_app.domain.fetches import Preview, SourceQuery
from sciread_app.domain.paper import Changes, PaperId
from sciread_app.language import tr
from sciread_app.ui.brought import BroughtDialog
from sciread_app.ui.citations_panel import CitationsPanel, Citer
from sciread_app.ui.fetch_list import FetchList
from sciread_app.ui.fetch_work import Fetcher, FetchWork
from sciread_app.ui.files_panel import FilesPanel, History
from sciread_app.ui.jobs import Job, Jobs, Lane, Problem
from sciread_app.ui.ledger import LedgerDialog, MissingDialog
from sciread_app.ui.page import Page
from sciread_app.ui.preview import PreviewPanel
from sciread_app.ui.query_form import QueryForm
from sciread_app.ui.segments import Segments
from sciread_app.ui.theme import Appearance
from sciread_app.ui.values import Brought, CitationReport, Ledger, SourceForm

LOOKING = tr("Looking at a source")


class Intake(Fetcher, Citer, History, Protocol):
    """All that the page needs of a library."""


class IntakePage(Page):
    files_wanted = Signal()
    folder_wanted = Signal()
    papers_wanted = Signal(object, str)  # list of PaperId, and what they are
    map_wanted = Signal(object, str)  # the same, to be shown there
    came = Signal(object)  # Changes
    problem = Signal(object)  # Problem
    busy_changed = Signal(bool)

    def __init__(self, intake: Intake, jobs: Jobs, appearance: Appearance) -> None:
        super().__init__()
        self._intake = intake
        self._jobs = jobs
        self._sources: Sequence[SourceForm] = ()
        self._titles: dict[str, str] = {}
        self._looking: Job | None = None
        self._asked = ""  # the title of the source that is looked at
        self._was_busy = False
        self.work = FetchWork(intake, jobs, self)
        self.form = QueryForm(intake, jobs)
        self.preview = PreviewPanel(jobs, appearance)
        self.files = FilesPanel(intake, jobs, appearance)
        self.citations = CitationsPanel(intake, jobs, appearance)
        self.list = FetchList(self.work, self._titles, appearance)
        self._build()
        self._connect()
        jobs.run(
            tr("Loading the sources"),
            lambda task: intake.sources(),
            self._show_sources,
            on_failed=self._without_sources,
            lane=Lane.light,
        )

    def show_source(self, number: int) -> None:
        """A source of papers; behind the last of them come files and citations."""
        self.switch.choose(number)
        if number < len(self._sources):
            self.form.show_source(self._sources[number])
            self._order_stops()
            self._stop_looking()
            self.preview.invite()
        else:
            self.files.load()
        self._panels.setCurrentIndex(max(0, number - len(self._sources) + 1))

    def refresh(self) -> None:
        """Look again at what is in the library of all this."""
        self.work.load()
        self.files.load()

    def library_changed(self, changes: Changes) -> None:
        if changes.papers:
            self.refresh()

    def chosen(self) -> Sequence[PaperId]:
        """What fetches have brought since the window was opened."""
        return [paper for brought in self.work.brought.values() for paper in brought.added]

    def take_focus(self) -> None:
        panel = self._panels.currentWidget()
        if panel is self.files:
            self.files.take_focus()
        elif panel is self.citations:
            self.citations.take_focus()
        else:
            self.form.take_focus()

    def look(self, query: SourceQuery) -> None:
        """Ask how many papers there are, and for the first of them."""
        self._asked = self._titles.get(query.source, query.source)
        self.preview.wait_for(self._asked)

        def show(found: Preview) -> None:
            if self._looking:  # nobody has lost patience meanwhile
                self.preview.show_found(found, query)

        self._looking = self._jobs.run(
            LOOKING,
            lambda task: self._intake.preview(query, task),
            show,
            on_failed=self.preview.show_problem,
            lane=Lane.network,
            instead_of="look",
        )

    def write(self, query: SourceQuery) -> None:
        """Put this query into the form of its source."""
        keys = [source.key for source in self._sources]
        if query.source in keys:
            self.show_source(keys.index(query.source))
            self.form.write(query)
            self.form.take_focus()

    def _show_sources(self, sources: Sequence[SourceForm]) -> None:
        self._sources = sources
        self._titles.update((source.key, source.title) for source in sources)
        for source in sources:
            self.switch.add(source.title, source.help)
        self.switch.add(tr("Files"), tr("Add files and folders, and see what came of it"))
        self.switch.add(tr("Citations"), tr("What your papers cite, and which papers cite them"))
        self.show_source(0)
        self.work.load()
        if self.isVisible():
            self.take_focus()

    def _without_sources(self, problem: Problem) -> None:
        """Files can be added all the same."""
        self.problem.emit(problem)
        self._show_sources(())

    def _order_stops(self) -> None:
        """Tab follows the eye; Qt would follow the order in which widgets were made."""
        panels = (self.preview.list, self.preview.stop, self.files.add_files, self.files.add_folder)
        rest = (self.files.table, self.citations.act)
        stops = [*self.switch.stops(), *self.form.stops(), *panels, *rest, *self.list.stops()]
        for one, next_one in pairwise(stops):
            QWidget.setTabOrder(one, next_one)

    def _stop_looking(self) -> None:
        if self._looking:
            self._looking.cancel()
            self._looking = None
            self.preview.invite()

    def _progress(self, job: Job, done: int, total: int, note: str) -> None:
        if job is self._looking and note:
            self.preview.wait_for(self._asked, note)

    def _finished(self, job: Job) -> None:
        if job is self._looking:
            self._looking = None

    def _open_brought(self, fetch: int) -> None:
        self._jobs.run(
            tr("Reading what came in"),
            lambda task: self._intake.brought(fetch),
            self._show_brought,
            lane=Lane.light,
            instead_of="brought",
        )

    def _show_brought(self, brought: Brought) -> None:
        dialog = BroughtDialog(brought, self)
        dialog.papers_wanted.connect(lambda ids: self.papers_wanted.emit(ids, brought.title))
        dialog.map_wanted.connect(lambda ids: self.map_wanted.emit(ids, brought.title))
        dialog.open()

    def _show_ledger(self, ledger: Ledger) -> None:
        LedgerDialog(ledger, self).open()

    def _show_missing(self, report: CitationReport) -> None:
        MissingDialog(report.failures, report.remarks, self).open()

    def _look_busy(self) -> None:
        busy = self.work.busy or self.citations.busy
        if busy != self._was_busy:
            self._was_busy = busy
            self.busy_changed.emit(busy)

    def _connect(self) -> None:
        self.switch.chosen.connect(self.show_source)
        self.form.look_wanted.connect(self.look)
        self.form.edited.connect(self.preview.grow_old)
        self.form.fetch_wanted.connect(self.work.fetch)
        self.form.fetch_wanted.connect(lambda _: self.list.to_top())
        self.preview.stop_wanted.connect(self._stop_looking)
        self.files.files_wanted.connect(self.files_wanted)
        self.files.folder_wanted.connect(self.folder_wanted)
        self.files.ledger_wanted.connect(self._show_ledger)
        self.citations.failures_wanted.connect(self._show_missing)
        self.citations.moved.connect(self._look_busy)
        self.list.brought_wanted.connect(self._open_brought)
        self.list.write_wanted.connect(self.write)
        self.work.listed.connect(self._order_stops)
        self.work.came.connect(self.came)
        self.work.troubled.connect(self.problem)
        self.work.moved.connect(lambda _: self._look_busy())
        self._jobs.progressed.connect(self._progress)
        self._jobs.finished.connect(self._finished)

    def _build(self) -> None:
        self.switch = Segments(tr("Where papers come from"))
        # From the outside in: a widget that is given a parent is styled anew with all it holds.
        whole = QVBoxLayout(self)
        whole.setContentsMargins(16, 12, 16, 10)
        split = QSplitter(Qt.Orientation.Horizontal, childrenCollapsible=False, handleWidth=16)
        whole.addWidget(split)
        left = QWidget()
        split.addWidget(left)
        split.addWidget(self.list)
        split.setStretchFactor(0, 5)
        split.setStretchFactor(1, 4)
        split.setSizes([620, 480])
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        column.addWidget(self.switch, 0, Qt.AlignmentFlag.AlignLeft)
        self._panels = QStackedWidget()
        column.addWidget(self._panels, 1)
        query = QWidget()
        for panel in (query, self.files, self.citations):
            self._panels.addWidget(panel)
        asking = QVBoxLayout(query)
        asking.setContentsMargins(0, 0, 0, 0)
        asking.setSpacing(8)
        asking.addWidget(self.form)
        asking.addWidget(self.preview, 1)
