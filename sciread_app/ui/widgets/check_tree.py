"""A list of rows with check boxes, each of which may have further rows below it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QModelIndex,
    QPersistentModelIndex,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtWidgets import QHeaderView, QStyledItemDelegate, QStyleOptionViewItem, QTreeView

Index = QModelIndex | QPersistentModelIndex
ROOM = 12  # pixels
SPANNED = 2_000  # rows whose first text may extend over all columns
EXPANDED = 200  # rows up to which all are expanded at first
_State = Qt.CheckState


@dataclass(eq=False)
class CheckRow:
    """A row: its texts by column, and whether it is checked (None: it has no check box).

    A row with children that have check boxes shows and sets theirs. `value` is what it stands for.
    """

    texts: Sequence[str]
    checked: bool | None = None
    value: Any = None
    tip: str = ""
    children: list[CheckRow] = field(default_factory=list)

    @property
    def state(self) -> _State | None:
        states = [child.checked for child in self.children if child.checked is not None]
        if not states:
            return None if self.checked is None else _of(self.checked)
        if all(states):
            return _State.Checked
        return _State.PartiallyChecked if any(states) else _State.Unchecked

    def check(self, checked: bool) -> None:
        boxes = [child for child in self.children if child.checked is not None]
        for row in boxes or [self]:
            row.checked = checked


def _of(checked: bool) -> _State:
    return _State.Checked if checked else _State.Unchecked


class CheckModel(QAbstractItemModel):
    """Holds any number of rows: no item is created for them. `toggled` follows each change of a
    check box."""

    toggled = Signal()

    def __init__(self, headings: Sequence[str]) -> None:
        super().__init__()
        self._headings = headings
        self.rows: Sequence[CheckRow] = ()

    def show_rows(self, rows: Sequence[CheckRow]) -> None:
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def checked(self) -> Iterator[tuple[CheckRow, CheckRow]]:
        """The checked rows, each with the row that it is below, or else itself."""
        for row in self.rows:
            for child in row.children:
                if child.checked:
                    yield row, child
            if row.checked and not row.children:
                yield row, row

    def row_of(self, index: Index) -> CheckRow:
        if parent := index.internalId():
            return self.rows[parent - 1].children[index.row()]
        return self.rows[index.row()]

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        return self.createIndex(row, column, parent.row() + 1 if parent.isValid() else 0)

    def parent(self, index: Index = QModelIndex()) -> QModelIndex:  # type: ignore[override]
        if not index.isValid() or not index.internalId():
            return QModelIndex()
        return self.createIndex(index.internalId() - 1, 0, 0)

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        if not parent.isValid():
            return len(self.rows)
        if parent.internalId() or parent.column():
            return 0
        return len(self.rows[parent.row()].children)

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return len(self._headings)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return self._headings[section]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.row_of(index)
        if role == Qt.ItemDataRole.DisplayRole:
            return row.texts[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return row.tip or row.texts[index.column()]
        if role == Qt.ItemDataRole.CheckStateRole and not index.column():
            return row.state
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        row = self.row_of(index)
        if role != Qt.ItemDataRole.CheckStateRole or row.state is None:
            return False
        row.check(_State(value) != _State.Unchecked)
        self.dataChanged.emit(index, index)
        above = self.parent(index)
        if above.isValid():
            self.dataChanged.emit(above, above)
        elif row.children:
            first, last = (self.index(n, 0, index) for n in (0, len(row.children) - 1))
            self.dataChanged.emit(first, last)
        self.toggled.emit()
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if self.row_of(index).state is not None:
            flags |= Qt.ItemFlag.ItemIsUserCheckable
        return flags


class _RowDelegate(QStyledItemDelegate):
    """Leaves room above and below the text of a row."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        size: QSize = super().sizeHint(option, index)
        return QSize(size.width(), size.height() + ROOM)


class CheckTree(QTreeView):
    """Shows a CheckModel."""

    def __init__(self, model: CheckModel, name: str, widths: Sequence[int] = ()) -> None:
        """`widths` are those of the columns after the first, in pixels."""
        super().__init__()
        self.setObjectName("checks")
        self._rows = model
        self.setModel(model)
        self.setItemDelegate(_RowDelegate(self))
        self.setAccessibleName(name)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        header = self.header()
        header.setStretchLastSection(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column, width in enumerate(widths, start=1):
            self.setColumnWidth(column, width)
        model.modelReset.connect(self._expand)

    def _expand(self) -> None:
        rows = self._rows.rows
        if len(rows) <= EXPANDED:
            self.expandAll()
        for number, row in enumerate(rows[:SPANNED]):
            if not any(row.texts[1:]):
                self.setFirstColumnSpanned(number, QModelIndex(), True)
