"""The panel beside the list: one paper in full, why it was found, and what can be done with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication, QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QStackedLayout,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from sciread_app.domain.paper import PaperId
from sciread_app.tasks import Task
from sciread_app.ui.details_text import FIND, OPEN, PAPER, REVEAL, details_text
from sciread_app.ui.icons import icon
from sciread_app.ui.jobs import Jobs, Lane
from sciread_app.ui.papers import NOTHING
from sciread_app.ui.theme import Appearance, Theme, styled
from sciread_app.ui.values import Card, Details, Listing

PAUSE_MS = 60  # so that holding j does not look up every paper on the way


class DetailsSource(Protocol):
    def details(self, paper: PaperId, query: str, task: Task) -> Details: ...

    def bibtex(self, papers: Sequence[PaperId]) -> str: ...

    def mark_read(self, papers: Sequence[PaperId], read: bool) -> None: ...


class DetailsPanel(QFrame):
    similar_wanted = Signal(object)  # list of PaperId
    search_wanted = Signal(str)
    paper_wanted = Signal(object)  # PaperId
    read_changed = Signal(object)  # Card
    left = Signal()

    def __init__(self, source: DetailsSource, jobs: Jobs, appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("panel")
        self._source = source
        self._jobs = jobs
        self._appearance = appearance
        self.details: Details | None = None
        self._paper: PaperId | None = None
        self._written: PaperId | None = None  # the paper that the text is about
        self._query = ""
        self._listing = NOTHING
        self._build()
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self._look_up)
        appearance.changed.connect(self._paint)
        self._paint(appearance.theme)
        self.show_paper(None)

    def show_paper(
        self,
        paper: PaperId | None,
        card: Card | None = None,
        query: str = "",
        listing: Listing = NOTHING,
    ) -> None:
        """Show what `card` holds at once, and the rest when it has been looked up."""
        same = paper == self._paper
        self._paper, self._query, self._listing = paper, query, listing
        if not same or paper is None:
            self.details = Details(card.paper, card.read) if card else None
            self._write()
        if paper is not None:
            self._pause.start()

    def _look_up(self) -> None:
        paper, query = self._paper, self._query
        if paper is not None:
            self._jobs.run(
                "Reading a paper",
                lambda task: self._source.details(paper, query, task),
                self._show,
                lane=Lane.light,
                instead_of="details",
            )

    def _show(self, details: Details) -> None:
        if details.paper.id == self._paper:
            self.details = details
            self._write()

    def toggle_read(self) -> None:
        if self.details is None or self._paper is None:
            return
        papers, read = [self._paper], not self.details.read
        self.details = replace(self.details, read=read)
        self._write_buttons()
        self.read_changed.emit(Card(self.details.paper, read))
        self._jobs.run(
            "Marking as read",
            lambda task: self._source.mark_read(papers, read),
            lane=Lane.light,
        )

    def copy_bibtex(self, papers: Sequence[PaperId] = ()) -> None:
        """Put these papers, or else the one that is shown, on the clipboard."""
        papers = papers or ([self._paper] if self._paper is not None else [])
        if not papers:
            return
        self._jobs.run(
            "Copying a citation",
            lambda task: self._source.bibtex(papers),
            self._copied,
            lane=Lane.light,
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def focus_text(self) -> None:
        self._text.setFocus(Qt.FocusReason.TabFocusReason)

    def _copied(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self._copy.setText("Copied")
        QTimer.singleShot(1500, self._copy, lambda: self._copy.setText("Copy BibTeX"))

    def _build(self) -> None:
        self._similar = QPushButton("Similar papers")
        self._similar.setToolTip("Papers that mean about the same (Ctrl+L)")
        self._read = QPushButton("Mark as read")
        self._copy = QPushButton("Copy BibTeX")
        self._similar.clicked.connect(lambda: self.similar_wanted.emit([self._paper]))
        self._read.clicked.connect(self.toggle_read)
        self._copy.clicked.connect(lambda: self.copy_bibtex())
        self._text = QTextBrowser(openLinks=False)
        self._text.setAccessibleName("Details of the paper")
        self._text.setAcceptDrops(False)
        self._text.document().setDocumentMargin(0)
        self._text.anchorClicked.connect(self._follow)
        buttons = QHBoxLayout()
        for button in (self._similar, self._read, self._copy):
            buttons.addWidget(button)
        buttons.addStretch()
        full = QWidget()
        column = QVBoxLayout(full)
        column.setContentsMargins(20, 16, 8, 12)
        column.setSpacing(14)
        column.addLayout(buttons)
        column.addWidget(self._text)
        nothing = styled(QLabel("Choose a paper to read about it"), "faint")
        nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._pages = QStackedLayout(self)
        self._pages.addWidget(nothing)
        self._pages.addWidget(full)

    def _paint(self, theme: Theme) -> None:
        self._similar.setIcon(icon("similar", theme.text))
        self._copy.setIcon(icon("copy", theme.text))
        self._write()

    def _write(self) -> None:
        if self.details is None:
            self._pages.setCurrentIndex(0)
            return
        self._pages.setCurrentIndex(1)
        self._write_buttons()
        evidence = self._listing.evidence.get(self._paper or 0)
        theme, points = self._appearance.theme, self.font().pointSizeF()
        text = details_text(self.details, evidence, self._listing, theme, points)
        # What is being read must not jump back to its top when more is known about it.
        bar, same = self._text.verticalScrollBar(), self._written == self._paper
        place = bar.value() if same else 0
        self._text.setHtml(text)
        bar.setValue(place)
        self._written = self._paper

    def _write_buttons(self) -> None:
        read = self.details is not None and self.details.read
        self._read.setText("Mark as unread" if read else "Mark as read")
        name = "unread" if read else "read"
        self._read.setIcon(icon(name, self._appearance.theme.text))

    def _follow(self, url: QUrl) -> None:
        what = url.scheme()
        argument = url.path(QUrl.ComponentFormattingOption.FullyDecoded)
        if what in ("http", "https"):
            QDesktopServices.openUrl(url)
        elif what == FIND:
            self.search_wanted.emit(argument)
        elif what == PAPER:
            self.paper_wanted.emit(PaperId(int(argument)))
        elif what in (OPEN, REVEAL) and self.details:
            file = Path(self.details.paper.files[int(argument)])
            QDesktopServices.openUrl(QUrl.fromLocalFile(file if what == OPEN else file.parent))
