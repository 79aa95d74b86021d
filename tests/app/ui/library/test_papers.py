"""Commands on the selected papers: keys, the selection bar, menus, drag and drop."""

from __future__ import annotations

import dataclasses

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QMenu, QMessageBox

from sciread_app.domain.paper import LibraryChanges
from sciread_app.ui.library.picker_popup import PickerItem, PickerPopup, matching
from sciread_app.ui.library.tree.drag_and_drop import PAPERS, papers_in
from sciread_app.ui.library.tree.nodes import NameEntry, NodeKind
from tests.support.ui.controls import menu_action
from tests.support.ui.fakes.gateway import FakeGateway


@pytest.fixture
def gateway():
    gateway = FakeGateway(50)
    gateway.editor.tags = {"to read": {1}, "important": set(range(1, 9))}
    gateway.editor.collections = {"thesis": {2}, "thesis/methods": set()}
    return gateway


@pytest.fixture
def window(qtbot, show_window, gateway):
    window = show_window(gateway)
    window.activateWindow()
    qtbot.waitUntil(lambda: window.page.model.card(0) is not None)
    window.page.result_list.setFocus()
    return window


def choose(window, *rows):
    """Select the papers of these rows; the list begins with the last paper."""
    hits = window.page.result_list
    hits.go_to(rows[0])
    for row in rows[1:]:
        hits.selectionModel().select(
            window.page.model.index(row, 0), hits.selectionModel().SelectionFlag.Select
        )
    return hits.selected()


def press(qtbot, window, key):
    qtbot.keyClick(window.page.result_list, key)


def chooser_of(window):
    return next(c for c in window.findChildren(PickerPopup) if c.isVisible())


def toast_text(window):
    notice = window.library_controller.notice
    return notice.text.text() if notice.isVisible() else ""


def test_selection_bar_is_shown_for_several_papers(window):
    bar = window.library_controller.bar
    choose(window, 0)
    assert not bar.isVisible()
    choose(window, 0, 1, 4)
    assert bar.isVisible() and bar.count.text() == "3 selected"
    window.library_controller.choose_all()
    assert bar.count.text() == "50 selected"
    bar.clear.click()
    assert not bar.isVisible() and len(window.page.result_list.selected()) == 1


def test_selection_bar_without_room_offers_its_last_actions_in_a_menu(qtbot, window):
    bar = window.library_controller.bar
    window.resize(1600, 700)
    choose(window, 0, 1, 4)
    qtbot.waitUntil(lambda: all(button.isVisible() for button in bar.buttons.values()))
    height = bar.height()
    assert bar.more.isHidden()
    window.resize(760, 600)
    qtbot.waitUntil(bar.more.isVisible)
    hidden = [name for name, button in bar.buttons.items() if button.isHidden()]
    assert hidden and bar.buttons["tag"].isVisible() and bar.height() == height
    assert len(bar.more.menu().actions()) == len(hidden)
    shown = [one for one in (*bar.buttons.values(), bar.more, bar.clear) if one.isVisible()]
    assert all(bar.rect().contains(one.geometry()) for one in shown)


def test_selection_bar_offers_the_rating_after_a_context_menu_was_closed(qtbot, window):
    bar = window.library_controller.bar
    menu = QMenu(window)
    choose(window, 0, 1, 4)
    window.page.menu_opened.emit(menu)
    with qtbot.waitSignal(menu.destroyed):
        menu.deleteLater()
    window.resize(760, 600)
    qtbot.waitUntil(bar.more.isVisible)
    hidden = [name for name, button in bar.buttons.items() if button.isHidden()]
    assert "rate" in hidden and len(bar.more.menu().actions()) == len(hidden)


def test_details_say_that_they_concern_one_of_several_selected_papers(qtbot, window):
    notice = window.page.details.parts.selected
    choose(window, 0)
    assert notice.isHidden()
    choose(window, 0, 1, 4)
    qtbot.waitUntil(notice.isVisible)
    assert notice.text().startswith("3 ")
    choose(window, 2)
    qtbot.waitUntil(notice.isHidden)


def test_picker_tags_papers_by_a_partial_name(qtbot, window, gateway):
    ids = choose(window, 0, 2)
    press(qtbot, window, Qt.Key.Key_T)
    chooser = chooser_of(window)
    papers = window.page.result_list
    row = papers.visualRect(papers.currentIndex())
    top = papers.viewport().mapToGlobal(row.topLeft()).y()
    gap = chooser.y() - top - row.height()  # below the paper, or else above it
    assert 0 <= gap <= 4 or abs(chooser.y() + chooser.height() - top) <= 4
    qtbot.keyClicks(chooser.line, "rea")
    assert chooser.model.rows[0].name == "to read"
    qtbot.keyClick(chooser.line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: gateway.editor.tags["to read"] == {1, *ids})
    qtbot.waitUntil(lambda: toast_text(window) == "Added tag “to read” to 2 papers.")


