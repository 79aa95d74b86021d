"""The panel of a paper: its data, notes, files and related papers."""

from __future__ import annotations

import errno
import sys
import threading
import time
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QSettings, Qt, QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMessageBox

from sciread_app.domain.citations import CitationDirection, CitationList, LinkedPaper, Mention
from sciread_app.domain.clipboard_formats import CopyAs, CopyCitation
from sciread_app.domain.metadata.guesses import author_guess, title_guess, year_guess
from sciread_app.domain.paper import Author, Identifier, LibraryChanges, PaperFile, PaperId
from sciread_app.domain.search_hit import SearchHit
from sciread_app.errors import LibraryError
from sciread_app.services.library.note_drafts import NEW
from sciread_app.ui.jobs.runner import JobQueue
from sciread_app.ui.paper import style_picker
from sciread_app.ui.paper.details_panel import DetailsPanel
from sciread_app.ui.paper.related_papers import CITING, REFERENCES
from sciread_app.ui.paper.style_picker import StylePicker
from sciread_app.ui.view_models import Card, LookedUpText, PaperNote, ResultList
from tests.support.generate.papers import paper
from tests.support.ui.fakes.gateway import FakeGateway

CELL = """<style xmlns="http://purl.org/net/xbiblio/csl" class="in-text" version="1.0">
  <info><title>Cell</title><id>http://www.zotero.org/styles/cell</id>
    <updated>2026-01-01T00:00:00+00:00</updated></info>
  <citation><layout><text variable="title"/></layout></citation>
</style>"""
DOI = Identifier("doi", "10.5555/other")
NOW = time.time()
OUTSIDE = CitationList((LinkedPaper(DOI),), (), 1, 1, NOW, True)
TITLED = CitationList(
    (LinkedPaper(DOI, None, Mention(DOI, "Of Wasps", "A. Vespa")),), (), 1, 0, NOW, True
)


@pytest.fixture
def gateway():
    return FakeGateway(20)


@pytest.fixture
def show(qtbot, gateway, context):
    """Return a function that shows a paper and waits until all its details are loaded."""
    panels = []

    def show_paper(id=1, panel=None):
        panel = panel or DetailsPanel(gateway.about, context)
        if panel not in panels:
            panels.append(panel)
            panel.resize(520, 3000)
            qtbot.addWidget(panel)
            panel.show()
        panel.show_paper(id, Card(gateway.paper(id)))
        qtbot.waitUntil(lambda: panel.details is not None and panel.details.whole)
        return panel

    return show_paper


def test_two_panels_look_up_papers_independently(qtbot, gateway, context):
    panels = [DetailsPanel(gateway.about, context) for _ in range(2)]
    for id, panel in enumerate(panels, start=1):
        qtbot.addWidget(panel)
        panel.show_paper(id)
    for id, panel in enumerate(panels, start=1):
        qtbot.waitUntil(lambda panel=panel: panel.details is not None)
        assert panel.details.paper.id == id


def test_narrow_panel_cuts_nothing_off(show):
    panel = show()
    panel.resize(100, 600)
    area = panel.parts.area
    assert area.widget().width() <= area.viewport().width()


@pytest.mark.parametrize("width", [760, 480, 390])
def test_buttons_are_in_one_line_beside_a_list(show, gateway, width):
    gateway.about.files = [PaperFile(Path("/x/bees.pdf"), 2_400_000, 12)]
    panel = show()
    panel.resize(width, 700)
    parts = panel.parts
    buttons = (parts.read_file, parts.similar, parts.read, parts.copy)
    assert all(button.isVisible() for button in buttons)
    middles = {button.geometry().center().y() for button in buttons}
    assert max(middles) - min(middles) <= 1
    assert parts.similar.accessibleName() and parts.copy.text()
    assert parts.read.accessibleName() == "Mark as read"


@pytest.mark.parametrize("height", [300, 3000])
def test_buttons_of_a_wide_panel_begin_where_the_text_begins(show, qtbot, height):
    panel = show()
    panel.resize(1200, height)
    parts = panel.parts
    assert (parts.area.verticalScrollBar().maximum() > 0) is (height == 300)

    def left(widget):
        return widget.mapTo(panel, widget.rect().topLeft()).x()

    qtbot.waitUntil(lambda: abs(left(parts.similar) - left(parts.head)) <= 1)


def shown(text):
    return text.toPlainText()


# ---- data ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("abstract, headed", [("On bees.", True), ("", False)])
def test_only_an_abstract_has_a_heading(qtbot, gateway, abstract, headed, context):
    panel = DetailsPanel(gateway.about, context)
    qtbot.addWidget(panel)
    known = paper(abstract=abstract, authors="Bee, Ann", published="2020")
    panel.show_paper(3, Card(known))
    assert ("ABSTRACT" in shown(panel.parts.body)) == headed
    assert panel.parts.body.isHidden() != headed


def test_card_contents_are_shown_before_the_lookup(qtbot, gateway, context):
    panel = DetailsPanel(gateway.about, context)
    qtbot.addWidget(panel)
    panel.show_paper(3, Card(gateway.paper(3), tags=("maths",), rating=4))
    assert "Paper 3" in shown(panel.parts.head)
    assert panel.parts.stars.stars == 4
    panel.show()
    assert panel.parts.body.isVisible() and not panel.parts.notes.isVisible()


