"""The page for adding papers: by queries to sources, from files, and through citations."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QStackedWidget, QWidget

from sciread_app.domain.fetch import SourceQuery
from sciread_app.domain.paper import LibraryChanges, PaperId
from sciread_app.language import tr, trn
from sciread_app.ui.add_papers.citations_panel import CitationsPanel
from sciread_app.ui.add_papers.fetch.controller import FetchController
from sciread_app.ui.add_papers.fetch.fetch_list import FetchList
from sciread_app.ui.add_papers.fetch.preview_panel import PreviewPanel
from sciread_app.ui.add_papers.fetch.query_form import QueryForm
from sciread_app.ui.add_papers.fetch.results_dialog import FetchResultsDialog
from sciread_app.ui.add_papers.fetch.text import results_line
from sciread_app.ui.add_papers.imports.history import ImportHistoryPanel
from sciread_app.ui.add_papers.imports.identifier_dialog import IdentifierForm
from sciread_app.ui.app_context import AppContext, Navigator
from sciread_app.ui.formatting import shortened
from sciread_app.ui.jobs.runner import JobError
from sciread_app.ui.page import Page
from sciread_app.ui.view_models import FetchResults, SourceForm
from sciread_app.ui.widgets.layout.boxes import column
from sciread_app.ui.widgets.segmented_control import SegmentedControl

if TYPE_CHECKING:
    from sciread_app.ui.add_papers.gateway import AddPapersGateway

KEY = "intake"  # of this page
LONGEST_REPORT = 160  # characters
IDENTIFIERS, FILES, FIRST_SOURCE = range(3)  # tabs; citations are the last, after the sources


class AddPapersPage(Page):
    """A tab for identifiers, one for files, one for each source of papers, and one for citations.

    The sources are loaded in the background; until then, only the first two tabs exist.
    """

    def __init__(self, intake: AddPapersGateway, context: AppContext) -> None:
        super().__init__(context.pages)
        jobs, appearance = context.jobs, context.appearance
        self._context = context
        self._navigate = context.navigate
        self._intake = intake
        self._jobs = jobs
        self._sources: Sequence[SourceForm] = ()
        self._shown_sources = False
        self._starts_with_query = False
        self._source_tab = FIRST_SOURCE  # shown last
        self._titles: dict[str, str] = {}
        self._reported: set[int] = set()  # fetches of which any end is reported
        self._last_reports: dict[int, FetchResults] = {}  # the results that were reported last
        self.work = FetchController(intake, jobs, self)
        self.form = QueryForm(intake, jobs)
        self.preview = PreviewPanel(intake, jobs, appearance)
        self.files = ImportHistoryPanel(intake, jobs, appearance)
        self.identifiers = IdentifierForm(intake, context)
        self.citations = CitationsPanel(intake, jobs, appearance)
        self.list = FetchList(self.work, self._titles, appearance)
        self._build()
        self._connect()
        jobs.run(
            tr("Loading sources"),
            lambda task: intake.sources(),
            self._show_sources,
            on_failed=self._without_sources,
        )

    def show_tab(self, number: int) -> None:
        """Show a tab by its number: IDENTIFIERS, FILES, FIRST_SOURCE or one after it."""
        self.switch.choose(number)
        source = number - FIRST_SOURCE
        if 0 <= source < len(self._sources):
            panel, self._source_tab = self._query, number
            self.form.show_source(self._sources[source])
            self._order_stops()
            self.preview.cancel()
            self.preview.invite()
        else:
            panel = {IDENTIFIERS: self.identifiers, FILES: self.files}.get(number, self.citations)
            self.files.load()
            self.citations.missing.load()
        self._panels.setCurrentWidget(panel)
        self.list.setVisible(panel is self._query)

    def show_files(self) -> None:
        """Show the imports of files."""
        self._starts_with_query = False
        self.show_tab(FILES)

    def fetch(self, query: SourceQuery) -> None:
        """Save this query and run it. The sample library offers to do so in the user's own."""
        if (own := self._intake.own_library) is None:
            self.work.fetch(query)
            self.list.to_top()
            return

        def fetch_there(window: Navigator) -> None:
            window.go_to(KEY)
            window.page_of(AddPapersPage).fetch(query)

        self._context.messages.show_notice(
            tr("Queries cannot be saved in the sample library."),
            tr("Close the sample library to save the query in your own library."),
            (
                tr("Close sample library and save"),
                lambda: self._context.events.library_requested.emit(own, fetch_there),
            ),
        )

    def _remove(self, fetch: int) -> None:
        """Remove a query from the list; its papers stay. A running one must be stopped first."""
        if not self.work.running(fetch):
            edits = self._context.edits
            edits.submit(tr("Removing a query"), lambda editor: editor.remove_query(fetch))

    def refresh(self) -> None:
        """Reload the fetches, imports and papers after a change."""
        self.work.load()
        self.files.load()
        if self._panels.currentWidget() is self.citations:
            self.citations.missing.load()

    def library_changed(self, changes: LibraryChanges) -> None:
        if changes.papers:
            self.refresh()

    def selected(self) -> Sequence[PaperId]:
        """The papers added by fetches since the window was opened."""
        return [paper for results in self.work.results.values() for paper in results.added]

    def take_focus(self) -> None:
        panel = self._panels.currentWidget()
        if panel is self.files:
            self.files.take_focus()
        elif panel is self.identifiers:
            self.identifiers.take_focus()
        elif panel is self.citations:
            self.citations.take_focus()
        else:
            self.form.take_focus()

    def look(self, query: SourceQuery) -> None:
        """Request the number of matching papers, and the first of them."""
        self.preview.look(query, self._titles.get(query.source, query.source))

    def write(self, query: SourceQuery) -> None:
        """Put this query into the form of its source."""
        keys = [source.key for source in self._sources]
        if query.source in keys:
            self.show_tab(FIRST_SOURCE + keys.index(query.source))
            self.form.write(query)
            self.form.take_focus()

    def new_query(self) -> None:
        """Show the form of a source, the first one unless another was shown last, once the sources
        are known."""
        if self._panels.currentWidget() is not self._query:
            if not self._sources:
                self._starts_with_query = not self._shown_sources
                return
            self.show_tab(self._source_tab)
        self.take_focus()

    def refresh_query(self, fetch: int) -> None:
        """Fetch the new papers of a stored query, and say how many there were."""
        self._reported.add(fetch)
        self.work.results.pop(fetch, None)  # of an earlier run
        self.work.refresh(fetch)

    def _report(self, fetch: int) -> None:
        """Report the end of a fetch: the papers that it added, or, if it was asked for elsewhere,
        that there are none."""
        if self.work.running(fetch):
            return
        must_report = fetch in self._reported
        self._reported.discard(fetch)
        results = self.work.results.get(fetch)
        if results is None or results is self._last_reports.get(fetch):
            return
        self._last_reports[fetch] = results
        text = shortened(f"{results.title}: {results_line(results)}", LONGEST_REPORT)
        if papers := results.added:
            show = partial(self._navigate.show_papers, papers, results.title)
            added = trn("{n:,} paper added.", "{n:,} papers added.", len(papers))
            messages = self._context.messages
            messages.show_notice(added, text, (tr("Show papers"), show), passes=True)
        elif must_report:
            self._context.toast.show_message(text)

    def _show_sources(self, sources: Sequence[SourceForm]) -> None:
        self._sources = sources
        self._titles.update((source.key, source.title) for source in sources)
        for source in sources:
            self.switch.add(source.title, source.help)
        self.switch.add(
            tr("Citations"), tr("Fetch the references of your papers and the papers that cite them")
        )
        self._shown_sources = True
        self._order_stops()
        self.work.load()
        if self._starts_with_query:
            self.new_query()

    def _without_sources(self, problem: JobError) -> None:
        """Without sources, files can still be added."""
        self._show_problem(problem)
        self._show_sources(())

    def _show_problem(self, problem: JobError) -> None:
        # The page shows errors of a source with its fetch.
        if problem.report or not self._navigate.shows("intake"):
            self._context.messages.show_problem(problem)

    def _order_stops(self) -> None:
        """Set the tab order to the reading order; Qt would use the order of creation."""
        tab_stops = [
            *self.switch.tab_stops(),
            *self.identifiers.tab_stops(),
            *self.files.buttons(),
            self.files.table,
            self.files.show_papers,
            self.files.show_report,
            *self.form.tab_stops(),
            self.preview.list,
            self.preview.stop,
            self.citations.act,
            *self.citations.missing.tab_stops(),
            *self.list.tab_stops(),
        ]
        for one, next_one in pairwise(tab_stops):
            QWidget.setTabOrder(one, next_one)

    def _show_added(self, papers: Sequence[PaperId]) -> None:
        self._context.events.papers_added.emit(LibraryChanges(papers=True))
        self._navigate.show_papers(papers, trn("Added paper", "Added papers", len(papers)))

    def _open_results(self, fetch: int) -> None:
        self._jobs.run(
            tr("Loading fetch results"),
            lambda task: self._intake.results(fetch),
            self._show_results,
            replaces="brought",
        )

    def _show_results(self, results: FetchResults) -> None:
        dialog = FetchResultsDialog(results, self)
        navigate, title = self._navigate, results.title
        dialog.papers_requested.connect(lambda ids: navigate.show_papers(ids, title))
        dialog.map_requested.connect(lambda ids: navigate.show_on_map(ids, title))
        dialog.open()

    def _show_busy(self) -> None:
        self._navigate.show_busy(KEY, self.work.busy or self.citations.busy)

    def _connect(self) -> None:
        self.switch.selected.connect(self.show_tab)
        self.form.look_requested.connect(self.look)
        self.form.edited.connect(self.preview.mark_outdated)
        self.form.fetch_requested.connect(self.fetch)
        self.files.add_files.clicked.connect(lambda: self._navigate.add_files())
        self.files.add_folder.clicked.connect(
            lambda: self._navigate.add_folder(watch=self.files.watch.isChecked())
        )
        self.files.add_zotero.clicked.connect(lambda: self._navigate.import_zotero())
        self.files.add_identifier.clicked.connect(lambda: self._navigate.add_by_identifier())
        self.files.papers_requested.connect(self._navigate.show_papers)
        self.identifiers.added.connect(self._show_added)
        self.citations.state_changed.connect(self._show_busy)
        self.citations.missing.added.connect(self._context.events.papers_added)
        self.list.results_requested.connect(self._open_results)
        self.list.removal_requested.connect(self._remove)
        self.list.write_requested.connect(self.write)
        self.work.listed.connect(self._order_stops)
        self.work.loaded.connect(self._context.events.papers_added)
        self.work.failed.connect(self._show_problem)
        self.work.fetch_changed.connect(lambda _: self._show_busy())
        self.work.fetch_changed.connect(self._report)

    def _build(self) -> None:
        self.switch = SegmentedControl(tr("Source"), wraps=True)
        self.switch.add(
            tr("Identifiers"), tr("Add papers by DOI, other identifiers, web addresses, or titles")
        )
        self.switch.add(tr("Files"), tr("Import files and folders, and view import reports"))
        # From the outside in: setting a parent restyles a widget with all its children.
        split = QSplitter(
            Qt.Orientation.Horizontal, self, childrenCollapsible=False, handleWidth=16
        )
        self.switch.setParent(self)
        # Over both columns, where all sources are on one line
        column(self.switch, (split, 1), parent=self, margins=(16, 12, 16, 10), spacing=12)
        left = QWidget()
        split.addWidget(left)
        split.addWidget(self.list)
        split.setStretchFactor(0, 5)
        split.setStretchFactor(1, 4)
        split.setSizes([620, 480])
        self._panels = QStackedWidget()
        column(self._panels, parent=left, margins=0)
        self._query = QWidget()
        for panel in (self.identifiers, self.files, self._query, self.citations):
            self._panels.addWidget(panel)
        column(self.form, (self.preview, 1), parent=self._query, margins=0, spacing=8)
        self.show_tab(IDENTIFIERS)
