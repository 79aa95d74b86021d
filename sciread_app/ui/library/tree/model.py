"""The item model of the sidebar: its nodes, renaming, and dragging and dropping."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QMimeData,
    QModelIndex,
    QObject,
    Qt,
    Signal,
)

from sciread_app.domain.library_tree import LibraryTree
from sciread_app.ui.library.tree.drag_and_drop import PAPERS, PATHS, pack_paths, papers_in, paths_in
from sciread_app.ui.library.tree.nodes import (
    HEADINGS,
    MADE,
    SEEN,
    LibraryTreeNodes,
    NameEntry,
    NodeKind,
    TreeNode,
    parent_of,
)
from sciread_app.ui.widgets.row_table import Index

_TAKES_PAPERS = (NodeKind.collection, NodeKind.tag, NodeKind.trash)


class LibraryTreeModel(QAbstractItemModel):
    """The nodes of the sidebar. Only an edited name is changed here at once; renaming, creating and
    moving are requested by signals, and appear when `show` gets the changed tree."""

    rename_requested = Signal(object, str)  # TreeNode, its new name
    make_requested = Signal(object, str)  # the parent TreeNode, and a name
    papers_dropped = Signal(object, object)  # TreeNode, ids
    collections_dropped = Signal(object, object)  # TreeNode, paths

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.tree = LibraryTreeNodes(LibraryTree())

    def show(self, tree: LibraryTreeNodes) -> bool:
        """Set the tree. Returns False if all nodes keep their places, and only counts and colors
        change."""
        old = self.tree
        if tree.names == old.names:
            for one, other in zip(old.nodes, tree.nodes, strict=True):
                other.seen = one.seen
            self.tree = tree
            return False
        self.beginResetModel()
        self._keep_seen(old, tree)
        self.tree = tree
        self.endResetModel()
        return True

    def node(self, index: Index) -> TreeNode:
        return self.tree.nodes[index.internalId()] if index.isValid() else self.tree.root

    def named(self, name: NameEntry) -> TreeNode | None:
        number = self.tree.numbers.get(name)
        return None if number is None else self.tree.nodes[number]

    def index_of(self, name: NameEntry) -> QModelIndex:
        """The index of the node with this name; invalid if the view has not fetched it."""
        node = self.named(name)
        at = node
        while at is not None and at.parent is not None:
            if at.row >= at.parent.seen:
                return QModelIndex()
            at = at.parent
        return QModelIndex() if node is None else self._index(node)

    def last_seen(self) -> list[QModelIndex]:
        """The last fetched children of nodes that have more."""
        parents = (node for node in self.tree.long if node.seen < len(node.children))
        return [self._index(node.children[node.seen - 1]) for node in parents]

    def see_more(self, last: Index) -> None:
        """Fetch more siblings of this index."""
        above = self.node(last).parent
        assert above
        upto = min(above.seen + SEEN, len(above.children))
        self.beginInsertRows(self._index(above), above.seen, upto - 1)
        above.seen = upto
        self.endInsertRows()

    def add_draft(self, parent: TreeNode) -> QModelIndex:
        """Add an empty row at the top below `parent`, in which a name can be typed."""
        self.beginInsertRows(self.index_of(parent.name), 0, 0)
        draft = TreeNode(NameEntry(NodeKind.draft, parent.key), "", parent=parent)
        parent.children.insert(0, draft)
        parent.seen += 1
        for row, child in enumerate(parent.children):
            child.row = row
        self.tree.numbers[draft.name] = len(self.tree.nodes)
        self.tree.nodes.append(draft)
        self.tree.names.append(draft.name)
        self.endInsertRows()
        return self.index_of(draft.name)

    @property
    def has_empty_draft(self) -> bool:
        """Whether there is a draft row without a name."""
        return any(node.kind is NodeKind.draft and not node.text for node in self.tree.nodes)

    # QAbstractItemModel

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:
        above = self.node(parent)
        if column != 0 or not 0 <= row < above.seen:
            return QModelIndex()
        return self._index(above.children[row])

    def parent(self, index: Index = QModelIndex()) -> Any:
        above = self.node(index).parent
        return QModelIndex() if above is None or above is self.tree.root else self._index(above)

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return self.node(parent).seen

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        node = self.node(index)
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return node.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return node.text if node.count is None else f"{node.text}, {node.count:,}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return node.query if node.kind is NodeKind.search else node.key or None
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        node, text = self.node(index), _tidy(str(value))
        if role != Qt.ItemDataRole.EditRole or not text or text == node.text:
            return False
        if node.kind is NodeKind.draft and node.parent:
            self.make_requested.emit(node.parent, text)
        else:
            self.rename_requested.emit(node, text)
        node.text = text
        self.dataChanged.emit(index, index)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        kind = self.node(index).kind
        flags = Qt.ItemFlag.ItemIsEnabled
        if kind is NodeKind.hint or not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        if kind not in HEADINGS:
            flags |= Qt.ItemFlag.ItemIsSelectable
        if kind in MADE or kind is NodeKind.draft:
            flags |= Qt.ItemFlag.ItemIsEditable
        if kind is NodeKind.collection:
            flags |= Qt.ItemFlag.ItemIsDragEnabled
        if kind in _TAKES_PAPERS or kind is NodeKind.collections:
            flags |= Qt.ItemFlag.ItemIsDropEnabled
        return flags

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.CopyAction | Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:
        return [PATHS, PAPERS]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        return pack_paths([self.node(index).key for index in indexes])

    def canDropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index
    ) -> bool:
        node = self.node(parent)
        if data.hasFormat(PAPERS):
            return node.kind in _TAKES_PAPERS
        return bool(self._movable(data, node))

    def dropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index
    ) -> bool:
        """Request the drop by a signal; returns False even then."""
        node = self.node(parent)
        if not self.canDropMimeData(data, action, row, column, parent):
            return False
        if data.hasFormat(PAPERS):
            self.papers_dropped.emit(node, papers_in(data))
        else:
            self.collections_dropped.emit(node, self._movable(data, node))
        # A result of True would make the view remove the moved rows; the changed tree removes them.
        return False

    def _movable(self, data: QMimeData, node: TreeNode) -> list[str]:
        """Those of the collections that would move: not already below `node`, nor moved below
        themselves."""
        if node.kind not in (NodeKind.collection, NodeKind.collections):
            return []
        return [
            path
            for path in _outermost(paths_in(data))
            if parent_of(path) != node.key and not f"{node.key}/".startswith(f"{path}/")
        ]

    def _index(self, node: TreeNode) -> QModelIndex:
        return self.createIndex(node.row, 0, self.tree.numbers[node.name])

    def _keep_seen(self, old: LibraryTreeNodes, new: LibraryTreeNodes) -> None:
        """Fetch again as many nodes as before."""
        for node in old.nodes:
            if node.seen > SEEN and (number := new.numbers.get(node.name)) is not None:
                same = new.nodes[number]
                same.seen = min(len(same.children), node.seen)


def _tidy(text: str) -> str:
    """A name without surrounding blanks. A slash in a collection's name makes it a child of
    another."""
    return "/".join(filter(None, (" ".join(part.split()) for part in text.split("/"))))


def _outermost(paths: Sequence[str]) -> list[str]:
    """The paths without those inside another of them, which move along."""
    chosen = set(paths)
    return [path for path in paths if not any(path.startswith(f"{above}/") for above in chosen)]