@pytest.mark.parametrize(
    ("extra", "title", "why"),
    [
        ({"retraction_in": "12345"}, "This paper was retracted", "PubMed 12345"),
        ({"withdrawn": "An error in lemma 2."}, "This paper was withdrawn", "error in lemma 2"),
    ],
)
def test_retraction_is_shown_first(show, gateway, extra, title, why):
    gateway.papers[1] = paper("Doubtful", extra=extra)
    gateway.about.extra["noticed"] = "2026-11-02"
    panel = show()
    assert panel.parts.warning.isVisible()
    assert panel.parts.warning.mapTo(panel, panel.parts.warning.pos()).y() < 300
    assert panel.parts.warning_title.text() == title
    assert why in shown(panel.parts.warning_text)
    assert "2026-11-02" in shown(panel.parts.warning_text)
    show(2, panel)
    assert not panel.parts.warning.isVisible()


def test_arabic_is_set_right_to_left(show, gateway):
    gateway.papers[1] = paper("الذكاء الاصطناعي", abstract="تصف هذه الورقة.")
    head = show().parts.head.document()
    assert head.begin().textDirection() is Qt.LayoutDirection.RightToLeft


def test_links_are_followed_and_escape_returns(show, qtbot, gateway):
    panel = show(1)
    panel.paper_requested.connect(lambda id: show(id, panel))
    qtbot.waitUntil(lambda: "Paper 2" in shown(panel.parts.around.text))
    panel.parts.around.paper_requested.emit(2)
    assert panel.details.paper.title == "Paper 2" and panel.parts.back.isVisible()
    qtbot.keyClick(panel, Qt.Key.Key_Escape)
    assert panel.details.paper.title == "Paper 1"
    with qtbot.waitSignal(panel.escaped):
        qtbot.keyClick(panel, Qt.Key.Key_Escape)


def test_guessed_authors_are_shown_until_they_are_accepted(show_window, qtbot, gateway):
    guess = author_guess([Author("Lee", "Ann"), Author("Ng", "Bo")])
    gateway.papers[1] = paper("On bees", authors="", extra=guess)
    window = show_window(gateway)
    window.page.result_list.select_only([1])
    head = window.page.details.parts.head
    qtbot.waitUntil(lambda: "accept:authors" in head.toHtml())
    assert "Ann Lee, Bo Ng" in shown(head)
    head.anchorClicked.emit(QUrl("accept:authors"))
    qtbot.waitUntil(lambda: "accept:authors" not in head.toHtml())
    assert [author.name for author in gateway.paper(1).authors] == ["Ann Lee", "Bo Ng"]
    assert "Ann Lee, Bo Ng" in shown(head)
    qtbot.waitUntil(window.library_controller.notice.isVisible)  # it offers Undo


def test_guessed_title_and_year_are_accepted_one_by_one(show_window, qtbot, gateway):
    guess = title_guess("On the flight of bees", "scan_0012") | year_guess("2014")
    gateway.papers[1] = paper("scan_0012", authors="Lee, Ann", published="", extra=guess)
    window = show_window(gateway)
    window.page.result_list.select_only([1])
    head = window.page.details.parts.head
    qtbot.waitUntil(lambda: "accept:title" in head.toHtml())
    assert "On the flight of bees" in shown(head) and "2014" in shown(head)
    head.anchorClicked.emit(QUrl("accept:title"))
    qtbot.waitUntil(lambda: "accept:title" not in head.toHtml())
    assert (gateway.paper(1).title, gateway.paper(1).year) == ("On the flight of bees", None)
    head.anchorClicked.emit(QUrl("accept:published"))
    qtbot.waitUntil(lambda: gateway.paper(1).year == 2014)


def test_looked_up_fields_are_listed_and_undone(show_window, qtbot, gateway):
    gateway.about.extra["looked_up"] = (LookedUpText("venue", "Venue", "Crossref", "2026-11-02"),)
    window = show_window(gateway)
    window.page.result_list.select_only([1])
    body = window.page.details.parts.body
    qtbot.waitUntil(lambda: "undo:venue" in body.toHtml())
    assert "Crossref" in shown(body) and "Venue" in shown(body)
    body.anchorClicked.emit(QUrl("undo:venue"))
    qtbot.waitUntil(lambda: "undo:venue" not in body.toHtml())
    assert "undo venue of 1" in gateway.about.calls


def test_notice_of_a_lookup_names_its_service_and_links_to_its_doi(show, gateway):
    gateway.papers[1] = paper(
        "Doubtful", extra={"retraction_in": "10.5555/r", "erratum_in": "10.5555/c"}
    )
    looked_up = LookedUpText("retraction_in", "Retraction notice", "Crossref", "2026-11-02")
    gateway.about.extra["looked_up"] = (looked_up,)
    parts = show().parts
    warned = parts.warning_text
    assert "Crossref" in shown(warned) and "2026-11-02" in shown(warned)
    assert "https://doi.org/10.5555/r" in warned.toHtml()
    assert "https://doi.org/10.5555/c" in parts.body.toHtml()


def test_deleted_paper_is_no_longer_shown(show, qtbot, gateway):
    panel = show()
    gateway.about.gone = {1}
    panel.refresh()
    qtbot.waitUntil(lambda: panel.details is None)


def test_abstract_comes_before_rating_and_tags(show):
    parts = show(1, show(2)).parts
    assert top(parts.head) < top(parts.body) < top(parts.stars) < top(parts.tags)


def test_tab_order_is_the_reading_order(show, gateway):
    gateway.about.files = [PaperFile(Path("/x/bees.pdf"))]
    gateway.about.editor.notes = {1: {7: PaperNote(7, "a note", 0.0)}}
    gateway.editor.tag([1], "maths")
    parts = show(1, show(2)).parts
    tab_stops, widget = [], parts.head
    while widget is not parts.around.tabs.tab_stops()[0]:
        tab_stops.append(widget)
        widget = widget.nextInFocusChain()
    wanted = [
        parts.head, parts.body, parts.stars, parts.tags.chips[0].button, parts.tags.add,
        parts.collections.add, parts.files.rows[0].name, parts.files.add,
        parts.notes.views[7].edit_button, parts.notes.add,
    ]  # fmt: skip
    assert [widget for widget in tab_stops if widget in wanted] == wanted


