"""Adding papers by identifier: the texts entered, what they name, and what is added."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QLabel, QPlainTextEdit, QPushButton, QWidget

from sciread_app.domain.paper import Paper, PaperId
from sciread_app.domain.text.tex import readable
from sciread_app.language import tr, trn
from sciread_app.tasks import Task
from sciread_app.ui.app_context import AppContext
from sciread_app.ui.formatting import shortened
from sciread_app.ui.jobs.runner import Job, JobError, JobQueue
from sciread_app.ui.style.theme import styled
from sciread_app.ui.widgets.check_tree import CheckModel, CheckRow, CheckTree
from sciread_app.ui.widgets.dialogs.window_placement import keep_on_screen
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.text.labels import show_text

if TYPE_CHECKING:
    from sciread_app.services.ingest.lookup.identifier_import import Entry
    from sciread_app.ui.add_papers.gateway import AddPapersGateway

T = TypeVar("T")

SIZE = (760, 560)
LINES = 5  # of the text field
STATE_WIDTH = 160  # pixels
LONGEST_NAME = 60  # characters
# By the state of an entry.
STATES = {
    "found": tr("Found"),
    "in library": tr("In your library"),
    "offered": tr("Select a paper"),
    "not found": tr("Not found"),
    "failed": tr("Look-up failed"),
}
SERVICES = tr(
    "“Look up” sends these texts to Crossref, DataCite, OpenAlex, arXiv, PubMed, and Open Library, "
    "and opens web pages whose addresses do not contain an identifier. Nothing else is sent."
)


class IdentifierForm(QWidget):
    """Nothing is sent before the user presses the button, and nothing is added before they have
    seen what was found."""

    added = Signal(object)  # list of PaperId, of the papers that were added or were there before

    def __init__(self, intake: AddPapersGateway, context: AppContext) -> None:
        super().__init__()
        self._intake = intake
        self._jobs = context.jobs
        self._job: Job | None = None
        self._adds = False  # the job adds papers
        self._entries: Sequence[Entry] = ()  # those listed, in the order of the rows
        title = tr("DOIs, arXiv IDs, PMIDs, PMCIDs, ISBNs, web addresses, or titles, one per line")
        self.text = QPlainTextEdit()
        self.text.setObjectName("field")
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName(title)
        self.text.setPlaceholderText(
            tr("10.1038/nature14539\n1706.03762\nhttps://openreview.net/…")
        )
        self.text.setFixedHeight(LINES * self.text.fontMetrics().lineSpacing() + 22)
        self.look_up_button = styled(QPushButton(tr("Look up")), "primary")
        self.stop_button = QPushButton(tr("Stop"))
        self.add_button = styled(QPushButton(""), "primary")
        self.model = CheckModel((tr("Paper"), tr("Result")))
        self.list = CheckTree(self.model, tr("Papers found"), (STATE_WIDTH,))
        self.status = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        services = styled(QLabel(SERVICES, wordWrap=True), "faint")
        look_up = row(self.look_up_button, self.stop_button, (self.status, 1), spacing=8)
        column(
            QLabel(title, wordWrap=True), self.text, services, look_up, (self.list, 1000),
            row(1, self.add_button), 1, parent=self, margins=0, spacing=10,
        )  # fmt: skip
        self.text.textChanged.connect(self._show_state)
        self.look_up_button.clicked.connect(lambda: self.look_up())
        self.stop_button.clicked.connect(self._stop)
        self.add_button.clicked.connect(self.add)
        self.model.toggled.connect(self._show_state)
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(keys), self.text, lambda: self.look_up())
        self._show_state()

    def take_focus(self) -> None:
        self.text.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def tab_stops(self) -> Sequence[QWidget]:
        return (self.text, self.look_up_button, self.stop_button, self.list, self.add_button)

    def look_up(self, *, and_add: bool = False) -> None:
        """Look up what was entered; with `and_add`, add what is certainly meant at once."""
        text = self.text.toPlainText()
        if self._job or not text.strip():
            return

        def show(entries: Sequence[Entry]) -> None:
            self._end()
            self._show(entries)
            if and_add:
                self.add()

        self._run(tr("Looking up papers"), lambda task: self._intake.find_papers(text, task), show)
        show_text(self.status, tr("Looking up…"))

    def add(self) -> None:
        """Add the checked papers. Texts whose paper is not added then stay, and those entered after
        the look-up."""
        papers = self._checked()
        if self._job or not papers:
            return
        chosen = {row for row, _ in self.model.checked()}
        settled = {
            entry.text
            for entry, row in zip(self._entries, self.model.rows, strict=True)
            if row in chosen or str(entry.state) == "in library"
        }
        text = self.text.toPlainText()

        def finish(ids: Sequence[PaperId]) -> None:
            # Loaded by the look-up.
            from sciread_app.services.ingest.lookup.identifier_import import split_texts

            self._end()
            kept = [
                (entry, row)
                for entry, row in zip(self._entries, self.model.rows, strict=True)
                if entry.text not in settled
            ]
            self._entries = [entry for entry, _ in kept]
            self.model.show_rows([row for _, row in kept])  # as they are checked
            left = [text for text in split_texts(self.text.toPlainText()) if text not in settled]
            self.text.setPlainText("\n".join(left))
            results = [trn("{n:,} paper added.", "{n:,} papers added.", len(ids))]
            if left:
                results.append(
                    trn("{n:,} text was not added.", "{n:,} texts were not added.", len(left))
                )
            show_text(self.status, " ".join(results))
            self._show_state()
            self.added.emit(list(ids))

        name = shortened("; ".join(text.split("\n")), LONGEST_NAME)
        self._run(
            tr("Adding papers"),
            lambda task: self._intake.add_found(papers, name),
            finish,
            adds=True,
        )

    def _run(
        self,
        title: str,
        work: Callable[[Task], T],
        done: Callable[[T], None],
        *,
        adds: bool = False,
    ) -> None:
        def if_current(end: Callable[..., None]) -> Callable[..., None]:
            """A look-up that was stopped may end later, during the next one."""
            return lambda *outcome: end(*outcome) if self._job is job else None

        def retry() -> None:
            if not (self._job and self._adds):
                self._stop()
                self._run(title, work, done, adds=adds)

        job = self._jobs.run(
            title,
            work,
            if_current(done),
            on_failed=if_current(self._failed),
            on_cancelled=if_current(self._stopped),
            queue=JobQueue.network,
        )
        job.retry = retry
        self._job, self._adds = job, adds
        self._show_state()

    def _stop(self) -> None:
        if not self._job:
            return
        self._job.cancel()
        if self._adds:  # it may be too late to stop: show whether papers were added
            show_text(self.status, tr("Stopping…"))
        else:
            self._stopped()

    def _stopped(self) -> None:
        self._end()
        show_text(self.status, tr("Stopped."))

    def _failed(self, problem: JobError) -> None:
        self._end()
        show_text(self.status, problem.text)

    def _end(self) -> None:
        self._job = None
        show_text(self.status, "")
        self._show_state()

    def _show(self, entries: Sequence[Entry]) -> None:
        self._list(entries)
        counts = [
            tr("{n:,} found", n=_count(entries, "found")),
            tr("{n:,} in your library", n=_count(entries, "in library")),
            tr("{n:,} not found", n=_count(entries, "not found")),
        ]
        if failed := _count(entries, "failed"):
            counts.append(tr("{n:,} failed", n=failed))
        if several := _count(entries, "offered"):
            counts.append(tr("{n:,} with several candidates", n=several))
        reasons = dict.fromkeys(one.reason for one in entries if str(one.state) == "failed")
        show_text(self.status, ". ".join([", ".join(counts), *reasons]))
        self._show_state()

    def _list(self, entries: Sequence[Entry]) -> None:
        self._entries = entries
        self.model.show_rows([_row(entry) for entry in entries])

    def _checked(self) -> list[Paper]:
        return [child.value for _, child in self.model.checked()]

    def _show_state(self) -> None:
        count = len(self._checked())
        self.look_up_button.setEnabled(not self._job and bool(self.text.toPlainText().strip()))
        self.stop_button.setVisible(self._job is not None)
        self.list.setVisible(bool(self.model.rows))
        self.add_button.setVisible(bool(self.model.rows))
        self.add_button.setEnabled(not self._job and count > 0)
        self.add_button.setText(trn("Add {n:,} paper", "Add {n:,} papers", count))


class IdentifierDialog(QDialog):
    """Stays open until papers are added and no text is left."""

    added = Signal(object)  # list of PaperId

    def __init__(self, intake: AddPapersGateway, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Add by identifier"))
        self.form = IdentifierForm(intake, context)
        self.form.added.connect(self._show_added)
        column((self.form, 1), parent=self, margins=(24, 20, 24, 16))
        self.resize(*SIZE)
        keep_on_screen(self)

    def ask(self, text: str = "") -> None:
        """Open the dialog. If there is a text, look it up at once, and add the paper that it names:
        the user has asked for it."""
        self.open()
        self.form.take_focus()
        if text:
            self.form.text.setPlainText(text)
            self.form.look_up(and_add=True)

    def offer(self, text: str) -> None:
        """Open the dialog with these lines in addition to what was entered before."""
        self.open()
        self.form.take_focus()
        self.form.text.appendPlainText(text)

    def _show_added(self, papers: Sequence[PaperId]) -> None:
        if not self.form.text.toPlainText():
            self.accept()
        self.added.emit(papers)


def _row(entry: Entry) -> CheckRow:
    state = STATES.get(str(entry.state), str(entry.state))
    if entry.paper:
        is_new = entry.paper.id is None
        paper = entry.paper
        return CheckRow(
            (_named(paper), state), is_new or None, paper, f"{entry.text}\n{entry.reason}"
        )
    children = [CheckRow((_named(one), _names(one)), False, one) for one in entry.candidates]
    tip = f"{entry.text}\n{entry.reason}".strip()
    text = " – ".join(filter(None, (" ".join(entry.text.split()), entry.reason)))
    return CheckRow((text, state), tip=tip, children=children)


def _named(paper: Paper) -> str:
    authors = paper.authors[0].last_name if paper.authors else ""
    about = ", ".join(filter(None, (authors, str(paper.year or ""), paper.venue)))
    return f"{readable(paper.title)} ({about})" if about else readable(paper.title)


def _names(paper: Paper) -> str:
    return ", ".join(value for _, value in paper.identifiers[:1])


def _count(entries: Sequence[Entry], state: str) -> int:
    return sum(str(entry.state) == state for entry in entries)
