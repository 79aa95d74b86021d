"""One paper from end to end: the window, a real library, servers that imitate the sources."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from sciread_app.domain.clipboard_formats import CopyCitation
from sciread_app.services.library.note_drafts import NEW
from sciread_app.ui.shell.main_window import MainWindow
from tests.support.generate.papers import paper
from tests.support.servers.local import Answer, LocalServer
from tests.support.servers.semantic_scholar_server import SemanticScholarServer

FOUND = {"DOI": "10.5555/paper.9", "type": "article-journal", "title": "The ninth of them"}


def crossref(asked):
    return Answer(json.dumps({"message": {"items": [FOUND]}}).encode(), "application/json")


@pytest.fixture
def scholar() -> Iterator[SemanticScholarServer]:
    with SemanticScholarServer(30) as server:
        yield server


@pytest.fixture
def window(show_window, real_gateway, jobs, tmp_path, monkeypatch, scholar) -> Iterator[MainWindow]:
    with LocalServer(crossref) as works:
        for name, value in {
            "SCIREAD_CACHE": str(tmp_path / "cache"),
            "SCIREAD_SEMANTIC_SCHOLAR_URL": f"{scholar.url}graph/v1/",
            "SCIREAD_SEMANTIC_SCHOLAR_PAUSE": "0",
            "SCIREAD_CROSSREF_URL": works.url,
            "SCIREAD_CROSSREF_PAUSE": "0",
        }.items():
            monkeypatch.setenv(name, value)
        real_gateway.workspace.library.put(
            [
                paper("Birds", abstract="They fly."),
                paper(
                    "Bees", abstract="They dance.", authors="Frisch, Karl", published="1927",
                    doi="10.5555/paper.10", kind="article-journal", venue="Bee World",
                ),
            ]
        )  # fmt: skip
        yield show_window(real_gateway)
        jobs.shut_down()


def test_paper_is_annotated_cited_and_followed_to_a_reference(qtbot, window, jobs):
    page, panel = window.page, window.page.details
    qtbot.waitUntil(lambda: panel.details is not None and panel.details.whole)
    assert panel.details.paper.title == "Bees"
    assert panel.parts.foot.text().endswith(panel.details.added)

    # Write a note, and find the paper by its words.
    panel.write_note()
    box = panel.parts.notes.views[NEW].box
    qtbot.keyClicks(box, "Compare the waggle with semaphores.")
    qtbot.keyClick(box, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: NEW not in panel.parts.notes.views)
    page.search_box.set_text("semaphores")
    qtbot.waitUntil(lambda: page.view.query == "semaphores" and page.model.rowCount() == 1)
    assert page.model.paper_at(0) == 2

    # Copy the citation in a style, with its italics.
    page.copy_selected()
    qtbot.waitUntil(lambda: "@article{" in QGuiApplication.clipboard().text())
    page.copy_selected(CopyCitation("apa"))
    qtbot.waitUntil(lambda: QGuiApplication.clipboard().text().startswith("Frisch, K. (1927)."))
    assert "<i>Bee World</i>" in QGuiApplication.clipboard().mimeData().html()

    # Fetch the references, and add one of them.
    around = panel.parts.around
    panel.fetch_citations()
    qtbot.waitUntil(lambda: "Title of paper 9" in around.text.toPlainText())
    link = next(
        one for one in around.text.links() if one.scheme() == "add" and one.path()[-1] == "9"
    )
    around.text.anchorClicked.emit(link)
    qtbot.waitUntil(lambda: "The ninth of them" in around.text.toPlainText())
    page.search_box.set_text("ninth")
    qtbot.waitUntil(lambda: page.view.query == "ninth" and page.model.rowCount() == 1)

    # Undo the note like any other edit.
    window.gateway.workspace.editor.undo()
    page.search_box.set_text("semaphores")
    qtbot.waitUntil(lambda: page.view.query == "semaphores" and page.model.rowCount() == 0)


def test_references_withheld_by_the_publisher_are_remarked(qtbot, window, scholar):
    scholar.withheld.add(10)
    panel = window.page.details
    qtbot.waitUntil(lambda: panel.details is not None and panel.details.whole)
    related = panel.parts.around
    related.ask()
    qtbot.waitUntil(lambda: related.idle)
    assert "publisher" in related.note.text() and related.note.isVisibleTo(panel)
