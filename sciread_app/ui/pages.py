"""The pages of the window beside the search page: how each is built, and tied to the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from sciread_app.ui.jobs import Jobs, Problem
from sciread_app.ui.page import Page

if TYPE_CHECKING:
    from sciread_app.ui.main_window import Desk, MainWindow


# Each page is imported where it is built, when somebody first goes there.


def _intake(window: MainWindow, desk: Desk, jobs: Jobs) -> Page:
    from sciread_app.ui.intake_page import IntakePage

    def show_problem(problem: Problem) -> None:
        # What a source did not answer stands with its fetch, for who sees the page.
        if problem.report or not window.shows("intake"):
            window.banner.show_problem(problem)

    page = IntakePage(desk.intake, jobs, window.appearance)
    page.files_wanted.connect(window.add_files)
    page.folder_wanted.connect(window.add_folder)
    page.papers_wanted.connect(window.show_papers)
    page.came.connect(window.papers_came)
    page.problem.connect(show_problem)
    page.busy_changed.connect(lambda busy: window.rail.show_busy("intake", busy))
    return page


def _reader(window: MainWindow, desk: Desk, jobs: Jobs) -> Page:
    from sciread_app.ui.reader.page import ReaderPage

    def look_at_edits() -> None:
        if window.shelving:
            window.shelving.work.load()  # there is something to take back

    page = ReaderPage(desk.reading, jobs, window.appearance, window.memory())
    page.library_wanted.connect(lambda: window.go_to("search"))
    page.problem.connect(window.banner.show_problem)
    page.notice.connect(window.banner.show_notice)
    page.edited.connect(look_at_edits)
    return page


def _settings(window: MainWindow, desk: Desk, jobs: Jobs) -> Page:
    from sciread_app.ui.settings_page import SettingsPage

    def ask(what: str, means: str, name: str, do: Callable[[], object]) -> None:
        window.banner.show_notice(what, means, (name, do), passes=True)

    page = SettingsPage(desk.care, jobs, window.appearance)
    page.theme_wanted.connect(window.choose_theme)
    page.restart_wanted.connect(window.restart_wanted)
    page.reopen_wanted.connect(window.reopen_wanted)
    page.question.connect(ask)
    return page


_BUILDERS: Mapping[str, Callable[[MainWindow, Desk, Jobs], Page]] = {
    "intake": _intake,
    "settings": _settings,
    "reader": _reader,
}


def build(place: str, window: MainWindow, desk: Desk, jobs: Jobs) -> Page:
    """The page with this key, see rail.PLACES."""
    return _BUILDERS[place](window, desk, jobs)
