"""The registry of the pages of the window, and how each is built and connected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from sciread_app.domain.paper import LibraryChanges, PaperId
from sciread_app.language import tr, trc
from sciread_app.ui.jobs.runner import JobError, JobRunner
from sciread_app.ui.page import Page, PageSpec
from sciread_app.ui.shell.command_palette_entries import PaletteEntry

if TYPE_CHECKING:
    from sciread_app.ui.paper.details_panel import DetailsPanel
    from sciread_app.ui.reader.page import ReaderPage
    from sciread_app.ui.shell.main_window import MainWindow
    from sciread_app.ui.shell.services import WindowServices


def tie_details(window: MainWindow, details: DetailsPanel) -> None:
    """What a paper asks of the window, whatever page it is shown on."""
    details.read_requested.connect(window.read)
    details.problem.connect(window.banner.show_problem)
    details.changed.connect(lambda: window.events.library_changed.emit(LibraryChanges(papers=True)))
    details.loaded.connect(lambda: window.papers_came(LibraryChanges(papers=True)))


# Each page but the search page is imported where it is built, when it is first opened.


def _search(window: MainWindow, desk: WindowServices, jobs: JobRunner) -> Page:
    from sciread_app.ui.search.page import SearchPage

    page = SearchPage(desk, jobs, window.appearance)
    page.remember(window.memory())
    page.add_requested.connect(window.add_files)
    page.fetch_requested.connect(lambda: window.go_to("intake"))
    page.compare.place_requested.connect(window.go_to)
    page.menu_opened.connect(window.menus.map.offer)
    page.menu_opened.connect(window.menus.reader.offer)
    page.shown.connect(lambda view: window.offer.was_searched(view.query))
    window.menus.reader.follow_list(page.result_list, page.model)
    window.menus.search.follow(page)
    tie_details(window, page.details)
    return page


def _intake(window: MainWindow, desk: WindowServices, jobs: JobRunner) -> Page:
    from sciread_app.ui.add_papers.page import AddPapersPage

    def show_problem(problem: JobError) -> None:
        # What a source did not answer stands with its fetch, for who sees the page.
        if problem.report or not window.shows("intake"):
            window.banner.show_problem(problem)

    page = AddPapersPage(desk.intake, jobs, window.appearance)
    page.files_requested.connect(window.add_files)
    page.folder_requested.connect(window.add_folder)
    page.papers_requested.connect(window.show_papers)
    page.map_requested.connect(window.show_on_map)
    page.loaded.connect(window.papers_came)
    page.problem.connect(show_problem)
    page.busy_changed.connect(lambda busy: window.rail.show_busy("intake", busy))
    return page


def _reader(window: MainWindow, desk: WindowServices, jobs: JobRunner) -> Page:
    from sciread_app.ui.reader.page import ReaderPage

    page = ReaderPage(desk.reading, jobs, window.appearance, window.memory())
    page.library_requested.connect(lambda: window.go_to("search"))
    page.problem.connect(window.banner.show_problem)
    page.notice.connect(window.banner.show_notice)
    page.edited.connect(window.events.edited)
    window.offer.more.append(lambda: _open_papers(window, page))
    return page


def _map(window: MainWindow, desk: WindowServices, jobs: JobRunner) -> Page:
    from sciread_app.ui.map.page import MapPage

    def tie(details: DetailsPanel) -> None:
        tie_details(window, details)
        details.search_requested.connect(window.search_for)
        details.papers_requested.connect(window.show_papers)

    def open_paper(paper: PaperId) -> None:
        window.show_papers([paper], tr("From the map"))
        window.page.open_paper()

    page = MapPage(desk, jobs, window.appearance)
    page.view.animated = True
    page.papers_requested.connect(window.show_papers)
    page.paper_requested.connect(open_paper)
    page.found_requested.connect(window.show_found_on_map)
    page.add_requested.connect(window.add_files)
    page.fetch_requested.connect(lambda: window.go_to("intake"))
    page.step_requested.connect(window.do_on_shelf)
    page.details_made.connect(tie)
    page.busy_changed.connect(lambda busy: window.rail.show_busy("map", busy))
    return page


def _foryou(window: MainWindow, desk: WindowServices, jobs: JobRunner) -> Page:
    from sciread_app.ui.recommendations.page import RecommendationsPage

    def keep(papers: Sequence[PaperId], path: str) -> None:
        window.do_on_shelf(tr("Kept"), lambda organise: organise.collect(papers, path))

    def tag(papers: Sequence[PaperId], name: str) -> None:
        window.do_on_shelf(tr("Tagged"), lambda organise: organise.tag(papers, name))

    def say(what: str, back: Callable[[], object]) -> None:
        window.shelving.notice.say(what, back)

    def similar(papers: Sequence[PaperId]) -> None:
        window.go_to("search")
        window.page.show_similar(papers)

    page = RecommendationsPage(desk.foryou, desk, jobs, window.appearance)
    page.collect_requested.connect(keep)
    page.tag_requested.connect(tag)
    page.message.connect(say)
    page.edited.connect(window.events.edited)
    page.problem.connect(window.banner.show_problem)
    page.place_requested.connect(window.go_to)
    page.search_requested.connect(window.search_for)
    page.similar_requested.connect(similar)
    page.menu_opened.connect(window.menus.map.offer)
    tie_details(window, page.details)
    page.details.papers_requested.connect(window.show_papers)
    return page


def _settings(window: MainWindow, desk: WindowServices, jobs: JobRunner) -> Page:
    from sciread_app.ui.settings.page import SettingsPage

    page = SettingsPage(desk.care, jobs, window.appearance)
    page.theme_requested.connect(window.choose_theme)
    window.theme_chosen.connect(page.show_theme)  # in the menu, too
    page.restart_requested.connect(window.restart_requested)
    page.reopen_requested.connect(window.reopen_requested)
    return page


def _duplicates(window: MainWindow, desk: WindowServices, jobs: JobRunner) -> Page:
    from sciread_app.ui.duplicates.page import DuplicatesPage

    page = DuplicatesPage(desk.duplicates, jobs, window.appearance)
    page.edit_requested.connect(window.shelving.work.submit)
    page.papers_requested.connect(window.show_papers)
    page.library_requested.connect(lambda: window.go_to("search"))
    page.searched.connect(lambda: window.events.library_changed.emit(LibraryChanges(papers=True)))
    page.menu_opened.connect(window.menus.map.offer)
    window.menus.duplicates.follow(page)
    return page


def _models(window: MainWindow, desk: WindowServices, jobs: JobRunner) -> Page:
    from sciread_app.ui.models.page import ModelsPage

    def say(what: str, back: Callable[[], object] | None) -> None:
        if back:
            sentence = tr("{sentence}.", sentence=what)
            window.banner.show_notice(sentence, "", (tr("Put it back"), back), passes=True)
        else:
            window.shelving.notice.say(what)

    page = ModelsPage(desk.models, window.swapping, jobs, window.appearance)
    page.message.connect(say)
    page.place_requested.connect(window.go_to)
    page.problem.connect(window.banner.show_problem)
    page.measure_requested.connect(partial(_measure, window))
    page.busy_changed.connect(lambda busy: window.rail.show_busy("models", busy))
    window.menus.models.follow(page)
    return page


def _training(window: MainWindow, desk: WindowServices, jobs: JobRunner) -> Page:
    from sciread_app.ui.training.page import TrainingPage

    def say(what: str) -> None:
        window.shelving.notice.say(what)

    def compare(model: str) -> None:
        window.go_to("search")
        window.page.compare.prefer(model)
        if not window.page.compare.is_open:
            window.page.toggle_compare()

    page = TrainingPage(desk.training, jobs, window.appearance)
    page.message.connect(say)
    page.problem.connect(window.banner.show_problem)
    page.place_requested.connect(window.go_to)
    page.activate_requested.connect(window.swapping.activate)
    page.measure_requested.connect(partial(_measure, window))
    page.compare_requested.connect(compare)
    page.loaded.connect(window.events.library_changed)
    page.busy_changed.connect(lambda busy: window.rail.show_busy("training", busy))
    window.menus.training.follow(page)
    return page


def _measure(window: MainWindow, space: str) -> None:
    from sciread_app.ui.evaluation.page import EvaluationPage

    window.go_to("dashboard")
    dashboard = window.other_page("dashboard")
    assert isinstance(dashboard, EvaluationPage)
    dashboard.show_or_measure(space)


def _dashboard(window: MainWindow, desk: WindowServices, jobs: JobRunner) -> Page:
    from sciread_app.ui.evaluation.page import EvaluationPage

    def say(what: str, more: str) -> None:
        window.banner.show_notice(tr("{sentence}.", sentence=what), more, passes=not more)

    page = EvaluationPage(desk, jobs, window.appearance)
    page.paper_requested.connect(
        lambda paper: window.show_papers([paper], tr("From the dashboard"))
    )
    page.switch_requested.connect(window.swapping.activate)
    page.place_requested.connect(window.go_to)
    page.message.connect(say)
    page.problem.connect(window.banner.show_problem)
    page.busy_changed.connect(lambda busy: window.rail.show_busy("dashboard", busy))
    window.menus.dashboard.follow(page)
    return page


def _open_papers(window: MainWindow, page: ReaderPage) -> list[PaletteEntry]:
    """What the command palette says of the papers that are open."""

    def show(number: int) -> None:
        window.go_to("reader")
        page.bar.setCurrentIndex(number)

    return [
        PaletteEntry(
            f"open:{tab.path}",
            tr("Go to open paper: {title}", title=tab.title),
            trc("a paper that is open", "Open"),
            partial(show, number),
        )
        for number, tab in enumerate(page.tabs)
    ]


# The pages in the order of the navigation bar, which is that of their shortcuts.
PAGES = (
    PageSpec(
        "search", tr("Search"), "search", "Ctrl+1", tr("Find papers in your library"),
        "search.page", _search,
    ),
    PageSpec(
        "map", tr("Map"), "map", "Ctrl+2", tr("Wander among your papers"),
        "map.page", _map,
    ),
    PageSpec(
        "foryou", tr("For you"), "foryou", "Ctrl+3", tr("What is new for what you follow"),
        "recommendations.page", _foryou,
    ),
    PageSpec(
        # Translators: the page on which PDFs are read
        "reader", tr("Reader"), "reader", "Ctrl+4", tr("Read and mark the files of papers"),
        "reader.page", _reader,
    ),
    PageSpec(
        "duplicates", tr("Duplicates"), "duplicates", "Ctrl+5", tr("Papers that may be one"),
        "duplicates.page", _duplicates,
    ),
    PageSpec(
        # Translators: the page on which papers come in
        "intake", tr("Intake"), "intake", "Ctrl+6", tr("Fetch papers, add files, see what came in"),
        "add_papers.page", _intake,
    ),
    PageSpec(
        "models", tr("Models"), "models", "Ctrl+7", tr("What finds papers by meaning"),
        "models.page", _models,
    ),
    PageSpec(
        "training", tr("Training"), "training", "Ctrl+8", tr("Teach a model your own papers"),
        "training.page", _training,
    ),
    PageSpec(
        "dashboard", tr("Dashboard"), "dashboard", "Ctrl+9", tr("What models are worth"),
        "evaluation.page", _dashboard,
    ),
    PageSpec(
        "settings", tr("Settings"), "settings", "Ctrl+,", tr("What can be chosen, and backups"),
        "settings.page", _settings,
    ),
)  # fmt: skip
_BUILDERS = {page.key: page.build for page in PAGES}
# Other modules that are not needed at start.
_LATER = (
    "shell.command_palette",
    "shell.job_panel",
    "training.gateway",
    "training.completion_notifier",
    "evaluation.gateway",
    "settings.backup_scheduler",
)


def prepare() -> None:
    """Import the modules that the start of the window does not wait for."""
    for name in (*(page.module for page in PAGES), *_LATER):
        import_module(f"sciread_app.ui.{name}")


def build(place: str, window: MainWindow, desk: WindowServices, jobs: JobRunner) -> Page:
    """Build the page with this key."""
    return _BUILDERS[place](window, desk, jobs)