def test_picker_creates_a_new_tag_or_collection(qtbot, window, gateway):
    ids = choose(window, 0)
    press(qtbot, window, Qt.Key.Key_C)
    chooser = chooser_of(window)
    qtbot.keyClicks(chooser.line, "thesis/results")
    assert chooser.model.rows[0].new
    qtbot.keyClick(chooser.line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: gateway.editor.collections.get("thesis/results") == set(ids))


def test_tag_of_all_papers_is_checked_and_removed(qtbot, window, gateway):
    gateway.editor.tags = {"to read": {50, 49, 1}, "important": {50}}
    window.events.library_changed.emit(LibraryChanges(papers=True))
    qtbot.waitUntil(lambda: "important" in window.page.model.known(50).tags)
    choose(window, 0, 1)
    press(qtbot, window, Qt.Key.Key_T)
    chooser = chooser_of(window)
    assert {choice.name: choice.on for choice in chooser.model.rows} == {
        "to read": True,
        "important": False,
    }
    qtbot.keyClick(chooser.line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: gateway.editor.tags["to read"] == {1})


def test_picker_arrows_move_and_escape_cancels(qtbot, window, gateway):
    choose(window, 0)
    press(qtbot, window, Qt.Key.Key_T)
    chooser = chooser_of(window)
    assert [choice.name for choice in chooser.model.rows] == ["important", "to read"]
    qtbot.keyClick(chooser.line, Qt.Key.Key_Down)
    assert chooser.list.currentIndex().row() == 1
    qtbot.keyClick(chooser.line, Qt.Key.Key_Escape)
    assert not chooser.isVisible() and gateway.editor.calls == []


def test_rating_and_read_state_have_keys(qtbot, window, gateway):
    ids = choose(window, 0, 1)
    press(qtbot, window, Qt.Key.Key_4)
    press(qtbot, window, Qt.Key.Key_R)
    qtbot.waitUntil(lambda: gateway.editor.read == set(ids))
    assert gateway.editor.stars == dict.fromkeys(ids, 4)
    qtbot.waitUntil(lambda: not window._jobs.running())  # the list has been searched again
    press(qtbot, window, Qt.Key.Key_0)
    qtbot.waitUntil(lambda: gateway.editor.stars == dict.fromkeys(ids, 0))


def test_letter_keys_in_the_search_box_are_text(qtbot, window, gateway):
    window.page.search_box.take_focus()
    qtbot.keyClicks(window.page.search_box.edit, "tree 42")
    assert window.page.search_box.edit.text() == "tree 42"
    assert gateway.editor.calls == [] and not window.findChildren(PickerPopup)


def test_delete_moves_to_trash_and_toast_undoes(qtbot, window, gateway):
    ids = choose(window, 0, 1)
    press(qtbot, window, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: toast_text(window) == "Moved 2 papers to Trash.")
    assert gateway.editor.trashed == set(ids)
    button, left = window.library_controller.notice.undo_button, Qt.MouseButton.LeftButton
    qtbot.mouseClick(button, left)
    assert window.focusWidget() is window.page.result_list
    qtbot.waitUntil(lambda: gateway.editor.undone == ["Moved 2 papers to Trash"])
    qtbot.waitUntil(lambda: toast_text(window) == "Undone: moved 2 papers to Trash.")


def test_undo_and_redo_work_from_any_page(qtbot, window, gateway):
    choose(window, 0)
    press(qtbot, window, Qt.Key.Key_3)
    undo, redo = window.actions_by_name["undo"], window.actions_by_name["redo"]
    qtbot.waitUntil(lambda: undo.text() == "&Undo: rated 1 paper 3")
    window.go_to("intake")
    qtbot.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: gateway.editor.calls == [] and redo.isEnabled())
    redo.trigger()
    qtbot.waitUntil(lambda: gateway.editor.calls == ["Rated 1 paper 3"])


def test_undo_leaves_a_removed_collection(qtbot, window, gateway):
    sidebar, work, name = (
        window.library_controller.sidebar,
        window.library_controller.work,
        "thesis/results",
    )
    with qtbot.waitSignal(work.done):
        work.submit("Created collection", lambda editor: editor.create_collection(name))
    fragment = "in:thesis/results"
    qtbot.waitUntil(lambda: sidebar.model.tree.node_for(fragment) is not None)
    window.page.set_scope(fragment, "results")
    qtbot.waitUntil(lambda: [node.key for node in sidebar.tree.selected()] == [name])
    del gateway.editor.collections[name]
    work.undo()
    qtbot.waitUntil(lambda: [node.kind for node in sidebar.tree.selected()] == [NodeKind.every])
    assert window.page.view.request.scope == ()


