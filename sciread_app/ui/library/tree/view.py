"""The tree view of the sidebar: painting, selection, expansion, renaming and dragging."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QDropEvent,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
)
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QAbstractItemView,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from sciread_app.language import tr
from sciread_app.ui.library.tree.model import LibraryTreeModel
from sciread_app.ui.library.tree.nodes import (
    HEADINGS,
    MADE,
    LibraryTreeNodes,
    NameEntry,
    NodeKind,
    TreeNode,
)
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.tag_colours import shade
from sciread_app.ui.style.theme import Appearance, Theme, scaled, styled
from sciread_app.ui.widgets.painting import paint_box, paint_text
from sciread_app.ui.widgets.row_table import RIGHT, Index

INDENT = 16
ARROW = 10
FOUND = 60  # matching nodes that are expanded while a filter is set
OPEN_MS = 600  # after which a collection expands while something is dragged over it
PICTURE = 16
GAP = 8
EDGE = 8  # pixels from the right edge to the count
ROUND = 6
_AIR = 9  # pixels of a row above and below its text together
ABOVE_HEADING = 10
_PICTURES: Mapping[NodeKind, str] = {
    NodeKind.every: "papers",
    NodeKind.unread: "unread",
    NodeKind.recent: "recent",
    NodeKind.duplicates: "duplicates",
    NodeKind.problems: "problems",
    NodeKind.no_abstract: "no-abstract",
    NodeKind.trash: "trash",
    NodeKind.collection: "collection",
    NodeKind.draft: "collection",
    NodeKind.search: "search",
}


class LibraryTreeDelegate(QStyledItemDelegate):
    """Paints headings with a + button, and nodes with icon, name and count; edits names in
    place."""

    def __init__(self, model: LibraryTreeModel, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model
        self._appearance = appearance
        self._plain = parent.font()
        self._small = scaled(self._plain, 0.86)
        self._bold = scaled(self._plain, 0.86, QFont.Weight.DemiBold)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        height = QFontMetrics(self._plain).height() + _AIR
        if self._model.node(index).kind in HEADINGS:
            height += ABOVE_HEADING
        return QSize(120, height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        node, theme = self._model.node(index), self._appearance.theme
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if node.kind in HEADINGS:
            self._paint_heading(painter, option.rect, node, theme)
        elif node.kind is NodeKind.hint:
            place = option.rect.adjusted(2, 0, -EDGE, 0)
            paint_text(painter, place, node.text, self._small, theme.faint)
        else:
            self._paint_line(painter, option, node, theme)
        painter.restore()

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = styled(QLineEdit(parent, placeholderText=tr("Name")), "rename")
        editor.setAccessibleName(tr("Name"))
        return editor

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> None:
        editor.setGeometry(option.rect.adjusted(PICTURE + GAP - 2, 1, -4, -1))

    def plus_place(self, line: QRect) -> QRect:
        """The rectangle of the + button in the row of a heading."""
        side = line.height() - ABOVE_HEADING
        return QRect(line.right() - side - 2, line.y() + ABOVE_HEADING, side, side)

    def _paint_heading(self, painter: QPainter, line: QRect, node: TreeNode, theme: Theme) -> None:
        place = line.adjusted(0, ABOVE_HEADING, -EDGE, 0)
        paint_text(painter, place, node.text, self._bold, theme.faint)
        if node.kind is not NodeKind.searches:
            plus = self.plus_place(line)
            size = QRect(0, 0, PICTURE, PICTURE)
            size.moveCenter(plus.center())
            icon("add", theme.faint).paint(painter, size)

    def _paint_line(
        self, painter: QPainter, option: QStyleOptionViewItem, node: TreeNode, theme: Theme
    ) -> None:
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        self._paint_frame(painter, option, chosen, theme)
        line = option.rect
        picture = QRect(line.x() + 2, 0, PICTURE, PICTURE)
        picture.moveCenter(QRect(picture.x(), line.y(), PICTURE, line.height()).center())
        if node.kind is NodeKind.tag:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(shade(theme, node.colour).dot))
            painter.drawEllipse(QPointF(QRectF(picture).center()), 4.5, 4.5)
        else:
            colour = theme.accent if chosen else theme.quiet
            icon(_PICTURES[node.kind], colour).paint(painter, picture)
        used = self._paint_count(painter, line, node, theme)
        place = line.adjusted(PICTURE + GAP, 0, -used - EDGE, 0)
        colour = theme.accent if chosen else theme.text
        paint_text(painter, place, node.text, self._plain, colour)

    def _paint_frame(
        self, painter: QPainter, option: QStyleOptionViewItem, chosen: bool, theme: Theme
    ) -> None:
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        focused = bool(option.state & QStyle.StateFlag.State_HasFocus)
        if not (chosen or hovered or focused):
            return
        fill = theme.selected if chosen else theme.track if hovered else theme.window
        box = QRectF(option.rect).adjusted(-1.5, 0.5, -2.5, -0.5)
        paint_box(painter, box, ROUND, fill, theme.accent if focused else "")

    def _paint_count(self, painter: QPainter, line: QRect, node: TreeNode, theme: Theme) -> int:
        """Paint the count; returns its width in pixels."""
        if not node.count:
            return 0
        text = f"{node.count:,}"
        place = line.adjusted(0, 0, -EDGE, 0)
        paint_text(painter, place, text, self._small, theme.faint, RIGHT)
        return QFontMetrics(self._small).horizontalAdvance(text) + GAP


class LibraryTreeView(QTreeView):
    """Keys: arrows, Enter shows a node, F2 renames, Delete removes, letters search, Esc leaves."""

    current_changed = Signal(object)  # the selected nodes, when the user selects
    remove_requested = Signal(object)  # nodes
    menu_requested = Signal(object, QPoint)  # nodes, position on the screen
    typed = Signal(str)
    escaped = Signal()
    all_papers_selected = Signal()  # by Ctrl+A

    def __init__(self, model: LibraryTreeModel, appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("shelf")
        self._model = model
        self._appearance = appearance
        self._open = {NameEntry(kind) for kind in HEADINGS}
        self._held: LibraryTreeNodes | None = None
        self._own = False  # selection and expansion are being changed by the program
        # the selected nodes before the button was pressed
        self._pressed: list[TreeNode] | None = None
        self._delegate = LibraryTreeDelegate(model, appearance, self)
        self.setItemDelegate(self._delegate)
        self.setModel(model)
        self._set_up()
        self.expanded.connect(lambda index: self._fold(index, True))
        self.collapsed.connect(lambda index: self._fold(index, False))
        self.clicked.connect(self._click)
        self.verticalScrollBar().valueChanged.connect(self._see_more)
        appearance.changed.connect(self.viewport().update)
        self._restore(())

    @property
    def open_names(self) -> list[NameEntry]:
        """The expanded nodes, to be saved."""
        return sorted(self._open, key=lambda name: (name.kind.value, name.key))

    def set_open(self, names: Iterable[NameEntry]) -> None:
        self._open = set(names)
        self._restore([node.name for node in self.selected()])

    def show_tree(self, tree: LibraryTreeNodes) -> None:
        """Show another tree. Selection, expansion and scroll position are kept; matches of a filter
        are expanded."""
        if self.state() is QAbstractItemView.State.EditingState:
            self._held = tree  # a name is being edited
            return
        chosen, top = [node.name for node in self.selected()], self.verticalScrollBar().value()
        if not self._model.show(tree):
            self.viewport().update()
            return
        self._restore(
            chosen, [node.name for node in tree.nodes[:FOUND]] if tree.filter_text else None
        )
        self.verticalScrollBar().setValue(top)

    def choose(self, names: Sequence[NameEntry]) -> None:
        """Select these nodes, without emitting `current_changed`."""
        with self._by_itself():
            self._mark(names)

    def selected(self) -> list[TreeNode]:
        nodes = [self._model.node(index) for index in self.selectedIndexes()]
        return sorted(nodes, key=lambda node: (node.kind.value, node.key))

    def add_below(self, parent: TreeNode) -> None:
        """Start editing the name of a new node below this heading or collection."""
        self.expand(self._model.index_of(parent.name))
        draft = self._model.add_draft(parent)
        self.scrollTo(draft)
        self.setFocus()
        self.edit(draft)

    def rename(self, node: TreeNode) -> None:
        if node.kind in MADE:
            self.edit(self._model.index_of(node.name))

    def selectionChanged(self, chosen: QItemSelection, left: QItemSelection) -> None:
        super().selectionChanged(chosen, left)
        if not self._own and self._pressed is None and self.selectedIndexes():
            self.current_changed.emit(self.selected())

    def closeEditor(self, editor: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
        super().closeEditor(editor, hint)
        held, self._held = self._held, None
        if held is None and self._model.has_empty_draft:
            held = LibraryTreeNodes(self._model.tree.library_tree, self._model.tree.filter_text)
        if held is not None:
            self.show_tree(held)

    def startDrag(self, actions: Qt.DropAction) -> None:
        """Drag as a copy, since the view would itself remove rows that are moved."""
        with self._by_itself():
            super().startDrag(Qt.DropAction.CopyAction)
        self._mark_selection()

    def dropEvent(self, event: QDropEvent) -> None:
        """Deselect dragged nodes first, so that the page follows only the node that it shows."""
        self._mark_selection()
        super().dropEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, chosen = event.key(), self.selected()
        if self.state() is QAbstractItemView.State.EditingState:
            event.accept()  # the key that ends editing must not act on the tree
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and chosen:
            self.current_changed.emit(chosen)
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and chosen:
            self.remove_requested.emit(chosen)
        elif key == Qt.Key.Key_Escape:
            self.escaped.emit()
        else:
            super().keyPressEvent(event)

    def selectAll(self) -> None:
        """Request that all papers of the list are selected. Selecting all nodes would make no
        sense, and would open Duplicates."""
        self.all_papers_selected.emit()

    def keyboardSearch(self, search: str) -> None:
        self.typed.emit(search)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_key = event.reason() is QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if by_key else self.indexAt(event.pos())
        node = self._model.node(index)
        place = self.visualRect(index).center() if by_key else event.pos()
        chosen = self.selected()
        nodes = chosen if node in chosen else [node] if index.isValid() else []
        self.menu_requested.emit(nodes, self.viewport().mapToGlobal(place))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """The right button opens a menu and changes nothing else. The left one may start a drag, so
        a node is shown on release."""
        index = self.indexAt(event.position().toPoint())
        node = self._model.node(index)
        plus = self._delegate.plus_place(self.visualRect(index))
        if event.button() is Qt.MouseButton.RightButton:
            event.accept()
        elif node.kind in (NodeKind.collections, NodeKind.tags) and plus.contains(
            event.position().toPoint()
        ):
            self.add_below(node)
        else:
            self._pressed = self.selected()
            super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        before, self._pressed = self._pressed, None
        if before is not None and self.selected() and self.selected() != before:
            self.current_changed.emit(self.selected())

    def drawBranches(self, painter: QPainter, line: QRect, index: Index) -> None:
        """Paint only the expand arrow of nodes with children; the style sheet's own arrows are
        black in the dark theme."""
        if self._model.rowCount(index):
            name = "unfolded" if self.isExpanded(index) else "folded"
            place = QRect(0, 0, ARROW, ARROW)
            place.moveCenter(line.center())
            place.moveRight(line.right() - 3)
            if self._model.node(index).kind in HEADINGS:
                place.translate(0, ABOVE_HEADING // 2)
            icon(name, self._appearance.theme.faint).paint(painter, place)

    def _mark_selection(self) -> None:
        """Restore the selection from before the button was pressed."""
        before, self._pressed = self._pressed, None
        if before is not None:
            self.choose([node.name for node in before])

    def _see_more(self) -> None:
        """Fetch more nodes from the model when the end of the known ones comes near."""
        for last in self._model.last_seen():
            place = self.visualRect(last)
            if place.isValid() and place.top() < 2 * self.viewport().height():
                self._model.see_more(last)

    def _click(self, index: Index) -> None:
        """A click on the selected node shows it again; a click on a heading expands or collapses
        it."""
        node = self._model.node(index)
        if node.kind in HEADINGS:
            self.setExpanded(index, not self.isExpanded(index))
        elif self.selected() == [node] and self._pressed in (None, [node]):
            self.current_changed.emit([node])

    def _fold(self, index: Index, is_open: bool) -> None:
        if not self._own:
            name = self._model.node(index).name
            (self._open.add if is_open else self._open.discard)(name)

    def _restore(
        self, chosen: Sequence[NameEntry], unfold: Sequence[NameEntry] | None = None
    ) -> None:
        with self._by_itself():
            self.collapseAll()
            self.scheduleDelayedItemsLayout()  # once, not for each expanded node
            for name in self._open if unfold is None else unfold:
                index = self._model.index_of(name)
                if index.isValid():
                    self.setExpanded(index, True)
            self.executeDelayedItemsLayout()
            self._mark(chosen)

    def _mark(self, names: Sequence[NameEntry]) -> None:
        selection, flags = QItemSelection(), QItemSelectionModel.SelectionFlag
        indexes = [index for index in map(self._model.index_of, names) if index.isValid()]
        for index in indexes:
            selection.select(index, index)
        if indexes:
            self.selectionModel().setCurrentIndex(indexes[0], flags.NoUpdate)
        self.selectionModel().select(selection, flags.ClearAndSelect)

    @contextmanager
    def _by_itself(self) -> Iterator[None]:
        before, self._own = self._own, True
        try:
            yield
        finally:
            self._own = before

    def _set_up(self) -> None:
        self.setHeaderHidden(True)
        self.setIndentation(INDENT)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setExpandsOnDoubleClick(False)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)
        self.setDragDropOverwriteMode(True)  # onto nodes, not between them
        self.setAutoExpandDelay(OPEN_MS)
        self.setAccessibleName(tr("Collections, tags, and saved searches"))
