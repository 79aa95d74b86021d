"""The page that finds: a box, the papers it finds, and the one that is looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from PySide6.QtCore import QPoint, QSettings, Qt, QTimer, Signal
from PySide6.QtWidgets import QMenu, QWidget

from sciread_app.domain.copying import CopyWhat
from sciread_app.domain.order import Order
from sciread_app.domain.paper import PaperId
from sciread_app.language import tr
from sciread_app.tasks import Task
from sciread_app.ui.compare.panel import ComparePanel
from sciread_app.ui.compare.values import CompareSource
from sciread_app.ui.details import DetailsPanel, DetailsSource
from sciread_app.ui.empty import EmptyState
from sciread_app.ui.jobs import Jobs, Lane, Problem
from sciread_app.ui.missing_paper import MissingPaper
from sciread_app.ui.paper.copy_button import fill
from sciread_app.ui.papers import PaperList, PaperModel
from sciread_app.ui.request import Chip, Request, View
from sciread_app.ui.search_head import SearchHead, Source, count_words, nothing_words, weaker_words
from sciread_app.ui.search_layout import SearchLayout
from sciread_app.ui.steering import less_like, more_like
from sciread_app.ui.theme import Appearance
from sciread_app.ui.values import Listing, Mode

SLOW_MS = 250  # after which the page says that it is searching
BACK_MOST = 100  # lists that `back` leads through


class Finder(Source, DetailsSource, CompareSource, Protocol):
    """What the page needs of a library. Each verb may take a while; none is called on this thread.

    What cannot be understood is raised as BadQuery.
    """

    def find(
        self, query: str, mode: Mode, task: Task, order: Order = Order.relevance
    ) -> Listing: ...

    def browse(self, order: Order, task: Task) -> Listing: ...


class SearchPage(QWidget):
    add_wanted = Signal()
    sample_wanted = Signal()
    fetch_wanted = Signal()
    save_wanted = Signal(str, str)  # a name and a query
    menu_opened = Signal(object)  # QMenu for the chosen papers, before it is seen
    shown = Signal(object)  # View, each time one has been put on the page

    def __init__(self, finder: Finder, jobs: Jobs, appearance: Appearance) -> None:
        super().__init__()
        self._finder = finder
        self._jobs = jobs
        self._appearance = appearance
        self.view = View()
        self._with_details = True
        self._paper_alone = False  # it has the whole page
        self._before: list[tuple[View, int]] = []  # where `back` leads, with the chosen row
        self.model = PaperModel(finder, jobs, self)
        self.head = SearchHead(finder, self.model, jobs, appearance)
        self.box = self.head.box
        self.hits = PaperList(self.model, appearance)
        self.details = DetailsPanel(finder, jobs, appearance)
        self.empty = EmptyState(appearance)
        self.missing = MissingPaper(finder.about, jobs, self.empty)
        self.compare = ComparePanel(finder, jobs, appearance)
        self.parts = SearchLayout(
            self, self.head, self.hits, self.empty, self.details, self.compare
        )
        self._connect()
        self._slow = QTimer(self, singleShot=True, interval=SLOW_MS)
        self._slow.timeout.connect(lambda: self.head.count.setText(tr("Searching…")))

    def search(self) -> None:
        """Look for what stands in the box and around it; nothing means the whole library."""
        self._ask(self._arrive)

    def sort_by(self, order: Order) -> None:
        self.head.order.choose(order)
        self.search()

    def set_scope(self, fragment: str, label: str = "") -> None:
        """Limit the list to what a fragment of the query language asks for, as a chip that says
        `label`, instead of what it was limited to; an empty one lifts all limits."""
        scope = (Chip(fragment, label or fragment),) if fragment else ()
        self._before.clear()
        self.head.change(scope=scope, filters=(), like=(), unlike=())

    def show_similar(self, like: Sequence[PaperId], unlike: Sequence[PaperId] = ()) -> None:
        """Replace the list by the papers most like these; `back` returns to what was there."""
        if like:
            self._enter_request(Request(like=tuple(like), unlike=tuple(unlike)))

    def more_like(self, papers: Sequence[PaperId]) -> None:
        """Steer the list towards these papers."""
        self._steer(*more_like(self.head.request, papers))

    def less_like(self, papers: Sequence[PaperId]) -> None:
        """Steer the list away from these papers."""
        self._steer(*less_like(self.head.request, papers))

    def show_papers(self, papers: Sequence[PaperId], crumb: str) -> None:
        """Replace the list by these; `back` returns to what was there."""
        self._push()
        self.head.show_request(Request())
        self._show(View(Listing(tuple(papers), len(papers)), crumb=crumb))
        self._into_results()

    def remember(self, settings: QSettings) -> None:
        """Begin as one left off, and keep there what is chosen from now on."""
        self.head.remember(settings)

    def back(self) -> None:
        """To the list that was there before the similar papers."""
        if self._before:
            view, row = self._before.pop()
            self.head.show_request(view.request)
            self._show(view)
            self.hits.go_to(row)
            self.hits.setFocus()
            if not view.crumb:
                self._ask(self._update)  # the library may have changed since

    def refresh(self) -> None:
        """The library has changed: look again, and leave the reader where he is."""
        self.model.forget()
        self.details.refresh()
        if not self.view.crumb:
            self._ask(self._update)

    def show_weaker(self) -> None:
        """Show the papers that are nearest though they do not fit, behind those that do."""
        at_first = not self.view.listing.ids
        with self.hits.staying():
            self._show(replace(self.view, listing=self.view.listing.with_weaker()))
        if at_first:
            self.hits.go_to(0)
        self.hits.setFocus()

    def toggle_details(self) -> None:
        if self.parts.narrow and not self.compare.is_open:
            (self.close_paper if self._paper_alone else self.open_paper)()
            return
        self._with_details = not self._with_details
        self._show_details()

    def toggle_compare(self) -> None:
        """Have two models answer, in place of the list and the details; or no longer."""
        if self.compare.is_open:
            self.compare.close_models()
        else:
            self.compare.open()
        self._show_details()
        (self.compare.take_focus if self.compare.is_open else self.hits.setFocus)()

    def similar_to_chosen(self) -> None:
        self.show_similar(self.hits.chosen())

    def open_paper(self) -> None:
        """Give the paper that is looked at the whole page, until one leaves it."""
        if self.hits.currentIndex().isValid():
            self._show_as_page(True)
            self.details.focus_text()

    def close_paper(self) -> None:
        """Back to the list, with the paper beside it."""
        if self._paper_alone:
            self._show_as_page(False)
        (self.compare.take_focus if self.compare.is_open else self.hits.setFocus)()

    def _show_as_page(self, alone: bool) -> None:
        self._paper_alone = alone
        self.head.setVisible(not alone)
        self.details.show_as_page(alone)
        self._show_details()

    def copy_chosen(self, what: CopyWhat | None = None) -> None:
        self.details.copy(self.hits.chosen(), what)

    def choose_style(self) -> None:
        """Copy the chosen papers in a citation style that is asked for."""
        self.details.choose_style(self.hits.chosen())

    def _enter_request(self, request: Request) -> None:
        """Ask for something else altogether, with a way back to what is shown now."""
        self._push()
        self.head.show_request(request)

        def show(view: View) -> None:
            self._show(view)
            self.hits.go_to(0)
            self.hits.setFocus()

        self._ask(show)

    def _steer(self, like: tuple[PaperId, ...], unlike: tuple[PaperId, ...]) -> None:
        if self.view.crumb:
            self._push()
        self.head.show_request(replace(self.head.request, like=like, unlike=unlike))
        self._ask(self._steered)

    def _steered(self, view: View) -> None:
        with self.hits.staying(scrolled=False):
            self._show(view)

    def _push(self) -> None:
        self._before.append((self.view, self.hits.currentIndex().row()))
        del self._before[:-BACK_MOST]

    def _ask(self, show: Callable[[View], None]) -> None:
        request, mode = self.head.request, self.box.mode
        query, order = request.query, self.head.order.order(request.ranked)

        def work(task: Task) -> Listing:
            if query:
                return self._finder.find(query, mode, task, order)
            return self._finder.browse(order, task)

        self._slow.start()
        self._jobs.run(
            tr("Searching"),
            work,
            lambda listing: show(View(listing, request)),
            on_failed=self._explain,
            lane=Lane.light,
            instead_of="search",
        )

    def _arrive(self, view: View) -> None:
        """The answer to a search: its best hit is there to be read."""
        if not view.request.like:
            self._before.clear()
        self._show(view)
        self.hits.go_to(0)

    def _update(self, view: View) -> None:
        with self.hits.staying():
            self._show(view)

    def _show(self, view: View) -> None:
        self._slow.stop()
        self.box.explain(None)
        if self._paper_alone and view.what != self.view.what:
            self._show_as_page(False)  # somebody asked for another list
        self.view = view
        self.hits.show_listing(view.listing)
        self.head.show_view(view, bool(self._before))
        if not view.listing.ids:
            self.details.show_paper(None)
            self._say_nothing(view)
        self.parts.fill_list(bool(view.listing.ids))
        self._show_details()
        self.compare.show_view(view, self.box.mode)
        self.shown.emit(view)

    def _say_nothing(self, view: View) -> None:
        actions: tuple[tuple[str, Callable[[], object]], ...] = ()
        if view.request == Request() and not view.crumb:
            actions = (
                (tr("Add files…"), self.add_wanted.emit),
                (tr("Fetch papers…"), self.fetch_wanted.emit),
                (tr("Try the sample library"), self.sample_wanted.emit),
            )
        elif view.listing.weaker:
            actions = ((weaker_words(view.listing), self.show_weaker),)
        elif view.request.filters:
            actions = ((tr("Take the filters away"), lambda: self.head.change(filters=())),)
        elif view.request.scope and view.request.typed:
            actions = ((tr("Search the whole library"), lambda: self.set_scope("")),)
        else:
            actions = ((tr("Show all papers"), lambda: self._enter_request(Request())),)
        if not self.missing.show(view, actions):
            self.empty.say(*nothing_words(view), actions)

    def _explain(self, problem: Problem) -> None:
        """The last results stay, with what is wrong about the query above them."""
        self._slow.stop()
        self.head.count.setText(count_words(self.view))
        self.box.explain(problem)

    def _pick(self, paper: PaperId | None) -> None:
        row = self.hits.currentIndex().row()
        card = self.model.card(row) if paper is not None else None
        self.details.show_paper(paper, card, self.view.query, self.view.listing)

    def _go_to(self, paper: PaperId) -> None:
        row = self.model.row_of(paper)
        if row is not None:
            self.hits.go_to(row)
        else:
            self.details.show_paper(paper)

    def _go_beside(self, paper: PaperId | None) -> None:
        """To the paper that is chosen where two models are compared, if this list has it."""
        if (row := self.model.row_of(paper)) is not None:
            self.hits.go_to(row)
        else:
            self.hits.selectionModel().clear()  # no verb is done to a paper that nobody looks at

    def _read_beside(self, paper: PaperId) -> None:
        self._go_to(paper)
        self._show_as_page(True)
        self.details.focus_text()

    def _step(self, rows: int) -> None:
        self.hits.go_to(self.hits.currentIndex().row() + rows)

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
            self._show_as_page(False)  # there is nothing to be alone with

    def _into_results(self) -> None:
        if self.compare.is_open:
            self.compare.take_focus()
        elif self.model.rowCount():
            if not self.hits.currentIndex().isValid():
                self.hits.go_to(0)
            self.hits.setFocus()
        elif offered := self.empty.buttons():
            offered[0].setFocus()

    def _leave(self) -> None:
        if self._before:
            self.back()
        else:
            self.box.take_focus()

    def _menu(self, place: QPoint) -> None:
        chosen = self.hits.chosen()
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
        menu.popup(self.hits.viewport().mapToGlobal(place))

    def _connect(self) -> None:
        self.missing.came.connect(self.details.came)
        self.parts.fitted.connect(self._show_details)
        self.head.asked.connect(self.search)
        self.head.save_wanted.connect(self.save_wanted)
        self.head.entered.connect(self._enter_request)
        self.head.weaker_wanted.connect(self.show_weaker)
        self.box.down.connect(self._into_results)
        self.box.escaped.connect(self.back)
        self.head.back_button.clicked.connect(self.back)
        self.hits.picked.connect(self._pick)
        self.hits.entered.connect(self._enter)
        self.hits.peeked.connect(self.toggle_details)
        self.hits.left.connect(self._leave)
        self.hits.liked.connect(self.more_like)
        self.hits.disliked.connect(self.less_like)
        self.hits.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.hits.customContextMenuRequested.connect(self._menu)
        self.hits.doubleClicked.connect(self.open_paper)
        self.compare.left.connect(self.toggle_compare)
        self.compare.picked.connect(self._go_beside)
        self.compare.entered.connect(self._read_beside)
        self.compare.liked.connect(self.more_like)
        self.compare.disliked.connect(self.less_like)
        self.details.left.connect(self.close_paper)
        self.details.search_wanted.connect(self.close_paper)
        self.details.papers_wanted.connect(self.show_papers)
        self.details.similar_wanted.connect(self.show_similar)
        self.details.search_wanted.connect(self.box.set_text)
        self.details.step_wanted.connect(self._step)
        self.details.paper_wanted.connect(self._go_to)
        self.details.read_changed.connect(self.model.replace)
