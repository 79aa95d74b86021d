"""A list of values with counts and check boxes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import nlargest

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QHeaderView,
    QLabel,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from sciread_app.domain.query.facets import FacetCount
from sciread_app.language import tr
from sciread_app.ui.style.theme import styled
from sciread_app.ui.widgets.layout.boxes import column

Index = QModelIndex | QPersistentModelIndex

WIDTH, WIDEST = 340, 560
LEAST_ROWS, MOST_ROWS = 3, 11
ROW = 25  # pixels
BOX = 15  # pixels of a check box
PADDING = 30  # pixels around and between the columns
MEASURED = 20  # longest names that are measured


class _ValueDelegate(QStyledItemDelegate):
    """Paints the check boxes in the colors of the theme."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return super().sizeHint(option, index).expandedTo(QSize(0, ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        state = index.data(Qt.ItemDataRole.CheckStateRole)
        if state is None:
            return
        palette = option.palette
        whole = QRectF(option.rect.x() + 3, option.rect.center().y() - BOX / 2 + 1, BOX, BOX)
        chosen = Qt.CheckState(state) is Qt.CheckState.Checked
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        edge = palette.highlight().color() if chosen else palette.placeholderText().color()
        painter.setPen(edge)
        painter.setBrush(palette.highlight() if chosen else palette.base())
        painter.drawRoundedRect(whole.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
        if chosen:
            painter.setPen(QPen(palette.highlightedText().color(), 1.8))
            x, y = whole.x(), whole.y()
            tick = [QPointF(x + 3.5, y + 8), QPointF(x + 6.5, y + 11), QPointF(x + 11.5, y + 4.5)]
            painter.drawPolyline(tick)
        painter.restore()


class ValueList(QWidget):
    """A check list with a field that narrows it; Down moves into the list, Space toggles a
    value."""

    changed = Signal(object)  # tuple of names

    def __init__(self, name: str, narrow: str, display_name: Callable[[str], str] = str) -> None:
        """`narrow`: the accessible name of the field. `display_name`: returns the text of a
        value."""
        super().__init__()
        self._display_name = display_name
        self.edit = styled(QLineEdit(placeholderText=tr("Filter the list")), "field")
        self.edit.setAccessibleName(narrow)
        self.edit.setClearButtonEnabled(True)
        self.list = styled(QTreeWidget(columnCount=2), "values")
        self.list.setAccessibleName(name)
        self.list.setItemDelegate(_ValueDelegate(self.list))
        self.list.setHeaderHidden(True)
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        header = self.list.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.nothing = styled(QLabel(tr("No values in these results.")), "quiet")
        self.nothing.hide()
        column(self.edit, self.list, self.nothing, parent=self, margins=0)
        self.setFixedWidth(WIDTH)
        self._fit_height(MOST_ROWS)
        self.setFocusProxy(self.edit)
        self.edit.textChanged.connect(self._narrow)
        self.edit.installEventFilter(self)
        self.list.itemChanged.connect(self._report)
        self.list.itemActivated.connect(self._toggle)

    def show_values(self, counts: Sequence[FacetCount], chosen: Sequence[str]) -> None:
        """Show values, the checked ones first; checked values that no paper has any more get the
        count 0."""
        known = {count.name.casefold(): count for count in counts}
        first = [known.get(name.casefold()) or FacetCount(name, 0) for name in chosen]
        above = {count.name.casefold() for count in first}
        self.list.blockSignals(True)
        self.list.clear()
        for count in (*first, *(one for one in counts if one.name.casefold() not in above)):
            item = QTreeWidgetItem([self._display_name(count.name), f"{count.papers:,}"])
            item.setData(0, Qt.ItemDataRole.UserRole, count.name)
            checked = count.name.casefold() in above
            item.setCheckState(0, Qt.CheckState.Checked if checked else Qt.CheckState.Unchecked)
            item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            item.setToolTip(0, item.text(0))
            self.list.addTopLevelItem(item)
        self.list.blockSignals(False)
        self._narrow(self.edit.text())
        self.setFixedWidth(self._fitting_width())
        self._fit_height(self.list.topLevelItemCount())
        self.nothing.setVisible(not counts and not first)

    def _fit_height(self, rows: int) -> None:
        """Take the height of this number of values, within limits."""
        row = max(ROW, self.list.sizeHintForRow(0))
        self.list.setFixedHeight(min(max(rows, LEAST_ROWS), MOST_ROWS) * row + PADDING // 3)

    def _fitting_width(self) -> int:
        """The width at which most names are fully visible."""
        items = (self.list.topLevelItem(n) for n in range(self.list.topLevelItemCount()))
        names = nlargest(MEASURED, (item.text(0) for item in items if item), len)
        widths = (self.list.fontMetrics().horizontalAdvance(name) for name in names)
        beside = (
            self.list.sizeHintForColumn(1) + BOX + self.list.verticalScrollBar().sizeHint().width()
        )
        return min(max(WIDTH, max(widths, default=0) + beside + PADDING), WIDEST)

    def selected(self) -> tuple[str, ...]:
        items = [self.list.topLevelItem(n) for n in range(self.list.topLevelItemCount())]
        return tuple(
            str(item.data(0, Qt.ItemDataRole.UserRole))
            for item in items
            if item and item.checkState(0) is Qt.CheckState.Checked
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.edit and isinstance(event, QKeyEvent):
            down = event.type() is QEvent.Type.KeyPress and event.key() == Qt.Key.Key_Down
            if down and (first := self._first_shown()):
                self.list.setFocus()
                self.list.setCurrentItem(first)
                return True
        return False

    def _first_shown(self) -> QTreeWidgetItem | None:
        items = (self.list.topLevelItem(n) for n in range(self.list.topLevelItemCount()))
        return next((item for item in items if item and not item.isHidden()), None)

    def _narrow(self, text: str) -> None:
        wanted = text.casefold().split()
        for n in range(self.list.topLevelItemCount()):
            if item := self.list.topLevelItem(n):
                text_shown = item.text(0).casefold()
                item.setHidden(not all(word in text_shown for word in wanted))

    def _toggle(self, item: QTreeWidgetItem) -> None:
        checked = item.checkState(0) is Qt.CheckState.Checked
        item.setCheckState(0, Qt.CheckState.Unchecked if checked else Qt.CheckState.Checked)

    def _report(self) -> None:
        self.changed.emit(self.selected())
