"""The notes on a paper: Markdown, rendered, and edited in place."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import date
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from sciread_app.domain.paper import PaperId
from sciread_app.language import format_day, tr
from sciread_app.services.library.note_drafts import NEW
from sciread_app.ui.jobs.runner import JobError, JobRunner, job_error
from sciread_app.ui.style.theme import styled
from sciread_app.ui.view_models import Details, PaperNote
from sciread_app.ui.widgets.focus import holds_focus
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.text.markdown_view import AutoHeightText

if TYPE_CHECKING:
    from sciread_app.ui.paper.gateway import PaperGateway

PAUSE_MS = 400  # of no typing, after which a draft is saved
FEWEST_LINES, MOST_LINES = 4, 24
HOW = tr("Markdown. Press Ctrl+Enter to save.")
KEPT = tr("SciRead saves a draft as you type. Esc leaves the editor and keeps the draft.")


class Notes(QWidget):
    """The notes on one paper. Text being typed is saved as a draft until it is saved, discarded or
    resumed."""

    changed = Signal()
    failed = Signal(object)  # JobError
    escaped = Signal()  # Esc
    layout_changed = Signal()  # a note was added or removed

    def __init__(self, about: PaperGateway, jobs: JobRunner) -> None:
        super().__init__()
        self._about = about
        self._jobs = jobs
        self._paper: PaperId | None = None
        # drafts that could not be saved, by paper and note
        self._unsaved: dict[tuple[PaperId | None, int], str] = {}
        self.views: dict[int, NoteView] = {}
        self.add = styled(QPushButton(tr("Write note")), "flush")
        self.add.clicked.connect(self.write)
        add = (self.add, 0, Qt.AlignmentFlag.AlignLeft)
        self._column = column(add, parent=self, margins=0, spacing=10)

    def show_notes(self, details: Details) -> None:
        """Show the notes; a note that is being edited is left alone."""
        if details.paper.id != self._paper:
            for number, view in self.views.items():
                if self._paper is not None and not view.keep():
                    self._unsaved[self._paper, number] = view.box.toPlainText()
            self._clear()
            self._paper = details.paper.id
        wanted = {note.id: note for note in details.notes}
        for number in [n for n, view in self.views.items() if n not in wanted]:
            if number != NEW or not self.views[NEW].is_open:
                self._drop(number)
        for place, note in enumerate(details.notes):
            self._view(note.id, place).show_note(note)
        drafts = dict(details.drafts)
        for number in (*wanted, NEW):
            if text := self._unsaved.pop((details.paper.id, number), ""):
                drafts[number] = text
        if NEW in drafts:
            self._view(NEW, len(wanted))
        for number, text in drafts.items():
            if number in self.views:
                self.views[number].resume(text)
        self._show_add()

    def write(self) -> None:
        """Start a new note, or continue the one being written."""
        if self._paper is None:
            return
        view = self._view(NEW, len(self.views) - (NEW in self.views))
        view.edit()
        self._show_add()

    def paint(self) -> None:
        """Render again after a theme change, since links in Markdown have their own colors."""
        for view in self.views.values():
            view.paint()

    def keep(self) -> bool:
        """Save all drafts at once: the window may close next. Return whether all are saved, also
        those of papers shown before."""
        for (paper, number), text in list(self._unsaved.items()):
            assert paper is not None
            with suppress(OSError):  # reported when it first failed
                self._about.drafts.save(paper, number, text)
                del self._unsaved[paper, number]
        kept = [view.keep() for view in self.views.values()]
        return all(kept) and not self._unsaved

    def hideEvent(self, event: QHideEvent) -> None:
        self.keep()
        super().hideEvent(event)

    def _view(self, number: int, place: int) -> NoteView:
        if number not in self.views:
            assert self._paper is not None
            view = NoteView(self._paper, number, self._about, self._jobs, self.failed.emit)
            view.saved.connect(partial(self._saved, view))
            view.closed.connect(self._closed)
            view.escaped.connect(self.escaped)
            self.views[number] = view
            self._column.insertWidget(place, view)
            self.layout_changed.emit()
        return self.views[number]

    def _saved(self, view: NoteView) -> None:
        if self.views.get(NEW) is view:  # another paper may be shown by now
            self._drop(NEW)
        self._show_add()
        self.changed.emit()

    def _closed(self, number: int) -> None:
        if number == NEW:
            self._drop(NEW)
            self.add.setFocus()
        self._show_add()

    def _show_add(self) -> None:
        self.add.setVisible(NEW not in self.views)

    def _drop(self, number: int) -> None:
        view = self.views.pop(number)
        self._column.removeWidget(view)
        held = holds_focus(view)
        view.hide()
        view.delete_when_saved()
        if held:  # else Qt would move the focus to the next widget
            self.escaped.emit()

    def _clear(self) -> None:
        for number in list(self.views):
            self._drop(number)


class NoteView(QFrame):
    """One note, rendered or in the editor; the number NEW is that of a note that is not saved yet.
    `closed` passes the number."""

    saved = Signal()
    closed = Signal(int)
    escaped = Signal()

    def __init__(
        self,
        paper: PaperId,
        number: int,
        about: PaperGateway,
        jobs: JobRunner,
        report: Callable[[JobError], object],
    ) -> None:
        """`report` is called with each failure, maybe after this widget was deleted."""
        super().__init__()
        self._report = report
        self.setObjectName("note")
        self._paper, self.number = paper, number
        self._about, self._jobs = about, jobs
        self._draft = f"draft {paper} {number}"  # key of its jobs: one at a time
        self._saved = ""  # the text in the library
        self._kept: str | None = None  # the text of the draft
        self._is_failing = False  # the last draft could not be saved
        self._saving = False
        self._is_dropped = False  # to be deleted when it is saved
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self._keep_soon)
        self._build()

    @property
    def is_open(self) -> bool:
        return not self.box.isHidden()

    def show_note(self, note: PaperNote) -> None:
        if note.text != self._saved or not self.text.toPlainText():
            self._saved = note.text
            self.text.show_markdown(note.text)
        day = format_day(date.fromtimestamp(note.changed))
        self.when.setText(day)
        self.text.setAccessibleName(tr("Note from {day}", day=day))

    def paint(self) -> None:
        self.text.show_markdown(self._saved)

    def resume(self, draft: str) -> None:
        """Resume a draft that was not saved. Does nothing while text is being typed."""
        if not self.is_open and draft != self._saved:
            self._open(draft)

    def edit(self) -> None:
        if not self.is_open:
            self._open(self._saved)
        self.box.setFocus()
        self.box.moveCursor(self.box.textCursor().MoveOperation.End)

    def save(self) -> None:
        """Save the text in the background and close the editor; an empty text removes the note. If
        saving fails, the editor stays open and the draft is kept."""
        text, paper, number = self.box.toPlainText().strip(), self._paper, self.number
        if self._saving or (number == NEW and not text):
            return
        self.keep()
        self._set_saving(True)
        self._jobs.drop(self._draft)
        editor, drafts = self._about.editor, self._about.drafts

        def work(task: object) -> None:
            if number == NEW:
                editor.add_note(paper, text)
            elif text != self._saved:
                editor.change_note(number, text)
            drafts.delete(paper, number)

        self._jobs.run(
            tr("Saving a note"),
            work,
            lambda _: self._end(text),
            on_failed=self._not_saved,
            on_cancelled=lambda: self._set_saving(False),
        )

    def delete_when_saved(self) -> None:
        """Delete this widget, but not before a change being saved is saved."""
        self._is_dropped = True
        if not self._saving:
            self.deleteLater()

    def leave(self) -> None:
        """Leave the editor on Esc: a changed text stays open and is saved as a draft."""
        if not self._saving and self.box.toPlainText() == self._saved:
            self.discard()
        else:
            self.keep()
            self.escaped.emit()

    def discard(self) -> None:
        """Revert to the saved text. The discarded text can be restored until another paper is
        shown. Does nothing while the text is being saved."""
        if self._saving:
            return
        self._discarded = self.box.toPlainText()
        self._pause.stop()
        self._kept = None
        paper, number, drafts = self._paper, self.number, self._about.drafts
        self._jobs.run(
            tr("Discarding a draft"),
            lambda task: drafts.delete(paper, number, task),
            replaces=self._draft,
        )
        if self._discarded.strip() and self._discarded != self._saved:
            self._show(editing=False)
            self.back.show()
            self.back.setFocus()
        else:
            self._show(editing=False)
            self.closed.emit(self.number)

    def keep(self) -> bool:
        """Save the draft at once. Return whether nothing is left unsaved; a failure is reported
        once."""
        self._pause.stop()
        if self._is_worth_keeping():
            text = self.box.toPlainText()
            self._jobs.drop(self._draft)  # it has an earlier text, or this one, but not on disk yet
            try:
                self._about.drafts.save(self._paper, self.number, text)
            except OSError as error:
                if not self._is_failing:
                    self._report(job_error(error, tr("Saving a draft")))
                self._is_failing = True
                return False
            self._kept, self._is_failing = text, False
        return True

    def _keep_soon(self) -> None:
        if self._is_worth_keeping():
            text = self.box.toPlainText()
            paper, number, drafts = self._paper, self.number, self._about.drafts
            self._jobs.run(
                tr("Saving a draft"),
                lambda task: drafts.save(paper, number, text, task),
                lambda _: self._draft_saved(text),
                on_failed=self._draft_not_saved,
                replaces=self._draft,
            )

    def _draft_saved(self, text: str) -> None:
        self._kept, self._is_failing = text, False

    def _draft_not_saved(self, problem: JobError) -> None:
        self._kept = None
        if not self._is_failing:
            self._report(problem)
        self._is_failing = True

    def _is_worth_keeping(self) -> bool:
        text = self.box.toPlainText()
        return self.is_open and not self._saving and text not in (self._saved, self._kept)

    def remove(self) -> None:
        if self._saving:
            return
        editor, number = self._about.editor, self.number
        self._set_saving(True)
        self._jobs.run(
            tr("Removing a note"),
            lambda task: editor.change_note(number, ""),
            lambda _: self._removed(),
            on_failed=self._not_saved,
            on_cancelled=lambda: self._set_saving(False),
        )

    def _removed(self) -> None:
        self._set_saving(False)
        self.saved.emit()

    def _end(self, text: str) -> None:
        self._set_saving(False)
        self._kept = None
        self._saved = text
        if self.number != NEW:  # a new note is shown under its own number
            self.text.show_markdown(text)
            self._show(editing=False)
            self.text.setFocus()
        self.saved.emit()

    def _not_saved(self, problem: JobError) -> None:
        self._set_saving(False)
        self._report(problem)

    def _set_saving(self, saving: bool) -> None:
        self._saving = saving
        self.box.setReadOnly(saving)  # what is typed now would not be saved
        if self._is_dropped and not saving:
            self.deleteLater()

    def _open(self, text: str) -> None:
        self.box.setPlainText(text)
        self.box.grow()
        self._show(editing=True)

    def _show(self, *, editing: bool) -> None:
        for widget in (self.box, self.saving):
            widget.setVisible(editing)
        there = not editing and self.number != NEW
        for widget in (self.text, self.reading):
            widget.setVisible(there)
        self.back.hide()

    def _build(self) -> None:
        self.text = AutoHeightText(tr("Note"))
        self.box = NoteBox()
        self.box.textChanged.connect(self._pause.start)
        self.box.ended.connect(self.save)
        self.box.escaped.connect(self.leave)
        self.when = styled(QLabel(), "faint")
        self.edit_button = styled(QPushButton(tr("Edit")), "flush")
        self.edit_button.clicked.connect(self.edit)
        self.remove_button = styled(QPushButton(tr("Remove")), "flush")
        self.remove_button.clicked.connect(self.remove)
        self.save_button = QPushButton(tr("Save"))
        self.save_button.setToolTip(tr("Ctrl+Return"))
        self.save_button.clicked.connect(self.save)
        self.discard_button = styled(QPushButton(tr("Discard")), "flush")
        self.discard_button.clicked.connect(self.discard)
        self.back = styled(QPushButton(tr("Restore discarded draft")), "flush")
        self.back.clicked.connect(self._bring_back)
        how = styled(QLabel(HOW, wordWrap=True), "faint")
        how.setToolTip(KEPT)
        self.reading, self.saving = QWidget(), QWidget()
        for line, items in (
            (self.reading, (self.when, self.edit_button, self.remove_button, 0)),
            (self.saving, (self.save_button, self.discard_button, (how, 1))),
        ):
            row(*items, parent=line, margins=0, spacing=4)
        back = (self.back, 0, Qt.AlignmentFlag.AlignLeft)
        parts = (self.text, self.reading, self.box, self.saving, back)
        column(*parts, parent=self, margins=(12, 10, 12, 8), spacing=4)
        self._show(editing=False)

    def _bring_back(self) -> None:
        self._open(self._discarded)
        self._pause.start()
        self.box.setFocus()

    _discarded = ""


class NoteBox(QPlainTextEdit):
    """An editor as high as its text, within limits."""

    ended = Signal()  # Ctrl+Return
    escaped = Signal()  # Esc

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("notebox")
        self.setAccessibleName(tr("Note, in Markdown"))
        self.setTabChangesFocus(True)
        self.textChanged.connect(self.grow)

    def grow(self) -> None:
        lines = min(max(round(self.document().size().height()) + 1, FEWEST_LINES), MOST_LINES)
        self.setFixedHeight(self.fontMetrics().lineSpacing() * lines + 16)

    def event(self, event: QEvent) -> bool:
        # Takes precedence over the window's Ctrl+Return.
        override = event.type() == QEvent.Type.ShortcutOverride
        if override and isinstance(event, QKeyEvent) and _ends(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if _ends(event):
            self.ended.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
        else:
            super().keyPressEvent(event)


def _ends(event: QKeyEvent) -> bool:
    enters = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
    return enters and bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
