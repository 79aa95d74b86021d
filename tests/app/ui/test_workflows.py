"""The workflows of the README by keyboard, on a real library with a real model process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from sciread_app.formats.bibtex import reader as bibtex
from sciread_app.settings import Settings, write_settings
from sciread_app.ui.library.picker_popup import PickerPopup
from sciread_app.ui.shell.gateway import WindowGateway, open_gateway
from sciread_app.ui.shell.main_window import MainWindow
from sciread_app.ui.style.theme import ThemeChoice
from tests.support.models.tiny_model import tiny_package

Key, Held = Qt.Key, Qt.KeyboardModifier

pytestmark = pytest.mark.slow

REFS = r"""
@article{maeterlinck1901, author = {Maeterlinck, Maurice}, title = {The life of the bee},
  year = 1901, abstract = {A hive, its queen, and how bees swarm.}}
@article{frisch1927, author = {von Frisch, Karl}, title = {Aus dem Leben der Bienen}, year = 1927,
  doi = {10.1000/bienen}}
@article{broken, title = {This entry never ends
"""


@pytest.fixture
def window(qtbot, jobs, new_window, tmp_path) -> Iterator[MainWindow]:
    """Show the window of a new home that is filled with the sample papers."""
    home = tmp_path / "home"
    (home / "models").mkdir(parents=True)
    tiny_package(home / "models" / "tiny")
    write_settings(home / "settings.toml", Settings(model="tiny"))
    window = new_window(home)
    window.activateWindow()
    gateway = open_gateway(home)
    window.open(gateway, sample=True)
    qtbot.waitUntil(lambda: window.is_open, timeout=250_000)
    wait_for_jobs(qtbot, jobs)
    yield window
    jobs.shut_down()
    gateway.close()


def wait_for_jobs(qtbot, jobs) -> None:
    qtbot.waitUntil(lambda: not jobs.running(), timeout=250_000)


def press(key: Qt.Key, held: Qt.KeyboardModifier = Held.NoModifier) -> None:
    """Press a key in the widget that has the focus."""
    QTest.keyClick(focus(), key, held)


def write(text: str) -> None:
    QTest.keyClicks(focus(), text)


def focus() -> QWidget:
    found = QApplication.focusWidget()
    assert found
    return found


def titles(window: MainWindow) -> list[str]:
    model = window.page.model
    cards = [model.card(row) for row in range(model.rowCount())]
    return [card.paper.title for card in cards if card]


def look_for(qtbot, jobs, window: MainWindow, text: str) -> None:
    press(Key.Key_F, Held.ControlModifier)
    press(Key.Key_A, Held.ControlModifier)
    write(text)
    press(Key.Key_Return)
    qtbot.waitUntil(lambda: window.page.view.query == text)
    wait_for_jobs(qtbot, jobs)


def wait_for_popup(qtbot, kind: type[QWidget]) -> QWidget:
    found = []
    qtbot.waitUntil(lambda: bool(found.extend(of_kind(kind)) or found))
    return found[0]


def of_kind(kind: type[QWidget]) -> list[QWidget]:
    return [one for one in QApplication.topLevelWidgets() if isinstance(one, kind)]


def test_search_leads_to_similar_papers_and_back(qtbot, jobs, window):
    assert window.page.view.listing.total > 100
    look_for(qtbot, jobs, window, "mastering the game of go")
    assert "Mastering the game of Go" in " ".join(titles(window))
    press(Key.Key_Down)
    first = window.page.result_list.current()
    with qtbot.waitSignal(window.page.view_shown):
        press(Key.Key_L, Held.ControlModifier)
    wait_for_jobs(qtbot, jobs)
    assert window.page.view.request.like == (first,) and window.page.model.rowCount() > 1
    with qtbot.waitSignal(window.page.view_shown):
        press(Key.Key_Escape)
    assert window.page.view.query == "mastering the game of go"


def test_papers_are_added_organised_exported_and_edits_undone(
    qtbot, jobs, window, tmp_path, monkeypatch
):
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "refs.bib").write_text(REFS, "utf-8")
    chosen = (str(tmp_path / "bees.bib"), "BibTeX (*.bib)")
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *args: str(folder))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *args: chosen)
    press(Key.Key_O, Held.ControlModifier | Held.ShiftModifier)
    wait_for_jobs(qtbot, jobs)
    assert "2 new, 1 failed" in window.messages.hint.text()

    look_for(qtbot, jobs, window, "author:maeterlinck")
    assert titles(window) == ["The life of the bee"]
    press(Key.Key_Down)
    (paper,) = window.page.result_list.selected()
    for key, text in ((Key.Key_T, "to read"), (Key.Key_C, "thesis/bees")):
        press(key)
        chooser = wait_for_popup(qtbot, PickerPopup)
        QTest.keyClicks(chooser.line, text)
        QTest.keyClick(chooser.line, Key.Key_Return)
        wait_for_jobs(qtbot, jobs)
    press(Key.Key_4)
    wait_for_jobs(qtbot, jobs)
    marks = library(window).organisation.of([paper])[paper]
    assert (marks.tags, marks.collections) == (("to read",), ("thesis/bees",))
    assert marks.rating == 4

    look_for(qtbot, jobs, window, 'in:thesis tag:"to read" rating:4..')
    assert titles(window) == ["The life of the bee"]
    press(Key.Key_Down)
    window.actions_by_name["export"].trigger()
    wait_for_jobs(qtbot, jobs)
    (exported,) = bibtex.read(Path(chosen[0]))
    assert exported.identifier("citekey") == "maeterlinck1901"

    for _ in range(3):
        press(Key.Key_Z, Held.ControlModifier)
        wait_for_jobs(qtbot, jobs)
    marks = library(window).organisation.of([paper])[paper]
    assert (marks.tags, marks.collections, marks.rating) == ((), (), 0)


def test_places_have_shortcuts_and_palette_changes_the_theme(qtbot, jobs, window):
    for key, place in (
        (Key.Key_2, "foryou"),
        (Key.Key_3, "reader"),
        (Key.Key_4, "intake"),
        (Key.Key_5, "models"),
        (Key.Key_Comma, "settings"),
        (Key.Key_7, "duplicates"),
        (Key.Key_1, "search"),
    ):
        press(key, Held.ControlModifier)
        assert window.shows(place), place
        wait_for_jobs(qtbot, jobs)
    look_for(qtbot, jobs, window, "author:higgs")
    press(Key.Key_Down)
    press(Key.Key_C, Held.ControlModifier | Held.ShiftModifier)
    qtbot.waitUntil(lambda: "Higgs" in QGuiApplication.clipboard().text())
    press(Key.Key_K, Held.ControlModifier)
    write("theme dark")
    wait_for_jobs(qtbot, jobs)
    press(Key.Key_Return)
    qtbot.waitUntil(lambda: window.appearance.choice is ThemeChoice.dark)


def library(window: MainWindow):
    assert isinstance(window.gateway, WindowGateway)
    return window.gateway.workspace.library
