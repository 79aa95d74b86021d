"""Screenshots outside the pages: the command palette, jobs, messages, settings, backups."""

from __future__ import annotations

import threading
from datetime import date, timedelta

from PySide6.QtCore import QPoint, QTimer

from sciread_app.errors import LibraryError
from sciread_app.tasks import Task
from sciread_app.ui.jobs.runner import JobError, JobQueue
from sciread_app.ui.settings.page import SettingsPage
from sciread_app.ui.shell.commands.command_palette import CommandPalette
from sciread_app.ui.shell.commands.paper_popup import PaperPopup
from sciread_app.ui.shell.main_window import MainWindow
from tests.screenshots.scene import EVERYWHERE, Scene

LATER_MS = 250  # after the backups are listed, before the screenshot


def _waiting(window: MainWindow) -> None:
    """Show the window as during the import of the sample library."""
    window._loading_page.show_message(
        "papers", "Preparing the sample library", "Takes a few seconds."
    )
    window._pages.setCurrentWidget(window._loading_page)
    window.navigation_bar.enable_places(False)


def _no_work(window: MainWindow) -> None:
    window.navigation_bar.enable_places(True)
    window.go_to("search")
    window.job_panel.toggle()


def _palette(window: MainWindow) -> None:
    window.go_to("search")
    window.show_palette()


def _typed(window: MainWindow) -> None:
    palette = window.findChild(CommandPalette)
    assert palette
    palette.open()
    palette.box.setText("sea")
    palette.box.textEdited.emit("sea")


def _papers(window: MainWindow) -> None:
    _close_palette(window)
    window.go_to_paper()


def _typed_paper(window: MainWindow) -> None:
    papers = window.findChild(PaperPopup)
    assert papers
    papers.open()
    papers.box.setText("attention")
    papers.box.textEdited.emit("attention")


def _close_papers(window: MainWindow) -> None:
    papers = window.findChild(PaperPopup)
    assert papers
    papers.close_up()


def _close_palette(window: MainWindow) -> None:
    palette = window.findChild(CommandPalette)
    assert palette
    palette.close_up()


def _work(window: MainWindow) -> None:
    """Show a failed, a stopped, a running and a waiting job."""
    _close_papers(window)

    def fail(task: Task) -> None:
        raise LibraryError("The disk is full.", "Free up disk space and retry.")

    def fetch(task: Task) -> None:
        for done in range(0, 4_001, 1_000):
            task.step(done, 10_000, "Fetching")
            task.wait(0.12, "")
        # Stays at this step, so that the screenshot is the same each time.
        while True:
            task.wait(0.05, "")

    window.job_panel.toggle()
    jobs, go_on = window._jobs, threading.Event()
    jobs.run("Placing 153,940 papers on the map", fail, queue=JobQueue.long)
    jobs.run("Copying files", lambda task: go_on.wait(1), queue=JobQueue.long)
    jobs.run("Fetching cat:cs.CL AND all:transformer", fetch, queue=JobQueue.network)
    paused = jobs.run("Fetching sepsis[mh] AND biomarkers", fetch, queue=JobQueue.network)
    jobs.set_paused(paused)
    window.messages.show_notice(
        "The library is in a Dropbox folder. Dropbox can damage a library that is open.",
        "Move the library to a folder on this computer and keep only the backups in "
        "the current folder.",
        ("Move library", lambda: None),
        ("Keep current folder", lambda: None),
    )


def _end_work(window: MainWindow) -> None:
    for job in window._jobs.running(JobQueue.network):
        job.cancel()
    window.job_panel.toggle()
    while window.messages.isVisible():
        window.messages.newest.close_button.click()


def _problem(window: MainWindow) -> None:
    """Show a long message, with the message of an internal error below it."""
    _end_work(window)
    window.messages.show_problem(
        JobError("Something went wrong.", "The task “Drawing the window” failed.", "Traceback")
    )
    window.messages.show_problem(
        JobError(
            "https://export.arxiv.org/oai2?verb=ListRecords did not respond: the connection was "
            "refused five times within two minutes.",
            "Papers fetched so far are kept. Check the internet connection and the proxy settings, "
            "then retry; the fetch resumes where it stopped.",
            "Traceback",
        )
    )


def _keys(window: MainWindow) -> None:
    while window.messages.isVisible():
        window.messages.newest.close_button.click()
    window.show_shortcuts()


def _settings(window: MainWindow) -> None:
    window.go_to("settings")


def _pdf_files(window: MainWindow) -> None:
    page = window.other_page("settings")
    assert isinstance(page, SettingsPage)
    inside = page.area.widget()
    assert inside
    top = page.choose_pdf_folder.mapTo(inside, QPoint()).y()
    page.area.verticalScrollBar().setValue(top - 80)


def _backups(window: MainWindow) -> None:
    gateway, page = window.gateway, window.other_page("settings")
    assert gateway and isinstance(page, SettingsPage)
    for days in (40, 3, 2, 1, 0):
        day = date.today() - timedelta(days)
        gateway.workspace.backups.create_daily(gateway.workspace.library, day, Task())
    page.refresh()
    bar = page.area.verticalScrollBar()
    QTimer.singleShot(LATER_MS, page, lambda: bar.setValue(bar.maximum()))


EMPTY = (
    Scene("first-start-waiting", _waiting),
    Scene("work-empty", _no_work, EVERYWHERE),
)
SETTINGS = (
    Scene("settings", _settings, EVERYWHERE),
    Scene("settings-pdf-files", _pdf_files, (200, 300)),
    Scene("settings-backups", _backups, EVERYWHERE),
)
SCENES = (
    Scene("palette", _palette, EVERYWHERE),
    Scene("palette-typed", _typed, EVERYWHERE),
    Scene("go-to-paper", _papers, EVERYWHERE),
    Scene("go-to-paper-typed", _typed_paper, EVERYWHERE),
    Scene("work", _work, EVERYWHERE),
    Scene("banner-problem", _problem, EVERYWHERE),
    Scene("keys", _keys, EVERYWHERE),
    Scene("about", MainWindow.show_about, EVERYWHERE),
)
