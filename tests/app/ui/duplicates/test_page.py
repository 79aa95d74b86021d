"""The duplicates page: pairs side by side, decisions by mouse and by key."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QMenu

from sciread_app.domain.matching.field_comparison import Merge
from sciread_app.domain.paper import Identifier, LibraryChanges, PaperId
from sciread_app.errors import LibraryError
from sciread_app.ui.duplicates.comparison import comparison, joined
from sciread_app.ui.duplicates.comparison_panel import ComparisonCell
from sciread_app.ui.duplicates.page import MERGED, TO_LOOK_AT, VERSIONS, DuplicatesPage
from tests.support.ui.fakes.duplicates import ONE, OTHER, FakeDuplicates
from tests.support.ui.fakes.gateway import FakeGateway

Key = Qt.Key


@pytest.fixture
def reviewer():
    reviewer = FakeDuplicates()
    reviewer.add(ONE, OTHER)
    reviewer.add(replace(ONE, title="Wasps"), replace(OTHER, title="Wasps"), agree=True)
    reviewer.add(replace(ONE, title="Ants"), replace(OTHER, title="Ants"))
    reviewer.add(replace(ONE, title="Crickets"), OTHER, versions=True)
    return reviewer


class FakeEdits:
    """Runs edits at once, or only records them if `runs` is False."""

    def __init__(self, reviewer):
        self.reviewer, self.runs = reviewer, True
        self.page, self.titles = None, []

    def submit(self, title, step):
        self.titles.append(title)
        if self.runs:
            step(self.reviewer)
            self.page.library_changed(LibraryChanges(papers=True))


@pytest.fixture
def edits(reviewer):
    return FakeEdits(reviewer)


@pytest.fixture
def page(qtbot, jobs, context, reviewer, edits):
    page = edits.page = DuplicatesPage(reviewer, replace(context, edits=edits))
    qtbot.addWidget(page)
    page.resize(1100, 700)
    page.show()
    with qtbot.waitSignal(page.actions_changed):
        page.refresh()
    yield page
    qtbot.waitUntil(lambda: not jobs.running())


def cell(page, field, side):
    return page.panel.cells[field][side]


def marked(row):
    return [text for text, differs in row.right if differs]


def test_pair_is_shown_side_by_side_with_differences_marked(page):
    assert page.count.text() == "3 pairs" and page.list.current.title == "The life of bees"
    assert page.panel.reason.text() == "The titles are similar"
    rows = {row.name: row for row in page.panel.found.rows}
    assert marked(rows["Abstract"]) == ["trees"]
    assert {"Source", "Added", "Notes and tags"} <= set(rows)
    assert rows["Notes and tags"].left == (("read · ★★★★ · 2 notes · red · thesis", False),)
    assert "None" in cell(page, "venue", 1).text.text()
    assert (rows["Abstract"].remark, rows["Title"].remark) == (
        "Different",
        "Different format",
    )
    assert rows["Identifiers"].remark == "Both kept"


def test_first_comparison_is_built_in_several_passes_of_the_event_loop(
    qtbot, jobs, context, reviewer, monkeypatch
):
    passes, built = 0, []
    page = DuplicatesPage(reviewer, context)
    qtbot.addWidget(page)
    build, cells = ComparisonCell.__init__, []

    def count():
        nonlocal passes
        passes += 1

    def counted(cell, *arguments):
        cells.append(passes)
        build(cell, *arguments)

    monkeypatch.setattr(ComparisonCell, "__init__", counted)
    timer = QTimer(page, interval=0)
    timer.timeout.connect(count)
    timer.start()
    page.actions_changed.connect(lambda: built.append(passes))
    page.show()
    page.refresh()
    qtbot.waitUntil(lambda: bool(built))
    assert max(Counter(cells).values()) <= 4 and built[0] > max(cells)
    assert page.panel.isVisible()
    timer.stop()
    qtbot.waitUntil(lambda: not jobs.running())


def test_long_word_does_not_widen_its_side(qtbot, page, reviewer):
    long = "Wissenschaftlichtechnischezusammenarbeitsgemeinschaft"
    reviewer.add(replace(ONE, title=long), replace(OTHER, title="Moths"))
    with qtbot.waitSignal(page.actions_changed):
        page.library_changed(LibraryChanges(papers=True))
    with qtbot.waitSignal(page.actions_changed):
        page.list.setCurrentIndex(page.list.model().index(3, 0))
    first, second = (cell(page, "title", side) for side in (0, 1))
    assert first.minimumSizeHint().width() == second.minimumSizeHint().width()


def test_long_word_is_copied_without_break_marks(qtbot, page, reviewer):
    long = "Wissenschaftlichtechnischezusammenarbeitsgemeinschaft"
    reviewer.add(replace(ONE, title=long), replace(OTHER, title=long))
    with qtbot.waitSignal(page.actions_changed):
        page.library_changed(LibraryChanges(papers=True))
    with qtbot.waitSignal(page.actions_changed):
        page.list.setCurrentIndex(page.list.model().index(3, 0))
    # A value that is the same on both sides is selectable text instead of a choice.
    text = next(label for label in page.panel.findChildren(QLabel) if long[:16] in label.text())
    text.setSelection(0, len(text.text()))
    qtbot.keyClick(text, Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == long
    QApplication.sendEvent(
        text, QContextMenuEvent(QContextMenuEvent.Reason.Mouse, QPoint(5, 5), QPoint(5, 5))
    )
    menu = text.findChild(QMenu)
    offered = {action.text(): action for action in menu.actions()}
    QGuiApplication.clipboard().clear()
    offered["Select all"].trigger()
    offered["Copy"].trigger()
    assert QGuiApplication.clipboard().text() == long
    menu.close()


def test_default_choices_are_those_of_a_merge(page):
    assert page.panel.found.keep == 0
    wins = {
        field: page.panel.found.wins[field] for field in ("title", "venue", "kind", "published")
    }
    assert wins == {"title": 0, "venue": 0, "kind": 1, "published": 1}
    assert cell(page, "kind", 1).button.isChecked() and page.panel.selected == {}


@pytest.mark.parametrize(
    ("key", "asked"),
    [(Key.Key_K, "keep 1 2"), (Key.Key_V, "versions 1 2"), (Key.Key_M, "merge 1 2")],
)
def test_key_decides_a_pair_and_shows_the_next(qtbot, show_window, reviewer, key, asked):
    gateway = FakeGateway(10)
    gateway.duplicates = reviewer
    for verb in ("merge", "mark_not_duplicates", "mark_as_versions"):
        setattr(gateway.editor, verb, getattr(reviewer, verb))
    window = show_window(gateway)
    window.go_to("duplicates")
    page = window.other_page("duplicates")
    qtbot.waitUntil(lambda: page.panel.found is not None)
    qtbot.keyClick(page.list, key)
    qtbot.waitUntil(lambda: reviewer.calls == [asked])
    qtbot.waitUntil(lambda: page.list.current.title == "Wasps")
    assert window.library_controller.notice.isVisible()


def test_source_of_a_record_is_named(context, reviewer):
    bib, ris = replace(ONE, source="bibtex", source_id="note1"), replace(OTHER, source="ris")
    reviewer.add(bib, ris)
    pair = reviewer.pairs()[-1]
    (row,) = (row for row in comparison(pair, reviewer.sides(pair)).rows if row.name == "Source")
    assert (joined(text for text, _ in row.left), joined(text for text, _ in row.right)) == (
        "BibTeX note1 · refs.bib",
        "RIS · old.ris",
    )


def test_papers_are_close_to_each_other_in_a_wide_window(page, qtbot):
    page.resize(2560, 1400)
    one, other = page.panel.cells["abstract"]
    qtbot.waitUntil(lambda: page.panel.width() > 2000)
    assert other.mapTo(page, QPoint()).x() - one.mapTo(page, QPoint()).x() < 700


def test_context_menu_of_a_pair_shows_both_papers_on_the_map(qtbot, show_window, reviewer):
    gateway = FakeGateway(80)
    gateway.duplicates = reviewer
    window = show_window(gateway)
    window.go_to("duplicates")
    page = window.other_page("duplicates")
    qtbot.waitUntil(lambda: page.panel.found is not None)
    page.list.customContextMenuRequested.emit(QPoint(5, 5))
    menu = page.findChild(QMenu)
    offered = {action.text().replace("&", ""): action for action in menu.actions()}
    assert "Keep both papers" in offered
    offered["Show selected papers on the map"].trigger()
    menu.close()
    page = window.page
    qtbot.waitUntil(lambda: page.map is not None and page.map.isVisible())
    assert tuple(page.view.listing.ids) == (1, 2)


def test_selected_papers_are_merged_and_split_from_the_menu(qtbot, show_window):
    asked = []
    gateway = FakeGateway(10)
    gateway.editor.merge_into_best = lambda ids: asked.append(("merge", ids))
    gateway.editor.split = lambda id: asked.append(("split", id))
    window = show_window(gateway)
    merge, split = (window.actions_by_name[name] for name in ("merge", "split"))
    merge.trigger()
    assert window.library_controller.notice.isVisible() and asked == []
    split.trigger()
    window.page.result_list.selectAll()
    merge.trigger()
    qtbot.waitUntil(lambda: len(asked) == 2)
    (_, paper), (_, papers) = asked
    assert paper in papers and sorted(papers) == list(range(1, 11))


def test_clicked_value_is_kept_by_the_merge(qtbot, page, reviewer):
    qtbot.mouseClick(cell(page, "title", 1), Qt.MouseButton.LeftButton)
    assert cell(page, "title", 1).objectName() == "winner"
    assert cell(page, "title", 0).objectName() == "choice"
    with qtbot.waitSignal(page.actions_changed):
        qtbot.mouseClick(page.panel.merge, Qt.MouseButton.LeftButton)
    assert reviewer.calls == ["merge 1 2 title=The Life of Bees."]


def test_left_and_right_keys_choose_all_values_of_one_paper(qtbot, page, reviewer):
    qtbot.keyClick(page.list, Key.Key_Right)
    assert set(page.panel.selected) == {"title", "authors", "venue", "abstract"}
    qtbot.keyClick(page.list, Key.Key_Left)
    assert set(page.panel.selected) == {"kind", "published"}


def test_down_key_goes_to_the_next_pair(qtbot, page):
    with qtbot.waitSignal(page.actions_changed):
        qtbot.keyClick(page.list, Key.Key_Down)
    assert page.panel.found.pair.title == "Wasps"


def test_formulas_in_merged_titles_are_unicode(qtbot, page, reviewer):
    reviewer.merged.append(Merge(1, PaperId(1), "On $x^2$", "On $y^2$", "both have DOI x", 0.0, ""))
    page.lists.tab_stops()[MERGED].click()
    qtbot.waitUntil(lambda: page.merges.current is not None)
    assert page.merges.model.index(0, 0).data() == "On y² → On x²"


def test_merge_of_equal_titles_shows_one_and_the_file_by_name(qtbot, page, reviewer):
    source = "/home/marie/old library.bib"
    reviewer.merged.append(Merge(1, PaperId(1), "On x", "[On X.]", "both have DOI x", 0.0, source))
    page.lists.tab_stops()[MERGED].click()
    qtbot.waitUntil(lambda: page.merges.current is not None)
    shown = page.merges.model.index(0, 0)
    assert shown.data() == "On x"
    reason = shown.data(Qt.ItemDataRole.ToolTipRole)
    assert reason.startswith("Both have DOI x") and reason.endswith("old library.bib")
    assert "/home" not in reason


def test_merge_all_button_merges_agreeing_pairs(qtbot, page, reviewer):
    assert page.merge_all.text() == "Merge all identical pairs (1)"
    with qtbot.waitSignal(page.actions_changed):
        qtbot.mouseClick(page.merge_all, Qt.MouseButton.LeftButton)
    assert reviewer.calls == ["merge all"] and page.count.text() == "2 pairs"
    assert page.merge_all.isHidden()


def test_second_decision_is_ignored_while_the_first_runs(qtbot, page, reviewer, edits):
    edits.runs = False
    page.mark_not_duplicates()
    page.merge()
    assert page.busy and not page.panel.merge.isEnabled() and reviewer.calls == []
    with qtbot.waitSignal(page.actions_changed):
        page.library_changed(LibraryChanges(papers=True))  # the edit failed or is done
    assert page.panel.merge.isEnabled()


def test_versions_are_in_a_separate_list(qtbot, page):
    assert "V versions" in page.panel.hint.text()
    with qtbot.waitSignal(page.actions_changed):
        page.lists.tab_stops()[VERSIONS].click()
    assert page.panel.found.pair.title == "Crickets"
    assert page.panel.versions.isHidden() and page.panel.keep.text() == "Unlink"
    assert "V versions" not in page.panel.hint.text()
    with qtbot.waitSignal(page.actions_changed):
        page.mark_not_duplicates()
    assert page.empty.isVisible() and page.empty.title.text() == "No versions"
    with qtbot.waitSignal(page.actions_changed):
        page.lists.tab_stops()[TO_LOOK_AT].click()


def test_line_offers_a_search_while_it_is_due(qtbot, jobs, page, reviewer, context):
    assert not page.search_due.isVisible()
    reviewer.search_due = True
    with qtbot.waitSignal(page.actions_changed):
        page.library_changed(LibraryChanges(papers=True))
    assert page.search_due.isVisible()
    with qtbot.waitSignal(context.events.library_changed):
        qtbot.mouseClick(page.search_due.button, Qt.MouseButton.LeftButton)
        assert not page.search_due.isVisible() and not page.search.isEnabled()
    with qtbot.waitSignal(page.actions_changed):
        page.library_changed(LibraryChanges(papers=True))
    assert not page.search_due.isVisible() and page.count.text() == "4 pairs"


def test_page_without_pairs_has_a_placeholder(qtbot, jobs, context):
    page = DuplicatesPage(FakeDuplicates(), context)
    qtbot.addWidget(page)
    page.show()
    with qtbot.waitSignal(page.actions_changed):
        page.refresh()
    assert page.empty.isVisible() and page.empty.title.text() == "No duplicates to review"
    assert page.merge_all.isHidden()


def test_pair_with_a_removed_paper_is_replaced_by_the_next(qtbot, page, reviewer):
    removed = page.list.current
    del reviewer._sides[removed.a, removed.b]
    reviewer._pairs.remove(removed)
    with qtbot.waitSignal(page.actions_changed):
        page._show_pair(removed)
    assert page.list.current.title == "Wasps"


def test_merged_pair_is_selected_again_after_undo(qtbot, page, reviewer):
    pairs = reviewer.pairs()
    with qtbot.waitSignal(page.actions_changed):
        page.merge()
    qtbot.keyClick(page.list, Key.Key_Down)
    assert page.list.current.title == "Ants"
    reviewer._pairs = pairs
    page.library_changed(LibraryChanges(papers=True))
    qtbot.waitUntil(lambda: page.list.current == pairs[0])


def test_comma_after_an_identifier_is_not_marked_as_a_difference():
    many = replace(ONE, identifiers=(*ONE.identifiers, Identifier("pmid", "12")))
    reviewer = FakeDuplicates([(ONE, many)])
    [pair] = reviewer.pairs()
    rows = {row.field: row for row in comparison(pair, reviewer.sides(pair)).rows}
    assert marked(rows["identifiers"]) == ["PubMed: 12"]
    assert joined(text for text, _ in rows["identifiers"].right) == "DOI: 10.1000/bees, PubMed: 12"


def test_focusable_controls_have_accessible_names(page):
    for cells in page.panel.cells.values():
        assert all(cell.button.accessibleName() for cell in cells)
    assert page.list.accessibleName() and page.lists.accessibleName()


def test_equal_papers_have_no_choices():
    reviewer = FakeDuplicates([(ONE, ONE)])
    [pair] = reviewer.pairs()
    assert not any(row.choice for row in comparison(pair, reviewer.sides(pair)).rows)


def test_key_pressed_during_loading_acts_on_the_first_pair(qtbot, show_window, hold):
    gateway = FakeGateway(10)
    gateway.duplicates.add(ONE, OTHER)
    gateway.editor.merge = gateway.duplicates.merge
    window = show_window(gateway)
    window.activateWindow()
    go_on = hold(gateway.duplicates, "pairs")
    qtbot.keyClick(window.page.result_list, Key.Key_7, Qt.KeyboardModifier.ControlModifier)
    page = window.other_page("duplicates")
    assert page.isVisible() and page.panel.found is None
    qtbot.keyClick(window.focusWidget(), Key.Key_M)
    qtbot.keyClick(window.focusWidget(), Key.Key_M)  # the second press is ignored
    assert gateway.duplicates.calls == []
    go_on.set()
    qtbot.waitUntil(lambda: gateway.duplicates.calls == ["merge 1 2"])
    qtbot.waitUntil(lambda: page.empty.isVisible() and not window._jobs.running())
    assert gateway.editor.calls == []


def test_key_pressed_during_loading_without_pairs_is_dropped(qtbot, jobs, context, hold):
    reviewer = FakeDuplicates()
    edits = FakeEdits(reviewer)
    go_on = hold(reviewer, "pairs")
    page = edits.page = DuplicatesPage(reviewer, replace(context, edits=edits))
    qtbot.addWidget(page)
    page.show()
    page.refresh()
    page.merge()
    with qtbot.waitSignal(page.actions_changed):
        go_on.set()
    reviewer.add(ONE, OTHER)
    with qtbot.waitSignal(page.actions_changed):
        page.library_changed(LibraryChanges(papers=True))
    qtbot.waitUntil(lambda: page.panel.found is not None)
    assert edits.titles == []


@pytest.fixture
def slow_comparison(reviewer, hold):
    """An event; papers are not compared while it is not set."""
    release = hold(reviewer, "sides")
    release.set()
    return release


def test_merge_requested_in_the_merged_list_is_not_applied_to_a_pair(
    qtbot, jobs, page, reviewer, slow_comparison
):
    reviewer.merged.append(Merge(1, PaperId(1), "On x", "On X", "both have DOI x", 0.0, ""))
    slow_comparison.clear()
    qtbot.keyClick(page.list, Key.Key_Down)
    page.lists.tab_stops()[MERGED].click()
    qtbot.waitUntil(lambda: page.merges.isVisible())
    page.merge()
    slow_comparison.set()
    qtbot.waitUntil(lambda: not jobs.running())
    assert page.merges.isVisible()
    page.lists.tab_stops()[TO_LOOK_AT].click()
    qtbot.waitUntil(lambda: page.panel.isVisible() and page.panel.merge.isEnabled())
    assert reviewer.calls == []


@pytest.mark.parametrize("leave", ["pair", "list"])
def test_merge_requested_for_a_loading_pair_is_not_applied_to_another(
    qtbot, jobs, page, reviewer, slow_comparison, leave
):
    slow_comparison.clear()
    qtbot.keyClick(page.list, Key.Key_Down)
    page.merge()
    if leave == "pair":
        qtbot.keyClick(page.list, Key.Key_Down)
    else:
        page.lists.tab_stops()[VERSIONS].click()
    slow_comparison.set()
    title = "Ants" if leave == "pair" else "Crickets"
    qtbot.waitUntil(lambda: page.panel.found is not None and page.panel.found.pair.title == title)
    qtbot.waitUntil(lambda: not jobs.running())
    assert reviewer.calls == []


def test_wide_file_name_is_elided_with_its_full_name_in_the_tooltip(qtbot, appearance):
    name = "1998_0042.1783_2017-11-12_10.1103_0031-9007_80.17_3891_v2_2024.pdf"
    cell = ComparisonCell("Files of the first paper", appearance)
    qtbot.addWidget(cell)
    cell.resize(200, 60)
    cell.show_pieces((("bees.pdf", False), (name, True)), choice=False)
    cell.show()
    assert "bees.pdf" in cell.text.text() and "…" in cell.text.text()
    assert name not in cell.text.text() and name in cell.text.toolTip()
    assert cell.text.sizeHint().width() <= cell.width()
    cell.resize(1200, 60)
    assert name in cell.text.text() and not cell.text.toolTip()


def test_escape_and_the_back_button_return_to_the_library(qtbot, show_window, reviewer):
    gateway = FakeGateway(10)
    gateway.duplicates = reviewer
    window = show_window(gateway)
    page = window.other_page("duplicates")
    for leave in (
        lambda: qtbot.keyClick(page.list, Key.Key_Escape),
        lambda: qtbot.mouseClick(page.back, Qt.MouseButton.LeftButton),
    ):
        window.go_to("duplicates")
        qtbot.waitUntil(lambda: page.panel.found is not None)
        leave()
        assert window.shows("search")


def test_failed_load_is_explained_and_can_be_retried(qtbot, jobs, page, reviewer, edits):
    pairs = reviewer.pairs

    def fail(task=None):
        raise LibraryError("The library is locked.", "Try again.")

    reviewer.pairs = fail
    page.merge()  # and the list is loaded again
    qtbot.waitUntil(lambda: page.empty.isVisible() and not jobs.running())
    assert page.empty.title.text() == "The library is locked."
    page.merge()  # nothing that is shown
    assert len(edits.titles) == 1
    reviewer.pairs = pairs
    page.empty.buttons()[0].click()
    qtbot.waitUntil(lambda: page.panel.isVisible() and page.panel.merge.isEnabled())
    page.merge()
    assert len(edits.titles) == 2
    qtbot.waitUntil(lambda: not jobs.running())


def test_stopped_load_can_be_retried(qtbot, jobs, page, reviewer):
    pairs = reviewer.pairs

    def wait(task):
        while True:
            task.raise_if_cancelled()

    reviewer.pairs = wait
    page.library_changed(LibraryChanges(papers=True))
    jobs.running()[-1].cancel()
    qtbot.waitUntil(page.empty.isVisible)
    reviewer.pairs = pairs
    page.empty.buttons()[0].click()
    qtbot.waitUntil(lambda: page.panel.isVisible() and page.panel.merge.isEnabled())


def test_pair_that_cannot_be_compared_leaves_the_others_usable(
    qtbot, jobs, page, reviewer, context, edits, monkeypatch
):
    sides = reviewer.sides

    def fail(pair):
        if pair.title == "Wasps":
            raise LibraryError("The library is locked.")
        return sides(pair)

    monkeypatch.setattr(reviewer, "sides", fail)
    qtbot.keyClick(page.list, Key.Key_Down)
    qtbot.waitUntil(lambda: bool(context.messages.calls) and not jobs.running())
    page.merge()
    assert not edits.titles
    qtbot.keyClick(page.list, Key.Key_Down)
    qtbot.waitUntil(lambda: page.panel.found is not None and not jobs.running())
    assert page.panel.found.pair.title == "Ants"
    page.merge()
    assert edits.titles
    qtbot.waitUntil(lambda: not jobs.running())


def test_repeated_search_is_shown_as_the_first(qtbot, jobs, page, reviewer, monkeypatch):
    def fail(task):
        raise LibraryError("The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(reviewer, "search", fail)
        page.find_duplicates()
        job = jobs.running()[-1]
        qtbot.waitUntil(page.search.isEnabled)
    job.retry()  # as in Activity
    assert not page.search.isEnabled()
    qtbot.waitUntil(page.search.isEnabled)
