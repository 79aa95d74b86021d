"""A tab of the reader: the document, or why it is not open and how to open it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QFont
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton, QStackedWidget, QWidget

from sciread_app.domain.annotations.annotations import ReadingPosition
from sciread_app.domain.paper import PaperId
from sciread_app.domain.text.tex import readable
from sciread_app.language import tr
from sciread_app.services.library.reader import (
    CannotShow,
    FailureReason,
    OpenFile,
    ReaderService,
)
from sciread_app.tasks import Task
from sciread_app.ui.app_context import AppEvents
from sciread_app.ui.jobs.runner import JobError, JobRunner
from sciread_app.ui.reader.document_view import DocumentView
from sciread_app.ui.reader.pages.display import PageDisplay
from sciread_app.ui.style.theme import Appearance, scaled, styled
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.messages.empty_state import EmptyState

Opened = tuple[OpenFile, str, ReadingPosition | None]


class ReaderTab(QStackedWidget):
    """Opens a file in the background when it is first shown. In its place, the tab shows why it
    cannot be opened, or asks for a password; a file that changes on disk is opened again at the
    same position."""

    opened = Signal(object)  # DocumentView
    close_requested = Signal()

    def __init__(
        self,
        paper: PaperId,
        path: Path,
        files: ReaderService,
        jobs: JobRunner,
        appearance: Appearance,
        events: AppEvents,
    ) -> None:
        super().__init__()
        self.paper, self.path, self.title = paper, path, path.stem
        self.display = PageDisplay()
        self._files, self._jobs, self._appearance = files, jobs, appearance
        self._events = events
        self._begun = False
        self._closed = False
        # Reading position in the previous version of the file
        self._place: ReadingPosition | None = None
        self.book: DocumentView | None = None
        self.message = EmptyState(appearance)
        self.message.show_message("wait", tr("Opening the file"))
        self.password = _Password()
        self.password.submitted.connect(self._open)
        self.addWidget(self.message)
        self.addWidget(self.password)

    def open(self) -> None:
        """Open the file when it is first shown; later, check whether it has changed."""
        if not self._begun:
            self._begun = True
            self._open("")
        elif self.book:
            self.book.check_for_changes()

    def rest(self) -> None:
        if self.book:
            self.book.rest()

    def close_file(self) -> None:
        self._closed = True
        if self.book:
            self.book.close_file()

    def set_display(self, display: PageDisplay) -> None:
        self.display = display
        if self.book:
            self.book.set_display(display)

    def take_focus(self) -> None:
        if self.book:
            self.book.view.setFocus(Qt.FocusReason.OtherFocusReason)
        elif self.currentWidget() is self.password:
            self.password.line.setFocus(Qt.FocusReason.OtherFocusReason)

    def _open(self, password: str) -> None:
        self._jobs.run(
            tr("Opening a file"),
            lambda task: self._look(password, task),
            partial(self._show, bool(password)),
            on_failed=self._failed,
        )

    def _look(self, password: str, task: Task) -> Opened | CannotShow:
        try:
            file = self._files.open(self.paper, self.path, password, task)
        except CannotShow as why:
            return why
        return file, self._files.title(self.paper), self._files.position(file.shape.sha256)

    def _show(self, with_password: bool, opened: Opened | CannotShow) -> None:
        if isinstance(opened, CannotShow):
            self._explain(opened, with_password=with_password)
            return
        file, title, place = opened
        if self._closed:
            file.close()
            return
        self.path = file.path  # the file may have moved
        self.title = readable(title) or self.title
        self.book = DocumentView(file, self._files, self._jobs, self._appearance, self._events)
        self.book.file_lost.connect(self._lost)
        self.addWidget(self.book)
        self.setCurrentWidget(self.book)
        self.book.set_display(self.display)
        if place or self._place:
            self.book.restore(place or self._place or ReadingPosition())
            self._place = None
        self.book.load_marks()
        self.opened.emit(self.book)
        if self.isVisible():
            self.take_focus()

    def _failed(self, problem: JobError) -> None:
        if self._closed:
            return
        self.message.show_message(
            "papers", problem.message, problem.hint, ((tr("Retry"), self._again),)
        )
        self.setCurrentWidget(self.message)

    def _lost(self, why: CannotShow) -> None:
        """Handle a changed or removed file: a changed one is reopened at the same position."""
        if self.book:
            self._place = self.book.view.position
            self.book.close_file()
            self.removeWidget(self.book)
            self.book.deleteLater()
            self.book = None
        if why.reason is FailureReason.changed:
            self._again()
        else:
            self._explain(why)

    def _explain(self, why: CannotShow, *, with_password: bool = False) -> None:
        if self._closed:
            return
        if why.reason is FailureReason.locked:
            self.password.ask(self.path.name, is_wrong=with_password)
            self.setCurrentWidget(self.password)
            self.password.line.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        first = (tr("Retry"), self._again)
        if why.reason is FailureReason.removed:
            first = (tr("Close tab"), self.close_requested.emit)
        actions = [first, (tr("Show in folder"), self._reveal)]
        if why.reason is FailureReason.damaged:
            actions.append((tr("Open in another app"), self._open_elsewhere))
        text = f"{why.hint}\n\n{self.path}"
        self.message.show_message("papers", why.message, text, tuple(actions))
        self.setCurrentWidget(self.message)

    def _again(self) -> None:
        self.message.show_message("wait", tr("Opening the file"))
        self.setCurrentWidget(self.message)
        self._open("")

    def _reveal(self) -> None:
        folder = next((one for one in self.path.parents if one.is_dir()), self.path.parent)
        QDesktopServices.openUrl(QUrl.fromLocalFile(folder))

    def _open_elsewhere(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(self.path))


class _Password(QWidget):
    submitted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        heading = QLabel(tr("This file needs a password"))
        heading.setFont(scaled(self.font(), 1.35, QFont.Weight.DemiBold))
        self.what = styled(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "quiet")
        self.wrong = styled(QLabel(tr("The password is not correct.")), "wrong")
        self.line = styled(QLineEdit(), "field")
        self.line.setEchoMode(QLineEdit.EchoMode.Password)
        self.line.setAccessibleName(tr("File password"))
        self.line.returnPressed.connect(self._give)
        button = styled(QPushButton(tr("Open")), "primary")
        button.clicked.connect(self._give)
        middle = QWidget()
        middle.setMaximumWidth(420)
        field = row((self.line, 1), button)
        column(2, heading, self.what, field, self.wrong, 3, parent=middle, spacing=10)
        row(1, (middle, 100), 1, parent=self)

    def ask(self, name: str, *, is_wrong: bool) -> None:
        """Ask for the password; `is_wrong` reports that the last one was."""
        self.what.setText(
            tr("{name} is password-protected. SciRead does not store the password.", name=name)
        )
        self.wrong.setVisible(is_wrong)
        self.line.clear()

    def _give(self) -> None:
        self.submitted.emit(self.line.text())
