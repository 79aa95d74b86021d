"""The tree of the sidebar, built of one `Shelf`."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import NamedTuple

from sciread_app.domain.fragments import fragment
from sciread_app.domain.shelf import Shelf
from sciread_app.language import tr
from sciread_app.ui.shelf.fold import folded


class Kind(enum.Enum):
    every = "every"
    unread = "unread"
    recent = "recent"
    trash = "trash"
    duplicates = "duplicates"
    collections = "collections"  # the heading
    tags = "tags"
    searches = "searches"
    collection = "collection"
    tag = "tag"
    search = "search"
    hint = "hint"  # what could stand here
    draft = "draft"  # a collection or tag that is being named


HEADINGS = (Kind.collections, Kind.tags, Kind.searches)
MADE = (Kind.collection, Kind.tag, Kind.search)  # by a person, who may rename and remove them
RECENT = "added:14d"
SEEN = 300  # children that a view is told of at first; it asks for more when it comes near
FIXED = (
    (Kind.every, tr("All papers"), ""),
    (Kind.unread, tr("Unread"), "is:unread"),
    (Kind.recent, tr("Recently added"), RECENT),
    (Kind.duplicates, tr("Duplicates"), ""),
    (Kind.trash, tr("Trash"), "in:trash"),
)


_ASKS_NOTHING = (*HEADINGS, Kind.duplicates, Kind.hint)  # what stands for no papers of a query


class Name(NamedTuple):
    """What a node is called from one shelf to the next: its kind, and its path or name."""

    kind: Kind
    key: str = ""


@dataclass(eq=False, slots=True)
class Node:
    """`text` is shown; `query` is the fragment of the query language that it stands for."""

    name: Name
    text: str
    query: str = ""
    count: int | None = None
    colour: str = ""
    parent: Node | None = None
    row: int = 0
    children: list[Node] = field(default_factory=list)
    seen: int = 0  # how many of the children a view has been told of

    @property
    def kind(self) -> Kind:
        return self.name.kind

    @property
    def key(self) -> str:
        return self.name.key

    def add(self, node: Node) -> Node:
        node.parent, node.row = self, len(self.children)
        self.children.append(node)
        return node

    def walk(self) -> Iterator[Node]:
        """All nodes below this one, from the top."""
        for child in self.children:
            yield child
            yield from child.walk()


class Tree:
    """All nodes of a shelf, from the top. With `wanted`, only those that people made and whose
    name holds it. Ten thousand take some tenths of a second, so it is grown beside the window."""

    def __init__(self, shelf: Shelf, wanted: str = "") -> None:
        self.shelf = shelf
        self.wanted = wanted
        self.root = _root(shelf, wanted)
        self.nodes = list(self.root.walk())
        self.names = [node.name for node in self.nodes]
        self.numbers = {name: number for number, name in enumerate(self.names)}
        self._asking = {
            node.query: node for node in reversed(self.nodes) if node.kind not in _ASKS_NOTHING
        }
        for node in (self.root, *self.nodes):
            node.seen = min(len(node.children), SEEN)
        self.long = [node for node in self.nodes if node.seen < len(node.children)]

    def asking(self, query: str) -> Node | None:
        """The first node that stands for this fragment."""
        return self._asking.get(query)


def _root(shelf: Shelf, wanted: str) -> Node:
    root = Node(Name(Kind.every, "root"), "")
    counts = {
        Kind.every: shelf.papers,
        Kind.unread: shelf.unread,
        Kind.duplicates: shelf.duplicates,
        Kind.trash: shelf.trash,
    }
    if not wanted:
        for kind, text, query in FIXED:
            root.add(Node(Name(kind), text, query, counts.get(kind)))
    _add_collections(root, shelf, folded(wanted))
    _add_tags(root, shelf, folded(wanted))
    _add_searches(root, shelf, folded(wanted))
    return root


def parent_of(path: str) -> str:
    return path.rpartition("/")[0]


def last_of(path: str) -> str:
    return path.rpartition("/")[2]


def _add_collections(root: Node, shelf: Shelf, wanted: str) -> None:
    heading = root.add(Node(Name(Kind.collections), tr("Collections")))
    known = {collection.path: collection.count for collection in shelf.collections}
    if wanted:
        known = _with_parents(known, wanted)
    nodes = {"": heading}
    # A parent before what is in it, and siblings as people sort them.
    for path in sorted(known, key=lambda path: [*map(folded, path.split("/"))]):
        above = nodes.get(parent_of(path), heading)
        node = Node(Name(Kind.collection, path), last_of(path), fragment("in", [path]), known[path])
        nodes[path] = above.add(node)
    _or_hint(heading, tr("Choose papers, press C"), wanted)


def _with_parents(known: dict[str, int], wanted: str) -> dict[str, int]:
    """Those whose own name holds what is wanted, and all above them."""
    shown: dict[str, int] = {}
    for path in known:
        if wanted in folded(last_of(path)):
            at = path
            while at and at not in shown:
                shown[at] = known.get(at, 0)
                at = parent_of(at)
    return shown


def _add_tags(root: Node, shelf: Shelf, wanted: str) -> None:
    heading = root.add(Node(Name(Kind.tags), tr("Tags")))
    for tag in sorted(shelf.tags, key=lambda tag: folded(tag.name)):
        if wanted in folded(tag.name):
            name, query = Name(Kind.tag, tag.name), fragment("tag", [tag.name])
            heading.add(Node(name, tag.name, query, tag.count, tag.colour))
    _or_hint(heading, tr("Choose papers, press T"), wanted)


def _add_searches(root: Node, shelf: Shelf, wanted: str) -> None:
    heading = root.add(Node(Name(Kind.searches), tr("Saved searches")))
    for search in sorted(shelf.searches, key=lambda search: folded(search.name)):
        if wanted in folded(search.name):
            heading.add(Node(Name(Kind.search, search.name), search.name, search.query))
    _or_hint(heading, tr("Search, then save it"), wanted)


def _or_hint(heading: Node, hint: str, wanted: str) -> None:
    if not heading.children:
        text = tr("None with these letters") if wanted else hint
        heading.add(Node(Name(Kind.hint, heading.text), text))


def scope_of(nodes: Sequence[Node]) -> tuple[str, str]:
    """The fragment and the label of what is chosen together: in one of these collections, with
    all of these tags."""
    within = [node for node in nodes if node.kind is Kind.collection]
    others = [node for node in nodes if node.kind is not Kind.collection]
    parts = [fragment("in", [node.key for node in within]), *(node.query for node in others)]
    labels = [_either([node.text for node in within]), *(node.text for node in others)]
    return " ".join(filter(None, parts)), _both(list(filter(None, labels)))


def _either(names: Sequence[str]) -> str:
    return reduce(lambda one, other: tr("{one} or {other}", one=one, other=other), names or [""])


def _both(names: Sequence[str]) -> str:
    return reduce(lambda one, other: tr("{one} and {other}", one=one, other=other), names or [""])
