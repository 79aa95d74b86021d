"""The search page: search box, results, and the details of one paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from PySide6.QtCore import QPoint, QSettings, Qt, QTimer, Signal
from PySide6.QtWidgets import QMenu, QWidget

from sciread_app.domain.clipboard_formats import CopyWhat
from sciread_app.domain.paper import LibraryChanges, Order, PaperId
from sciread_app.domain.query.parser import Query
from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.language import tr
from sciread_app.tasks import Task
from sciread_app.ui.app_context import AppContext
from sciread_app.ui.compare.panel import ComparePanel
from sciread_app.ui.compare.view_models import CompareSource
from sciread_app.ui.jobs.runner import JobError, JobQueue
from sciread_app.ui.library.sidebar import Sidebar
from sciread_app.ui.page import Page
from sciread_app.ui.paper.copy_button import fill
from sciread_app.ui.paper.details_panel import DetailsPanel, DetailsSource
from sciread_app.ui.paper_list.paper_list import PaperList, PaperModel
from sciread_app.ui.query_state import QueryChip, ResultView, SearchRequest
from sciread_app.ui.search.example_bar import less_like, more_like
from sciread_app.ui.search.header import (
    HeaderServices,
    SearchHeader,
    count_text,
    empty_texts,
    weak_matches_text,
)
from sciread_app.ui.search.layout import SearchLayout
from sciread_app.ui.search.missing_paper import MissingPaper
from sciread_app.ui.view_models import ResultList
from sciread_app.ui.widgets.messages.empty_state import EmptyState

SLOW_MS = 250  # after which the page shows that it is searching
MAX_HISTORY = 100  # views kept in the history of `back`


class SearchServices(HeaderServices, DetailsSource, CompareSource, Protocol):
    """The services that the page needs. Every method may block, and none is called on this thread.

    A query whose examples are not in the library raises BadQuery.
    """

    def find(
        self, query: Query, mode: SearchMode, task: Task, order: Order = Order.relevance
    ) -> ResultList:
        """Run a query; the empty one lists the whole library."""
        ...


class SearchPage(Page):
    add_requested = Signal()
    sample_requested = Signal()
    fetch_requested = Signal()
    save_requested = Signal(str, str)  # a name and a query
    shown = Signal(object)  # ResultView, each time one is shown

    def __init__(self, finder: SearchServices, context: AppContext) -> None:
        super().__init__()
        jobs, appearance = context.jobs, context.appearance
        self._finder = finder
        self._jobs = jobs
        self._appearance = appearance
        self.view = ResultView()
        self._with_details = True
        self._paper_alone = False  # it takes the whole page
        # the history of `back`, with the current row of each view
        self._history: list[tuple[ResultView, int]] = []
        self.model = PaperModel(finder, jobs, self)
        self.header = SearchHeader(finder, self.model, jobs, appearance)
        self.search_box = self.header.search_box
        self.result_list = PaperList(self.model, appearance)
        self.details = DetailsPanel(finder, jobs, appearance)
        self.empty = EmptyState(appearance)
        self.missing = MissingPaper(finder.about, jobs, self.empty)
        self.compare = ComparePanel(finder, jobs, appearance)
        self.parts = SearchLayout(
            self, self.header, self.result_list, self.empty, self.details, self.compare
        )
        self._connect()
        self._connect_to(context)
        self._slow = QTimer(self, singleShot=True, interval=SLOW_MS)
        self._slow.timeout.connect(lambda: self.header.count.setText(tr("Searching…")))

    def _connect_to(self, context: AppContext) -> None:
        navigate = context.navigate
        self.add_requested.connect(navigate.add_files)
        self.fetch_requested.connect(lambda: navigate.go_to("intake"))
        self.compare.place_requested.connect(navigate.go_to)
        self.compare.switch_requested.connect(context.activation.activate)
        self.details.connect_to(context)

    def search(self) -> None:
        """Run the request of the header; an empty one lists the whole library."""
        self._ask(self._arrive)

    def sort_by(self, order: Order) -> None:
        self.header.order.choose(order)
        self.search()

    def set_scope(self, fragment: str, label: str = "") -> None:
        """Restrict the list to a clause of the query language, shown as a chip `label`, instead of
        the previous one; an empty clause lifts every restriction."""
        scope = (QueryChip(fragment, label or fragment),) if fragment else ()
        self._history.clear()
        self.header.change(scope=scope, filters=(), like=(), unlike=())

    def show_similar(self, like: Sequence[PaperId], unlike: Sequence[PaperId] = ()) -> None:
        """Replace the list by the papers most similar to these; `back` returns."""
        if like:
            self._enter_request(SearchRequest(like=tuple(like), unlike=tuple(unlike)))

    def more_like(self, papers: Sequence[PaperId]) -> None:
        """Rank papers similar to these higher."""
        self._steer(*more_like(self.header.request, papers))

    def less_like(self, papers: Sequence[PaperId]) -> None:
        """Rank papers similar to these lower."""
        self._steer(*less_like(self.header.request, papers))

    def show_papers(self, papers: Sequence[PaperId], title: str) -> None:
        """Replace the list by these papers; `back` returns."""
        self._push()
        self.header.show_request(SearchRequest())
        self._show(ResultView(ResultList(tuple(papers), len(papers)), title=title))
        self._into_results()

    def remember(self, settings: QSettings) -> None:
        """Restore the state from `settings`, and save changes there."""
        self.header.remember(settings)

    def back(self) -> None:
        """Return to the previous list."""
        if self._history:
            view, row = self._history.pop()
            self.header.show_request(view.request)
            self._show(view)
            self.result_list.go_to(row)
            self.result_list.setFocus()
            if not view.title:
                self._ask(self._update)  # the library may have changed since

    def library_changed(self, changes: LibraryChanges) -> None:
        """Run the request again; selection and scroll position stay."""
        if changes.papers or changes.vectors or changes.space:
            self.model.forget()
            self.details.refresh()
            if not self.view.title:
                self._ask(self._update)

    def take_focus(self) -> None:
        """The focus stays where it was on the page."""

    def window_closes(self) -> None:
        self.details.keep_drafts()

    def panes(self) -> Sequence[QWidget]:
        sides = (side.result_list for side in self.compare.sides)
        return (
            self.search_box, *self.parts.sidebars(), self.result_list,
            *sides, self.compare.ballot, self.details,
        )  # fmt: skip

    def chosen(self) -> Sequence[PaperId]:
        return self.result_list.chosen()

    @property
    def request(self) -> SearchRequest:
        return self.header.request

    def add_sidebar(self, sidebar: Sidebar) -> None:
        self.parts.add_sidebar(sidebar)

    def add_below(self, bar: QWidget) -> None:
        """Add a widget below the list."""
        self.parts.add_below(bar)

    def show_weaker(self) -> None:
        """Show the weak matches below the good ones."""
        at_first = not self.view.listing.ids
        with self.result_list.preserving_view():
            self._show(replace(self.view, listing=self.view.listing.with_weaker()))
        if at_first:
            self.result_list.go_to(0)
        self.result_list.setFocus()

    def toggle_details(self) -> None:
        if self.parts.narrow and not self.compare.is_open:
            (self.close_paper if self._paper_alone else self.open_paper)()
            return
        self._with_details = not self._with_details
        self._show_details()

    def toggle_compare(self) -> None:
        """Show or hide the comparison of two models, in place of the list and the details."""
        if self.compare.is_open:
            self.compare.close_models()
        else:
            self.compare.open()
        self._show_details()
        (self.compare.take_focus if self.compare.is_open else self.result_list.setFocus)()

    def similar_to_chosen(self) -> None:
        self.show_similar(self.result_list.chosen())

    def open_paper(self) -> None:
        """Show the current paper on the whole page, until the user leaves it."""
        if self.result_list.currentIndex().isValid():
            self._show_as_page(True)
            self.details.focus_text()

    def close_paper(self) -> None:
        """Return to the list, with the paper next to it."""
        if self._paper_alone:
            self._show_as_page(False)
        (self.compare.take_focus if self.compare.is_open else self.result_list.setFocus)()

    def _show_as_page(self, alone: bool) -> None:
        self._paper_alone = alone
        self.header.setVisible(not alone)
        self.details.show_as_page(alone)
        self._show_details()

    def copy_chosen(self, what: CopyWhat | None = None) -> None:
        self.details.copy(self.result_list.chosen(), what)

    def choose_style(self) -> None:
        """Choose a citation style and copy the selected papers in it."""
        self.details.choose_style(self.result_list.chosen())

    def _enter_request(self, request: SearchRequest) -> None:
        """Run another request, with a way back to the current view."""
        self._push()
        self.header.show_request(request)

        def show(view: ResultView) -> None:
            self._show(view)
            self.result_list.go_to(0)
            self.result_list.setFocus()

        self._ask(show)

    def _steer(self, like: tuple[PaperId, ...], unlike: tuple[PaperId, ...]) -> None:
        if self.view.title:
            self._push()
        self.header.show_request(replace(self.header.request, like=like, unlike=unlike))
        self._ask(self._steered)

    def _steered(self, view: ResultView) -> None:
        with self.result_list.preserving_view(scrolled=False):
            self._show(view)

    def _push(self) -> None:
        self._history.append((self.view, self.result_list.currentIndex().row()))
        del self._history[:-MAX_HISTORY]

    def _ask(self, show: Callable[[ResultView], None]) -> None:
        request, mode = self.header.request, self.search_box.mode
        order = self.header.order.order(request.ranked)
        self._slow.start()
        self._jobs.run(
            tr("Searching"),
            lambda task: self._finder.find(request.parsed, mode, task, order),
            lambda listing: show(ResultView(listing, request)),
            on_failed=self._explain,
            queue=JobQueue.short,
            replaces="search",
        )

    def _arrive(self, view: ResultView) -> None:
        """Show the results of a search, with the first one selected."""
        if not view.request.like:
            self._history.clear()
        self._show(view)
        self.result_list.go_to(0)

    def _update(self, view: ResultView) -> None:
        with self.result_list.preserving_view():
            self._show(view)

    def _show(self, view: ResultView) -> None:
        self._slow.stop()
        self.search_box.explain(None)
        if self._paper_alone and view.what != self.view.what:
            self._show_as_page(False)  # another list was requested
        self.view = view
        self.result_list.show_listing(view.listing)
        self.header.show_view(view, bool(self._history))
        if not view.listing.ids:
            self.details.show_paper(None)
            self._show_empty(view)
        self.parts.fill_list(bool(view.listing.ids))
        self._show_details()
        self.compare.show_view(view, self.search_box.mode)
        self.shown.emit(view)

    def _show_empty(self, view: ResultView) -> None:
        actions: tuple[tuple[str, Callable[[], object]], ...] = ()
        if view.request == SearchRequest() and not view.title:
            actions = (
                (tr("Add files…"), self.add_requested.emit),
                (tr("Fetch papers…"), self.fetch_requested.emit),
                (tr("Try the sample library"), self.sample_requested.emit),
            )
        elif view.listing.weaker:
            actions = ((weak_matches_text(view.listing), self.show_weaker),)
        elif view.request.filters:
            actions = ((tr("Take the filters away"), lambda: self.header.change(filters=())),)
        elif view.request.scope and view.request.typed:
            actions = ((tr("Search the whole library"), lambda: self.set_scope("")),)
        else:
            actions = ((tr("Show all papers"), lambda: self._enter_request(SearchRequest())),)
        if not self.missing.show(view, actions):
            self.empty.show_message(*empty_texts(view), actions)

    def _explain(self, problem: JobError) -> None:
        """Keep the last results, and show the error of the query above them."""
        self._slow.stop()
        self.header.count.setText(count_text(self.view))
        self.search_box.explain(problem)

    def _pick(self, paper: PaperId | None) -> None:
        row = self.result_list.currentIndex().row()
        card = self.model.card(row) if paper is not None else None
        self.details.show_paper(paper, card, self.view.request.parsed, self.view.listing)

    def _go_to(self, paper: PaperId) -> None:
        row = self.model.row_of(paper)
        if row is not None:
            self.result_list.go_to(row)
        else:
            self.details.show_paper(paper)

    def _go_beside(self, paper: PaperId | None) -> None:
        """Select the paper chosen in the model comparison, if this list contains it."""
        if (row := self.model.row_of(paper)) is not None:
            self.result_list.go_to(row)
        else:
            # so that no action applies to a paper that is not visible
            self.result_list.selectionModel().clear()

    def _read_beside(self, paper: PaperId) -> None:
        self._go_to(paper)
        self._show_as_page(True)
        self.details.focus_text()

    def _step(self, rows: int) -> None:
        self.result_list.go_to(self.result_list.currentIndex().row() + rows)

    def _enter(self) -> None:
        if self.parts.narrow:
            self.open_paper()
            return
        self._with_details = True
        self._show_details()
        self.details.focus_text()

    def _show_details(self) -> None:
        comparing = self.compare.is_open and not self._paper_alone
        beside = self._with_details and not self.parts.narrow
        wanted = (beside or self._paper_alone) and not comparing
        self.parts.show_parts(
            found=not comparing and not self._paper_alone,
            details=wanted and bool(self.view.listing.ids),
            compare=comparing,
        )
        if self._paper_alone and not self.view.listing.ids:
            self._show_as_page(False)  # there is no paper to show

    def _into_results(self) -> None:
        if self.compare.is_open:
            self.compare.take_focus()
        elif self.model.rowCount():
            if not self.result_list.currentIndex().isValid():
                self.result_list.go_to(0)
            self.result_list.setFocus()
        elif offered := self.empty.buttons():
            offered[0].setFocus()

    def _leave(self) -> None:
        if self._history:
            self.back()
        else:
            self.search_box.take_focus()

    def _menu(self, place: QPoint) -> None:
        chosen = self.result_list.chosen()
        if not chosen:
            return
        menu = QMenu(self)
        menu.addAction(tr("Similar papers"), lambda: self.show_similar(chosen))
        menu.addAction(tr("More like this"), lambda: self.more_like(chosen))
        menu.addAction(tr("Not like this"), lambda: self.less_like(chosen))
        menu.addSeparator()
        fill(menu.addMenu(tr("Copy as")), self.copy_chosen, self.choose_style)
        self.menu_opened.emit(menu)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.result_list.viewport().mapToGlobal(place))

    def _connect(self) -> None:
        self.missing.loaded.connect(self.details.loaded)
        self.parts.fitted.connect(self._show_details)
        self.header.asked.connect(self.search)
        self.header.save_requested.connect(self.save_requested)
        self.header.activated.connect(self._enter_request)
        self.header.weaker_requested.connect(self.show_weaker)
        self.search_box.down.connect(self._into_results)
        self.search_box.escaped.connect(self.back)
        self.header.back_button.clicked.connect(self.back)
        self.result_list.current_changed.connect(self._pick)
        self.result_list.activated.connect(self._enter)
        self.result_list.preview_toggled.connect(self.toggle_details)
        self.result_list.escaped.connect(self._leave)
        self.result_list.marked_relevant.connect(self.more_like)
        self.result_list.marked_irrelevant.connect(self.less_like)
        self.result_list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.result_list.customContextMenuRequested.connect(self._menu)
        self.result_list.doubleClicked.connect(self.open_paper)
        self.compare.escaped.connect(self.toggle_compare)
        self.compare.current_changed.connect(self._go_beside)
        self.compare.activated.connect(self._read_beside)
        self.compare.marked_relevant.connect(self.more_like)
        self.compare.marked_irrelevant.connect(self.less_like)
        self.details.escaped.connect(self.close_paper)
        self.details.search_requested.connect(self.close_paper)
        self.details.papers_requested.connect(self.show_papers)
        self.details.similar_requested.connect(self.show_similar)
        self.details.search_requested.connect(self.search_box.set_text)
        self.details.step_requested.connect(self._step)
        self.details.paper_requested.connect(self._go_to)
        self.details.read_changed.connect(self.model.replace)
