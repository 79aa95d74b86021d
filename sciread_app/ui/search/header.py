"""The header of the result list: search box, chips, filters, count, sort order and view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from sciread_app.language import tr, trn
from sciread_app.ui.formatting import shortened
from sciread_app.ui.jobs.runner import JobRunner
from sciread_app.ui.jobs.saved_state import SavedState
from sciread_app.ui.paper_list.paper_list import PaperModel
from sciread_app.ui.query_state import QueryChip, ResultView, SearchFilter, SearchRequest
from sciread_app.ui.search.empty_list import contains_note
from sciread_app.ui.search.filters.filter_bar import FilterBar, filter_text
from sciread_app.ui.search.query_box.example_bar import ExampleBar
from sciread_app.ui.search.query_box.search_box import SearchBox
from sciread_app.ui.search.sort_button import SortButton
from sciread_app.ui.search.view_mode import SWITCH_KEYS, VIEW_MODES, ViewMode
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, Theme, styled
from sciread_app.ui.widgets.chip_row import ChipLabel, ChipRow
from sciread_app.ui.widgets.dialogs.window_placement import move_below
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.rounded_popup import RoundedPopup
from sciread_app.ui.widgets.segmented_control import SegmentedControl
from sciread_app.ui.widgets.text.labels import ElidedLabel

if TYPE_CHECKING:
    from sciread_app.services.search.query_by_document import QueryDocument
    from sciread_app.ui.paper_list.paper_list import CardSource
    from sciread_app.ui.search.gateway import SearchGateway
from functools import partial

from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu

from sciread_app.ui.paper_list.density import DENSITIES, Density
from sciread_app.ui.widgets.rounded_popup import rounded

LINE = 32  # pixels: the height of the line above the list, whatever it contains
TITLE_SHOWN = 60  # characters
POPOVER_WIDTH = 380
LONGEST = 60  # characters of a suggested name


class SearchHeader(QWidget):
    """Its widgets together make up the search request; the user can change each at any time."""

    search_requested = Signal()  # the request has changed, or is to be run again
    activated = Signal(object)  # SearchRequest for a separate list, with a way back
    save_requested = Signal(str, str)  # a name and a query
    mode_selected = Signal(object)  # ViewMode

    def __init__(
        self,
        source: SearchGateway,
        cards: CardSource,
        model: PaperModel,
        jobs: JobRunner,
        appearance: Appearance,
    ) -> None:
        super().__init__()
        self._request = SearchRequest()
        self.search_box = SearchBox(appearance)
        self.scope = ChipRow(tr("Search scope"), appearance)
        self._source = source
        self._jobs = jobs
        self.filters = FilterBar(source, jobs, appearance)
        self.steering = ExampleBar(cards, model.known, jobs, appearance)
        self.order = SortButton(appearance)
        self.density = DensityButton(appearance)
        choices = [(name, f"{what} ({SWITCH_KEYS})") for name, what in VIEW_MODES.values()]
        self.view_switch = SegmentedControl(tr("View of the papers"), choices)
        self._mode = ViewMode.list
        self._sortable = self._comparable = False
        self._narrow = False
        self._weaker = 0
        self._repeated = False  # whether the empty list already contains the note
        self._build()
        self._connect()
        appearance.follow(self._paint)

    @property
    def request(self) -> SearchRequest:
        """The current request, whether its results are shown yet or not."""
        return replace(self._request, typed=self.search_box.text)

    def show_request(self, request: SearchRequest) -> None:
        """Put this request into the widgets, without running it."""
        self._request = request
        self.search_box.show_text(request.typed)
        self._show_chips()

    def change(self, **parts: object) -> None:
        """Run the current request with these fields replaced."""
        self.show_request(replace(self.request, **parts))  # type: ignore[arg-type]
        self.search_requested.emit()

    def find_like(self, source: Sequence[Path] | str) -> None:
        """Search for papers similar to those in files or in a pasted entry, which are not
        imported."""

        def look(likeness: QueryDocument) -> None:
            label = tr("Similar to “{title}”", title=likeness.title)
            text = (QueryChip(likeness.text, label),) if likeness.text else ()
            self.activated.emit(SearchRequest(scope=text, like=likeness.known))

        self._jobs.run(
            tr("Reading the files for the search"),
            lambda task: self._source.likeness(source, task),
            look,
            on_failed=self.search_box.explain,
            replaces="likeness",
        )

    def lift(self) -> None:
        """Remove every restriction except the text."""
        self.change(scope=(), filters=(), like=(), unlike=())

    def recall(self) -> None:
        """Offer recent searches."""
        self.search_box.take_focus()
        self.search_box.recall()

    def save_search(self) -> None:
        """Ask for a name and save the current request under it."""
        request = self.request
        if request.query:
            popover = SavePopover(suggested_name(request), self)
            popover.name_entered.connect(lambda name: self.save_requested.emit(name, request.query))
            move_below(popover, self.search_box.edit)
            popover.show()
            popover.name.setFocus(Qt.FocusReason.PopupFocusReason)

    def show_count(self, text: str) -> None:
        """Show the number of papers, or the progress of the search."""
        self.count.setText(text)
        self.count.setVisible(bool(text))

    def show_view(self, view: ResultView, can_go_back: bool) -> None:
        """Show the count, the note and the options of the results that are now listed."""
        self.show_count(count_text(view))
        self.note.setText(view.listing.note)
        self._repeated = contains_note(view)
        self._weaker = len(view.listing.weaker)
        self._show_weaker()
        self.weaker.setVisible(bool(view.listing.weaker and view.listing.ids))
        if not view.title:
            self.filters.show_view(view.request, self.search_box.mode)
        self.filter_button.setVisible(not view.title)
        self.order.show_for(view.request.ranked)
        of_library = not (view.title or view.invalid)
        self._comparable = bool(view.request.typed and view.request.ranked and of_library)
        self._sortable = not view.title and len(view.listing.ids) > 1
        self._show_list_options()
        self.back_button.setVisible(can_go_back)
        self.title.setText(shortened(view.title, TITLE_SHOWN))
        self.title.setVisible(bool(view.title))

    def show_mode(self, mode: ViewMode) -> None:
        """Show which view is shown; the options of the list are hidden on the map."""
        self._mode = mode
        self.view_switch.choose(list(ViewMode).index(mode))
        self._show_list_options()

    def set_narrow(self, narrow: bool) -> None:
        """Take less width in a narrow page: the density is in the menu too."""
        self._narrow = narrow
        self.back_button.setText("" if narrow else tr("Back"))
        self.back_button.setToolTip(tr("Back") if narrow else "")
        self._show_weaker()
        style = Qt.ToolButtonStyle
        self.order.setToolButtonStyle(
            style.ToolButtonIconOnly if narrow else style.ToolButtonTextBesideIcon
        )
        self._show_list_options()

    def _show_list_options(self) -> None:
        listed = self._mode is ViewMode.list
        self.order.setVisible(listed and self._sortable)
        self.density.setVisible(listed and not self._narrow)
        self.note.setVisible(bool(self.note.text()) and not (listed and self._repeated))
        self.compare.setVisible(listed and self._comparable and not self._narrow)

    def _show_weaker(self) -> None:
        text = weak_matches_text(self._weaker)
        short = trn("Show {n} more", "Show {n} more", self._weaker)
        self.weaker.setText(short if self._narrow else text)
        self.weaker.setToolTip(text if self._narrow else "")

    def toggle_filters(self) -> None:
        self.filters.toggle()
        self._show_chips()
        self.filter_button.setChecked(self.filters.isVisible())
        if self.filters.isHidden():
            self.search_box.take_focus()

    def _show_chips(self) -> None:
        """Filters have no chips while the filter bar shows them."""
        hidden = self.filters.isHidden()
        scope = [ChipLabel(chip, chip.label) for chip in self._request.scope]
        chosen = [ChipLabel(one, filter_text(one)) for one in self._request.filters if hidden]
        # Translators: before the names of collections and tags
        self.scope.show_groups([(tr("In"), scope), ("", chosen)])
        self.filters.show_filters(self._request)
        self.search_box.invite(narrowing=bool(self._request.like))
        self.steering.show_request(self._request)

    def remember(self, settings: SavedState) -> None:
        """Restore the state from `settings`, and save changes there."""
        self.density.restore(settings.value("search/density"))
        self.density.selected.connect(lambda one: settings.setValue("search/density", one.value))
        self.order.restore(settings.value("search/order"))
        self.order.selected.connect(lambda _: settings.setValue("search/order", self.order.save()))
        recent = settings.value("search/recent")
        self.search_box.recent = [str(one) for one in recent] if isinstance(recent, list) else []
        self.search_box.searched.connect(lambda recent: settings.setValue("search/recent", recent))

    def _find_names(self, field: str, written: str) -> None:
        self._jobs.run(
            tr("Looking up names"),
            lambda task: self._source.names(field, written, task),
            lambda names: self.search_box.offer_names(field, written, names),
            replaces="names",
        )

    def _lift_limit(self, limit: QueryChip | SearchFilter) -> None:
        self.change(
            scope=tuple(one for one in self._request.scope if one != limit),
            filters=tuple(one for one in self._request.filters if one != limit),
        )

    def _build(self) -> None:
        self.back_button = styled(QPushButton(tr("Back")), "link")
        self.title = QLabel()
        self.back_button.setAccessibleName(tr("Back"))
        self.count = styled(ElidedLabel(), "quiet")
        self.count.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.note = styled(QLabel(wordWrap=True), "quiet")
        self.weaker = styled(QPushButton(), "link")
        for label in (self.title, self.note):
            label.setTextFormat(Qt.TextFormat.PlainText)
        self._line = QHBoxLayout()
        self._line.setContentsMargins(4, 0, 0, 0)
        self._line.addStrut(LINE)
        for widget in (self.back_button, self.title, self.note, self.weaker):
            widget.hide()
        for widget in (self.back_button, self.title, self.count, self.weaker):
            self._line.addWidget(widget)
        # before the stretch, so that it wraps only if necessary
        self._line.addWidget(self.note, 1000)
        self.compare = styled(QPushButton(tr("Compare models")), "link")
        self.compare.setToolTip(tr("Show what two models find for this query (Ctrl+Shift+K)"))
        self.filter_button = styled(QToolButton(), "link")
        self.filter_button.setText(tr("Filters"))
        self.filter_button.setToolTip(
            tr("Filter by year, field, venue, author, and more (Ctrl+Shift+F)")
        )
        self.filter_button.setCheckable(True)
        self.filter_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._line.addStretch(1)
        self._line.addWidget(self.compare)
        self._line.addWidget(self.filter_button)
        self._line.addWidget(self.order)
        self._line.addWidget(self.density)
        self._line.addWidget(self.view_switch)
        # The filters are below their button, which stays in its place.
        parts = (self.search_box, self.scope, self.steering, self._line, self.filters)
        column(*parts, parent=self, margins=0, spacing=8)

    def _connect(self) -> None:
        self.search_box.search_requested.connect(self.search_requested)
        self.search_box.entry_pasted.connect(self.find_like)
        self.filters.escaped.connect(self.search_box.down_pressed)
        self.search_box.names_requested.connect(self._find_names)
        self.filter_button.clicked.connect(self.toggle_filters)
        self.filters.changed.connect(lambda filters: self.change(filters=filters))
        self.order.selected.connect(lambda order: self.search_requested.emit())
        self.view_switch.selected.connect(
            lambda number: self.mode_selected.emit(list(ViewMode)[number])
        )
        self.scope.removed.connect(self._lift_limit)
        self.steering.changed.connect(lambda like, unlike: self.change(like=like, unlike=unlike))

    def _paint(self, theme: Theme) -> None:
        self.back_button.setIcon(icon("back", theme.accent))
        self.filter_button.setIcon(icon("filter", theme.accent))


class SavePopover(RoundedPopup):
    """A popover with a name field. Enter saves, Esc closes."""

    name_entered = Signal(str)

    def __init__(self, suggestion: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("popover")
        self.setAccessibleName(tr("Save search"))
        self.name = styled(QLineEdit(suggestion), "field")
        self.name.setAccessibleName(tr("Name of the saved search"))
        self.name.selectAll()
        self.save = styled(QPushButton(tr("Save")), "primary")
        heading = QLabel(tr("Save search as"))
        column(heading, row((self.name, 1), self.save), parent=self, margins=(12, 10, 12, 12))
        self.setFixedWidth(POPOVER_WIDTH)
        self.setFocusProxy(self.name)
        self.save.clicked.connect(self._report)
        self.name.returnPressed.connect(self._report)
        self.name.textChanged.connect(lambda text: self.save.setEnabled(bool(text.strip())))

    def _report(self) -> None:
        if name := self.name.text().strip():
            self.name_entered.emit(name)
            self.close()


def suggested_name(request: SearchRequest) -> str:
    """The labels of the request in a few words."""
    parts = [
        request.typed,
        *(chip.label for chip in request.scope),
        *(filter_text(one) for one in request.filters),
    ]
    name = ", ".join(filter(None, parts)) or tr("Similar papers")
    return shortened(name, LONGEST)


def count_text(view: ResultView) -> str:
    """The number of papers, as a text."""
    total, shown, request = view.listing.total, len(view.listing.ids), view.request
    if not shown:
        return ""
    weaker = sum(one.weak for one in view.listing.evidence.values()) if total < shown else 0
    if weaker and not view.listing.weaker:
        papers = trn("{n:,} paper", "{n:,} papers", total)
        matches = trn("{n:,} weaker match", "{n:,} weaker matches", weaker)
        return tr("{papers} and {matches}", papers=papers, matches=matches)
    if not view.title:
        if request == SearchRequest():
            return trn("{n:,} paper in the library", "{n:,} papers in the library", total)
        if request.like and not request.typed:
            return trn("{n:,} similar paper", "{n:,} similar papers", shown)
        if total > shown:
            return trn(
                "Top {shown:,} of {n:,} result",
                "Top {shown:,} of {n:,} results",
                total,
                shown=shown,
            )
    return trn("{n:,} paper", "{n:,} papers", shown)


def weak_matches_text(weaker: int) -> str:
    return trn("Show {n} weaker match", "Show {n} weaker matches", weaker)


class DensityButton(QToolButton):
    """A menu of the densities. The page applies the selected one, also when it is restored."""

    selected = Signal(object)  # Density

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("link")
        self.setAccessibleName(tr("Density of the list"))
        self.setToolTip(tr("Show the list as cards or as a table"))
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.density = Density.comfortable
        menu = rounded(QMenu(self))
        group = QActionGroup(menu)
        self._actions = {
            density: menu.addAction(name, partial(self.choose, density))
            for density, name in DENSITIES.items()
        }
        for action in self._actions.values():
            action.setCheckable(True)
            group.addAction(action)
        self.setMenu(menu)
        self._actions[self.density].setChecked(True)
        appearance.follow(self._paint)

    def choose(self, density: Density) -> None:
        self.density = density
        self._actions[density].setChecked(True)
        self.selected.emit(density)

    def restore(self, saved: object) -> None:
        known = {density.value: density for density in Density}
        if isinstance(saved, str) and saved in known:
            self.choose(known[saved])

    def _paint(self, theme: Theme) -> None:
        self.setIcon(icon("density", theme.accent))