def test_sidebar_keeps_the_shown_list_when_duplicates_are_opened(qtbot, window):
    tree = window.library_controller.sidebar.tree
    place = tree.visualRect(
        window.library_controller.sidebar.model.index_of(NameEntry(NodeKind.duplicates))
    ).center()
    qtbot.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.waitUntil(lambda: window.shows("duplicates"))
    assert [node.kind for node in tree.selected()] == [NodeKind.every]


def test_toast_closes_after_a_time_unless_under_the_mouse(qtbot, window):
    notice = window.library_controller.notice
    notice.show_message("Tagged 3 papers", lambda: None)
    assert notice.isVisible() and notice.undo_button.isVisible() and notice.going.isActive()
    notice.enterEvent(None)
    assert not notice.going.isActive()
    notice.leaveEvent(None)
    notice.going.setInterval(1)
    notice.going.start()
    qtbot.waitUntil(notice.isHidden)


def test_toast_is_above_the_selection_bar(qtbot, window):
    window.resize(760, 600)
    window.page.result_list.selectAll()
    bar, notice = window.library_controller.bar, window.library_controller.notice
    notice.show_message("Tagged 3 papers", lambda: None)
    ground = notice.parentWidget()
    qtbot.waitUntil(
        lambda: bar.isVisible() and notice.geometry().bottom() < bar.mapTo(ground, QPoint()).y()
    )


def test_toast_is_above_the_message_bar_in_full(qtbot, window):
    window.resize(760, 600)
    notice, banner = window.library_controller.notice, window.messages
    text = "Renamed collection “Sample library/Physics & more” to “Sample library/" + "x " * 60
    notice.show_message(text, lambda: None)
    banner.show_notice("5 papers were added.", "3 were there already.", ("Details", lambda: None))
    qtbot.waitUntil(lambda: not notice.geometry().intersects(banner.geometry()))
    assert text in notice.text.text()
    assert notice.text.height() >= notice.text.heightForWidth(notice.text.width())
    assert notice.parentWidget().rect().contains(notice.geometry())


def test_failed_edit_is_reported_and_queued_edits_run(qtbot, window, gateway):
    choose(window, 0)
    gateway.editor.refuse = "The library is locked."
    press(qtbot, window, Qt.Key.Key_5)
    press(qtbot, window, Qt.Key.Key_R)
    qtbot.waitUntil(lambda: window.messages.message.text() == "The library is locked.")
    qtbot.waitUntil(lambda: len(gateway.editor.calls) == 1)


@pytest.mark.parametrize("selected, shown", [(0, False), (1, True)])
def test_trash_offers_actions_only_for_papers(window, selected, shown):
    window.library_controller.bar.show_count(selected, in_trash=True)
    assert window.library_controller.bar.isVisible() == shown


def test_trash_restores_or_deletes_after_confirmation(qtbot, window, gateway):
    gateway.editor.trashed = set(range(1, 51))
    window.page.set_scope("in:trash", "Trash")
    qtbot.waitUntil(lambda: window.library_controller.in_trash and window.page.model.rowCount() > 0)
    bar = window.library_controller.bar
    assert bar.isVisible() and bar.in_trash["untrash"].isVisible()
    (brought,) = choose(window, 0)
    bar.in_trash["untrash"].click()
    qtbot.waitUntil(lambda: brought not in gateway.editor.trashed)
    choose(window, 1)
    press(qtbot, window, Qt.Key.Key_Delete)
    box = question_box(window)
    assert box.text() == "Permanently delete 1 paper?" and len(gateway.editor.trashed) == 49
    assert box.isModal() and box.defaultButton().text() == "Cancel"
    answer(qtbot, window, "Cancel")
    assert len(gateway.editor.trashed) == 49
    window.library_controller.work.load()
    qtbot.waitUntil(lambda: window.library_controller.work.library_tree.trash == 49)
    window.library_controller.empty_trash()
    answer(qtbot, window, "Delete permanently")
    qtbot.waitUntil(lambda: gateway.editor.trashed == set())
    qtbot.waitUntil(lambda: toast_text(window) == "Permanently deleted 49 papers.")
    assert not window.library_controller.notice.undo_button.isVisible()


def answer(qtbot, window, text):
    """Press the button with this text in the open message box."""
    box = question_box(window)
    with qtbot.waitSignal(box.destroyed):
        next(button for button in box.buttons() if button.text() == text).click()


def question_box(window):
    (box,) = window.findChildren(QMessageBox)
    assert box.isVisible()
    return box


