"""The sidebar's tree: choosing, folding, naming and dragging."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QAbstractItemDelegate, QAbstractItemView, QTreeView, QWidget

from sciread_app.language import tr
from sciread_app.ui.icons import icon
from sciread_app.ui.shelf.delegate import ABOVE_HEADING, Index, ShelfDelegate
from sciread_app.ui.shelf.model import ShelfModel
from sciread_app.ui.shelf.nodes import HEADINGS, MADE, Kind, Name, Node, Tree
from sciread_app.ui.theme import Appearance, Theme

INDENT = 16
ARROW = 10
FOUND = 60  # lines that are unfolded of those that were sifted
OPEN_MS = 600  # after which a collection opens over which something is held


class ShelfTree(QTreeView):
    """Keys: arrows, Enter shows, F2 renames, Delete removes, letters look for a name, Esc out."""

    picked = Signal(object)  # the chosen nodes, whenever a person chose
    remove_wanted = Signal(object)  # nodes
    menu_wanted = Signal(object, QPoint)  # nodes, and where on the screen
    typed = Signal(str)
    left = Signal()

    def __init__(self, model: ShelfModel, appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("shelf")
        self._model = model
        self._appearance = appearance
        self._open = {Name(kind) for kind in HEADINGS}
        self._held: Tree | None = None
        self._own = False  # what is chosen and folded now is not a person's doing
        self._pressed: list[Node] | None = None  # what was chosen before the button went down
        self._delegate = ShelfDelegate(model, appearance, self)
        self.setItemDelegate(self._delegate)
        self.setModel(model)
        self._set_up()
        self.expanded.connect(lambda index: self._fold(index, True))
        self.collapsed.connect(lambda index: self._fold(index, False))
        self.clicked.connect(self._click)
        self.verticalScrollBar().valueChanged.connect(self._see_more)
        appearance.changed.connect(self._repaint)
        self._restore(())

    def _repaint(self, theme: Theme) -> None:
        self.viewport().update()

    @property
    def open_names(self) -> list[Name]:
        """What is unfolded, to be remembered."""
        return sorted(self._open, key=lambda name: (name.kind.value, name.key))

    def set_open(self, names: Iterable[Name]) -> None:
        self._open = set(names)
        self._restore([node.name for node in self.chosen()])

    def show_tree(self, tree: Tree) -> None:
        """Show this; what was chosen, unfolded and seen stays so. What is sifted is unfolded."""
        if self.state() is QAbstractItemView.State.EditingState:
            self._held = tree  # a name is being typed
            return
        chosen, top = [node.name for node in self.chosen()], self.verticalScrollBar().value()
        if not self._model.show(tree):
            self.viewport().update()
            return
        self._restore(chosen, [node.name for node in tree.nodes[:FOUND]] if tree.wanted else None)
        self.verticalScrollBar().setValue(top)

    def choose(self, names: Sequence[Name]) -> None:
        """Mark these lines. Nothing is shown because of it."""
        with self._by_itself():
            self._mark(names)

    def chosen(self) -> list[Node]:
        nodes = [self._model.node(index) for index in self.selectedIndexes()]
        return sorted(nodes, key=lambda node: (node.kind.value, node.key))

    def add_below(self, parent: Node) -> None:
        """Ask for the name of something new below this heading or collection."""
        self.expand(self._model.index_of(parent.name))
        draft = self._model.add_draft(parent)
        with self._by_itself():
            self.setCurrentIndex(draft)
        self.scrollTo(draft)
        self.setFocus()
        self.edit(draft)

    def rename(self, node: Node) -> None:
        if node.kind in MADE:
            self.edit(self._model.index_of(node.name))

    def selectionChanged(self, chosen: QItemSelection, left: QItemSelection) -> None:
        super().selectionChanged(chosen, left)
        if not self._own and self._pressed is None and self.selectedIndexes():
            self.picked.emit(self.chosen())

    def closeEditor(self, editor: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
        super().closeEditor(editor, hint)
        held, self._held = self._held, None
        if held is None and self._model.has_empty_draft:
            held = Tree(self._model.tree.shelf, self._model.tree.wanted)
        if held is not None:
            self.show_tree(held)

    def startDrag(self, actions: Qt.DropAction) -> None:
        """A copy as far as the view is concerned, which would clear lines that are moved."""
        before, self._pressed = self._pressed, None
        with self._by_itself():
            super().startDrag(Qt.DropAction.CopyAction)
        if before is not None:
            self.choose([node.name for node in before])  # what the page shows

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, chosen = event.key(), self.chosen()
        if self.state() is QAbstractItemView.State.EditingState:
            event.accept()  # the key that ends a name is not one of the tree
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and chosen:
            self.picked.emit(chosen)
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and chosen:
            self.remove_wanted.emit(chosen)
        elif key == Qt.Key.Key_Escape:
            self.left.emit()
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
        self.menu_wanted.emit(nodes, self.viewport().mapToGlobal(place))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """The right button asks for a menu, and shows nothing. The left one may begin to drag: what
        it chooses is shown when it is let go."""
        index = self.indexAt(event.position().toPoint())
        node = self._model.node(index)
        plus = self._delegate.plus_place(self.visualRect(index))
        if event.button() is Qt.MouseButton.RightButton:
            event.accept()
        elif node.kind in (Kind.collections, Kind.tags) and plus.contains(
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
            self.picked.emit(self.chosen())

    def drawBranches(self, painter: QPainter, line: QRect, index: Index) -> None:
        """Only whether it can be folded; the style sheet's own arrows are black in the dark."""
        if self._model.rowCount(index):
            name = "unfolded" if self.isExpanded(index) else "folded"
            place = QRect(0, 0, ARROW, ARROW)
            place.moveCenter(line.center())
            place.moveRight(line.right() - 3)
            if self._model.node(index).kind in HEADINGS:
                place.translate(0, ABOVE_HEADING // 2)
            icon(name, self._appearance.theme.faint).paint(painter, place)

    def _see_more(self) -> None:
        """Where the end of what the model told of comes near, let it tell of more."""
        for last in self._model.last_seen():
            place = self.visualRect(last)
            if place.isValid() and place.top() < 2 * self.viewport().height():
                self._model.see_more(last)

    def _click(self, index: Index) -> None:
        """Once more on what is chosen shows it again; a heading folds."""
        node = self._model.node(index)
        if node.kind in HEADINGS:
            self.setExpanded(index, not self.isExpanded(index))
        elif self.chosen() == [node] and self._pressed in (None, [node]):
            self.picked.emit([node])

    def _fold(self, index: Index, is_open: bool) -> None:
        if not self._own:
            name = self._model.node(index).name
            (self._open.add if is_open else self._open.discard)(name)

    def _restore(self, chosen: Sequence[Name], unfold: Sequence[Name] | None = None) -> None:
        with self._by_itself():
            self.collapseAll()
            self.scheduleDelayedItemsLayout()  # once, not at each line that is unfolded
            for name in self._open if unfold is None else unfold:
                index = self._model.index_of(name)
                if index.isValid():
                    self.setExpanded(index, True)
            self.executeDelayedItemsLayout()
            self._mark(chosen)

    def _mark(self, names: Sequence[Name]) -> None:
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
        self.setDragDropOverwriteMode(True)  # onto lines, not between them
        self.setAutoExpandDelay(OPEN_MS)
        self.setAccessibleName(tr("Collections, tags and saved searches"))
