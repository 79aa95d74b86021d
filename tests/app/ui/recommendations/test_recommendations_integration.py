"""Recommendations of a real library: keep, undo, dismiss and mark as seen."""

from __future__ import annotations

from PySide6.QtCore import Qt

from sciread_app.ui.recommendations.view_models import RecommendationTab


def test_recommended_papers_are_kept_restored_dismissed_and_seen(
    qtbot, jobs, show_window, bees_gateway
):
    def settle() -> None:
        qtbot.waitUntil(lambda: not jobs.running())

    feedback = bees_gateway.workspace.library.feedback
    window = show_window(bees_gateway)
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
    assert first in feedback.members(1)

    window.actions_by_name["undo"].trigger()
    settle()
    assert set(page.model.listing.ids) == {first, second}
    assert first not in feedback.members(1)

    page.list.go_to(page.model.row_of(second))
    qtbot.keyClicks(page.list, "-")
    settle()
    assert list(page.model.listing.ids) == [first]
    assert list(page.found.part(RecommendationTab.dismissed)) == [second]

    page.mark_seen()
    settle()
    assert page.model.rowCount() == 0
    assert window.context.topics.count_of("collection:1") == 0
