"""The layout of the search page: sidebar, header, list and details."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from sciread_app.ui.compare.panel import ComparePanel
from sciread_app.ui.paper.details_panel import DetailsPanel
from sciread_app.ui.paper_list.paper_list import PaperList
from sciread_app.ui.search.header import SearchHeader
from sciread_app.ui.widgets.messages.empty_state import EmptyState

if TYPE_CHECKING:
    from sciread_app.ui.library.sidebar import Sidebar


BESIDE = 660  # pixels that the list and the details need side by side


class SearchLayout(QObject):
    """The list and the details share the width; a model comparison takes all of it. If both do not
    fit, an opened paper takes the whole page."""

    fitted = Signal()  # the details fit next to the list, or no longer do

    def __init__(
        self,
        page: QWidget,
        header: SearchHeader,
        result_list: PaperList,
        empty: EmptyState,
        details: DetailsPanel,
        compare: ComparePanel,
    ) -> None:
        super().__init__(page)
        self.narrow = False
        self._details, self._compare = details, compare
        self._pages = QStackedWidget()
        self._pages.addWidget(result_list)
        self._pages.addWidget(empty)
        self._list = QWidget()
        self._found = QVBoxLayout(self._list)
        self._found.setContentsMargins(0, 0, 0, 0)
        self._found.setSpacing(8)
        self._found.addWidget(self._pages, 1)
        split = QSplitter(Qt.Orientation.Horizontal, childrenCollapsible=False)
        split.setHandleWidth(10)
        for part, share in ((self._list, 5), (details, 4), (compare, 5)):
            split.addWidget(part)
            split.setStretchFactor(split.count() - 1, share)
        split.setSizes([620, 480])
        self._split = split
        split.installEventFilter(self)
        page.installEventFilter(self)
        self._page = page
        self._sidebar: Sidebar | None = None
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(16, 12, 16, 10)
        column.setSpacing(10)
        column.addWidget(header)
        column.addWidget(split, 1)
        self._across = QSplitter(Qt.Orientation.Horizontal, childrenCollapsible=False)
        self._across.setHandleWidth(1)
        self._across.addWidget(middle)
        whole = QVBoxLayout(page)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self._across)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Resize:
            if watched is self._page and self._sidebar:
                self._sidebar.fit(self._page.width())
            narrow = self._split.width() < BESIDE
            if watched is self._split and narrow != self.narrow:
                self.narrow = narrow
                self.fitted.emit()
        return super().eventFilter(watched, event)

    def add_sidebar(self, sidebar: Sidebar) -> None:
        """Put the sidebar at the left, with a splitter."""
        self._sidebar = sidebar
        self._across.insertWidget(0, sidebar)
        self._across.setStretchFactor(0, 0)
        self._across.setStretchFactor(1, 1)

    def sidebars(self) -> Sequence[QWidget]:
        widgets = (self._across.widget(n) for n in range(self._across.count() - 1))
        return [widget for widget in widgets if widget]

    def add_below(self, bar: QWidget) -> None:
        """Put a bar below the list."""
        self._found.addWidget(bar)

    def fill_list(self, anything: bool) -> None:
        """Show the list, or the empty state."""
        self._pages.setCurrentIndex(0 if anything else 1)

    def show_parts(self, *, found: bool, details: bool, compare: bool) -> None:
        self._compare.setVisible(compare)
        self._list.setVisible(found)
        self._details.setVisible(details)
