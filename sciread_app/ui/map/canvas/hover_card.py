"""The card at the mouse pointer that names the paper under it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from sciread_app.domain.paper import PaperId
from sciread_app.domain.text.tex import readable
from sciread_app.language import tr
from sciread_app.ui.formatting import authors
from sciread_app.ui.jobs.runner import JobRunner
from sciread_app.ui.paper_list.paper_list import CardSource
from sciread_app.ui.style.theme import scaled, styled
from sciread_app.ui.view_models import Card
from sciread_app.ui.widgets.layout.boxes import column

WIDTH = 330
OFFSET = 16  # pixels from the mouse
CACHE_SIZE = 500  # cards


class HoverCard(QFrame):
    """A card with title, authors, venue and year of a paper, which ignores the mouse. Its content
    is loaded in the background unless it was shown before."""

    def __init__(self, source: CardSource, jobs: JobRunner, parent: QWidget) -> None:
        super().__init__(parent)
        self._parent = parent
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._source = source
        self._jobs = jobs
        self._cache: dict[PaperId, Card] = {}
        self._paper: PaperId | None = None
        self._at = QPoint()
        plain = Qt.TextFormat.PlainText
        self.title = QLabel(wordWrap=True, textFormat=plain)
        self.title.setFont(scaled(self.font(), 1.0, QFont.Weight.DemiBold))
        self.below = styled(QLabel(wordWrap=True, textFormat=plain), "quiet")
        column(self.title, self.below, parent=self, margins=(12, 9, 12, 10), spacing=3)
        self.setFixedWidth(WIDTH)
        self.hide()

    def show_at(self, paper: PaperId | None, at: QPoint) -> None:
        """Show the card of the paper at this position of the parent."""
        self._paper, self._at = paper, at
        if paper is None:
            self.hide()
        elif paper in self._cache:
            self._show(self._cache[paper])
        else:
            self._jobs.run(
                tr("Loading a title"),
                lambda task: self._source.cards([paper]),
                self._keep,
                replaces="map hover",
            )

    def clear_cache(self) -> None:
        """Drop all cached cards, because the library has changed."""
        self._cache.clear()

    def _keep(self, cards: list[Card]) -> None:
        if len(self._cache) > CACHE_SIZE:
            self._cache.clear()
        for card in cards:
            assert card.paper.id is not None
            self._cache[card.paper.id] = card
            if card.paper.id == self._paper:
                self._show(card)

    def _fit(self) -> None:
        """Adjust the height to the texts; adjustSize considers their width only for windows."""
        layout = self.layout()
        if layout is not None:
            layout.activate()  # else it uses the heights of the last texts
            self.resize(WIDTH, layout.totalHeightForWidth(WIDTH))

    def _show(self, card: Card) -> None:
        paper = card.paper
        self.title.setText(readable(paper.title) or tr("Untitled"))
        where = " · ".join(filter(None, (paper.venue, paper.published[:4])))
        self.below.setText("\n".join(filter(None, (authors(paper, 4), where))))
        self._fit()
        frame = self._parent.rect()
        left, top = self._at.x() + OFFSET, self._at.y() + OFFSET
        if left + self.width() > frame.right():
            left = self._at.x() - OFFSET - self.width()
        if top + self.height() > frame.bottom():
            top = self._at.y() - OFFSET - self.height()
        self.move(max(left, 0), max(top, 0))
        self.show()
        self.raise_()
