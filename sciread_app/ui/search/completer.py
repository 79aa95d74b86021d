"""Completion for the search box: names for fields, and recent searches."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QModelIndex, QObject, QStringListModel, Signal
from PySide6.QtWidgets import QCompleter, QLineEdit, QListView

from sciread_app.domain.query.builder import fragment
from sciread_app.domain.query.facets import FacetCount
from sciread_app.domain.query.fields import ALIASES
from sciread_app.language import tr
from sciread_app.ui.style.theme import styled

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
            self.hide()

    def hide(self) -> None:
        self._popup.hide()


def name_suggestions(names: Sequence[FacetCount]) -> list[str]:
    return [f"{name}   {papers:,}" for name, papers in names]


def updated_history(recent: Sequence[str], query: str) -> list[str]:
    """The search history, newest first, with `query` moved to the front."""
    return [query, *(one for one in recent if one != query)][:KEPT]
