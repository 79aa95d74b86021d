"""The search page: search box, results in a list or on the map, and the details of one paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QEvent, QObject, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QStackedWidget, QWidget

from sciread_app.domain.clipboard_formats import CopyWhat
from sciread_app.domain.paper import LibraryChanges, Order, PaperId
from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.errors import BadQuery
from sciread_app.language import tr
from sciread_app.tasks import Task
from sciread_app.ui.app_context import AppContext
from sciread_app.ui.jobs.runner import JobError
from sciread_app.ui.jobs.saved_state import SavedState
from sciread_app.ui.library.tree.sidebar import Sidebar
from sciread_app.ui.page import Page
from sciread_app.ui.paper.copy_button import fill
from sciread_app.ui.paper.details_panel import DetailsPanel
from sciread_app.ui.paper_list.card_text import has_pdf
from sciread_app.ui.paper_list.density import Density
from sciread_app.ui.paper_list.paper_list import PaperList, PaperModel
from sciread_app.ui.query_state import QueryChip, ResultView, SearchRequest
from sciread_app.ui.search.empty_list import EmptyList, missing
from sciread_app.ui.search.header import (
    SearchHeader,
    count_text,
    weak_matches_text,
)
from sciread_app.ui.search.view_mode import MAP_PREFIX, ViewMode
from sciread_app.ui.search.welcome_page import WelcomePage
from sciread_app.ui.view_models import ResultList
from sciread_app.ui.widgets.focus import holds_focus
from sciread_app.ui.widgets.layout.boxes import column
from sciread_app.ui.widgets.messages.empty_state import Actions
from sciread_app.ui.widgets.rounded_popup import context_menu, rounded

if TYPE_CHECKING:
    from sciread_app.ui.map.gateway import MapGateway
    from sciread_app.ui.map.panel import MapPanel
    from sciread_app.ui.paper.gateway import PaperGateway
    from sciread_app.ui.paper_list.paper_list import CardSource
    from sciread_app.ui.search.gateway import SearchGateway

SLOW_MS = 250  # after which the page shows that it is searching
BESIDE = 660  # pixels that the list and the details need side by side
# Actions of the context menu of papers, before others
_IN_MENU = ("search/similar", "search/more", "search/less", "compare results")
MAX_HISTORY = 100  # views kept in the history of `back`


class SearchPage(Page):
    """The list and the details share the width. If both do not fit, an opened paper takes the whole
    page.

    The map takes the place of the list. It highlights the listed papers, or those of them that are
    selected if there are several; what is current and selected in the list is so on the map.
    """

    mode_changed = Signal(object)  # ViewMode
    view_shown = Signal(object)  # ResultView, each time one is shown
    menu_opened = Signal(object)  # QMenu for the selected papers, before it is shown

    def __init__(
        self,
        finder: SearchGateway,
        cards: CardSource,
        about: PaperGateway,
        map_gateway: MapGateway,
        context: AppContext,
    ) -> None:
        super().__init__(context.pages)
        jobs, appearance = context.jobs, context.appearance
        self._finder, self._cards = finder, cards
        self._about, self._map_gateway = about, map_gateway
        self._context = context
        self._jobs, self._edits, self._navigate = jobs, context.edits, context.navigate
        self.view_shown.connect(self.actions_changed)
        self.view = ResultView()
        self._with_details = True
        self._paper_alone = False  # it takes the whole page
        self._narrow = False  # the details do not fit next to the list
        # the history of `back`, with the current row of each view
        self._history: list[tuple[ResultView, int]] = []
        self.model = PaperModel(cards, jobs, self)
        self.header = SearchHeader(finder, cards, self.model, jobs, appearance)
        self.search_box = self.header.search_box
        self.result_list = PaperList(self.model, appearance)
        self.empty = EmptyList(about, context)
        self.answered: set[str] = set()  # the queries whose results were shown
        self.mode = ViewMode.list
        self.map: MapPanel | None = None  # built when it is first shown
        self._to_fit: tuple[PaperId, ...] = ()  # until the map is built
        # Shows the results of the search in flight
        self._show_found: Callable[[ResultView], None] | None = None
        self._sidebar: Sidebar | None = None
        # Of all changes of the selection and the list in one pass of the event loop
        self._highlight_soon = QTimer(self, singleShot=True, interval=0)
        self._highlight_soon.timeout.connect(self._follow_selection)
        self._lay_out()
        self._connect()
        self._slow = QTimer(self, singleShot=True, interval=SLOW_MS)
        self._slow.timeout.connect(lambda: self.header.show_count(tr("Searching…")))

    def search(self) -> None:
        """Run the request of the header; an empty one lists the whole library. Keys pressed in the
        list are kept until the results arrive."""
        self.result_list.hold_keys()
        self._ask(self._arrive)

    def sort_by(self, order: Order) -> None:
        self.header.order.choose(order)
        self.search()

    def set_density(self, density: Density) -> None:
        """Show the list as cards or as a table."""
        self.header.density.choose(density)

    def choose_columns(self) -> None:
        """Show the list as a table, and open the menu of its columns."""
        self.show_as(ViewMode.list)
        self.header.density.choose(Density.table)
        self.result_list.choose_columns()

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
        request = self.header.request
        self._steer(
            like=(*request.like, *papers),
            unlike=[paper for paper in request.unlike if paper not in papers],
        )

    def less_like(self, papers: Sequence[PaperId]) -> None:
        """Rank papers similar to these lower."""
        request = self.header.request
        self._steer(
            like=[paper for paper in request.like if paper not in papers],
            unlike=(*request.unlike, *papers),
        )

    def show_papers(self, papers: Sequence[PaperId], title: str) -> None:
        """Replace the list by these papers; `back` returns."""
        self._push()
        self.header.show_request(SearchRequest())
        self._drop_search()
        given = tuple(papers)
        self._show(ResultView(ResultList(given, len(given)), title=title, given=given))
        self._into_results()

    def remember(self, settings: SavedState) -> None:
        """Restore the state from `settings`, and save changes there."""
        self.header.remember(settings)
        if settings.value("search/view") == ViewMode.map.value:
            self.show_as(ViewMode.map)
        self.mode_changed.connect(lambda mode: settings.setValue("search/view", mode.value))
        columns = settings.value("search/columns")
        if isinstance(columns, QByteArray):
            self.result_list.restore_columns(columns)
        self.result_list.columns_changed.connect(
            lambda: settings.setValue("search/columns", self.result_list.save_columns())
        )
        self.result_list.set_density(self.header.density.density)

    def show_as(self, mode: ViewMode) -> None:
        """Show the papers in a list or on the map, and nothing else in their place."""
        if self._paper_alone:
            self._show_as_page(False)
        changed, self.mode = mode is not self.mode, mode
        self.header.show_mode(mode)
        if mode is ViewMode.map and self.map is None:
            self._load_map()
        if changed:
            self._show_results()
            self.mode_changed.emit(mode)
            self.view_shown.emit(self.view)

    def show_on_map(self, papers: Sequence[PaperId]) -> None:
        """Show the map, zoomed to these papers."""
        self._to_fit = tuple(papers)
        self.show_as(ViewMode.map)
        self._fit_map()

    @property
    def results(self) -> QWidget:
        """The list, or what is shown in its place."""
        return self._pages

    def place_of_current(self) -> QRect:
        """Where the current paper is on the screen, in the list or on the map."""
        shown = self._shown_map
        if shown and (point := shown.place_of_current()) is not None:
            return point
        seen, row = self.result_list.viewport(), QRect()
        if not shown:
            row = self.result_list.visualRect(self.result_list.currentIndex()) & seen.rect()
        if row.isEmpty():
            seen = self._pages
            row = QRect(0, seen.height() // 3, seen.width(), 1)
        return QRect(seen.mapToGlobal(row.topLeft() + QPoint(24, 0)), row.size())

    def focus_results(self) -> None:
        """Move the focus to the list or the map."""
        (self._shown_map.take_focus if self._shown_map else self.result_list.setFocus)()

    def unavailable_reason(self, action: str) -> str:
        if action == "read pdf":
            return self._unreadable_reason()
        if action.startswith(MAP_PREFIX) and not self._shown_map:
            return tr("Available when the map is shown")
        return ""

    def shortcut_widget(self) -> QWidget:
        return self.result_list

    def back(self) -> None:
        """Return to the previous list."""
        if self._history:
            view, row = self._history.pop()
            self.header.show_request(view.request)
            self._drop_search()
            self._show(view)
            self.result_list.go_to(row)
            self.focus_results()
            self._refresh()  # the library may have changed since

    def library_changed(self, changes: LibraryChanges) -> None:
        """Run the request again; selection and scroll position stay."""
        if self.map:
            self.map.library_changed(changes)
        if changes.papers or changes.vectors or changes.space:
            self.model.forget()
            self.details.refresh()
            self._refresh()

    def _refresh(self) -> None:
        """Run the request again, or list the given papers that are still in the library. A search
        in flight is run again in place of both."""
        view = self.view
        if self._show_found or not view.title:
            self._ask(self._show_found or self._update)
            return
        self._jobs.run(
            tr("Listing papers"),
            lambda task: self._finder.without_trash(view.given),
            lambda left: self._update(replace(view, listing=ResultList(left, len(left)))),
            replaces="search",
        )

    def take_focus(self) -> None:
        """The focus stays where it was on the page."""

    def window_closes(self) -> bool:
        return "details" not in vars(self) or self.details.keep_drafts()  # built when first used

    def panes(self) -> Sequence[QWidget]:
        return (
            self.search_box, *filter(None, [self._sidebar]), self.result_list,
            *(self.map.panes() if self.map else ()), self.details,
        )  # fmt: skip

    def selected(self) -> Sequence[PaperId]:
        return self.result_list.selected()

    @property
    def request(self) -> SearchRequest:
        return self.header.request

    def add_sidebar(self, sidebar: Sidebar) -> None:
        """Put the sidebar at the left, with a splitter."""
        self._sidebar = sidebar
        self._across.insertWidget(0, sidebar)
        self._across.setStretchFactor(0, 0)
        self._across.setStretchFactor(1, 1)

    def add_above(self, bar: QWidget) -> None:
        """Put a bar above the list."""
        self._found.insertWidget(0, bar)

    def add_below(self, bar: QWidget) -> None:
        """Put a bar below the list."""
        self._found.addWidget(bar)

    def resizeEvent(self, event: QResizeEvent) -> None:
        if self._sidebar:
            self._sidebar.fit(self.width())
        super().resizeEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Resize:
            narrow = self._split.width() < BESIDE
            if narrow != self._narrow:
                self._narrow = narrow
                self.header.set_narrow(narrow)
                self._show_details()
        return super().eventFilter(watched, event)

    def show_weaker(self) -> None:
        """Show the weak matches below the good ones."""
        at_first = not self.view.listing.ids
        with self.result_list.preserving_view():
            self._show(replace(self.view, listing=self.view.listing.with_weaker()))
        if at_first:
            self.result_list.go_to(0)
        self.focus_results()

    def toggle_details(self) -> None:
        if self._narrow:
            (self.close_paper if self._paper_alone else self.open_paper)()
            return
        self._with_details = not self._with_details
        self._show_details()

    def open_paper(self) -> None:
        """Show the current paper on the whole page, until the user leaves it."""
        if self.result_list.currentIndex().isValid():
            self._show_as_page(True)
            self.details.focus_text()

    def close_paper(self) -> None:
        """Return to the list, with the paper next to it."""
        if self._paper_alone:
            self._show_as_page(False)
        self.focus_results()

    def _show_as_page(self, alone: bool) -> None:
        self._paper_alone = alone
        self.header.setVisible(not alone)
        self.details.show_as_page(alone)
        self._show_details()

    def copy_selected(self, what: CopyWhat | None = None) -> None:
        self.details.copy(self.result_list.selected(), what)

    def choose_style(self) -> None:
        """Choose a citation style and copy the selected papers in it."""
        self.details.choose_style(self.result_list.selected())

    def _enter_request(self, request: SearchRequest) -> None:
        """Run another request, with a way back to the current view."""
        self._push()
        self.header.show_request(request)

        def show(view: ResultView) -> None:
            self._show(view)
            self.result_list.go_to(0)
            self.focus_results()

        self._ask(show)

    def _steer(self, like: Sequence[PaperId], unlike: Sequence[PaperId]) -> None:
        """Run the request with these examples, each counted once."""
        if self.view.title:
            self._push()
        likes, unlikes = tuple(dict.fromkeys(like)), tuple(dict.fromkeys(unlike))
        self.header.show_request(replace(self.header.request, like=likes, unlike=unlikes))

        def show(view: ResultView) -> None:
            with self.result_list.preserving_view(scrolled=False):
                self._show(view)

        self._ask(show)

    def _push(self) -> None:
        self._history.append((self.view, self.result_list.currentIndex().row()))
        del self._history[:-MAX_HISTORY]

    def _ask(self, show: Callable[[ResultView], None]) -> None:
        request, mode = self.header.request, self.search_box.mode
        order = self.header.order.order(request.ranked)
        self._show_found = show
        self._slow.start()
        self._jobs.run(
            tr("Searching"),
            lambda task: _results(self._finder, request, mode, task, order),
            lambda found: self._take(show, request, found),
            on_failed=self._explain,
            replaces="search",
        )

    def _drop_search(self) -> None:
        """Drop the search in flight: another list is shown."""
        self._jobs.drop("search")
        self._show_found = None
        self.result_list.release_keys()

    def _take(
        self,
        show: Callable[[ResultView], None],
        request: SearchRequest,
        found: ResultList | BadQuery,
    ) -> None:
        self._show_found = None
        if isinstance(found, BadQuery):
            self._reject(found)
        else:
            show(ResultView(found, request))
        self.result_list.release_keys()

    def _reject(self, error: BadQuery) -> None:
        """Explain an invalid query; the results of the last valid one would be mistaken for its."""
        self._show(ResultView(request=self.view.request, invalid=True))
        self.search_box.explain(JobError(error.message, error.hint))

    def _arrive(self, view: ResultView) -> None:
        """Show the results of a search, with the first one selected."""
        if not view.request.like:
            self._history.clear()
        focused = self.result_list.hasFocus()
        self._show(view)
        self.result_list.go_to(0)
        if focused and not view.listing.ids:
            self._into_results()

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
        self.result_list.show_order(self.header.order.order(view.request.ranked))
        self.header.show_view(view, bool(self._history))
        if not view.listing.ids:
            self.details.show_paper(None)
            self._show_empty(view)
        else:
            self._show_results()
        self._highlight_soon.start()
        self._show_details()
        self.answered.add(view.query)
        self.view_shown.emit(view)

    @property
    def _shown_map(self) -> MapPanel | None:
        """The map in the map view, once it is built."""
        return self.map if self.mode is ViewMode.map else None

    def _show_results(self) -> None:
        """Show the list or the map, unless there are no papers."""
        shown, had_focus = self._shown_map or self.result_list, holds_focus(self._pages)
        if self.view.listing.ids and shown is not self._pages.currentWidget():
            self._pages.setCurrentWidget(shown)
            if had_focus:
                self.focus_results()
        if self._shown_map:
            self._shown_map.show_current(self.result_list.current())
            self._highlight()

    def _load_map(self) -> None:
        """Build the map. Its modules are imported by a worker, since that takes too long for the
        window's thread."""
        self._jobs.run(
            tr("Loading the map"),
            lambda task: import_module("sciread_app.ui.map.panel"),
            lambda module: self._build_map(module.MapPanel),
            replaces="map modules",
        )

    def _build_map(self, panel: type[MapPanel]) -> None:
        shown = self.map = panel(self._map_gateway, self._cards, self._context)
        self._pages.addWidget(shown)
        before: QWidget = self.result_list
        for stop in shown.findChildren(QWidget):
            if stop.focusPolicy() & Qt.FocusPolicy.TabFocus:
                self.setTabOrder(before, stop)
                before = stop
        shown.view.addActions(self.result_list.actions())  # for their shortcuts
        shown.current_requested.connect(self._go_on_map)
        shown.papers_selected.connect(self._select_on_map)
        shown.opened.connect(self._open_on_map)
        shown.view.escaped.connect(self._leave_map)
        shown.layout_job.busy_changed.connect(lambda busy: self._navigate.show_busy("search", busy))
        self._show_results()
        self._fit_map()
        self.view_shown.emit(self.view)

    def _follow_selection(self) -> None:
        self.details.show_selected(self.result_list.selected_count())
        self._highlight()

    def _highlight(self) -> None:
        """Highlight several selected papers on the map, or else the listed ones."""
        if self._shown_map:
            several = self.result_list.selected_count() > 1
            whole = self.view.request == SearchRequest() and not self.view.title
            listed = None if whole else self.view.listing.ids
            self._shown_map.highlight(self.result_list.selected() if several else listed)

    def _fit_map(self) -> None:
        if self._shown_map and self._to_fit:
            self._shown_map.fit(self._to_fit)
            self._to_fit = ()

    def _go_on_map(self, paper: PaperId | None) -> None:
        """Show a paper that was clicked on the map, whether the list contains it or not."""
        if (row := self.model.row_of(paper)) is not None:
            self.result_list.go_to(row)
            return
        # So that no action applies to a paper that is not visible
        self.result_list.selectionModel().clear()
        if paper is not None and self.map:
            self.details.show_paper(paper)
            self.map.show_current(paper)

    def _open_on_map(self, paper: PaperId) -> None:
        self._go_on_map(paper)
        self._show_as_page(True)
        self.details.focus_text()

    def _select_on_map(self, papers: Sequence[PaperId]) -> None:
        if not papers:
            self.result_list.selectionModel().clear()
        elif not self.result_list.select_only(papers):
            self._context.toast.show_message(tr("None of these papers is in the results"))

    def _leave_map(self) -> None:
        """Clear the selection, or else leave as the list does."""
        if self.result_list.selected_count():
            self.result_list.selectionModel().clear()
        else:
            self._leave()

    @cached_property
    def details(self) -> DetailsPanel:
        """The panel beside the list, built when it is first needed: it takes as long as the rest of
        the page."""
        details = DetailsPanel(self._about, self._context, self._split)
        self._split.setStretchFactor(1, 4)
        self._split.setSizes([620, 480])
        details.escaped.connect(self.close_paper)
        details.search_requested.connect(self.close_paper)
        details.similar_requested.connect(self.show_similar)
        details.search_requested.connect(self.search_box.set_text)
        details.step_requested.connect(self._step)
        details.paper_requested.connect(self._go_to)
        details.read_changed.connect(self.model.replace)
        return details

    def build_rest(self) -> None:
        _ = self.details

    @cached_property
    def welcome(self) -> WelcomePage:
        """The page of an empty library, built when it is first shown."""
        welcome = WelcomePage(self._about, self._context)
        self._pages.addWidget(welcome)
        return welcome

    def _show_empty(self, view: ResultView) -> None:
        actions: Actions
        if view.invalid:
            actions = ((tr("Show search syntax"), self.search_box.show_syntax), self._show_all)
        elif view.request == SearchRequest() and not view.title:
            self._pages.setCurrentWidget(self.welcome)
            return
        elif view.listing.weaker:
            actions = ((weak_matches_text(len(view.listing.weaker)), self.show_weaker),)
        elif view.request.filters:
            actions = ((tr("Clear filters"), lambda: self.header.change(filters=())),)
        elif view.request.scope and view.request.typed:
            actions = ((tr("Search the whole library"), lambda: self.set_scope("")),)
        else:
            actions = (self._show_all,)
            if view.request.typed and view.request.ranked and not missing(view):
                add = (tr("Add by identifier…"), self._navigate.add_by_identifier)
                actions = (*actions, add)
        self.empty.show_view(view, actions)
        self._pages.setCurrentWidget(self.empty)

    @property
    def _show_all(self) -> tuple[str, Callable[[], object]]:
        return tr("Show all papers"), lambda: self._enter_request(SearchRequest())

    def _explain(self, problem: JobError) -> None:
        """Keep the last results, and show the error of the search above them."""
        self._slow.stop()
        self._show_found = None
        self.result_list.release_keys()
        self.header.show_count(count_text(self.view))
        self.search_box.explain(problem)

    def _pick(self, paper: PaperId | None) -> None:
        row = self.result_list.currentIndex().row()
        card = self.model.card(row) if paper is not None else None
        self.details.show_paper(paper, card, self.view.request.parsed, self.view.listing)
        if self._shown_map:
            self._shown_map.show_current(paper)

    def _go_to(self, paper: PaperId) -> None:
        row = self.model.row_of(paper)
        if row is not None:
            self.result_list.go_to(row)
        else:
            self.details.show_paper(paper)
        if self._shown_map:
            self._shown_map.bring_into_sight(paper)

    def _step(self, rows: int) -> None:
        self.result_list.go_to(self.result_list.currentIndex().row() + rows)
        if self._shown_map and (paper := self.result_list.current()) is not None:
            self._shown_map.bring_into_sight(paper)

    def _enter(self) -> None:
        if self._narrow:
            self.open_paper()
            return
        self._with_details = True
        self._show_details()
        self.details.focus_text()

    def _show_details(self) -> None:
        beside = self._with_details and not self._narrow
        wanted = beside or self._paper_alone
        self._left.setVisible(not self._paper_alone)
        self.details.setVisible(wanted and bool(self.view.listing.ids))
        if self._paper_alone and not self.view.listing.ids:
            self._show_as_page(False)  # there is no paper to show

    def _into_results(self) -> None:
        if self.model.rowCount():
            if not self.result_list.currentIndex().isValid():
                self.result_list.go_to(0)
            self.focus_results()
        elif isinstance(welcome := self._pages.currentWidget(), WelcomePage):
            welcome.choices[0].setFocus()
        elif self.result_list.holds_keys and self.result_list.isVisible():
            self.result_list.setFocus()
        elif offered := self.empty.buttons():
            offered[0].setFocus()

    def _leave(self) -> None:
        if self._history:
            self.back()
        else:
            self.search_box.take_focus()

    def _menu(self, place: QPoint) -> None:
        if not self.result_list.selected():
            return
        menu = context_menu(self)
        menu.setToolTipsVisible(True)
        actions = self._context.actions
        menu.addActions([actions[name] for name in _IN_MENU])
        menu.addSeparator()
        fill(rounded(menu.addMenu(tr("Copy as"))), self.copy_selected, self.choose_style)
        menu.addAction(actions["show on map"])
        menu.addAction(actions["read pdf"])
        if not actions["read pdf"].isEnabled():
            menu.addAction(actions["search/attach file"])
        self.menu_opened.emit(menu)
        menu.popup(self.result_list.viewport().mapToGlobal(place))

    def _unreadable_reason(self) -> str:
        """Return why the PDF of the current paper cannot be read."""
        paper = self.result_list.current()
        if paper is None:
            return tr("Select a paper first")
        # Without a card, which is still loading, the files are looked up on reading.
        card = self.model.known(paper)
        if card is not None and not has_pdf(card):
            return tr("This paper has no PDF. Add a file first.")
        return ""

    def _lay_out(self) -> None:
        # Outer widgets first: setting a parent restyles a widget with all its children. The header
        # comes before the list, so that Tab and the first focus do, too.
        self._across = QSplitter(Qt.Orientation.Horizontal, self, childrenCollapsible=False)
        middle = QWidget(self._across)
        self.header.setParent(middle)
        self._split = QSplitter(Qt.Orientation.Horizontal, middle, childrenCollapsible=False)
        self._left = QWidget(self._split)
        self._pages = QStackedWidget(self._left)
        self._pages.addWidget(self.result_list)
        self._pages.addWidget(self.empty)
        self._found = column((self._pages, 1), parent=self._left, margins=0, spacing=8)
        self._split.setHandleWidth(10)
        self._split.addWidget(self._left)
        self._split.setStretchFactor(0, 5)
        self._split.installEventFilter(self)
        column(self.header, (self._split, 1), parent=middle, margins=(16, 12, 16, 10), spacing=10)
        self._across.setHandleWidth(1)
        self._across.addWidget(middle)
        column(self._across, parent=self, margins=0)

    def _save_search(self, name: str, query: str) -> None:
        self._edits.submit(tr("Saving the search"), lambda editor: editor.save_search(name, query))

    def _connect(self) -> None:
        self.header.search_requested.connect(self.search)
        self.header.save_requested.connect(self._save_search)
        self.header.activated.connect(self._enter_request)
        self.header.weaker.clicked.connect(self.show_weaker)
        self.header.compare.clicked.connect(lambda: self._navigate.compare_results())
        self.search_box.down_pressed.connect(self._into_results)
        self.search_box.escaped.connect(self.back)
        self.header.back_button.clicked.connect(self.back)
        self.result_list.current_changed.connect(self._pick)
        self.result_list.current_changed.connect(lambda _: self.actions_changed.emit())
        self.model.cards_loaded.connect(self.actions_changed)
        self.result_list.activated.connect(self._enter)
        self.result_list.preview_toggled.connect(self.toggle_details)
        self.result_list.sort_requested.connect(self.sort_by)
        self.result_list.selection_changed.connect(self._highlight_soon.start)
        self.header.mode_selected.connect(self.show_as)
        self.header.density.selected.connect(self.result_list.set_density)
        self.result_list.escaped.connect(self._leave)
        self.result_list.marked_relevant.connect(self.more_like)
        self.result_list.marked_irrelevant.connect(self.less_like)
        self.result_list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.result_list.customContextMenuRequested.connect(self._menu)
        self.result_list.doubleClicked.connect(self.open_paper)


def _results(
    finder: SearchGateway, request: SearchRequest, mode: SearchMode, task: Task, order: Order
) -> ResultList | BadQuery:
    """The results of a request, or the error of an invalid one."""
    try:
        return finder.find(request.parsed, mode, task, order)
    except BadQuery as error:
        return error
