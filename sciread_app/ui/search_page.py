"""The page that finds: a box, the papers it finds, and the one that is looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from sciread_app.domain.order import Order
from sciread_app.domain.paper import PaperId
from sciread_app.tasks import Task
from sciread_app.ui.details import DetailsPanel, DetailsSource
from sciread_app.ui.empty import EmptyState
from sciread_app.ui.icons import icon
from sciread_app.ui.jobs import Jobs, Lane, Problem
from sciread_app.ui.math_text import readable
from sciread_app.ui.papers import NOTHING, CardSource, PaperList, PaperModel
from sciread_app.ui.search_box import SearchBox
from sciread_app.ui.theme import Appearance, Theme, styled
from sciread_app.ui.values import Listing, Mode

SLOW_MS = 250  # after which the page says that it is searching
LINE = 32  # pixels that the line above the list is high, whatever stands on it
TITLE_SHOWN = 60  # characters of a title in the breadcrumb
ORDERS = {Order.added: "Newest added", Order.year: "Newest published", Order.title: "Title"}
HINTS = (
    "Use fewer or other words, or the switch to Meaning, which finds papers that say it "
    "differently. Words are joined by “and”; a minus leaves out, a star completes."
)


class Finder(CardSource, DetailsSource, Protocol):
    """What the page needs of a library. Each verb may take a while; none is called on this thread.

    What cannot be understood is raised as BadQuery.
    """

    def find(self, query: str, mode: Mode, task: Task) -> Listing: ...

    def similar(
        self, like: Sequence[PaperId], unlike: Sequence[PaperId], task: Task
    ) -> Listing: ...

    def browse(self, order: Order, task: Task) -> Listing: ...


@dataclass(frozen=True)
class View:
    """What the page shows. `like` and `unlike` are empty but for similar papers."""

    listing: Listing = NOTHING
    query: str = ""
    crumb: str = ""
    like: tuple[PaperId, ...] = ()
    unlike: tuple[PaperId, ...] = ()


class SearchPage(QWidget):
    add_wanted = Signal()
    sample_wanted = Signal()
    shown = Signal(object)  # View, each time one has been put on the page

    def __init__(self, finder: Finder, jobs: Jobs, appearance: Appearance) -> None:
        super().__init__()
        self._finder = finder
        self._jobs = jobs
        self._appearance = appearance
        self.view = View()
        self._order = Order.added
        self._with_details = True
        self._before: list[tuple[View, int]] = []  # where `back` leads, with the chosen row
        self.box = SearchBox(appearance)
        self.model = PaperModel(finder, jobs, self)
        self.hits = PaperList(self.model, appearance)
        self.details = DetailsPanel(finder, jobs, appearance)
        self.empty = EmptyState(appearance)
        self._build()
        self._connect()
        self._slow = QTimer(self, singleShot=True, interval=SLOW_MS)
        self._slow.timeout.connect(lambda: self.count.setText("Searching…"))
        self._paint(appearance.theme)

    def search(self) -> None:
        """Look for what stands in the box; nothing there means the whole library."""
        self._ask_box(self._arrive)

    def browse_by(self, order: Order) -> None:
        self._order = order
        self.order.setText(ORDERS[order])
        self.search()

    def show_similar(self, like: Sequence[PaperId], unlike: Sequence[PaperId] = ()) -> None:
        """Replace the list by the papers most like these; `back` returns to what was there."""
        wanted = View(like=tuple(like), unlike=tuple(unlike))
        if not wanted.like:
            return
        self.box.forget_typing()
        crumb = f"Similar to {self._name(wanted.like)}"
        if wanted.unlike:
            crumb += f", not like {self._name(wanted.unlike)}"

        def show(listing: Listing) -> None:
            self._go_into(replace(wanted, listing=listing, crumb=crumb))

        self._ask(lambda task: self._finder.similar(wanted.like, wanted.unlike, task), show)

    def show_papers(self, papers: Sequence[PaperId], crumb: str) -> None:
        """Replace the list by these; `back` returns to what was there."""
        self.box.forget_typing()
        if len(crumb) > TITLE_SHOWN:
            crumb = f"{crumb[:TITLE_SHOWN].rstrip()}…"
        self._go_into(View(Listing(tuple(papers), len(papers)), crumb=crumb))

    def back(self) -> None:
        """To the list that was there before the similar papers."""
        if self._before:
            view, row = self._before.pop()
            self._show(view)
            self.hits.go_to(row)
            self.hits.setFocus()

    def refresh(self) -> None:
        """The library has changed: look again, and leave the reader where he is."""
        self.model.forget()
        if not self._before:
            self._ask_box(self._update)

    def toggle_details(self) -> None:
        self._with_details = not self._with_details
        self._show_details()

    def add_sidebar(self, sidebar: QWidget) -> None:
        """Put it at the left of everything; its width can be drawn."""
        self._across.insertWidget(0, sidebar)
        self._across.setStretchFactor(0, 0)
        self._across.setStretchFactor(1, 1)

    def add_below(self, bar: QWidget) -> None:
        """Put it at the foot of the list."""
        self._found.addWidget(bar)

    def similar_to_chosen(self) -> None:
        self.show_similar(self.hits.chosen())

    def copy_chosen(self) -> None:
        self.details.copy_bibtex(self.hits.chosen())

    def _go_into(self, view: View) -> None:
        self._before.append((self.view, self.hits.currentIndex().row()))
        self._show(view)
        self.hits.go_to(0)
        self.hits.setFocus()

    def _ask_box(self, show: Callable[[View], None]) -> None:
        query, mode, order = self.box.text, self.box.mode, self._order

        def work(task: Task) -> Listing:
            if query:
                return self._finder.find(query, mode, task)
            return self._finder.browse(order, task)

        self._ask(work, lambda listing: show(View(listing, query)))

    def _ask(self, work: Callable[[Task], Listing], show: Callable[[Listing], None]) -> None:
        self._slow.start()
        self._jobs.run(
            "Searching",
            work,
            show,
            on_failed=self._explain,
            lane=Lane.light,
            instead_of="search",
        )

    def _arrive(self, view: View) -> None:
        """The answer to a search: its best hit is there to be read."""
        self._before.clear()
        self._show(view)
        self.hits.go_to(0)

    def _update(self, view: View) -> None:
        reading, row, top = self.hits.current(), self.hits.currentIndex().row(), self.hits.top()
        self._show(view)
        now = self.model.row_of(reading)
        # Where it is gone, the one that took its place is read on.
        self.hits.go_to(min(max(row, 0), self.model.rowCount() - 1) if now is None else now)
        # Papers came in above: what was under the eye stays there.
        self.hits.set_top(top + (0 if now is None or top == 0 else self.hits.height_of(now - row)))

    def _show(self, view: View) -> None:
        self._slow.stop()
        self.box.explain(None)
        self.view = view
        self.hits.show_listing(view.listing)
        self.count.setText(_count(view))
        self.note.setText(view.listing.note)
        self.note.setVisible(bool(view.listing.note))
        self.order.setVisible(not view.query and not view.crumb and bool(view.listing.ids))
        self.back_button.setVisible(bool(self._before))
        self.crumb.setText(view.crumb)
        self.crumb.setVisible(bool(view.crumb))
        if not view.listing.ids:
            self.details.show_paper(None)
            self._say_empty(view)
        self._pages.setCurrentIndex(0 if view.listing.ids else 1)
        self._show_details()
        self.shown.emit(view)

    def _say_empty(self, view: View) -> None:
        if view.crumb:
            text = "Papers are found by meaning once the model has read them."
            self.empty.say("similar", "No similar papers yet", text)
        elif view.query:
            self.empty.say("search", "Nothing found", HINTS)
        else:
            self.empty.say(
                "drop",
                "Your library is empty",
                "Drop files or folders here: BibTeX, RIS, CSL-JSON, PubMed, arXiv or PDF. "
                "Or look around in a hundred well-known papers first.",
                (
                    ("Add files…", self.add_wanted.emit),
                    ("Try the sample library", self.sample_wanted.emit),
                ),
            )

    def _explain(self, problem: Problem) -> None:
        """The last results stay, with what is wrong about the query above them."""
        self._slow.stop()
        self.count.setText(_count(self.view))
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

    def _enter(self) -> None:
        self._with_details = True
        self._show_details()
        self.details.focus_text()

    def _show_details(self) -> None:
        self.details.setVisible(self._with_details and bool(self.view.listing.ids))

    def _into_results(self) -> None:
        if self.model.rowCount():
            if not self.hits.currentIndex().isValid():
                self.hits.go_to(0)
            self.hits.setFocus()

    def _leave(self) -> None:
        if self._before:
            self.back()
        else:
            self.box.take_focus()

    def _name(self, papers: Sequence[PaperId]) -> str:
        if len(papers) > 1:
            return f"{len(papers)} papers"
        row = self.model.row_of(papers[0])
        card = self.model.card(row) if row is not None else None
        title = readable(card.paper.title) if card else "this paper"
        return f"“{title[:TITLE_SHOWN].rstrip()}…”" if len(title) > TITLE_SHOWN else f"“{title}”"

    def _menu(self, place: QPoint) -> None:
        chosen = self.hits.chosen()
        if not chosen:
            return
        menu = QMenu(self)
        menu.addAction("Similar papers", lambda: self.show_similar(chosen))
        if self.view.like:
            more, less = (*self.view.like, *chosen), (*self.view.unlike, *chosen)
            menu.addAction("More like this", lambda: self.show_similar(more, self.view.unlike))
            menu.addAction("Not like this", lambda: self.show_similar(self.view.like, less))
        menu.addSeparator()
        menu.addAction("Mark as read or unread", self.details.toggle_read)
        menu.addAction("Copy BibTeX", self.copy_chosen)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.hits.viewport().mapToGlobal(place))

    def _build(self) -> None:
        self.back_button = styled(QPushButton("Back"), "link")
        self.crumb = QLabel()
        self.crumb.setTextFormat(Qt.TextFormat.PlainText)
        self.count = styled(QLabel(), "quiet")
        self.note = styled(QLabel(), "quiet")
        for widget in (self.back_button, self.crumb, self.note):
            widget.hide()
        self.order = styled(QToolButton(), "link")
        self.order.setAccessibleName("Order of the library")
        self.order.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.order.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.order.setMenu(QMenu(self.order))
        for order, name in ORDERS.items():
            self.order.menu().addAction(name, partial(self.browse_by, order))
        self.order.setText(ORDERS[self._order])
        line = QHBoxLayout()
        line.setContentsMargins(4, 0, 4, 0)
        line.addStrut(LINE)
        for widget in (self.back_button, self.crumb, self.count, self.note):
            line.addWidget(widget)
        line.addStretch()
        line.addWidget(self.order)
        self._pages = QStackedWidget()
        self._pages.addWidget(self.hits)
        self._pages.addWidget(self.empty)
        found = QWidget()
        self._found = QVBoxLayout(found)
        self._found.setContentsMargins(0, 0, 0, 0)
        self._found.setSpacing(8)
        self._found.addWidget(self._pages, 1)
        split = QSplitter(Qt.Orientation.Horizontal, childrenCollapsible=False, handleWidth=10)
        split.addWidget(found)
        split.addWidget(self.details)
        split.setStretchFactor(0, 5)
        split.setStretchFactor(1, 4)
        split.setSizes([620, 480])
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(16, 12, 16, 10)
        column.setSpacing(10)
        column.addWidget(self.box)
        column.addLayout(line)
        column.addWidget(split, 1)
        self._across = QSplitter(Qt.Orientation.Horizontal, childrenCollapsible=False)
        self._across.setHandleWidth(1)
        self._across.addWidget(middle)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self._across)

    def _connect(self) -> None:
        self.box.asked.connect(self.search)
        self.box.down.connect(self._into_results)
        self.box.escaped.connect(self.back)
        self.back_button.clicked.connect(self.back)
        self.hits.picked.connect(self._pick)
        self.hits.entered.connect(self._enter)
        self.hits.peeked.connect(self.toggle_details)
        self.hits.left.connect(self._leave)
        self.hits.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.hits.customContextMenuRequested.connect(self._menu)
        self.details.left.connect(self.hits.setFocus)
        self.details.similar_wanted.connect(self.show_similar)
        self.details.search_wanted.connect(self.box.set_text)
        self.details.paper_wanted.connect(self._go_to)
        self.details.read_changed.connect(self.model.replace)
        self._appearance.changed.connect(self._paint)

    def _paint(self, theme: Theme) -> None:
        self.back_button.setIcon(icon("back", theme.accent))
        self.order.setIcon(icon("sort", theme.accent))


def _count(view: View) -> str:
    total, shown = view.listing.total, len(view.listing.ids)
    if view.crumb:
        return "1 paper" if shown == 1 else f"{shown:,} papers"
    if not shown:
        return ""
    if not view.query:
        return f"{total:,} papers in the library"
    if total > shown:
        return f"The best {shown:,} of {total:,} papers"
    return "1 paper" if total == 1 else f"{total:,} papers"