# ---- commands ------------------------------------------------------------------------------------


def test_rating_is_set_by_click_and_key_and_cleared(show, qtbot, gateway, context):
    panel = show()
    stars = panel.parts.stars
    with qtbot.waitSignal(context.events.library_changed):
        qtbot.mouseClick(stars, Qt.MouseButton.LeftButton, pos=stars.rect().center())
    assert gateway.editor.stars == {1: 3}
    with qtbot.waitSignal(context.events.library_changed):
        qtbot.keyClick(stars, Qt.Key.Key_5)
    assert gateway.editor.stars == {1: 5} and stars.accessibleName() == "Rating: 5 of 5 stars"
    with qtbot.waitSignal(context.events.library_changed):
        qtbot.keyClick(stars, Qt.Key.Key_0)
    assert gateway.editor.stars == {1: 0}


def test_mark_that_cannot_be_saved_is_reverted(show, qtbot, gateway, context, monkeypatch):
    def fail(*args):
        raise LibraryError("The disk is full.")

    monkeypatch.setattr(gateway.editor, "rate", fail, raising=False)
    panel = show()
    before = panel.parts.stars.accessibleName()
    with qtbot.waitSignal(context.events.library_changed):
        panel.rate(4)
    ((shown_as, problem),) = context.messages.calls
    assert shown_as == "show_problem" and problem.message == "The disk is full."
    qtbot.waitUntil(lambda: panel.parts.stars.accessibleName() == before)
    assert panel.details.card.rating == 0


def test_tag_is_added_removed_and_searched_for(show, qtbot, gateway, context):
    panel = show()
    tags = panel.parts.tags
    tags.begin()
    qtbot.keyClicks(tags.box, "bees & wasps")
    with qtbot.waitSignal(context.events.library_changed):
        qtbot.keyClick(tags.box, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: [chip.name for chip in tags.chips] == ["bees & wasps"])
    with qtbot.waitSignal(panel.search_requested) as searched:
        tags.chips[0].button.click()
    assert searched.args == ['tag:"bees & wasps"']
    with qtbot.waitSignal(context.events.library_changed):
        qtbot.keyClick(tags.chips[0], Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: tags.chips == [])


def test_escape_cancels_adding_a_tag(show, qtbot, gateway):
    tags = show().parts.tags
    tags.begin()
    qtbot.keyClicks(tags.box, "never")
    qtbot.keyClick(tags.box, Qt.Key.Key_Escape)
    assert tags.box.isHidden() and tags.add.isVisible() and gateway.editor.tags == {}


def test_paper_is_added_to_a_collection(show, qtbot, gateway, context):
    panel = show()
    panel.parts.collections.begin()
    qtbot.waitUntil(lambda: panel.parts.collections.known == ["thesis", "thesis/methods"])
    panel.parts.collections.box.setText("thesis/methods")
    with qtbot.waitSignal(context.events.library_changed):
        qtbot.keyClick(panel.parts.collections.box, Qt.Key.Key_Return)
    assert gateway.editor.collections == {"thesis/methods": {1}}


def test_copy_uses_the_last_format(show, qtbot):
    panel = show()
    panel.copy(what=CopyCitation("apa"))
    qtbot.waitUntil(lambda: QGuiApplication.clipboard().text() == "apa of [1]")
    assert QGuiApplication.clipboard().mimeData().html() == "<i>apa</i>"
    panel.copy([2, 3])
    qtbot.waitUntil(lambda: QGuiApplication.clipboard().text() == "apa of [2, 3]")
    assert panel.parts.copy.what == CopyCitation("apa")


def test_copy_uses_the_default_style_and_other_formats_once(show, qtbot, gateway, context):
    panel = show()
    gateway.about.default_style = "ieee"
    context.events.citation_style_selected.emit()
    assert panel.parts.copy.what == CopyCitation("ieee") and "IEEE" in panel.parts.copy.text()
    panel.copy(what=CopyCitation("apa"))
    qtbot.waitUntil(lambda: QGuiApplication.clipboard().text() == "apa of [1]")
    panel.copy()
    qtbot.waitUntil(lambda: QGuiApplication.clipboard().text() == "ieee of [1]")


def test_added_style_file_is_used_for_copying(show, qtbot, gateway, jobs, tmp_path, monkeypatch):
    panel = show()
    (tmp_path / "cell.csl").write_text(CELL)
    monkeypatch.setattr(style_picker, "open_file", lambda *_: tmp_path / "cell.csl")
    picker = StylePicker(gateway.about.styles, jobs, panel.parts.copy.what, panel)
    picker.selected.connect(lambda what: panel.copy([2], what))
    picker.open()
    picker.add.click()
    qtbot.waitUntil(lambda: picker.list.currentItem().text() == "Cell")
    picker.in_text.setChecked(True)
    picker.copy.click()
    qtbot.waitUntil(lambda: QGuiApplication.clipboard().text() == "cell-in-text of [2]")
    settings = QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)
    settings.setValue("paper/copy_as", "cell-in-text")
    panel.parts.copy.choose(CopyAs.doi, "DOI")
    panel.remember(settings)
    assert panel.parts.copy.what == CopyCitation("cell", in_text=True)


