"""The page of an empty library: ways to add papers, and the sample library."""

import pytest
from PySide6.QtCore import Qt

from sciread_app.ui.jobs.runner import JobQueue
from tests.support.ui.fakes.gateway import FakeGateway

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def welcome(show_page):
    page = show_page(FakeGateway(0))
    assert page.welcome.isVisible()
    return page.welcome


def test_choices_import_papers(qtbot, welcome, context):
    for choice in welcome.choices[:3]:
        qtbot.mouseClick(choice, LEFT)
    calls = [call[0] for call in context.navigate.calls]
    assert calls == ["import_zotero", "add_folder", "add_files"]


def test_last_choice_opens_the_sample_library(qtbot, welcome, context):
    qtbot.keyClick(welcome.choices[-1], Qt.Key.Key_Space)
    assert context.navigate.calls == [("open_sample",)]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("https://doi.org/10.1000/BEES", "fetch https://doi.org/10.1000/BEES"),
        ("arXiv:1706.03762", "fetch arXiv:1706.03762"),
        ("The life  of the bee ", "fetch The life of the bee"),
    ],
)
def test_paper_is_added_by_identifier_or_title(qtbot, show_page, text, asked, context):
    gateway = FakeGateway(0)
    page = show_page(gateway)
    page.welcome.lookup.line.setText(text)
    with qtbot.waitSignal(context.events.papers_added):
        qtbot.keyClick(page.welcome.lookup.line, Qt.Key.Key_Return)
    assert gateway.about.calls[-1] == asked
    assert page.welcome.lookup.line.text() == ""


def test_failed_lookup_keeps_the_text_and_shows_the_error(qtbot, show_page):
    gateway = FakeGateway(0)
    gateway.about.refuse = "Crossref does not know it."
    lookup = show_page(gateway).welcome.lookup
    lookup.line.setText("10.1000/1")
    qtbot.mouseClick(lookup.button, LEFT)
    qtbot.waitUntil(lookup.problem.isVisible)
    assert lookup.problem.text() == "Crossref does not know it."
    assert lookup.line.text() == "10.1000/1" and lookup.button.isEnabled()
    lookup.line.setText("10.1000/2")
    assert lookup.problem.isHidden()


def test_lookup_stopped_in_activity_can_be_started_again(qtbot, show_page, jobs, monkeypatch):
    gateway = FakeGateway(0)
    monkeypatch.setattr(gateway.about, "fetch", lambda text, task: task.wait(60, "Busy"))
    lookup = show_page(gateway).welcome.lookup
    lookup.line.setText("10.1000/1")
    before = lookup.button.text()
    qtbot.mouseClick(lookup.button, LEFT)
    jobs.running(JobQueue.network)[0].cancel()
    qtbot.waitUntil(lambda: not jobs.running())
    assert lookup.button.isEnabled() and lookup.button.text() == before


def test_typed_search_in_empty_library_shows_no_welcome(qtbot, show_page):
    page = show_page(FakeGateway(0))
    page.search_box.set_text("bees")
    qtbot.waitUntil(page.empty.isVisible)
    assert not page.welcome.isVisible()
