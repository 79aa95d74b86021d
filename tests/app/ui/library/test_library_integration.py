"""Papers are filed, filtered, edited, trashed and restored by keyboard in a real library."""

from __future__ import annotations

import threading
from contextlib import closing

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QMessageBox

from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from sciread_app.ui.jobs.runner import JobQueue
from sciread_app.ui.library.edit_dialog import EditDialog
from sciread_app.ui.library.picker_popup import PickerPopup
from sciread_app.ui.library.tree.nodes import NameEntry, NodeKind
from sciread_app.ui.shell.gateway import WindowGateway
from sciread_app.ui.shell.library_watcher import LibraryWatcher
from sciread_app.ui.shell.main_window import MainWindow
from tests.support.generate.book import make_book
from tests.support.generate.papers import paper

Key, Control = Qt.Key, Qt.KeyboardModifier.ControlModifier
ENTRY = "@article{{p{0}, title = {{Bees of kind {0}}}, author = {{Curie, Marie}}, year = 190{0}}}\n"


@pytest.fixture
def gateway(real_gateway, tmp_path) -> WindowGateway:
    """Return the gateway of a library with six papers and no model."""
    file = tmp_path / "bees.bib"
    file.write_text("".join(ENTRY.format(n) for n in range(1, 7)), "utf-8")
    real_gateway.workspace.import_files([file], Task())
    return real_gateway


@pytest.fixture
def window(qtbot, show_window, gateway) -> MainWindow:
    window = show_window(gateway)
    qtbot.waitUntil(lambda: window.page.model.rowCount() == 6)
    window.activateWindow()
    return window


def test_papers_are_organised_edited_and_trashed_by_keyboard(qtbot, window, gateway, jobs):
    hits, library_controller, tree = (
        window.page.result_list,
        window.library_controller,
        window.library_controller.sidebar.tree,
    )

    def press(key, keys=Qt.KeyboardModifier.NoModifier):
        qtbot.keyClick(QApplication.focusWidget(), key, keys)

    def into_list():
        window.activateWindow()  # a popup took the keyboard focus and offscreen keeps it
        hits.setFocus()
        qtbot.waitUntil(hits.hasFocus)

    def settled():
        qtbot.waitUntil(lambda: not jobs.running())

    # Two papers into a new collection, all of them under a new tag.
    into_list()
    press(Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    press(Key.Key_C)
    chooser = next(c for c in window.findChildren(PickerPopup) if c.isVisible())
    qtbot.keyClicks(chooser.line, "thesis/bees")
    qtbot.keyClick(chooser.line, Key.Key_Return)
    settled()
    into_list()
    press(Key.Key_A, Control)
    press(Key.Key_T)
    chooser = next(c for c in window.findChildren(PickerPopup) if c.isVisible())
    qtbot.keyClicks(chooser.line, "to read")
    qtbot.keyClick(chooser.line, Key.Key_Return)
    settled()
    library_tree = gateway.workspace.editor.library_tree()
    assert [(one.path, one.count) for one in library_tree.collections] == [
        ("thesis", 2),
        ("thesis/bees", 2),
    ]
    assert [(tag.name, tag.count) for tag in library_tree.tags] == [("to read", 6)]

    # Go to the collection in the sidebar, and rename it there.
    press(Key.Key_B, Control | Qt.KeyboardModifier.ShiftModifier)
    assert tree.hasFocus()
    qtbot.keyClicks(tree, "bees")
    settled()
    qtbot.keyClick(library_controller.sidebar.set_filter, Key.Key_Down)
    tree.choose([NameEntry(NodeKind.collection, "thesis/bees")])
    press(Key.Key_Return)
    qtbot.waitUntil(lambda: window.page.model.rowCount() == 2)
    press(Key.Key_F2)
    editor = tree.findChild(QLineEdit, "rename")
    editor.setText("honey")
    qtbot.keyClick(editor, Key.Key_Return)
    qtbot.waitUntil(
        lambda: gateway.workspace.editor.library_tree().collections[1].path == "thesis/honey"
    )
    settled()

    # Edit a field of the first paper, which is marked from then on.
    window.page.set_scope("")
    qtbot.waitUntil(lambda: window.page.model.rowCount() == 6)
    into_list()
    hits.go_to(0)
    (first,) = hits.selected()
    for marked in ({}, {"venue"}):
        press(Key.Key_E)
        qtbot.waitUntil(lambda: any(d.isVisible() for d in window.findChildren(EditDialog)))
        dialog = next(d for d in window.findChildren(EditDialog) if d.isVisible())
        assert set(dialog.marks) == set(marked)
        dialog.fields["venue"].setText("Annalen der Physik")
        dialog.save()
        settled()
        into_list()
    assert gateway.card_loader.cards([first])[0].paper.venue == "Annalen der Physik"

    # Trash a paper, undo, trash it again, then delete it permanently after a question.
    press(Key.Key_Delete)
    qtbot.waitUntil(lambda: window.page.model.rowCount() == 5)
    settled()
    press(Key.Key_Z, Control)
    qtbot.waitUntil(lambda: window.page.model.rowCount() == 6)
    settled()
    hits.go_to(0)
    press(Key.Key_Delete)
    settled()
    window.page.set_scope("in:trash", "Trash")
    qtbot.waitUntil(lambda: library_controller.in_trash and window.page.model.rowCount() == 1)
    into_list()
    press(Key.Key_Delete)
    (box,) = window.findChildren(QMessageBox)
    assert box.text() == "Permanently delete 1 paper?"
    next(button for button in box.buttons() if button.text() == "Delete permanently").click()
    qtbot.waitUntil(lambda: gateway.workspace.editor.library_tree().trash == 0)
    assert (
        gateway.workspace.editor.library_tree().papers == 5
        and gateway.card_loader.cards([first]) == []
    )
    settled()


def test_pdfs_are_moved_to_the_folder_reported_and_moved_back(
    qtbot, window, gateway, jobs, tmp_path
):
    inbox, store = tmp_path / "inbox", tmp_path / "pdfs"
    inbox.mkdir()
    store.mkdir()
    files = [inbox / "1.pdf", inbox / "2.pdf"]
    for id, file in enumerate(files, 1):
        file.write_bytes(make_book(1))
        gateway.about.attach(id, file, Task())
    files[1].unlink()
    library_controller, actions = window.library_controller, window.actions_by_name

    def run(name):
        library_controller.choose_all()
        actions[name].trigger()
        qtbot.waitUntil(lambda: not jobs.running())

    run("move pdfs")
    assert "PDF folder" in window.messages.message.text() and files[0].exists()
    window.messages.close_message()
    gateway.workspace.change(pdf_folder=str(store))
    run("move pdfs")
    assert [file.name for file in store.iterdir()] == ["Curie - 1901 - Bees of kind 1.pdf"]
    assert not files[0].exists() and "2.pdf" in window.messages.hint.text()
    window.library_controller.work.undo()
    qtbot.waitUntil(lambda: not jobs.running() and files[0].exists())
    assert list(store.iterdir()) == []
    run("rename pdfs")
    assert [file.name for file in inbox.iterdir()] == ["Curie - 1901 - Bees of kind 1.pdf"]


def test_missing_pdfs_are_looked_for_and_papers_without_any_are_named(
    qtbot, window, gateway, jobs, tmp_path
):
    window.library_controller.choose_all()
    find = window.actions_by_name["find pdfs"]
    find.trigger()  # there is no PDF folder yet
    qtbot.waitUntil(lambda: not jobs.running())
    assert "PDF folder" in window.messages.message.text()
    window.messages.close_message()
    gateway.workspace.change(pdf_folder=str(tmp_path))
    window.library_controller.choose_all()
    find.trigger()  # no paper has an identifier, so no service is asked
    qtbot.waitUntil(lambda: not jobs.running())
    assert "Bees of kind" in window.messages.hint.text()


def test_attached_pdf_is_moved_if_settings_say_so(gateway, tmp_path):
    (tmp_path / "pdfs").mkdir()
    gateway.workspace.change(pdf_folder=str(tmp_path / "pdfs"), pdf_import="move")
    (tmp_path / "new.pdf").write_bytes(make_book(1))
    gateway.about.attach(1, tmp_path / "new.pdf", Task())
    assert [file.name for file in (tmp_path / "pdfs").iterdir()] == [
        "Curie - 1901 - Bees of kind 1.pdf"
    ]
    assert not (tmp_path / "new.pdf").exists()


def test_export_distinguishes_collections_whose_names_are_alike_in_a_query(
    qtbot, window, gateway, monkeypatch, tmp_path
):
    collections = gateway.workspace.library.collections
    collections.add([1], 'the "best" papers')
    collections.add([2], "the best papers")
    collections.add([3], "The Best Papers")
    file = tmp_path / "best.bib"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(file), "BibTeX (*.bib)"))
    window.exports.export_found(['the "best" papers', "The Best Papers"], "best")
    qtbot.waitUntil(lambda: "2 papers" in window.messages.message.text())
    titles = [n for n in range(1, 7) if f"Bees of kind {n}" in file.read_text("utf-8")]
    assert titles == [1, 3]


