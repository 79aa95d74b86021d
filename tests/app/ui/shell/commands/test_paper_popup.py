"""The popup «Go to paper»: finding a paper and opening it."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from sciread_app.ui.shell.commands.paper_popup import PaperPopup
from tests.support.ui.fakes.gateway import FakeGateway

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def window(show_window):
    window = show_window(FakeGateway(30))
    window.activateWindow()
    return window


def open_popup(qtbot, window, jobs):
    qtbot.keyClick(window, Qt.Key.Key_P, CONTROL)
    popup = window.findChild(PaperPopup)
    assert popup.isVisible() and popup.box.hasFocus()
    qtbot.waitUntil(lambda: not jobs.running())
    return popup


def type_text(qtbot, popup, jobs, text):
    qtbot.keyClicks(popup.box, text)
    qtbot.waitUntil(lambda: not jobs.running())
    return [entry.title for entry in popup.shown()]


def test_popup_opens_on_every_page_and_lists_papers(qtbot, window, jobs):
    window.go_to("intake")
    popup = open_popup(qtbot, window, jobs)
    first, *others = popup.shown()
    assert first.title == "Paper 1" and len(others) == 19
    assert "Marie Curie" in first.kind and "1915" in first.kind
    qtbot.keyClick(popup.box, Qt.Key.Key_Escape)
    assert not popup.isVisible()


def test_enter_opens_the_pdf(qtbot, window, jobs):
    window.gateway.reader.paths = {12: [Path("/papers/twelve.pdf")]}
    popup = open_popup(qtbot, window, jobs)
    assert type_text(qtbot, popup, jobs, "paper 12") == ["Paper 12"]
    qtbot.keyClick(popup.box, Qt.Key.Key_Return)
    assert not popup.isVisible() and window.shows("reader")
    assert window.other_page("reader").tab.path == Path("/papers/twelve.pdf")
    qtbot.waitUntil(lambda: not jobs.running())


def test_enter_opens_the_page_of_a_paper_without_pdf(qtbot, window, jobs):
    window.go_to("models")
    popup = open_popup(qtbot, window, jobs)
    type_text(qtbot, popup, jobs, "paper 12")
    qtbot.keyClick(popup.box, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.shows("search") and list(window.page.view.listing.ids) == [12])


def test_control_enter_shows_the_paper_in_the_library(qtbot, window, jobs):
    window.gateway.reader.paths = {12: [Path("/papers/twelve.pdf")]}
    window.go_to("models")
    popup = open_popup(qtbot, window, jobs)
    type_text(qtbot, popup, jobs, "paper 12")
    qtbot.keyClick(popup.box, Qt.Key.Key_Return, CONTROL)
    qtbot.waitUntil(lambda: window.shows("search") and list(window.page.view.listing.ids) == [12])


def test_enter_before_papers_are_found_waits_for_them(qtbot, window, jobs):
    popup = open_popup(qtbot, window, jobs)
    hold = window.gateway.hold["paper 12"] = threading.Event()
    qtbot.keyClicks(popup.box, "paper 12")
    qtbot.keyClick(popup.box, Qt.Key.Key_Return, CONTROL)
    assert popup.isVisible()
    hold.set()
    qtbot.waitUntil(lambda: list(window.page.view.listing.ids) == [12])
    assert not popup.isVisible()


def test_text_without_papers_is_explained(qtbot, window, jobs):
    popup = open_popup(qtbot, window, jobs)
    assert type_text(qtbot, popup, jobs, "zebra") == []
    assert popup.footer.isVisible()
    qtbot.keyClick(popup.box, Qt.Key.Key_Return)
    assert popup.isVisible()


def test_popup_fits_into_a_small_window(qtbot, window, jobs):
    window.resize(420, 320)
    assert window.rect().contains(open_popup(qtbot, window, jobs).geometry())
