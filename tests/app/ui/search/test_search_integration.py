"""The search page on a real library by keyboard and mouse, without a model."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from sciread_app.domain.query import parser
from sciread_app.paths import Home
from sciread_app.ui.shell.gateway import WindowGateway
from sciread_app.workspace import Workspace
from tests.support.generate.papers import paper
from tests.support.ui.controls import filter_item, open_filter

PAPERS = [
    paper("Graph minors", authors="Robertson, Neil; Seymour, Paul", venue="JCTB", published="1983",
          abstract="Excluding a forest.", fields=("math.CO",)),
    paper("Graph neural networks", authors="Scarselli, Franco", venue="IEEE", published="2009",
          abstract="Nodes learn. Their edges pass messages.", fields=("cs.LG",)),
    paper("Messages that edges pass", authors="Gilmer, Justin", venue="ICML", published="2017",
          abstract="Neural networks on graphs for molecules.", fields=("cs.LG", "stat.ML")),
    paper("Forests", authors="Breiman, Leo", venue="Machine Learning", published="2001",
          abstract="Many trees vote.", fields=("stat.ML",)),
]  # fmt: skip


@pytest.fixture
def page(qtbot, show_page, tmp_path):
    workspace = Workspace(Home(tmp_path))
    workspace.library.put(PAPERS)
    yield show_page(WindowGateway(workspace))
    workspace.close()


def titles(page):
    return [page.model.card(row).paper.title for row in range(page.model.rowCount())]


def wait_for(qtbot, page, query, wanted):
    qtbot.waitUntil(lambda: page.view.query == query)
    qtbot.waitUntil(lambda: all(page.model.card(n) for n in range(page.model.rowCount())))
    assert titles(page) == wanted


def test_search_from_the_page_parses_the_query_once(qtbot, page, jobs, monkeypatch):
    page.header.toggle_filters()  # the values are counted for the same query
    qtbot.waitUntil(lambda: not jobs.running())
    parsed, tidy = [], parser._tidy
    monkeypatch.setattr(parser, "_tidy", lambda text: parsed.append(text) or tidy(text))
    page.search_box.set_text("graph")
    wait_for(qtbot, page, "graph", ["Graph minors", "Graph neural networks", PAPERS[2].title])
    qtbot.waitUntil(lambda: page.details.details.words == ("graph",) and not jobs.running())
    assert parsed == ["graph"]


def test_search_filter_and_examples_work_together(qtbot, page):
    qtbot.keyClicks(page.search_box.edit, "graph")
    wait_for(qtbot, page, "graph", ["Graph minors", "Graph neural networks", PAPERS[2].title])

    page.header.toggle_filters()
    popover = open_filter(qtbot, page, "cat")
    filter_item(popover, "cs.LG").setCheckState(0, Qt.CheckState.Checked)
    query = "cat:cs.LG graph"
    wait_for(qtbot, page, query, ["Graph neural networks", PAPERS[2].title])
    popover.close()
    popover = open_filter(qtbot, page, "cat")
    assert filter_item(popover, "math.CO").text(1) == "1"  # counts ignore the filter's own values
    popover.close()

    page.header.change(filters=())
    wait_for(qtbot, page, "graph", ["Graph minors", "Graph neural networks", PAPERS[2].title])
    page.result_list.go_to(0)
    qtbot.keyClicks(page.result_list, "-")
    wait_for(qtbot, page, "-like:1 graph", ["Graph neural networks", PAPERS[2].title])
    page.result_list.go_to(1)
    qtbot.keyClicks(page.result_list, "+")
    qtbot.waitUntil(lambda: page.view.query == "like:3 -like:1 graph")
    qtbot.waitUntil(lambda: titles(page) == ["Graph neural networks"])  # the example is left out


def test_pasted_entry_finds_similar_papers(qtbot, page):
    entry = "@article{x, title = {Voting trees}, abstract = {A forest of trees that vote.}}"
    QGuiApplication.clipboard().setText(entry)
    qtbot.keyClick(page.search_box.edit, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: page.header.back_button.isVisible())
    assert titles(page)[0] == "Forests"
    known = "TY  - JOUR\nTI  - Graph minors\nAU  - Robertson, Neil\nPY  - 1983\nER  - \n"
    QGuiApplication.clipboard().setText(known)
    qtbot.keyClick(page.search_box.edit, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: page.header.scope.chips[0].text() == "Similar to “Graph minors”")
