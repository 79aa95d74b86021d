"""The list of pairs to review."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QListView

from sciread_app.domain.matching.field_comparison import DuplicatePair
from sciread_app.domain.paper import PaperId
from sciread_app.domain.text.tex import readable
from sciread_app.language import tr
from sciread_app.ui.duplicates.comparison import reason_words
from sciread_app.ui.duplicates.title_delegate import TitleDelegate
from sciread_app.ui.style.theme import Appearance, styled
from sciread_app.ui.widgets.row_table import Index, RowModel

NO_TITLE = tr("Untitled")


class PairModel(RowModel[DuplicatePair]):
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        pair = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return readable(pair.title) or NO_TITLE
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleDescriptionRole):
            return reason_words(pair)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{readable(pair.title) or NO_TITLE}. {reason_words(pair)}"
        return None


class PairList(QListView):
    """Up and Down move between pairs; Left and Right select one side for every choice."""

    selected = Signal(object)  # DuplicatePair, or None
    side_requested = Signal(int)

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        styled(self, "pairs").setAccessibleName(tr("Pairs of papers"))
        self.viewport().setAutoFillBackground(False)
        self._model = PairModel()
        self._gone: list[tuple[PaperId, PaperId]] = []
        self.setModel(self._model)
        self.setItemDelegate(TitleDelegate(appearance, self))
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setMinimumWidth(200)
        self.selectionModel().currentChanged.connect(lambda now, _: self._emit_selected(now.row()))

    def show_pairs(self, pairs: Sequence[DuplicatePair]) -> None:
        """Show these pairs, keeping the selection, else the position. A pair that was selected
        when it disappeared, such as a merged one, is selected when it is back."""
        row, before = self.currentIndex().row(), self.current
        self._model.show_rows(pairs)
        places = {(pair.a, pair.b): n for n, pair in enumerate(pairs)}
        if before and (before.a, before.b) in places:
            row = places[before.a, before.b]
        elif before:
            self._gone.append((before.a, before.b))
        if back := next((pair for pair in reversed(self._gone) if pair in places), None):
            self._gone.remove(back)
            row = places[back]
        self.setCurrentIndex(self._model.index(max(0, min(row, len(pairs) - 1)), 0))
        if not pairs:
            self._emit_selected(-1)

    @property
    def current(self) -> DuplicatePair | None:
        row = self.currentIndex().row()
        return self._model.rows[row] if 0 <= row < len(self._model.rows) else None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        sides = {Qt.Key.Key_Left: 0, Qt.Key.Key_Right: 1}
        if event.key() in sides:
            self.side_requested.emit(sides[Qt.Key(event.key())])
            return
        super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """Disabled, since M, K and V are shortcuts here."""

    def _emit_selected(self, row: int) -> None:
        self.selected.emit(self._model.rows[row] if 0 <= row < len(self._model.rows) else None)
