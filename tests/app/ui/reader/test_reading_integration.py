"""A PDF is added to a real library, read and highlighted, and the edits undone."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from sciread_app import workspace
from sciread_app.ui.reader.page import ReaderPage
from sciread_app.ui.reader.pages.text_selection import TextPosition, TextSelection
from sciread_app.ui.shell.gateway import open_gateway
from tests.support.generate.book import make_book
from tests.support.generate.pdf import At as TextAt
from tests.support.generate.pdf import body
from tests.support.models.fake_encoder import FakeEncoder

pytestmark = pytest.mark.timeout(300)

Key, Control = Qt.Key, Qt.KeyboardModifier.ControlModifier
Shift = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def window(show_window, jobs, tmp_path, monkeypatch):
    # The real model takes seconds to start.
    monkeypatch.setattr(workspace, "EncoderProcess", lambda package: FakeEncoder())
    gateway = open_gateway(tmp_path / "home")
    yield show_window(gateway)
    jobs.shut_down()
    gateway.close()


def paper_of(folder: Path) -> Path:
    pages = [[TextAt("The dance of bees", 20, 60, 700), *body()], body()]
    path = folder / "bees.pdf"
    path.write_bytes(make_book(pages=pages))
    return path


def test_paper_is_added_read_highlighted_and_edits_undone(qtbot, jobs, window, tmp_path):
    window.importing.add([paper_of(tmp_path)])
    qtbot.waitUntil(lambda: window.page.model.rowCount() == 1)
    qtbot.waitUntil(lambda: not jobs.running())
    qtbot.waitUntil(lambda: bool(window.page.result_list.selected()))
    qtbot.keyClick(window.page.result_list, Key.Key_Return, Control | Shift)
    page = window.other_page("reader")
    assert isinstance(page, ReaderPage)
    qtbot.waitUntil(lambda: page.book is not None)
    book = page.book
    qtbot.waitUntil(lambda: book.pictures.text(0) is not None)
    letters = book.pictures.text(0).letters.text
    start = letters.index("dance")
    book.view.marks.selection = TextSelection(TextPosition(0, start), TextPosition(0, start + 5))
    qtbot.keyClick(book.view, Key.Key_2)
    qtbot.waitUntil(lambda: [one.text for one in book.marked.here] == ["dance"])
    book.write_note()
    QTest.keyClicks(book.editor.note, "Which?")
    qtbot.keyClick(book.editor.note, Key.Key_Escape)
    qtbot.waitUntil(lambda: [one.note for one in book.marked.here] == ["Which?"])
    qtbot.waitUntil(lambda: not jobs.running())
    undo = window.actions_by_name["undo"]
    assert "note on “dance”" in undo.text()
    book.view.setFocus()
    for notes_left in ([""], []):
        qtbot.keyClick(book.view, Key.Key_Z, Control)
        qtbot.waitUntil(lambda left=notes_left: [one.note for one in book.marked.here] == left)
        qtbot.waitUntil(lambda: not jobs.running())
