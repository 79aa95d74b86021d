"""The papers read last, which the reader lists while no file is open."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from sciread_app.services.library.reader import RecentPaper
from sciread_app.ui.reader.page import MOST_RECENT, ReaderPage
from tests.support.generate.papers import paper
from tests.support.ui.fakes.gateway import FakeGateway
from tests.support.ui.fakes.reader import FakeReader


def recent(id: int, *, missing: bool = False) -> RecentPaper:
    known = replace(paper(f"Paper {id}", authors="Curie, Marie"), id=id)
    return RecentPaper(known, Path(f"/papers/{id}.pdf"), 4, 12, time.time() - id, missing)


@pytest.fixture
def reading() -> FakeReader:
    return FakeReader()


@pytest.fixture
def make_page(qtbot, jobs, context, reading):
    def make() -> ReaderPage:
        gateway = FakeGateway(20)
        gateway.reader = reading
        page = ReaderPage(gateway.reader, gateway.about, context)
        page.resize(900, 600)
        qtbot.addWidget(page)
        page.show()
        qtbot.waitUntil(lambda: not jobs.running())
        return page

    return make


def texts(page: ReaderPage) -> str:
    return "\n".join(label.text() for label in page.recent.findChildren(QLabel))


def listed(page: ReaderPage) -> list[str]:
    return [button.accessibleName() for button in page.recent.buttons()[:-1]]


def test_papers_are_listed_with_authors_and_page(make_page, reading):
    reading.recent = [recent(1), recent(2)]
    page = make_page()
    assert page.recent.isVisible() and listed(page) == ["Paper 1", "Paper 2"]
    assert {"Paper 1", "Marie Curie"} <= set(texts(page).split("\n"))
    assert "Page 5 of 12" in texts(page)


def test_at_most_ten_papers_are_listed(make_page, reading):
    reading.recent = [recent(n) for n in range(1, 20)]
    assert len(listed(make_page())) == MOST_RECENT == 10


def test_enter_opens_the_paper(qtbot, make_page, reading):
    reading.recent = [recent(1), recent(2)]
    page = make_page()
    page.take_focus()
    first = page.recent.buttons()[0]
    assert page.window().focusWidget() is first
    qtbot.keyClick(first, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: page.book is not None)
    assert page.tab.path == Path("/papers/1.pdf") and not page.recent.isVisible()


def test_missing_file_is_named_and_can_be_removed(qtbot, make_page, reading):
    reading.recent = [recent(1, missing=True), recent(2)]
    page = make_page()
    assert "/papers/1.pdf" in texts(page)
    qtbot.mouseClick(page.recent.buttons()[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: listed(page) == ["Paper 2"])
    assert listed(make_page()) == ["Paper 2"]
    reading.recent[0] = replace(recent(1), at=time.time() + 60)  # read again
    assert listed(make_page()) == ["Paper 1", "Paper 2"]


def test_list_is_updated_when_the_last_tab_is_closed(qtbot, make_page, reading):
    page = make_page()
    assert page.empty.isVisible()
    page.read(1, Path("/papers/1.pdf"))
    qtbot.waitUntil(lambda: page.book is not None)
    reading.recent = [recent(1)]
    page.activateWindow()
    page.take_focus()
    page.close_tab()
    qtbot.waitUntil(lambda: listed(page) == ["Paper 1"])
    assert page.recent.isVisible() and page.recent.buttons()[0].hasFocus()