def test_list_menu_offers_removal_from_the_collection(qtbot, window, gateway):
    qtbot.waitUntil(lambda: bool(window.library_controller.work.library_tree.collections))
    window.library_controller.sidebar.show_scope("in:thesis")
    ids = choose(window, 0)
    menu = QMenu()
    window.page.menu_opened.emit(menu)
    names = [action.text().replace("&", "") for action in menu.actions()]
    for name in ("Tag…", "Rate", "Mark as read or unread", "Remove from this collection"):
        assert name in names
    gateway.editor.collections["thesis"].update(ids)
    next(
        a for a in menu.actions() if a.text().replace("&", "") == "Remove from this collection"
    ).trigger()
    qtbot.waitUntil(lambda: gateway.editor.collections["thesis"] == {2})


def test_list_menu_offers_only_the_pdf_actions_that_apply(qtbot, window, gateway, jobs):
    plain, model = gateway.paper, window.page.model
    second = window.page.view.listing.ids[1]
    gateway.paper = lambda n: dataclasses.replace(plain(n), files=("a.pdf",) if n == second else ())
    window.events.library_changed.emit(LibraryChanges(papers=True))
    qtbot.waitUntil(lambda: not jobs.running())
    qtbot.waitUntil(lambda: bool(model.known(second)) and bool(model.known(second).paper.files))

    def offered(*rows):
        choose(window, *rows)
        menu = QMenu()
        window.page.menu_opened.emit(menu)
        names = {action.text().replace("&", "") for action in menu.actions()}
        return names & {"Find PDFs", "Move PDFs to PDF folder", "Rename PDFs by pattern"}

    assert offered(0) == offered(0) == {"Find PDFs"}
    assert offered(1) == {"Move PDFs to PDF folder", "Rename PDFs by pattern"}
    assert len(offered(0, 1)) == 3


def test_list_menu_shows_the_actions_of_the_menu_bar(qtbot, window):
    choose(window, 0)
    window.page.result_list.customContextMenuRequested.emit(QPoint(9, 9))
    menu = QApplication.activePopupWidget()
    similar = menu_action(window, "Similar papers")
    assert menu.actions()[0] is similar
    similar.trigger()
    menu.close()
    qtbot.waitUntil(lambda: bool(window.page.view.request.like))


def test_hidden_sidebar_stays_hidden(qtbot, window, gateway, jobs, new_window):
    qtbot.keyClick(window, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    assert not window.library_controller.sidebar.isVisible()
    window.close()

    again = new_window()
    again.open(gateway)
    qtbot.waitUntil(lambda: again.is_open and again.page.isVisible())
    assert not again.library_controller.sidebar.isVisible()
    again.actions_by_name["into"].trigger()
    assert again.library_controller.sidebar.isVisible()
    qtbot.waitUntil(lambda: not jobs.running())


def test_selected_papers_are_dragged_together(window, monkeypatch):
    ids = choose(window, 0, 3)
    carried = []
    monkeypatch.setattr(
        "sciread_app.ui.library.tree.drag_and_drop.QDrag.exec",
        lambda drag, action: carried.append(papers_in(drag.mimeData())),
    )
    viewport = window.page.result_list.viewport()
    place = window.page.result_list.visualRect(window.page.model.index(0, 0)).center()
    drag_by(viewport, place, QPoint(60, 5))
    assert carried == [ids]
    assert PAPERS.startswith("application/")


def drag_by(widget, place, way):
    from PySide6.QtTest import QTest

    left = Qt.MouseButton.LeftButton
    QTest.mousePress(widget, left, pos=place)
    QTest.mouseMove(widget, place + way / 2)
    QTest.mouseMove(widget, place + way)
    QTest.mouseRelease(widget, left, pos=place + way)


def test_action_without_selection_asks_for_one(qtbot, window, gateway):
    window.page.result_list.clearSelection()
    press(qtbot, window, Qt.Key.Key_R)
    assert toast_text(window) == "Select papers in the list first."
    assert gateway.editor.calls == []


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("ml", ["ml"]),
        ("m", ["methods", "ml", "my methods"]),
        ("meth", ["methods", "my methods"]),
        ("tml", ["create tml", "html"]),
        ("zebra", ["create zebra"]),
        ("ETUDE", ["étude"]),
    ],
)
def test_matching_ranks_exact_then_new_then_partial_names(typed, first):
    names = ("html", "ml", "methods", "my methods", "étude")
    choices = [PickerItem(name, "", 9 - n) for n, name in enumerate(sorted(names))]
    found = [f"create {c.name}" if c.new else c.name for c in matching(choices, typed)]
    assert found[: len(first)] == first
