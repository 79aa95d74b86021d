"""The side panel: outline and thumbnails of a document."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QLabel,
    QListView,
    QStackedWidget,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
)

from sciread_app.domain.annotations.annotations import OutlineEntry, PagePosition
from sciread_app.language import tr
from sciread_app.ui.reader.pages.layout import quick
from sciread_app.ui.reader.pages.page_view import PageView
from sciread_app.ui.reader.pages.painter import DARK_PAPER, PAPER
from sciread_app.ui.style.theme import Appearance, styled
from sciread_app.ui.widgets.layout.boxes import column
from sciread_app.ui.widgets.row_table import Index, RowModel
from sciread_app.ui.widgets.segmented_control import SegmentedControl

THUMBNAIL = 120  # width in pixels
SPOT = Qt.ItemDataRole.UserRole
OPENED = 60  # number of entries up to which the outline is fully expanded


class SidePanel(QFrame):
    """Switches between outline and thumbnails; a file without an outline starts with the
    thumbnails."""

    navigated = Signal(object)  # PagePosition

    def __init__(self, view: PageView, appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.switch = SegmentedControl(
            tr("Sidebar view"),
            (
                (tr("Outline"), tr("Headings of the file")),
                (tr("Pages"), tr("Thumbnails of all pages")),
            ),
        )
        self.outline = Outline(view.file.shape.outline)
        self.thumbnails = Thumbnails(view, appearance)
        self._parts = QStackedWidget()
        for part in (self.outline, self.thumbnails):
            self._parts.addWidget(part)
            part.navigated.connect(self.navigated)
        switch = (self.switch, 0, Qt.AlignmentFlag.AlignHCenter)
        column(switch, (self._parts, 1), parent=self, margins=8, spacing=8)
        self.switch.selected.connect(self.show_part)
        self.show_part(0 if view.file.shape.outline else 1)

    def show_part(self, number: int) -> None:
        self.switch.choose(number)
        self._parts.setCurrentIndex(number)


class Outline(QFrame):
    """The headings of a file as a tree, in which the section being read is selected."""

    navigated = Signal(object)  # PagePosition

    def __init__(self, headings: Sequence[OutlineEntry]) -> None:
        super().__init__()
        self.tree = styled(QTreeWidget(), "outline")
        self.tree.setHeaderHidden(True)
        self.tree.setAccessibleName(tr("Outline"))
        self.tree.setFrameShape(QFrame.Shape.NoFrame)
        self.tree.setIndentation(14)
        self.tree.setUniformRowHeights(True)
        self.tree.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.tree.itemActivated.connect(self._go)
        self.tree.itemClicked.connect(self._go)
        nothing = styled(QLabel(tr("This file has no outline."), wordWrap=True), "faint")
        nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column(self.tree if headings else nothing, parent=self, margins=0)
        self._fill(headings)

    def _fill(self, headings: Sequence[OutlineEntry]) -> None:
        above: list[QTreeWidgetItem] = []  # the last entry of each level
        targets: list[tuple[PagePosition, QTreeWidgetItem]] = []
        for heading in headings:
            item = QTreeWidgetItem([heading.title or tr("Untitled")])
            item.setToolTip(0, heading.title)
            item.setData(0, SPOT, heading.spot)
            if heading.spot:
                targets.append((heading.spot, item))
            del above[heading.level :]
            if above:
                above[-1].addChild(item)
            else:
                self.tree.addTopLevelItem(item)
            above.append(item)
        if len(headings) <= OPENED:
            self.tree.expandAll()
        targets.sort(key=lambda target: target[0][:2])
        self._spots = [spot[:2] for spot, _ in targets]
        self._items = [item for _, item in targets]

    def show_position(self, spot: PagePosition) -> None:
        """Select the heading of the section at a position, unless the keyboard is used to select
        another one. Sections stay collapsed."""
        if self.tree.hasFocus():
            return
        number = bisect_right(self._spots, spot[:2])
        shown = item = self._items[number - 1] if number else None
        while item:
            item = item.parent()
            if item and not item.isExpanded():
                shown = item
        if shown is None:
            self.tree.setCurrentIndex(QModelIndex())
        elif shown is not self.tree.currentItem():
            self.tree.setCurrentItem(shown)

    def _go(self, item: QTreeWidgetItem) -> None:
        spot = item.data(0, SPOT)
        if spot:
            self.navigated.emit(PagePosition(*spot))


class Thumbnails(QListView):
    """Small images of all pages, of which only the visible ones are requested."""

    navigated = Signal(object)  # PagePosition

    def __init__(self, view: PageView, appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("results")
        self._view = view
        self.setModel(_ThumbnailModel(range(len(view.file.shape.sizes)), self))
        self.setItemDelegate(_Thumbnail(view, appearance))
        self.setUniformItemSizes(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(tr("Thumbnails"))
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalScrollBar().setSingleStep(40)
        self.viewport().setAutoFillBackground(False)
        self._request_timer = QTimer(self, singleShot=True, interval=40)
        self._request_timer.timeout.connect(self._request_images)
        self.verticalScrollBar().valueChanged.connect(lambda _: self._request_timer.start())
        self.clicked.connect(lambda index: self.navigated.emit(PagePosition(index.row())))
        self.activated.connect(lambda index: self.navigated.emit(PagePosition(index.row())))
        view.pictures.loaded.connect(self._repaint_page)

    def show_page(self, page: int) -> None:
        if page != self.currentIndex().row():
            self.setCurrentIndex(self.model().index(page, 0))
        self._request_timer.start()

    def _request_images(self) -> None:
        """Request images of the visible thumbnails."""
        view = self._view
        if not self.isVisible():
            view.pictures.request("thumbnails", [])
            return
        top = self.indexAt(self.viewport().rect().topLeft()).row()
        below = self.indexAt(self.viewport().rect().bottomLeft()).row()
        sizes = view.file.shape.sizes
        pages = range(max(top, 0), len(sizes) if below < 0 else below + 1)[:60]
        width = view.pictures.quick_width
        wants = [quick(sizes[page], page, view.turn, view.display.dark, width) for page in pages]
        view.pictures.request("thumbnails", wants)

    def _repaint_page(self, page: int) -> None:
        if self.isVisible():
            self.update(self.model().index(page, 0))

    def showEvent(self, event: object) -> None:
        super().showEvent(event)  # type: ignore[arg-type]
        self._request_timer.start()


class _ThumbnailModel(RowModel[int]):
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return tr("Page {page}", page=index.row() + 1)
        return None


class _Thumbnail(QStyledItemDelegate):
    def __init__(self, view: PageView, appearance: Appearance) -> None:
        super().__init__(view)
        self._view, self._appearance = view, appearance

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(THUMBNAIL + 24, round(THUMBNAIL / 0.7) + option.fontMetrics.height() + 18)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, view, page = self._appearance.theme, self._view, index.row()
        whole: QRect = option.rect
        number = QRect(whole)
        number.setTop(whole.bottom() - option.fontMetrics.height() - 4)
        part = quick(view.file.shape.sizes[page], page, view.turn, view.display.dark, THUMBNAIL)
        frame = QRect(0, 0, part.width, part.height)
        frame.moveCenter(whole.adjusted(0, 4, 0, -number.height() - 4).center())
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.fillRect(frame, QColor(DARK_PAPER if view.display.dark else PAPER))
        width = view.pictures.quick_width
        known = quick(view.file.shape.sizes[page], page, view.turn, view.display.dark, width)
        if image := view.pictures.picture(known):
            painter.drawImage(frame, image)
        here = page == view.page
        painter.setPen(QPen(QColor(theme.accent if here else theme.border), 2 if here else 1))
        painter.drawRect(frame)
        painter.setPen(QColor(theme.accent if here else theme.faint))
        painter.drawText(number, Qt.AlignmentFlag.AlignCenter, str(page + 1))
        painter.restore()
