"""Completion of field names and field values in the search box."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QModelIndex,
    QObject,
    QStringListModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCompleter, QLineEdit, QListView

from sciread_app.domain.query.builder import fragment
from sciread_app.domain.query.fields import ALIASES, FIELD_SYNTAX, FIXED_VALUES, field_named
from sciread_app.language import tr
from sciread_app.ui.style.theme import styled
from sciread_app.ui.widgets.rounded_popup import rounded

# Fields whose values come from the library.
LIBRARY_FIELDS = ("author", "venue", "tag", "in", "cat", "year")
SHORTEST_FIELD, SHORTEST_ALIAS = 2, 3  # letters from which a name is offered
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)

_COMPLETED = (*LIBRARY_FIELDS, *FIXED_VALUES)
_NAMES = (*_COMPLETED, *(alias for alias, field in ALIASES.items() if field in _COMPLETED))
# The last term before the cursor: a field with a value, or a word that may become a field.
_VALUE = re.compile(
    rf"(?:^|(?<=\s))(?P<minus>-?)(?P<field>(?i:{'|'.join(_NAMES)})):=?"
    r'(?:"(?P<quoted>[^"]*)|(?P<bare>[^\s"]*))$'
)
_WORD = re.compile(rf"(?:^|(?<=\s))(?P<minus>-?)(?P<word>[a-z]{{{SHORTEST_FIELD},}})$")
_REST = re.compile(r'[^\s"]*"?')  # of a value, after the cursor


class PartialWord(NamedTuple):
    """A field value that is being typed, or without `field` a word that may become the name of
    one: its text and its start."""

    field: str
    written: str
    start: int
    negated: bool = False


class Completion(NamedTuple):
    """A line of the list, and the text of the search box and the cursor once it is taken."""

    label: str
    text: str
    cursor: int


def partial_word(text: str, cursor: int) -> PartialWord | None:
    """The word at the cursor that can be completed, if any."""
    typed, rest = text[:cursor], text[cursor:]
    if match := _VALUE.search(typed):
        written = match["quoted"] if match["quoted"] is not None else match["bare"]
        return PartialWord(
            field_named(match["field"]), written, match.start(), bool(match["minus"])
        )
    if (match := _WORD.search(typed)) and (not rest or rest[0].isspace()):
        return PartialWord("", match["word"], match.start(), bool(match["minus"]))
    return None


def fields_for(written: str) -> list[str]:
    """The names of fields that begin with the typed letters. Other names of a field are offered if
    its own name does not match."""
    fields = [name for name in FIELD_SYNTAX if _continues(name, written)]
    if len(written) < SHORTEST_ALIAS:
        return fields
    others = [
        name for name, field in ALIASES.items() if _continues(name, written) and field not in fields
    ]
    return [*fields, *others]


def suggest_fields(text: str, cursor: int, half: PartialWord) -> list[Completion]:
    """The names of fields that the word at the cursor may become."""
    minus = "-" if half.negated else ""
    before, after = text[: half.start], text[cursor:]
    suggestions = []
    for name in fields_for(half.written):
        meaning = FIELD_SYNTAX[field_named(name)].meaning
        typed = f"{before}{minus}{name}:"
        suggestions.append(Completion(f"{name}:   {meaning}", typed + after, len(typed)))
    return suggestions


def suggest_values(
    text: str, cursor: int, half: PartialWord, values: Sequence[tuple[str, str]]
) -> list[Completion]:
    """Values, each with a note shown beside it, for the field at the cursor."""
    after = _REST.sub("", text[cursor:], count=1).lstrip()
    suggestions = []
    for value, note in values:
        typed = f"{text[: half.start]}{fragment(half.field, [value], negated=half.negated)} "
        suggestions.append(Completion(f"{value}   {note}", typed + after, len(typed)))
    return suggestions


def fixed_values(half: PartialWord) -> list[tuple[str, str]]:
    """The values of a field that do not depend on the library, with their meanings."""
    return [
        (value, meaning)
        for value, meaning in FIXED_VALUES[half.field].items()
        if value.startswith(half.written.lower())
    ]


def _continues(name: str, written: str) -> bool:
    return name.startswith(written) and name != written


class QueryCompleter(QObject):
    """A popup list below a line edit, which keeps the focus. Up and Down move in the list, Enter
    takes the selected entry, Tab the selected or first one, and Esc closes the list."""

    selected = Signal(object)  # Completion

    def __init__(self, edit: QLineEdit) -> None:
        super().__init__(edit)
        self._edit = edit
        self._suggestions: Sequence[Completion] = ()
        self._model = QStringListModel(self)
        self._completer = QCompleter(self._model, self)
        self._completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._completer.setMaxVisibleItems(12)
        self._completer.setWidget(edit)
        self._popup = rounded(styled(QListView(), "suggestions"))
        self._popup.setAccessibleName(tr("Suggestions"))
        self._completer.setPopup(self._popup)
        self._popup.installEventFilter(self)  # after the completer, so that it is asked before it
        activated = self._completer.activated[QModelIndex]  # type: ignore[index]
        activated.connect(lambda index: self._take(index.row()))

    @property
    def offered(self) -> list[str]:
        """The suggestions shown."""
        return self._model.stringList() if self._popup.isVisible() else []

    def offer(self, suggestions: Sequence[Completion]) -> None:
        self._suggestions = suggestions
        self._model.setStringList([one.label for one in suggestions])
        if suggestions:
            self._completer.complete()
        else:
            self._popup.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is not QEvent.Type.KeyPress:
            return False
        assert isinstance(event, QKeyEvent)
        # The current index may be the first one without a key of the user.
        selected = [index.row() for index in self._popup.selectedIndexes()]
        key = Qt.Key(event.key())
        if key == Qt.Key.Key_Tab or (key in ENTER and selected):
            self._take(selected[0] if selected else 0)
        elif key == Qt.Key.Key_Escape:
            self._popup.hide()
        elif key in ENTER:
            self._popup.hide()
            QCoreApplication.sendEvent(self._edit, event)
        else:
            return False
        return True

    def _take(self, row: int) -> None:
        self._popup.hide()
        self.selected.emit(self._suggestions[row])
