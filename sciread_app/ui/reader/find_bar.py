"""Find in document: the search, the find bar, and their connection with the pages."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLabel, QLineEdit, QToolButton

from sciread_app.domain.annotations.annotations import TextMatch
from sciread_app.language import tr, trn
from sciread_app.services.library.reader import OpenFile, SearchOfFile
from sciread_app.tasks import Task
from sciread_app.ui.jobs.runner import Job, JobRunner
from sciread_app.ui.reader.pages.page_view import PageView
from sciread_app.ui.reader.pages.text_selection import TextPosition, TextSelection
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, Theme, styled
from sciread_app.ui.widgets.layout.boxes import row

PAUSE_MS = 200  # after the last key, until the search starts


class FindBar(QFrame):
    """The field for words, and buttons for the matches. A search is requested after a pause in
    typing, or by Enter; another Enter goes to the next match."""

    search_requested = Signal(str)
    stepped = Signal(int)  # to the next match (1) or the previous one (-1)
    closed = Signal()

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.line = styled(QLineEdit(placeholderText=tr("Find in file")), "field")
        self.line.setAccessibleName(tr("Find in file"))
        self.line.setClearButtonEnabled(True)
        self.line.setMaximumWidth(320)
        self.count = styled(QLabel(), "quiet")
        before, after = tr("Previous (Shift+Enter)"), tr("Next (Enter)")
        self._before = _button(tr("Previous"), before, lambda: self.stepped.emit(-1))
        self._after = _button(tr("Next"), after, lambda: self.stepped.emit(1))
        self._close = _button(tr("Close"), tr("Close (Esc)"), self.closed.emit)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(lambda: self.search_requested.emit(self.line.text()))
        self.line.textEdited.connect(lambda _: self._pause.start())
        self.count.setContentsMargins(12, 0, 0, 0)
        buttons = (self._before, self._after)
        parts = ((self.line, 1), *buttons, self.count, 1, self._close)
        row(*parts, parent=self, margins=(12, 4, 8, 6), spacing=4)
        appearance.follow(self._paint)

    def take_focus(self, words: str = "") -> None:
        if words:
            self.line.setText(words)
            self.search_requested.emit(words)
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
            self.search_requested.emit(self.line.text())
        else:
            self.stepped.emit(-1 if shift else 1)

    def _paint(self, theme: Theme) -> None:
        for button, name in ((self._before, "up"), (self._after, "down"), (self._close, "close")):
            button.setIcon(icon(name, theme.text))


def _button(name: str, tip: str, do: Callable[[], object]) -> QToolButton:
    button = styled(QToolButton(), "link")
    button.setToolTip(tip)
    button.setAccessibleName(name)
    button.clicked.connect(lambda: do())
    return button


def counted(found: int, current: int | None, result: SearchOfFile | None) -> str:
    """The text next to the input line.

    `current` counts from 0; `result` is None until the search has finished.
    """
    if result is None:
        return trn("{n:,} found…", "{n:,} found…", found) if found else tr("Searching…")
    text = _place(found, current, result.cut_off) if found else tr("No results")
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
        return trn("At least {n:,} found", "At least {n:,} found", found)
    if current is None:
        return trn("{n:,} found", "{n:,} found", found)
    if cut_off:
        return tr("{place:,} of at least {found:,}", place=current + 1, found=found)
    return tr("{place:,} of {found:,}", place=current + 1, found=found)


class FileSearch(QObject):
    """Searches a document, one search at a time, and shows the matches on its pages as they are
    found, in page order. `bar` is its find bar."""

    _batch = Signal(int, object)  # the number of a search and its matches, from the worker thread

    def __init__(
        self, file: OpenFile, view: PageView, jobs: JobRunner, appearance: Appearance
    ) -> None:
        super().__init__(view)
        self._file, self._view, self._jobs = file, view, jobs
        self._job: Job | None = None
        self._number = 0
        self.found: list[TextMatch] = []
        self.result: SearchOfFile | None = None  # when the search has finished
        self.bar = FindBar(appearance)
        self.bar.hide()
        self.bar.search_requested.connect(self.start)
        self.bar.stepped.connect(self.step)
        self.bar.closed.connect(self.end)
        self._batch.connect(self._add_matches, Qt.ConnectionType.QueuedConnection)

    def start(self, words: str) -> None:
        """Search for these words instead of the last ones; without any, only clear the matches."""
        self.stop()
        self.found, self.result, number = [], None, self._number
        self._view.marks.current = None
        self._view.marks.show_found([])
        self._view.refresh()
        self.bar.show_count(counted(0, None, None) if words.strip() else "")

        def work(task: Task) -> SearchOfFile:
            def report(found: list[TextMatch]) -> None:
                task.raise_if_cancelled()  # the file may be closed, and this object deleted
                self._batch.emit(number, found)

            return self._file.search(words, task, report)

        if words.strip():
            self._job = self._jobs.run(
                tr("Searching a file"), work, lambda result: self._end_search(number, result)
            )

    def stop(self) -> None:
        """Stop the search. What it finds from now on is dropped."""
        self._number += 1
        if self._job:
            self._job.cancel()
            self._job = None

    def begin(self, words: str = "") -> None:
        """Show the find bar, and search for `words` if there are any."""
        self.bar.show()
        self.bar.take_focus(words)

    def step(self, step: int) -> None:
        """Go to the next match (1) or the previous one (-1)."""
        found, current = sorted(self.found), self._view.marks.current
        if found:
            place = found.index(current) + step if current in found else 0
            self._show(found[place % len(found)])

    def end(self) -> None:
        """Close the find bar. The current match stays selected, so that it can be copied or
        highlighted.
        """
        if not self.bar.isVisible():
            return
        if current := self._view.marks.current:
            self._view.marks.selection = TextSelection(
                TextPosition(current.page, current.start), TextPosition(current.page, current.end)
            )
        self.bar.hide()
        self.start("")
        self._view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _add_matches(self, number: int, found: list[TextMatch]) -> None:
        if number != self._number or not found:
            return
        self.found += found
        marks, here = self._view.marks, self._view.page
        marks.add_found(found)
        first = next((one for one in found if one.page >= here), None)
        if marks.current is None and first:
            self._show(first)
        self._show_count()
        self._view.refresh()

    def _end_search(self, number: int, result: SearchOfFile) -> None:
        if number != self._number:
            return
        self._job, self.result = None, result
        if self.found and self._view.marks.current is None:
            self._show(self.found[0])
        self._show_count()

    def _show(self, found: TextMatch) -> None:
        self._view.marks.current = found
        if found.boxes:
            self._view.show_box(found.page, found.boxes[0])
        self._show_count()
        self._view.refresh()

    def _show_count(self) -> None:
        current = self._view.marks.current
        place = self.found.index(current) if current in self.found else None
        nothing = self.result is not None and not self.found
        self.bar.show_count(counted(len(self.found), place, self.result), nothing)
