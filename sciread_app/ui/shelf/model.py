"""The tree of the sidebar for a view: what it shows, what may be renamed, what may be dropped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from sciread_app.domain.shelf import Shelf
from sciread_app.ui.shelf.nodes import HEADINGS, MADE, Kind, Name, Node, build, parent_of
from sciread_app.ui.shelf.parcels import PAPERS, PATHS, pack_paths, papers_in, paths_in

Index = QModelIndex | QPersistentModelIndex
_TAKES_PAPERS = (Kind.collection, Kind.tag, Kind.trash)


class ShelfModel(QAbstractItemModel):
    """Never changes what it shows by itself, but for a name that was typed: it says what is wanted,
    and shows the shelf that comes of it."""

    rename_wanted = Signal(object, str)  # Node, its new name
    make_wanted = Signal(object, str)  # the node it is to stand below, and a name
    papers_dropped = Signal(object, object)  # Node, ids
    collections_dropped = Signal(object, object)  # Node, paths

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._shelf = Shelf()
        self._wanted = ""
        self.root = Node(Name(Kind.every, "root"), "")
        self._nodes: list[Node] = []  # by the number that an index carries
        self._numbers: dict[Name, int] = {}
        self._take(build(self._shelf))

    def show(self, shelf: Shelf, wanted: str = "") -> bool:
        """Show this. False if all nodes stay what they were, and only counts and colours move."""
        self._shelf, self._wanted = shelf, wanted
        root = build(shelf, wanted)
        new = [node.name for node in root.walk()]
        if new == [node.name for node in self._nodes]:
            self._refresh(root)
            return False
        self.beginResetModel()
        self._take(root)
        self.endResetModel()
        return True

    @property
    def shelf(self) -> Shelf:
        return self._shelf

    @property
    def wanted(self) -> str:
        return self._wanted

    def node(self, index: Index) -> Node:
        return self._nodes[index.internalId()] if index.isValid() else self.root

    def index_of(self, name: Name) -> QModelIndex:
        """Where the node with this name stands; an invalid index if there is none."""
        number = self._numbers.get(name)
        return QModelIndex() if number is None else self._index(self._nodes[number], number)

    def add_draft(self, parent: Node) -> QModelIndex:
        """A place below `parent` in which a name can be typed."""
        above = self.index_of(parent.name)
        hint = next((child for child in parent.children if child.kind is Kind.hint), None)
        if hint is not None:
            self._remove(hint)
        row = len(parent.children)
        self.beginInsertRows(above, row, row)
        draft = parent.add(Node(Name(Kind.draft, parent.key), ""))
        self._numbers[draft.name] = len(self._nodes)
        self._nodes.append(draft)
        self.endInsertRows()
        return self.index_of(draft.name)

    @property
    def has_empty_draft(self) -> bool:
        """Whether there is a place in which nothing was typed."""
        return any(node.kind is Kind.draft and not node.text for node in self._nodes)

    # What a view asks.

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:  # noqa: B008
        children = self.node(parent).children
        if column != 0 or not 0 <= row < len(children):
            return QModelIndex()
        return self._index(children[row])

    def parent(self, index: Index = QModelIndex()) -> Any:  # noqa: B008
        above = self.node(index).parent
        return QModelIndex() if above is None or above is self.root else self._index(above)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return len(self.node(parent).children)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        node = self.node(index)
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return node.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return node.text if node.count is None else f"{node.text}, {node.count:,}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return node.query if node.kind is Kind.search else node.key or None
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        node, text = self.node(index), _tidy(str(value))
        if role != Qt.ItemDataRole.EditRole or not text or text == node.text:
            return False
        if node.kind is Kind.draft and node.parent:
            self.make_wanted.emit(node.parent, text)
        else:
            self.rename_wanted.emit(node, text)
        node.text = text
        self.dataChanged.emit(index, index)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        kind = self.node(index).kind
        flags = Qt.ItemFlag.ItemIsEnabled
        if kind is Kind.hint or not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        if kind not in HEADINGS:
            flags |= Qt.ItemFlag.ItemIsSelectable
        if kind in MADE or kind is Kind.draft:
            flags |= Qt.ItemFlag.ItemIsEditable
        if kind is Kind.collection:
            flags |= Qt.ItemFlag.ItemIsDragEnabled
        if kind in _TAKES_PAPERS or kind in (Kind.collections, Kind.tags):
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
            return node.kind in _TAKES_PAPERS or node.kind in (Kind.collections, Kind.tags)
        return bool(self._movable(data, node))

    def dropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index
    ) -> bool:
        node = self.node(parent)
        if not self.canDropMimeData(data, action, row, column, parent):
            return False
        if data.hasFormat(PAPERS):
            self.papers_dropped.emit(node, papers_in(data))
        else:
            self.collections_dropped.emit(node, self._movable(data, node))
        # The view would take away what was moved: the shelf that comes of it does.
        return False

    def _movable(self, data: QMimeData, node: Node) -> list[str]:
        """Those of the collections that would lie somewhere else below `node`, and not below
        themselves."""
        if node.kind not in (Kind.collection, Kind.collections):
            return []
        return [
            path
            for path in _outermost(paths_in(data))
            if parent_of(path) != node.key and not f"{node.key}/".startswith(f"{path}/")
        ]

    def _index(self, node: Node, number: int | None = None) -> QModelIndex:
        return self.createIndex(node.row, 0, self._numbers[node.name] if number is None else number)

    def _take(self, root: Node) -> None:
        self.root = root
        self._nodes = list(root.walk())
        self._numbers = {node.name: number for number, node in enumerate(self._nodes)}

    def _refresh(self, root: Node) -> None:
        for old, new in zip(self._nodes, root.walk(), strict=True):
            if (old.text, old.count, old.colour, old.query) != (
                new.text,
                new.count,
                new.colour,
                new.query,
            ):
                old.text, old.count = new.text, new.count
                old.colour, old.query = new.colour, new.query
                index = self._index(old)
                self.dataChanged.emit(index, index)

    def _remove(self, node: Node) -> None:
        parent = node.parent
        assert parent
        self.beginRemoveRows(self.index_of(parent.name), node.row, node.row)
        parent.children.remove(node)
        for row, child in enumerate(parent.children):
            child.row = row
        self.endRemoveRows()


def _tidy(text: str) -> str:
    """A name without blanks around it. A slash in a collection's puts it below another."""
    return "/".join(filter(None, (" ".join(part.split()) for part in text.split("/"))))


def _outermost(paths: Sequence[str]) -> list[str]:
    """Without those that lie in another of them, which come along."""
    chosen = set(paths)
    return [path for path in paths if not any(path.startswith(f"{above}/") for above in chosen)]
