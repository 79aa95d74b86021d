"""Actions on the selected papers, the sidebar and the undo history."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from sciread_app.language import tr, trn

if TYPE_CHECKING:
    from sciread_app.ui.library.controller import LibraryController


class LibraryAction(NamedTuple):
    """An action of the library. The `keys` of `PAPERS` and `ALL` work only in the list, where no
    text is typed."""

    name: str
    text: str
    keys: str
    do: Callable[[LibraryController], object]


def _rate(stars: int) -> LibraryAction:
    text = trn("{n} star", "{n} stars", stars) if stars else tr("No stars")
    return LibraryAction(f"rate {stars}", text, str(stars), lambda library: library.rate(stars))


PAPERS = (
    LibraryAction("tag", tr("&Tag…"), "T", lambda library: library.choose_tag()),
    LibraryAction(
        "collect", tr("Add to &collection…"), "C", lambda library: library.choose_collection()
    ),
    LibraryAction(
        "uncollect", tr("Remo&ve from this collection"), "", lambda library: library.uncollect()
    ),
    LibraryAction(
        "read", tr("Mar&k as read or unread"), "R", lambda library: library.toggle_read()
    ),
    LibraryAction("edit", tr("&Edit…"), "E", lambda library: library.edit()),
    LibraryAction(
        "accept guesses",
        tr("Accept uncertain values"),
        "",
        lambda library: library.accept_guesses(),
    ),
    LibraryAction("look up", tr("Look up metadata…"), "", lambda library: library.look_up()),
    LibraryAction("find pdfs", tr("Find PDFs"), "", lambda library: library.find_pdfs()),
    LibraryAction(
        "move pdfs", tr("Move PDFs to PDF folder"), "", lambda library: library.move_pdfs()
    ),
    LibraryAction(
        "rename pdfs", tr("Rename PDFs by pattern"), "", lambda library: library.rename_pdfs()
    ),
    LibraryAction("trash", tr("&Move to Trash"), "Del", lambda library: library.trash()),
    LibraryAction("untrash", tr("Restore from Tras&h"), "", lambda library: library.untrash()),
    LibraryAction(
        "delete", tr("&Delete permanently…"), "", lambda library: library.delete_permanently()
    ),
)
ALL = LibraryAction("all", tr("Select &all"), "Ctrl+A", lambda library: library.choose_all())
EXPORT = LibraryAction("export", tr("E&xport…"), "", lambda library: library.export())
STARS = tuple(map(_rate, (5, 4, 3, 2, 1, 0)))
ORGANIZE = (
    LibraryAction(
        "collection", tr("New co&llection…"), "Ctrl+Shift+N", lambda library: library.add()
    ),
    LibraryAction(
        "look up missing",
        tr("Look up missing metadata…"),
        "",
        lambda library: library.look_up_missing(),
    ),
    LibraryAction("empty", tr("Empt&y Trash…"), "", lambda library: library.empty_trash()),
)
VIEW = (
    LibraryAction(
        "sidebar", tr("Library side&bar"), "Ctrl+B", lambda library: library.toggle_sidebar()
    ),
    LibraryAction(
        "into", tr("Focus s&idebar"), "Ctrl+Shift+B", lambda library: library.go_to_sidebar()
    ),
)
BACK = (
    LibraryAction("undo", tr("&Undo"), "Ctrl+Z", lambda library: library.work.undo()),
    LibraryAction("redo", tr("Re&do"), "Ctrl+Shift+Z", lambda library: library.work.redo()),
)
