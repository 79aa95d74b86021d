"""Find in document: the search, the find bar, and their connection with the pages."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QToolButton

from sciread_app.domain.annotations.annotations import TextMatch
from sciread_app.language import tr, trn
from sciread_app.services.library.annotations import SearchOfFile
from sciread_app.ui.jobs.runner import Job, JobQueue, JobRunner
from sciread_app.ui.reader.pages.page_view import PageView
from sciread_app.ui.reader.pages.text_selection import TextPosition, TextSelection
from sciread_app.ui.reader.view_models import OpenedFile
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, Theme, styled

PAUSE_MS = 200  # after the last key, until the search starts


class FileSearch(QObject):
    """Searches a document, one search at a time. Matches are reported as they are found, in page
    order.
    """

    began = Signal()
    loaded = Signal(object)  # list of TextMatch
    done = Signal(object)  # SearchOfFile
    _batch = Signal(int, object)  # from the worker thread

    def __init__(self, file: OpenedFile, jobs: JobRunner) -> None:
        super().__init__()
        self._file, self._jobs = file, jobs
        self._job: Job | None = None
        self._number = 0
        self.found: list[TextMatch] = []
        self.words = ""
        self._batch.connect(self._take, Qt.ConnectionType.QueuedConnection)

    def start(self, words: str) -> None:
        self.stop()
        self._number += 1
        self.words, self.found, number = words, [], self._number
        self.began.emit()
        if words.strip():
            self._job = self._jobs.run(
                tr("Searching in a file"),
                lambda task: self._file.search(
                    words, task, lambda found: self._batch.emit(number, found)
                ),
                lambda result: self._end(number, result),
                queue=JobQueue.short,
            )

    def stop(self) -> None:
        if self._job:
            self._job.cancel()
            self._job = None

    @property
    def busy(self) -> bool:
        return self._job is not None

    def _take(self, number: int, found: Sequence[TextMatch]) -> None:
        if number == self._number and found:
            self.found += found
            self.loaded.emit(found)

    def _end(self, number: int, result: SearchOfFile) -> None:
        if number == self._number:
            self._job = None
            self.done.emit(result)


class FindBar(QFrame):
    requested = Signal(str)
    stepped = Signal(int)  # to the next match (1) or the previous one (-1)
    closed = Signal()

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.line = styled(QLineEdit(placeholderText=tr("Find in this file")), "field")
        self.line.setAccessibleName(tr("Find in this file"))
        self.line.setClearButtonEnabled(True)
        self.line.setMaximumWidth(320)
        self.count = styled(QLabel(), "quiet")
        self._before = _button(
            tr("The one before"), tr("The one before (Shift+Enter)"), lambda: self.stepped.emit(-1)
        )
        self._after = _button(tr("The next"), tr("The next (Enter)"), lambda: self.stepped.emit(1))
        self._close = _button(tr("Close"), tr("Close (Escape)"), self.closed.emit)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(lambda: self.requested.emit(self.line.text()))
        self.line.textEdited.connect(lambda _: self._pause.start())
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 4, 8, 6)
        row.setSpacing(4)
        row.addWidget(self.line, 1)
        row.addWidget(self._before)
        row.addWidget(self._after)
        row.addSpacing(8)
        row.addWidget(self.count)
        row.addStretch(1)
        row.addWidget(self._close)
        appearance.follow(self._paint)

    def take_focus(self, words: str = "") -> None:
        if words:
            self.line.setText(words)
            self.requested.emit(words)
        self.line.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.line.selectAll()

    def show_count(self, text: str, nothing: bool = False) -> None:
        self.count.setObjectName("wrong" if nothing else "quiet")
        self.count.style().polish(self.count)
        self.count.setText(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._enter(bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        elif event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)

    def _enter(self, shift: bool) -> None:
        if self._pause.isActive():  # the typed text has not been searched for yet
            self._pause.stop()
            self.requested.emit(self.line.text())
        else:
            self.stepped.emit(-1 if shift else 1)

    def _paint(self, theme: Theme) -> None:
        for button, name in ((self._before, "up"), (self._after, "down"), (self._close, "close")):
            button.setIcon(icon(name, theme.text))


def _button(name: str, tip: str, do: object) -> QToolButton:
    button = styled(QToolButton(), "link")
    button.setToolTip(tip)
    button.setAccessibleName(name)
    button.clicked.connect(lambda: do())  # type: ignore[operator]
    return button


def counted(found: int, current: int | None, result: SearchOfFile | None) -> str:
    """The text next to the input line.

    `current` counts from 0; `result` is None until the search has finished.
    """
    if result is None:
        return trn("{n:,} found…", "{n:,} found…", found) if found else tr("Searching…")
    text = _place(found, current, result.cut_off) if found else tr("Not in this file")
    if result.unread:
        unread = trn(
            "{n:,} page could not be searched",
            "{n:,} pages could not be searched",
            result.unread,
        )
        text += f" · {unread}"
    return text


def _place(found: int, current: int | None, cut_off: bool) -> str:
    if current is None and cut_off:
        return trn("{n:,} and more found", "{n:,} and more found", found)
    if current is None:
        return trn("{n:,} found", "{n:,} found", found)
    if cut_off:
        return tr("{place:,} of {found:,} and more", place=current + 1, found=found)
    return tr("{place:,} of {found:,}", place=current + 1, found=found)


class FileSearchController(QObject):
    def __init__(
        self, file: OpenedFile, view: PageView, jobs: JobRunner, appearance: Appearance
    ) -> None:
        super().__init__(view)
        self._view = view
        self._result: SearchOfFile | None = None
        self.bar = FindBar(appearance)
        self.bar.hide()
        self.search = FileSearch(file, jobs)
        self.bar.requested.connect(self.search.start)
        self.bar.stepped.connect(self.step)
        self.bar.closed.connect(self.end)
        self.search.began.connect(self._clear_matches)
        self.search.loaded.connect(self._add_matches)
        self.search.done.connect(self._done)

    def begin(self, words: str = "") -> None:
        self.bar.show()
        self.bar.take_focus(words)

    def step(self, step: int) -> None:
        found, current = sorted(self.search.found), self._view.marks.current
        if found:
            place = found.index(current) + step if current in found else 0
            self._show(found[place % len(found)])

    def end(self) -> None:
        """Close the find bar. The current match stays selected, so that it can be copied or
        highlighted.
        """
        if not self.bar.isVisible():
            return
        current = self._view.marks.current
        if current:
            ends = (
                TextPosition(current.page, current.start),
                TextPosition(current.page, current.end),
            )
            self._view.marks.selection = TextSelection(*ends)
        self.bar.hide()
        self.search.start("")
        self._view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _clear_matches(self) -> None:
        self._result, self._view.marks.current = None, None
        self._view.marks.show_found([])
        self._view.refresh()
        self.bar.show_count(counted(0, None, None) if self.search.words.strip() else "")

    def _add_matches(self, found: list[TextMatch]) -> None:
        marks, here = self._view.marks, self._view.page
        marks.add_found(found)
        if marks.current is None:
            first = next((one for one in found if one.page >= here), None)
            if first:
                self._show(first)
        self._say()
        self._view.refresh()

    def _done(self, result: SearchOfFile) -> None:
        self._result = result
        if self.search.found and self._view.marks.current is None:
            self._show(self.search.found[0])
        self._say()

    def _show(self, found: TextMatch) -> None:
        self._view.marks.current = found
        if found.boxes:
            self._view.show_box(found.page, found.boxes[0])
        self._say()
        self._view.refresh()

    def _say(self) -> None:
        found, current = self.search.found, self._view.marks.current
        place = found.index(current) if current in found else None
        nothing = self._result is not None and not found
        self.bar.show_count(counted(len(found), place, self._result), nothing)
