"""A preview of the papers that a query finds, before they are fetched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QLabel, QPushButton, QStackedWidget, QWidget

from sciread_app.domain.fetch import Preview, SourceQuery
from sciread_app.domain.paper import PaperId
from sciread_app.language import tr, trn
from sciread_app.ui.jobs.runner import Job, JobError, JobQueue, JobRunner
from sciread_app.ui.paper_list.paper_list import PaperList, PaperModel
from sciread_app.ui.style.theme import Appearance, scaled, styled
from sciread_app.ui.view_models import Card, ResultList
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.messages.empty_state import EmptyState
from sciread_app.ui.widgets.text.labels import show_text

if TYPE_CHECKING:
    from sciread_app.ui.add_papers.gateway import AddPapersGateway

LOOKING = tr("Loading a preview")


class PreviewCards:
    """The papers of successive previews, under ids that no library uses."""

    def __init__(self) -> None:
        self._cards: dict[int, Card] = {}
        self._last = 0

    def listing(self, found: Preview) -> ResultList:
        self._cards.clear()
        for paper in found.papers:
            self._last -= 1
            # Marked as read: the dot for unread papers is for those in the library.
            self._cards[self._last] = Card(replace(paper, id=PaperId(self._last)), read=True)
        return ResultList(tuple(self._cards), found.total)

    def cards(self, ids: Sequence[int]) -> list[Card]:
        return [self._cards[id] for id in ids if id in self._cards]


class PreviewPanel(QWidget):
    """Shows how many papers a query finds, and the first of them, or why there are none. Nothing is
    stored. A request can be canceled, since a busy source may take minutes."""

    def __init__(self, intake: AddPapersGateway, jobs: JobRunner, appearance: Appearance) -> None:
        super().__init__()
        self._intake = intake
        self._jobs = jobs
        self._looking: Job | None = None
        self._asked = ""  # the title of the source being queried
        self._shown = PreviewCards()
        self.model = PaperModel(self._shown, jobs, self)
        self.list = PaperList(self.model, appearance)
        self.list.setAccessibleName(tr("Preview"))
        self.empty = EmptyState(appearance)
        self.count = QLabel()
        self.count.setFont(scaled(self.font(), 1.2, QFont.Weight.DemiBold))
        self.more = styled(QLabel(), "quiet")
        self.remark = styled(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "notice")
        self.stop = styled(QPushButton(tr("Cancel")), "link")
        self.stop.clicked.connect(self.cancel)
        jobs.progressed.connect(self._progress)
        jobs.finished.connect(self._finished)
        self._build()
        self.invite()

    def invite(self) -> None:
        self._show_message(
            "papers",
            tr("Preview before fetching"),
            tr(
                "See how many papers match a query, and the first of them, before adding any "
                "to your library."
            ),
        )

    def look(self, query: SourceQuery, source: str) -> None:
        """Request the number of matching papers, and the first of them, from the source with this
        title."""
        self._asked = source
        self._wait()

        def show(found: Preview) -> None:
            if self._looking:  # not canceled meanwhile
                self._show_found(found, query)

        self._looking = self._jobs.run(
            LOOKING,
            lambda task: self._intake.preview(query, task),
            show,
            on_failed=self._show_problem,
            on_cancelled=self.invite,  # also from the list of activities
            queue=JobQueue.network,
            replaces="look",
        )
        self._looking.retry = lambda: self.look(query, source)

    def cancel(self) -> None:
        """Cancel the request."""
        if self._looking:
            self._looking.cancel()
            self._looking = None
            self.invite()

    def _progress(self, job: Job, done: int, total: int, note: str) -> None:
        if job is self._looking and note:
            self._wait(note)

    def _finished(self, job: Job) -> None:
        if job is self._looking:
            self._looking = None

    def _wait(self, note: str = "") -> None:
        self._show_message("wait", tr("Searching {title}…", title=self._asked), note, stop=True)

    def _show_found(self, found: Preview, query: SourceQuery) -> None:
        if not found.total and not found.papers:
            hint = tr("Try fewer or different words, another field, or a longer period.")
            self._show_message("search", tr("No papers found"), found.remark or hint)
            return
        counted = trn("{n:,} paper", "{n:,} papers", found.total)
        self.count.setText(counted if found.total > 0 else tr("Paper list"))
        self.more.setText(_which(found, query))
        show_text(self.remark, found.remark)
        self.list.show_listing(self._shown.listing(found))
        self._pages.setCurrentIndex(1)

    def mark_outdated(self) -> None:
        """Mark the preview as outdated while the query is being changed."""
        if self._pages.currentIndex() == 1:
            self.more.setText(tr("For the previous version of the query"))

    def _show_problem(self, problem: JobError) -> None:
        self._show_message("close", problem.message, problem.hint)

    def _show_message(self, picture: str, title: str, text: str, *, stop: bool = False) -> None:
        self.empty.show_message(picture, title, text)
        self.stop.setVisible(stop)
        self._pages.setCurrentIndex(0)

    def _build(self) -> None:
        waiting = QWidget()
        stop = (self.stop, 0, Qt.AlignmentFlag.AlignHCenter)
        column((self.empty, 1), stop, parent=waiting, margins=(0, 0, 0, 4))
        found = QWidget()
        line = row(self.count, self.more, 0, margins=(4, 0, 4, 0), spacing=10)
        column(line, self.remark, (self.list, 1), parent=found, margins=(0, 4, 0, 0), spacing=8)
        self._pages = QStackedWidget()
        self._pages.addWidget(waiting)
        self._pages.addWidget(found)
        column(self._pages, parent=self, margins=0)


def _which(found: Preview, query: SourceQuery) -> str:
    """The numbers of matching papers that would be fetched, and that are shown."""
    shown = len(found.papers)
    if 0 < query.most < found.total:
        return trn(
            "{most:,} would be fetched; the first is shown below",
            "{most:,} would be fetched; the first {n:,} are shown below",
            shown,
            most=query.most,
        )
    if shown < found.total or found.total < 0:
        return trn("The first is shown below", "The first {n:,} are shown below", shown)
    return ""
