"""One fetch as a card: what was asked, how it stands, and what can be done with it."""

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

from sciread_app.domain.fetches import Fetch, State
from sciread_app.language import tr
from sciread_app.ui.elided import ElidedLabel
from sciread_app.ui.fetch_words import (
    asked,
    changes_line,
    counts_line,
    going_line,
    query_line,
    state_line,
)
from sciread_app.ui.fetch_work import Going
from sciread_app.ui.icons import icon
from sciread_app.ui.theme import Appearance, Theme, scaled, styled
from sciread_app.ui.values import Brought

_VERBS = {
    State.done: tr("Refresh"),
    State.unfinished: tr("Resume"),
    State.failed: tr("Try again"),
}


class FetchCard(QFrame):
    run_wanted = Signal(object)  # Fetch
    stop_wanted = Signal(int)
    brought_wanted = Signal(int)
    write_wanted = Signal(object)  # SourceQuery
    forget_wanted = Signal(object)  # Fetch

    def __init__(self, fetch: Fetch, titles: Mapping[str, str], appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("panel")
        self._titles = titles
        self._appearance = appearance
        self.fetch = fetch
        self.going: Going | None = None
        self._build()
        appearance.changed.connect(self._paint)
        self._paint(appearance.theme)
        self.show_fetch(fetch, None, None)

    def show_fetch(self, fetch: Fetch, going: Going | None, brought: Brought | None) -> None:
        self.fetch, self.going = fetch, going
        query = fetch.query
        title = self._titles.get(query.source, query.source)
        self.source.setText(title)
        self.query.setText(query_line(query))
        _put(self.bounds, asked(query))
        if going:
            self._show_going(going)
        else:
            self._show_rest(fetch, brought)
        for button in (self.act, self.what, self.edit):
            button.setAccessibleName(f"{button.text()}: {query_line(query)}")
        self.remove.setAccessibleName(tr("Remove: {query}", query=query_line(query)))
        self.setAccessibleName(f"{title}: {query_line(query)}")
        self.setAccessibleDescription(self.state.text())

    def _show_going(self, going: Going) -> None:
        self.state.setText(going_line(going, self._titles))
        self.bar.setVisible(going.job is not None)
        self.bar.setRange(0, 1000 if going.total else 0)
        if going.total:
            self.bar.setValue(min(1000, going.done * 1000 // going.total))
        self.bar.setAccessibleDescription(self.state.text())
        _put(self.note, "" if going.stopping else going.note)
        for label in (self.counts, self.problem):
            label.hide()
        self.act.setText(tr("Cancel"))
        self.act.setEnabled(not going.stopping)
        self.what.setVisible(False)
        self.remove.setEnabled(False)

    def _show_rest(self, fetch: Fetch, brought: Brought | None) -> None:
        self.bar.hide()
        self.state.setText(state_line(fetch, datetime.now()))
        _put(self.note, changes_line(brought) if brought and fetch.state is State.done else "")
        _put(self.counts, counts_line(fetch))
        _put(self.problem, fetch.message if fetch.state is State.failed else "")
        begun = fetch.started is not None
        self.act.setText(_VERBS[fetch.state] if begun else tr("Fetch"))
        self.act.setEnabled(True)
        self.what.setVisible(begun)
        self.remove.setEnabled(True)

    def stops(self) -> list[QWidget]:
        """Where Tab stops, in the order of reading."""
        return [self.remove, self.act, self.what, self.edit]

    def _act(self) -> None:
        if self.going:
            self.stop_wanted.emit(self.fetch.id)
        else:
            self.run_wanted.emit(self.fetch)

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
        self.what.clicked.connect(lambda: self.brought_wanted.emit(self.fetch.id))
        self.edit = styled(QPushButton(tr("Edit")), "link")
        self.edit.setToolTip(tr("Write this query into the form"))
        self.edit.clicked.connect(lambda: self.write_wanted.emit(self.fetch.query))
        self.remove = styled(QToolButton(), "link")
        self.remove.setToolTip(tr("Remove this fetch; its papers stay in your library"))
        self.remove.clicked.connect(lambda: self.forget_wanted.emit(self.fetch))
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
