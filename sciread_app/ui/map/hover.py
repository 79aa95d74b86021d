"""The small card beside the mouse that says which paper a point is."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from sciread_app.domain.paper import PaperId
from sciread_app.domain.tex import readable
from sciread_app.language import tr
from sciread_app.ui.card_marks import authors
from sciread_app.ui.jobs import Jobs, Lane
from sciread_app.ui.papers import CardSource
from sciread_app.ui.theme import scaled, styled
from sciread_app.ui.values import Card

WIDTH = 330
AWAY = 16  # pixels from the mouse
KEPT = 500  # cards


class HoverCard(QFrame):
    def __init__(self, source: CardSource, jobs: Jobs, parent: QWidget) -> None:
        super().__init__(parent)
        self._parent = parent
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._source = source
        self._jobs = jobs
        self._known: dict[PaperId, Card] = {}
        self._paper: PaperId | None = None
        self._at = QPoint()
        self.title = QLabel(wordWrap=True)
        self.title.setFont(scaled(self.font(), 1.0, QFont.Weight.DemiBold))
        self.below = styled(QLabel(wordWrap=True), "quiet")
        for label in (self.title, self.below):
            label.setTextFormat(Qt.TextFormat.PlainText)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 9, 12, 10)
        column.setSpacing(3)
        column.addWidget(self.title)
        column.addWidget(self.below)
        self.setFixedWidth(WIDTH)
        self.hide()

    def point_at(self, paper: PaperId | None, at: QPoint) -> None:
        """Say which paper lies at this place of the parent."""
        self._paper, self._at = paper, at
        if paper is None:
            self.hide()
        elif paper in self._known:
            self._show(self._known[paper])
        else:
            self._jobs.run(
                tr("Reading a title"),
                lambda task: self._source.cards([paper]),
                self._keep,
                lane=Lane.light,
                instead_of="map hover",
            )

    def forget(self) -> None:
        """The library has changed."""
        self._known.clear()

    def _keep(self, cards: list[Card]) -> None:
        if len(self._known) > KEPT:
            self._known.clear()
        for card in cards:
            assert card.paper.id is not None
            self._known[card.paper.id] = card
            if card.paper.id == self._paper:
                self._show(card)

    def _fit(self) -> None:
        """As high as its texts are at its width, which adjustSize asks only windows for."""
        layout = self.layout()
        if layout is not None:
            layout.activate()  # or it knows the heights of the last texts
            self.resize(WIDTH, layout.totalHeightForWidth(WIDTH))

    def _show(self, card: Card) -> None:
        paper = card.paper
        self.title.setText(readable(paper.title) or tr("Without a title"))
        where = " · ".join(filter(None, (paper.venue, paper.published[:4])))
        self.below.setText("\n".join(filter(None, (authors(paper.authors, 4), where))))
        self._fit()
        frame = self._parent.rect()
        left, top = self._at.x() + AWAY, self._at.y() + AWAY
        if left + self.width() > frame.right():
            left = self._at.x() - AWAY - self.width()
        if top + self.height() > frame.bottom():
            top = self._at.y() - AWAY - self.height()
        self.move(max(left, 0), max(top, 0))
        self.show()
        self.raise_()
