"""The list of merges, each of which can be undone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QListView, QPushButton, QWidget

from sciread_app.domain.matching.field_comparison import Merge
from sciread_app.domain.text.tex import readable
from sciread_app.language import tr
from sciread_app.ui.duplicates.title_delegate import TitleDelegate
from sciread_app.ui.formatting import sentence_case, when
from sciread_app.ui.style.theme import Appearance, styled
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.rounded_popup import context_menu
from sciread_app.ui.widgets.row_table import Index, RowModel


class MergeModel(RowModel[Merge]):
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        merge = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return _titles(merge)
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleDescriptionRole):
            return _reason(merge)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{_titles(merge)}. {_reason(merge)}"
        return None


class MergeList(QWidget):
    """The merges, latest first."""

    split_requested = Signal(object)  # Merge
    paper_requested = Signal(int)

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.model = MergeModel(parent=self)
        self.list = styled(QListView(), "pairs")
        self.list.setAccessibleName(tr("Merged records"))
        self.list.viewport().setAutoFillBackground(False)
        self.list.setModel(self.model)
        self.list.setItemDelegate(TitleDelegate(appearance, self.list))
        self.list.setUniformItemSizes(True)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.split = QPushButton(tr("Split"))
        self.split.setToolTip(tr("Undo the merge and restore the record as a separate paper."))
        self.show_paper = QPushButton(tr("Show paper"))
        buttons = row(self.split, self.show_paper, 0)
        column((self.list, 1), buttons, parent=self, margins=(12, 0, 12, 12))
        self.list.selectionModel().currentChanged.connect(lambda *_: self._allow())
        self.list.activated.connect(lambda _: self._show())
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._show_menu)
        self.split.clicked.connect(self._split)
        self.show_paper.clicked.connect(self._show)
        self._allow()

    def show_merges(self, merges: Sequence[Merge]) -> None:
        current = max(0, self.list.currentIndex().row())
        self.model.show_rows(merges)
        self.list.setCurrentIndex(self.model.index(min(current, len(merges) - 1), 0))
        self._allow()

    @property
    def current(self) -> Merge | None:
        row = self.list.currentIndex().row()
        return self.model.rows[row] if 0 <= row < len(self.model.rows) else None

    def _show_menu(self, at: QPoint) -> None:
        if not self.list.indexAt(at).isValid():
            return
        menu = context_menu(self)
        menu.addAction(self.split.text(), self._split)
        menu.addAction(self.show_paper.text(), self._show)
        menu.popup(self.list.viewport().mapToGlobal(at))

    def _split(self) -> None:
        if merge := self.current:
            self.split_requested.emit(merge)

    def _show(self) -> None:
        if merge := self.current:
            self.paper_requested.emit(merge.paper)

    def _allow(self) -> None:
        for button in (self.split, self.show_paper):
            button.setEnabled(self.current is not None)


def _titles(merge: Merge) -> str:
    """The title of the paper, after that of the merged record if it has other letters."""
    other, title = readable(merge.other), readable(merge.title)
    if _letters(other) == _letters(title):
        return title
    return tr("{other} → {title}", other=other, title=title)


def _letters(title: str) -> str:
    return re.sub(r"\W+", "", title).casefold()


def _reason(merge: Merge) -> str:
    """Why the record was merged, when, and the file that it came from."""
    at = when(merge.at, datetime.now())
    came = Path(merge.came).name or merge.came
    return " · ".join(filter(None, (sentence_case(merge.reason), at, came)))
