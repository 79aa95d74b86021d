"""The search box with its completion, its mode switch and the error of a query."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QModelIndex, QObject, QSize, QStringListModel, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QCompleter,
    QLabel,
    QLineEdit,
    QListView,
    QWidget,
)

from sciread_app.domain.query.builder import fragment
from sciread_app.domain.query.facets import FacetCount
from sciread_app.domain.query.fields import ALIASES
from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.language import tr
from sciread_app.ui.jobs.runner import JobError
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, Theme, scaled, styled
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.segmented_control import SegmentedControl

PAUSE_MS = 150  # of no typing before a search starts
EXAMPLES = tr("Search for a topic, author:curie, year:2015..2019, a DOI, or an abstract")
NARROWING = tr("Refine with keywords")
MODES = {
    # Translators: three ways to search
    SearchMode.hybrid: (tr("Both"), tr("Search by keyword and by meaning (Alt+1)")),
    SearchMode.text: (tr("Keywords"), tr("Search by keyword only (Alt+2)")),
    SearchMode.meaning: (tr("Meaning"), tr("Search by meaning only (Alt+3)")),
}
# The beginning of an entry in BibTeX, RIS or PubMed format. Pasting one searches for similar
# papers.
ENTRY = re.compile(r"\s*(?:@\s*[A-Za-z]+\s*\{.*=|TY  ?- ?\w|PMID ?- ?\d)", re.DOTALL)
KEPT = 30  # searches kept in the history
_NAMED = ("author", "venue", "tag", "in", "cat", "journal", "collection", "category")
# The last term before the cursor, if it is a field whose values are names.
_OPEN = re.compile(
    rf"(?:^|(?<=\s))(?P<minus>-?)(?P<field>{'|'.join(_NAMED)}):=?"
    r'(?:"(?P<quoted>[^"]*)|(?P<bare>[^\s"]*))$'
)


class PartialWord(NamedTuple):
    """A field value being typed: its text and its start."""

    field: str
    written: str
    start: int
    negated: bool = False


def partial_word(text: str, cursor: int) -> PartialWord | None:
    """The field value at the cursor, if the field holds names."""
    match = _OPEN.search(text[:cursor])
    if match is None:
        return None
    field = ALIASES.get(match["field"], match["field"])
    written = match["quoted"] if match["quoted"] is not None else match["bare"]
    return PartialWord(field, written, match.start(), bool(match["minus"]))


def completed(text: str, cursor: int, half: PartialWord, name: str) -> tuple[str, int]:
    """`text` with `name` completed, and the cursor position after it."""
    clause = fragment(half.field, [name], negated=half.negated)
    before = f"{text[: half.start]}{clause} "
    return before + text[cursor:].lstrip(), len(before)


class QueryCompleter(QObject):
    """A popup list below a line edit, which keeps the focus: Down and Up move in the list."""

    chosen = Signal(int)  # the index of the suggestion

    def __init__(self, edit: QLineEdit) -> None:
        super().__init__(edit)
        self._model = QStringListModel(self)
        self._completer = QCompleter(self._model, self)
        self._completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._completer.setMaxVisibleItems(12)
        self._completer.setWidget(edit)
        self._popup = styled(QListView(), "suggestions")
        self._popup.setAccessibleName(tr("Suggestions"))
        self._completer.setPopup(self._popup)
        activated = self._completer.activated[QModelIndex]  # type: ignore[index]
        activated.connect(lambda index: self.chosen.emit(index.row()))

    @property
    def offered(self) -> list[str]:
        """The suggestions shown."""
        return self._model.stringList() if self._popup.isVisible() else []

    def offer(self, texts: Sequence[str]) -> None:
        self._model.setStringList(list(texts))
        if texts:
            self._completer.complete()
        else:
            self._popup.hide()


class QueryEdit(QLineEdit):
    """The line edit. Down moves to the results, Esc clears it or, if it is empty, leaves it."""

    down = Signal()
    escaped = Signal()
    undo_requested = Signal()  # Up, while it is empty
    entry_pasted = Signal(str)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        pasted = event.matches(QKeySequence.StandardKey.Paste)
        if pasted and ENTRY.match(QGuiApplication.clipboard().text()):
            self.entry_pasted.emit(QGuiApplication.clipboard().text())
        elif event.key() in (Qt.Key.Key_Down, Qt.Key.Key_PageDown):
            self.down.emit()
        elif event.key() == Qt.Key.Key_Up and not self.text():
            self.undo_requested.emit()
        elif event.key() == Qt.Key.Key_Escape:
            if self.text():
                self.clear()
            else:
                self.escaped.emit()
        else:
            super().keyPressEvent(event)


class SearchBox(QWidget):
    asked = Signal()  # typing has paused, Enter was pressed or the mode was changed
    down = Signal()
    escaped = Signal()
    entry_pasted = Signal(str)  # a BibTeX, RIS or PubMed entry
    names_requested = Signal(str, str)  # a field, and the typed beginning of a name
    searched = Signal(object)  # the search history, newest first

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.edit = styled(QueryEdit(placeholderText=EXAMPLES), "query")
        self.edit.setAccessibleName(tr("Search"))
        self.edit.setAcceptDrops(False)
        self.edit.setClearButtonEnabled(True)
        self.edit.setFont(scaled(self.font(), 1.15))
        self._lens = QAction(self)
        self.edit.addAction(self._lens, QLineEdit.ActionPosition.LeadingPosition)
        self.wrong = styled(QLabel(wordWrap=True), "wrong")
        self.wrong.hide()
        self.wrong.setContentsMargins(6, 0, 6, 0)
        self.wrong.setTextFormat(Qt.TextFormat.PlainText)
        self._modes = SegmentedControl(tr("Search mode"), list(MODES.values()))

        line = row((self.edit, 1), self._modes, spacing=12)
        column(line, self.wrong, parent=self, margins=0, spacing=6)

        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self.ask)
        self.edit.textChanged.connect(self._pause.start)
        self.edit.returnPressed.connect(self.ask)
        self.edit.down.connect(self._go_down)
        self.edit.escaped.connect(self.escaped)
        self.edit.entry_pasted.connect(self.entry_pasted)
        self.edit.undo_requested.connect(self.recall)
        self.edit.textEdited.connect(self._look_for_names)
        self.edit.editingFinished.connect(self._note_search)
        self._suggestions = QueryCompleter(self.edit)
        self._suggestions.chosen.connect(self._take_suggestion)
        self._half: PartialWord | None = None
        self._names: Sequence[FacetCount] = ()
        self.recent: Sequence[str] = ()
        self._modes.chosen.connect(self.ask)
        appearance.follow(self._paint)

    @property
    def text(self) -> str:
        """The typed or pasted text, on one line."""
        return " ".join(self.edit.text().split())

    def set_text(self, text: str) -> None:
        """Set the text and search at once."""
        self.edit.setText(text)
        self.ask()

    @property
    def offered(self) -> list[str]:
        """The suggestions shown below the box."""
        return self._suggestions.offered

    def recall(self) -> None:
        """Offer recent searches."""
        self._half = None
        self._suggestions.offer(self.recent)

    def offer_names(self, field: str, written: str, names: Sequence[FacetCount]) -> None:
        """Offer names for a field, if it still contains what they were looked up for."""
        half = partial_word(self.edit.text(), self.edit.cursorPosition())
        if half and (half.field, half.written) == (field, written):
            self._half, self._names = half, names
            self._suggestions.offer([f"{name}   {papers:,}" for name, papers in names])

    def search_for_text(self, text: str) -> None:
        """Search for copied text: for papers similar to an entry, or for the text as it is."""
        if ENTRY.match(text):
            self.entry_pasted.emit(text)
        else:
            self.set_text(" ".join(text.split()))

    def show_text(self, text: str) -> None:
        """Set the text without searching."""
        if text != self.text:
            self.edit.setText(text)
        self._pause.stop()

    @property
    def mode(self) -> SearchMode:
        return list(MODES)[self._modes.current]

    def set_mode(self, mode: SearchMode) -> None:
        self._modes.choose(list(MODES).index(mode))
        self.ask()

    def ask(self) -> None:
        """Search now; an entry inserted through the menu is searched for as a paper."""
        self._pause.stop()
        if ENTRY.match(self.edit.text()):
            entry = self.edit.text()
            self.show_text("")
            self.entry_pasted.emit(entry)
        else:
            self.asked.emit()

    def _go_down(self) -> None:
        """Leave for the results of what has been typed."""
        if self._pause.isActive():
            self.ask()
        self.down.emit()

    def _look_for_names(self) -> None:
        if half := partial_word(self.edit.text(), self.edit.cursorPosition()):
            self.names_requested.emit(half.field, half.written)
        else:
            self._suggestions.offer(())

    def _take_suggestion(self, number: int) -> None:
        if self._half is None:
            self.set_text(self.recent[number])
            return
        text, cursor = self.edit.text(), self.edit.cursorPosition()
        text, cursor = completed(text, cursor, self._half, self._names[number].name)
        self.edit.setText(text)
        self.edit.setCursorPosition(cursor)
        self.ask()

    def _note_search(self) -> None:
        """Add the text to the history once it is final: intermediate texts are not worth
        keeping."""
        if self.text and self.recent[:1] != [self.text]:
            others = (one for one in self.recent if one != self.text)
            self.recent = [self.text, *others][:KEPT]
            self.searched.emit(self.recent)

    def invite(self, *, narrowing: bool) -> None:
        """Set the placeholder: for a search, or for a text that narrows similar papers."""
        self.edit.setPlaceholderText(NARROWING if narrowing else EXAMPLES)

    def explain(self, problem: JobError | None) -> None:
        """Show a query error below the box; None hides it."""
        self.wrong.setVisible(problem is not None)
        if problem:
            self.wrong.setText(f"{problem.message}\n{problem.hint}".strip())

    def take_focus(self) -> None:
        self.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.edit.selectAll()

    def _paint(self, theme: Theme) -> None:
        self._lens.setIcon(icon("search", theme.faint))

    def sizeHint(self) -> QSize:
        return super().sizeHint().expandedTo(QSize(480, 0))
