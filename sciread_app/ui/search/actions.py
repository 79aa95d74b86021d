"""The actions of the search page: papers, search, filters, sort order and map."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication, QKeySequence

from sciread_app.domain.clipboard_formats import CopyWhat
from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.language import tr
from sciread_app.ui.actions import LINE, Action, ActionTable, Section
from sciread_app.ui.map.options import BY, TOOLS, ColorBy, Tool
from sciread_app.ui.paper.copy_button import GROUPS, OTHER_STYLE
from sciread_app.ui.paper_list.density import DENSITIES, Density
from sciread_app.ui.search.query_box.search_box import MODES
from sciread_app.ui.search.sort_button import ORDERS
from sciread_app.ui.search.view_mode import MAP_PREFIX
from sciread_app.ui.widgets.dialogs.file_dialogs import DialogPurpose, open_files

if TYPE_CHECKING:
    from sciread_app.domain.paper import Order
    from sciread_app.ui.map.panel import MapPanel
    from sciread_app.ui.search.page import SearchPage

StandardKey = QKeySequence.StandardKey


def _copy_as(what: CopyWhat, page: SearchPage) -> None:
    page.copy_selected(what)


def _sort(order: Order, page: SearchPage) -> None:
    page.sort_by(order)


def _set_density(density: Density, page: SearchPage) -> None:
    page.set_density(density)


def _set_mode(mode: SearchMode, page: SearchPage) -> None:
    page.search_box.set_mode(mode)


def _choose_files(page: SearchPage) -> None:
    title = tr("Select files to find similar papers")
    if files := open_files(page.window(), DialogPurpose.query, title):
        page.header.find_like(files)


def _search_for_clipboard(page: SearchPage) -> None:
    """Search for the clipboard text: an entry, a DOI or an abstract."""
    text = QGuiApplication.clipboard().text().strip()
    if text:
        page.search_box.search_for_text(text)


def _on_map(text: str, do: Callable[[MapPanel], object]) -> Action[SearchPage]:
    """Return an action that is available while the map is shown."""
    return Action(text, lambda page: do(page.map) if page.map else None, name=MAP_PREFIX + text)


def _colour(by: ColorBy, shown: MapPanel) -> None:
    shown.colour_by(by)


def _take(tool: Tool, shown: MapPanel) -> None:
    shown.take_tool(tool)


def _copying() -> list[Action[SearchPage] | None]:
    rows: list[Action[SearchPage] | None] = []
    for group in GROUPS:
        rows += [*(Action(name, partial(_copy_as, what)) for what, name in group), LINE]
    return [*rows, Action(OTHER_STYLE, lambda page: page.choose_style())]


ACTIONS: ActionTable[SearchPage] = ActionTable((
    Section("edit/copy", (
        Action(tr("&Copy citation"), lambda page: page.copy_selected(), "Ctrl+Shift+C"),
    )),
    Section("edit/copy", _copying(), submenu=tr("Copy a&s")),
    Section("edit/search", (
        Action(tr("Find similar to f&ile…"), _choose_files),
        Action(tr("Find similar to cli&pboard text"), _search_for_clipboard, "Ctrl+Shift+V"),
        Action(tr("Sav&e search…"), lambda page: page.header.save_search(), "Ctrl+S"),
    )),
    Section("paper/open", (
        Action(tr("&Open paper"), lambda page: page.open_paper(), "Ctrl+Return"),
    )),
    Section("paper/details", (
        Action(tr("&Write note"), lambda page: page.details.write_note(), StandardKey.New),
        Action(tr("Attach &file…"), lambda page: page.details.add_file(), name="attach file"),
        Action(tr("Fetch c&itations"), lambda page: page.details.fetch_citations()),
    )),
    Section("paper/similar", (
        Action(tr("Simil&ar papers"), lambda page: page.show_similar(page.selected()), "Ctrl+L",
            name="similar"),
        Action(tr("More like this"), lambda page: page.more_like(page.selected()), name="more"),
        Action(tr("&Not like this"), lambda page: page.less_like(page.selected()), name="less"),
    )),
    Section("view/library", (
        Action(tr("&Details"), lambda page: page.toggle_details(), "Ctrl+I"),
    )),
    Section("view/search", (
        Action(tr("&Filters"), lambda page: page.header.toggle_filters(), "Ctrl+Shift+F"),
        Action(tr("C&lear filters"), lambda page: page.header.lift(), "Ctrl+Shift+L"),
    )),
    Section("view/search", [
        Action(name, partial(_sort, order))
        for order, name in ORDERS.items()
    ], submenu=tr("S&ort by")),
    Section("view/search", [
        Action(name, partial(_set_mode, mode), f"Alt+{number}")
        for number, (mode, (name, _)) in enumerate(MODES.items(), start=1)
    ], submenu=tr("Searc&h mode")),
    Section("view/search", (
        Action(tr("Select table col&umns…"), lambda page: page.choose_columns()),
    )),
    Section("view/search", [
        Action(name, partial(_set_density, one))
        for one, name in DENSITIES.items()
    ], submenu=tr("List d&ensity")),
    Section("view/map", (
        LINE,
        _on_map(tr("&Fit map"), lambda shown: shown.fit()),
        _on_map(tr("&Zoom to highlighted papers"), lambda shown: shown.fit_highlighted()),
        _on_map(tr("Re&draw map"), lambda shown: shown.redraw()),
        LINE,
        *(_on_map(BY[by].action, partial(_colour, by)) for by in ColorBy),
        _on_map(tr("Size points by cit&ations"), lambda shown: shown.bar.sizes.toggle()),
        LINE,
        *(_on_map(TOOLS[tool].action, partial(_take, tool)) for tool in Tool),
    ), submenu=tr("&Map")),
    Section("go/search", (
        Action(tr("&Recent searches"), lambda page: page.header.recall(), "Ctrl+Shift+R"),
        Action(tr("&Back to previous results"), lambda page: page.back(), StandardKey.Back),
    )),
    Section("help/search", (
        Action(tr("Search synta&x"), lambda page: page.search_box.show_syntax(), anywhere=True),
    )),
), tr("Available on the Library page"))  # fmt: skip
