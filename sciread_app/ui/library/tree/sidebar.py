"""The sidebar of the search page: collections, tags, saved searches, and the actions on them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QKeyEvent, QPainter, QPixmap
from PySide6.QtWidgets import QFrame, QLineEdit, QMenu

from sciread_app.domain.library_tree import SAMPLE_COLLECTION
from sciread_app.domain.paper import PaperId
from sciread_app.domain.query.builder import fragment
from sciread_app.language import tr, trn
from sciread_app.ui.jobs.saved_state import SavedState
from sciread_app.ui.library.edit_queue import EditQueue, Step
from sciread_app.ui.library.metadata.look_up_bar import USUALLY_MISSING
from sciread_app.ui.library.tree.model import LibraryTreeModel
from sciread_app.ui.library.tree.nodes import (
    MADE,
    NameEntry,
    NodeKind,
    TreeNode,
    last_of,
    parent_of,
    scope_of,
)
from sciread_app.ui.library.tree.view import LibraryTreeView
from sciread_app.ui.style.tag_colours import NAMES, shade
from sciread_app.ui.style.theme import Appearance
from sciread_app.ui.widgets.layout.boxes import column
from sciread_app.ui.widgets.rounded_popup import context_menu, rounded

NARROWEST, FIRST_WIDTH, WIDEST = 180, 220, 480
HINTS = 1.4  # width of the hints in the tree, relative to the placeholder of the filter
_LISTS = (
    *(NodeKind.every, NodeKind.unread, NodeKind.recent, NodeKind.problems, NodeKind.no_abstract),
)
NARROW_PAGE = 700  # pixels of a page too narrow for the sidebar


class FilterEdit(QLineEdit):
    """The field that filters the tree. Down moves into the tree, Esc clears the field."""

    def __init__(self, tree: LibraryTreeView) -> None:
        super().__init__(placeholderText=tr("Filter collections and tags"))
        self.setObjectName("field")
        self.setClearButtonEnabled(True)
        self.setAccessibleName(tr("Filter collections, tags, and saved searches"))
        self._tree = tree

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._tree.setFocus()
        elif event.key() == Qt.Key.Key_Escape:
            self.clear()
            self._tree.setFocus()
        else:
            super().keyPressEvent(event)


class Sidebar(QFrame):
    """The tree of collections, tags and saved searches, with a filter. A selection requests that
    the page shows those papers; all changes go through the edit queue, so they can be undone."""

    scope_requested = Signal(str, str)  # a clause of the query language, and its label
    duplicates_requested = Signal()
    export_requested = Signal(object, str)  # the paths of collections, else a clause; and a label
    auto_export_requested = Signal(str)  # the path of a collection for an automatic export
    empty_trash_requested = Signal()
    look_up_requested = Signal(object)  # the missing fields to look up, by their names

    def __init__(self, work: EditQueue, appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("sidebar")
        self._work = work
        self._appearance = appearance
        self._narrow = False
        self._tucked = False  # hidden for lack of room, not by the user
        self.model = LibraryTreeModel(self)
        self.tree = LibraryTreeView(self.model, appearance)
        self.set_filter = FilterEdit(self.tree)
        self._width = self._first_width()
        column(self.set_filter, (self.tree, 1), parent=self, margins=(10, 12, 4, 8), spacing=8)
        self.setMinimumWidth(NARROWEST)
        self.setMaximumWidth(WIDEST)
        self._connect()
        self.tree.choose([NameEntry(NodeKind.every)])

    def restore(self, settings: SavedState) -> None:
        """Restore the expanded nodes and whether the sidebar was hidden."""
        if isinstance(names := settings.value("shelf/open"), list):
            known = {kind.value: kind for kind in NodeKind}
            pairs = (str(name).partition(":") for name in names)
            self.tree.set_open(
                NameEntry(known[kind], key) for kind, _, key in pairs if kind in known
            )
        self._width = int(str(settings.value("shelf/width", self._first_width())))
        self.setVisible(settings.value("shelf/hidden", "") != "yes")

    def sizeHint(self) -> QSize:
        return QSize(self._width, 400)

    def _first_width(self) -> int:
        """The width in pixels before the user changes it: more in a wide font."""
        placeholder = self.set_filter.placeholderText()
        wide = round(HINTS * self.fontMetrics().horizontalAdvance(placeholder))
        return min(max(FIRST_WIDTH, wide), WIDEST)

    def save(self, settings: SavedState) -> None:
        names = [f"{name.kind.value}:{name.key}" for name in self.tree.open_names]
        settings.setValue("shelf/open", names)
        hidden = self.isHidden() and not self._tucked
        settings.setValue("shelf/hidden", "yes" if hidden else "")
        if not self.isHidden():
            settings.setValue("shelf/width", self.width())

    def fit(self, room: int) -> None:
        """Hide in a page of this width if it has no room, and show again when it has."""
        narrow = room < NARROW_PAGE
        if narrow != self._narrow:
            self._narrow = narrow
            if narrow and not self.isHidden():
                self._tucked = True
                self.hide()
            elif self._tucked:
                self._tucked = False
                self.show()

    def show_scope(self, fragment: str) -> None:
        """Select the node of this clause, if there is one; the page shows it already."""
        chosen = self.tree.selected()
        elsewhere = any(node.kind is NodeKind.duplicates for node in chosen)  # a page of its own
        if not chosen or elsewhere or scope_of(chosen)[0] != fragment:
            node = self.model.tree.node_for(fragment)
            self.tree.choose([node.name] if node else [])

    def take_focus(self) -> None:
        self.tree.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def add_collection(self, below: TreeNode | None = None) -> None:
        """Ask for the name of a new collection."""
        self.set_filter.clear()
        heading = self.model.node(self.model.index_of(NameEntry(NodeKind.collections)))
        self.tree.add_below(below or heading)

    def add_tag(self) -> None:
        self.set_filter.clear()
        self.tree.add_below(self.model.node(self.model.index_of(NameEntry(NodeKind.tags))))

    def menu(self, nodes: Sequence[TreeNode]) -> QMenu:
        """The context menu of these nodes."""
        menu = context_menu(self)
        one = nodes[0] if len(nodes) == 1 else None
        kinds = {node.kind for node in nodes}
        if one and one.kind is NodeKind.collection:
            menu.addAction(tr("New subcollection…"), partial(self.add_collection, one))
        if one and one.kind in MADE:
            menu.addAction(tr("Rename") + "\tF2", partial(self.tree.rename, one))
        if kinds == {NodeKind.tag}:
            self._add_colours(menu, nodes)
        if one and one.kind is NodeKind.collection and parent_of(one.key):
            menu.addAction(tr("Move to top level"), partial(self._move, [one.key], ""))
        if nodes and kinds <= {*MADE, *_LISTS}:
            menu.addAction(tr("Export papers…"), partial(self._export, nodes))
        if one and one.kind is NodeKind.collection:
            menu.addAction(
                tr("Export automatically…"), partial(self.auto_export_requested.emit, one.key)
            )
        if nodes and kinds <= {*MADE}:
            menu.addAction(tr("Remove") + "\tDel", partial(self._remove, nodes))
        if one and one.kind is NodeKind.collection and one.key == SAMPLE_COLLECTION:
            menu.addAction(tr("Remove sample papers"), partial(self._remove_sample, one))
        if one and one.kind is NodeKind.problems:
            menu.addAction(
                tr("Look up missing metadata…"),
                lambda: self.look_up_requested.emit(USUALLY_MISSING),
            )
        if one and one.kind is NodeKind.no_abstract:
            menu.addAction(
                tr("Look up abstracts…"), lambda: self.look_up_requested.emit(("abstract",))
            )
        if one and one.kind is NodeKind.trash:
            menu.addAction(tr("Empty Trash…"), self.empty_trash_requested.emit).setEnabled(
                bool(one.count)
            )
        if not menu.isEmpty():
            menu.addSeparator()
        menu.addAction(tr("New collection…"), lambda: self.add_collection())
        menu.addAction(tr("New tag…"), self.add_tag)
        return menu

    def _add_colours(self, menu: QMenu, nodes: Sequence[TreeNode]) -> None:
        colours = rounded(menu.addMenu(tr("Color")))
        now = {node.colour for node in nodes}
        for key, name in (*NAMES.items(), ("", tr("No color"))):
            action = colours.addAction(
                self._dot(key), name, partial(self._colour, [node.key for node in nodes], key)
            )
            action.setCheckable(True)
            action.setChecked(now == {key})

    def _dot(self, colour: str) -> QIcon:
        picture = QPixmap(32, 32)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(shade(self._appearance.theme, colour).dot))
        painter.drawEllipse(4, 4, 24, 24)
        painter.end()
        return QIcon(picture)

    def _connect(self) -> None:
        self._work.loaded.connect(self.tree.show_tree)
        self.tree.current_changed.connect(self._pick)
        self.tree.remove_requested.connect(self._remove)
        self.tree.menu_requested.connect(self._pop_up)
        self.tree.typed.connect(self._sift_by)
        self.set_filter.textChanged.connect(lambda text: self._work.set_filter(text.strip()))
        self.model.make_requested.connect(self._make)
        self.model.rename_requested.connect(self._rename)
        self.model.papers_dropped.connect(self.put)
        self.model.collections_dropped.connect(lambda node, paths: self._move(paths, _path(node)))

    def _sift_by(self, letters: str) -> None:
        self.set_filter.setFocus()
        self.set_filter.setText(self.set_filter.text() + letters)

    def _pop_up(self, nodes: Sequence[TreeNode], place: QPoint) -> None:
        self.menu(nodes).popup(place)

    def _pick(self, nodes: Sequence[TreeNode]) -> None:
        if any(node.kind is NodeKind.duplicates for node in nodes):
            self.duplicates_requested.emit()
            return
        nodes = [node for node in nodes if node.kind is not NodeKind.draft]
        fragment, label = scope_of(nodes)
        if nodes:
            self.scope_requested.emit(fragment, label if fragment else "")

    def _make(self, below: TreeNode, name: str) -> None:
        if below.kind is NodeKind.tags:
            self._work.submit(tr("Creating a tag"), lambda editor: editor.tag([], name))
        else:
            path = "/".join(filter(None, (_path(below), name)))
            self._work.submit(
                tr("Creating a collection"), lambda editor: editor.create_collection(path)
            )

    def _rename(self, node: TreeNode, new: str) -> None:
        old = node.key
        if node.kind is NodeKind.tag:
            self._work.submit(tr("Renaming a tag"), lambda editor: editor.rename_tag(old, new))
            self._follow([node], fragment("tag", [new]), new)
        elif node.kind is NodeKind.search:
            self._work.submit(
                tr("Renaming a saved search"), lambda editor: editor.rename_search(old, new)
            )
        else:
            path = "/".join(filter(None, (parent_of(old), new)))
            self._work.submit(tr("Renaming a collection"), _move_to(old, path))
            self._follow([node], fragment("in", [path]), last_of(path))

    def _move(self, paths: Sequence[str], below: str) -> None:
        steps = [_move_to(p, "/".join(filter(None, (below, last_of(p))))) for p in paths]
        text = trn("Moved {n:,} collection", "Moved {n:,} collections", len(paths))
        shown = [node for node in self.tree.selected() if node.key in paths]
        self._work.submit(tr("Moving collections"), *steps, done=text)
        if len(shown) == 1 and shown[0].kind is NodeKind.collection:
            path = "/".join(filter(None, (below, last_of(shown[0].key))))
            self._follow(shown, fragment("in", [path]), last_of(path))

    def _colour(self, names: Sequence[str], colour: str) -> None:
        steps = [_colour_to(name, colour) for name in names]
        self._work.submit(tr("Changing tag colors"), *steps, done=tr("Changed tag colors"))

    def _remove(self, nodes: Sequence[TreeNode]) -> None:
        """Remove nodes. The papers in them stay in the library, and the removal can be undone."""
        outermost = [
            node
            for node in nodes
            if not any(node.key.startswith(f"{other.key}/") for other in nodes)
        ]
        steps = [_removal(node) for node in outermost if node.kind in MADE]
        if steps:
            count = len(steps)
            text = trn("Removed {n:,} item", "Removed {n:,} items", count)
            self._work.submit(tr("Removing items from the sidebar"), *steps, done=text)
            self._follow(nodes, "", "")

    def _export(self, nodes: Sequence[TreeNode]) -> None:
        clause, label = scope_of(nodes)
        paths = [node.key for node in nodes if node.kind is NodeKind.collection]
        self.export_requested.emit(paths if len(paths) == len(nodes) else clause, label)

    def _remove_sample(self, node: TreeNode) -> None:
        """Move the sample papers to the trash, with which earlier versions filled the library."""
        self._work.submit(
            tr("Removing the sample papers"),
            lambda editor: editor.remove_sample(node.key),
            done=tr("Moved the sample papers to the Trash"),
        )
        self._follow([node], "", "")

    def _follow(self, nodes: Sequence[TreeNode], new: str, label: str) -> None:
        """Update the page's scope after a node that it shows was renamed or removed."""
        if list(nodes) == self.tree.selected():
            self.scope_requested.emit(new, label)

    def put(self, node: TreeNode, ids: Sequence[PaperId]) -> None:
        """Handle papers dropped on a node."""
        if node.kind is NodeKind.tag:
            self._work.submit(tr("Tagging papers"), lambda editor: editor.tag(ids, node.key))
        elif node.kind is NodeKind.collection:
            self._work.submit(
                tr("Adding papers to a collection"),
                lambda editor: editor.collect(ids, node.key),
            )
        elif node.kind is NodeKind.trash:
            self._work.submit(tr("Moving papers to Trash"), lambda editor: editor.trash(ids))


def _path(node: TreeNode) -> str:
    """The path prefix below `node`: a collection's path, empty for a heading."""
    return node.key if node.kind is NodeKind.collection else ""


def _move_to(path: str, new: str) -> Step:
    return lambda editor: editor.move_collection(path, new)


def _colour_to(name: str, colour: str) -> Step:
    return lambda editor: editor.set_tag_colour(name, colour)


def _removal(node: TreeNode) -> Step:
    key = node.key
    if node.kind is NodeKind.tag:
        return lambda editor: editor.remove_tag(key)
    if node.kind is NodeKind.search:
        return lambda editor: editor.remove_search(key)
    return lambda editor: editor.remove_collection(key)
