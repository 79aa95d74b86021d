"""Screenshots of the sidebar, and of commands on selected papers."""

from __future__ import annotations

from sciread_app.domain.paper import LibraryChanges
from sciread_app.ui.library.edit_dialog import BulkEditDialog, EditDialog
from sciread_app.ui.library.tree.nodes import NameEntry, NodeKind
from sciread_app.ui.shell.main_window import MainWindow
from tests.screenshots.scene import EVERYWHERE, Scene, wait

COLLECTIONS = (
    "Thesis/Chapter 2: how machines learn from what they have done",
    "Thesis/Methods",
    "Thesis/Methods/Graph neural networks",
    "Reading group",
    "Übersichten",
    "مراجعة",
)
TAGS = (
    ("to read", "red"),
    ("important", "orange"),
    ("methods", "green"),
    ("data set", "blue"),
    ("cite this", "purple"),
    ("no color", ""),
)


def fill(window: MainWindow) -> None:
    """Put papers of the sample library into collections, with tags, ratings and a search."""
    window.go_to("search")
    window.page.set_scope("")
    wait(lambda: not window.page.view.query)
    library_controller, editor = window.library_controller, window.gateway.workspace.editor
    ids = list(window.page.view.listing.ids)
    for number, path in enumerate(COLLECTIONS):
        editor.collect(ids[number * 7 : number * 9 + 5], path)
    for number, (name, colour) in enumerate(TAGS):
        editor.tag(ids[number : 30 - 3 * number : 2], name)
        editor.set_tag_colour(name, colour)
    editor.save_search("Attention since 2017", "attention year:2017..")
    editor.mark_read(ids[3:20], True)
    editor.rate(ids[1:6], 4)
    editor.trash(ids[-3:])
    library_controller.work.changed.emit(LibraryChanges(papers=True))
    wait(lambda: bool(library_controller.work.library_tree.tags))
    library_controller.sidebar.tree.expand(
        library_controller.sidebar.model.index_of(NameEntry(NodeKind.collection, "Thesis"))
    )


def selected(window: MainWindow) -> None:
    _choose_some(window)
    window.library_controller.notice.show_message("Added tag “to read” to 5 papers", lambda: None)


def tagging(window: MainWindow) -> None:
    _choose_some(window)
    window.library_controller.notice.hide()
    window.library_controller.choose_tag()


def editing(window: MainWindow) -> None:
    """Edit one record, two fields of which were changed manually before."""
    window.page.result_list.go_to(1)
    ids = window.page.result_list.selected()
    window.gateway.workspace.editor.edit(
        ids, venue="Journal of Verbal Learning and Verbal Behavior"
    )
    window.library_controller.edit()
    wait(lambda: any(one.isVisible() for one in window.findChildren(EditDialog)))


def editing_many(window: MainWindow) -> None:
    _choose_some(window)
    window.library_controller.edit()
    (dialog,) = window.findChildren(BulkEditDialog)
    dialog.fields["venue"].setText("Nature")
    dialog.ticks["venue"].setChecked(True)


def trash(window: MainWindow) -> None:
    window.page.set_scope("in:trash", "Trash")
    wait(lambda: window.library_controller.in_trash)
    window.page.result_list.go_to(0)
    window.library_controller.delete_permanently()


def _choose_some(window: MainWindow) -> None:
    hits = window.page.result_list
    hits.go_to(0)
    hits.choose(list(window.page.view.listing.ids)[:5])


SCENES = (
    Scene("shelf", fill, EVERYWHERE),
    Scene("shelf-chosen", selected, EVERYWHERE),
    Scene("shelf-tagging", tagging),
    Scene("shelf-edit", editing, EVERYWHERE),
    Scene("shelf-edit-many", editing_many),
    Scene("shelf-trash", trash),
)
