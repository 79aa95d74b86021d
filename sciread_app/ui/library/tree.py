"""The tree view of the sidebar: selection, expansion, renaming and dragging."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QDropEvent, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QAbstractItemDelegate, QAbstractItemView, QTreeView, QWidget

from sciread_app.language import tr
from sciread_app.ui.library.tree_delegate import ABOVE_HEADING, LibraryTreeDelegate
from sciread_app.ui.library.tree_model import LibraryTreeModel
from sciread_app.ui.library.tree_nodes import (
    HEADINGS,
    MADE,
    LibraryTreeNodes,
    NameEntry,
    NodeKind,
    TreeNode,
)
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance
from sciread_app.ui.widgets.row_table import Index

INDENT = 16
ARROW = 10
FOUND = 60  # matching nodes that are expanded while a filter is set
OPEN_MS = 600  # after which a collection expands while something is dragged over it


class LibraryTreeView(QTreeView):
    """Keys: arrows, Enter shows a node, F2 renames, Delete removes, letters search, Esc leaves."""

    current_changed = Signal(object)  # the selected nodes, when the user selects
    remove_requested = Signal(object)  # nodes
    menu_requested = Signal(object, QPoint)  # nodes, position on the screen
    typed = Signal(str)
    escaped = Signal()

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
        self._restore([node.name for node in self.chosen()])

    def show_tree(self, tree: LibraryTreeNodes) -> None:
        """Show another tree. Selection, expansion and scroll position are kept; matches of a filter
        are expanded."""
        if self.state() is QAbstractItemView.State.EditingState:
            self._held = tree  # a name is being edited
            return
        chosen, top = [node.name for node in self.chosen()], self.verticalScrollBar().value()
        if not self._model.show(tree):
            self.viewport().update()
            return
        self._restore(chosen, [node.name for node in tree.nodes[:FOUND]] if tree.wanted else None)
        self.verticalScrollBar().setValue(top)

    def choose(self, names: Sequence[NameEntry]) -> None:
        """Select these nodes, without emitting `current_changed`."""
        with self._by_itself():
            self._mark(names)

    def chosen(self) -> list[TreeNode]:
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
            self.current_changed.emit(self.chosen())

    def closeEditor(self, editor: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
        super().closeEditor(editor, hint)
        held, self._held = self._held, None
        if held is None and self._model.has_empty_draft:
            held = LibraryTreeNodes(self._model.tree.shelf, self._model.tree.wanted)
        if held is not None:
            self.show_tree(held)

    def startDrag(self, actions: Qt.DropAction) -> None:
        """A copy for the view, which would otherwise remove moved rows."""
        with self._by_itself():
            super().startDrag(Qt.DropAction.CopyAction)
        self._mark_what_was_chosen()

    def dropEvent(self, event: QDropEvent) -> None:
        """Deselect dragged nodes, so that the page follows only the one it shows."""
        self._mark_what_was_chosen()
        super().dropEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, chosen = event.key(), self.chosen()
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

    def keyboardSearch(self, search: str) -> None:
        self.typed.emit(search)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_key = event.reason() is QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if by_key else self.indexAt(event.pos())
        node = self._model.node(index)
        place = self.visualRect(index).center() if by_key else event.pos()
        chosen = self.chosen()
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
            self._pressed = self.chosen()
            super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        before, self._pressed = self._pressed, None
        if before is not None and self.chosen() and self.chosen() != before:
            self.current_changed.emit(self.chosen())

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

    def _mark_what_was_chosen(self) -> None:
        """Record the selection before the button is pressed."""
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
        elif self.chosen() == [node] and self._pressed in (None, [node]):
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
        self.setAccessibleName(tr("Collections, tags and saved searches"))
