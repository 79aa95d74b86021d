"""The pages of the window beside the search page: how each is built, and tied to the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from sciread_app.domain.paper import Changes, PaperId
from sciread_app.language import tr, trc
from sciread_app.ui.jobs import Jobs, Problem
from sciread_app.ui.page import Page
from sciread_app.ui.palette_entries import Entry

if TYPE_CHECKING:
    from sciread_app.ui.desk_protocol import Desk
    from sciread_app.ui.details import DetailsPanel
    from sciread_app.ui.main_window import MainWindow
    from sciread_app.ui.reader.page import ReaderPage


def tie_details(window: MainWindow, details: DetailsPanel) -> None:
    """What a paper asks of the window, whatever page it is shown on."""
    details.read_wanted.connect(window.read)
    details.problem.connect(window.banner.show_problem)
    details.changed.connect(lambda: window.library_changed.emit(Changes(papers=True)))
    details.came.connect(lambda: window.papers_came(Changes(papers=True)))


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
    page.map_wanted.connect(window.show_on_map)
    page.came.connect(window.papers_came)
    page.problem.connect(show_problem)
    page.busy_changed.connect(lambda busy: window.rail.show_busy("intake", busy))
    return page


def _reader(window: MainWindow, desk: Desk, jobs: Jobs) -> Page:
    from sciread_app.ui.reader.page import ReaderPage

    page = ReaderPage(desk.reading, jobs, window.appearance, window.memory())
    page.library_wanted.connect(lambda: window.go_to("search"))
    page.problem.connect(window.banner.show_problem)
    page.notice.connect(window.banner.show_notice)
    page.edited.connect(window.edited)
    window.offer.more.append(lambda: _open_papers(window, page))
    return page


def _map(window: MainWindow, desk: Desk, jobs: Jobs) -> Page:
    from sciread_app.ui.map.page import MapPage

    def tie(details: DetailsPanel) -> None:
        tie_details(window, details)
        details.search_wanted.connect(window.search_for)
        details.papers_wanted.connect(window.show_papers)

    def open_paper(paper: PaperId) -> None:
        window.show_papers([paper], tr("From the map"))
        if window.page:
            window.page.open_paper()

    page = MapPage(desk, jobs, window.appearance)
    page.view.glides = True
    page.papers_wanted.connect(window.show_papers)
    page.paper_wanted.connect(open_paper)
    page.found_wanted.connect(window.show_found_on_map)
    page.add_wanted.connect(window.add_files)
    page.fetch_wanted.connect(lambda: window.go_to("intake"))
    page.step_wanted.connect(window.do_on_shelf)
    page.details_made.connect(tie)
    page.busy_changed.connect(lambda busy: window.rail.show_busy("map", busy))
    return page


def _foryou(window: MainWindow, desk: Desk, jobs: Jobs) -> Page:
    from sciread_app.ui.foryou_page import ForYouPage

    def keep(papers: Sequence[PaperId], path: str) -> None:
        if window.shelving:
            window.shelving.work.do(tr("Kept"), lambda organise: organise.collect(papers, path))

    def tag(papers: Sequence[PaperId], name: str) -> None:
        if window.shelving:
            window.shelving.work.do(tr("Tagged"), lambda organise: organise.tag(papers, name))

    def say(what: str, back: Callable[[], object]) -> None:
        if window.shelving:
            window.shelving.notice.say(what, back)

    def similar(papers: Sequence[PaperId]) -> None:
        window.go_to("search")
        if window.page:
            window.page.show_similar(papers)

    page = ForYouPage(desk.foryou, desk, jobs, window.appearance)
    page.keep_wanted.connect(keep)
    page.tag_wanted.connect(tag)
    page.said.connect(say)
    page.edited.connect(window.edited)
    page.problem.connect(window.banner.show_problem)
    page.place_wanted.connect(window.go_to)
    page.search_wanted.connect(window.search_for)
    page.similar_wanted.connect(similar)
    page.menu_opened.connect(window.menus.map.offer)
    tie_details(window, page.details)
    page.details.papers_wanted.connect(window.show_papers)
    return page


def _settings(window: MainWindow, desk: Desk, jobs: Jobs) -> Page:
    from sciread_app.ui.settings_page import SettingsPage

    page = SettingsPage(desk.care, jobs, window.appearance)
    page.theme_wanted.connect(window.choose_theme)
    window.theme_chosen.connect(page.show_theme)  # in the menu, too
    page.restart_wanted.connect(window.restart_wanted)
    page.reopen_wanted.connect(window.reopen_wanted)
    return page


def _duplicates(window: MainWindow, desk: Desk, jobs: Jobs) -> Page:
    from sciread_app.ui.duplicates_page import DuplicatesPage

    page = DuplicatesPage(desk.duplicates, jobs, window.appearance)
    if window.shelving:
        page.edit_wanted.connect(window.shelving.work.do)
    page.papers_wanted.connect(window.show_papers)
    page.library_wanted.connect(lambda: window.go_to("search"))
    page.menu_opened.connect(window.menus.map.offer)
    window.menus.duplicates.live_on(page)
    return page


def _models(window: MainWindow, desk: Desk, jobs: Jobs) -> Page:
    from sciread_app.ui.models.page import ModelsPage

    def say(what: str, back: Callable[[], object] | None) -> None:
        if back:
            sentence = tr("{sentence}.", sentence=what)
            window.banner.show_notice(sentence, "", (tr("Put it back"), back), passes=True)
        elif window.shelving:
            window.shelving.notice.say(what)

    assert window.swapping
    page = ModelsPage(desk.models, window.swapping, jobs, window.appearance)
    page.said.connect(say)
    page.place_wanted.connect(window.go_to)
    page.problem.connect(window.banner.show_problem)
    page.measure_wanted.connect(partial(_measure, window))
    page.busy_changed.connect(lambda busy: window.rail.show_busy("models", busy))
    window.menus.models.live_on(page)
    return page


def _training(window: MainWindow, desk: Desk, jobs: Jobs) -> Page:
    from sciread_app.ui.training.page import TrainingPage

    def activate(model: str, title: str) -> None:
        if window.swapping:
            window.swapping.activate(model, title)

    def say(what: str) -> None:
        if window.shelving:
            window.shelving.notice.say(what)

    def compare(model: str) -> None:
        window.go_to("search")
        if window.page:
            window.page.compare.prefer(model)
            if not window.page.compare.is_open:
                window.page.toggle_compare()

    page = TrainingPage(desk.training, jobs, window.appearance)
    page.said.connect(say)
    page.problem.connect(window.banner.show_problem)
    page.place_wanted.connect(window.go_to)
    page.activate_wanted.connect(activate)
    page.measure_wanted.connect(partial(_measure, window))
    page.compare_wanted.connect(compare)
    page.came.connect(window.library_changed)
    page.busy_changed.connect(lambda busy: window.rail.show_busy("training", busy))
    window.menus.training.live_on(page)
    return page


def _measure(window: MainWindow, space: str) -> None:
    from sciread_app.ui.dashboard.page import DashboardPage

    window.go_to("dashboard")
    dashboard = window.other_page("dashboard")
    assert isinstance(dashboard, DashboardPage)
    dashboard.show_or_measure(space)


def _dashboard(window: MainWindow, desk: Desk, jobs: Jobs) -> Page:
    from sciread_app.ui.dashboard.page import DashboardPage

    def switch(model: str, title: str) -> None:
        if window.swapping:
            window.swapping.activate(model, title)

    def say(what: str, more: str) -> None:
        window.banner.show_notice(tr("{sentence}.", sentence=what), more, passes=not more)

    page = DashboardPage(desk, jobs, window.appearance)
    page.paper_wanted.connect(lambda paper: window.show_papers([paper], tr("From the dashboard")))
    page.switch_wanted.connect(switch)
    page.said.connect(say)
    page.problem.connect(window.banner.show_problem)
    page.busy_changed.connect(lambda busy: window.rail.show_busy("dashboard", busy))
    window.menus.dashboard.live_on(page)
    return page


def _open_papers(window: MainWindow, page: ReaderPage) -> list[Entry]:
    """What the command palette says of the papers that are open."""

    def show(number: int) -> None:
        window.go_to("reader")
        page.bar.setCurrentIndex(number)

    return [
        Entry(
            f"open:{tab.path}",
            tr("Go to open paper: {title}", title=tab.title),
            trc("a paper that is open", "Open"),
            partial(show, number),
        )
        for number, tab in enumerate(page.tabs)
    ]


_BUILDERS: Mapping[str, Callable[[MainWindow, Desk, Jobs], Page]] = {
    "intake": _intake,
    "foryou": _foryou,
    "duplicates": _duplicates,
    "models": _models,
    "training": _training,
    "dashboard": _dashboard,
    "settings": _settings,
    "reader": _reader,
    "map": _map,
}


_MODULES = (
    *("map.page", "foryou_page", "reader.page", "duplicates_page", "intake_page", "settings_page"),
    *("models.page", "training.page", "dashboard.page", "palette", "job_centre"),
    *("training.desk", "training.watch", "dashboard.desk", "backups_daily"),
)


def prepare() -> None:
    """Import what was left for later, beside the window, before somebody goes there."""
    for name in _MODULES:
        import_module(f"sciread_app.ui.{name}")


def build(place: str, window: MainWindow, desk: Desk, jobs: Jobs) -> Page:
    """The page with this key, see rail.PLACES."""
    return _BUILDERS[place](window, desk, jobs)
