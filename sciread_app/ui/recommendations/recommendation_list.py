"""The list of recommended papers, whose cards show reasons instead of the abstract."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent

from sciread_app.domain.paper import PaperId
from sciread_app.ui.paper_list.paper_list import PaperList, PaperModel
from sciread_app.ui.view_models import Card, ResultList


class ReasonModel(PaperModel):
    """Cards with the reasons in place of the abstract, which the details show in full."""

    _reasons: Mapping[int, str] = {}
    _shown: dict[int, tuple[Card, Card]] = {}  # the original card and the painted one

    def show_reasons(self, listing: ResultList, reasons: Mapping[int, str]) -> None:
        self._reasons, self._shown = reasons, {}
        self.show(listing)

    def lacks_abstract(self, paper: PaperId) -> bool:
        return not self._reasons.get(paper) and super().lacks_abstract(paper)

    def card(self, row: int) -> Card | None:
        original, paper = super().card(row), self.paper_at(row)
        reason = self._reasons.get(paper)
        if original is None or not reason:
            return original
        # Return the same object each time: a different one makes the card repaint.
        known = self._shown.get(paper)
        if known is None or known[0] is not original:
            shown = replace(original, paper=replace(original.paper, abstract=reason))
            known = original, shown
            self._shown[paper] = known
        return known[1]


class RecommendationList(PaperList):
    """Adds to the keys of every list: + to mark as relevant, - to dismiss, L to read later."""

    later_requested = Signal(object)  # the selected papers

    def show_reasons(self, listing: ResultList, reasons: Mapping[int, str]) -> None:
        """Update the reasons, keeping rows and selection."""
        top = self.top()
        self.fit_rows(listing)
        assert isinstance(self._model, ReasonModel)
        self._model.show_reasons(listing, reasons)
        self.set_scroll_position(top)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_L and not event.modifiers() and self.selected():
            self.later_requested.emit(self.selected())
        else:
            super().keyPressEvent(event)
