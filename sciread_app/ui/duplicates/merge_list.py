"""The list of merges, each of which can be undone."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QPushButton, QWidget

from sciread_app.domain.matching.duplicates import Merge
from sciread_app.domain.text.tex import readable
from sciread_app.language import tr
from sciread_app.ui.widgets.layout.boxes import column, row

_MERGE = Qt.ItemDataRole.UserRole


class MergeList(QWidget):
    """The merges, latest first."""

    split_requested = Signal(object)  # Merge
    paper_requested = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Merged records"))
        self.list.setUniformItemSizes(True)
        self.split = QPushButton(tr("Split"))
        self.split.setToolTip(tr("Undo the merge and restore the record as a separate paper."))
        self.show_paper = QPushButton(tr("Show paper"))
        buttons = row(self.split, self.show_paper, 0)
        column((self.list, 1), buttons, parent=self, margins=(16, 0, 16, 12))
        self.list.currentItemChanged.connect(lambda *_: self._allow())
        self.split.clicked.connect(self._split)
        self.show_paper.clicked.connect(self._show)
        self._allow()

    def show_merges(self, merges: Sequence[Merge]) -> None:
        current = max(0, self.list.currentRow())
        self.list.clear()
        for merge in merges:
            other, title = readable(merge.other), readable(merge.title)
            text = tr("{other} → {title}", other=other, title=title)
            why = ", ".join(filter(None, (merge.reason, merge.came)))
            item = QListWidgetItem(f"{text}\n{why}" if why else text)
            item.setData(_MERGE, merge)
            self.list.addItem(item)
        self.list.setCurrentRow(min(current, len(merges) - 1))

    @property
    def current(self) -> Merge | None:
        item = self.list.currentItem()
        return item.data(_MERGE) if item else None

    def _split(self) -> None:
        if merge := self.current:
            self.split_requested.emit(merge)

    def _show(self) -> None:
        if merge := self.current:
            self.paper_requested.emit(merge.paper)

    def _allow(self) -> None:
        for button in (self.split, self.show_paper):
            button.setEnabled(self.current is not None)