def test_collection_and_papers_of_another_program_appear(qtbot, window, gateway, jobs):
    qtbot.waitUntil(lambda: window.findChild(LibraryWatcher) is not None)
    watcher, tree = window.findChild(LibraryWatcher), window.library_controller.work

    def look():
        watcher.look()
        qtbot.waitUntil(lambda: not jobs.running())

    look()
    with closing(Library(gateway.workspace.library.path)) as other:
        other.put([paper("On wasps")])
        other.collections.create("thesis")
        look()
        qtbot.waitUntil(lambda: "thesis" in [one.path for one in tree.library_tree.collections])
        assert "7 papers" in window._status_bar.status.text()
        look()  # nothing more has changed: the lists follow
        qtbot.waitUntil(lambda: window.page.model.rowCount() == 7)


def test_counts_follow_at_once_and_lists_when_a_job_has_ended(qtbot, window, gateway, jobs):
    qtbot.waitUntil(lambda: window.findChild(LibraryWatcher) is not None)
    watcher, release, changes = window.findChild(LibraryWatcher), threading.Event(), []
    watcher.look()
    qtbot.waitUntil(lambda: not jobs.running())
    window.events.library_changed.connect(changes.append)
    jobs.run("Importing", lambda task: release.wait(60), queue=JobQueue.long)
    with closing(Library(gateway.workspace.library.path)) as other:
        other.put([paper("On wasps")])
    watcher.look()
    qtbot.waitUntil(lambda: "7 papers" in window._status_bar.status.text())
    watcher.look()
    qtbot.waitUntil(lambda: not jobs.running(JobQueue.short))
    assert changes == []
    release.set()
    qtbot.waitUntil(lambda: not jobs.running())
    watcher.look()  # a job may also have been one that changes no papers
    qtbot.waitUntil(lambda: bool(changes))
