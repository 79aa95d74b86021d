"""The papers that are recommended: cards that say why, where others show the abstract."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent

from sciread_app.ui.papers import PaperList, PaperModel
from sciread_app.ui.values import Card, Listing


class ReasonModel(PaperModel):
    """The abstract is beside the list, in full; on the card the reasons stand in its place."""

    _reasons: Mapping[int, str] = {}
    _shown: dict[int, tuple[Card, Card]] = {}  # as it came, and as it is painted

    def show_reasons(self, listing: Listing, reasons: Mapping[int, str]) -> None:
        self._reasons, self._shown = reasons, {}
        self.show(listing)

    def card(self, row: int) -> Card | None:
        came, paper = super().card(row), self.paper_at(row)
        reason = self._reasons.get(paper)
        if came is None or not reason:
            return came
        # The same object each time: cards are painted anew when theirs is another.
        known = self._shown.get(paper)
        if known is None or known[0] is not came:
            known = came, replace(came, paper=replace(came.paper, abstract=reason))
            self._shown[paper] = known
        return known[1]


class PickList(PaperList):
    """Keys: + keep, - not for me, L read later, beside those of every list."""

    later = Signal(object)  # the chosen papers

    def show_reasons(self, listing: Listing, reasons: Mapping[int, str]) -> None:
        """The rows stay where they are, and so does what is read."""
        top = self.top()
        self.verticalHeader().setDefaultSectionSize(self._cards.height(ranked=True))
        assert isinstance(self._model, ReasonModel)
        self._model.show_reasons(listing, reasons)
        self.set_top(top)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_L and not event.modifiers() and self.chosen():
            self.later.emit(self.chosen())
        else:
            super().keyPressEvent(event)
