"""One fetch as a card: its query, its state and its actions."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from sciread_app.domain.fetch import Fetch, FetchState
from sciread_app.language import tr
from sciread_app.ui.add_papers.fetch_controller import RunningFetch
from sciread_app.ui.add_papers.fetch_text import (
    asked,
    changes_line,
    counts_line,
    progress_line,
    query_line,
    state_line,
)
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, Theme, scaled, styled
from sciread_app.ui.view_models import FetchResults
from sciread_app.ui.widgets.text.labels import ElidedLabel

_VERBS = {
    FetchState.done: tr("Refresh"),
    FetchState.unfinished: tr("Resume"),
    FetchState.failed: tr("Try again"),
}


class FetchCard(QFrame):
    run_requested = Signal(object)  # Fetch
    stop_requested = Signal(int)
    brought_requested = Signal(int)
    write_requested = Signal(object)  # SourceQuery
    removal_requested = Signal(object)  # Fetch

    def __init__(self, fetch: Fetch, titles: Mapping[str, str], appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("panel")
        self._titles = titles
        self._appearance = appearance
        self.fetch = fetch
        self.running: RunningFetch | None = None
        self._build()
        appearance.follow(self._paint)
        self.show_fetch(fetch, None, None)

    def show_fetch(
        self, fetch: Fetch, running: RunningFetch | None, results: FetchResults | None
    ) -> None:
        self.fetch, self.running = fetch, running
        query = fetch.query
        title = self._titles.get(query.source, query.source)
        self.source.setText(title)
        self.query.setText(query_line(query))
        _put(self.bounds, asked(query))
        if running:
            self._show_running(running)
        else:
            self._show_rest(fetch, results)
        for button in (self.act, self.what, self.edit):
            button.setAccessibleName(f"{button.text()}: {query_line(query)}")
        self.remove.setAccessibleName(tr("Remove: {query}", query=query_line(query)))
        self.setAccessibleName(f"{title}: {query_line(query)}")
        self.setAccessibleDescription(self.state.text())

    def _show_running(self, running: RunningFetch) -> None:
        self.state.setText(progress_line(running, self._titles))
        self.bar.setVisible(running.job is not None)
        self.bar.setRange(0, 1000 if running.total else 0)
        if running.total:
            self.bar.setValue(min(1000, running.done * 1000 // running.total))
        self.bar.setAccessibleDescription(self.state.text())
        _put(self.note, "" if running.stopping else running.note)
        for label in (self.counts, self.problem):
            label.hide()
        self.act.setText(tr("Cancel"))
        self.act.setEnabled(not running.stopping)
        self.what.setVisible(False)
        self.remove.setEnabled(False)

    def _show_rest(self, fetch: Fetch, results: FetchResults | None) -> None:
        self.bar.hide()
        self.state.setText(state_line(fetch, datetime.now()))
        _put(self.note, changes_line(results) if results and fetch.state is FetchState.done else "")
        _put(self.counts, counts_line(fetch))
        _put(self.problem, fetch.message if fetch.state is FetchState.failed else "")
        begun = fetch.started is not None
        self.act.setText(_VERBS[fetch.state] if begun else tr("Fetch"))
        self.act.setEnabled(True)
        self.what.setVisible(begun)
        self.remove.setEnabled(True)

    def tab_stops(self) -> list[QWidget]:
        """The widgets that Tab stops at, in reading order."""
        return [self.remove, self.act, self.what, self.edit]

    def _act(self) -> None:
        if self.running:
            self.stop_requested.emit(self.fetch.id)
        else:
            self.run_requested.emit(self.fetch)

    def _build(self) -> None:
        small = scaled(self.font(), 0.92)
        self.source = styled(QLabel(), "tag")
        self.source.setFont(scaled(self.font(), 0.84))
        self.query = ElidedLabel()
        self.query.setFont(scaled(self.font(), 1.0, QFont.Weight.DemiBold))
        self.bounds = styled(ElidedLabel(), "faint")
        self.state = styled(ElidedLabel(), "quiet")
        self.note = QLabel(wordWrap=True)
        self.counts = styled(ElidedLabel(), "quiet")
        self.problem = styled(QLabel(wordWrap=True), "wrong")
        for label in (self.bounds, self.state, self.note, self.counts, self.problem):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setFont(small)
        self.bar = QProgressBar(textVisible=False)
        self.bar.setFixedHeight(6)
        self.bar.setAccessibleName(tr("How far it is"))
        self.act = QPushButton()
        self.act.clicked.connect(self._act)
        self.what = styled(QPushButton(tr("What came")), "link")
        self.what.setToolTip(tr("What the last run has brought, and what failed"))
        self.what.clicked.connect(lambda: self.brought_requested.emit(self.fetch.id))
        self.edit = styled(QPushButton(tr("Edit")), "link")
        self.edit.setToolTip(tr("Write this query into the form"))
        self.edit.clicked.connect(lambda: self.write_requested.emit(self.fetch.query))
        self.remove = styled(QToolButton(), "link")
        self.remove.setToolTip(tr("Remove this fetch; its papers stay in your library"))
        self.remove.clicked.connect(lambda: self.removal_requested.emit(self.fetch))
        self._lay_out()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.source, 0, Qt.AlignmentFlag.AlignVCenter)
        head.addWidget(self.query, 1)
        head.addWidget(self.remove)
        foot = QHBoxLayout()
        foot.setSpacing(6)
        foot.addWidget(self.act)
        foot.addWidget(self.what)
        foot.addStretch()
        foot.addWidget(self.edit)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 10, 10)
        column.setSpacing(5)
        column.addLayout(head)
        for widget in (self.bounds, self.bar, self.state, self.counts, self.note, self.problem):
            column.addWidget(widget)
        column.addLayout(foot)

    def _paint(self, theme: Theme) -> None:
        self.remove.setIcon(icon("remove", theme.faint))


def _put(label: QLabel, text: str) -> None:
    label.setText(text)
    label.setVisible(bool(text))
