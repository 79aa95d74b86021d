"""Pictures of what belongs to no page: the command palette, work, messages, settings, backups."""

from __future__ import annotations

import threading
from datetime import date, timedelta

from sciread_app.errors import LibraryError
from sciread_app.tasks import Task
from sciread_app.ui.jobs import Lane
from sciread_app.ui.main_window import MainWindow
from sciread_app.ui.palette import Palette
from sciread_app.ui.settings_page import SettingsPage
from sciread_app.ui.theme import Choice


def _ledger(window: MainWindow) -> None:
    window.show_last_ledger()


def _palette(window: MainWindow) -> None:
    window.go_to("search")
    window.show_palette()


def _typed(window: MainWindow) -> None:
    palette = window.findChild(Palette)
    assert palette
    palette.open()
    palette.box.setText("sea")
    palette.box.textEdited.emit("sea")


def _close_palette(window: MainWindow) -> None:
    palette = window.findChild(Palette)
    assert palette
    palette.close_up()


def _work(window: MainWindow) -> None:
    """Something has failed, something was stopped, something goes on, something waits."""
    _close_palette(window)

    def fail(task: Task) -> None:
        raise LibraryError("The disk is full.", "Make room, then start it again.")

    def fetch(task: Task) -> None:
        for done in range(0, 4_001, 1_000):
            task.step(done, 10_000, "Fetching")
            task.pause(0.12, "")
        # Held up where it is, so that the picture is the same each time.
        while True:
            task.pause(0.05, "")

    window.toggle_work()
    jobs, go_on = window._jobs, threading.Event()
    jobs.run("Placing 153,940 papers on the map", fail)
    jobs.run("Copying files", lambda task: go_on.wait(1))
    jobs.run("Fetching cat:cs.CL AND all:transformer", fetch, lane=Lane.network)
    going_on = jobs.run("Fetching sepsis[mh] AND biomarkers", fetch, lane=Lane.network)
    jobs.hold(going_on)
    window.banner.show_notice(
        "The library lies in a folder of Dropbox, which may damage it while it is open.",
        "It is safer in a folder of this computer, with only the backups where it is now.",
        ("Move it there", lambda: None),
        ("Leave it here", lambda: None),
    )


def _no_more_work(window: MainWindow) -> None:
    for job in window._jobs.running(Lane.network):
        job.cancel()
    window.toggle_work()
    while window.banner.isVisible():
        window.banner.drop_notice(window.banner.message.text())
    window.go_to("settings")


def _backups(window: MainWindow) -> None:
    desk = window.desk
    assert desk
    for days in (40, 3, 2, 1, 0):
        desk.care.back_up(date.today() - timedelta(days), Task())
    window.go_to("settings")


def _down(window: MainWindow) -> None:
    page = window.other_page("settings")
    assert isinstance(page, SettingsPage)
    page.area.verticalScrollBar().setValue(page.area.verticalScrollBar().maximum())


PICTURES = [
    ("ledger-details", Choice.light, _ledger),
    ("palette", Choice.light, _palette),
    ("palette-typed", Choice.dark, _typed),
    ("work", Choice.light, _work),
    ("work-dark", Choice.dark, lambda window: None),
    ("settings", Choice.light, _no_more_work),
    ("settings-dark", Choice.dark, _backups),
    ("backups", Choice.light, _down),
]
AT_200_PERCENT = [
    ("palette-at-200-percent", Choice.light, _palette),
    ("work-at-200-percent", Choice.light, _work),
    ("settings-at-200-percent", Choice.dark, _no_more_work),
]
