"""Look-up of a paper that is searched for by an identifier and missing in the library."""

import threading

import pytest
from PySide6.QtCore import Qt

from sciread_app.domain.paper import LibraryChanges
from tests.support.generate.papers import paper
from tests.support.ui.fakes.gateway import FakeGateway

ABSENT = "10.1145/3292500.3330701"


def offered_actions(qtbot, page, text):
    page.search_box.set_text(text)
    qtbot.waitUntil(lambda: text in page.empty.title.text())
    return page.empty.buttons()


def test_missing_doi_is_looked_up_and_added(qtbot, show_page, context):
    gateway = FakeGateway(3)
    page = show_page(gateway)
    look_up = offered_actions(qtbot, page, ABSENT)[0]
    with qtbot.waitSignal(context.events.papers_added):
        qtbot.mouseClick(look_up, Qt.MouseButton.LeftButton)
    assert gateway.about.calls[-1] == f"fetch doi:{ABSENT}"
    gateway.papers[2] = paper("Found at last", doi=ABSENT)
    page.library_changed(LibraryChanges(papers=True))
    qtbot.waitUntil(lambda: page.model.rowCount() == 1)


def test_unknown_identifier_can_be_tried_again(qtbot, show_page):
    gateway = FakeGateway(3)
    gateway.about.refuse = "Crossref does not know it."
    page = show_page(gateway)
    offered_actions(qtbot, page, ABSENT)[0].click()
    qtbot.waitUntil(lambda: "Crossref does not know it." in page.empty.text.text())
    assert len(page.empty.buttons()) == 1


@pytest.mark.parametrize("text", ["2101.00027", "PMC7654321"])
def test_other_identifiers_are_looked_up(qtbot, show_page, text):
    page = show_page(FakeGateway(3))
    assert len(offered_actions(qtbot, page, text)) == 2


def test_isbn_is_looked_up(qtbot, show_page):
    page = show_page(FakeGateway(3))
    assert len(offered_actions(qtbot, page, "9780306406157")) == 2


def test_whole_title_is_looked_up(qtbot, show_page, context):
    gateway = FakeGateway(3)
    page = show_page(gateway)
    title = "Teaching zebrafish: to play the violin"
    look_up = offered_actions(qtbot, page, title)[0]
    with qtbot.waitSignal(context.events.papers_added):
        qtbot.mouseClick(look_up, Qt.MouseButton.LeftButton)
    assert gateway.about.calls[-1] == f"fetch {title}"


@pytest.mark.parametrize("text", ["zebrafish violin", 'the "zebrafish violin" of Turin'])
def test_query_that_is_no_title_is_not_looked_up(qtbot, show_page, text):
    page = show_page(FakeGateway(3))
    page.search_box.set_text(text)
    qtbot.waitUntil(page.empty.isVisible)
    assert not [one for one in page.empty.buttons() if "Look up" in one.text()]


def test_filter_without_matches_gets_no_advice_about_keywords(qtbot, show_page):
    page = show_page(FakeGateway(0))
    page.search_box.set_text("zzz")
    qtbot.waitUntil(lambda: "keywords" in page.empty.text.text())
    page.search_box.set_text("tag:nowhere")
    qtbot.waitUntil(lambda: "keywords" not in page.empty.text.text())
    assert page.empty.isVisible() and page.empty.text.text()
    assert len(page.empty.buttons()) == 1


def test_search_without_results_offers_to_add_by_identifier(qtbot, show_page, context):
    page = show_page(FakeGateway(3))
    page.search_box.set_text("zebrafish")
    qtbot.waitUntil(page.empty.isVisible)
    page.empty.buttons()[-1].click()
    assert context.navigate.calls[-1][0] == "add_by_identifier"


def test_canceled_look_up_can_be_tried_again(qtbot, jobs, show_page, monkeypatch):
    gateway, began = FakeGateway(3), threading.Event()

    def fetch(text, task):
        began.set()
        task.wait(60, "Waiting for Crossref")

    monkeypatch.setattr(gateway.about, "fetch", fetch)
    page = show_page(gateway)
    offered_actions(qtbot, page, ABSENT)[0].click()
    qtbot.waitUntil(began.is_set)
    jobs.running()[-1].cancel()
    qtbot.waitUntil(lambda: [b.text() for b in page.empty.buttons()] == ["Retry"])