def test_invalid_style_file_is_rejected_by_name(show, qtbot, gateway, jobs, tmp_path, monkeypatch):
    panel = show()
    (tmp_path / "notes.txt").write_text("Not a style.")
    monkeypatch.setattr(style_picker, "open_file", lambda *_: tmp_path / "notes.txt")
    picker = StylePicker(gateway.about.styles, jobs, None, panel)
    picker.open()
    before = picker.list.count()
    picker.add.click()
    qtbot.waitUntil(lambda: "notes.txt" in picker.status.text() and picker.add.isEnabled())
    assert picker.list.count() == before
    picker.reject()


@pytest.mark.parametrize("text", [CELL, "Not a style."])
def test_style_picker_can_be_closed_while_a_style_is_added(
    show, qtbot, jobs, gateway, monkeypatch, hold, tmp_path, text
):
    faults = []
    monkeypatch.setattr(sys, "excepthook", lambda *fault: faults.append(fault))
    (tmp_path / "own.csl").write_text(text)
    monkeypatch.setattr(style_picker, "open_file", lambda *_: tmp_path / "own.csl")
    release = hold(gateway.about.styles, "add")
    panel = show()
    panel.choose_style()
    picker = panel.findChild(StylePicker)
    picker.add.click()
    picker.reject()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    with qtbot.waitSignal(jobs.finished):
        release.set()
    assert faults == []


def test_copying_missing_data_is_reported(show, qtbot):
    panel = show()
    QGuiApplication.clipboard().setText("mine")
    panel.copy(what=CopyAs.doi)
    qtbot.waitUntil(lambda: panel.parts.copy.text() == "Nothing to copy")
    assert QGuiApplication.clipboard().text() == "mine"


def test_weak_match_is_not_given_as_a_percentage(show, qtbot, gateway):
    hits = {2: SearchHit(2, percentile=91.0, weak=True), 3: SearchHit(3, percentile=99.0)}
    listing, panel = ResultList((2, 3), 2, hits), show()
    for id, text in ((2, "Weak match"), (3, "99.0% match")):
        panel.show_paper(id, Card(gateway.paper(id)), listing=listing)
        assert text in shown(panel.parts.body)
        assert "91.0% match" not in shown(panel.parts.body)


# ---- notes ---------------------------------------------------------------------------------------


def write(qtbot, panel, text):
    panel.write_note()
    view = panel.parts.notes.views[NEW]
    qtbot.keyClicks(view.box, text)
    return view


