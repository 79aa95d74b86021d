"""The Compare page of the Lab: a search with two models, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from sciread_app.domain.paper import LibraryChanges, PaperId
from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.language import tr
from sciread_app.ui.app_context import AppContext
from sciread_app.ui.compare.actions import NO_VOTE, NO_VOTES, NOT_COMPARING
from sciread_app.ui.compare.panel import ComparePanel
from sciread_app.ui.page import Page
from sciread_app.ui.query_state import ResultView, SearchRequest
from sciread_app.ui.search.page import SearchPage
from sciread_app.ui.search.query_box.search_box import SearchBox
from sciread_app.ui.widgets.layout.boxes import column

if TYPE_CHECKING:
    from sciread_app.ui.compare.gateway import CompareGateway
    from sciread_app.ui.paper_list.paper_list import CardSource

UNLOAD_MS = 5 * 60_000  # after the page was left, until its models are unloaded


class ComparePage(Page):
    """A search box, and the results of both models below it. Filters are part of the text."""

    def __init__(self, comparisons: CompareGateway, cards: CardSource, context: AppContext) -> None:
        super().__init__(context.pages)
        self._navigate = context.navigate
        self.search_box = SearchBox(context.appearance)
        self.panel = ComparePanel(comparisons, cards, context.jobs, context.appearance)
        self._unload = QTimer(self, singleShot=True, interval=UNLOAD_MS)
        self._unload.timeout.connect(self.panel.close_models)
        box, panel = self.search_box, self.panel
        column(box, (panel, 1), parent=self, margins=(16, 12, 16, 10), spacing=10)
        box.search_requested.connect(self._search)
        box.entry_pasted.connect(context.navigate.find_like)
        box.down_pressed.connect(panel.take_focus)
        panel.page_requested.connect(context.navigate.go_to)
        panel.changed.connect(self.actions_changed)
        for side in panel.sides:
            side.activated.connect(self._open_paper)
            side.switch_requested.connect(context.activation.activate)
            side.result_list.escaped.connect(box.take_focus)
            side.result_list.marked_relevant.connect(lambda papers: self._steer(like=papers))
            side.result_list.marked_irrelevant.connect(lambda papers: self._steer(unlike=papers))

    def show_query(self, query: str, mode: SearchMode) -> None:
        """Search with both models for a text of the query language."""
        self.search_box.show_text(query)
        self.search_box.set_mode(mode)

    def refresh(self) -> None:
        self._note_answered()
        self.panel.open()

    def take_focus(self) -> None:
        self.search_box.take_focus()

    def find_here(self) -> bool:
        self.search_box.take_focus()
        return True

    def panes(self) -> Sequence[QWidget]:
        sides = (side.result_list for side in self.panel.sides)
        return (self.search_box, *sides, self.panel.ballot)

    def selected(self) -> Sequence[PaperId]:
        lists = [side.result_list for side in self.panel.sides]
        return next((one.selected() for one in lists if one.selected_count()), ())

    def library_changed(self, changes: LibraryChanges) -> None:
        if self.isVisible() and (changes.papers or changes.vectors or changes.space):
            self.panel.look_again()

    def unavailable_reason(self, action: str) -> str:
        if action == "blind":
            able = self.panel.is_open and self.panel.chooser.blind.isEnabled()
            return "" if able else NOT_COMPARING
        if action == "undo":
            return "" if self.panel.can_take_back else NO_VOTES
        if action in ("left", "right", "neither"):
            return "" if self.panel.can_vote else NO_VOTE
        return ""

    def showEvent(self, event: QShowEvent) -> None:
        self._unload.stop()
        super().showEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        if not event.spontaneous():
            self._unload.start()
        super().hideEvent(event)

    def _search(self) -> None:
        self._note_answered()
        request = SearchRequest(typed=self.search_box.text)
        self.panel.show_view(ResultView(request=request), self.search_box.mode)

    def _note_answered(self) -> None:
        """Allow no blind vote on results that the Library page has shown."""
        library = self._navigate.page_of(SearchPage)
        if (query := SearchRequest(typed=self.search_box.text).query) in library.answered:
            self.panel.trial.answered_before(query)

    def _steer(self, like: Sequence[PaperId] = (), unlike: Sequence[PaperId] = ()) -> None:
        """Search with these examples, too."""
        text = self.search_box.text
        request = SearchRequest(typed=text, like=tuple(like), unlike=tuple(unlike))
        self.search_box.set_text(request.query)

    def _open_paper(self, paper: PaperId) -> None:
        self._navigate.open_paper(paper, tr("Paper from the comparison"))
