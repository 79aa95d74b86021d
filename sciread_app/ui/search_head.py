"""All that stands above the list and says what is in it: box, chips, filters, count, order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QSettings, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QToolButton, QVBoxLayout, QWidget

from sciread_app.domain.conditions import TRASH
from sciread_app.domain.facets import Count
from sciread_app.language import tr, trn
from sciread_app.tasks import Task
from sciread_app.ui.facets import FacetSource, FilterBar
from sciread_app.ui.icons import icon
from sciread_app.ui.jobs import Jobs, Lane
from sciread_app.ui.papers import CardSource, PaperModel
from sciread_app.ui.request import Chip, Request, View
from sciread_app.ui.saving import SavePopover, suggested_name
from sciread_app.ui.scope import ScopeBar
from sciread_app.ui.search_box import SearchBox
from sciread_app.ui.sorting import SortButton
from sciread_app.ui.steering import Steering
from sciread_app.ui.theme import Appearance, Theme, styled
from sciread_app.ui.values import Likeness, Listing

LINE = 32  # pixels that the line above the list is high, whatever stands on it
CRUMB_SHOWN = 60  # characters


class Source(CardSource, FacetSource, Protocol):
    """What the head needs of a library."""

    def names(self, field: str, written: str, task: Task) -> Sequence[Count]:
        """Authors, venues, tags and so on that are called like this, with counts."""
        ...

    def likeness(self, source: Sequence[Path] | str, task: Task) -> Likeness:
        """What files, or a pasted entry, are about. Raises BadQuery where there is no paper."""
        ...


class SearchHead(QWidget):
    """Together its parts make the request; each can be changed by a person at any time."""

    asked = Signal()  # the request has changed, or is asked for again
    entered = Signal(object)  # Request for a list of its own, from which one comes back
    save_wanted = Signal(str, str)  # a name and a query
    weaker_wanted = Signal()

    def __init__(
        self, source: Source, model: PaperModel, jobs: Jobs, appearance: Appearance
    ) -> None:
        super().__init__()
        self._request = Request()
        self.box = SearchBox(appearance)
        self.scope = ScopeBar(appearance)
        self._source = source
        self._jobs = jobs
        self.filters = FilterBar(source, jobs, appearance)
        self.steering = Steering(source, model.known, jobs, appearance)
        self.order = SortButton(appearance)
        self._build()
        self._connect()
        appearance.changed.connect(self._paint)
        self._paint(appearance.theme)

    @property
    def request(self) -> Request:
        """What is asked for now, be it shown yet or not."""
        return replace(self._request, typed=self.box.text)

    def show_request(self, request: Request) -> None:
        """Have all of this on the page; nothing is asked because of it."""
        self._request = request
        self.box.show_text(request.typed)
        self._show_chips()

    def change(self, **parts: object) -> None:
        """Ask for something else by these parts, and for what stands in the box now."""
        self.show_request(replace(self.request, **parts))  # type: ignore[arg-type]
        self.asked.emit()

    def find_like(self, source: Sequence[Path] | str) -> None:
        """Look for what is similar to papers in files, or in a pasted entry, and add none."""

        def look(likeness: Likeness) -> None:
            label = tr("Like “{title}”", title=likeness.title)
            text = (Chip(likeness.text, label),) if likeness.text else ()
            self.entered.emit(Request(scope=text, like=likeness.known))

        self._jobs.run(
            tr("Reading what to look for"),
            lambda task: self._source.likeness(source, task),
            look,
            on_failed=self.box.explain,
            lane=Lane.light,
            instead_of="likeness",
        )

    def lift(self) -> None:
        """Leave nothing but what is typed."""
        self.change(scope=(), filters=(), like=(), unlike=())

    def recall(self) -> None:
        """Offer what was searched for before."""
        self.box.take_focus()
        self.box.recall()

    def save_search(self) -> None:
        """Ask for a name under which to keep what is asked for now."""
        request = self.request
        if request.query:
            popover = SavePopover(suggested_name(request), self)
            popover.named.connect(lambda name: self.save_wanted.emit(name, request.query))
            popover.open_below(self.box.edit)

    def show_view(self, view: View, can_go_back: bool) -> None:
        self.count.setText(count_words(view))
        self.note.setText(view.listing.note)
        self.note.setVisible(bool(view.listing.note))
        self.weaker.setText(weaker_words(view.listing))
        self.weaker.setVisible(bool(view.listing.weaker and view.listing.ids))
        if not view.crumb:
            self.filters.show_view(view.request, self.box.mode)
        self.filter_button.setVisible(not view.crumb)
        self.order.show_for(view.request.ranked)
        self.order.setVisible(not view.crumb and len(view.listing.ids) > 1)
        self.back_button.setVisible(can_go_back)
        self.crumb.setText(_short(view.crumb))
        self.crumb.setVisible(bool(view.crumb))

    def toggle_filters(self) -> None:
        self.filters.toggle()
        self._show_chips()
        self.filter_button.setChecked(self.filters.isVisible())
        if self.filters.isHidden():
            self.box.take_focus()

    def _show_chips(self) -> None:
        """What was filtered stands on the filters themselves where they are seen."""
        hidden = self.filters.isHidden()
        self.scope.show_limits(self._request.scope, self._request.filters if hidden else ())
        self.filters.show_filters(self._request)
        self.box.invite(narrowing=bool(self._request.like))
        self.steering.show_request(self._request)

    def remember(self, settings: QSettings) -> None:
        """Begin as one left off, and keep there what is chosen from now on."""
        self.order.restore(settings.value("search/order"))
        self.order.chosen.connect(lambda _: settings.setValue("search/order", self.order.save()))
        recent = settings.value("search/recent")
        self.box.recent = [str(one) for one in recent] if isinstance(recent, list) else []
        self.box.searched.connect(lambda recent: settings.setValue("search/recent", recent))

    def _find_names(self, field: str, written: str) -> None:
        self._jobs.run(
            tr("Looking for names"),
            lambda task: self._source.names(field, written, task),
            lambda names: self.box.offer_names(field, written, names),
            lane=Lane.light,
            instead_of="names",
        )

    def _remove_scope(self, chip: Chip) -> None:
        self.change(scope=tuple(one for one in self._request.scope if one != chip))

    def _remove_filter(self, field: str) -> None:
        self.change(filters=tuple(one for one in self._request.filters if one.field != field))

    def _build(self) -> None:
        self.back_button = styled(QPushButton(tr("Back")), "link")
        self.crumb = QLabel()
        self.count = styled(QLabel(), "quiet")
        self.note = styled(QLabel(), "quiet")
        self.weaker = styled(QPushButton(), "link")
        self.weaker.clicked.connect(self.weaker_wanted)
        for label in (self.crumb, self.note):
            label.setTextFormat(Qt.TextFormat.PlainText)
        self._line = QHBoxLayout()
        self._line.setContentsMargins(4, 0, 4, 0)
        self._line.addStrut(LINE)
        for widget in (self.back_button, self.crumb, self.note, self.weaker):
            widget.hide()
        for widget in (self.back_button, self.crumb, self.count, self.weaker, self.note):
            self._line.addWidget(widget)
        self.filter_button = styled(QToolButton(), "link")
        self.filter_button.setText(tr("Filter"))
        self.filter_button.setToolTip(tr("By year, field, venue, author and more (Ctrl+Shift+F)"))
        self.filter_button.setCheckable(True)
        self.filter_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._line.addStretch()
        self._line.addWidget(self.filter_button)
        self._line.addWidget(self.order)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        for part in (self.box, self.scope, self.steering):
            column.addWidget(part)
        column.addLayout(self._line)
        column.addWidget(self.filters)  # below the button that shows them, which stays in its place

    def _connect(self) -> None:
        self.box.asked.connect(self.asked)
        self.box.entry_pasted.connect(self.find_like)
        self.filters.left.connect(self.box.down)
        self.box.names_wanted.connect(self._find_names)
        self.filter_button.clicked.connect(self.toggle_filters)
        self.filters.changed.connect(lambda filters: self.change(filters=filters))
        self.order.chosen.connect(lambda order: self.asked.emit())
        self.scope.scope_removed.connect(self._remove_scope)
        self.scope.filter_removed.connect(self._remove_filter)
        self.steering.changed.connect(lambda like, unlike: self.change(like=like, unlike=unlike))

    def _paint(self, theme: Theme) -> None:
        self.back_button.setIcon(icon("back", theme.accent))
        self.filter_button.setIcon(icon("filter", theme.accent))


def count_words(view: View) -> str:
    """How many papers there are, for a person."""
    total, shown, request = view.listing.total, len(view.listing.ids), view.request
    if not shown:
        return ""
    weaker = sum(one.weak for one in view.listing.evidence.values()) if total < shown else 0
    if weaker and not view.listing.weaker:
        return trn(
            "{n:,} paper, and {weaker:,} weaker matches",
            "{n:,} papers, and {weaker:,} weaker matches",
            total,
            weaker=weaker,
        )
    if not view.crumb:
        if request == Request():
            return trn("{n:,} paper in the library", "{n:,} papers in the library", total)
        if request.like and not request.typed:
            return trn("{n:,} similar paper", "{n:,} similar papers", shown)
        if total > shown:
            return trn(
                "The best {shown:,} of {n:,} paper",
                "The best {shown:,} of {n:,} papers",
                total,
                shown=shown,
            )
    return trn("{n:,} paper", "{n:,} papers", shown)


def weaker_words(listing: Listing) -> str:
    return trn("Show {n} weaker match", "Show {n} weaker matches", len(listing.weaker))


def _short(crumb: str) -> str:
    return crumb if len(crumb) <= CRUMB_SHOWN else f"{crumb[:CRUMB_SHOWN].rstrip()}…"


# What is said when nothing was found: a picture, a title and a text.
_HINTS = tr(
    "Use fewer or other words, or the switch to Meaning, which finds papers that say it "
    "differently. Words are joined by “and”; a minus leaves out, a star completes."
)
_FILL = tr(
    "Drop files or folders here: BibTeX, RIS, CSL-JSON, PubMed, arXiv or PDF. "
    "Or look around in a hundred well-known papers first."
)


def nothing_words(view: View) -> tuple[str, str, str]:
    """Why the list is empty: a picture, a title, and what to do."""
    request = view.request
    if view.crumb:
        return "papers", tr("None of these papers is here any more"), ""
    if view.listing.weaker:
        return "search", tr("No match"), view.listing.note or _HINTS
    if request == Request():
        return "drop", tr("Your library is empty"), _FILL
    if request.like and not request.typed:
        return (
            "similar",
            tr("No similar papers"),
            tr("Papers are found by meaning once they are encoded."),
        )
    if request.of_trash and not request.typed:
        return (
            TRASH,
            tr("The trash is empty"),
            tr("What you move there can be brought back from here."),
        )
    if not request.typed and request.scope and not request.filters:
        return "papers", tr("Nothing is in here yet"), tr("Drag papers here from any list.")
    return "search", tr("Nothing found"), _HINTS
