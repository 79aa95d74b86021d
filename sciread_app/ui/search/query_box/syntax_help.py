"""The search syntax with examples, in a popover below the search box."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QTreeWidget, QTreeWidgetItem, QWidget

from sciread_app.domain.query.fields import SYNTAX
from sciread_app.language import tr
from sciread_app.ui.style.theme import styled
from sciread_app.ui.widgets.layout.boxes import column
from sciread_app.ui.widgets.rounded_popup import RoundedPopup

GAP = 16  # pixels between the columns
MARGIN = 12
ABOVE = 180  # pixels of the window that remain for what is above and below the list


class SyntaxHelp(RoundedPopup):
    """A table of examples and their meanings. A click or Enter inserts the beginning of the
    example, and Esc closes."""

    selected = Signal(str)  # the text to insert

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("popover")
        self.setAccessibleName(tr("Search syntax"))
        self.list = styled(QTreeWidget(columnCount=2), "outline")
        self.list.setAccessibleName(tr("Search syntax"))
        self.list.setHeaderHidden(True)
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for row in SYNTAX:
            item = QTreeWidgetItem([row.query, row.meaning])
            item.setToolTip(1, row.meaning)
            item.setData(0, Qt.ItemDataRole.UserRole, row.start)
            item.setData(0, Qt.ItemDataRole.AccessibleTextRole, f"{row.query}: {row.meaning}")
            self.list.addTopLevelItem(item)
        self.list.resizeColumnToContents(0)
        self.list.setColumnWidth(0, self.list.columnWidth(0) + GAP)
        self.list.setCurrentIndex(self.list.model().index(0, 0))
        self.list.itemClicked.connect(self._choose)
        self.list.itemActivated.connect(self._choose)
        hint = styled(QLabel(tr("Select a row to insert it.")), "quiet")
        column(self.list, hint, parent=self, margins=MARGIN)
        self.setFocusProxy(self.list)
        self._fit(parent)

    def _fit(self, parent: QWidget) -> None:
        """Show all rows if the window has room for them."""
        window = parent.window().size()
        rows = len(SYNTAX) * self.list.sizeHintForRow(0) + 2 * self.list.frameWidth()
        self.list.setFixedHeight(min(rows, max(ABOVE, window.height() - ABOVE)))
        columns = self.list.columnWidth(0) + self.list.sizeHintForColumn(1)
        wanted = columns + 2 * (self.list.frameWidth() + MARGIN) + GAP
        self.setFixedWidth(min(wanted, window.width() - 2 * MARGIN))

    def _choose(self, item: QTreeWidgetItem) -> None:
        start = str(item.data(0, Qt.ItemDataRole.UserRole))
        self.close()
        self.selected.emit(start)
