"""One side of the comparison: the model, unless hidden, and its results."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from sciread_app.domain.paper import PaperId
from sciread_app.language import tr, trn
from sciread_app.ui.compare.view_models import ComparableModel, ModelResults
from sciread_app.ui.jobs.runner import JobRunner
from sciread_app.ui.paper_list.paper_list import CardSource, PaperList, PaperModel
from sciread_app.ui.style.theme import Appearance, scaled, styled
from sciread_app.ui.view_models import EMPTY_RESULTS, ResultList
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.text.labels import ElidedLabel


class ResultColumn(QWidget):
    """The results of one of two models for the same query, beside those of the other. A model
    without vectors of some papers offers to index them."""

    read_requested = Signal(str)  # the model to encode missing papers with
    switch_requested = Signal(str, str)  # a model to activate: name, title
    activated = Signal(object)  # PaperId to open

    def __init__(
        self, name: str, source: CardSource, jobs: JobRunner, appearance: Appearance
    ) -> None:
        """`name` is the title while the model's identity is hidden."""
        super().__init__()
        self._nameless = name
        self._of = ComparableModel("", "")
        self.title = ElidedLabel(name)
        self.title.setFont(scaled(self.font(), 1.08, QFont.Weight.DemiBold))
        self.message = styled(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "quiet")
        self.read_button = QPushButton()
        self.switch_button = styled(QPushButton(tr("Use for search")), "link")
        means = tr("Use this model for all searches")
        self.switch_button.setToolTip(means)
        self.switch_button.setAccessibleDescription(means)
        self.model = PaperModel(source, jobs, self)
        self.result_list = PaperList(self.model, appearance)
        self.result_list.setAccessibleName(name)
        self._build()
        self.clear()
        self.read_button.clicked.connect(lambda: self.read_requested.emit(self._of.name))
        self.switch_button.clicked.connect(lambda: self.switch_requested.emit(*self._of[:2]))
        self.result_list.activated.connect(self._enter)
        self.result_list.doubleClicked.connect(self._enter)

    def show_named(
        self, of: ComparableModel, answer: ModelResults, listing: ResultList, *, reads: bool
    ) -> None:
        """Show the results of a named model. `reads`: another model is encoding papers."""
        self._of = of
        active = tr("In use for all searches.") if of.is_active else ""
        self.read_button.setText(trn("Index {n:,} paper", "Index {n:,} papers", answer.missing))
        self._show(
            of.title,
            listing,
            f"{active} {answer.words()}".strip(),
            switch=not of.is_active and not answer.trouble,
            read=answer.missing > 0 and not answer.trouble and not reads,
        )

    def show_nameless(self, answer: ModelResults, listing: ResultList) -> None:
        self._of = ComparableModel("", "")
        self._show(self._nameless, listing, answer.words())

    def clear(self) -> None:
        """Show that there is no search."""
        self._show("", EMPTY_RESULTS)

    def choose(self, paper: PaperId | None) -> None:
        """Select the paper that was selected on the other side, if it is here."""
        row = self.model.row_of(paper)
        if row is None:
            self.result_list.clearSelection()
        elif paper != self.result_list.current() or not self.result_list.selected_count():
            self.result_list.go_to(row)
            self._show_whole_cards()

    def _show_whole_cards(self) -> None:
        """Scroll on to the next card if the first one in sight is cut."""
        shown = self.result_list
        first = shown.rowAt(0)
        if first >= 0 and (hidden := -shown.rowViewportPosition(first)) > 0:
            shown.set_scroll_position(shown.top() + shown.rowHeight(first) - hidden)

    def _show(
        self,
        title: str,
        listing: ResultList,
        message: str = "",
        *,
        switch: bool = False,
        read: bool = False,
    ) -> None:
        self.title.setText(title)
        self.message.setText(message)
        self.switch_button.setVisible(switch)
        self.read_button.setVisible(read)
        self.result_list.setAccessibleName(title or self._nameless)
        if [*listing.ids] == [*self.model.listing.ids]:
            with self.result_list.preserving_view():  # keep the scroll position after a vote
                self.result_list.show_listing(listing)
        else:
            self.result_list.show_listing(listing)

    def _enter(self) -> None:
        if (paper := self.result_list.current()) is not None:
            self.activated.emit(paper)

    def _build(self) -> None:
        policy = self.switch_button.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # so that both lists begin at the same height
        self.switch_button.setSizePolicy(policy)
        head = row((self.title, 1), self.switch_button)
        below = row((self.message, 1), self.read_button)
        column(head, below, (self.result_list, 1), parent=self, margins=0, spacing=6)
