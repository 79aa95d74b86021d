"""Navigation between the pages: the navigation bar, and the tabs of an item."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QObject, QPointF, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QTabBar

from sciread_app.language import tr
from sciread_app.ui.page import PageSpec
from sciread_app.ui.shell.navigation_bar import NavigationBar
from sciread_app.ui.shell.page_registry import NAVIGATION_ITEMS, navigation_item_of, pages_of
from sciread_app.ui.style.theme import Appearance


class Navigation(QObject):
    """Shows which page is open and which pages are busy, and remembers the last page of an item."""

    selected = Signal(str)  # the key of a page, selected by the user

    def __init__(self, appearance: Appearance, parent: QObject) -> None:
        super().__init__(parent)
        self.bar = NavigationBar(NAVIGATION_ITEMS, appearance)
        self.tabs = PageTabs(appearance)
        self.page = ""  # the open page
        self._last = {item.key: pages_of(item.key)[0].key for item in NAVIGATION_ITEMS}
        self._busy: set[str] = set()
        self.bar.selected.connect(lambda item: self.selected.emit(self.page_of(item)))
        self.tabs.selected.connect(self._choose_tab)

    def page_of(self, item: str) -> str:
        """Return the page that the item with this key leads to: the last one, or the first if the
        item is open already and has no tabs."""
        if self.page:
            here = navigation_item_of(self.page)
            if here.key == item and not here.tabs:
                return pages_of(item)[0].key
        return self._last[item]

    def show_page(self, page: str) -> None:
        """Mark the page with this key as open."""
        item = navigation_item_of(page)
        self.page = self._last[item.key] = page
        self.bar.choose(item.key)
        self.tabs.show_pages(pages_of(item.key) if item.tabs else [], page)

    def show_busy(self, page: str, busy: bool) -> None:
        """Show whether the page with this key is busy."""
        (self._busy.add if busy else self._busy.discard)(page)
        item = navigation_item_of(page).key
        self.bar.show_busy(item, any(spec.key in self._busy for spec in pages_of(item)))
        self.tabs.show_busy(self._busy)

    def show_count(self, page: str, explanation: str, count: int) -> None:
        """Show a number at the item of this page, explained in its tooltip; 0: none."""
        self.bar.button(navigation_item_of(page).key).show_count(count, explanation)

    def _choose_tab(self, page: str) -> None:
        by_keys = self.tabs.hasFocus()
        self.selected.emit(page)
        if by_keys:
            self.tabs.setFocus(Qt.FocusReason.OtherFocusReason)  # for the next arrow key


class PageTabs(QTabBar):
    """The tabs of the pages of an item; hidden if it has none."""

    selected = Signal(str)  # the key of a page, selected by the user

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self._pages: list[PageSpec] = []
        self._busy: frozenset[str] = frozenset()
        self.setObjectName("pages")
        self.setAccessibleName(tr("Pages"))
        self.setDrawBase(False)
        self.setExpanding(False)
        self.hide()
        self.currentChanged.connect(lambda index: self.selected.emit(self._pages[index].key))
        appearance.changed.connect(self.update)

    def show_pages(self, pages: list[PageSpec], current: str) -> None:
        """Show these tabs; `current` is the key of the open page."""
        with QSignalBlocker(self):
            if pages != self._pages:
                while self.count():
                    self.removeTab(0)
                self._pages = pages
                for spec in pages:
                    self.addTab(spec.title)
                self.show_busy(self._busy)
            for index, spec in enumerate(pages):
                if spec.key == current:
                    self.setCurrentIndex(index)
        self.setVisible(bool(pages))

    def show_busy(self, busy: Collection[str]) -> None:
        """Mark the pages with these keys as busy."""
        self._busy = frozenset(busy)
        for index, spec in enumerate(self._pages):
            name = tr("{page}, busy", page=spec.title) if spec.key in busy else spec.title
            self.setAccessibleTabName(index, name)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._appearance.theme.accent))
        for index, spec in enumerate(self._pages):
            if spec.key in self._busy:
                tab = self.tabRect(index)
                painter.drawEllipse(QPointF(tab.right() - 6.0, tab.top() + 9.0), 3, 3)
