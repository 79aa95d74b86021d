"""The list of running fetches and of those that can be refreshed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QPushButton,
    QScrollArea,
    QToolButton,
    QWidget,
)

from sciread_app.domain.fetch import Fetch, FetchState
from sciread_app.language import tr
from sciread_app.ui.add_papers.fetch.controller import FetchController, RunningFetch
from sciread_app.ui.add_papers.fetch.text import (
    changes_line,
    counts_line,
    limits_text,
    progress_line,
    query_line,
    state_line,
)
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, Theme, scaled, styled
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.progress_bar import ProgressBar
from sciread_app.ui.widgets.text.labels import ElidedLabel, show_text

NONE = tr(
    "No queries yet. Each query that you fetch is kept here. You can resume it if "
    "it was stopped, and refresh it to get new papers."
)


_ACTIONS = {
    FetchState.done: tr("Refresh"),
    FetchState.unfinished: tr("Resume"),
    FetchState.failed: tr("Retry"),
}


class FetchCard(QFrame):
    """One fetch: its query, its state and its actions."""

    results_requested = Signal(int)
    removal_requested = Signal(int)
    write_requested = Signal(object)  # SourceQuery

    def __init__(
        self,
        fetch: Fetch,
        work: FetchController,
        titles: Mapping[str, str],
        appearance: Appearance,
    ) -> None:
        super().__init__()
        self.setObjectName("panel")
        self._work = work
        self._titles = titles
        self.fetch = fetch
        self._build()
        appearance.follow(self._paint)

    def show_fetch(self, fetch: Fetch) -> None:
        """Show the fetch and how far it is."""
        self.fetch = fetch
        query, running = fetch.query, self._work.running(fetch.id)
        title = self._titles.get(query.source, query.source)
        self.source.setText(title)
        self.query.setText(query_line(query))
        show_text(self.bounds, limits_text(query))
        if running:
            self._show_running(running)
        else:
            self._show_rest(fetch)
        for button in (self.act, self.what, self.edit):
            button.setAccessibleName(f"{button.text()}: {query_line(query)}")
        self.remove.setAccessibleName(tr("Remove: {query}", query=query_line(query)))
        self.setAccessibleName(f"{title}: {query_line(query)}")
        self.setAccessibleDescription(self.state.text())

    def _show_running(self, running: RunningFetch) -> None:
        self.state.setText(progress_line(running, self._titles))
        self.bar.setVisible(running.job is not None)
        self.bar.show_progress(running.progress.done, running.progress.total)
        self.bar.setAccessibleDescription(self.state.text())
        show_text(self.note, "" if running.stopping else running.progress.note)
        for label in (self.counts, self.problem):
            label.hide()
        self.act.setText(tr("Stop"))
        self.act.setEnabled(not running.stopping)
        self.what.setVisible(False)
        self.remove.setEnabled(False)

    def _show_rest(self, fetch: Fetch) -> None:
        results = self._work.results.get(fetch.id)
        self.bar.hide()
        self.state.setText(state_line(fetch, datetime.now()))
        done = fetch.state is FetchState.done
        show_text(self.note, changes_line(results) if results and done else "")
        show_text(self.counts, counts_line(fetch))
        show_text(self.problem, fetch.message if fetch.state is FetchState.failed else "")
        begun = fetch.started is not None
        self.act.setText(_ACTIONS[fetch.state] if begun else tr("Fetch"))
        self.act.setEnabled(True)
        self.what.setVisible(begun)
        self.remove.setEnabled(True)

    def tab_stops(self) -> list[QWidget]:
        """The widgets that Tab stops at, in reading order."""
        return [self.remove, self.act, self.what, self.edit]

    def _act(self) -> None:
        if self._work.running(self.fetch.id):
            self._work.stop(self.fetch.id)
        else:
            self._work.run([self.fetch])

    def _build(self) -> None:
        small = scaled(self.font(), 0.92)
        self.source = styled(QLabel(), "tag")
        self.source.setFont(scaled(self.font(), 0.84))
        self.query = ElidedLabel()
        self.query.setFont(scaled(self.font(), 1.0, QFont.Weight.DemiBold))
        self.bounds = styled(ElidedLabel(), "faint")
        self.state = styled(QLabel(wordWrap=True), "quiet")
        self.note = QLabel(wordWrap=True)
        self.counts = styled(QLabel(wordWrap=True), "quiet")
        self.problem = styled(QLabel(wordWrap=True), "wrong")
        for label in (self.bounds, self.state, self.note, self.counts, self.problem):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setFont(small)
        self.bar = ProgressBar(tr("Progress"))
        self.act = QPushButton()
        self.act.clicked.connect(self._act)
        self.what = styled(QPushButton(tr("Results")), "link")
        self.what.setToolTip(tr("Show the new papers, changes, and errors of the last run"))
        self.what.clicked.connect(lambda: self.results_requested.emit(self.fetch.id))
        self.edit = styled(QPushButton(tr("Edit")), "link")
        self.edit.setToolTip(tr("Edit this query in the form"))
        self.edit.clicked.connect(lambda: self.write_requested.emit(self.fetch.query))
        self.remove = styled(QToolButton(), "link")
        self.remove.setToolTip(tr("Remove this query; its papers stay in your library"))
        self.remove.clicked.connect(lambda: self.removal_requested.emit(self.fetch.id))
        source = (self.source, 0, Qt.AlignmentFlag.AlignVCenter)
        head = row(source, (self.query, 1), self.remove, spacing=8)
        foot = row(self.act, self.what, 0, self.edit, spacing=6)
        column(
            head, self.bounds, self.bar, self.state, self.counts, self.note, self.problem, foot,
            parent=self, margins=(14, 10, 10, 10), spacing=5,
        )  # fmt: skip

    def _paint(self, theme: Theme) -> None:
        self.remove.setIcon(icon("remove", theme.faint))


class FetchList(QWidget):
    """A card for each stored query, which follows its fetch while that runs."""

    results_requested = Signal(int)
    removal_requested = Signal(int)
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
        work.fetch_changed.connect(self._move)
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
            card.show_fetch(fetch)
        self._none.setVisible(not known)
        self._show_all_button()

    def _move(self, id: int) -> None:
        if card := self.cards.get(id):
            card.show_fetch(card.fetch)
        self._show_all_button()

    def _show_all_button(self) -> None:
        waiting = [fetch for fetch in self._work.fetches if not self._work.running(fetch.id)]
        self.all_button.setEnabled(bool(waiting))
        self.all_button.setVisible(len(self._work.fetches) > 1)

    def _card(self, fetch: Fetch) -> FetchCard:
        card = FetchCard(fetch, self._work, self._titles, self._appearance)
        card.results_requested.connect(self.results_requested)
        card.removal_requested.connect(self.removal_requested)
        card.write_requested.connect(self.write_requested)
        return card

    def _build(self) -> None:
        title = QLabel(tr("Queries"))
        title.setFont(scaled(self.font(), 1.2, QFont.Weight.DemiBold))
        self.all_button = styled(QPushButton(tr("Refresh all")), "link")
        self.all_button.setToolTip(tr("Refresh all queries, and resume stopped queries"))
        self.all_button.clicked.connect(lambda: self._work.run(self._work.fetches))
        head = row(title, 0, self.all_button, margins=(4, 0, 4, 0))
        head.addStrut(32)
        inside = styled(QWidget(), "column")
        self._column = column(0, parent=inside, margins=(0, 0, 4, 8), spacing=8)
        self._scroll = QScrollArea(self, widgetResizable=True)
        self._scroll.setWidget(inside)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setAccessibleName(tr("Queries"))
        self._none = styled(QLabel(NONE, wordWrap=True), "panel")
        self._none.setFrameShape(QFrame.Shape.StyledPanel)
        self._none.setContentsMargins(16, 14, 16, 14)
        column(head, self._none, (self._scroll, 1), parent=self, margins=0, spacing=8)

    def _paint(self, theme: Theme) -> None:
        self.all_button.setIcon(icon("refresh", theme.accent))
