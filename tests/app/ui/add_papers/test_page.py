"""The intake page: queries, previews, fetches, imported files, citations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QPushButton, QWidget

from sciread_app.domain.citations import MissingPaper
from sciread_app.domain.fetch import FetchState, Preview, SourceQuery
from sciread_app.domain.paper import Edit, Identifier, Skipped
from sciread_app.errors import SourceError
from sciread_app.sources import SOURCES
from sciread_app.storage.history.import_log import Import
from sciread_app.ui.add_papers.fetch.preview_panel import LOOKING
from sciread_app.ui.add_papers.fetch.results_dialog import FetchResultsDialog
from sciread_app.ui.add_papers.imports.report import ImportReportDialog, MissingFilesDialog
from sciread_app.ui.add_papers.page import FILES, FIRST_SOURCE, IDENTIFIERS, AddPapersPage
from sciread_app.ui.view_models import CitationReport
from tests.support.generate.papers import paper
from tests.support.ui.fakes.add_papers import BUSY, CHANGES, FakeAddPapers, done, fetch_of
from tests.support.ui.fakes.gateway import FakeGateway
from tests.support.ui.heartbeat import FairHeartbeat

CITATIONS = FIRST_SOURCE + 3  # the tab after the three sources


@pytest.fixture
def show(qtbot, jobs, context) -> Callable[[FakeAddPapers], AddPapersPage]:
    def show(intake: FakeAddPapers) -> AddPapersPage:
        page = AddPapersPage(intake, context)
        page.resize(1160, 700)
        qtbot.addWidget(page)
        page.show()
        page.new_query()
        qtbot.waitUntil(lambda: page.form.isVisible() and not jobs.running())
        return page

    return show


def write(page: AddPapersPage, text: str, **bounds: str) -> None:
    page.form.line.setText(text)
    for name, value in bounds.items():
        getattr(page.form, name).setText(value)


def press(qtbot, button: QWidget) -> None:
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def chip(page: AddPapersPage, name: str) -> QPushButton:
    return next(b for b in page.form.findChildren(QPushButton, "chip") if b.text() == name)


def fetch(qtbot, page: AddPapersPage, text: str) -> None:
    write(page, text)
    press(qtbot, page.form.fetch_button)
    qtbot.waitUntil(lambda: any(f.query.text == text for f in page.work.fetches))


def card_of(page: AddPapersPage, text: str):
    return next(card for card in page.list.cards.values() if card.fetch.query.text == text)


def dialog_of(page: AddPapersPage, kind: type) -> QWidget | None:
    return next((d for d in page.findChildren(kind) if d.isVisible()), None)


# Writing a query.


def test_source_form_keeps_its_contents(qtbot, show):
    page = show(FakeAddPapers())
    write(page, "cat:cs.CL", since="2024")
    page.show_tab(FIRST_SOURCE + 2)
    assert page.form.line.text() == ""
    assert "malaria" in page.form.message.text()
    assert chip(page, "MeSH term")
    page.show_tab(FIRST_SOURCE)
    assert (page.form.line.text(), page.form.since.text()) == ("cat:cs.CL", "2024")


def test_field_button_inserts_the_field_syntax(qtbot, show):
    page = show(FakeAddPapers())
    press(qtbot, chip(page, "Author"))
    assert page.form.line.text() == 'au:"Hinton"'
    qtbot.keyClicks(page.form.line, "Curie")
    assert page.form.line.text() == 'au:"Curie"'
    page.form.line.end(False)
    press(qtbot, chip(page, "OR"))
    press(qtbot, chip(page, "Title"))
    assert page.form.line.text() == 'au:"Curie" OR ti:"attention"'


def test_query_error_is_shown_while_typing(qtbot, show):
    intake = FakeAddPapers()
    page = show(intake)
    qtbot.keyClicks(page.form.line, 'au:"Hin')
    qtbot.waitUntil(lambda: "never closed" in page.form.message.text())
    assert page.form.message.objectName() == "wrong"
    qtbot.keyClicks(page.form.line, 'ton"')
    qtbot.waitUntil(lambda: page.form.message.objectName() == "quiet")
    assert len([a for a in intake.calls if a.startswith("check")]) <= 4  # not at every letter


def test_empty_form_shows_no_error_before_a_request(qtbot, show):
    page = show(FakeAddPapers())
    assert page.form.message.objectName() == "quiet"
    qtbot.keyClick(page.form.line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "query is empty" in page.form.message.text())


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ({"since": "soon"}, "Since: “soon” is not a date"),
        ({"since": "2024", "until": "2023"}, "Until date is before the Since date"),
        ({"most": "lots"}, "not a number of papers"),
    ],
)
def test_invalid_dates_and_numbers_prevent_a_fetch(qtbot, show, bounds, expected):
    intake = FakeAddPapers()
    page = show(intake)
    write(page, "all:bees", **bounds)
    press(qtbot, page.form.fetch_button)
    assert expected in page.form.message.text()
    assert not intake.rows


# Preview.


def test_preview_shows_the_count_and_the_first_papers(qtbot, show):
    intake = FakeAddPapers()
    intake.preview_of = Preview(12_345, (paper("Bees"), paper("Wasps")), "It is cut into windows.")
    page = show(intake)
    write(page, "all:bees", most="5,000")
    qtbot.keyClick(page.form.line, Qt.Key.Key_Return)
    qtbot.waitUntil(page.preview.count.isVisible)
    assert page.preview.count.text() == "12,345 papers"
    assert "5,000 would be fetched" in page.preview.more.text()
    assert "first 2" in page.preview.more.text()
    assert page.preview.remark.text() == "It is cut into windows."
    qtbot.waitUntil(lambda: page.preview.model.card(1) is not None)
    assert page.preview.model.card(1).paper.title == "Wasps"
    assert not intake.rows  # nothing was fetched
    qtbot.keyClicks(page.form.line, "x")
    assert "previous version" in page.preview.more.text()


def test_preview_without_papers_is_shown(qtbot, show):
    intake = FakeAddPapers()
    intake.preview_of = Preview(0, ())
    page = show(intake)
    write(page, "all:beees")
    press(qtbot, page.form.look_button)
    qtbot.waitUntil(lambda: page.preview.empty.title.text() == "No papers found")


def test_preview_waiting_for_a_source_can_be_cancelled(qtbot, show, jobs):
    intake = FakeAddPapers()
    intake.go_on.clear()
    intake.note = "arXiv asks to wait (12 s)"
    page = show(intake)
    write(page, "all:bees")
    press(qtbot, page.form.look_button)
    qtbot.waitUntil(lambda: page.preview.empty.text.text() == "arXiv asks to wait (12 s)")
    assert page.preview.empty.title.text() == "Searching arXiv…"
    press(qtbot, page.preview.stop)
    qtbot.waitUntil(lambda: not jobs.running())
    assert page.preview.empty.title.text() == "Preview before fetching"


def test_preview_stopped_elsewhere_is_no_longer_waited_for(qtbot, show, jobs):
    intake = FakeAddPapers()
    intake.go_on.clear()
    page = show(intake)
    write(page, "all:bees")
    press(qtbot, page.form.look_button)
    qtbot.waitUntil(lambda: [job.title for job in jobs.running()] == [LOOKING])
    jobs.running()[0].cancel()
    qtbot.waitUntil(lambda: not jobs.running())
    assert page.preview.empty.title.text() == "Preview before fetching"
    assert not page.preview.stop.isVisible()


def test_unavailable_source_is_named(qtbot, show):
    intake = FakeAddPapers()
    intake.trouble = BUSY
    page = show(intake)
    write(page, "all:bees")
    press(qtbot, page.form.look_button)
    qtbot.waitUntil(lambda: page.preview.empty.title.text() == BUSY.message)
    assert page.preview.empty.text.text() == BUSY.hint


def test_second_preview_replaces_the_first(qtbot, show, jobs):
    intake = FakeAddPapers()
    intake.go_on.clear()
    page = show(intake)
    page.look(SourceQuery("arxiv", "first"))
    qtbot.waitUntil(lambda: "preview first" in intake.calls)
    page.look(SourceQuery("arxiv", "second"))
    qtbot.waitUntil(lambda: "preview second" in intake.calls)
    intake.go_on.set()
    qtbot.waitUntil(lambda: not jobs.running())
    assert page.preview.count.isVisible()


# Fetching.


def test_fetch_is_stored_with_its_bounds_and_adds_papers(qtbot, show, jobs, context):
    page = show(FakeAddPapers())
    came = []
    context.events.papers_added.connect(came.append)
    write(page, "all:bees", since="2024-02", until="2024-02", most="5000")
    qtbot.keyClick(page.form.line, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: bool(page.list.cards) and not jobs.running())
    card = card_of(page, "all:bees")
    assert card.fetch.query == SourceQuery("arxiv", "all:bees", "2024-02-01", "2024-02-29", 5000)
    assert card.bounds.text() == "Since 2024-02-01 · until 2024-02-29 · at most 5,000"
    assert card.counts.text() == "40 read: 39 new · 1 already in library"
    assert card.state.text().startswith("Fetched today")
    assert card.act.text() == "Refresh"
    assert [change.papers for change in came] == [True]


def test_fetch_card_shows_progress_and_waiting(qtbot, show, jobs, context):
    intake = FakeAddPapers()
    intake.go_on.clear()
    intake.note = "arXiv asks to wait (12 s)"
    page = show(intake)
    fetch(qtbot, page, "all:bees")
    card = card_of(page, "all:bees")
    qtbot.waitUntil(lambda: "10 of 40" in card.state.text())
    assert card.note.text() == "arXiv asks to wait (12 s)"
    assert (card.bar.value(), card.bar.maximum()) == (250, 1000)
    assert not card.remove.isEnabled()
    intake.go_on.set()
    qtbot.waitUntil(lambda: not jobs.running())
    assert card.bar.isHidden() and card.remove.isEnabled()
    busy = [call for call in context.navigate.calls if call[0] == "show_busy"]
    assert ("show_busy", "intake", True) in busy and busy[-1] == ("show_busy", "intake", False)


def test_fetch_is_stopped_and_resumed(qtbot, show, jobs):
    intake = FakeAddPapers()
    intake.go_on.clear()
    page = show(intake)
    fetch(qtbot, page, "all:bees")
    card = card_of(page, "all:bees")
    qtbot.waitUntil(lambda: "10 of 40" in card.state.text())
    press(qtbot, card.act)
    qtbot.waitUntil(lambda: not jobs.running())
    assert card.state.text().startswith("Stopped at 10 of 40")
    intake.go_on.set()
    assert card.act.text() == "Resume"
    press(qtbot, card.act)
    qtbot.waitUntil(lambda: not jobs.running() and card.fetch.state is FetchState.done)
    assert intake.calls.count("run all:bees") == 2


def test_fetches_of_one_source_run_one_at_a_time(qtbot, show, jobs):
    intake = FakeAddPapers([done("a"), done("b", id=2), done("c", id=3, source="pubmed")])
    intake.go_on.clear()
    page = show(intake)
    press(qtbot, page.list.all_button)
    qtbot.waitUntil(lambda: len(intake.at_once) == 2)
    assert sorted(intake.at_once) == ["arxiv", "pubmed"]
    waiting = [c for c in page.list.cards.values() if c.state.text().startswith("Queued")]
    assert [card.fetch.query.source for card in waiting] == ["arxiv"]
    assert not page.list.all_button.isEnabled()
    intake.go_on.set()
    qtbot.waitUntil(lambda: not jobs.running())
    assert sorted(a for a in intake.calls if a.startswith("run")) == ["run a", "run b", "run c"]
    assert intake.most_at_once == 1


def test_waiting_fetch_can_be_cancelled(qtbot, show, jobs):
    intake = FakeAddPapers([done("a"), done("b", id=2)])
    intake.go_on.clear()
    page = show(intake)
    press(qtbot, page.list.all_button)
    press(qtbot, card_of(page, "b").act)
    intake.go_on.set()
    qtbot.waitUntil(lambda: not jobs.running())
    assert "run b" not in intake.calls
    assert card_of(page, "b").state.text().startswith("Fetched")


def test_fetches_do_not_block_searches(qtbot, show, jobs):
    intake = FakeAddPapers([done(f"q{n}", id=n, source=f"source {n}") for n in range(1, 5)])
    intake.go_on.clear()
    page = show(intake)
    press(qtbot, page.list.all_button)
    qtbot.waitUntil(lambda: len(intake.at_once) == 4)
    answers = []
    jobs.run("Searching", lambda task: "found", answers.append)
    qtbot.waitUntil(lambda: answers == ["found"])
    intake.go_on.set()
    qtbot.waitUntil(lambda: not jobs.running())


def test_failed_fetch_shows_the_reason_on_its_card(qtbot, show, jobs, context):
    intake = FakeAddPapers()
    intake.trouble = BUSY
    page = show(intake)
    fetch(qtbot, page, "all:bees")
    qtbot.waitUntil(lambda: not jobs.running())
    card = card_of(page, "all:bees")
    assert card.problem.text() == BUSY.message
    assert card.act.text() == "Retry"
    assert [problem.message for _, problem in context.messages.calls] == [BUSY.message]


def test_changes_of_a_run_are_on_its_card(qtbot, show, jobs):
    intake = FakeAddPapers([done("bees")])
    intake.news = CHANGES
    page = show(intake)
    press(qtbot, card_of(page, "bees").act)
    qtbot.waitUntil(lambda: not jobs.running())
    assert card_of(page, "bees").note.text() == "1 new version · 1 now published · 1 retracted"


def test_results_of_a_run_are_listed_and_opened(qtbot, show, jobs, context):
    intake = FakeAddPapers([done("bees", added=12)])
    intake.news, intake.failures = CHANGES, (Skipped("page 3", "2101.00027", "It has no title."),)
    page = show(intake)
    press(qtbot, card_of(page, "bees").what)
    qtbot.waitUntil(lambda: dialog_of(page, FetchResultsDialog) is not None)
    dialog = dialog_of(page, FetchResultsDialog)
    shown = " ".join(label.text() for label in dialog.findChildren(QLabel))
    assert "12 new papers · 1 new version · 1 now published · 1 retracted" in shown
    assert "arXiv: bees" in shown and "Could not be read:" in shown
    show_papers = next(b for b in dialog.findChildren(QPushButton) if b.text().startswith("Show"))
    press(qtbot, show_papers)
    wanted = ("show_papers", list(range(1, 13)), "arXiv: bees")
    assert context.navigate.calls[-1] == wanted


def test_results_of_a_run_are_shown_on_the_map(qtbot, show_window, jobs):
    gateway = FakeGateway(80)
    gateway.intake = FakeAddPapers([done("bees", added=12)])
    window = show_window(gateway)
    window.new_query()
    page = window.other_page("intake")
    qtbot.waitUntil(lambda: bool(page.list.cards) and not jobs.running())
    press(qtbot, card_of(page, "bees").what)
    qtbot.waitUntil(lambda: dialog_of(page, FetchResultsDialog) is not None)
    names = dialog_of(page, FetchResultsDialog).findChildren(QPushButton)
    press(qtbot, next(button for button in names if button.text() == "Show on map"))
    library = window.page
    qtbot.waitUntil(lambda: library.map is not None and library.map.isVisible())
    assert tuple(library.view.listing.ids) == tuple(range(1, 13))
    assert library.view.title == "arXiv: bees"


def test_query_is_removed_as_an_edit_that_can_be_undone(qtbot, show_window, jobs):
    gateway = FakeGateway(2)
    gateway.intake = intake = FakeAddPapers([done("bees")])
    gateway.editor.remove_query = lambda id: Edit(intake.rows.pop(id).id, 0.0, "Removed")
    window = show_window(gateway)
    window.new_query()
    page = window.other_page("intake")
    qtbot.waitUntil(lambda: bool(page.list.cards) and not jobs.running())
    press(qtbot, card_of(page, "bees").remove)
    qtbot.waitUntil(lambda: not page.list.cards)
    assert window.context.toast.undo_button.isVisible()


def test_query_of_a_fetch_is_edited_as_a_new_one(qtbot, show):
    query = SourceQuery("pubmed", "malaria[mh]", "2020-01-01", "", 500)
    page = show(FakeAddPapers([fetch_of(query)]))
    press(qtbot, card_of(page, "malaria[mh]").edit)
    assert page.switch.current == FIRST_SOURCE + 2
    assert page.form.read() == query


def test_empty_fetch_list_has_a_placeholder(qtbot, show):
    page = show(FakeAddPapers())
    assert page.list._none.isVisible()
    assert not page.list.all_button.isVisible()


def test_long_query_does_not_widen_the_page(qtbot, show):
    page = show(FakeAddPapers([done("ti:bees OR " * 400)]))
    card = next(iter(page.list.cards.values()))
    assert card.query.width() < page.width()
    assert page.minimumSizeHint().width() <= 800


def test_fifty_running_fetches_keep_the_window_responsive(qtbot, show, jobs):
    intake = FakeAddPapers([done(f"q{n}", id=n, source=f"s{n % 5}") for n in range(50)])
    page = show(intake)
    heart = FairHeartbeat()
    heart.start()
    press(qtbot, page.list.all_button)
    qtbot.waitUntil(lambda: not jobs.running())
    # Generous: it must catch work of seconds on the window's own thread.
    assert heart.stop() < 1_000
    assert len([a for a in intake.calls if a.startswith("run")]) == 50


# Files and citations.


def test_cited_papers_that_are_missing_are_added(qtbot, show, jobs):
    intake = FakeAddPapers()
    intake.cited = [MissingPaper(Identifier("doi", f"10.1/{n}"), 9 - n) for n in range(3)]
    page = show(intake)
    page.show_tab(CITATIONS)
    missing = page.citations.missing
    qtbot.waitUntil(lambda: missing.list.count() == 3)
    assert "9" in missing.list.item(0).text() and not missing.add_button.isEnabled()
    press(qtbot, missing.titles_button)
    qtbot.waitUntil(lambda: "Title of 10.1/0" in missing.list.item(0).text())
    assert not missing.titles_button.isVisible()
    with qtbot.waitSignal(missing.added):
        missing.list.item(1).setSelected(True)
        press(qtbot, missing.add_button)
    qtbot.waitUntil(lambda: missing.list.count() == 2 and not jobs.running())
    assert intake.calls[-1] == "add 10.1/1"


def test_cited_papers_added_before_a_stop_are_announced(qtbot, show, jobs, monkeypatch):
    intake = FakeAddPapers()
    intake.cited = [MissingPaper(Identifier("doi", f"10.1/{n}"), 9 - n) for n in range(3)]

    def add_one_and_wait(names, task):
        intake.cited = intake.cited[1:]
        intake.go_on.clear()
        intake._work(task, 1, 2)

    monkeypatch.setattr(intake, "add_missing", add_one_and_wait)
    page = show(intake)
    page.show_tab(CITATIONS)
    missing = page.citations.missing
    qtbot.waitUntil(lambda: missing.list.count() == 3)
    missing.list.item(0).setSelected(True)
    missing.list.item(1).setSelected(True)
    press(qtbot, missing.add_button)
    qtbot.waitUntil(lambda: len(intake.cited) == 2)
    with qtbot.waitSignal(missing.added):
        jobs.running()[-1].cancel()
    qtbot.waitUntil(lambda: missing.list.count() == 2 and not jobs.running())
    assert missing.add_button.isEnabled()


def test_failed_look_up_of_titles_is_explained_in_the_panel(qtbot, show):
    intake = FakeAddPapers()
    intake.cited = [MissingPaper(Identifier("doi", "10.1/0"), 2)]
    intake.trouble = BUSY
    page = show(intake)
    page.show_tab(CITATIONS)
    missing = page.citations.missing
    qtbot.waitUntil(missing.titles_button.isVisible)
    press(qtbot, missing.titles_button)
    qtbot.waitUntil(lambda: BUSY.message in missing.message.text())


def test_list_is_hidden_once_all_cited_papers_are_added(qtbot, show, jobs):
    intake = FakeAddPapers()
    intake.cited = [MissingPaper(Identifier("doi", "10.1/0"), 9)]
    page = show(intake)
    page.show_tab(CITATIONS)
    missing = page.citations.missing
    qtbot.waitUntil(missing.list.isVisible)
    missing.list.item(0).setSelected(True)
    press(qtbot, missing.add_button)
    qtbot.waitUntil(lambda: not missing.list.isVisible() and not jobs.running())
    assert missing.message.isVisible() and not missing.add_button.isVisible()


def test_list_of_missing_papers_is_hidden_without_any(qtbot, show, jobs):
    page = show(FakeAddPapers())
    page.show_tab(CITATIONS)
    qtbot.waitUntil(lambda: not jobs.running())
    assert not page.citations.missing.isVisible()


def test_narrow_import_history_keeps_the_names(qtbot, show, jobs):
    intake = FakeAddPapers()
    intake.past = [Import(1, "/home/me/a.bib", 1_795_200_000.0, None, 12, 9, 2, 1)]
    page = show(intake)
    page.resize(640, 500)
    page.show_tab(FILES)
    qtbot.waitUntil(lambda: page.files.table.isVisible() and not jobs.running())
    table = page.files.table
    assert table.columnWidth(0) >= 110 and table.horizontalScrollBar().maximum() == 0
    assert not table.isColumnHidden(3)  # how many were new
    page.resize(1400, 500)
    qtbot.waitUntil(lambda: not any(table.isColumnHidden(n) for n in range(6)))


def test_files_are_imported_and_listed_in_the_history(qtbot, show, context):
    intake = FakeAddPapers()
    intake.past = [
        Import(2, "/home/me/a.bib", 1_795_200_000.0, 1_795_200_009.0, 12, 9, 2, 1),
        Import(1, "/home/me/b.pdf, /home/me/c.pdf", 1_795_100_000.0, None, 2, 1, 1, 0),
    ]
    intake.failures = (Skipped("a.bib", "smith", "It has no title."),)
    page = show(intake)
    page.show_tab(FILES)
    qtbot.waitUntil(lambda: page.files.model.rowCount() == 2)
    cells = [page.files.model.index(1, column).data() for column in range(6)]
    assert cells[0] == "b.pdf and 1 more" and cells[1].endswith("incomplete")
    for button in page.files.buttons():
        press(qtbot, button)
    called = [name for name, *_ in context.navigate.calls[-4:]]
    assert called == ["add_files", "add_folder", "import_zotero", "add_by_identifier"]
    page.files.table.selectRow(0)
    page.files.table.setFocus()
    qtbot.keyClick(page.files.table, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: dialog_of(page, ImportReportDialog) is not None)
    assert dialog_of(page, ImportReportDialog).summary.failures == intake.failures


def test_papers_of_a_past_import_are_shown(qtbot, show, context):
    intake = FakeAddPapers()
    intake.past = [
        Import(2, "/home/me/a.bib", 1_795_200_000.0, 1_795_200_009.0, 12, 3, 9, 0),
        Import(1, "/home/me/b.pdf", 1_795_100_000.0, 1_795_100_001.0, 1, 0, 1, 0),
    ]
    page = show(intake)
    page.show_tab(FILES)
    files = page.files
    qtbot.waitUntil(lambda: files.model.rowCount() == 2)
    assert not files.show_papers.isEnabled() and not files.show_report.isEnabled()
    files.table.selectRow(1)  # added none
    assert not files.show_papers.isEnabled() and files.show_report.isEnabled()
    files.table.selectRow(0)
    files.table.customContextMenuRequested.emit(
        files.table.visualRect(files.model.index(0, 0)).center()
    )
    menu = files.findChild(QMenu)
    offered = {action.text(): action for action in menu.actions()}
    offered["Show papers"].trigger()
    menu.close()
    shown = ("show_papers", (1, 2, 3), "a.bib")
    qtbot.waitUntil(lambda: shown in context.navigate.calls)


def test_query_refreshed_from_elsewhere_reports_its_papers(qtbot, show, jobs, context):
    page = show(FakeAddPapers([done("all:bees")]))
    page.show_tab(FILES)
    page.refresh_query(1)
    qtbot.waitUntil(lambda: bool(context.messages.calls))
    _, added, text, (_, show_papers) = context.messages.calls[-1]
    count = page._intake.rows[1].added
    assert str(count) in added and "all:bees" in text
    show_papers()
    name, papers, _ = context.navigate.calls[-1]
    assert name == "show_papers" and len(papers) == count
    page.new_query()
    assert page.form.isVisible() and page.switch.current == FIRST_SOURCE
    qtbot.waitUntil(lambda: not jobs.running())


def test_files_are_imported_without_sources(qtbot, jobs, context):
    intake = FakeAddPapers()
    intake.sources = lambda: 1 / 0
    page = AddPapersPage(intake, context)
    qtbot.addWidget(page)
    page.show()
    qtbot.waitUntil(lambda: bool(context.messages.calls))
    assert "ZeroDivisionError" in context.messages.calls[0][1].report
    page.show_files()
    assert page.files.add_files.isVisible()
    assert [button.text() for button in page.switch.tab_stops()] == [
        "Identifiers",
        "Files",
        "Citations",
    ]


def test_page_starts_with_identifiers_and_without_the_list_of_queries(qtbot, jobs, context):
    page = AddPapersPage(FakeAddPapers([done("bees")]), context)
    qtbot.addWidget(page)
    page.show()
    qtbot.waitUntil(lambda: not jobs.running())
    page.take_focus()
    assert page.switch.current == IDENTIFIERS
    assert page.identifiers.text.hasFocus() and not page.list.isVisible()
    page.show_tab(FIRST_SOURCE)
    assert page.list.isVisible()


def test_new_query_returns_to_the_source_shown_last(show):
    page = show(FakeAddPapers())
    page.show_tab(FIRST_SOURCE + 2)
    page.show_files()
    page.new_query()
    assert page.switch.current == FIRST_SOURCE + 2 and page.form.line.hasFocus()


def test_empty_import_history_has_a_placeholder(qtbot, show, jobs):
    page = show(FakeAddPapers())
    page.show_tab(FILES)
    qtbot.waitUntil(lambda: not jobs.running())
    assert page.files._empty.isVisible()


def test_citations_fetch_is_stopped_and_reported(qtbot, show, jobs):
    intake = FakeAddPapers()
    intake.go_on.clear()
    intake.note = "Semantic Scholar asks to wait (3 s)"
    page = show(intake)
    page.show_tab(CITATIONS)
    panel = page.citations
    press(qtbot, panel.act)
    qtbot.waitUntil(lambda: "5 of 20" in panel.state.text())
    assert panel.note.text() == intake.note
    press(qtbot, panel.act)
    qtbot.waitUntil(lambda: not panel.busy)
    assert panel.state.text().startswith("Stopped")
    intake.go_on.set()
    press(qtbot, panel.act)
    qtbot.waitUntil(lambda: panel.report.isVisible())
    assert panel.report.text() == "20 papers were asked for.\n900 citations are new."


def test_failed_citations_fetch_shows_the_reason_until_retried(qtbot, show, jobs):
    intake = FakeAddPapers()
    intake.trouble = SourceError("Semantic Scholar does not answer.", "Try again later.")
    page = show(intake)
    page.show_tab(CITATIONS)
    press(qtbot, page.citations.act)
    job = jobs.running()[-1]
    qtbot.waitUntil(page.citations.problem.isVisible)
    assert page.citations.problem.text() == "Semantic Scholar does not answer.\nTry again later."
    intake.trouble = None
    job.retry()  # as in Activity
    assert page.citations.busy and not page.citations.problem.isVisible()
    qtbot.waitUntil(page.citations.report.isVisible)


def test_missing_citations_are_listed(qtbot, show):
    intake = FakeAddPapers()
    failed = [Skipped("Semantic Scholar", "3 papers", "It does not answer.")]
    intake.cite = lambda task: CitationReport(["5 papers asked for."], failed)
    page = show(intake)
    page.show_tab(CITATIONS)
    press(qtbot, page.citations.act)
    qtbot.waitUntil(page.citations.failures.isVisible)
    press(qtbot, page.citations.failures)
    assert dialog_of(page, MissingFilesDialog).summary.failures == failed


# Keyboard.


def test_controls_are_reached_by_keyboard_and_named(qtbot, show):
    page = show(FakeAddPapers([done("bees")]))
    qtbot.waitUntil(card_of(page, "bees").act.isVisible)
    page.form.take_focus()
    reached, widget = [], page.form.line
    for _ in range(60):
        reached.append(widget)
        qtbot.keyClick(widget, Qt.Key.Key_Tab)
        widget = QApplication.focusWidget()
        if widget in reached:
            break
    card = card_of(page, "bees")
    for wanted in (
        page.form.look_button, page.form.fetch_button, chip(page, "Author"), page.form.since,
        page.form.most,
        card.act, card.what, card.edit, card.remove, page.switch.tab_stops()[0],
    ):  # fmt: skip
        assert wanted in reached, wanted.accessibleName()
        assert wanted.accessibleName() or wanted.text()
    assert card.accessibleName() == "arXiv: bees"
    assert card.act.accessibleName() == "Refresh: bees"


def test_query_in_the_sample_library_can_be_saved_in_the_own_one(qtbot, show, context, tmp_path):
    intake, own = FakeAddPapers(), FakeAddPapers()
    intake.own_library = tmp_path
    page = show(intake)
    write(page, "cat:hep-th")
    press(qtbot, page.form.fetch_button)
    qtbot.waitUntil(lambda: any(call[0] == "show_notice" for call in context.messages.calls))
    name, offer = context.messages.calls[-1][-1]
    assert "save" in name
    with qtbot.waitSignal(context.events.library_requested) as requested:
        offer()
    folder, then = requested.args
    assert folder == tmp_path and intake.rows == {}
    there = show(own)
    then(SimpleNamespace(go_to=lambda key: None, page_of=lambda cls: there))
    qtbot.waitUntil(lambda: [fetch.query.text for fetch in own.rows.values()] == ["cat:hep-th"])


def test_tabs_of_all_sources_fit_on_one_line(qtbot, show):
    intake, titles = FakeAddPapers(), [source.TITLE for source in SOURCES]
    forms = [replace(intake.sources()[0], title=title) for title in titles]
    intake.sources = lambda: forms
    page = show(intake)
    page.resize(1152, 700)
    buttons = page.switch.tab_stops()
    assert len(buttons) == len(titles) + 3
    qtbot.waitUntil(lambda: buttons[-1].x() > 0)
    assert len({button.y() for button in buttons}) == 1
