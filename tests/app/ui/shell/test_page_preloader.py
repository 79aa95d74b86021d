"""Pages that are built before they are first visited."""

from __future__ import annotations

import pytest

from sciread_app.ui.page import Page
from sciread_app.ui.shell.page_preloader import PagePreloader
from sciread_app.ui.shell.page_registry import PAGES
from tests.support.ui.fakes.gateway import FakeGateway


@pytest.fixture
def built(monkeypatch):
    """The pages in the order in which they are built."""
    pages: list[Page] = []

    def init(page, parent=None):
        pages.append(page)
        original(page, parent)

    original = Page.__init__
    monkeypatch.setattr(Page, "__init__", init)
    return pages


def test_preloader_builds_each_page_once_before_it_is_visited(
    show_window, jobs, qtbot, built, monkeypatch
):
    monkeypatch.setattr("sciread_app.ui.shell.page_preloader.PAUSE_MS", 0)
    window = show_window(FakeGateway())
    PagePreloader(window, jobs)
    window.events.modules_loaded.emit()
    qtbot.waitUntil(lambda: len(built) == len(PAGES))
    pages = [window.other_page(spec.key) for spec in PAGES]
    assert set(map(id, pages)) == set(map(id, built))


def test_preloaded_page_is_in_use_only_once_it_is_requested(show_window, built):
    window = show_window(FakeGateway())
    first = window.preload("duplicates")
    assert window.preload("duplicates") is first
    assert not window.shows("duplicates")
    window.go_to("duplicates")
    assert window.shows("duplicates")
    assert window.other_page("duplicates") is first
    assert window.preload("duplicates") is None
