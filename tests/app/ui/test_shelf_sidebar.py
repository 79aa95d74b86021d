"""The sidebar: what stands in it, and what is done to it by mouse, key and menu."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, QSettings, Qt
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from sciread_app.domain.query import parse
from sciread_app.domain.shelf import Collection, Shelf
from sciread_app.ui.shelf.model import ShelfModel
from sciread_app.ui.shelf.nodes import FIXED, SEEN, Kind, Name, Tree
from sciread_app.ui.shelf.parcels import pack_papers, pack_paths
from sciread_app.ui.shelf.sidebar import Sidebar
from sciread_app.ui.shelf.work import Long, ShelfWork
from tests.app.ui.fake_organise import FakeOrganise

THESIS = Name(Kind.collection, "thesis")
METHODS = Name(Kind.collection, "thesis/methods")
TO_READ = Name(Kind.tag, "to read")
SAVED = Name(Kind.search, "Attention")
MOVE, COPY = Qt.DropAction.MoveAction, Qt.DropAction.CopyAction


@pytest.fixture
def organise():
    organise = FakeOrganise(100)
    organise.collections = {"thesis": {1, 2, 3}, "thesis/methods": {3}, "Übersicht": set()}
    organise.tags = {"to read": {1, 2}, "important": {3}}
    organise.colours = {"important": "red"}
    organise.searches = {"Attention": "attention year:2017.."}
    return organise


@pytest.fixture
def sidebar(qtbot, jobs, appearance, organise):
    work = ShelfWork(organise, jobs)
    work.changed.connect(lambda _: work.load())
    sidebar = Sidebar(work, appearance)
    sidebar.work = work
    qtbot.addWidget(sidebar)
    sidebar.resize(240, 700)
    sidebar.show()
    with qtbot.waitSignal(work.came):
        work.load()
    yield sidebar
    qtbot.waitUntil(lambda: not jobs.running())


def texts(sidebar, name):
    """What stands directly below this heading or collection."""
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


def test_collections_stand_as_a_tree_beside_tags_and_saved_searches(sidebar):
    assert texts(sidebar, Name(Kind.collections)) == ["thesis", "Übersicht"]
    assert texts(sidebar, THESIS) == ["methods"]
    assert texts(sidebar, Name(Kind.tags)) == ["important", "to read"]
    assert texts(sidebar, Name(Kind.searches)) == ["Attention"]


def test_each_line_says_how_many_papers_there_are(sidebar):
    counts = {node.text: node.count for node in sidebar.model.tree.nodes}
    assert (counts["All papers"], counts["Unread"], counts["thesis"]) == (100, 100, 3)
    spoken = sidebar.model.index_of(TO_READ).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "to read, 2"


@pytest.mark.parametrize(
    ("name", "fragment", "label"),
    [
        (Name(Kind.every), "", ""),
        (Name(Kind.unread), "is:unread", "Unread"),
        (Name(Kind.trash), "in:trash", "Trash"),
        (METHODS, "in:thesis/methods", "methods"),
        (TO_READ, 'tag:"to read"', "to read"),
        (SAVED, "attention year:2017..", "Attention"),
    ],
)
def test_a_click_asks_for_the_papers_of_a_line(qtbot, sidebar, name, fragment, label):
    sidebar.tree.expandAll()
    sidebar.tree.choose([])
    with qtbot.waitSignal(sidebar.scope_wanted) as asked:
        click(qtbot, sidebar, name)
    assert asked.args == [fragment, label]


def test_several_tags_are_asked_for_together(qtbot, sidebar):
    asked = []
    sidebar.scope_wanted.connect(lambda *scope: asked.append(scope))
    click(qtbot, sidebar, TO_READ)
    click(qtbot, sidebar, Name(Kind.tag, "important"), Qt.KeyboardModifier.ControlModifier)
    assert asked[-1] == ('tag:important tag:"to read"', "important and to read")


def test_duplicates_have_a_page_of_their_own(qtbot, sidebar):
    with qtbot.waitSignal(sidebar.duplicates_wanted):
        click(qtbot, sidebar, Name(Kind.duplicates))


def test_a_line_is_renamed_in_place(qtbot, sidebar, organise):
    click(qtbot, sidebar, TO_READ)
    qtbot.keyClick(sidebar.tree, Qt.Key.Key_F2)
    type_name(qtbot, sidebar, "soon")
    qtbot.waitUntil(lambda: "soon" in organise.tags)
    sidebar.tree.expandAll()
    click(qtbot, sidebar, METHODS)
    qtbot.keyClick(sidebar.tree, Qt.Key.Key_F2)
    type_name(qtbot, sidebar, "ways")
    qtbot.waitUntil(lambda: "thesis/ways" in organise.collections)


def test_the_page_goes_along_with_what_is_renamed_or_removed(qtbot, sidebar):
    asked = []
    click(qtbot, sidebar, TO_READ)
    sidebar.scope_wanted.connect(lambda *scope: asked.append(scope))
    qtbot.keyClick(sidebar.tree, Qt.Key.Key_F2)
    type_name(qtbot, sidebar, "later on")
    qtbot.waitUntil(lambda: asked == [('tag:"later on"', "later on")])
    qtbot.waitUntil(lambda: sidebar.model.index_of(Name(Kind.tag, "later on")).isValid())
    click(qtbot, sidebar, Name(Kind.tag, "later on"))
    qtbot.keyClick(sidebar.tree, Qt.Key.Key_Delete)
    assert asked[-1] == ("", "")


@pytest.mark.parametrize("query", [query for _, _, query in FIXED if query])
def test_what_always_stands_there_is_understood_by_the_search(query):
    assert [condition.field for condition in parse(query).conditions] == [query.split(":")[0]]


def test_a_new_collection_is_named_where_it_will_stand(qtbot, sidebar, organise):
    menu_of(sidebar, THESIS)["New collection in it…"].trigger()
    type_name(qtbot, sidebar, "results")
    qtbot.waitUntil(lambda: texts(sidebar, THESIS) == ["methods", "results"])
    sidebar.add_collection()
    type_name(qtbot, sidebar, "reading/this week")
    qtbot.waitUntil(lambda: "reading/this week" in organise.collections)


def test_escape_makes_no_collection(qtbot, sidebar, organise):
    sidebar.add_collection()
    qtbot.keyClick(sidebar.tree.findChild(QLineEdit, "rename"), Qt.Key.Key_Escape)
    assert texts(sidebar, Name(Kind.collections)) == ["thesis", "Übersicht"]
    assert organise.asked == []


def test_what_could_not_be_renamed_is_called_as_before(qtbot, sidebar, organise):
    organise.refuse = "There is such a tag."
    click(qtbot, sidebar, TO_READ)
    qtbot.keyClick(sidebar.tree, Qt.Key.Key_F2)
    with qtbot.waitSignal(sidebar.work.failed) as failed:
        type_name(qtbot, sidebar, "important")
    assert failed.args[0].message == "There is such a tag."
    qtbot.waitUntil(lambda: texts(sidebar, Name(Kind.tags)) == ["important", "to read"])


def test_delete_removes_what_is_chosen_and_its_papers_stay(qtbot, sidebar, organise):
    click(qtbot, sidebar, THESIS)
    click(qtbot, sidebar, TO_READ, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(sidebar.tree, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: texts(sidebar, Name(Kind.tags)) == ["important"])
    assert texts(sidebar, Name(Kind.collections)) == ["Übersicht"]
    assert organise.trashed == set()


def test_tags_are_coloured_from_their_menu(qtbot, sidebar, organise):
    colours = menu_of(sidebar, TO_READ, Name(Kind.tag, "important"))["Colour"].menu()
    next(action for action in colours.actions() if action.text() == "Teal").trigger()
    qtbot.waitUntil(lambda: organise.colours == {"important": "teal", "to read": "teal"})
    index = sidebar.model.index_of(TO_READ)
    qtbot.waitUntil(lambda: sidebar.model.node(index).colour == "teal")


def test_a_collection_is_exported_by_what_it_stands_for(qtbot, sidebar):
    with qtbot.waitSignal(sidebar.export_wanted) as asked:
        menu_of(sidebar, THESIS)["Export these papers…"].trigger()
    assert asked.args == ["in:thesis", "thesis"]


def test_papers_are_dropped_on_collections_tags_and_the_trash(qtbot, sidebar, organise):
    for name in (METHODS, TO_READ, Name(Kind.trash)):
        index = sidebar.model.index_of(name)
        assert sidebar.model.canDropMimeData(pack_papers([7, 8]), MOVE, -1, -1, index)
        sidebar.model.dropMimeData(pack_papers([7, 8]), MOVE, -1, -1, index)
    qtbot.waitUntil(lambda: organise.trashed == {7, 8})
    assert organise.collections["thesis/methods"] == {3, 7, 8}
    assert organise.tags["to read"] == {1, 2, 7, 8}
    unread = sidebar.model.index_of(Name(Kind.unread))
    assert not sidebar.model.canDropMimeData(pack_papers([7]), MOVE, -1, -1, unread)


def drop(sidebar, data, name, down):
    """Let go over the line of this name, so many pixels below its upper edge."""
    tree = sidebar.tree
    line = tree.visualRect(sidebar.model.index_of(name))
    place, left = QPointF(line.center().x(), line.y() + down), Qt.MouseButton.LeftButton
    for kind in (QDragEnterEvent, QDragMoveEvent):
        event = kind(place.toPoint(), COPY, data, left, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(tree.viewport(), event)
    event = QDropEvent(place, COPY, data, left, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(tree.viewport(), event)


@pytest.mark.parametrize("down", [1, 12, 22])
def test_wherever_on_a_line_papers_are_let_go_they_fall_onto_it(qtbot, sidebar, organise, down):
    drop(sidebar, pack_papers([7, 8]), TO_READ, down)
    qtbot.waitUntil(lambda: organise.tags["to read"] == {1, 2, 7, 8})
    drop(sidebar, pack_paths(["thesis"]), Name(Kind.collection, "Übersicht"), down)
    qtbot.waitUntil(lambda: "Übersicht/thesis" in organise.collections)
    drop(sidebar, pack_papers([7, 8]), Name(Kind.collections), down)
    drop(sidebar, pack_papers([7, 8]), Name(Kind.unread), down)
    assert len(organise.asked) == 2


def test_collections_are_dropped_on_each_other_but_not_into_themselves(qtbot, sidebar, organise):
    other = sidebar.model.index_of(Name(Kind.collection, "Übersicht"))
    sidebar.model.dropMimeData(pack_paths(["thesis", "thesis/methods"]), MOVE, -1, -1, other)
    qtbot.waitUntil(lambda: "Übersicht/thesis/methods" in organise.collections)
    inside = Name(Kind.collection, "Übersicht/thesis/methods")
    qtbot.waitUntil(lambda: sidebar.model.index_of(inside).isValid())
    dragged = pack_paths(["Übersicht/thesis"])
    index = sidebar.model.index_of(inside)
    assert not sidebar.model.canDropMimeData(dragged, MOVE, -1, -1, index)
    top = sidebar.model.index_of(Name(Kind.collections))
    sidebar.model.dropMimeData(dragged, MOVE, -1, -1, top)
    qtbot.waitUntil(lambda: "thesis/methods" in organise.collections)


def test_pressing_to_drag_shows_nothing_and_what_was_chosen_stays_so(qtbot, sidebar, monkeypatch):
    click(qtbot, sidebar, TO_READ)
    asked, dragged = [], []
    sidebar.scope_wanted.connect(lambda *scope: asked.append(scope))
    monkeypatch.setattr(
        "sciread_app.ui.shelf.tree.QTreeView.startDrag",
        lambda tree, actions: dragged.append([node.name for node in tree.chosen()]),
    )
    viewport = sidebar.tree.viewport()
    place = sidebar.tree.visualRect(sidebar.model.index_of(THESIS)).center()
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, pos=place)
    assert asked == []
    sidebar.tree.startDrag(MOVE)
    assert dragged == [[THESIS]]
    assert [node.name for node in sidebar.tree.chosen()] == [TO_READ]
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=place)
    assert asked == [] and [node.name for node in sidebar.tree.chosen()] == [TO_READ]
    click(qtbot, sidebar, THESIS)
    assert asked == [("in:thesis", "thesis")]


def test_the_page_follows_the_collection_it_shows_when_that_is_moved(qtbot, sidebar, organise):
    click(qtbot, sidebar, THESIS)
    with qtbot.waitSignal(sidebar.scope_wanted) as asked:
        drop(sidebar, pack_paths(["thesis"]), Name(Kind.collection, "Übersicht"), 12)
    assert asked.args == ["in:Übersicht/thesis", "thesis"]
    qtbot.waitUntil(lambda: "Übersicht/thesis" in organise.collections)


def test_letters_leave_only_the_names_that_hold_them(qtbot, sidebar):
    sidebar.tree.setFocus()
    qtbot.keyClicks(sidebar.tree, "ub")
    assert sidebar.sift.text() == "ub"
    qtbot.waitUntil(lambda: texts(sidebar, Name(Kind.collections)) == ["Übersicht"])
    sidebar.sift.setText("method")
    qtbot.waitUntil(lambda: texts(sidebar, Name(Kind.collections)) == ["thesis"])
    assert texts(sidebar, THESIS) == ["methods"]
    assert sidebar.tree.isExpanded(sidebar.model.index_of(THESIS))
    qtbot.keyClick(sidebar.sift, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: texts(sidebar, Name(Kind.tags)) == ["important", "to read"])


def test_what_is_unfolded_chosen_and_hidden_is_remembered(
    qtbot, jobs, appearance, sidebar, tmp_path
):
    settings = QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)
    sidebar.tree.expand(sidebar.model.index_of(THESIS))
    sidebar.tree.collapse(sidebar.model.index_of(Name(Kind.tags)))
    sidebar.hide()
    sidebar.save(settings)
    settings.sync()
    other = Sidebar(sidebar.work, appearance)
    qtbot.addWidget(other)
    other.show()
    other.restore(QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat))
    with qtbot.waitSignal(sidebar.work.came):
        sidebar.work.load()
    assert other.isHidden()
    assert other.tree.isExpanded(other.model.index_of(THESIS))
    assert not other.tree.isExpanded(other.model.index_of(Name(Kind.tags)))


def test_new_counts_leave_the_tree_as_it_was(qtbot, sidebar, organise):
    sidebar.tree.expand(sidebar.model.index_of(THESIS))
    click(qtbot, sidebar, METHODS)
    resets = []
    sidebar.model.modelReset.connect(lambda: resets.append(True))
    sidebar.work.do("", lambda organise: organise.collect([9], "thesis/methods"))
    qtbot.waitUntil(lambda: sidebar.model.node(sidebar.model.index_of(METHODS)).count == 2)
    assert not resets
    sidebar.work.do("", lambda organise: organise.make_collection("a"))
    qtbot.waitUntil(lambda: bool(resets))
    assert [node.name for node in sidebar.tree.chosen()] == [METHODS]
    assert sidebar.tree.isExpanded(sidebar.model.index_of(THESIS))


def test_what_the_page_shows_is_marked_and_nothing_asked(qtbot, sidebar):
    asked = []
    sidebar.scope_wanted.connect(lambda *scope: asked.append(scope))
    sidebar.show_scope('tag:"to read"')
    assert [node.name for node in sidebar.tree.chosen()] == [TO_READ]
    sidebar.show_scope("")
    assert [node.name for node in sidebar.tree.chosen()] == [Name(Kind.every)]
    sidebar.show_scope("year:1905")
    assert sidebar.tree.chosen() == [] and asked == []


def test_the_plus_beside_a_heading_begins_something_new(qtbot, sidebar):
    tree = sidebar.tree
    line = tree.visualRect(sidebar.model.index_of(Name(Kind.tags)))
    plus = tree.itemDelegate().plus_place(line).center()
    qtbot.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(plus))
    type_name(qtbot, sidebar, "dataset")
    qtbot.waitUntil(lambda: "dataset" in texts(sidebar, Name(Kind.tags)))


def test_a_collection_stands_there_even_if_the_one_above_is_not_named():
    model = ShelfModel()
    model.show(Tree(Shelf(collections=[Collection("a/b", 1)])))
    assert model.index_of(Name(Kind.collection, "a/b")).isValid()


def test_of_ten_thousand_tags_the_view_learns_those_that_it_comes_near(qtbot, sidebar, organise):
    organise.tags = {f"tag {n:05}": set() for n in range(10_000)}
    sidebar.work.load()
    tags = sidebar.model.index_of
    qtbot.waitUntil(lambda: sidebar.model.rowCount(tags(Name(Kind.tags))) == SEEN)
    bar = sidebar.tree.verticalScrollBar()
    assert not tags(Name(Kind.tag, f"tag {SEEN:05}")).isValid()
    bar.setValue(bar.maximum())
    assert tags(Name(Kind.tag, f"tag {SEEN:05}")).isValid()
    sidebar.tree.choose([Name(Kind.tag, "tag 00001")])
    sidebar.sift.setText("09999")
    qtbot.waitUntil(lambda: texts(sidebar, Name(Kind.tags)) == ["tag 09999"])


def test_what_is_stopped_on_its_way_does_not_hold_up_what_waits_behind_it(qtbot, sidebar):
    said = []
    sidebar.work.done.connect(lambda done: said.append(done.what))

    def stop(organise, task):
        task.cancel()
        task.step(1, 2)

    sidebar.work.do("Changed", Long(stop))
    sidebar.work.do("Tagged", lambda organise: organise.tag([9], "later"))
    qtbot.waitUntil(lambda: len(said) == 2)
    assert said[0].startswith("Stopped") and "later" in said[1]
