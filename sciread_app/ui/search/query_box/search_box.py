"""The search box with its completion, its mode switch and the error of a query."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from sciread_app.domain.query.facets import FacetCount
from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.language import tr
from sciread_app.ui.jobs.runner import JobError
from sciread_app.ui.search.query_box.query_completer import (
    LIBRARY_FIELDS,
    Completion,
    PartialWord,
    QueryCompleter,
    fixed_values,
    partial_word,
    suggest_fields,
    suggest_values,
)
from sciread_app.ui.search.query_box.syntax_help import SyntaxHelp
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, Theme, scaled, styled
from sciread_app.ui.widgets.dialogs.window_placement import move_below
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.segmented_control import SegmentedControl

PAUSE_MS = 150  # of no typing before a search starts
EXAMPLES = (  # the first one that fits into the box is shown
    tr("Search for a topic, author:curie, year:2015..2019, a DOI, or an abstract"),
    tr("Search for a topic, author, year, or DOI"),
    tr("Search for a topic"),
)
NARROWING = (tr("Refine with keywords"),)
BESIDE = 90  # pixels of the icons in the box
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


class QueryEdit(QLineEdit):
    """The line edit. Down moves to the results, Esc clears it or, if it is empty, leaves it. F1, or
    a question mark in place of everything typed, asks for help."""

    down_pressed = Signal()
    escaped = Signal()
    undo_requested = Signal()  # Up, while it is empty: asks for recent searches
    entry_pasted = Signal(str)
    help_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._examples: Sequence[str] = EXAMPLES

    def invite(self, examples: Sequence[str]) -> None:
        """Show the first of these placeholders that fits, else the last."""
        self._examples = examples
        metrics, room = self.fontMetrics(), self.width() - BESIDE
        fits = (text for text in examples if metrics.horizontalAdvance(text) <= room)
        self.setPlaceholderText(next(fits, examples[-1]))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.invite(self._examples)

    def event(self, event: QEvent) -> bool:
        """Take the help key, which is the shortcut of an action of the window."""
        if event.type() is QEvent.Type.ShortcutOverride:
            assert isinstance(event, QKeyEvent)
            if event.matches(QKeySequence.StandardKey.HelpContents):
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        pasted = event.matches(QKeySequence.StandardKey.Paste)
        helps = event.matches(QKeySequence.StandardKey.HelpContents)
        if pasted and ENTRY.match(QGuiApplication.clipboard().text()):
            self.entry_pasted.emit(QGuiApplication.clipboard().text())
        elif helps or (event.text() == "?" and self.selectedText() == self.text()):
            self.help_requested.emit()
        elif event.key() in (Qt.Key.Key_Down, Qt.Key.Key_PageDown):
            self.down_pressed.emit()
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
    """Takes the text of a query, suggests fields and values while one types, and requests searches.
    The text has changed already when `search_requested` is emitted; results and errors come from
    outside."""

    search_requested = Signal()  # typing has paused, Enter was pressed or the mode was changed
    down_pressed = Signal()
    escaped = Signal()
    entry_pasted = Signal(str)  # a BibTeX, RIS or PubMed entry
    names_requested = Signal(str, str)  # a field, and the typed beginning of a name
    searched = Signal(object)  # the search history, newest first

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.edit = styled(QueryEdit(), "query")
        self.edit.setAccessibleName(tr("Search"))
        self.edit.setAcceptDrops(False)
        self.edit.setClearButtonEnabled(True)
        self.edit.setFont(scaled(self.font(), 1.15))
        self._lens = QAction(self)
        self.edit.addAction(self._lens, QLineEdit.ActionPosition.LeadingPosition)
        self._help = QAction(tr("Search syntax"), self)
        self._help.setToolTip(tr("Search syntax (F1)"))
        self._help.triggered.connect(lambda: self.show_syntax())
        self.edit.addAction(self._help, QLineEdit.ActionPosition.TrailingPosition)
        self.wrong = styled(QLabel(wordWrap=True), "wrong")
        self.wrong.hide()
        self.wrong.setContentsMargins(6, 0, 6, 0)
        self.wrong.setTextFormat(Qt.TextFormat.PlainText)
        self._modes = SegmentedControl(tr("Search mode"), list(MODES.values()))

        line = row((self.edit, 1), self._modes, spacing=12)
        column(line, self.wrong, parent=self, margins=0, spacing=6)

        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self._ask_after_pause)
        self.edit.textChanged.connect(self._pause.start)
        self.edit.returnPressed.connect(self._enter)
        self.edit.down_pressed.connect(self._go_down)
        self.edit.escaped.connect(self.escaped)
        self.edit.entry_pasted.connect(self.entry_pasted)
        self.edit.undo_requested.connect(self.recall)
        self.edit.help_requested.connect(self.show_syntax)
        self.edit.textEdited.connect(self._suggest)
        self.edit.editingFinished.connect(self._note_search)
        self._suggestions = QueryCompleter(self.edit)
        self._suggestions.selected.connect(self._take_suggestion)
        # The word that values have been requested for, until a search is started.
        self._awaited: PartialWord | None = None
        self.recent: Sequence[str] = ()
        self._modes.selected.connect(self.ask)
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
        self._suggestions.offer([Completion(text, text, len(text)) for text in self.recent])

    def show_syntax(self) -> None:
        """Show the search syntax below the box; a selected row is inserted."""
        help = SyntaxHelp(self)
        help.selected.connect(self._insert, Qt.ConnectionType.QueuedConnection)
        move_below(help, self.edit)
        help.show()
        help.setFocus(Qt.FocusReason.PopupFocusReason)

    def offer_names(self, field: str, written: str, names: Sequence[FacetCount]) -> None:
        """Suggest names for a field, if the text they were looked up for is still being typed."""
        text, cursor = self.edit.text(), self.edit.cursorPosition()
        half = partial_word(text, cursor)
        awaited = half == self._awaited and self.window().focusWidget() is self.edit
        if half and awaited and (half.field, half.written) == (field, written):
            values = [(name, f"{papers:,}") for name, papers in names]
            self._suggestions.offer(suggest_values(text, cursor, half, values))

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
            self.search_requested.emit()

    def _enter(self) -> None:
        self._awaited = None
        self.ask()

    def _go_down(self) -> None:
        """Leave for the results of what has been typed."""
        if self._pause.isActive():
            self.ask()
        self.down_pressed.emit()

    def _ask_after_pause(self) -> None:
        """Search, unless the name of a field has been typed and its value has not."""
        half = partial_word(self.edit.text(), self.edit.cursorPosition())
        if half is None or not half.field or half.written:
            self.ask()

    def _suggest(self) -> None:
        """Suggest completions of the word at the cursor."""
        text, cursor = self.edit.text(), self.edit.cursorPosition()
        half = self._awaited = partial_word(text, cursor)
        if half is None:
            self._suggestions.offer(())
        elif not half.field:
            self._suggestions.offer(suggest_fields(text, cursor, half))
        elif half.field in LIBRARY_FIELDS:
            self.names_requested.emit(half.field, half.written)
        else:
            self._suggestions.offer(suggest_values(text, cursor, half, fixed_values(half)))

    def _take_suggestion(self, suggestion: Completion) -> None:
        self.edit.setText(suggestion.text)
        self.edit.setCursorPosition(suggestion.cursor)
        if suggestion.text[: suggestion.cursor].endswith(":"):
            self._suggest()  # values of the field
        else:
            self.ask()

    def _insert(self, start: str) -> None:
        """Insert the beginning of a term at the cursor, and offer values for it."""
        before = self.edit.text()[: self.edit.cursorPosition()]
        self.edit.setFocus(Qt.FocusReason.OtherFocusReason)
        self.edit.deselect()
        apart = start == "*" or not before or before.endswith(" ")
        self.edit.insert(
            start if apart else f" {start}"
        )  # is an edit, for which values are offered

    def _note_search(self) -> None:
        """Add the text to the history once it is final: intermediate texts are not worth
        keeping."""
        if self.text and self.recent[:1] != [self.text]:
            others = (one for one in self.recent if one != self.text)
            self.recent = [self.text, *others][:KEPT]
            self.searched.emit(self.recent)

    def invite(self, *, narrowing: bool) -> None:
        """Set the placeholder: for a search, or for a text that narrows similar papers."""
        self.edit.invite(NARROWING if narrowing else EXAMPLES)

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
        self._help.setIcon(icon("help", theme.quiet))

    def sizeHint(self) -> QSize:
        return super().sizeHint().expandedTo(QSize(480, 0))
