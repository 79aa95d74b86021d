"""The list of papers that the library cites most and does not have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QWidget,
)

from sciread_app.domain.citations import MissingPaper
from sciread_app.domain.paper import Identifier, LibraryChanges
from sciread_app.domain.text.tex import readable
from sciread_app.language import tr, trn
from sciread_app.tasks import Task
from sciread_app.ui.formatting import sentence_case
from sciread_app.ui.jobs.runner import JobError, JobQueue, JobRunner
from sciread_app.ui.style.theme import scaled, styled
from sciread_app.ui.view_models import ImportSummary
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.text.labels import show_text

if TYPE_CHECKING:
    from sciread_app.ui.add_papers.gateway import AddPapersGateway

NAME = Qt.ItemDataRole.UserRole


class MissingPapersList(QWidget):
    """Hidden while there are no such papers."""

    added = Signal(object)  # LibraryChanges

    def __init__(self, services: AddPapersGateway, jobs: JobRunner) -> None:
        super().__init__()
        self._services = services
        self._jobs = jobs
        self._build()
        self.hide()

    def load(self) -> None:
        self._run(tr("Loading cited papers"), self._services.missing, JobQueue.short)

    def look_up(self) -> None:
        """Request the titles that are not known."""
        self._run(tr("Looking up titles"), self._services.look_up_missing, JobQueue.network)

    def add(self) -> None:
        """Add the selected papers to the library."""
        names = self.selected()
        if not names:
            return
        self._allow(False)
        self._jobs.run(
            tr("Adding cited papers"),
            lambda task: self._services.add_missing(names, task),
            self._show_added,
            on_failed=self._adding_failed,
            on_cancelled=self._adding_stopped,
            queue=JobQueue.network,
            stop_note=tr("Papers added so far are kept"),
        )

    def selected(self) -> list[Identifier]:
        return [item.data(NAME) for item in self.list.selectedItems()]

    def tab_stops(self) -> list[QWidget]:
        return [self.list, self.add_button, self.titles_button]

    def _run(
        self, title: str, work: Callable[[Task], Sequence[MissingPaper]], queue: JobQueue
    ) -> None:
        self._jobs.run(
            title, work, self._show, on_failed=self._explain, queue=queue, replaces="missing papers"
        )

    def _show(self, papers: Sequence[MissingPaper]) -> None:
        selected = set(self.selected())
        self.list.clear()
        for paper in papers:
            item = QListWidgetItem(_text(paper))
            item.setData(NAME, paper.name)
            self.list.addItem(item)
            item.setSelected(paper.name in selected)
        count = len(papers)
        self.heading.setText(
            trn(
                "{n:,} paper that your papers cite most and that is not in your library",
                "{n:,} papers that your papers cite most and that are not in your library",
                count,
            )
        )
        self.titles_button.setVisible(any(paper.mention is None for paper in papers))
        for part in (self.heading, self.list, self.add_button):
            part.setVisible(bool(papers))
        self.setVisible(bool(papers or self.message.text()))
        self._allow(True)

    def _show_added(self, report: ImportSummary) -> None:
        self._explain_all(
            [
                trn("{n:,} paper added.", "{n:,} papers added.", report.added),
                *(f"{one.entry}: {one.reason}" for one in report.failures),
            ]
        )
        self._update(is_changed=report.added > 0)

    def _adding_failed(self, problem: JobError) -> None:
        self._explain(problem)
        self._update()

    def _adding_stopped(self) -> None:
        self._explain_all([tr("Stopped.")])
        self._allow(True)
        self._update()

    def _update(self, *, is_changed: bool = True) -> None:
        """Load the list again, and announce the papers that were added or may have been."""
        self.load()
        if is_changed:
            self.added.emit(LibraryChanges(papers=True))

    def _explain(self, problem: JobError) -> None:
        self._explain_all([problem.message, problem.hint])
        self._allow(True)

    def _explain_all(self, lines: Sequence[str]) -> None:
        show_text(self.message, "\n".join(filter(None, lines)))

    def _allow(self, allowed: bool) -> None:
        self.add_button.setEnabled(allowed and bool(self.list.selectedItems()))

    def _build(self) -> None:
        self.heading = QLabel(wordWrap=True)
        self.heading.setFont(scaled(self.font(), 1.0, QFont.Weight.DemiBold))
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Cited papers that are not in the library"))
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.list.setWordWrap(True)
        self.list.setSpacing(4)
        self.list.setFrameShape(QListWidget.Shape.NoFrame)
        self.list.itemSelectionChanged.connect(partial(self._allow, True))
        self.list.itemActivated.connect(lambda _: self.add())
        self.add_button = QPushButton(tr("Add selected papers"))
        self.add_button.clicked.connect(self.add)
        self.titles_button = styled(QPushButton(tr("Look up titles")), "link")
        self.titles_button.setToolTip(tr("Fetch the titles from Semantic Scholar"))
        self.titles_button.clicked.connect(self.look_up)
        self.message = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.message.hide()
        buttons = row(self.add_button, self.titles_button, 1, spacing=8)
        column(
            self.heading, (self.list, 1), buttons, self.message, parent=self, margins=0, spacing=8
        )


def _text(paper: MissingPaper) -> str:
    """Title, authors, venue and year of a paper, and how many papers cite it, on two lines."""
    cited = trn("cited by {n:,} of your papers", "cited by {n:,} of your papers", paper.citing)
    name = f"{paper.name.kind}:{paper.name.value}"
    known = paper.mention
    if known is None:
        return f"{name}\n{sentence_case(cited)}"
    about = (known.authors, known.venue, known.year, cited)
    return f"{readable(known.title)}\n{' · '.join(filter(None, about))}"
