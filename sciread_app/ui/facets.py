"""The filters above the list: a row of buttons, each with what can be chosen and how often."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import NamedTuple, Protocol

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from sciread_app.domain.facets import Facets
from sciread_app.language import tr
from sciread_app.paths import resource
from sciread_app.tasks import Task
from sciread_app.ui.facets_values import ValueList
from sciread_app.ui.facets_years import YearHistogram
from sciread_app.ui.flow import Flow
from sciread_app.ui.icons import icon
from sciread_app.ui.jobs import Jobs, Lane, Problem
from sciread_app.ui.placing import put_below
from sciread_app.ui.request import Filter, Request
from sciread_app.ui.scope import words_for
from sciread_app.ui.theme import Appearance, Theme, restyled, scaled, styled
from sciread_app.ui.values import Mode

DRAWN_MS = 120  # between two searches while a range of years is drawn


class Words(NamedTuple):
    """What a filter is called: its button, what it offers, what lifts it, where it is narrowed."""

    title: str
    offer: str
    any: str
    narrow: str = ""


OFFERS = {
    "year": Words(tr("Years"), tr("Filter by years"), tr("Any years")),
    "cat": Words(
        # Translators: a subject area, such as Computation and Language
        tr("Field"),
        tr("Filter by field"),
        tr("Any field"),
        tr("Narrow the list: field"),
    ),
    "venue": Words(
        # Translators: a journal or conference
        tr("Venue"),
        tr("Filter by venue"),
        tr("Any venue"),
        tr("Narrow the list: venue"),
    ),
    "author": Words(
        tr("Author"), tr("Filter by author"), tr("Any author"), tr("Narrow the list: author")
    ),
    "in": Words(
        tr("Collection"),
        tr("Filter by collection"),
        tr("Any collection"),
        tr("Narrow the list: collection"),
    ),
    "tag": Words(tr("Tag"), tr("Filter by tag"), tr("Any tag"), tr("Narrow the list: tag")),
}
SWITCHES = {"has": (tr("Has a PDF"), ("pdf",)), "is": (tr("Unread"), ("unread",))}


class FacetSource(Protocol):
    def facets(self, query: str, mode: Mode, task: Task) -> Facets:
        """The counts among all papers that a query finds. Raises BadQuery."""
        ...


@lru_cache(maxsize=1)
def _arxiv() -> dict[str, str]:
    categories = json.loads(resource("arxiv_categories.json").read_text("utf-8"))["categories"]
    return {key.casefold(): about["name"] for key, about in categories.items()}


def field_words(field: str) -> str:
    """cs.CL as Computation and Language (cs.CL)."""
    name = _arxiv().get(field.casefold())
    return f"{name} ({field})" if name else field


class Popover(QFrame):
    """What one filter offers, below its button."""

    chosen = Signal(str, object)  # field, tuple of values
    closed = Signal()

    def __init__(self, field: str, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("popover")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.field = field
        words = OFFERS[field]
        self.setAccessibleName(words.offer)
        self._pause = QTimer(self, singleShot=True, interval=DRAWN_MS)
        self.wait = styled(QLabel(tr("Counting…")), "quiet")
        self.clear = styled(QPushButton(words.any), "link")
        self.clear.clicked.connect(self._clear)
        self.said = styled(QLabel(), "quiet")
        self.years: YearHistogram | None = None
        self.list: ValueList | None = None
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 12, 8)
        column.addWidget(self.wait)
        if field == "year":
            self.years = YearHistogram(appearance)
            self.years.changed.connect(lambda *_: self._pause.start())
            self.years.lifted.connect(self._clear)
            self._pause.timeout.connect(self._report_years)
            self.years.described.connect(self.said.setText)
            self.setFocusProxy(self.years)
            column.addWidget(self.years)
        else:
            self.list = ValueList(words.title, words.narrow, field_words if field == "cat" else str)
            self.list.changed.connect(partial(self.chosen.emit, field))
            self.setFocusProxy(self.list)
            column.addWidget(self.list)
        row = QHBoxLayout()
        row.addWidget(self.clear)
        row.addStretch()
        row.addWidget(self.said)
        column.addLayout(row)

    def show_facets(self, facets: Facets, chosen: Sequence[str]) -> None:
        self.wait.hide()
        if self.years:
            self.years.show_years(facets.years, _range(chosen[0]) if chosen else None)
        elif self.list:
            self.list.show_values(facets.values.get(self.field, ()), chosen)

    def _report_years(self) -> None:
        assert self.years
        if drawn := self.years.range:
            first, last = drawn
            shown_first, shown_last = self.years.limits
            begin = "" if first == shown_first else str(first)
            end = "" if last == shown_last else str(last)
            self.chosen.emit("year", (f"{begin}..{end}",) if begin or end else ())

    def _clear(self) -> None:
        self._pause.stop()
        self.chosen.emit(self.field, ())
        self.close()

    def hideEvent(self, event: QHideEvent) -> None:
        if self._pause.isActive():
            self._pause.stop()
            self._report_years()
        self.closed.emit()
        super().hideEvent(event)


class FilterBar(QWidget):
    """Hidden until it is asked for. Counts nothing while it is hidden."""

    changed = Signal(object)  # tuple of Filter
    left = Signal()  # by Esc, on to the list

    def __init__(self, source: FacetSource, jobs: Jobs, appearance: Appearance) -> None:
        super().__init__()
        self._source = source
        self._jobs = jobs
        self._appearance = appearance
        self._request, self._mode = Request(), Mode.hybrid  # what the list shows
        self._filters: dict[str, tuple[str, ...]] = {}
        self.popover: Popover | None = None
        self.buttons: dict[str, QPushButton] = {}
        self._flow = Flow(6)
        self.setLayout(self._flow)
        self.setAccessibleName(tr("Filters"))
        for field, words in OFFERS.items():
            self._add(field, words.title, partial(self.open, field))
        for field, (title, values) in SWITCHES.items():
            self._add(field, title, partial(self._switch, field, values)).setCheckable(True)
        self.clear = styled(QPushButton(tr("Clear")), "link")
        self.clear.clicked.connect(lambda: self._choose_all({}))
        self._flow.addWidget(self.clear)
        self.hide()
        appearance.changed.connect(self._paint)
        self._paint(appearance.theme)
        self._show_chosen()

    def show_view(self, request: Request, mode: Mode) -> None:
        """The list shows what was found for this."""
        self._request, self._mode = request, mode
        self.show_filters(request)
        self._count()

    def show_filters(self, request: Request) -> None:
        self._filters = {one.field: one.values for one in request.filters}
        self._show_chosen()

    def toggle(self) -> None:
        self.setVisible(self.isHidden())
        if self.isVisible():
            self._count()
            self.buttons["year"].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def open(self, field: str) -> None:
        """What this filter offers, below its button."""
        button = self.buttons[field]
        self.popover = popover = Popover(field, self._appearance, self)
        popover.chosen.connect(self._choose)
        popover.closed.connect(self._closed)
        self._look_up(
            self._request.without(field),
            lambda facets: self._show_offer(popover, facets),
            "count for a filter",
        )
        put_below(popover, button)
        popover.show()
        popover.setFocus(Qt.FocusReason.PopupFocusReason)

    def _show_offer(self, popover: Popover, facets: Facets) -> None:
        if popover is self.popover:
            popover.show_facets(facets, self._filters.get(popover.field, ()))
            put_below(popover, self.buttons[popover.field])  # it has another size now

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
            self._show_chosen()
            self.changed.emit(tuple(Filter(*one) for one in filters.items()))

    def _count(self) -> None:
        if self.isVisible():
            self._look_up(self._request.query, self._show_counts, "count for the filters")

    def _look_up(self, query: str, show: Callable[[Facets], None], name: str) -> None:
        mode = self._mode
        self._jobs.run(
            tr("Counting for the filters"),
            lambda task: self._source.facets(query, mode, task),
            show,
            on_failed=self._cannot,
            lane=Lane.light,
            instead_of=name,
        )

    def _cannot(self, problem: Problem) -> None:
        """What is wrong with the query is said below the box; here there is nothing to count."""
        if self.popover:
            self.popover.wait.setText(problem.message)

    def _show_counts(self, facets: Facets) -> None:
        for field, count in (("has", facets.pdf), ("is", facets.unread)):
            title = SWITCHES[field][0]
            self.buttons[field].setText(f"{title}  {count:,}")
            self.buttons[field].setAccessibleName(f"{title}, {count:,}")
        self._flow.invalidate()
        self._flow.activate()

    def _show_chosen(self) -> None:
        for field, button in self.buttons.items():
            values = self._filters.get(field)
            restyled(button, "chosen" if values else "chip")
            if field in SWITCHES:
                button.setChecked(bool(values))
                continue
            text = words_for(Filter(field, values)) if values else str(button.property("title"))
            short = text if len(text) <= 40 else f"{text[:40].rstrip()}…"
            button.setText(short.replace("&", "&&"))
            button.setAccessibleName(f"{button.property('title')}: {text}" if values else text)
        self.clear.setVisible(bool(self._filters))
        self._flow.invalidate()

    def _add(self, field: str, title: str, do: Callable[[], object]) -> QPushButton:
        button = styled(QPushButton(title), "chip")
        button.setProperty("title", title)
        button.setFont(scaled(self.font(), 0.94))
        button.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the arrow is behind the text
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
