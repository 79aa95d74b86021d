"""A place for a file of a paper: the file when it is open, or what must be done to open it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QFont
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from sciread_app.domain.paper import PaperId
from sciread_app.domain.reading import ReadingPlace
from sciread_app.domain.tex import readable
from sciread_app.language import tr
from sciread_app.services.reading import CannotShow, Why
from sciread_app.tasks import Task
from sciread_app.ui.empty import EmptyState
from sciread_app.ui.jobs import Jobs, Lane, Problem
from sciread_app.ui.reader.book import Book
from sciread_app.ui.reader.values import Files, OpenedFile
from sciread_app.ui.theme import Appearance, scaled, styled

Opened = tuple[OpenedFile, str, ReadingPlace | None]


class Tab(QStackedWidget):
    titled = Signal()
    edited = Signal()
    export_wanted = Signal()
    dark_chosen = Signal(bool)

    def __init__(
        self, paper: PaperId, path: Path, files: Files, jobs: Jobs, appearance: Appearance
    ) -> None:
        super().__init__()
        self.paper, self.path, self.title = paper, path, path.stem
        self.dark = False
        self._files, self._jobs, self._appearance = files, jobs, appearance
        self._begun = False
        self._closed = False
        self._place: ReadingPlace | None = None  # in the version before
        self.book: Book | None = None
        self.message = EmptyState(appearance)
        self.message.say("wait", tr("Opening the file"))
        self.password = _Password()
        self.password.given.connect(self._open)
        self.addWidget(self.message)
        self.addWidget(self.password)

    def open(self) -> None:
        """Open the file when it is first looked at; then, see whether it is still the same."""
        if not self._begun:
            self._begun = True
            self._open("")
        elif self.book:
            self.book.look_again()

    def rest(self) -> None:
        if self.book:
            self.book.rest()

    def close_file(self) -> None:
        self._closed = True
        if self.book:
            self.book.close_file()

    def set_dark(self, dark: bool) -> None:
        self.dark = dark
        if self.book:
            self.book.set_dark(dark)

    def take_focus(self) -> None:
        if self.book:
            self.book.view.setFocus(Qt.FocusReason.OtherFocusReason)
        elif self.currentWidget() is self.password:
            self.password.line.setFocus(Qt.FocusReason.OtherFocusReason)

    def _open(self, password: str) -> None:
        self._jobs.run(
            tr("Opening a file"),
            lambda task: self._look(password, task),
            self._show,
            on_failed=self._failed,
            lane=Lane.light,
        )

    def _look(self, password: str, task: Task) -> Opened | CannotShow:
        try:
            file = self._files.open(self.paper, self.path, password, task)
        except CannotShow as why:
            return why
        return file, self._files.title(self.paper), self._files.place(file.shape.sha256)

    def _show(self, opened: Opened | CannotShow) -> None:
        if isinstance(opened, CannotShow):
            self._explain(opened)
            return
        file, title, place = opened
        if self._closed:
            file.close()
            return
        self.title = readable(title) or self.title
        self.book = Book(file, self._files, self._jobs, self._appearance)
        self.book.edited.connect(self.edited)
        self.book.export_wanted.connect(self.export_wanted)
        self.book.dark_chosen.connect(self.dark_chosen)
        self.book.lost.connect(self._lost)
        self.addWidget(self.book)
        self.setCurrentWidget(self.book)
        self.book.set_dark(self.dark)
        if place or self._place:
            self.book.restore(place or self._place or ReadingPlace())
            self._place = None
        self.book.load_marks()
        self.titled.emit()
        if self.isVisible():
            self.take_focus()

    def _failed(self, problem: Problem) -> None:
        self.message.say("papers", problem.message, problem.hint, ((tr("Try again"), self._again),))
        self.setCurrentWidget(self.message)

    def _lost(self, why: CannotShow) -> None:
        """The file is no longer what was opened: where there is a new one, it is read on."""
        if self.book:
            self._place = self.book.view.place
            self.book.close_file()
            self.removeWidget(self.book)
            self.book.deleteLater()
            self.book = None
        if why.why is Why.changed:
            self._again()
        else:
            self._explain(why)

    def _explain(self, why: CannotShow) -> None:
        if why.why is Why.locked:
            self.password.ask(self.path.name)
            self.setCurrentWidget(self.password)
            self.password.line.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        actions = [(tr("Try again"), self._again), (tr("Show in folder"), self._reveal)]
        if why.why is Why.damaged:
            actions.append((tr("Open elsewhere"), self._open_elsewhere))
        text = f"{why.hint}\n\n{self.path}"
        self.message.say("papers", why.message, text, tuple(actions))
        self.setCurrentWidget(self.message)

    def _again(self) -> None:
        self.message.say("wait", tr("Opening the file"))
        self.setCurrentWidget(self.message)
        self._open("")

    def _reveal(self) -> None:
        folder = next((one for one in self.path.parents if one.is_dir()), self.path.parent)
        QDesktopServices.openUrl(QUrl.fromLocalFile(folder))

    def _open_elsewhere(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(self.path))


class _Password(QWidget):
    given = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._asked = False
        heading = QLabel(tr("This file needs a password"))
        heading.setFont(scaled(self.font(), 1.35, QFont.Weight.DemiBold))
        self.what = styled(QLabel(wordWrap=True), "quiet")
        self.what.setTextFormat(Qt.TextFormat.PlainText)
        self.wrong = styled(QLabel(tr("That is not its password.")), "wrong")
        self.line = styled(QLineEdit(), "field")
        self.line.setEchoMode(QLineEdit.EchoMode.Password)
        self.line.setAccessibleName(tr("Password of the file"))
        self.line.returnPressed.connect(self._give)
        button = styled(QPushButton(tr("Open")), "primary")
        button.clicked.connect(self._give)
        row = QHBoxLayout()
        row.addWidget(self.line, 1)
        row.addWidget(button)
        middle = QWidget()
        middle.setMaximumWidth(420)
        column = QVBoxLayout(middle)
        column.setSpacing(10)
        column.addStretch(2)
        column.addWidget(heading)
        column.addWidget(self.what)
        column.addLayout(row)
        column.addWidget(self.wrong)
        column.addStretch(3)
        across = QHBoxLayout(self)
        across.addStretch(1)
        across.addWidget(middle, 100)
        across.addStretch(1)

    def ask(self, name: str) -> None:
        """Asked again, the password before was wrong."""
        self.what.setText(tr("{name} is protected. SciRead does not keep the password.", name=name))
        self.wrong.setVisible(self._asked)
        self._asked = True
        self.line.clear()

    def _give(self) -> None:
        self.given.emit(self.line.text())
