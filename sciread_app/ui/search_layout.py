"""How the parts of the search page lie: what is beside it, the box, the list, and one paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from sciread_app.ui.compare.panel import ComparePanel
from sciread_app.ui.details import DetailsPanel
from sciread_app.ui.empty import EmptyState
from sciread_app.ui.papers import PaperList
from sciread_app.ui.search_head import SearchHead

if TYPE_CHECKING:
    from sciread_app.ui.shelf.sidebar import Sidebar


BESIDE = 660  # pixels that the list and the paper need to be side by side


class SearchLayout(QObject):
    """The list and the paper share the width; where two models are compared, they have it all.
    Where there is too little for both, the paper has the whole page when it is opened."""

    fitted = Signal()  # there is room for the paper beside the list now, or no longer

    def __init__(
        self,
        page: QWidget,
        head: SearchHead,
        hits: PaperList,
        empty: EmptyState,
        details: DetailsPanel,
        compare: ComparePanel,
    ) -> None:
        super().__init__(page)
        self.narrow = False
        self._details, self._compare = details, compare
        self._pages = QStackedWidget()
        self._pages.addWidget(hits)
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
        column.addWidget(head)
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
        """Put it at the left of everything; its width can be drawn."""
        self._sidebar = sidebar
        self._across.insertWidget(0, sidebar)
        self._across.setStretchFactor(0, 0)
        self._across.setStretchFactor(1, 1)

    def sidebars(self) -> Sequence[QWidget]:
        widgets = (self._across.widget(n) for n in range(self._across.count() - 1))
        return [widget for widget in widgets if widget]

    def add_below(self, bar: QWidget) -> None:
        """Put it at the foot of the list."""
        self._found.addWidget(bar)

    def fill_list(self, anything: bool) -> None:
        """With papers, or with what stands there when there are none."""
        self._pages.setCurrentIndex(0 if anything else 1)

    def show_parts(self, *, found: bool, details: bool, compare: bool) -> None:
        self._compare.setVisible(compare)
        self._list.setVisible(found)
        self._details.setVisible(details)
