"""The list of running fetches and of those that can be refreshed."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from sciread_app.domain.fetch import Fetch
from sciread_app.language import tr, trn
from sciread_app.ui.add_papers.fetch_card import FetchCard
from sciread_app.ui.add_papers.fetch_controller import FetchController
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, Theme, scaled, styled
from sciread_app.ui.widgets.dialogs.confirmation import confirm

NONE = tr(
    "Nothing fetched yet. Every query that you fetch stays here: it goes on where it was stopped, "
    "and brings what is new whenever you refresh it."
)


class FetchList(QWidget):
    brought_requested = Signal(int)
    write_requested = Signal(object)  # SourceQuery

    def __init__(
        self, work: FetchController, titles: Mapping[str, str], appearance: Appearance
    ) -> None:
        super().__init__()
        self._work = work
        self._titles = titles
        self._appearance = appearance
        self.cards: dict[int, FetchCard] = {}
        self._build()
        work.listed.connect(self._list)
        work.moved.connect(self._move)
        appearance.follow(self._paint)
        self._list()

    def to_top(self) -> None:
        """Scroll to the top, to the running fetches."""
        self._scroll.verticalScrollBar().setValue(0)

    def tab_stops(self) -> list[QWidget]:
        """The widgets that Tab stops at, in reading order."""
        cards = [self.cards[fetch.id] for fetch in self._work.fetches]
        return [self.all_button, *(stop for card in cards for stop in card.tab_stops())]

    def _list(self) -> None:
        """Sort the cards in the order of the fetches; cards that stay keep the focus."""
        known = {fetch.id: fetch for fetch in self._work.fetches}
        for id in [id for id in self.cards if id not in known]:
            self.cards.pop(id).deleteLater()
        for place, fetch in enumerate(self._work.fetches):
            if fetch.id not in self.cards:
                self.cards[fetch.id] = self._card(fetch)
            card = self.cards[fetch.id]
            if self._column.indexOf(card) != place:
                self._column.insertWidget(place, card)
            self._show(fetch)
        self._none.setVisible(not known)
        self._show_all_button()

    def _move(self, id: int) -> None:
        if card := self.cards.get(id):
            self._show(card.fetch)
        self._show_all_button()

    def _show(self, fetch: Fetch) -> None:
        work = self._work
        self.cards[fetch.id].show_fetch(fetch, work.running(fetch.id), work.results.get(fetch.id))

    def _show_all_button(self) -> None:
        waiting = [fetch for fetch in self._work.fetches if not self._work.running(fetch.id)]
        self.all_button.setEnabled(bool(waiting))
        self.all_button.setVisible(len(self._work.fetches) > 1)

    def _card(self, fetch: Fetch) -> FetchCard:
        card = FetchCard(fetch, self._titles, self._appearance)
        card.run_requested.connect(lambda fetch: self._work.run([fetch]))
        card.stop_requested.connect(self._work.stop)
        card.brought_requested.connect(self.brought_requested)
        card.write_requested.connect(self.write_requested)
        card.removal_requested.connect(self._ask_to_forget)
        return card

    def _ask_to_forget(self, fetch: Fetch) -> None:
        confirm(
            self,
            tr("Remove a fetch"),
            tr("Remove this fetch from the list?"),
            _what_stays(fetch.papers),
            tr("Remove"),
            lambda: self._work.forget(fetch.id),
        )

    def _build(self) -> None:
        title = QLabel(tr("Fetches"))
        title.setFont(scaled(self.font(), 1.2, QFont.Weight.DemiBold))
        self.all_button = styled(QPushButton(tr("Refresh all")), "link")
        self.all_button.setToolTip(tr("Bring what is new in each, and go on with what was stopped"))
        self.all_button.clicked.connect(lambda: self._work.run(self._work.fetches))
        head = QHBoxLayout()
        head.setContentsMargins(4, 0, 4, 0)
        head.addStrut(32)
        head.addWidget(title)
        head.addStretch()
        head.addWidget(self.all_button)
        inside = styled(QWidget(), "column")
        self._column = QVBoxLayout(inside)
        self._column.setContentsMargins(0, 0, 4, 8)
        self._column.setSpacing(8)
        self._column.addStretch()
        self._scroll = QScrollArea(widgetResizable=True)
        self._scroll.setWidget(inside)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setAccessibleName(tr("Fetches"))
        self._none = styled(QLabel(NONE, wordWrap=True), "panel")
        self._none.setFrameShape(QFrame.Shape.StyledPanel)
        self._none.setContentsMargins(16, 14, 16, 14)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self._none)
        column.addWidget(self._scroll, 1)

    def _paint(self, theme: Theme) -> None:
        self.all_button.setIcon(icon("refresh", theme.accent))


def _what_stays(papers: int) -> str:
    if not papers:
        return tr("Papers stay in your library. It cannot be refreshed any more.")
    return trn(
        "The {n:,} paper that it brought stays in your library. It cannot be refreshed any more.",
        "The {n:,} papers that it brought stay in your library. It cannot be refreshed any more.",
        papers,
    )
