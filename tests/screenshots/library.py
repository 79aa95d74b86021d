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
    shelving, organise = window.shelving, window.gateway.organise
    ids = list(window.page.view.listing.ids)
    for number, path in enumerate(COLLECTIONS):
        organise.collect(ids[number * 7 : number * 9 + 5], path)
    for number, (name, colour) in enumerate(TAGS):
        organise.tag(ids[number : 30 - 3 * number : 2], name)
        organise.set_tag_colour(name, colour)
    organise.save_search("Attention since 2017", "attention year:2017..")
    organise.mark_read(ids[3:20], True)
    organise.rate(ids[1:6], 4)
    organise.trash(ids[-3:])
    shelving.work.changed.emit(LibraryChanges(papers=True))
    wait(lambda: bool(shelving.work.shelf.tags))
    shelving.sidebar.tree.expand(
        shelving.sidebar.model.index_of(NameEntry(NodeKind.collection, "Thesis"))
    )


def chosen(window: MainWindow) -> None:
    _choose_some(window)
    window.shelving.notice.show_message("Added tag “to read” to 5 papers", lambda: None)


def tagging(window: MainWindow) -> None:
    _choose_some(window)
    window.shelving.notice.hide()
    window.shelving.choose_tag()


def editing(window: MainWindow) -> None:
    """Edit one record, two fields of which were changed manually before."""
    window.page.result_list.go_to(1)
    ids = window.page.result_list.chosen()
    window.gateway.organise.edit(ids, venue="Journal of Verbal Learning and Verbal Behavior")
    window.shelving.edit()
    wait(lambda: any(one.isVisible() for one in window.findChildren(EditDialog)))


def editing_many(window: MainWindow) -> None:
    _choose_some(window)
    window.shelving.edit()
    (dialog,) = window.findChildren(BulkEditDialog)
    dialog.fields["venue"].setText("Nature")
    dialog.ticks["venue"].setChecked(True)


def trash(window: MainWindow) -> None:
    window.page.set_scope("in:trash", "Trash")
    wait(lambda: window.shelving.in_trash)
    window.page.result_list.go_to(0)
    window.shelving.delete_permanently()


def _choose_some(window: MainWindow) -> None:
    hits = window.page.result_list
    hits.go_to(0)
    hits.choose(list(window.page.view.listing.ids)[:5])


SCENES = (
    Scene("shelf", fill, EVERYWHERE),
    Scene("shelf-chosen", chosen, EVERYWHERE),
    Scene("shelf-tagging", tagging),
    Scene("shelf-edit", editing, EVERYWHERE),
    Scene("shelf-edit-many", editing_many),
    Scene("shelf-trash", trash),
)
