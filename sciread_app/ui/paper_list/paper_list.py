"""A list of papers of any length that loads only the visible cards."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain
from typing import Any, Protocol

from PySide6.QtCore import (
    QAbstractTableModel,
    QByteArray,
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPoint,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QTableView,
    QToolTip,
    QWidget,
)

from sciread_app.domain.paper import Order, PaperId
from sciread_app.domain.text.tex import readable
from sciread_app.language import tr
from sciread_app.ui.formatting import authors
from sciread_app.ui.jobs.runner import JobRunner
from sciread_app.ui.paper_list.card_delegate import CardDelegate
from sciread_app.ui.paper_list.card_text import accessible_marks, accessible_move
from sciread_app.ui.paper_list.density import Density
from sciread_app.ui.paper_list.table_columns import COLUMNS
from sciread_app.ui.paper_list.table_delegate import TableDelegate
from sciread_app.ui.style.theme import Appearance
from sciread_app.ui.view_models import EMPTY_RESULTS, Card, Moved, ResultList
from sciread_app.ui.widgets.rounded_popup import context_menu
from sciread_app.ui.widgets.row_table import LEFT, Index

PAGE = 40  # rows that are loaded together
CARDS_KEPT = 2_000
PAGES_WANTED = 4  # pages waiting to be loaded; older requests have been scrolled past
LOADS_AT_ONCE = 2
NARROWEST = 4  # characters of a column
WIDEST = 1.5  # times what a column may take more than its least width, in a wide list
TIPS = {"+": tr("More like this (+)"), "-": tr("Not like this (-)")}

CursorAction = QAbstractItemView.CursorAction


class CardSource(Protocol):
    def cards(self, ids: Sequence[int]) -> list[Card]:
        """The cards of these papers, in any order; unknown ids are left out."""
        ...


class PaperModel(QAbstractTableModel):
    """The ids of all listed papers, and a cache of the cards shown last.

    It has one column of cards, or those of a table.
    """

    # Instead of dataChanged, on which the view would lay out every row again.
    cards_loaded = Signal()
    rows_loaded = Signal(object)  # range of rows

    def __init__(self, source: CardSource, jobs: JobRunner, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._source = source
        self._jobs = jobs
        self.listing = EMPTY_RESULTS
        self._is_table = False
        # None: the paper no longer exists
        self._cards: OrderedDict[int, Card | None] = OrderedDict()
        self._without_abstract: set[int] = set()  # of the papers loaded so far
        self._stale: set[int] = set()
        self._wanted: list[int] = []
        self._loading: set[int] = set()
        # Load after one pass of the event loop, so that all rows of a paint are requested together.
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._load)

    def show(self, listing: ResultList) -> None:
        self.beginResetModel()
        self.listing = listing
        self._wanted.clear()
        self._loading.clear()
        self.endResetModel()

    def set_table(self, is_table: bool) -> None:
        """Set whether a row has the columns of a table, or one for a card."""
        self.beginResetModel()
        self._is_table = is_table
        self.endResetModel()

    def forget(self) -> None:
        """Reload the visible cards after a change; the old ones are shown until then."""
        self._stale = set(self._cards)
        self.cards_loaded.emit()

    def replace(self, card: Card) -> None:
        """Replace the cached card of a paper at once."""
        paper = card.paper.id
        if paper is not None and self._cards.get(paper):
            self._cards[paper] = card
            self._note_abstract(paper, card)
            self.cards_loaded.emit()
            if (row := self.row_of(paper)) is not None:
                self.rows_loaded.emit(range(row, row + 1))

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.listing.ids)

    def columnCount(self, parent: Index | None = None) -> int:
        if parent is not None and parent.isValid():
            return 0
        return len(COLUMNS) if self._is_table else 1

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and self._is_table:
            if role == Qt.ItemDataRole.DisplayRole:
                return COLUMNS[section].title
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return int(LEFT)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if index.isValid() and role in (
            Qt.ItemDataRole.DisplayRole,
            Qt.ItemDataRole.AccessibleTextRole,
        ):
            paper = self.paper_at(index.row())
            card = self._cards.get(paper)
            if self._is_table and index.column():
                return COLUMNS[index.column()].text(card) if card else ""
            return self._accessible_text(card, self.listing.moves.get(paper))
        return None

    def paper_at(self, row: int) -> PaperId:
        return PaperId(int(self.listing.ids[row]))

    def row_of(self, paper: int | None) -> int | None:
        """The row of `paper`; None if it is not in the list."""
        try:
            return None if paper is None else self.listing.ids.index(paper)
        except ValueError:
            return None

    def card(self, row: int) -> Card | None:
        """The card of a row; None if it is not loaded yet, in which case it is requested."""
        paper = self.paper_at(row)
        if paper not in self._cards or paper in self._stale:
            self._want(row // PAGE)
        else:
            self._cards.move_to_end(paper)
        return self._cards.get(paper)

    def known(self, paper: int) -> Card | None:
        """The cached card of a paper; never loads."""
        return self._cards.get(paper)

    def _want(self, page: int) -> None:
        if page in self._wanted:
            self._wanted.remove(page)
        if page not in self._loading:
            self._wanted = [*self._wanted, page][-PAGES_WANTED:]
            self._soon.start()

    def _load(self) -> None:
        while self._wanted and len(self._loading) < LOADS_AT_ONCE:
            page = self._wanted.pop()
            rows = range(page * PAGE, min((page + 1) * PAGE, len(self.listing.ids)))
            self._loading.add(page)
            self._fetch(page, [self.paper_at(row) for row in rows], self.listing)

    def _fetch(self, page: int, papers: list[PaperId], listing: ResultList) -> None:
        def show(cards: list[Card]) -> None:
            self._keep(papers, cards)
            if listing is self.listing:
                self.rows_loaded.emit(range(page * PAGE, page * PAGE + len(papers)))
                self._loading.discard(page)
                self._load()

        self._jobs.run(tr("Loading papers"), lambda task: self._source.cards(papers), show)

    def _keep(self, papers: Sequence[PaperId], cards: Sequence[Card]) -> None:
        found = {card.paper.id: card for card in cards}
        for paper in papers:
            self._cards[paper] = found.get(paper)
            self._note_abstract(paper, self._cards[paper])
            self._cards.move_to_end(paper)
        self._stale.difference_update(papers)
        while len(self._cards) > CARDS_KEPT:
            self._cards.popitem(last=False)
        self.cards_loaded.emit()

    def _note_abstract(self, paper: int, card: Card | None) -> None:
        if card and not card.paper.abstract:
            self._without_abstract.add(paper)
        else:
            self._without_abstract.discard(paper)

    def lacks_abstract(self, paper: PaperId) -> bool:
        """Whether nothing is shown in the place of the abstract of a loaded paper."""
        return paper in self._without_abstract

    def rows_without_abstract(self) -> list[int]:
        """The rows of loaded papers without an abstract."""
        known = self._without_abstract & self._cards.keys()
        rows = (row for row, paper in enumerate(self.listing.ids) if paper in known)
        return [row for row in rows if self.lacks_abstract(self.paper_at(row))] if known else []

    def _accessible_text(self, card: Card | None, moved: Moved | None) -> str:
        if card is None:
            return tr("Loading")
        paper = card.paper
        year = paper.published[:4]
        move = accessible_move(moved) if moved else ""
        parts = (
            *(readable(paper.title), move, authors(paper), paper.venue, year),
            accessible_marks(card),
        )
        return ", ".join(filter(None, parts))


class PaperList(QTableView):
    """The list of cards, or a table. Keys: j k up down, Enter opens the details, Space toggles
    them, Esc leaves; + and - mark the selected papers as relevant or not.

    Cards are a table of one column, since QListView lays out by asking the model for every row.
    """

    current_changed = Signal(object)  # PaperId, or None
    activated = Signal()
    preview_toggled = Signal()
    escaped = Signal()
    marked_relevant = Signal(object)  # the selected papers, by the key +
    marked_irrelevant = Signal(object)
    selection_changed = Signal()
    sort_requested = Signal(object)  # Order, by a click on the title of a column
    columns_changed = Signal()  # the user changed their widths, order or selection

    def __init__(self, model: PaperModel, appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("papers")
        self._model = model
        self._appearance = appearance
        self._columns_state = QByteArray()  # as arranged by the user; empty: not yet
        self._arranging = False  # the program is changing the columns, not the user
        self._columns_scale = self._text_scale  # of the text, when the columns were saved
        self._sorted_by = Order.relevance
        self._density = Density.comfortable
        self._held: list[QKeyEvent] | None = None  # keys for the list that is being loaded
        self._cards = CardDelegate(model, appearance, self)
        self._table = TableDelegate(model, appearance, self)
        self.setModel(model)
        self._set_up_header()
        self.set_density(Density.comfortable)
        self._resize_text()
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setMouseTracking(True)
        self.setAcceptDrops(False)
        self.setAccessibleName(tr("Paper list"))
        model.cards_loaded.connect(self.viewport().update)
        model.rows_loaded.connect(self._fit_loaded)
        model.modelReset.connect(self._fit_all)
        appearance.changed.connect(self.viewport().update)
        appearance.list_text_changed.connect(self._resize_text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._fit_all()
        mode = self.horizontalHeader().sectionResizeMode(0)
        if mode is QHeaderView.ResizeMode.Interactive:  # the columns of the table are shown
            self._fill_width(event.oldSize().width())

    @property
    def density(self) -> Density:
        return self._density

    def set_density(self, density: Density) -> None:
        """Show cards or a table. The selection and the current paper stay."""
        is_table = density is Density.table
        with self._changing_heights(), self._arranging_columns():
            self._density = density
            self._cards.compact = density is Density.compact
            self._cards.forget()
            columns = self.horizontalHeader()
            if is_table != bool(self._model.columnCount() > 1):
                columns.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
                self._model.set_table(is_table)
            self.setItemDelegate(self._table if is_table else self._cards)
            columns.setVisible(is_table)
            policy = Qt.ScrollBarPolicy
            self.setHorizontalScrollBarPolicy(
                policy.ScrollBarAsNeeded if is_table else policy.ScrollBarAlwaysOff
            )
            if is_table:
                self._show_columns()
            else:
                columns.setSectionHidden(0, False)
                columns.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        if (current := self.currentIndex()).isValid():
            self.scrollTo(current)

    def _resize_text(self) -> None:
        """Show the text in the size set by the user."""
        first = self.rowAt(0)
        with self._changing_heights():
            self._cards.resize_text(self._text_scale)
            self._table.resize_text(self._text_scale)
        if self._density is Density.table:
            self._show_columns()
            if not self._columns_state.isEmpty():
                self.columns_changed.emit()
        self.set_scroll_position(max(0, self.verticalHeader().sectionPosition(first)))

    @contextmanager
    def _changing_heights(self) -> Iterator[None]:
        """Context in which the heights of rows change. Qt would resize the rows one by one, which
        takes half a second for 150,000 of them, so there are none meanwhile."""
        listing = self._model.listing
        with self.preserving_view(scrolled=False):
            self._model.show(EMPTY_RESULTS)
            yield
            self.fit_rows(listing)
            self._model.show(listing)

    @property
    def _text_scale(self) -> float:
        return self._appearance.list_text / 100

    def fit_rows(self, listing: ResultList) -> None:
        """Set the height of all rows to what this list needs."""
        cards = self._cards.height(remarks=bool(listing.remarks))
        height = self._table.height() if self._density is Density.table else cards
        self.verticalHeader().setMinimumSectionSize(1)
        self.verticalHeader().setDefaultSectionSize(height)

    def _fit_all(self) -> None:
        self._fit_loaded(self._model.rows_without_abstract())

    def _fit_loaded(self, rows: Sequence[int]) -> None:
        """Fit the heights of rows whose cards are loaded, without moving the others in sight."""
        if self._density is not Density.comfortable or not rows:
            return
        heights, listing = self.verticalHeader(), self._model.listing
        top = self.rowAt(0)
        before = self.rowViewportPosition(top)
        heights.setUpdatesEnabled(False)  # otherwise all rows are laid out for each of these
        for row in rows:
            paper, width = self._model.paper_at(row), self.viewport().width()
            card = self._model.known(paper)
            if card and self._model.lacks_abstract(paper):
                height = self._cards.height_without_abstract(card, listing, width)
                heights.resizeSection(row, height)
            elif heights.sectionSize(row) != heights.defaultSectionSize():
                heights.resizeSection(row, heights.defaultSectionSize())
        heights.setUpdatesEnabled(True)
        self.updateGeometries()
        if top >= 0:
            self.set_scroll_position(self.top() + self.rowViewportPosition(top) - before)
        self.viewport().update()

    def show_order(self, order: Order) -> None:
        """Show in the header of the table by which column the list is sorted."""
        columns = self.horizontalHeader()
        self._sorted_by = order
        self._cards.show_citations(order in (Order.citations, Order.citations.reverse))
        number = self._sorted_column
        if number is not None:
            down, up = Qt.SortOrder.DescendingOrder, Qt.SortOrder.AscendingOrder
            columns.setSortIndicator(number, down if order.is_descending else up)
        columns.setSortIndicatorShown(number is not None)
        if self._density is Density.table:
            self._fill_width()

    @property
    def _sorted_column(self) -> int | None:
        """The column by which the list is sorted."""
        order = self._sorted_by
        orders = (order, order.reverse)
        return next((n for n, column in enumerate(COLUMNS) if column.order in orders), None)

    def save_columns(self) -> QByteArray:
        """The widths, order and selection of the columns; empty until the user changes them."""
        return self._columns_state

    def restore_columns(self, state: QByteArray) -> None:
        self._columns_state, self._columns_scale = state, self._text_scale
        if self._density is Density.table:
            self._show_columns()

    def choose_columns(self) -> None:
        """Open the menu of the columns below the header of the table."""
        columns = self.horizontalHeader()
        self._columns_menu().popup(columns.mapToGlobal(QPoint(0, columns.height())))

    def fit_columns(self) -> None:
        """Make columns as wide as their visible texts; the title takes the remaining width."""
        columns = self.horizontalHeader()
        columns.setResizeContentsPrecision(0)  # visible rows only
        for number in range(1, len(COLUMNS)):
            if not columns.isSectionHidden(number):
                self.resizeColumnToContents(number)
        free = self.viewport().width() - columns.length() + columns.sectionSize(0)
        columns.resizeSection(0, max(free, self._least_title))

    def _set_up_header(self) -> None:
        rows, columns = self.verticalHeader(), self.horizontalHeader()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.hide()
        columns.setHighlightSections(False)
        columns.setSectionsMovable(True)
        columns.setSectionsClickable(True)
        columns.setMinimumSectionSize(self.fontMetrics().averageCharWidth() * NARROWEST)
        columns.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        columns.customContextMenuRequested.connect(
            lambda place: self._columns_menu().popup(columns.mapToGlobal(place))
        )
        columns.sectionClicked.connect(self._sort_by_column)
        columns.sectionResized.connect(lambda *_: self._keep_columns())
        columns.sectionMoved.connect(lambda *_: self._keep_columns())

    def _show_columns(self) -> None:
        """Restore the columns, or show those that fit."""
        columns = self.horizontalHeader()
        with self._arranging_columns():
            columns.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
            columns.setStretchLastSection(False)
            if not self._columns_state.isEmpty():
                columns.restoreState(self._columns_state)
                self._scale_columns(self._text_scale / self._columns_scale)
                self._save_columns()
        self._fill_width()

    @contextmanager
    def _arranging_columns(self) -> Iterator[None]:
        """Context in which changes of the columns are not saved."""
        before, self._arranging = self._arranging, True
        yield
        self._arranging = before

    def _fill_width(self, before: int = 0) -> None:
        """Let the title take the width that the other columns leave free, which is not saved.

        `before`: the width that the columns may have filled before; they are kept if wider.
        """
        with self._arranging_columns():
            if self._columns_state.isEmpty():
                self._fit_first_columns()
                return
            columns = self.horizontalHeader()
            free = self.viewport().width() - columns.length()
            if free > 0 or columns.length() == before:
                columns.resizeSection(0, max(self._least_title, columns.sectionSize(0) + free))

    def _fit_first_columns(self) -> None:
        """Show as many of the first columns as fit, and the one by which the list is sorted."""
        columns, width = self.horizontalHeader(), self.viewport().width()
        digit = self.fontMetrics().horizontalAdvance("0") * self._text_scale
        kept = {0, self._sorted_column}
        shown = [n for n, column in enumerate(COLUMNS) if column.shown or n in kept]
        while sum(COLUMNS[n].least for n in shown) * digit > width and set(shown) - kept:
            shown.remove(max(set(shown) - kept))
        least = sum(COLUMNS[n].least for n in shown)
        wished = sum(COLUMNS[n].width for n in shown) - least
        share = min(WIDEST, max(0.0, (width / digit - least) / wished)) if wished else 0.0
        for number, column in enumerate(COLUMNS):
            columns.setSectionHidden(number, number not in shown)
            if number in shown:
                size = column.least + share * (column.width - column.least)
                columns.resizeSection(number, int(size * digit))
        columns.resizeSection(0, max(columns.sectionSize(0) + width - columns.length(), 1))

    @property
    def _least_title(self) -> int:
        digit = self.fontMetrics().horizontalAdvance("0") * self._text_scale
        return round(COLUMNS[0].least * digit)

    def _scale_columns(self, factor: float) -> None:
        columns = self.horizontalHeader()
        for number in range(len(COLUMNS)):
            if not columns.isSectionHidden(number):
                columns.resizeSection(number, round(columns.sectionSize(number) * factor))

    def _save_columns(self) -> None:
        self._columns_state = self.horizontalHeader().saveState()
        self._columns_scale = self._text_scale

    def _keep_columns(self) -> None:
        if self._density is Density.table and not self._arranging:
            self._save_columns()
            self.columns_changed.emit()

    def _sort_by_column(self, number: int) -> None:
        """Sort by a column, and on the second click in the opposite order."""
        order = COLUMNS[number].order
        if order is None:
            return
        self._sorted_by = order.reverse if self._sorted_by is order else order
        self.sort_requested.emit(self._sorted_by)

    def _columns_menu(self) -> QMenu:
        """The menu in which columns are selected; the title is always shown."""
        menu, columns = context_menu(self), self.horizontalHeader()
        for number, column in enumerate(COLUMNS):
            action = menu.addAction(column.title)
            action.setCheckable(True)
            action.setChecked(not columns.isSectionHidden(number))
            action.setEnabled(number > 0)
            action.toggled.connect(partial(self._show_column, number))
        menu.addSeparator()
        menu.addAction(tr("Fit column widths"), self.fit_columns)
        return menu

    def _show_column(self, number: int, shown: bool) -> None:
        self.horizontalHeader().setSectionHidden(number, not shown)
        self._keep_columns()

    def show_listing(self, listing: ResultList) -> None:
        self._model.show(EMPTY_RESULTS)  # so that a long list is not laid out again
        self.fit_rows(listing)
        self._model.show(listing)
        self.scrollToTop()

    @contextmanager
    def preserving_view(self, *, scrolled: bool = True) -> Iterator[None]:
        """Context in which another list is shown: selected papers stay selected, and if the current
        paper is gone, the one in its place becomes current. With `scrolled` the visible part stays
        too."""
        reading, row, top = self.current(), self.currentIndex().row(), self.top()
        above = self.rowViewportPosition(row) if row >= 0 else 0
        ids, ranges = self._model.listing.ids, self._ranges()
        yield
        now = self._model.row_of(reading)
        self.go_to(min(max(row, 0), self._model.rowCount() - 1) if now is None else now)
        if sum(end - top for top, end in ranges) > 1:
            self._choose_again(ids, ranges)
        if scrolled:
            if now is None or top == 0:
                self.set_scroll_position(top)
            else:
                self.set_scroll_position(self.top() + self.rowViewportPosition(now) - above)

    def top(self) -> int:
        """The scroll position in pixels."""
        return self.verticalScrollBar().value()

    def set_scroll_position(self, pixels: int) -> None:
        self.verticalScrollBar().setValue(pixels)

    def height_of_rows(self, rows: int) -> int:
        """The height of so many rows in pixels, if all have abstracts."""
        return rows * self.verticalHeader().defaultSectionSize()

    def go_to(self, row: int) -> None:
        if 0 <= row < self._model.rowCount():
            flag = QItemSelectionModel.SelectionFlag
            self.selectionModel().setCurrentIndex(
                self._model.index(row, 0), flag.ClearAndSelect | flag.Rows
            )
            self.scrollTo(self._model.index(row, 0))

    def current(self) -> PaperId | None:
        index = self.currentIndex()
        return self._model.paper_at(index.row()) if index.isValid() else None

    def selected(self) -> list[PaperId]:
        """The selected papers, from the top. Collected by ranges, since all papers may be
        selected."""
        ids: Sequence[Any] = self._model.listing.ids
        return list(chain.from_iterable(ids[top:end] for top, end in self._ranges()))

    def choose(self, papers: Iterable[int]) -> None:
        """Add those of these papers that are in the list to the selection."""
        self._choose_ranges(self._ranges_of(papers))

    def select_only(self, papers: Iterable[int]) -> bool:
        """Select those of these papers that are in the list, of which the first becomes current.
        Returns False and changes nothing if it contains none of them."""
        if ranges := self._ranges_of(papers):
            self.go_to(ranges[0][0])
            self._choose_ranges(ranges)
        return bool(ranges)

    def _ranges_of(self, papers: Iterable[int]) -> list[tuple[int, int]]:
        """The ranges of rows of these papers, from the top; each end is exclusive."""
        wanted, begun = set(papers), -1
        ranges = []
        ids = self._model.listing.ids
        for row in range(len(ids) + 1):
            inside = row < len(ids) and ids[row] in wanted
            if inside and begun < 0:
                begun = row
            elif not inside and begun >= 0:
                ranges.append((begun, row))
                begun = -1
        return ranges

    def _choose_ranges(self, ranges: Iterable[tuple[int, int]]) -> None:
        chosen, last = QItemSelection(), self._model.columnCount() - 1
        for top, end in ranges:
            chosen.select(self._model.index(top, 0), self._model.index(end - 1, last))
        # Not with `Rows`, which is several times slower for thousands of ranges.
        self.selectionModel().select(chosen, QItemSelectionModel.SelectionFlag.Select)

    def _choose_again(self, ids: Sequence[int], ranges: Sequence[tuple[int, int]]) -> None:
        """Restore a selection from a list of these papers. Mostly the list is unchanged, so that
        150,000 papers need not be looked up."""
        if ids == self._model.listing.ids:
            self._choose_ranges(ranges)
        else:
            self.choose(chain.from_iterable(ids[top:end] for top, end in ranges))

    def selected_count(self) -> int:
        return sum(end - top for top, end in self._ranges())

    def _ranges(self) -> list[tuple[int, int]]:
        """The selected ranges of rows, from the top; each end is exclusive."""
        ranges = self.selectionModel().selection().toList()
        return sorted((one.top(), one.bottom() + 1) for one in ranges)

    def selectionChanged(self, chosen: QItemSelection, left: QItemSelection) -> None:
        super().selectionChanged(chosen, left)
        self.selection_changed.emit()

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        self.current_changed.emit(
            self._model.paper_at(current.row()) if current.isValid() else None
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = event.position().toPoint()
        index = self.indexAt(place)
        button = self._button_at(place)
        if button and event.button() is Qt.MouseButton.LeftButton:
            paper = [self._model.paper_at(index.row())]
            (self.marked_relevant if button == "+" else self.marked_irrelevant).emit(paper)
        else:
            super().mousePressEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            index = self.indexAt(event.pos())
            tip = TIPS.get(self._button_at(event.pos()), "")
            if self._density is Density.table and index.isValid():
                tip = str(self._model.data(index))
            QToolTip.showText(event.globalPos(), tip, self.viewport())
            return True
        return super().viewportEvent(event)

    def _button_at(self, place: QPoint) -> str:
        """The button of a card at this position; empty if there is none."""
        index = self.indexAt(place)
        if not index.isValid() or self._density is Density.table:
            return ""
        return self._cards.button_at(self.visualRect(index), place)

    def moveCursor(self, action: CursorAction, modifiers: Qt.KeyboardModifier) -> QModelIndex:
        """Home and End go to the first and the last paper; in a table they would go to the first
        and the last column."""
        if action in (CursorAction.MoveHome, CursorAction.MoveEnd) and self._model.rowCount():
            last = self._model.rowCount() - 1
            return self._model.index(0 if action is CursorAction.MoveHome else last, 0)
        return super().moveCursor(action, modifiers)

    def hold_keys(self) -> None:
        """Keep the keys that move in the list or open a paper, until `release_keys`: they are meant
        for the list that is being loaded."""
        if self._held is None:
            self._held = []

    @property
    def holds_keys(self) -> bool:
        """Whether keys are kept for the list that is being loaded."""
        return self._held is not None

    def release_keys(self) -> None:
        """Handle the keys that were kept."""
        held, self._held = self._held or [], None
        for event in held:
            self.keyPressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if self._held is not None and key in _HELD and event.modifiers() in _PLAIN:
            self._held.append(event.clone())
        elif event.text() in ("+", "-") and self.selected_count():
            (self.marked_relevant if event.text() == "+" else self.marked_irrelevant).emit(
                self.selected()
            )
        elif event.modifiers() not in _PLAIN:
            super().keyPressEvent(event)
        elif key in (Qt.Key.Key_J, Qt.Key.Key_K):
            self.go_to(self.currentIndex().row() + (1 if key == Qt.Key.Key_J else -1))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.activated.emit()
        elif key == Qt.Key.Key_Space:
            self.preview_toggled.emit()
        elif key == Qt.Key.Key_Escape:
            self.escaped.emit()
        else:
            super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """Do nothing: Qt would search every row for a title that starts with the typed letters."""


_PLAIN = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
_HELD = (
    *(Qt.Key.Key_J, Qt.Key.Key_K, Qt.Key.Key_Down, Qt.Key.Key_Up),
    *(Qt.Key.Key_PageDown, Qt.Key.Key_PageUp, Qt.Key.Key_Home, Qt.Key.Key_End),
    *(Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space),
)
