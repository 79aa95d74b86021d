"""The actions on the selected papers and the sidebar of the search page."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from sciread_app.language import tr, trn
from sciread_app.ui.actions import LINE, Action, ActionTable, Section

if TYPE_CHECKING:
    from sciread_app.ui.library.controller import LibraryController

RATE = tr("&Rate")  # a submenu that others show, too
# Letters and digits are keys in the list alone, where no text is typed.
_IN_LIST = Qt.ShortcutContext.WidgetShortcut


def _rate(stars: int, library: LibraryController) -> None:
    library.rate(stars)


def _stars(stars: int) -> str:
    return trn("{n} star", "{n} stars", stars) if stars else tr("No stars")


LIBRARY_ACTIONS: ActionTable[LibraryController] = ActionTable((
    Section("file/export", (
        Action(tr("E&xport…"), lambda library: library.export(), name="export"),
    )),
    Section("edit/copy", (
        Action(tr("Select &all"), lambda library: library.choose_all(), "Ctrl+A", "all"),
    ), shortcuts=_IN_LIST),
    Section("view/library", (
        Action(tr("Library side&bar"), lambda library: library.toggle_sidebar(), "Ctrl+B",
            "sidebar"),
        Action(tr("Focus s&idebar"), lambda library: library.go_to_sidebar(), "Ctrl+Shift+B",
            "into"),
    )),
    Section("paper/edit", (
        Action(tr("&Tag…"), lambda library: library.choose_tag(), "T", "tag"),
        Action(tr("Add to &collection…"), lambda library: library.choose_collection(), "C",
            "collect"),
        Action(tr("Remo&ve from this collection"), lambda library: library.uncollect(),
            name="uncollect"),
        Action(tr("Mar&k as read or unread"), lambda library: library.toggle_read(), "R", "read"),
        Action(tr("&Edit…"), lambda library: library.edit(), "E", "edit"),
        Action(tr("Accept uncertain values"), lambda library: library.accept_guesses(),
            name="accept guesses"),
        Action(tr("Look up metadata…"), lambda library: library.look_up(), name="look up"),
        Action(tr("Find PDFs"), lambda library: library.find_pdfs(), name="find pdfs"),
        Action(tr("Move PDFs to PDF folder"), lambda library: library.move_pdfs(),
            name="move pdfs"),
        Action(tr("Rename PDFs by pattern"), lambda library: library.rename_pdfs(),
            name="rename pdfs"),
        Action(tr("&Move to Trash"), lambda library: library.trash(), "Del", "trash"),
        Action(tr("Restore from Tras&h"), lambda library: library.untrash(), name="untrash"),
        Action(tr("&Delete permanently…"), lambda library: library.delete_permanently(),
            name="delete"),
    ), shortcuts=_IN_LIST),
    Section("paper/edit", [
        Action(_stars(stars), partial(_rate, stars), str(stars), f"rate {stars}")
        for stars in (5, 4, 3, 2, 1, 0)
    ], submenu=RATE, shortcuts=_IN_LIST),
    Section("paper/organize", (
        Action(tr("New co&llection…"), lambda library: library.add(), "Ctrl+Shift+N", "collection"),
        Action(tr("Look up missing metadata…"), lambda library: library.look_up_missing(),
            name="look up missing"),
        Action(tr("Empt&y Trash…"), lambda library: library.empty_trash(), name="empty"),
    )),
    Section("paper/split", (
        LINE,
        Action(tr("Merge &selected papers"), lambda library: library.merge(), name="merge"),
        Action(tr("&Link selected papers as versions"), lambda library: library.link_versions(),
            name="link versions"),
        Action(tr("S&plit selected paper"), lambda library: library.split(), name="split"),
    ), submenu=tr("Mer&ge and split")),
), tr("Available on the Library page"), pages=("search",))  # fmt: skip