def test_note_is_written_saved_and_rendered(show, qtbot, gateway, context):
    panel = show()
    view = write(qtbot, panel, "# Idea *one*")
    with qtbot.waitSignal(context.events.library_changed):
        qtbot.keyClick(view.box, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert [note.text for note in gateway.about.editor.notes[1].values()] == ["# Idea *one*"]
    qtbot.waitUntil(lambda: list(panel.parts.notes.views) == [1])
    assert shown(panel.parts.notes.views[1].text) == "Idea one"
    assert gateway.about.drafts.of(1) == {}
    assert panel.window().focusWidget() is panel.parts.head  # Escape continues from there


def test_draft_outlives_the_panel(show, qtbot, gateway):
    panel = show()
    write(qtbot, panel, "half a th")
    show(2, panel)
    assert gateway.about.drafts.of(1) == {NEW: "half a th"}
    assert NEW not in panel.parts.notes.views
    show(1, panel)
    assert panel.parts.notes.views[NEW].box.toPlainText() == "half a th"


def test_draft_is_saved_while_typing(show, qtbot, gateway):
    write(qtbot, show(), "on the way")
    qtbot.waitUntil(lambda: gateway.about.drafts.of(1) == {NEW: "on the way"})


def test_draft_whose_saving_is_queued_is_saved_at_once_when_needed(show, qtbot, gateway, jobs):
    panel, release = show(), threading.Event()
    write(qtbot, panel, "on the way")
    for _ in range(JobQueue.short.value):
        jobs.run("Waiting", lambda task: release.wait(60))
    queued = "Saving a draft"
    qtbot.waitUntil(lambda: any(job.title == queued for job in jobs.running(JobQueue.short)))
    panel.keep_drafts()
    assert gateway.about.drafts.of(1) == {NEW: "on the way"}
    panel.parts.notes.views[NEW].box.setPlainText("further on the way")
    panel.keep_drafts()
    release.set()
    qtbot.waitUntil(lambda: not jobs.running())
    assert gateway.about.drafts.of(1) == {NEW: "further on the way"}


def test_draft_is_saved_when_the_window_closes(show_window, qtbot, gateway):
    window = show_window(gateway)
    panel = window.page.details
    qtbot.waitUntil(lambda: panel.details is not None and panel.details.whole)
    panel.write_note()
    panel.parts.notes.views[NEW].box.setPlainText("the last words")
    window.close()
    assert gateway.about.drafts.of(panel.details.paper.id) == {NEW: "the last words"}


def test_draft_that_cannot_be_saved_is_kept_until_it_can(
    show, qtbot, gateway, context, monkeypatch
):
    def fail(*args):
        raise OSError(errno.ENOSPC, "No space left on device", "draft.md")

    panel = show()
    write(qtbot, panel, "precious")
    with monkeypatch.context() as full:
        full.setattr(gateway.about.drafts, "save", fail)
        panel.keep_drafts()
        show(2, panel)
        assert panel.parts.notes.views == {}
    ((shown_as, problem),) = context.messages.calls
    assert shown_as == "show_problem" and "draft.md" in problem.message and not problem.report
    show(1, panel)
    assert panel.parts.notes.views[NEW].box.toPlainText() == "precious"
    panel.keep_drafts()
    assert gateway.about.drafts.of(1) == {NEW: "precious"}


@pytest.mark.parametrize("other", [False, True])  # also a draft of a paper shown before
def test_window_does_not_close_while_a_draft_cannot_be_saved(
    show_window, qtbot, gateway, monkeypatch, other
):
    def fail(*args):
        raise OSError(errno.ENOSPC, "No space left on device", "draft.md")

    def question():
        return next((box for box in window.findChildren(QMessageBox) if box.isVisible()), None)

    window = show_window(gateway)
    panel = window.page.details
    qtbot.waitUntil(lambda: panel.details is not None and panel.details.whole)
    first = panel.details.paper.id
    panel.write_note()
    panel.parts.notes.views[NEW].box.setPlainText("the last words")
    with monkeypatch.context() as full:
        full.setattr(gateway.about.drafts, "save", fail)
        if other:
            window.page.result_list.go_to(1)
            qtbot.waitUntil(lambda: panel.details.paper.id != first and panel.details.whole)
        assert not window.close() and window.isVisible()
        question().reject()
        qtbot.waitUntil(lambda: question() is None)
        ended = []
        window.leave(lambda: ended.append(1))  # for another library, for example
        assert not ended and question()
        question().reject()
        qtbot.waitUntil(lambda: question() is None)
        assert not window.close()
        lose = next(b for b in question().buttons() if b.text() != "Cancel")
    question().reject()
    qtbot.waitUntil(lambda: question() is None)
    window.leave(lambda: ended.append(1))
    assert ended
    assert lose and window.close()
    assert gateway.about.drafts.of(first) == {NEW: "the last words"}


def test_window_closes_without_a_draft_that_cannot_be_saved_on_request(
    show_window, qtbot, gateway, monkeypatch
):
    def fail(*args):
        raise OSError(errno.ENOSPC, "No space left on device", "draft.md")

    monkeypatch.setattr(gateway.about.drafts, "save", fail)
    window = show_window(gateway)
    panel = window.page.details
    qtbot.waitUntil(lambda: panel.details is not None and panel.details.whole)
    panel.write_note()
    panel.parts.notes.views[NEW].box.setPlainText("the last words")
    assert not window.close()
    box = next(box for box in window.findChildren(QMessageBox) if box.isVisible())
    next(b for b in box.buttons() if b.text() != "Cancel").click()
    qtbot.waitUntil(lambda: not window.isVisible())


def test_escape_leaves_the_note_editor_without_loss(show, qtbot, gateway):
    panel = show()
    view = write(qtbot, panel, "unfinished")
    qtbot.keyClick(view.box, Qt.Key.Key_Escape)
    assert gateway.about.drafts.of(1) == {NEW: "unfinished"}
    assert view.box.toPlainText() == "unfinished" and view.is_open


def test_discarded_note_can_be_restored(show, qtbot, gateway):
    panel = show()
    view = write(qtbot, panel, "on second thoughts")
    view.discard_button.click()
    assert not view.is_open
    view.back.click()
    assert view.box.toPlainText() == "on second thoughts"


def test_note_that_cannot_be_saved_stays_open(show, qtbot, gateway, context):
    gateway.about.editor.refuse = "The disk is full."
    panel = show()
    view = write(qtbot, panel, "precious")
    view.save()
    qtbot.waitUntil(lambda: bool(context.messages.calls))
    ((shown_as, problem),) = context.messages.calls
    assert shown_as == "show_problem" and problem.message == "The disk is full."
    assert view.is_open and gateway.about.drafts.of(1) == {NEW: "precious"}


@pytest.fixture
def slow_notes(gateway, hold):
    """An event; new notes are not saved until it is set."""
    return hold(gateway.about.editor, "add_note")


def test_note_is_saved_although_discard_is_clicked_while_it_is_saved(
    show, qtbot, gateway, context, slow_notes
):
    panel = show()
    view = write(qtbot, panel, "precious")
    view.save()
    view.discard_button.click()
    qtbot.keyClicks(view.box, "lost")  # the editor is about to close
    with qtbot.waitSignal(context.events.library_changed):
        slow_notes.set()
    qtbot.waitUntil(lambda: list(panel.parts.notes.views) == [1])
    assert shown(panel.parts.notes.views[1].text) == "precious"
    assert gateway.about.drafts.of(1) == {}


def test_note_whose_saving_was_canceled_can_be_saved_again(show, qtbot, jobs, gateway, context):
    panel = show()
    view = write(qtbot, panel, "precious")
    release = threading.Event()
    others = [
        jobs.run("Searching", lambda task: release.wait(60)) for _ in range(JobQueue.short.value)
    ]
    qtbot.waitUntil(lambda: all(job.has_started for job in others))
    view.save()
    jobs.running()[-1].cancel()
    release.set()
    qtbot.waitUntil(lambda: not jobs.running())
    assert view.is_open and gateway.about.drafts.of(1) == {NEW: "precious"}
    qtbot.keyClicks(view.box, "!")
    with qtbot.waitSignal(context.events.library_changed):
        view.save()
    assert [note.text for note in gateway.about.editor.notes[1].values()] == ["precious!"]


def test_note_is_saved_although_another_paper_is_shown_meanwhile(
    show, qtbot, jobs, gateway, context, slow_notes, monkeypatch
):
    faults = []
    monkeypatch.setattr(sys, "excepthook", lambda *fault: faults.append(fault))
    panel = show()
    write(qtbot, panel, "precious").save()
    show(2, panel)
    panel.write_note()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    with qtbot.waitSignal(context.events.library_changed):
        slow_notes.set()
    qtbot.waitUntil(lambda: not jobs.running())
    assert [note.text for note in gateway.about.editor.notes[1].values()] == ["precious"]
    assert gateway.about.drafts.of(1) == {} and panel.parts.notes.views[NEW].is_open
    assert faults == []


def test_note_is_edited_and_removed(show, qtbot, gateway, context):
    gateway.about.editor.notes = {1: {7: PaperNote(7, "old", 0.0)}}
    panel = show()
    view = panel.parts.notes.views[7]
    view.edit_button.click()
    view.box.setPlainText("new")
    with qtbot.waitSignal(context.events.library_changed):
        view.save_button.click()
    assert gateway.about.editor.notes[1][7].text == "new"
    view.remove_button.click()
    qtbot.waitUntil(lambda: panel.parts.notes.views == {})
    assert gateway.about.editor.notes[1] == {}


def test_note_is_removed_although_another_paper_is_shown_meanwhile(
    show, qtbot, jobs, gateway, context, monkeypatch, hold
):
    faults = []
    monkeypatch.setattr(sys, "excepthook", lambda *fault: faults.append(fault))
    editor = gateway.about.editor
    editor.notes = {1: {7: PaperNote(7, "old", 0.0)}}
    release = hold(editor, "change_note")
    panel = show()
    panel.parts.notes.views[7].remove_button.click()
    show(2, panel)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    with qtbot.waitSignal(context.events.library_changed):
        release.set()
    qtbot.waitUntil(lambda: not jobs.running())
    assert editor.notes[1] == {} and faults == []


def test_refresh_keeps_the_note_being_edited(show, qtbot, gateway):
    panel = show()
    view = write(qtbot, panel, "in the middle of")
    gateway.editor.tag([1], "elsewhere")
    panel.refresh()
    qtbot.waitUntil(lambda: [chip.name for chip in panel.parts.tags.chips] == ["elsewhere"])
    assert panel.parts.notes.views[NEW] is view and view.box.toPlainText() == "in the middle of"


# ---- files ---------------------------------------------------------------------------------------


def test_pdf_opens_in_the_reader(show, qtbot, gateway, context):
    gateway.about.files = [PaperFile(Path("/x/bees.pdf"), 2_400_000, 12)]
    panel = show()
    row = panel.parts.files.rows[0]
    assert row.facts.text() == "2.4 MB · 12 pages"
    row.name.click()
    panel.parts.read_file.click()
    assert context.navigate.calls == [("read", 1, Path("/x/bees.pdf"))] * 2


def test_missing_file_is_located(show, qtbot, gateway, context):
    gateway.about.files = [PaperFile(Path("/x/bees.pdf"), missing=True)]
    panel = show()
    row = panel.parts.files.rows[0]
    assert row.facts.text() == "Missing"
    qtbot.waitUntil(row.locate.isVisible)
    assert not row.name.isEnabled() and not panel.parts.read_file.isVisible()
    with qtbot.waitSignal(context.events.library_changed):
        panel.parts.files.locate(Path("/x/bees.pdf"), Path("/y/bees.pdf"))
    qtbot.waitUntil(lambda: panel.parts.files.rows[0].file.path == Path("/y/bees.pdf"))


def test_attached_program_is_shown_and_never_started(show, gateway, monkeypatch):
    from sciread_app.ui.paper import attachments

    seen = []
    monkeypatch.setattr(attachments, "reveal", lambda path: seen.append(("revealed", path.name)))
    monkeypatch.setattr(
        attachments, "open_outside", lambda path: seen.append(("opened", path.name))
    )
    gateway.about.files = [PaperFile(Path("/x/setup.exe")), PaperFile(Path("/x/notes.txt"))]
    panel = show()
    for row in panel.parts.files.rows:
        row.name.click()
    assert seen == [("revealed", "setup.exe"), ("opened", "notes.txt")]
    does = [action.text() for action in panel.parts.files.rows[0].more.menu().actions()]
    assert "Open in another app" not in does and "Show in folder" in does


def test_attachment_failure_is_shown_as_a_problem(show, qtbot, gateway, context):
    gateway.about.refuse = "“x.pdf” cannot be read."
    panel = show()
    panel.parts.files.attach(Path("/x.pdf"))
    qtbot.waitUntil(lambda: [call[0] for call in context.messages.calls] == ["show_problem"])


# ---- related papers ------------------------------------------------------------------------------


def test_similar_papers_are_shown_with_the_reason(show, qtbot):
    panel = show()
    qtbot.waitUntil(lambda: "Paper 2" in shown(panel.parts.around.text))
    assert "Shared terms: radium, decay · 99.0% match" in shown(panel.parts.around.text)


def test_related_papers_are_loaded_when_visible(qtbot, jobs, gateway, context):
    panel = DetailsPanel(gateway.about, context)
    qtbot.addWidget(panel)
    gateway.papers[1] = paper("Long", abstract="It goes on. " * 400)
    panel.resize(420, 300)
    panel.show()
    panel.show_paper(1, Card(gateway.paper(1)))
    qtbot.waitUntil(lambda: panel.details is not None and panel.details.whole)
    qtbot.waitUntil(lambda: not jobs.running())
    assert gateway.about.calls == []
    panel.parts.area.ensureWidgetVisible(panel.parts.around)
    qtbot.waitUntil(lambda: gateway.about.calls == ["alike 1"])


def test_citations_are_fetched_on_request(show, qtbot, gateway):
    gateway.about.rings_after = {CitationDirection.references: TITLED}
    panel = show()
    around = panel.parts.around
    around.go_to(REFERENCES)
    qtbot.waitUntil(lambda: "not fetched yet" in shown(around.text))
    assert "ask 1" not in gateway.about.calls
    around.fetch.click()
    qtbot.waitUntil(lambda: "Of Wasps" in shown(around.text))
    assert around.fetch.isHidden()


@pytest.fixture
def slow_source(gateway, monkeypatch):
    """An event; citations are not fetched until it is set."""
    release, ask = threading.Event(), gateway.about.ask

    def wait(paper, task):
        while not release.wait(0.01):
            task.raise_if_cancelled()
        return ask(paper, task)

    monkeypatch.setattr(gateway.about, "ask", wait)
    yield release
    release.set()


@pytest.mark.parametrize("refused", ["", "Semantic Scholar is away."])
def test_citations_of_the_next_paper_can_be_fetched_afterwards(
    show, qtbot, jobs, gateway, slow_source, refused
):
    gateway.about.refuse = refused
    panel = show()
    around = panel.parts.around
    around.go_to(REFERENCES)
    around.ask()
    show(2, panel)
    around.load()
    assert around.note.isHidden()
    slow_source.set()
    qtbot.waitUntil(lambda: around.idle and not jobs.running())
    assert around.note.isHidden() and around.fetch.isEnabled()


def test_citations_can_be_fetched_again_after_canceling(show, qtbot, jobs, gateway, slow_source):
    around = show().parts.around
    around.go_to(REFERENCES)
    around.ask()
    next(job for job in jobs.running() if job.queue is JobQueue.network).cancel()
    qtbot.waitUntil(lambda: around.idle and not jobs.running())
    assert around.note.isHidden() and around.fetch.isEnabled()


def test_copy_button_shows_its_format_again_after_canceling(
    show, qtbot, jobs, gateway, monkeypatch
):
    panel = show()
    before = panel.parts.copy.text()
    monkeypatch.setattr(gateway.about, "copied", lambda papers, what, task: task.wait(60, ""))
    panel.copy()
    assert panel.parts.copy.text() != before
    jobs.running()[-1].cancel()
    qtbot.waitUntil(lambda: panel.parts.copy.text() == before)


def test_source_without_citations_is_shown_with_its_date(show, qtbot, gateway):
    gateway.about.rings[CitationDirection.citing] = CitationList(
        (), (), 0, 0, 1_700_000_000.0, True
    )
    around = show().parts.around
    around.go_to(CITING)
    qtbot.waitUntil(lambda: "listed no citing papers on November 14, 2023" in shown(around.text))
    assert around.fetch.text() == "Refresh citations" and not around.fetch.isHidden()
    gateway.about.rings[CitationDirection.references] = CitationList(
        (), (), 0, 0, time.time(), True
    )
    around.go_to(REFERENCES)
    qtbot.waitUntil(lambda: "listed no references" in shown(around.text))
    assert around.fetch.isHidden()  # the answer would be the same


def test_papers_that_are_not_listed_are_counted_by_library(show, qtbot, gateway):
    nearby = (LinkedPaper(DOI, gateway.paper(2)), LinkedPaper(DOI))
    held = (PaperId(2), PaperId(3), PaperId(4), PaperId(5))
    gateway.about.rings[CitationDirection.citing] = CitationList(nearby, held, 10, 1, NOW, True)
    around = show().parts.around
    around.go_to(CITING)
    qtbot.waitUntil(lambda: "3 more papers are in the library" in shown(around.text))
    assert "5 more papers are not in the library" in shown(around.text)


def test_unavailable_source_is_reported_in_place(show, qtbot, gateway):
    gateway.about.refuse = "Semantic Scholar is away."
    around = show().parts.around
    around.go_to(REFERENCES)
    around.ask()
    qtbot.waitUntil(lambda: around.note.text() == "Semantic Scholar is away.")
    qtbot.waitUntil(lambda: around.idle and around.fetch.isEnabled())


def test_identifiers_without_title_are_looked_up(show, qtbot, gateway):
    gateway.about.rings[CitationDirection.references] = OUTSIDE
    gateway.about.rings_after = {CitationDirection.references: TITLED}
    around = show().parts.around
    around.go_to(REFERENCES)
    qtbot.waitUntil(lambda: "DOI 10.5555/other" in shown(around.text))
    around.titles.click()
    qtbot.waitUntil(lambda: "Of Wasps" in shown(around.text))
    assert around.titles.isHidden()


def test_unlisted_paper_is_added_with_one_click(show, qtbot, gateway, context):
    gateway.about.rings[CitationDirection.references] = TITLED
    panel = show()
    around = panel.parts.around
    around.go_to(REFERENCES)
    qtbot.waitUntil(lambda: "Add to library" in shown(around.text).replace("\xa0", " "))
    with qtbot.waitSignal(context.events.papers_added):
        around.add(DOI)
    assert "fetch doi:10.5555/other" in gateway.about.calls
    qtbot.waitUntil(lambda: "Paper 5" in shown(around.text))


@pytest.mark.parametrize("refused", ["", "Crossref is away."])
def test_paper_added_while_another_is_shown_is_reported(
    show, qtbot, jobs, gateway, context, hold, refused
):
    added = []
    context.events.papers_added.connect(added.append)
    release = hold(gateway.about, "fetch")
    gateway.about.refuse = refused
    panel = show()
    panel.parts.around.add(DOI)
    show(2, panel)
    release.set()
    qtbot.waitUntil(lambda: panel.parts.around.idle and not jobs.running())
    shown_as = [(name, problem.message) for name, problem in context.messages.calls]
    assert shown_as == ([("show_problem", refused)] if refused else [])
    assert len(added) == (0 if refused else 1)


def test_tab_scrolls_to_a_link_below(show, qtbot, gateway):
    gateway.papers.update({n: paper(f"A long title of paper {n} " * 12) for n in range(1, 21)})
    panel = show()
    around, bar = panel.parts.around, panel.parts.area.verticalScrollBar()
    qtbot.waitUntil(lambda: len(around.text.links()) == 3)
    panel.resize(300, 400)
    panel.activateWindow()
    around.text.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(around.text.hasFocus)
    bar.setValue(0)
    for _ in range(5):  # layouts within layouts
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
    bar.setValue(0)
    qtbot.keyClick(around.text, Qt.Key.Key_Tab)
    assert around.text.hasFocus() and bar.value() > 0
    link = around.text.mapTo(panel.parts.area.viewport(), around.text.cursorRect().center())
    assert panel.parts.area.viewport().rect().contains(link)


# ---- the whole page ------------------------------------------------------------------------------


def test_paper_opens_as_a_page_and_closes(show_page, qtbot):
    page = show_page(FakeGateway(5))
    qtbot.waitUntil(lambda: page.details.details is not None)
    page.open_paper()
    assert (
        page.details.isVisible()
        and not page.result_list.isVisible()
        and not page.search_box.isVisible()
    )
    assert page.details.parts.back.isVisible()
    qtbot.keyClick(page.details, Qt.Key.Key_J)
    qtbot.waitUntil(lambda: "Paper 4" in shown(page.details.parts.head))
    qtbot.keyClick(page.details, Qt.Key.Key_Escape)
    assert page.result_list.isVisible() and page.search_box.isVisible() and page.details.isVisible()


def linked(gateway, *ids):
    """A list of citations of these papers of the library."""
    found = tuple(LinkedPaper(DOI, gateway.paper(id)) for id in ids)
    return CitationList(found, ids, len(ids), 0, NOW, True)


@pytest.fixture
def show_as_page(show, gateway, qtbot):
    """Return a function that shows a paper as a page of this width, with its neighbors."""
    gateway.about.rings = {
        CitationDirection.references: linked(gateway, 2, 5, 6),
        CitationDirection.citing: linked(gateway, 7),
    }

    def show_page(width):
        panel = show()
        panel.resize(width, 3000)
        panel.show_as_page(True)
        qtbot.waitUntil(lambda: panel.parts.around.graph.isVisible())
        return panel

    return show_page


def test_wide_page_has_related_papers_beside_the_text(show_as_page, qtbot):
    panel = show_as_page(1200)
    body, around = panel.parts.body, panel.parts.around
    qtbot.waitUntil(lambda: left(around) > left(body) + body.width())
    assert body.width() <= 700
    panel.resize(700, 3000)
    qtbot.waitUntil(lambda: left(around) == left(body))
    assert around.graph.isVisible() and top(around) > top(panel.parts.files)
    panel.resize(400, 3000)
    qtbot.waitUntil(around.graph.isHidden)
    assert panel.parts.area.widget().width() <= panel.parts.area.viewport().width()


def test_page_has_notes_before_tags_and_the_panel_after_files(show_as_page, qtbot):
    panel = show_as_page(1200)
    parts = panel.parts
    qtbot.waitUntil(lambda: top(parts.body) < top(parts.notes) < top(parts.tags) < top(parts.files))
    panel.show_as_page(False)
    qtbot.waitUntil(lambda: top(parts.tags) < top(parts.files) < top(parts.notes))
    assert parts.around.graph.isHidden()


def test_graph_shows_each_related_paper_once(show_as_page):
    buttons = show_as_page(1200).parts.around.graph.buttons
    names = sorted(button.accessibleName() for button in buttons)
    assert [name.split(",")[0] for name in names] == [f"Paper {n}" for n in (2, 3, 4, 5, 6, 7)]
    assert names[0].endswith("References") and names[-1].endswith("Cited by")
    assert "99.0%" in names[1]


def test_paper_of_the_graph_opens_by_click_and_by_key(show_as_page, qtbot):
    panel = show_as_page(1200)
    for press in (lambda b: b.click(), lambda b: qtbot.keyClick(b, Qt.Key.Key_Space)):
        button = panel.parts.around.graph.buttons[0]
        with qtbot.waitSignal(panel.paper_requested) as wanted:
            press(button)
        assert f"Paper {wanted.args[0]}" in button.accessibleName()


def left(widget):
    return widget.mapToGlobal(widget.rect().topLeft()).x()


def top(widget):
    return widget.mapToGlobal(widget.rect().topLeft()).y()


def test_search_from_the_page_of_a_paper_shows_results(show_page, qtbot):
    page = show_page(FakeGateway(5))
    qtbot.waitUntil(lambda: page.details.details is not None)
    page.open_paper()
    page.details.search_requested.emit("author:Curie")
    assert page.result_list.isVisible()


def test_list_requested_from_the_page_of_a_paper_is_shown(show_page, qtbot):
    page = show_page(FakeGateway(5))
    qtbot.waitUntil(lambda: page.details.details is not None)
    page.open_paper()
    page.library_changed(LibraryChanges(papers=True))  # the page of the paper stays in front
    qtbot.waitUntil(lambda: len(page._finder.calls) > 1)
    assert not page.result_list.isVisible()
    page.show_papers([2, 3], "From the map")
    assert page.result_list.isVisible() and page.model.rowCount() == 2


def test_lines_have_a_readable_length(show):
    panel = show()
    panel.resize(1600, 900)
    assert panel.parts.body.width() <= 700


def test_long_citation_key_cuts_nothing_off(show, gateway, monkeypatch):
    keyed = paper("Of Bees", citekey="technischezusammenarbeit2017of-bees-and-all-wasps")
    monkeypatch.setattr(gateway, "paper", lambda id: keyed)
    panel = show()
    panel.resize(panel.minimumSizeHint().width(), 800)
    area = panel.parts.area
    assert "zusammenarbeit2017" in panel.parts.foot.text()
    assert area.widget().width() <= area.viewport().width()
