"""The sidebar: its nodes, and their use by mouse, key, menu and drag and drop."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, QSettings, Qt
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from sciread_app.domain.library_tree import Collection, LibraryTree
from sciread_app.domain.query.parser import parse
from sciread_app.ui.library.edit_queue import EditQueue, LongEdit
from sciread_app.ui.library.tree.drag_and_drop import pack_papers, pack_paths
from sciread_app.ui.library.tree.model import LibraryTreeModel
from sciread_app.ui.library.tree.nodes import FIXED, SEEN, LibraryTreeNodes, NameEntry, NodeKind
from sciread_app.ui.library.tree.sidebar import Sidebar
from tests.support.ui.fakes.library import FakeEditor

THESIS = NameEntry(NodeKind.collection, "thesis")
OVERVIEW = NameEntry(NodeKind.collection, "Übersicht")
METHODS = NameEntry(NodeKind.collection, "thesis/methods")
TO_READ = NameEntry(NodeKind.tag, "to read")
SAVED = NameEntry(NodeKind.search, "Attention")
MOVE, COPY = Qt.DropAction.MoveAction, Qt.DropAction.CopyAction


@pytest.fixture
def editor():
    editor = FakeEditor(100)
    editor.collections = {"thesis": {1, 2, 3}, "thesis/methods": {3}, "Übersicht": set()}
    editor.tags = {"to read": {1, 2}, "important": {3}}
    editor.colours = {"important": "red"}
    editor.searches = {"Attention": "attention year:2017.."}
    return editor


@pytest.fixture
def sidebar(qtbot, jobs, appearance, editor):
    work = EditQueue(editor, jobs)
    work.changed.connect(lambda _: work.load())
    sidebar = Sidebar(work, appearance)
    sidebar.work = work
    qtbot.addWidget(sidebar)
    sidebar.resize(240, 700)
    sidebar.show()
    with qtbot.waitSignal(work.loaded):
        work.load()
    yield sidebar
    qtbot.waitUntil(lambda: not jobs.running())


def texts(sidebar, name):
    """Return the texts of the nodes directly below this heading or collection."""
    model = sidebar.model
    return [node.text for node in model.node(model.index_of(name)).children]


def click(qtbot, sidebar, name, keys=Qt.KeyboardModifier.NoModifier):
    place = sidebar.tree.visualRect(sidebar.model.index_of(name)).center()
    qtbot.mouseClick(sidebar.tree.viewport(), Qt.MouseButton.LeftButton, keys, place)


def type_name(qtbot, sidebar, name):
    editor = sidebar.tree.findChild(QLineEdit, "rename")
    editor.selectAll()
    qtbot.keyClicks(editor, name)
    qtbot.keyClick(editor, Qt.Key.Key_Return)


def menu_of(sidebar, *names):
    nodes = [sidebar.model.node(sidebar.model.index_of(name)) for name in names]
    return {a.text().split("\t")[0]: a for a in sidebar.menu(nodes).actions() if a.text()}


def test_sidebar_lists_collections_tags_and_searches(sidebar):
    assert texts(sidebar, NameEntry(NodeKind.collections)) == ["thesis", "Übersicht"]
    assert texts(sidebar, THESIS) == ["methods"]
    assert texts(sidebar, NameEntry(NodeKind.tags)) == ["important", "to read"]
    assert texts(sidebar, NameEntry(NodeKind.searches)) == ["Attention"]


def test_nodes_show_paper_counts(sidebar):
    counts = {node.text: node.count for node in sidebar.model.tree.nodes}
    assert (counts["All papers"], counts["Unread"], counts["thesis"]) == (100, 100, 3)
    assert (counts["Duplicates"], counts["Needs attention"]) == (2, 4)
    assert counts["Without abstract"] == 312
    spoken = sidebar.model.index_of(TO_READ).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "to read, 2"


@pytest.mark.parametrize(
    ("name", "fragment", "label"),
    [
        (NameEntry(NodeKind.every), "", ""),
        (NameEntry(NodeKind.unread), "is:unread", "Unread"),
        (NameEntry(NodeKind.problems), "has:problems", "Needs attention"),
        (NameEntry(NodeKind.no_abstract), "-has:abstract", "Without abstract"),
        (NameEntry(NodeKind.trash), "in:trash", "Trash"),
        (METHODS, "in:thesis/methods", "methods"),
        (TO_READ, 'tag:"to read"', "to read"),
        (SAVED, "attention year:2017..", "Attention"),
    ],
)
def test_click_requests_the_scope_of_a_node(qtbot, sidebar, name, fragment, label):
    sidebar.tree.expandAll()
    sidebar.tree.choose([])
    with qtbot.waitSignal(sidebar.scope_requested) as asked:
        click(qtbot, sidebar, name)
    assert asked.args == [fragment, label]


def test_several_tags_form_one_scope(qtbot, sidebar):
    asked = []
    sidebar.scope_requested.connect(lambda *scope: asked.append(scope))
    click(qtbot, sidebar, TO_READ)
    click(qtbot, sidebar, NameEntry(NodeKind.tag, "important"), Qt.KeyboardModifier.ControlModifier)
    assert asked[-1] == ('tag:important tag:"to read"', "important and to read")


def test_duplicates_node_opens_its_page(qtbot, sidebar):
    with qtbot.waitSignal(sidebar.duplicates_requested):
        click(qtbot, sidebar, NameEntry(NodeKind.duplicates))


def test_control_a_selects_the_papers_of_the_list_and_keeps_the_page(qtbot, sidebar):
    click(qtbot, sidebar, THESIS)
    with (
        qtbot.assertNotEmitted(sidebar.duplicates_requested),
        qtbot.waitSignal(sidebar.tree.all_papers_selected),
    ):
        qtbot.keyClick(sidebar.tree, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert [node.name for node in sidebar.tree.selected()] == [THESIS]


def test_node_is_renamed_in_place(qtbot, sidebar, editor):
    click(qtbot, sidebar, TO_READ)
    qtbot.keyClick(sidebar.tree, Qt.Key.Key_F2)
    type_name(qtbot, sidebar, "soon")
    qtbot.waitUntil(lambda: "soon" in editor.tags)
    sidebar.tree.expandAll()
    click(qtbot, sidebar, METHODS)
    qtbot.keyClick(sidebar.tree, Qt.Key.Key_F2)
    type_name(qtbot, sidebar, "ways")
    qtbot.waitUntil(lambda: "thesis/ways" in editor.collections)


def test_scope_follows_a_renamed_or_removed_node(qtbot, sidebar):
    asked = []
    click(qtbot, sidebar, TO_READ)
    sidebar.scope_requested.connect(lambda *scope: asked.append(scope))
    qtbot.keyClick(sidebar.tree, Qt.Key.Key_F2)
    type_name(qtbot, sidebar, "later on")
    qtbot.waitUntil(lambda: asked == [('tag:"later on"', "later on")])
    qtbot.waitUntil(lambda: sidebar.model.index_of(NameEntry(NodeKind.tag, "later on")).isValid())
    click(qtbot, sidebar, NameEntry(NodeKind.tag, "later on"))
    qtbot.keyClick(sidebar.tree, Qt.Key.Key_Delete)
    assert asked[-1] == ("", "")


@pytest.mark.parametrize("query", [query for _, _, query in FIXED if query])
def test_fixed_nodes_have_valid_queries(query):
    assert [condition.field for condition in parse(query).conditions] == [
        query.lstrip("-").split(":")[0]
    ]


def test_new_collection_is_named_in_place(qtbot, sidebar, editor):
    menu_of(sidebar, THESIS)["New subcollection…"].trigger()
    type_name(qtbot, sidebar, "results")
    qtbot.waitUntil(lambda: texts(sidebar, THESIS) == ["methods", "results"])
    sidebar.add_collection()
    type_name(qtbot, sidebar, "reading/this week")
    qtbot.waitUntil(lambda: "reading/this week" in editor.collections)


def test_selection_stays_while_a_draft_is_named(qtbot, sidebar, editor):
    click(qtbot, sidebar, TO_READ)
    sidebar.add_collection()
    type_name(qtbot, sidebar, "results")
    qtbot.waitUntil(lambda: "results" in texts(sidebar, NameEntry(NodeKind.collections)))
    assert [node.name for node in sidebar.tree.selected()] == [TO_READ]


def test_escape_cancels_a_new_collection(qtbot, sidebar, editor):
    sidebar.add_collection()
    qtbot.keyClick(sidebar.tree.findChild(QLineEdit, "rename"), Qt.Key.Key_Escape)
    assert texts(sidebar, NameEntry(NodeKind.collections)) == ["thesis", "Übersicht"]
    assert editor.calls == []


def test_failed_rename_restores_the_name(qtbot, sidebar, editor):
    editor.refuse = "There is such a tag."
    click(qtbot, sidebar, TO_READ)
    qtbot.keyClick(sidebar.tree, Qt.Key.Key_F2)
    with qtbot.waitSignal(sidebar.work.failed) as failed:
        type_name(qtbot, sidebar, "important")
    assert failed.args[0].message == "There is such a tag."
    qtbot.waitUntil(lambda: texts(sidebar, NameEntry(NodeKind.tags)) == ["important", "to read"])


def test_delete_removes_nodes_and_keeps_papers(qtbot, sidebar, editor):
    click(qtbot, sidebar, THESIS)
    click(qtbot, sidebar, TO_READ, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(sidebar.tree, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: texts(sidebar, NameEntry(NodeKind.tags)) == ["important"])
    assert texts(sidebar, NameEntry(NodeKind.collections)) == ["Übersicht"]
    assert editor.trashed == set()


def test_tag_colour_is_set_from_the_menu(qtbot, sidebar, editor):
    colours = menu_of(sidebar, TO_READ, NameEntry(NodeKind.tag, "important"))["Color"].menu()
    next(action for action in colours.actions() if action.text() == "Teal").trigger()
    qtbot.waitUntil(lambda: editor.colours == {"important": "teal", "to read": "teal"})
    index = sidebar.model.index_of(TO_READ)
    qtbot.waitUntil(lambda: sidebar.model.node(index).colour == "teal")


def test_collection_is_exported_by_its_path_and_a_tag_by_its_query(qtbot, sidebar):
    with qtbot.waitSignal(sidebar.export_requested) as asked:
        menu_of(sidebar, THESIS)["Export papers…"].trigger()
    assert asked.args == [["thesis"], "thesis"]
    with qtbot.waitSignal(sidebar.export_requested) as asked:
        menu_of(sidebar, TO_READ)["Export papers…"].trigger()
    assert asked.args == ['tag:"to read"', "to read"]


def test_papers_are_dropped_on_nodes(qtbot, sidebar, editor):
    for name in (METHODS, TO_READ, NameEntry(NodeKind.trash)):
        index = sidebar.model.index_of(name)
        assert sidebar.model.canDropMimeData(pack_papers([7, 8]), MOVE, -1, -1, index)
        sidebar.model.dropMimeData(pack_papers([7, 8]), MOVE, -1, -1, index)
    qtbot.waitUntil(lambda: editor.trashed == {7, 8})
    assert editor.collections["thesis/methods"] == {3, 7, 8}
    assert editor.tags["to read"] == {1, 2, 7, 8}
    unread = sidebar.model.index_of(NameEntry(NodeKind.unread))
    assert not sidebar.model.canDropMimeData(pack_papers([7]), MOVE, -1, -1, unread)


def drop(sidebar, data, name, down):
    """Drop the data on the row of this name, `down` pixels below its upper edge."""
    tree = sidebar.tree
    line = tree.visualRect(sidebar.model.index_of(name))
    place, left = QPointF(line.center().x(), line.y() + down), Qt.MouseButton.LeftButton
    for kind in (QDragEnterEvent, QDragMoveEvent):
        event = kind(place.toPoint(), COPY, data, left, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(tree.viewport(), event)
    event = QDropEvent(place, COPY, data, left, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(tree.viewport(), event)


@pytest.mark.parametrize("down", [1, 12, 22])
def test_drop_anywhere_on_a_row_hits_its_node(qtbot, sidebar, editor, down):
    drop(sidebar, pack_papers([7, 8]), TO_READ, down)
    qtbot.waitUntil(lambda: editor.tags["to read"] == {1, 2, 7, 8})
    drop(sidebar, pack_paths(["thesis"]), OVERVIEW, down)
    qtbot.waitUntil(lambda: "Übersicht/thesis" in editor.collections)
    drop(sidebar, pack_papers([7, 8]), NameEntry(NodeKind.collections), down)
    drop(sidebar, pack_papers([7, 8]), NameEntry(NodeKind.unread), down)
    assert len(editor.calls) == 2


def test_collection_is_moved_but_not_into_itself(qtbot, sidebar, editor):
    other = sidebar.model.index_of(OVERVIEW)
    sidebar.model.dropMimeData(pack_paths(["thesis", "thesis/methods"]), MOVE, -1, -1, other)
    qtbot.waitUntil(lambda: "Übersicht/thesis/methods" in editor.collections)
    inside = NameEntry(NodeKind.collection, "Übersicht/thesis/methods")
    qtbot.waitUntil(lambda: sidebar.model.index_of(inside).isValid())
    dragged = pack_paths(["Übersicht/thesis"])
    index = sidebar.model.index_of(inside)
    assert not sidebar.model.canDropMimeData(dragged, MOVE, -1, -1, index)
    top = sidebar.model.index_of(NameEntry(NodeKind.collections))
    sidebar.model.dropMimeData(dragged, MOVE, -1, -1, top)
    qtbot.waitUntil(lambda: "thesis/methods" in editor.collections)


def test_press_before_a_drag_keeps_the_selection(qtbot, sidebar, monkeypatch):
    click(qtbot, sidebar, TO_READ)
    asked, dragged = [], []
    sidebar.scope_requested.connect(lambda *scope: asked.append(scope))
    monkeypatch.setattr(
        "sciread_app.ui.library.tree.view.QTreeView.startDrag",
        lambda tree, actions: dragged.append([node.name for node in tree.selected()]),
    )
    viewport = sidebar.tree.viewport()
    place = sidebar.tree.visualRect(sidebar.model.index_of(THESIS)).center()
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, pos=place)
    assert asked == []
    sidebar.tree.startDrag(MOVE)
    assert dragged == [[THESIS]]
    assert [node.name for node in sidebar.tree.selected()] == [TO_READ]
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=place)
    assert asked == [] and [node.name for node in sidebar.tree.selected()] == [TO_READ]
    click(qtbot, sidebar, THESIS)
    assert asked == [("in:thesis", "thesis")]


def test_dragging_another_collection_keeps_the_page(qtbot, sidebar, editor, monkeypatch):
    click(qtbot, sidebar, TO_READ)
    asked = []
    sidebar.scope_requested.connect(lambda *scope: asked.append(scope))
    monkeypatch.setattr(
        "sciread_app.ui.library.tree.view.QTreeView.startDrag",
        lambda tree, actions: drop(sidebar, pack_paths(["thesis"]), OVERVIEW, 12),
    )
    viewport = sidebar.tree.viewport()
    place = sidebar.tree.visualRect(sidebar.model.index_of(THESIS)).center()
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, pos=place)
    sidebar.tree.startDrag(MOVE)
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=place)
    qtbot.waitUntil(lambda: "Übersicht/thesis" in editor.collections)
    assert asked == [] and [node.name for node in sidebar.tree.selected()] == [TO_READ]


def test_page_follows_its_moved_collection(qtbot, sidebar, editor):
    click(qtbot, sidebar, THESIS)
    with qtbot.waitSignal(sidebar.scope_requested) as asked:
        drop(sidebar, pack_paths(["thesis"]), OVERVIEW, 12)
    assert asked.args == ["in:Übersicht/thesis", "thesis"]
    qtbot.waitUntil(lambda: "Übersicht/thesis" in editor.collections)


def test_filter_keeps_matching_names(qtbot, sidebar):
    sidebar.tree.setFocus()
    qtbot.keyClicks(sidebar.tree, "ub")
    assert sidebar.set_filter.text() == "ub"
    qtbot.waitUntil(lambda: texts(sidebar, NameEntry(NodeKind.collections)) == ["Übersicht"])
    sidebar.set_filter.setText("method")
    qtbot.waitUntil(lambda: texts(sidebar, NameEntry(NodeKind.collections)) == ["thesis"])
    assert texts(sidebar, THESIS) == ["methods"]
    assert sidebar.tree.isExpanded(sidebar.model.index_of(THESIS))
    qtbot.keyClick(sidebar.set_filter, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: texts(sidebar, NameEntry(NodeKind.tags)) == ["important", "to read"])


def test_expansion_and_visibility_are_restored(qtbot, jobs, appearance, sidebar, tmp_path):
    settings = QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)
    sidebar.tree.expand(sidebar.model.index_of(THESIS))
    sidebar.tree.collapse(sidebar.model.index_of(NameEntry(NodeKind.tags)))
    sidebar.hide()
    sidebar.save(settings)
    settings.sync()
    other = Sidebar(sidebar.work, appearance)
    qtbot.addWidget(other)
    other.show()
    other.restore(QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat))
    with qtbot.waitSignal(sidebar.work.loaded):
        sidebar.work.load()
    assert other.isHidden()
    assert other.tree.isExpanded(other.model.index_of(THESIS))
    assert not other.tree.isExpanded(other.model.index_of(NameEntry(NodeKind.tags)))


def test_new_counts_keep_the_tree_state(qtbot, sidebar, editor):
    sidebar.tree.expand(sidebar.model.index_of(THESIS))
    click(qtbot, sidebar, METHODS)
    resets = []
    sidebar.model.modelReset.connect(lambda: resets.append(True))
    sidebar.work.submit("", lambda editor: editor.collect([9], "thesis/methods"))
    qtbot.waitUntil(lambda: sidebar.model.node(sidebar.model.index_of(METHODS)).count == 2)
    assert not resets
    sidebar.work.submit("", lambda editor: editor.create_collection("a"))
    qtbot.waitUntil(lambda: bool(resets))
    assert [node.name for node in sidebar.tree.selected()] == [METHODS]
    assert sidebar.tree.isExpanded(sidebar.model.index_of(THESIS))


def test_show_scope_selects_without_a_request(qtbot, sidebar):
    asked = []
    sidebar.scope_requested.connect(lambda *scope: asked.append(scope))
    sidebar.show_scope('tag:"to read"')
    assert [node.name for node in sidebar.tree.selected()] == [TO_READ]
    sidebar.show_scope("")
    assert [node.name for node in sidebar.tree.selected()] == [NameEntry(NodeKind.every)]
    sidebar.show_scope("year:1905")
    assert sidebar.tree.selected() == []
    sidebar.show_scope("")
    assert [node.name for node in sidebar.tree.selected()] == [
        NameEntry(NodeKind.every)
    ] and asked == []


def test_plus_button_starts_a_new_item(qtbot, sidebar):
    tree = sidebar.tree
    line = tree.visualRect(sidebar.model.index_of(NameEntry(NodeKind.tags)))
    plus = tree.itemDelegate().plus_place(line).center()
    qtbot.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(plus))
    type_name(qtbot, sidebar, "dataset")
    qtbot.waitUntil(lambda: "dataset" in texts(sidebar, NameEntry(NodeKind.tags)))


def test_collection_without_a_stored_parent_is_shown():
    model = LibraryTreeModel()
    model.show(LibraryTreeNodes(LibraryTree(collections=[Collection("a/b", 1)])))
    assert model.index_of(NameEntry(NodeKind.collection, "a/b")).isValid()


def test_long_tag_list_is_fetched_in_parts(qtbot, sidebar, editor):
    editor.tags = {f"tag {n:05}": set() for n in range(10_000)}
    sidebar.work.load()
    tags = sidebar.model.index_of
    qtbot.waitUntil(lambda: sidebar.model.rowCount(tags(NameEntry(NodeKind.tags))) == SEEN)
    bar = sidebar.tree.verticalScrollBar()
    assert not tags(NameEntry(NodeKind.tag, f"tag {SEEN:05}")).isValid()
    bar.setValue(bar.maximum())
    assert tags(NameEntry(NodeKind.tag, f"tag {SEEN:05}")).isValid()
    sidebar.tree.choose([NameEntry(NodeKind.tag, "tag 00001")])
    sidebar.set_filter.setText("09999")
    qtbot.waitUntil(lambda: texts(sidebar, NameEntry(NodeKind.tags)) == ["tag 09999"])


def test_cancelled_edit_does_not_block_queued_edits(qtbot, sidebar):
    messages = []
    sidebar.work.done.connect(lambda done: messages.append(done.what))

    def stop(editor, task):
        task.cancel()
        task.step(1, 2)

    sidebar.work.submit("Edited paper", LongEdit(stop))
    sidebar.work.submit("Tagged papers", lambda editor: editor.tag([9], "later"))
    qtbot.waitUntil(lambda: len(messages) == 2)
    assert messages[0].startswith("Stopped") and "later" in messages[1]


def test_sample_papers_are_moved_to_the_trash(qtbot, sidebar, editor):
    editor.collections["Sample library"] = {5, 6}
    sample = NameEntry(NodeKind.collection, "Sample library")
    sidebar.work.load()
    qtbot.waitUntil(lambda: sidebar.model.index_of(sample).isValid())
    assert "Remove sample papers" not in menu_of(sidebar, THESIS)
    menu_of(sidebar, sample)["Remove sample papers"].trigger()
    qtbot.waitUntil(lambda: editor.trashed == {5, 6})
    assert "Sample library" not in editor.collections
