"""One of two answers: whose it is, if that may be known, and the papers."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from sciread_app.domain.paper import PaperId
from sciread_app.language import tr, trn
from sciread_app.ui.compare.values import Answer, Candidate
from sciread_app.ui.elided import ElidedLabel
from sciread_app.ui.jobs import Jobs
from sciread_app.ui.papers import NOTHING, CardSource, PaperList, PaperModel
from sciread_app.ui.theme import Appearance, scaled, styled
from sciread_app.ui.values import Listing


class Side(QWidget):
    read_wanted = Signal(str)  # let this model read what it has not read
    switch_wanted = Signal(str, str)  # let this model answer all searches: name, title
    entered = Signal(object)  # PaperId that somebody wants to read

    def __init__(self, name: str, source: CardSource, jobs: Jobs, appearance: Appearance) -> None:
        """`name` is what it is called as long as nobody may know whose answer it is."""
        super().__init__()
        self._nameless = name
        self._of = Candidate("", "")
        self.title = ElidedLabel(name)
        self.title.setFont(scaled(self.font(), 1.08, QFont.Weight.DemiBold))
        self.message = styled(QLabel(wordWrap=True), "quiet")
        self.message.setTextFormat(Qt.TextFormat.PlainText)
        self.read_button = QPushButton()
        self.switch_button = styled(QPushButton(tr("Let it answer")), "link")
        means = tr("Have this model answer all searches")
        self.switch_button.setToolTip(means)
        self.switch_button.setAccessibleDescription(means)
        self.model = PaperModel(source, jobs, self)
        self.hits = PaperList(self.model, appearance)
        self.hits.setAccessibleName(name)
        self._build()
        self.clear()
        self.read_button.clicked.connect(lambda: self.read_wanted.emit(self._of.name))
        self.switch_button.clicked.connect(lambda: self.switch_wanted.emit(*self._of[:2]))
        self.hits.entered.connect(self._enter)
        self.hits.doubleClicked.connect(self._enter)

    def show_named(self, of: Candidate, answer: Answer, listing: Listing, *, reads: bool) -> None:
        """What this model found. `reads`: one is reading papers already."""
        self._of = of
        self._show(of.title, listing)
        self._explain(tr("It answers all searches now.") if of.answers else "", answer.words())
        self.switch_button.setVisible(not of.answers and not answer.trouble)
        self.read_button.setText(
            trn("Let it read {n:,} paper", "Let it read {n:,} papers", answer.missing)
        )
        self.read_button.setVisible(answer.missing > 0 and not answer.trouble and not reads)

    def show_nameless(self, answer: Answer, listing: Listing) -> None:
        self._of = Candidate("", "")
        self._show(self._nameless, listing)
        self._explain(answer.words())
        self.switch_button.hide()
        self.read_button.hide()

    def clear(self) -> None:
        """Nothing was asked."""
        self._show("", NOTHING)
        self._explain()
        self.switch_button.hide()
        self.read_button.hide()

    def choose(self, paper: PaperId | None) -> None:
        """The paper that was chosen on the other side; nothing if it is not here."""
        row = self.model.row_of(paper)
        if row is None:
            self.hits.clearSelection()
        elif paper != self.hits.current() or not self.hits.chosen_count():
            self.hits.go_to(row)

    def _show(self, title: str, listing: Listing) -> None:
        self.title.setText(title)
        self.hits.setAccessibleName(title or self._nameless)
        if [*listing.ids] == [*self.model.listing.ids]:
            with self.hits.staying():  # who has just voted reads on
                self.hits.show_listing(listing)
        else:
            self.hits.show_listing(listing)

    def _explain(self, *sentences: str) -> None:
        self.message.setText(" ".join(filter(None, sentences)))

    def _enter(self) -> None:
        if (paper := self.hits.current()) is not None:
            self.entered.emit(paper)

    def _build(self) -> None:
        policy = self.switch_button.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # so that both lists begin at one height
        self.switch_button.setSizePolicy(policy)
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.switch_button)
        below = QHBoxLayout()
        below.addWidget(self.message, 1)
        below.addWidget(self.read_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(head)
        column.addLayout(below)
        column.addWidget(self.hits, 1)
