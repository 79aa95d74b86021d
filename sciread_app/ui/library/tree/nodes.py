"""The nodes of the sidebar's tree, built from a `LibraryTree`."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import NamedTuple

from sciread_app.domain.library_tree import LibraryTree
from sciread_app.domain.query.builder import fragment
from sciread_app.domain.text.folding import fold_name
from sciread_app.language import tr


class NodeKind(enum.Enum):
    every = "every"
    unread = "unread"
    recent = "recent"
    trash = "trash"
    duplicates = "duplicates"
    problems = "problems"
    no_abstract = "no abstract"
    collections = "collections"  # the heading
    tags = "tags"
    searches = "searches"
    collection = "collection"
    tag = "tag"
    search = "search"
    hint = "hint"  # a hint in an empty group
    draft = "draft"  # a collection or tag whose name is being typed


HEADINGS = (NodeKind.collections, NodeKind.tags, NodeKind.searches)
MADE = (
    NodeKind.collection,
    NodeKind.tag,
    NodeKind.search,
)  # created by the user, who may rename and remove them
RECENT = "added:14d"
SEEN = 300  # children that a view fetches at first; it fetches more when they come near
FIXED = (
    (NodeKind.every, tr("All papers"), ""),
    (NodeKind.unread, tr("Unread"), "is:unread"),
    (NodeKind.recent, tr("Recently added"), RECENT),
    (NodeKind.duplicates, tr("Duplicates"), ""),
    (NodeKind.problems, tr("Needs attention"), "has:problems"),
    (NodeKind.no_abstract, tr("Without abstract"), "-has:abstract"),
    (NodeKind.trash, tr("Trash"), "in:trash"),
)


_WITHOUT_QUERY = (
    *HEADINGS,
    NodeKind.duplicates,
    NodeKind.hint,
)  # nodes that stand for no query


class NameEntry(NamedTuple):
    """Identifies a node across trees: its kind, and its path or name."""

    kind: NodeKind
    key: str = ""


@dataclass(eq=False, slots=True)
class TreeNode:
    """A node; `text` is displayed, and `query` is the clause of the query language it stands
    for."""

    name: NameEntry
    text: str
    query: str = ""
    count: int | None = None
    colour: str = ""
    parent: TreeNode | None = None
    row: int = 0
    children: list[TreeNode] = field(default_factory=list)
    seen: int = 0  # number of children that the view has fetched

    @property
    def kind(self) -> NodeKind:
        return self.name.kind

    @property
    def key(self) -> str:
        return self.name.key

    def add(self, node: TreeNode) -> TreeNode:
        node.parent, node.row = self, len(self.children)
        self.children.append(node)
        return node

    def walk(self) -> Iterator[TreeNode]:
        """All descendants, in display order."""
        for child in self.children:
            yield child
            yield from child.walk()


class LibraryTreeNodes:
    """All nodes of a library tree. With `filter_text`, only those created by the user whose name
    contains it. Ten thousand nodes take some tenths of a second, so the tree is built in the
    background."""

    def __init__(self, library_tree: LibraryTree, filter_text: str = "") -> None:
        self.library_tree = library_tree
        self.filter_text = filter_text
        self.root = _root(library_tree, filter_text)
        self.nodes = list(self.root.walk())
        self.names = [node.name for node in self.nodes]
        self.numbers = {name: number for number, name in enumerate(self.names)}
        self._asking = {
            node.query: node for node in reversed(self.nodes) if node.kind not in _WITHOUT_QUERY
        }
        for node in (self.root, *self.nodes):
            node.seen = min(len(node.children), SEEN)
        self.long = [node for node in self.nodes if node.seen < len(node.children)]

    def node_for(self, query: str) -> TreeNode | None:
        """Return the first node whose query is this one; None if there is none."""
        return self._asking.get(query)


def _root(library_tree: LibraryTree, filter_text: str) -> TreeNode:
    root = TreeNode(NameEntry(NodeKind.every, "root"), "")
    counts = {
        NodeKind.every: library_tree.papers,
        NodeKind.unread: library_tree.unread,
        NodeKind.duplicates: library_tree.duplicates,
        NodeKind.problems: library_tree.problems,
        NodeKind.no_abstract: library_tree.without_abstract,
        NodeKind.trash: library_tree.trash,
    }
    if not filter_text:
        for kind, text, query in FIXED:
            root.add(TreeNode(NameEntry(kind), text, query, counts.get(kind)))
    _add_collections(root, library_tree, fold_name(filter_text))
    _add_tags(root, library_tree, fold_name(filter_text))
    _add_searches(root, library_tree, fold_name(filter_text))
    return root


def parent_of(path: str) -> str:
    return path.rpartition("/")[0]


def last_of(path: str) -> str:
    return path.rpartition("/")[2]


def _add_collections(root: TreeNode, library_tree: LibraryTree, filter_text: str) -> None:
    heading = root.add(TreeNode(NameEntry(NodeKind.collections), tr("Collections")))
    known = {collection.path: collection.count for collection in library_tree.collections}
    if filter_text:
        known = _with_parents(known, filter_text)
    nodes = {"": heading}
    # Parents before their children, siblings in alphabetical order.
    for path in sorted(known, key=lambda path: [*map(fold_name, path.split("/"))]):
        above = nodes.get(parent_of(path), heading)
        node = TreeNode(
            NameEntry(NodeKind.collection, path), last_of(path), fragment("in", [path]), known[path]
        )
        nodes[path] = above.add(node)
    _or_hint(heading, tr("Select papers and press C"), filter_text)


def _with_parents(known: dict[str, int], filter_text: str) -> dict[str, int]:
    """The nodes whose own name contains the text, and all their ancestors."""
    shown: dict[str, int] = {}
    for path in known:
        if filter_text in fold_name(last_of(path)):
            at = path
            while at and at not in shown:
                shown[at] = known.get(at, 0)
                at = parent_of(at)
    return shown


def _add_tags(root: TreeNode, library_tree: LibraryTree, filter_text: str) -> None:
    heading = root.add(TreeNode(NameEntry(NodeKind.tags), tr("Tags")))
    for tag in sorted(library_tree.tags, key=lambda tag: fold_name(tag.name)):
        if filter_text in fold_name(tag.name):
            name, query = NameEntry(NodeKind.tag, tag.name), fragment("tag", [tag.name])
            heading.add(TreeNode(name, tag.name, query, tag.count, tag.colour))
    _or_hint(heading, tr("Select papers and press T"), filter_text)


def _add_searches(root: TreeNode, library_tree: LibraryTree, filter_text: str) -> None:
    heading = root.add(TreeNode(NameEntry(NodeKind.searches), tr("Saved searches")))
    for search in sorted(library_tree.searches, key=lambda search: fold_name(search.name)):
        if filter_text in fold_name(search.name):
            heading.add(
                TreeNode(NameEntry(NodeKind.search, search.name), search.name, search.query)
            )
    _or_hint(heading, tr("Run a search and press Ctrl+S"), filter_text)


def _or_hint(heading: TreeNode, hint: str, filter_text: str) -> None:
    if not heading.children:
        text = tr("No matches") if filter_text else hint
        heading.add(TreeNode(NameEntry(NodeKind.hint, heading.text), text))


def scope_of(nodes: Sequence[TreeNode]) -> tuple[str, str]:
    """The clause and the label of a selection: in one of these collections, with all of these
    tags."""
    within = [node for node in nodes if node.kind is NodeKind.collection]
    others = [node for node in nodes if node.kind is not NodeKind.collection]
    parts = [fragment("in", [node.key for node in within]), *(node.query for node in others)]
    labels = [_either([node.text for node in within]), *(node.text for node in others)]
    return " ".join(filter(None, parts)), _both(list(filter(None, labels)))


def _either(names: Sequence[str]) -> str:
    return reduce(lambda one, other: tr("{one} or {other}", one=one, other=other), names or [""])


def _both(names: Sequence[str]) -> str:
    return reduce(lambda one, other: tr("{one} and {other}", one=one, other=other), names or [""])
