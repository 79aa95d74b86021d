"""The filter bar: a row of buttons, each with a popover of values and their counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from sciread_app.domain.metadata import subject_areas
from sciread_app.domain.query.facets import FacetCounts
from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.language import tr, trn
from sciread_app.ui.formatting import shortened
from sciread_app.ui.jobs.runner import JobError, JobRunner
from sciread_app.ui.query_state import SearchFilter, SearchRequest
from sciread_app.ui.search.filters.value_filter import ValueList
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, Theme, restyled, scaled, styled
from sciread_app.ui.widgets.charts.year_histogram import YearHistogram
from sciread_app.ui.widgets.dialogs.window_placement import move_below
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.layout.flow_layout import FlowLayout
from sciread_app.ui.widgets.rounded_popup import RoundedPopup

if TYPE_CHECKING:
    from sciread_app.ui.search.gateway import SearchGateway

TEXT_SHOWN = 40  # characters on a button
DRAWN_MS = 120  # between two searches while a year range is dragged


class Words(NamedTuple):
    """The texts of one filter: its button, the popover, the clear button and the field that narrows
    the list."""

    title: str
    offer: str
    any: str
    narrow: str = ""


OFFERS = {
    "year": Words(tr("Years"), tr("Filter by year"), tr("Any year")),
    "cat": Words(
        # Translators: a subject area, such as Computation and Language
        tr("Field"),
        tr("Filter by field"),
        tr("Any field"),
        tr("Filter the list of fields"),
    ),
    "venue": Words(
        # Translators: a journal or conference
        tr("Venue"),
        tr("Filter by venue"),
        tr("Any venue"),
        tr("Filter the list of venues"),
    ),
    "author": Words(
        tr("Author"), tr("Filter by author"), tr("Any author"), tr("Filter the list of authors")
    ),
    "in": Words(
        tr("Collection"),
        tr("Filter by collection"),
        tr("Any collection"),
        tr("Filter the list of collections"),
    ),
    "tag": Words(tr("Tag"), tr("Filter by tag"), tr("Any tag"), tr("Filter the list of tags")),
}
SWITCHES = {"has": (tr("Has PDF"), ("pdf",)), "is": (tr("Unread"), ("unread",))}


def field_words(field: str) -> str:
    """A subject area such as cs.CL as Computation and Language (cs.CL)."""
    name = subject_areas.name_of(field)
    return f"{name} ({field})" if name else field


def filter_text(one: SearchFilter) -> str:
    """A filter as text."""
    if one.field == "year":
        return _years(one.values[0])
    switch = SWITCHES.get(one.field)
    if switch and switch[1] == one.values:
        return switch[0]
    if len(one.values) < 2:
        return "".join(one.values)
    first, second, *more = one.values
    if not more:
        return tr("{first} or {second}", first=first, second=second)
    return trn(
        "{first} or {second} or {n} more",
        "{first} or {second} or {n} more",
        len(more),
        first=first,
        second=second,
    )


def _years(value: str) -> str:
    """A range of years as text: 2015..2019 as «Years 2015–2019», and so on."""
    first, _, last = value.partition("..")
    if first and last:
        return tr("Years {years}", years=first if first == last else f"{first}–{last}")
    return tr("Years from {year}", year=first) if first else tr("Years up to {year}", year=last)


class Popover(RoundedPopup):
    """The popover of one filter, below its button."""

    selected = Signal(str, object)  # field, tuple of values
    closed = Signal()

    def __init__(self, field: str, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("popover")
        self.field = field
        words = OFFERS[field]
        self.setAccessibleName(words.offer)
        self._pause = QTimer(self, singleShot=True, interval=DRAWN_MS)
        self.wait = styled(QLabel(tr("Counting…")), "quiet")
        self.clear = styled(QPushButton(words.any), "link")
        self.clear.clicked.connect(self._clear)
        self.range_text = styled(QLabel(), "quiet")
        self.years: YearHistogram | None = None
        self.list: ValueList | None = None
        values: QWidget
        if field == "year":
            self.years = YearHistogram(appearance)
            self.years.setFixedSize(self.years.sizeHint())
            self.years.changed.connect(lambda *_: self._pause.start())
            self.years.reset.connect(self._clear)
            self._pause.timeout.connect(self._report_years)
            self.years.description_changed.connect(self.range_text.setText)
            values = self.years
        else:
            self.list = ValueList(words.title, words.narrow, field_words if field == "cat" else str)
            self.list.changed.connect(partial(self.selected.emit, field))
            values = self.list
        self.setFocusProxy(values)
        foot = row(self.clear, 0, self.range_text)
        column(self.wait, values, foot, parent=self, margins=(12, 12, 12, 8))

    def show_facets(self, facets: FacetCounts, chosen: Sequence[str]) -> None:
        self.wait.hide()
        if self.years:
            self.years.show_years(facets.years, _range(chosen[0]) if chosen else None)
        elif self.list:
            self.list.show_values(facets.values.get(self.field, ()), chosen)
            self.adjustSize()

    def _report_years(self) -> None:
        assert self.years
        if drawn := self.years.range:
            first, last = drawn
            shown_first, shown_last = self.years.limits
            begin = "" if first == shown_first else str(first)
            end = "" if last == shown_last else str(last)
            self.selected.emit("year", (f"{begin}..{end}",) if begin or end else ())

    def _clear(self) -> None:
        self._pause.stop()
        self.selected.emit(self.field, ())
        self.close()

    def hideEvent(self, event: QHideEvent) -> None:
        if self._pause.isActive():
            self._pause.stop()
            self._report_years()
        self.closed.emit()
        super().hideEvent(event)


class FilterBar(QWidget):
    """The row of filter buttons, initially hidden. No counts are requested while it is hidden."""

    changed = Signal(object)  # tuple of Filter
    escaped = Signal()  # by Esc; the focus goes to the list

    def __init__(self, source: SearchGateway, jobs: JobRunner, appearance: Appearance) -> None:
        super().__init__()
        self._source = source
        self._jobs = jobs
        self._appearance = appearance
        self._request, self._mode = SearchRequest(), SearchMode.hybrid  # of the list shown
        self._filters: dict[str, tuple[str, ...]] = {}
        self.popover: Popover | None = None
        self.buttons: dict[str, QPushButton] = {}
        self._flow = FlowLayout(6)
        self.setLayout(self._flow)
        self.setAccessibleName(tr("Filters"))
        for field, words in OFFERS.items():
            self._add(field, words.title, partial(self.open, field))
        for field, (title, values) in SWITCHES.items():
            self._add(field, title, partial(self._switch, field, values)).setCheckable(True)
        self.clear = styled(QPushButton(tr("Clear filters")), "link")
        self.clear.clicked.connect(lambda: self._choose_all({}))
        self._flow.addWidget(self.clear)
        self.hide()
        appearance.follow(self._paint)
        self._show_selected()

    def show_view(self, request: SearchRequest, mode: SearchMode) -> None:
        """Update for the results of this request."""
        self._request, self._mode = request, mode
        self.show_filters(request)
        self._count()

    def show_filters(self, request: SearchRequest) -> None:
        self._filters = {one.field: one.values for one in request.filters}
        self._show_selected()

    def toggle(self) -> None:
        self.setVisible(self.isHidden())
        if self.isVisible():
            self._count()
            self.buttons["year"].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
        else:
            super().keyPressEvent(event)

    def open(self, field: str) -> None:
        """Open the popover of this filter."""
        button = self.buttons[field]
        self.popover = popover = Popover(field, self._appearance, self)
        popover.selected.connect(self._choose)
        popover.closed.connect(self._closed)
        self._look_up(
            self._request.without(field),
            lambda facets: self._show_offer(popover, facets),
            "count for a filter",
        )
        move_below(popover, button)
        popover.show()
        popover.setFocus(Qt.FocusReason.PopupFocusReason)

    def _show_offer(self, popover: Popover, facets: FacetCounts) -> None:
        if popover is self.popover:
            popover.show_facets(facets, self._filters.get(popover.field, ()))
            move_below(popover, self.buttons[popover.field])  # its size has changed

    def _closed(self) -> None:
        self.popover = None

    def _switch(self, field: str, values: tuple[str, ...]) -> None:
        self._choose(field, () if field in self._filters else values)

    def _choose(self, field: str, values: tuple[str, ...]) -> None:
        chosen = {**self._filters, field: values}
        self._choose_all({name: some for name, some in chosen.items() if some})

    def _choose_all(self, filters: dict[str, tuple[str, ...]]) -> None:
        if filters != self._filters:
            self._filters = filters
            self._show_selected()
            self.changed.emit(tuple(SearchFilter(*one) for one in filters.items()))

    def _count(self) -> None:
        if self.isVisible():
            self._look_up(self._request, self._show_counts, "count for the filters")

    def _look_up(
        self, request: SearchRequest, show: Callable[[FacetCounts], None], name: str
    ) -> None:
        mode = self._mode
        self._jobs.run(
            tr("Counting papers for the filters"),
            lambda task: self._source.facets(request.parsed, mode, task),
            show,
            on_failed=self._cannot,
            replaces=name,
        )

    def _cannot(self, problem: JobError) -> None:
        """A query error is shown below the search box; there are no counts to show."""
        if self.popover:
            self.popover.wait.setText(problem.message)

    def _show_counts(self, facets: FacetCounts) -> None:
        for field, count in (("has", facets.pdf), ("is", facets.unread)):
            title = SWITCHES[field][0]
            self.buttons[field].setText(f"{title}  {count:,}")
            self.buttons[field].setAccessibleName(f"{title}, {count:,}")
        self._flow.invalidate()
        self._flow.activate()

    def _show_selected(self) -> None:
        for field, button in self.buttons.items():
            values = self._filters.get(field)
            restyled(button, "chosen" if values else "chip")
            if field in SWITCHES:
                button.setChecked(bool(values))
                continue
            text = (
                filter_text(SearchFilter(field, values))
                if values
                else str(button.property("title"))
            )
            button.setText(shortened(text, TEXT_SHOWN).replace("&", "&&"))
            button.setAccessibleName(f"{button.property('title')}: {text}" if values else text)
        self.clear.setVisible(bool(self._filters))
        self._flow.invalidate()

    def _add(self, field: str, title: str, do: Callable[[], object]) -> QPushButton:
        button = styled(QPushButton(title), "chip")
        button.setProperty("title", title)
        button.setFont(scaled(self.font(), 0.94))
        button.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # puts the arrow after the text
        button.clicked.connect(lambda: do())
        self.buttons[field] = button
        self._flow.addWidget(button)
        return button

    def _paint(self, theme: Theme) -> None:
        for field, button in self.buttons.items():
            if field not in SWITCHES:
                button.setIcon(icon("down", theme.quiet))


def _range(value: str) -> tuple[int, int]:
    first, _, last = value.partition("..")
    return int(first or 0), int(last or 9999)
