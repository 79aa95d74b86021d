"""The main window: imports and their reports, problems, themes, menus."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QPushButton, QScrollArea, QWidget

from sciread_app.domain.paper import LibraryChanges, Skipped
from sciread_app.errors import LibraryError
from sciread_app.paths import Home
from sciread_app.ui.add_papers.imports.identifier_dialog import IdentifierDialog
from sciread_app.ui.add_papers.imports.report import ImportReportDialog, as_table, headline
from sciread_app.ui.jobs.runner import JobError, JobQueue, JobRunner, job_error
from sciread_app.ui.page import Page
from sciread_app.ui.shell.main_layout import MainLayout
from sciread_app.ui.shell.main_window import MainWindow, SampleBar
from sciread_app.ui.shell.page_registry import PAGES
from sciread_app.ui.style.theme import DARK, LIGHT, Appearance, ThemeChoice
from sciread_app.ui.view_models import ImportSummary
from tests.support.generate.papers import paper
from tests.support.ui.fakes.context import CallRecorder
from tests.support.ui.fakes.gateway import FakeGateway
from tests.support.ui.heartbeat import FairHeartbeat

FAILURES = [
    Skipped("/papers/a.bib", "smith2010", "The entry has no closing brace."),
    Skipped("/papers/b.pdf", "", "The file is empty."),
]


def drop(window, *urls, at=(300, 500), text=""):
    """Drag URLs or a text over the window and drop them at a point; return whether the drag is
    accepted."""
    data = QMimeData()
    if urls:
        data.setUrls([QUrl(url) for url in urls])
    if text:
        data.setText(text)
    button, modifier = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    over = QDragEnterEvent(QPoint(*at), Qt.DropAction.CopyAction, data, button, modifier)
    QApplication.sendEvent(window, over)
    if over.isAccepted():
        event = QDropEvent(QPointF(*at), Qt.DropAction.CopyAction, data, button, modifier)
        QApplication.sendEvent(window, event)
    return over.isAccepted()


def report_of(window):
    return next((d for d in window.findChildren(ImportReportDialog) if d.isVisible()), None)


@pytest.mark.parametrize("place", [spec.key for spec in PAGES if spec.key != "search"])
def test_page_is_built_inside_the_window_and_not_styled_again(show_window, monkeypatch, place):
    styled_again = []

    def change_event(page, event):
        if event.type() is QEvent.Type.StyleChange:
            styled_again.append(page)
        QWidget.changeEvent(page, event)

    monkeypatch.setattr(Page, "changeEvent", change_event, raising=False)
    window = show_window(FakeGateway(3))
    page = window.other_page(place)
    assert page.window() is window and page not in styled_again


def test_dropped_files_are_not_reported_as_moved(qtbot, show_window, jobs, tmp_path):
    window = show_window(FakeGateway())
    data, move = QMimeData(), Qt.DropAction.CopyAction | Qt.DropAction.MoveAction
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "a.bib"))])
    held = (data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier)
    events = (
        QDragEnterEvent(QPoint(300, 500), move, *held),
        QDropEvent(QPointF(300, 500), move, *held),
    )
    for event in events:
        assert event.proposedAction() is Qt.DropAction.MoveAction
        QApplication.sendEvent(window, event)
        # After a move, the program that the files come from may delete them.
        assert event.isAccepted() and event.dropAction() is Qt.DropAction.CopyAction
    qtbot.waitUntil(lambda: not jobs.running())


def test_dropped_files_and_folders_are_imported(qtbot, show_window, tmp_path):
    gateway = FakeGateway()
    window = show_window(gateway)
    bib, folder = tmp_path / "a b.bib", tmp_path / "papers"
    assert drop(window, QUrl.fromLocalFile(str(bib)), QUrl.fromLocalFile(str(folder)))
    qtbot.waitUntil(lambda: gateway.imported == [[bib, folder]])
    qtbot.waitUntil(lambda: window.messages.message.text() == "3 papers added.")
    assert "3 new, 2 already in library" in window.messages.hint.text()
    assert report_of(window) is None  # no dialog interrupts the user


def test_papers_of_an_import_are_listed_from_its_notice(qtbot, show_window):
    window = show_window(FakeGateway(20))
    window.add([Path("refs.bib")])
    qtbot.waitUntil(lambda: "3 papers added" in window.messages.message.text())
    offered = {b.text(): b for b in window.messages.findChildren(QPushButton)}
    offered["Show papers"].click()
    assert list(window.page.view.listing.ids) == [23, 22, 21]


def test_files_dropped_at_the_top_are_searched_rather_than_imported(qtbot, show_window, tmp_path):
    gateway = FakeGateway(20)
    window = show_window(gateway)
    assert drop(window, QUrl.fromLocalFile(str(tmp_path / "two.bib")), at=(300, 60))
    qtbot.waitUntil(lambda: window.page.view.request.like == (2,))
    assert gateway.imported == []


@pytest.mark.parametrize(
    "dropped",
    [
        {"urls": ["https://arxiv.org/abs/1706.03762"]},
        {"text": " 1706.03762 "},
        {"urls": ["https://arxiv.org/abs/1706.03762"], "text": "Attention is all you need"},
    ],
)
def test_dropped_identifier_or_web_address_is_offered_to_be_looked_up(
    show_window, jobs, qtbot, dropped
):
    gateway = FakeGateway()
    window = show_window(gateway)
    qtbot.waitUntil(lambda: not jobs.running())
    assert drop(window, *dropped.pop("urls", ()), at=(300, 60), **dropped)
    dialog = next(one for one in window.findChildren(IdentifierDialog) if one.isVisible())
    (line,) = dialog.form.text.toPlainText().split()
    assert line.endswith("1706.03762")
    assert not jobs.running()  # nothing is sent before the user asks for it
    assert drop(window, text="10.1000/xyz")
    assert dialog.form.text.toPlainText().split() == [line, "10.1000/xyz"]


def test_drop_without_files_and_text_is_rejected(show_window):
    assert not drop(show_window(FakeGateway()))


def test_import_refreshes_the_list_and_encodes_the_papers(qtbot, show_window, jobs):
    gateway = FakeGateway(10)
    window = show_window(gateway)
    encoded = gateway.encoded
    window.importing.add([Path("papers.bib")])
    qtbot.waitUntil(lambda: window.page.model.rowCount() == 13)
    qtbot.waitUntil(lambda: gateway.encoded > encoded and not jobs.running())
    assert "13 papers" in window._status_bar.status.text()


def test_import_shows_progress_and_can_be_cancelled(qtbot, show_window, jobs):
    gateway = FakeGateway(10)
    gateway.go_on_importing.clear()
    window = show_window(gateway)
    window.importing.add([Path("papers.bib")])
    qtbot.waitUntil(window._status_bar.cancel.isVisible)
    qtbot.waitUntil(lambda: "of 100" in window._status_bar.how_far.text())
    assert window._status_bar.what.text() == "Importing papers.bib"
    qtbot.mouseClick(window._status_bar.cancel, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not jobs.running())
    assert not window._status_bar.cancel.isVisible()
    assert "Stopped: importing papers.bib." in window.messages.message.text()
    assert window.page.model.rowCount() == 10


def test_search_works_during_an_import(qtbot, show_window):
    gateway = FakeGateway(30)
    gateway.go_on_importing.clear()
    window = show_window(gateway)
    window.importing.add([Path("papers.bib")])
    window.page.search_box.set_text("paper 7")
    qtbot.waitUntil(lambda: window.page.view.query == "paper 7" and bool(gateway.imported))
    assert window._status_bar.cancel.isVisible()
    gateway.go_on_importing.set()


def test_import_report_adds_up_and_lists_failures(qtbot, show_window):
    gateway = FakeGateway()
    gateway.failures = FAILURES
    window = show_window(gateway)
    window.importing.add([Path("papers")])
    qtbot.waitUntil(lambda: "2 failed" in window.messages.hint.text())
    button = next(b for b in window.messages.findChildren(QPushButton) if b.text() == "Show errors")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: report_of(window) is not None)
    dialog = report_of(window)
    summary = dialog.summary
    assert summary.read == summary.added + summary.merged + summary.failed == 7
    rows = as_table(FAILURES).splitlines()
    assert rows[1] == "/papers/a.bib\tsmith2010\tThe entry has no closing brace."
    dialog.close()
    window.show_last_report()
    assert report_of(window).summary is summary


@pytest.mark.parametrize(
    ("summary", "expected"),
    [
        (ImportSummary(1, 1, 0, []), "1 record read"),
        (ImportSummary(12_000, 11_000, 1_000, [], seconds=4), "12,000 records read in 4 s"),
        (ImportSummary(2, 2, 0, [], seconds=4, files=3), "2 records read from 3 files in 4 s"),
        (ImportSummary(0, 0, 0, []), "No readable records found"),
        (ImportSummary(500, 500, 0, [], stopped=True), "Stopped after 500 records"),
    ],
)
def test_headline_of_an_import_report(summary, expected):
    assert headline(summary).startswith(expected)


def test_sample_is_imported_before_the_page_is_shown(qtbot, jobs, new_window):
    gateway = FakeGateway(0)
    gateway.go_on_importing.clear()
    window = new_window()
    window.open(gateway, sample=True)
    qtbot.waitUntil(lambda: bool(jobs.running()))
    assert not window.is_open
    gateway.go_on_importing.set()
    qtbot.waitUntil(lambda: window.is_open and window.page.isVisible())
    qtbot.waitUntil(lambda: window.page.model.rowCount() == 3)
    assert gateway.imported == [[Path("sample_library.bib")]]
    qtbot.waitUntil(lambda: not jobs.running())
    assert report_of(window) is None


def test_failed_sample_import_leaves_an_empty_library(qtbot, new_window):
    class Broken(FakeGateway):
        def add_sample(self, task):
            raise LibraryError("The disk is full.", "Make room.")

    window = new_window()
    window.open(Broken(0), sample=True)
    qtbot.waitUntil(lambda: window.is_open and window.page.isVisible())
    qtbot.waitUntil(window.page.welcome.isVisible)
    assert window.messages.message.text() == "The disk is full."
    assert window.messages.hint.text() == "Make room."


def test_library_that_cannot_be_opened_is_explained(new_window):
    window = new_window()
    window.cannot_open(JobError("The library is from a newer SciRead.", "Update this one."))
    assert window._loading_page.title.text() == "The library is from a newer SciRead."
    assert window._loading_page.text.text() == "Update this one."


def test_report_of_an_internal_error_can_be_copied(qtbot, show_window):
    window = show_window(FakeGateway(3))
    try:
        raise KeyError("lost")
    except KeyError as error:
        window.messages.show_problem(job_error(error, "Drawing"))
    qtbot.mouseClick(window.messages.newest.copy, Qt.MouseButton.LeftButton)
    assert "KeyError: 'lost'" in QGuiApplication.clipboard().text()
    window.messages.close_message()
    window.messages.show_problem(JobError("The disk is full."))
    assert not window.messages.newest.copy.isVisible()


def test_theme_is_switched_in_the_open_window(qtbot, show_window, appearance):
    window = show_window(FakeGateway(3))
    light = window.grab().toImage().pixelColor(3, 300)
    with qtbot.waitSignal(window.events.theme_selected):
        window.choose_theme(ThemeChoice.dark)
    qtbot.waitUntil(lambda: appearance.theme is DARK)
    dark = window.grab().toImage().pixelColor(3, 300)
    assert light.lightnessF() > 0.8 and dark.lightnessF() < 0.2
    window.choose_theme(ThemeChoice.light)
    qtbot.waitUntil(lambda: appearance.theme is LIGHT)


def test_theme_change_ignores_destroyed_widgets(qtbot, appearance, jobs, tmp_path):
    window = MainWindow(tmp_path, jobs, appearance)
    window.show()
    window.open(FakeGateway(3))
    qtbot.waitUntil(lambda: window.is_open and not jobs.running())
    for place in PAGES:
        window.go_to(place.key)
    qtbot.waitUntil(lambda: not jobs.running())
    with qtbot.waitSignal(window.destroyed):
        window.close()
        window.deleteLater()
    with qtbot.captureExceptions() as raised:
        appearance.choose(ThemeChoice.dark)
        qtbot.waitUntil(lambda: appearance.theme is DARK)
    assert raised == []


def test_system_choice_follows_the_colour_scheme_of_qt(qapp, qtbot):
    appearance = Appearance(qapp, ThemeChoice.dark)
    assert appearance.theme is DARK
    appearance.choose(ThemeChoice.system)
    hints = qapp.styleHints().colorScheme()
    system = DARK if hints is Qt.ColorScheme.Dark else LIGHT
    qtbot.waitUntil(lambda: appearance.theme is system)


def contrast(one, other):
    def luminance(colour):
        channels = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    a, b = sorted((luminance(one), luminance(other)))
    return (b + 0.05) / (a + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize(
    ("front", "behind"),
    [
        *((front, "window") for front in ("text", "quiet", "faint", "accent", "danger")),
        *((front, "surface") for front in ("text", "quiet", "faint", "accent")),
        *((front, "selected") for front in ("text", "quiet", "faint")),
        *(("text", behind) for behind in ("mark", "sentence", "danger_soft", "notice_soft")),
        *(("quiet", behind) for behind in ("track", "danger_soft", "notice_soft")),
        ("on_accent", "accent"),
    ],
)
def test_theme_colours_have_sufficient_contrast(theme, front, behind):
    assert contrast(getattr(theme, front), getattr(theme, behind)) >= 4.5


def test_shortcuts_of_enabled_actions_are_unique(show_window):
    window = show_window(FakeGateway(3))
    enabled = [action for action in window.menus.actions() if action.isEnabled()]
    keys = [a.shortcut().toString() for a in enabled if a.shortcut().toString()]
    assert len(keys) == len(set(keys))
    assert {"Ctrl+F", "Ctrl+O", "Ctrl+Q", "Ctrl+I", "F1"} <= set(keys)


def test_library_actions_are_disabled_without_a_library(qtbot, jobs, appearance, tmp_path):
    window = MainWindow(tmp_path, jobs, appearance)
    qtbot.addWidget(window)
    actions = {action.text().replace("&", ""): action for action in window.menus.actions()}
    assert not actions["Import files…"].isEnabled()
    assert actions["Quit"].isEnabled()
    window.open(FakeGateway(3))
    qtbot.waitUntil(actions["Import files…"].isEnabled)
    qtbot.waitUntil(lambda: not jobs.running())


@pytest.fixture
def opening(new_window):
    """A window in which no library is open yet."""
    window = new_window()
    window.activateWindow()
    return window


def press(qtbot, window, key, modifier=Qt.KeyboardModifier.NoModifier):
    """Press a key where the focus is."""
    qtbot.keyClick(window.focusWidget() or window, key, modifier)


def test_text_typed_while_the_library_opens_is_searched_for(qtbot, jobs, opening):
    for letter in "deep n":
        press(qtbot, opening, letter)
    opening.open(FakeGateway(3))
    assert not opening.is_open  # the page is built in the next passes of the event loop
    for letter in "ets":
        press(qtbot, opening, letter)
    press(qtbot, opening, Qt.Key.Key_Backspace)
    qtbot.waitUntil(lambda: opening.is_open and not jobs.running())
    assert opening.page.search_box.edit.text() == "deep net" and not opening.job_panel.isVisible()
    qtbot.waitUntil(lambda: opening.page.view.query == "deep net")
    qtbot.waitUntil(lambda: not jobs.running())


def test_shortcuts_pressed_while_the_library_opens_are_carried_out(qtbot, jobs, opening):
    press(qtbot, opening, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    assert not opening.is_open
    opening.open(FakeGateway(3))
    qtbot.waitUntil(lambda: opening.shows("foryou"))
    qtbot.waitUntil(lambda: not jobs.running())


def test_window_size_is_restored(qtbot, show_window, jobs, appearance, tmp_path):
    window = show_window(FakeGateway(3))
    window.resize(790, 580)
    window.close()
    again = MainWindow(tmp_path, jobs, appearance)
    qtbot.addWidget(again)
    assert (again.width(), again.height()) == (790, 580)


def test_small_window_scrolls_pages_that_are_wider(qtbot, show_window):
    window = show_window(FakeGateway(40))
    window.resize(720, 450)
    frame = window.findChild(MainLayout)
    scrollbar = frame.area.horizontalScrollBar()
    window.go_to("search")
    qtbot.waitUntil(lambda: not scrollbar.maximum())  # once it has hidden what does not fit
    wide = []
    for page in PAGES:
        window.go_to(page.key)
        qtbot.waitUntil(lambda key=page.key: window.shows(key))
        QApplication.processEvents()
        shown, view = frame.pages.currentWidget(), frame.area.viewport()
        assert window.width() == 720, page.key
        assert shown.width() >= shown.minimumSizeHint().width(), page.key
        beyond = shown.width() - view.width()
        assert scrollbar.maximum() == beyond, page.key
        if beyond:
            wide.append(page.key)
    assert "dashboard" in wide and "search" not in wide


def test_small_window_scrolls_contents_of_pages_that_are_wider(qtbot, show_window):
    window = show_window(FakeGateway(40))
    window.resize(720, 450)
    for key in ("models", "training", "dashboard", "settings"):
        window.go_to(key)
        qtbot.waitUntil(lambda key=key: window.shows(key))
        QApplication.processEvents()
        for area in window.findChild(MainLayout).pages.currentWidget().findChildren(QScrollArea):
            beyond = area.horizontalScrollBar().maximum()
            assert not beyond or area.horizontalScrollBar().isVisibleTo(area), (key, area)


def test_window_stays_responsive_during_a_computation(qtbot, show_window, jobs: JobRunner):
    window = show_window(FakeGateway(150_000))
    heart = FairHeartbeat()

    def work(task):
        for n in range(2_000):
            sum(k * k for k in range(2_000))
            task.step(n, 2_000, "computing")

    heart.start()
    with qtbot.waitSignal(jobs.finished):
        jobs.run("Computing", work, queue=JobQueue.long)
    window.page.library_changed(LibraryChanges(papers=True))
    qtbot.waitUntil(lambda: not jobs.running())
    # Generous: it must catch work of seconds on the window's own thread.
    assert heart.stop() < 1_000
    assert heart.beats > 1


@pytest.fixture
def sample_window(qtbot, jobs, new_window, tmp_path):
    """The window of a sample library, in the folder of an own library."""
    (tmp_path / "library.sqlite3").touch()
    folder = Home(tmp_path).sample.folder
    folder.mkdir()
    window = new_window(folder)
    window.open(FakeGateway(5))
    qtbot.waitUntil(lambda: window.is_open and not jobs.running())
    return window


def test_welcome_opens_the_sample_library_of_the_home(qtbot, show_window, tmp_path):
    window = show_window(FakeGateway(0))
    with qtbot.waitSignal(window.events.library_requested) as requested:
        qtbot.mouseClick(window.page.welcome.choices[-1], Qt.MouseButton.LeftButton)
    assert requested.args[0] == Home(tmp_path).sample.folder


@pytest.mark.parametrize("queue", [JobQueue.long, JobQueue.network])
def test_sample_is_opened_during_a_task_only_if_confirmed(qtbot, show_window, jobs, queue):
    window = show_window(FakeGateway(3))
    finish = threading.Event()
    jobs.run("Fetching bees", lambda task: finish.wait(), queue=queue)
    requested = []
    window.events.library_requested.connect(lambda *args: requested.append(args))
    window.toggle_sample()
    assert "Fetching bees" in window.messages.message.text() and not requested
    offered = {b.text(): b for b in window.messages.findChildren(QPushButton)}
    offered["Stop and open"].click()
    assert len(requested) == 1
    finish.set()
    qtbot.waitUntil(lambda: not jobs.running())


def test_sample_is_opened_while_papers_are_indexed(qtbot, show_window, monkeypatch):
    window, finish = show_window(gateway := FakeGateway(3)), threading.Event()
    monkeypatch.setattr(gateway, "encode_missing", lambda task: finish.wait() and 0)
    window.importing.encode_missing()
    with qtbot.waitSignal(window.events.library_requested):
        window.toggle_sample()
    finish.set()
    qtbot.waitUntil(lambda: window.importing.indexing is None)


def test_bar_closes_the_sample_library(qtbot, sample_window, tmp_path):
    bar = sample_window.findChild(SampleBar)
    assert bar.isVisible()
    with qtbot.waitSignal(sample_window.events.library_requested) as requested:
        qtbot.mouseClick(bar.button, Qt.MouseButton.LeftButton)
    assert requested.args[0] == tmp_path


def test_own_library_has_no_sample_bar(show_window):
    assert show_window(FakeGateway(3)).findChild(SampleBar) is None


def test_import_into_the_sample_is_refused_and_offered_for_own(qtbot, sample_window, tmp_path):
    sample_window.add([Path("papers.bib")])
    assert sample_window.gateway.imported == []
    sample_window.messages.show_notice("Copied.", passes=True)  # must not replace the offer
    offered = {b.text(): b for b in sample_window.messages.findChildren(QPushButton)}
    with qtbot.waitSignal(sample_window.events.library_requested) as requested:
        offered["Close sample library and add"].click()
    folder, then = requested.args
    own = CallRecorder()
    then(own)
    assert folder == tmp_path
    assert own.calls == [("add", [Path("papers.bib")])]


def test_keys_pressed_while_a_page_loads_for_the_first_time_are_acted_on(
    qtbot, show_window, jobs, hold
):
    gateway = FakeGateway(3)
    one, other = paper("Bees"), paper("Bees!")
    for _ in range(3):
        gateway.duplicates.add(one, other)
    gateway.editor.mark_not_duplicates = gateway.duplicates.mark_not_duplicates
    go_on = hold(gateway.duplicates, "pairs")
    window = show_window(gateway)
    window.activateWindow()
    window.go_to("duplicates")
    page = window.other_page("duplicates")
    press(qtbot, window, Qt.Key.Key_Down)
    press(qtbot, window, Qt.Key.Key_K)
    press(qtbot, window, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    assert window.shows("duplicates") and gateway.duplicates.calls == []
    go_on.set()
    qtbot.waitUntil(lambda: gateway.duplicates.calls == ["keep 3 4"])
    qtbot.waitUntil(lambda: window.shows("search"))
    assert page.isHidden()


def test_keys_for_a_loading_page_are_forgotten_when_another_page_is_shown(
    qtbot, show_window, jobs, hold
):
    gateway = FakeGateway(3)
    gateway.duplicates.add(paper("Bees"), paper("Bees!"))
    go_on = hold(gateway.duplicates, "pairs")
    window = show_window(gateway)
    window.activateWindow()
    window.go_to("duplicates")
    press(qtbot, window, Qt.Key.Key_K)
    window.go_to("search")
    go_on.set()
    qtbot.waitUntil(lambda: not jobs.running())
    assert gateway.duplicates.calls == []
