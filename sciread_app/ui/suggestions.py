"""What is offered below the search box while one types: names, and what was searched for before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QModelIndex, QObject, QStringListModel, Signal
from PySide6.QtWidgets import QCompleter, QLineEdit, QListView

from sciread_app.domain.facets import Count
from sciread_app.domain.fields import ALIASES
from sciread_app.domain.fragments import fragment
from sciread_app.language import tr
from sciread_app.ui.theme import styled

KEPT = 30  # searches that are remembered
_NAMED = ("author", "venue", "tag", "in", "cat", "journal", "collection", "category")
# The last thing before the cursor, if it is a field that holds names.
_OPEN = re.compile(
    rf"(?:^|(?<=\s))(?P<minus>-?)(?P<field>{'|'.join(_NAMED)}):=?"
    r'(?:"(?P<quoted>[^"]*)|(?P<bare>[^\s"]*))$'
)


class Half(NamedTuple):
    """A field that is being typed: what of it there is, and from where on."""

    field: str
    written: str
    start: int
    negated: bool = False


def half_typed(text: str, cursor: int) -> Half | None:
    """The field that the cursor stands in, if it holds names."""
    match = _OPEN.search(text[:cursor])
    if match is None:
        return None
    field = ALIASES.get(match["field"], match["field"])
    written = match["quoted"] if match["quoted"] is not None else match["bare"]
    return Half(field, written, match.start(), bool(match["minus"]))


def completed(text: str, cursor: int, half: Half, name: str) -> tuple[str, int]:
    """`text` with this name in the field, and where the cursor stands then."""
    said = fragment(half.field, [name], negated=half.negated)
    before = f"{text[: half.start]}{said} "
    return before + text[cursor:].lstrip(), len(before)


class Suggestions(QObject):
    """A list below a line of text, which keeps the focus: Down and Up go into it."""

    chosen = Signal(int)  # which of those that were offered

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
        """What is to be seen now."""
        return self._model.stringList() if self._popup.isVisible() else []

    def offer(self, texts: Sequence[str]) -> None:
        self._model.setStringList(list(texts))
        if texts:
            self._completer.complete()
        else:
            self.hide()

    def hide(self) -> None:
        self._popup.hide()


def names_offered(names: Sequence[Count]) -> list[str]:
    return [f"{name}   {papers:,}" for name, papers in names]


def with_recent(recent: Sequence[str], query: str) -> list[str]:
    """What was searched for, the latest first, with this one before all others."""
    return [query, *(one for one in recent if one != query)][:KEPT]
