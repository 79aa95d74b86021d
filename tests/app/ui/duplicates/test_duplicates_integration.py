"""Merging of duplicates by key and its undo, in the window with a real library."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from PySide6.QtCore import Qt

from sciread_app.tasks import Task
from sciread_app.ui.duplicates.page import MERGED
from sciread_app.ui.shell.gateway import WindowGateway
from sciread_app.ui.shell.main_window import MainWindow

Key, Control = Qt.Key, Qt.KeyboardModifier.ControlModifier
ENTRIES = (
    "@article{one, title = {The life of honey bees}, author = {Curie, Marie}, year = 1901}",
    "@article{two, title = {The Life of Honey Bees.}, year = 1901, journal = {Annalen}}",
)


@pytest.fixture
def gateway(real_gateway, tmp_path) -> WindowGateway:
    """Return the gateway of a library with two possible duplicates and no model."""
    for number, entry in enumerate(ENTRIES):
        file = tmp_path / f"{number}.bib"
        file.write_text(entry, "utf-8")
        real_gateway.workspace.import_files([file], Task())
    return real_gateway


@pytest.fixture
def window(show_window, gateway) -> MainWindow:
    return show_window(gateway)


def test_search_finds_pairs_that_imports_missed(qtbot, window, tmp_path):
    with closing(sqlite3.connect(tmp_path / "home" / "library.sqlite3")) as db, db:
        # As in a library written by an earlier version:
        db.execute("DELETE FROM relations")
        db.execute("INSERT INTO duplicate_search VALUES (1, 0)")
    window.go_to("duplicates")
    page = window.other_page("duplicates")
    qtbot.waitUntil(lambda: not page.empty.isHidden() and page.list.current is None)
    qtbot.waitUntil(page.search_due.isVisible)
    qtbot.mouseClick(page.search_due.button, Qt.MouseButton.LeftButton)
    assert not page.search.isEnabled()
    qtbot.waitUntil(lambda: page.panel.found is not None)
    assert page.search.isEnabled() and page.count.text() == "1 pair"
    assert not page.search_due.isVisible()


def test_pair_is_merged_restored_and_kept_apart_by_keys(qtbot, window, gateway):
    window.activateWindow()
    qtbot.keyClick(window, Key.Key_7, Control)
    page = window.other_page("duplicates")
    qtbot.waitUntil(lambda: page.panel.isVisible() and page.list.hasFocus())
    qtbot.keyClick(page.list, Key.Key_M)
    qtbot.waitUntil(page.empty.isVisible)
    [merged] = [card.paper for card in gateway.card_loader.cards([1, 2])]
    assert merged.venue == "Annalen" and merged.authors[0].family == "Curie"
    undo = window.actions_by_name["undo"]
    qtbot.waitUntil(lambda: undo.isEnabled() and "merged 2 papers" in undo.text())
    qtbot.keyClick(window, Key.Key_Z, Control)
    qtbot.waitUntil(lambda: page.panel.found is not None and page.list.isVisible())
    assert [card.paper.venue for card in gateway.card_loader.cards([1, 2])] == ["", "Annalen"]
    qtbot.keyClick(page.list, Key.Key_K)
    qtbot.waitUntil(page.empty.isVisible)
    assert (
        len(gateway.card_loader.cards([1, 2])) == 2
        and gateway.workspace.editor.library_tree().duplicates == 0
    )


def test_listed_merge_can_be_split_again(qtbot, window, gateway):
    gateway.workspace.editor.merge_into_best([1, 2])
    qtbot.keyClick(window, Key.Key_7, Control)
    page = window.other_page("duplicates")
    page.lists.tab_stops()[MERGED].click()
    qtbot.waitUntil(lambda: page.merges.isVisible() and page.merges.current is not None)
    qtbot.mouseClick(page.merges.split, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(page.empty.isVisible)
    assert len(gateway.card_loader.cards([1, 2, 3])) == 2
    undo = window.actions_by_name["undo"]
    qtbot.waitUntil(lambda: undo.isEnabled() and "split" in undo.text())
    qtbot.keyClick(window, Key.Key_Z, Control)
    qtbot.waitUntil(page.merges.isVisible)
