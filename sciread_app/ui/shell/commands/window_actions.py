"""The actions of the window itself, and those that need several pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PySide6.QtGui import QKeySequence

from sciread_app.language import tr
from sciread_app.ui.actions import LINE, Action, ActionTable, Section
from sciread_app.ui.app_context import Navigator
from sciread_app.ui.page import Page
from sciread_app.ui.search.view_mode import SWITCH_KEYS

if TYPE_CHECKING:
    from sciread_app.ui.library.controller import LibraryController
    from sciread_app.ui.library.export import ExportController
    from sciread_app.ui.shell.job_panel import JobPanel

StandardKey = QKeySequence.StandardKey
ADD = tr("&Add")  # a submenu that the navigation bar shows, too
UNDO, REDO = tr("&Undo"), tr("Re&do")  # without the name of an edit
# Pages with a list of papers
WITH_PAPERS = ("search", "foryou", "reader", "duplicates", "intake", "compare")


class WindowCommands(Navigator, Protocol):
    """The parts of the window that the menus use; the controllers exist once a library is open."""

    library_controller: LibraryController
    exports: ExportController
    job_panel: JobPanel
    is_sample: bool

    def other_page(self, key: str) -> Page: ...

    def go_to_item(self, item: str) -> None: ...

    def toggle_map(self) -> None: ...

    def show_selected_on_map(self) -> None: ...

    def show_last_report(self) -> None: ...

    def close(self) -> bool: ...

    def find_here(self) -> None: ...

    def read_selected(self) -> None: ...

    def save_notes(self) -> None: ...

    def save_copy(self) -> None: ...

    def show_palette(self) -> None: ...

    def go_to_paper(self) -> None: ...

    def next_pane(self) -> None: ...

    def show_shortcuts_of_page(self) -> None: ...

    def toggle_sample(self) -> None: ...

    def show_about(self) -> None: ...


_ANYWHERE: ActionTable[WindowCommands] = ActionTable((
    Section("file/add", (
        Action(tr("Add by i&dentifier…"), lambda window: window.add_by_identifier()),
        Action(tr("&Import files…"), lambda window: window.add_files(), StandardKey.Open),
        Action(tr("Import &folder…"), lambda window: window.add_folder(), "Ctrl+Shift+O"),
        Action(tr("Import from &Zotero"), lambda window: window.import_zotero()),
        Action(tr("&New query…"), lambda window: window.new_query()),
        LINE,
        Action(tr("&Queries and imported files"), lambda window: window.go_to("intake")),
    ), submenu=ADD, titled=False),
    Section("file/add", (
        Action(tr("&Last import report"), lambda window: window.show_last_report(),
            name="last import report", library=False),
    )),
    Section("file/exports", (
        Action(tr("A&utomatic exports"), lambda window: window.exports.list_auto_exports()),
    )),
    Section("file/quit", (
        Action(tr("&Quit"), lambda window: window.close(), "Ctrl+Q", library=False),
    )),
    Section("edit/undo", (
        Action(UNDO, lambda window: window.library_controller.work.undo(), "Ctrl+Z", "undo"),
        Action(REDO, lambda window: window.library_controller.work.redo(), "Ctrl+Shift+Z", "redo"),
    )),
    Section("edit/find", (
        Action(tr("&Find"), lambda window: window.find_here(), StandardKey.Find),
    )),
    Section("view/map", (
        Action(tr("Switch between &list and map"), lambda window: window.toggle_map(), SWITCH_KEYS),
    ), submenu=tr("&Map")),
    Section("view/window", (
        Action(tr("&Command palette"), lambda window: window.show_palette(), "Ctrl+K",
            "command palette", library=False),
        Action(tr("&Activity"), lambda window: window.job_panel.toggle(), "Ctrl+J", library=False),
        Action(tr("&Next pane"), lambda window: window.next_pane(), "F6", library=False),
    )),
    Section("go/search", (
        Action(tr("Go to p&aper…"), lambda window: window.go_to_paper(), "Ctrl+P"),
    )),
    Section("tools/compare", (
        Action(tr("Compare results of t&wo models"), lambda window: window.compare_results(),
            "Ctrl+Shift+K", "compare results"),
    ), submenu=tr("&Compare models")),
    Section("help/window", (
        Action(tr("&Keyboard shortcuts"), lambda window: window.show_shortcuts(),
            StandardKey.HelpContents, library=False),
        Action(tr("S&hortcuts on this page"), lambda window: window.show_shortcuts_of_page(), "?",
            library=False),
        Action(tr("Open &sample library"), lambda window: window.toggle_sample(), name="sample",
            library=False),
        Action(tr("&About SciRead"), lambda window: window.show_about(), library=False),
    )),
))  # fmt: skip

_ON_SEARCH_PAGE: ActionTable[WindowCommands] = ActionTable((
    Section("file/export", (
        Action(tr("Export &notes of selected papers…"), lambda window: window.save_notes()),
        Action(tr("Save annotated PDF of selected paper…"), lambda window: window.save_copy()),
    )),
    Section("paper/read", (
        Action(tr("Read &PDF"), lambda window: window.read_selected(), "Ctrl+Shift+Return",
            "read pdf"),
    )),
), tr("Available on the Library page"), pages=("search",))  # fmt: skip

_WHERE_PAPERS_ARE: ActionTable[WindowCommands] = ActionTable((
    Section("view/map", (
        Action(tr("&Show selected papers on the map"), lambda window: window.show_selected_on_map(),
            "Ctrl+Shift+M", "show on map"),
    ), submenu=tr("&Map")),
), tr("Available where papers can be selected"), pages=WITH_PAPERS)  # fmt: skip

WINDOW_ACTIONS = (_ANYWHERE, _ON_SEARCH_PAGE, _WHERE_PAPERS_ARE)
