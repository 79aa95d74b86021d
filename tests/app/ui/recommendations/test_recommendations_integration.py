"""Recommendations of a real library: keep, undo, dismiss and mark as seen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt

from sciread_app import workspace
from sciread_app.storage.library import Library
from sciread_app.ui.recommendations.view_models import RecommendationTab
from sciread_app.ui.shell.gateway import WindowGateway, open_gateway
from sciread_app.ui.shell.main_window import MainWindow
from tests.support.models.fake_encoder import WordsEncoder
from tests.support.models.topics import BEES, STARS, about, fetch, like


@pytest.fixture
def gateway(tmp_path, monkeypatch) -> Iterator[WindowGateway]:
    monkeypatch.setattr(workspace, "EncoderProcess", lambda package: WordsEncoder())
    home = tmp_path / "home"
    home.mkdir()
    library = Library(home / "library.sqlite3")
    library.collections.add(library.put([about(BEES, n) for n in range(8)]).ids, "bees")
    library.put([about(STARS, n) for n in range(20)])
    fetch(library, [like(BEES, 3), like(BEES, 5), about(STARS, 100)])
    library.close()
    gateway = open_gateway(home)
    yield gateway
    gateway.close()


def test_recommended_papers_are_kept_restored_dismissed_and_seen(
    qtbot, jobs, appearance, tmp_path, gateway
):
    window = MainWindow(tmp_path / "home", jobs, appearance)
    qtbot.addWidget(window)
    window.show()
    window.open(gateway)
    qtbot.waitUntil(lambda: window.is_open)

    def settle() -> None:
        qtbot.waitUntil(lambda: not jobs.running())

    settle()
    window.activateWindow()
    qtbot.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    page = window.other_page("foryou")
    qtbot.waitUntil(lambda: page.subjects.current() is not None)
    page.follow("collection:1")
    qtbot.waitUntil(lambda: page.model.rowCount() == 2)
    settle()
    first, second = page.model.listing.ids
    assert window.context.topics.count_of("collection:1") == 2
    far = page.found.part(RecommendationTab.far)
    assert far and all(page.found.evidence[paper].weak for paper in far)
    assert not any(page.found.evidence[paper].weak for paper in (first, second))
    assert page.model.card(0).paper.abstract.startswith("Similar to “")
    assert page.model.listing.remarks[page.model.paper_at(0)].startswith("Key terms: ")

    page.list.setFocus()
    qtbot.keyClicks(page.list, "+")
    settle()
    assert list(page.model.listing.ids) == [second]
    assert first in gateway.workspace.library.feedback.members(1)

    window.actions_by_name["undo"].trigger()
    settle()
    assert set(page.model.listing.ids) == {first, second}
    assert first not in gateway.workspace.library.feedback.members(1)

    page.list.go_to(page.model.row_of(second))
    qtbot.keyClicks(page.list, "-")
    settle()
    assert list(page.model.listing.ids) == [first]
    assert list(page.found.part(RecommendationTab.dismissed)) == [second]

    page.mark_seen()
    settle()
    assert page.model.rowCount() == 0
    assert window.context.topics.count_of("collection:1") == 0
    jobs.shut_down()
